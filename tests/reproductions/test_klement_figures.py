"""Figures of Klement's thesis: the samples that are made for them, and maps that are kept."""

import numpy as np
import pytest

from reproductions import klement_brain_regions as regions
from reproductions.klement_example import compare_on_example, make_slanted
from reproductions.klement_overhead import measure_ratio
from reproductions.klement_runtime import make_samples, minimize_all
from reproductions.linear_programs import find_solvers
from reproductions.study import Measured


def test_slanted_classes_are_apart_in_one_feature_and_further_apart_in_two():
    X, y = make_slanted()
    first, second, both = (
        (X[y == 1] @ w).min() - (X[y == -1] @ w).max() for w in ([1, 0], [0, 1], [1, 1])
    )
    assert second < 0 < first < both / np.sqrt(2)
    # The margin of the machine with one feature is half the gap along it.
    assert compare_on_example("SFM", True)["margin"] == pytest.approx(first / 2)


@pytest.mark.parametrize("slack_cost", [None, 0.001])
@pytest.mark.parametrize("formulation", ["standard", "sparse"])
def test_first_optimum_is_the_engines_with_slacks_too(slack_cost, formulation):
    Z, y = make_samples(60, 30, 5, 0.6, run=0)
    solver = find_solvers(["HiGHS simplex"])["HiGHS simplex"]
    _, expected = minimize_all(Z, y, solver, formulation, 10.0, slack_cost)
    _, found = minimize_all(Z, y, None, "", 10.0, slack_cost)
    assert found == pytest.approx(expected, rel=1e-6)


def test_ratios_are_measured_in_both_formulations():
    found = measure_ratio(40, 20, 0.1, True)
    assert set(found) == {"engine", "HiGHS simplex, standard", "HiGHS simplex, sparse"}
    assert all(ratio > 0 for ratio in found.values())


def test_maps_are_read_as_they_were_kept():
    values = np.zeros(300, dtype=int)
    values[[0, 17, 299]] = 1, 2, 3
    kept = {label: Measured(value) for label, value in regions._keep_map("here", values).items()}
    volume = regions._read_map(kept, "here")
    mask = regions._find_mask(300)
    np.testing.assert_array_equal(volume[mask], values)
    assert not volume[~mask].any()
