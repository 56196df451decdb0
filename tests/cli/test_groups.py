"""--groups: samples that belong together are never on both sides of a split."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fewest._estimators import held_out

COPIES = 3


@pytest.fixture
def copies(tmp_path):
    """Noise in which every sample was measured three times: easy, if others may be learned from."""
    return write_copies(tmp_path / "copies.npz", error=1e-6)


def write_copies(path, error):
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.standard_normal((24, 800)), (COPIES, 1)), np.tile(np.arange(24) % 2, COPIES)
    X += error * rng.standard_normal(X.shape)
    np.savez(path, X=X, y=y, who=np.tile(range(24), COPIES))
    return path


@pytest.mark.parametrize("method", ["sfm", "sfm-cv"])
def test_copies_flatter_unless_groups_are_named(run, copies, method):
    arguments = ("select", copies, "--method", method, "--json", "-")
    blind, told = (run(*arguments, *more).json["trust"] for more in ((), ("--groups", "who")))
    assert blind["validation"]["balanced_error"] < 0.2
    assert told["validation"]["balanced_error"] > 0.3


def test_exact_copies_are_found(run, tmp_path):
    copies = write_copies(tmp_path / "exact.npz", error=0.0)
    found = run("select", copies, "--method", "sfm", "--json", "-").json
    assert found["trust"]["validation"]["balanced_error"] > 0.3
    assert found["data"]["n_groups"] == 24


def test_copies_are_not_left_out_one_by_one(run, copies):
    """Each is classified correctly, by its copies: nothing of new samples."""
    arguments = ("diagnose", copies, "--permutations", 3, "--cv", 2, "--verbose")
    blind, told = (run(*arguments, *more).out for more in ((), ("--groups", "who")))
    [said] = re.findall(r"- (Leave-one-out [^.]*\.)", blind)
    assert "%" not in said
    assert "Leave-one-out" not in told
    assert "Do not leave out one sample at a time" in told


def test_every_fold_of_every_repeat_has_whole_groups(run, copies, monkeypatch):
    seen = []

    def remember(estimator, X, y, groups, train, test):
        seen.append((set(groups[train]), set(groups[test])))
        return original(estimator, X, y, groups, train, test)

    original = held_out.judge_fold
    monkeypatch.setitem(held_out.judge_in_parallel.__kwdefaults__, "judge", remember)
    run("select", copies, "--groups", "who", "--cv", 4, "--repeats", 2)
    assert len(seen) == 8
    assert all(not train & test for train, test in seen)
    assert seen[:4] != seen[4:]


def test_few_groups_reduce_the_folds(run, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "few.npz"
    np.savez(path, X=rng.standard_normal((24, 5)), y=np.arange(24) % 2, who=np.arange(24) // 8)
    out = run("select", path, "--groups", "who").out
    assert "3 folds instead of 5: class 0 has only 3 groups" in out


@pytest.mark.parametrize(("groups", "exchange"), [("who", "whole"), ("half", "within")])
def test_diagnose_exchanges_what_belongs_together(run, tmp_path, monkeypatch, groups, exchange):
    import fewest.diagnostics

    rng = np.random.default_rng(0)
    path = tmp_path / "groups.npz"
    who = np.arange(40) // 2
    np.savez(path, X=rng.standard_normal((40, 30)), y=who % 2, who=who, half=np.arange(40) // 10)
    asked = {}

    def remember(X, y, **settings):
        asked.update(settings)
        return original(X, y, **settings)

    original = fewest.diagnostics.diagnose
    monkeypatch.setattr("fewest.diagnostics.diagnose", remember)
    assert run("diagnose", path, "--groups", groups, "--permutations", 9, "--cv", 2).code == 0
    assert asked["exchange"] == exchange
    assert len(asked["groups"]) == 40


def test_path_keeps_them_together(run, copies):
    arguments = ("path", copies, "--values", 4, "--json", "-")
    blind, told = (run(*arguments, *more).json for more in ((), ("--groups", "who")))
    best = [
        min(value["balanced_error"]["mean"] for value in one["costs"]["points"])
        for one in (blind, told)
    ]
    assert best[0] < 0.2 < best[1]


def test_groups_that_are_not_there(refused, copies):
    assert "no array 'nobody'" in refused(copies, "--groups", "nobody")
