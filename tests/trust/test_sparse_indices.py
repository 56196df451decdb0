"""Sparse matrices that point outside themselves: once crashes, and wrong answers with exit 0."""

from __future__ import annotations

import warnings

import h5py
import numpy as np
import pytest
import scipy.sparse

from fewest import SupportFeatureMachine
from tests.tables.samples import two_classes

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")

# What the first report of each had: where, and what then happened.
WRONG = {
    "2e9 (SIGSEGV)": ("indices", 7, 2_000_000_000),
    "-5 (heap corruption)": ("indices", 7, -5),
    "55 of 30 columns (exit 0)": ("indices", -1, 55),
    "a start of 1e9 (zeros)": ("indptr", 3, 1_000_000_000),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_indices_in_a_file(run, tmp_path, what):
    X, y = two_classes()
    path = tmp_path / "cells.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = anndata.AnnData(
            scipy.sparse.csr_matrix(np.maximum(X, 0)),
            obs=pandas.DataFrame({"group": y}, index=[f"S{k}" for k in range(40)]),
        )
        cells.write_h5ad(path)
    name, place, value = WRONG[what]
    with h5py.File(path, "r+") as file:
        file[f"X/{name}"][place] = value
    ran = run("rank", path, "--target", "group", "--subsets", 1)
    assert ran.code == 2
    assert "no valid sparse matrix" in ran.says()


def test_wrong_indices_in_an_array():
    X, y = two_classes()
    wrong = scipy.sparse.csr_matrix(np.maximum(X, 0))
    wrong.indices[-1] = 31
    with pytest.raises(ValueError, match="no valid sparse matrix"):
        SupportFeatureMachine().fit(wrong, y)
