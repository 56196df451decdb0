"""The cross-validated error is honest, and folds adapt to small classes."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from fewest._estimators import held_out
from fewest._estimators.splits import balanced_error
from fewest.exceptions import NotSeparableError
from tests.tables.samples import two_classes, write_csv


def test_pure_noise_is_not_predictable(run, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.npz"
    np.savez(path, X=rng.standard_normal((40, 2000)), y=rng.permutation(np.arange(40) % 2))
    arguments = ("--C", "inf", "--repeats", 4, "--json", "-")
    report = run("select", path, *arguments).json
    assert report["answer"]["training"]["n_errors"] == 0
    assert 0.3 < report["trust"]["validation"]["over_folds"]["balanced_error"]["mean"] < 0.7


def test_balanced_error_counts_classes_equally():
    y = np.array(["a"] * 8 + ["b"] * 2)
    assert balanced_error(y, np.array(["a"] * 10)) == 0.5


@pytest.mark.parametrize(("small", "folds"), [(3, 3), (2, 2)])
def test_small_class_reduces_the_folds(run, tmp_path, small, folds):
    ran, report = _with_small_class(run, tmp_path, small)
    assert f"{folds} folds instead of 5: class 'ill' has only {small} samples" in ran.out
    assert len(report["trust"]["validation"]["folds"]) == folds


def test_single_sample_class_skips_it(run, tmp_path):
    ran, report = _with_small_class(run, tmp_path, 1)
    assert "No cross-validation: class 'ill' is too small for the split" in ran.out
    assert report["trust"]["validation"] is None
    assert report["answer"]["hyperplanes"][0]["features"][0]["folds_selected"] is None


def test_jobs_do_not_change_the_result(run, table):
    one = run("select", table, "--target", "group", "--json", "-").json
    two = run("select", table, "--target", "group", "--jobs", 2, "--json", "-").json
    assert one["trust"] == two["trust"]


def test_a_fold_that_cannot_be_fitted_is_a_note(run, table, monkeypatch):
    def fail(*arguments):
        raise NotSeparableError("not in this fold")

    monkeypatch.setattr(held_out, "judge_fold", fail)
    monkeypatch.setitem(held_out.judge_in_parallel.__kwdefaults__, "judge", fail)
    ran = run("select", table, "--target", "group", "--C", "inf")
    assert ran.code == 0
    assert "No cross-validation: a fold could not be fitted: not in this fold" in ran.out
    assert "gene_" in ran.out


def test_progress_bar(run, table, monkeypatch):
    arguments = ("select", table, "--target", "group")
    assert run(*arguments).err == ""
    monkeypatch.setattr("fewest.cli._output.Output.show_progress", True)
    assert "cross-validation" in run(*arguments).err


def test_progress_without_tqdm(run, table, monkeypatch):
    monkeypatch.setattr("fewest.cli._output.Output.show_progress", True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    ran = run("select", table, "--target", "group")
    assert "Cross-validated error" in ran.out
    assert ran.err == ""


def _with_small_class(run, tmp_path, small):
    X, y = two_classes()
    keep = np.concatenate([np.flatnonzero(y == "healthy"), np.flatnonzero(y == "ill")[:small]])
    path = write_csv(tmp_path / "small.csv", X[keep], y[keep])
    ran = run("select", path, "--target", "group")
    return ran, run("select", path, "--target", "group", "--json", "-").json
