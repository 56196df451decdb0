"""`fewest select --max-features 1-5`: the front at the terminal, in the file and on the page."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import PanelSizeCV, SupportFeatureMachine
from fewest.report import make_report
from tests.tables.samples import NAMES, two_classes, write_csv


@pytest.fixture
def path(tmp_path):
    return write_csv(tmp_path / "two.csv", *two_classes(shift=1.5))


def test_the_front_is_that_of_the_estimator(run, path, tmp_path):
    X, y = two_classes(shift=1.5)
    machine = PanelSizeCV(sizes=[1, 2, 3, 4, 5], random_state=0).fit(X, y)
    arguments = ("select", path, "--target", "group", "--max-features", "1-5", "--cv", 0)
    found = run(*arguments, "--json", "-").json
    front, curve = machine.front_, found["sizes"]
    assert [point["n_features"] for point in curve["points"]] == [1, 2, 3, 4, 5]
    np.testing.assert_allclose([p["split_errors"] for p in curve["points"]], front.errors.T)
    means = [point["balanced_error"]["mean"] for point in curve["points"]]
    np.testing.assert_allclose(means, front.errors.mean(axis=0))
    for point, panel in zip(curve["points"], front.panels, strict=True):
        assert point["features"] == [NAMES[column] for column in panel]
    assert curve["chosen"] == machine.best_index_
    assert curve["n_splits"] == 5
    assert found["question"]["chosen"] == {"max_features": machine.max_features_}
    assert sorted(found["answer"]["selected"]) == sorted(
        NAMES[column] for column in np.flatnonzero(machine.support_)
    )
    page = tmp_path / "page.html"
    make_report(machine, X, y, feature_names=NAMES, parts=()).save(page)
    text = page.read_text(encoding="utf-8")
    assert "Error against the number of features" in text
    assert f"{machine.max_features_} (chosen)" in text


def test_the_terminal_shows_the_table(run, path):
    out = run("select", path, "--target", "group", "--max-features", "1-3", "--cv", 0).out
    assert "smallest k within one standard error" in out
    (header,) = [line for line in out.splitlines() if line.split()[:2] == ["k", "cross-validated"]]
    rows = out.splitlines()[out.splitlines().index(header) + 1 :][:3]
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    assert sum("*" in row for row in rows) == 1


def test_a_single_number_is_no_search(run, path):
    X, y = two_classes(shift=1.5)
    arguments = ("select", path, "--target", "group", "--max-features", 2, "--cv", 0)
    found = run(*arguments, "--json", "-").json
    assert found["sizes"] is None
    support = SupportFeatureMachine(max_features=2).fit(X, y).support_
    names = [NAMES[column] for column in np.flatnonzero(support)]
    assert sorted(found["answer"]["selected"]) == sorted(names)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ("5-1", "must go upwards"),
        ("0-3", "must be 1 or more"),
        ("1-x", "must be a whole number"),
        ("1-99", "X has 30 feature"),
    ],
)
def test_bad_ranges(refused, path, sizes, reason):
    assert reason in refused(path, "--target", "group", "--max-features", sizes, "--quiet")
