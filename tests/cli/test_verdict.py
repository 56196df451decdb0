"""The verdict: how often it is wrong, and what it advises; `tests/trust/test_noise.py` too."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.report import make_report
from fewest.report._verdict import judge_content
from fewest.significance import run_held_out
from tests.trust.test_noise import check_no_claim


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Features that have nothing to do with the classes."""
    path = tmp_path_factory.mktemp("noise") / "noise.npz"
    X = np.random.default_rng(2).standard_normal((40, 60))
    names = [f"n{j}" for j in range(60)]
    np.savez(path, X=X, y=np.repeat(["ill", "well"], 20), feature_names=names)
    return path


def test_what_to_run_to_know(run, noise):
    ran = run("rank", noise, "--subsets", 2)
    [command] = re.findall(r"To test it: fewest (diagnose .*)", ran.out)
    assert run(*command.split(), "--permutations", 19).code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("little_work")
def test_the_page_of_noise(run, noise, tmp_path):
    page = tmp_path / "page.html"
    assert run("select", noise, "--report", page).code == 0
    text = re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))
    check_no_claim(text)
    assert "Not shown to be better than chance" in text


@pytest.mark.slow
def test_noise_is_rarely_called_better():
    """A claim without a permutation test is for one noise data set in a hundred at most."""
    claims = 0
    for seed in range(100):
        X, y = np.random.default_rng(seed).standard_normal((40, 60)), np.arange(40) % 2
        held_out = run_held_out(SupportFeatureMachine(), X, y, cv=5, random_state=0)
        machine = SupportFeatureMachine().fit(X, y)
        page = make_report(machine, X, y, held_out=held_out, parts=())
        claims += bool(judge_content(page.content).is_better)
    assert claims <= 2


def test_the_best_calibrated_estimate_comes_first(run, tmp_path):
    # 12 of 200 features carry information: the papers' rule is an upper limit.
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 200))
    X[:, :12] += 1.5 * y[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=y)
    command = ["informative", tmp_path / "data.npz", "--every", 2, "--permutations", 10, "--cv", 3]
    ran = run(*command, "--json", tmp_path / "out.json")
    estimates = json.loads((tmp_path / "out.json").read_text())["informative"]["estimates"]
    shares = {one["name"]: one["share"] for one in estimates}
    assert next(iter(shares)) == "purified"
    assert abs(shares["purified"] - 0.06) <= abs(shares["sigmoid"] - 0.06)
    assert "(the papers' rule); an upper limit" in ran.out
    quiet = run(*command, "--quiet")
    assert quiet.out == f"{shares['purified']:.4f}\n"
