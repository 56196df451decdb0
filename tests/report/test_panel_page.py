"""The page of a judged panel: every part, and nothing that a name could break."""

import re

import pytest
from sklearn.feature_selection import SelectKBest

from fewest.panels import panel_report
from fewest.report import make_panel_page
from tests.panels.test_panel_report import QUICK, make_data

pytest.importorskip("jinja2")
NAMES = ["<b>bold</b>", "gene & co", *(f"gene {place}" for place in range(2, 6))]


@pytest.fixture(scope="module")
def found():
    X, y = make_data()
    X2, y2 = make_data(seed=3)
    settings = {**QUICK, "n_random": 5, "n_stand_ins": 1, "best": True, "n_permutations": 9}
    return panel_report(
        X,
        y,
        [0, 1],
        cv=2,
        feature_names=NAMES,
        estimator=SelectKBest(k=2),
        n_resamples=3,
        against=(X2, y2, ["<b>bold</b>", *"abcde"]),
        **settings,
    )


def test_the_page_has_every_part(found, tmp_path):
    page = make_panel_page(
        found, origin="mine.csv", second="theirs.csv", command="fewest panel", notes=["A note."]
    )
    html = page.html
    for text in (
        "mine.csv",
        "theirs.csv",
        "A note.",
        "with the choice repeated",
        "optimistic: the panel was chosen on these samples",
        "Random panels",
        "Best of this size",
        "What each feature adds",
        "What could replace it",
        "It lacks",
        "each data set standardised by itself",
        "<svg",
    ):
        assert text in html
    assert f"{100 * found.errors.balanced_error:.1f}" in html
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html
    assert "srcdoc" in page._repr_html_()


def test_names_are_text_and_nothing_is_loaded(found):
    html = make_panel_page(found, title="<i>t</i>").html
    assert "<b>bold" not in html
    assert "<i>t" not in html
    assert "&lt;b&gt;bold" in html
    assert "default-src &#39;none&#39;" in html
    assert not re.search(r'(src|href)="https?:', html)
    assert ' style="' not in html


def test_parts_that_are_missing():
    X, y = make_data()
    html = make_panel_page(panel_report(X, y, [0], cv=2, **QUICK)).html
    assert "Not on this page." in html
    assert "Second data set" not in html
