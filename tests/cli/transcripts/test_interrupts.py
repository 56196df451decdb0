"""Ctrl-C in the middle of each long command: one line, exit code 130, no file in parts."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

LONG = {
    "select": ["--repeats", "500"],
    "select in processes": ["--repeats", "500", "--jobs", "2"],
    "select with sfm-cv": ["--method", "sfm-cv"],
    "path": ["--values", "2000"],
    "rank": [],
    "informative": [],
    "minimum": ["--max-seconds", "inf"],
    "diagnose": ["--permutations", "5000"],
}


LATER = ("path", "informative", "diagnose")


@pytest.mark.parametrize(
    "run", [pytest.param(run, marks=pytest.mark.slow) if run in LATER else run for run in LONG]
)
def test_ctrl_c(start, finish, noise, tmp_path, run):
    (tmp_path / "out.json").write_text("old")
    command = run.split()[0]
    child = start(command, noise.name, *LONG[run], "--json", "out.json")
    child.expect(r"\d+%\|")  # in the middle of the work
    time.sleep(0.2)
    child.sendintr()
    seen = finish(child)
    assert seen.code == 130
    assert seen.text.rstrip().endswith("fewest: interrupted")
    assert "Traceback" not in seen.text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["noise.npz", "out.json"]
    left = (tmp_path / "out.json").read_text()
    if command in ("select", "rank", "informative", "minimum") and left != "old":
        # These keep what is finished; that is a whole result of its own.
        kept = json.loads(left)
        assert kept["command"] == command
        assert command != "select" or "Not finished yet" in kept["verdict"]["text"]
    else:
        assert left == "old"


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ([], "Smallest set known: "),
        pytest.param(["--all"], "found before the time was up", marks=pytest.mark.slow),
        pytest.param(["--max-errors", "2"], "Smallest set known: ", marks=pytest.mark.slow),
        pytest.param(["--front", "6"], "Fewest training errors", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_ends_a_search_with_what_is_known(start, finish, tmp_path, options, known):
    """As its time limit does: the best set and the bound are printed and written."""
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "few.npz", X=rng.standard_normal((60, 400)), y=np.arange(60) % 2)
    asked = ("minimum", "few.npz", "--max-seconds", "inf", "--json", "out.json", *options)
    child = start(*asked, "--report", "page.html")
    child.expect(r"sets of 4[^\r]*\d+%\||3 features[^\r]*\d+%\|")
    child.sendintr()
    sent = time.monotonic()
    seen = finish(child)
    assert time.monotonic() - sent < 4.0
    assert seen.code == 130
    assert known in seen.text
    assert "not finished: the search, the permutation test, the page" in seen.text
    assert seen.text.rstrip().endswith("fewest: interrupted")
    assert "Traceback" not in seen.text
    kept = json.loads((tmp_path / "out.json").read_text())
    front = kept["trust"]["error_front"] if "--front" in options else None
    assert front or kept["trust"]["minima"][0]["sets"]
    assert not (tmp_path / "page.html").exists()


def test_a_second_ctrl_c_ends_a_search_at_once(start, finish, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "few.npz", X=rng.standard_normal((60, 400)), y=np.arange(60) % 2)
    child = start("minimum", "few.npz", "--max-seconds", "inf")
    child.expect(r"sets of 4[^\r]*\d+%\|")
    child.sendintr()
    time.sleep(0.02)
    child.sendintr()
    seen = finish(child)
    assert seen.code == 130
    assert "Traceback" not in seen.text


def test_ctrl_c_while_libraries_load(start, finish, noise):
    child = start("select", noise.name, "--repeats", "500")
    time.sleep(0.4)
    child.sendintr()
    seen = finish(child)
    assert seen.code in (130, -2)  # before the first line of the command, Python itself ends


# Method, C, samples, features and how many seconds after its start the fit is interrupted.
FITS = {
    "liknon, early": ("liknon", "30", 20_000, 300, 0.5),
    "liknon": ("liknon", "30", 20_000, 300, 3.0),
    "soft machine": ("sfm", "30", 20_000, 300, 3.0),
    "hard machine": ("sfm", "inf", 40_000, 1_000, 0.3),
}


@pytest.fixture
def start_fit(start, tmp_path):
    """Start to select from many overlapping samples; the line before the fit has been printed."""

    def call(method, C, n, d):
        rng = np.random.default_rng(0)
        y = np.arange(n) % 2
        X = rng.standard_normal((n, d), dtype=np.float32)
        X[:, :10] += 0.2 * (2 * y[:, None] - 1)
        np.savez(tmp_path / "many.npz", X=X, y=y)
        child = start("select", "many.npz", "--method", method, "--C", C, "--json", "out.json")
        child.expect(f"C = {C}")
        return child

    return call


def interrupt(child, finish, tmp_path):
    """Ctrl-C ends the command within two seconds, with one line and no file."""
    assert child.isalive(), "the fit has ended already: it needs more samples or features"
    child.timeout = 30
    child.sendintr()
    sent = time.monotonic()
    seen = finish(child)
    assert time.monotonic() - sent < 2.0
    assert seen.code == 130
    assert seen.text.rstrip().endswith("fewest: interrupted")
    assert "Traceback" not in seen.text
    assert not (tmp_path / "out.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("fit", FITS)
def test_ctrl_c_in_one_long_fit(start_fit, finish, tmp_path, fit):
    *what, delay = FITS[fit]
    child = start_fit(*what)
    time.sleep(delay)
    interrupt(child, finish, tmp_path)


@pytest.mark.parametrize("method", [pytest.param("liknon", marks=pytest.mark.slow), "sfm"])
def test_the_bar_of_one_long_fit(start_fit, finish, tmp_path, method):
    """It counts rounds, and shows how far the solution may be from the optimum."""
    child = start_fit(method, "30", 20_000, 300)
    child.expect(r"\d+ rounds \[[^\r]*gap \d")
    interrupt(child, finish, tmp_path)
