"""The page as a text: self-contained, safe, small, and the same as the JSON."""

import base64
import hashlib
import html
import json
import re
import subprocess
import sys
import webbrowser
import zipfile
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.report import make_report
from fewest.report._wording import safe, typeset

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "img", "input", "br", "hr", "link", "wbr"}


class Outline(HTMLParser):
    """Elements, their attributes, and whether all of them are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag


def text_of(page):
    page = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def test_elements_are_closed_and_ids_unique(report, hostile_report):
    for page in (report.html, hostile_report.html):
        ids = [attrs["id"] for _, attrs in Outline(page).elements if "id" in attrs]
        assert len(ids) == len(set(ids))


def test_nothing_points_outside(report, hostile_report):
    for page in (report.html, hostile_report.html):
        for _tag, attrs in Outline(page).elements:
            for name in ("src", "href", "action", "data"):
                assert (attrs.get(name) or "#").startswith(("#", "data:image/png;base64,"))
            assert not any(name.startswith("on") for name in attrs)
            assert "style" not in attrs


def test_policy_names_the_style_and_the_script(report):
    page = report.html
    (policy,) = [
        attrs["content"]
        for _, attrs in Outline(page).elements
        if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_small(report, hostile_report):
    assert len(report.html.encode()) < 600_000
    assert len(hostile_report.html.encode()) < 600_000


def test_stays_small_with_many_samples_and_features():
    X, y = make_gaussian(n=900, d=200, k=60, mu=0.25, random_state=0)
    from fewest import Liknon

    machine = Liknon(C=0.01).fit(X, y)
    assert machine.support_.sum() > 40
    report = make_report(machine, X, y, parts=())
    assert len(report.html.encode()) < 3_000_000
    assert "Shown are the 12 features of largest weight" in report.html


def test_hostile_text_is_shown_as_text(hostile_report):
    page = hostile_report.html
    tags = [tag for tag, _ in Outline(page).elements]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert "b" not in tags
    shown = text_of(page)
    for text in (
        "<script>window.hacked = 1</script>",
        '"><img src=x onerror="window.hacked = 2">',
        "x" * 500,
        "\N{DNA DOUBLE HELIX} \N{FAMILY}\N{ZERO WIDTH JOINER}\N{MICROSCOPE}",
        "\u05d2\u05df \u0627\u0644\u062c\u064a\u0646",
        "turned \\u202e around",
        "a\\nb\\x00c\\x1b[31m",
        "$\\frac{1}{2}$ {{ 7 * 7 }} {% raw %}",
        "</title></style></script><b>bold</b>",
    ):
        assert text in shown, text


def test_a_name_that_is_no_unicode_can_be_written(data, tmp_path):
    X, y = data
    machine = SupportFeatureMachine().fit(X, y)
    names = [f"f{column}" for column in range(X.shape[1])]
    names[machine.support_.argmax()] = "lone \ud800 surrogate"  # a selected one
    report = make_report(machine, X, y, feature_names=names, parts=())
    report.save(tmp_path / "page.html")
    report.save_json(tmp_path / "page.json")
    assert "lone \\ud800 surrogate" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "page.json").read_text())["answer"]


def test_safe_keeps_scripts_and_spells_out_controls():
    assert safe("\u05d0\u0628 \N{DNA DOUBLE HELIX} é") == "\u05d0\u0628 \N{DNA DOUBLE HELIX} é"
    assert safe("a\tb\u202ec\u2028") == "a\\tb\\u202ec\\u2028"


def test_typeset_writes_powers():
    assert typeset("below 10^-12 (p = 0.5)") == "below 10⁻¹² (p\u00a0=\u00a00.5)"


def test_json_is_the_content(report, tmp_path):
    report.save_json(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["schema"] == "fewest.result"
    assert found["schema_version"] == 1
    expected = asdict(report.content)
    assert found["trust"]["validation"] == expected["trust"]["validation"]
    assert found["alternatives"] == expected["alternatives"]
    assert found["answer"] == expected["answer"]


def test_numbers_of_the_content_are_on_the_page(report):
    shown = text_of(report.html)
    found = report.content.trust.validation
    assert f"{found.n_errors} of {len(found.true)} were misclassified" in shown
    assert f"p\u00a0=\u00a0{report.content.trust.permutation.of_error.p_value:.2g}" in shown
    assert "19 times" in shown
    for plane in report.content.answer.hyperplanes:
        for feature in plane.features:
            assert feature.name in shown
            assert f"{feature.weight:.4g}".replace("-", "−") in shown


def test_saves_whole_or_not_at_all(report, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        report.save(tmp_path / "nowhere" / "page.html")
    path = tmp_path / "page.html"
    report.save(path)
    assert path.read_text(encoding="utf-8") == report.html
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_in_a_notebook_it_is_a_frame(report):
    ((tag, attrs),) = Outline(report._repr_html_()).elements
    assert tag == "iframe"
    assert attrs["srcdoc"] == report.html
    assert attrs["sandbox"] == "allow-scripts allow-downloads"


def test_open_shows_a_file(report, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    path = report.open()
    try:
        assert opened == [path.as_uri()]
        assert path.read_text(encoding="utf-8") == report.html
    finally:
        path.unlink()


def test_given_figures_are_drawn_with_their_sentence(data):
    from matplotlib.figure import Figure

    X, y = data
    figure = Figure()
    figure.subplots().imshow(np.eye(4))
    machine = SupportFeatureMachine().fit(X, y)
    report = make_report(
        machine, X, y, parts=(), figures=[("<Slice>", "Voxels that were selected.", figure)]
    )
    page = report.html
    assert 'id="maps"' in page
    assert "&lt;Slice&gt;" in page
    assert "Voxels that were selected." in page
    assert "data:image/png;base64," in page
    assert 'id="maps"' not in make_report(machine, X, y, parts=()).html


def test_without_jinja_it_says_what_to_install(data, monkeypatch):
    X, y = data
    report = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=())
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install "fewest\[report\]"'):
        _ = report.html


def test_import_is_light():
    code = (
        "import sys, fewest.report, fewest.report.content\n"
        "assert not {'numpy', 'sklearn', 'matplotlib', 'jinja2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_report_without_a_search_needs_no_compiler():
    code = (
        "import sys, fewest\n"
        "from fewest.datasets import make_gaussian\n"
        "from fewest.report import make_report\n"
        "X, y = make_gaussian(n=30, d=10, k=2, mu=1.5, random_state=0)\n"
        "machine = fewest.SupportFeatureMachine().fit(X, y)\n"
        "assert make_report(machine, X, y, parts=('validation',)).html\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_wheel_holds_template_style_and_script(tmp_path):
    pytest.importorskip("hatchling", reason="the wheel is built by hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    scripts = ("table.js", "downloads.js", "scrolling.js")
    for name in ("template.html", "panel.html", "macros.html", "style.css", *scripts):
        assert f"fewest/report/assets/{name}" in names
