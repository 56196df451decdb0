"""The files that the benchmark of large files writes hold what they should."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.growth import find_slope
from benchmarks.out_of_core_data import WRITERS, make_labels, write_bed
from fewest import SupportFeatureMachine
from fewest.stores import open_store


def test_the_same_matrix_in_every_format(tmp_path):
    n, d = 40, 600
    for suffix, write in WRITERS.items():
        write(tmp_path / f"X{suffix}", n, d)
        store = open_store(tmp_path / f"X{suffix}", max_memory=50_000)
        found = store[:, np.arange(d)]
        if suffix == ".npy":
            X = found
        np.testing.assert_array_equal(found, X)
    y = make_labels(n)
    apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert set(np.argsort(-apart)[:4]) <= {0, 100, 200, 300, 400, 500}


def test_genotypes(tmp_path):
    write_bed(tmp_path / "X.bed", 300)
    store = open_store(tmp_path / "X.bed")
    assert store.shape == (517, 300)
    machine = SupportFeatureMachine(C=1.0).fit(store, store.read_label("phenotype"))
    assert machine.support_[0]


def test_exponents():
    sizes = [1.0, 10.0, 100.0]
    assert find_slope(sizes, [3.0 * size**0.7 for size in sizes]) == pytest.approx(0.7)
