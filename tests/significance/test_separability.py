"""Wendel's probability and its bounds for subsets, against exact arithmetic and simulation."""

from fractions import Fraction
from itertools import combinations
from math import comb, log

import numpy as np
import pytest

from fewest import minimum_features
from fewest.significance import (
    separability_probability,
    simulate_separability,
    subset_separability_bounds,
)
from tests.significance.half_space import in_half_space


def exact_wendel(n, d):
    if n <= d:
        return Fraction(1)
    return Fraction(sum(comb(n - 1, k) for k in range(d)), 2 ** (n - 1))


def log_of(fraction):
    return log(fraction.numerator) - log(fraction.denominator)


def any_subset_separates(Z, d_star):
    return any(in_half_space(Z[:, list(c)]) for c in combinations(range(Z.shape[1]), d_star))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 38, 200, 1500])
@pytest.mark.parametrize("d", [1, 2, 5, 19, 300])
@pytest.mark.parametrize("intercept", [False, True])
def test_equals_exact_arithmetic(n, d, intercept):
    expected = exact_wendel(n, d + intercept)
    assert separability_probability(n, d, intercept=intercept) == pytest.approx(
        float(expected), rel=1e-10
    )
    for d_star in {1, (d + 1) // 2, d}:
        bounds = subset_separability_bounds(n, d, d_star, intercept=intercept)
        lower = exact_wendel(n, d_star + intercept)
        upper = min(expected, comb(d, d_star) * lower)
        assert bounds.log_lower == pytest.approx(log_of(lower), abs=1e-9)
        assert bounds.log_upper == pytest.approx(log_of(upper), abs=1e-9)
        assert bounds.lower <= bounds.upper <= 1.0


@pytest.mark.parametrize(
    ("d_star", "d", "n", "upper"), [(2, 7129, 38, 0.0070), (3, 5102, 50, 0.048)]
)
def test_values_of_the_papers(d_star, d, n, upper):
    assert subset_separability_bounds(n, d, d_star).upper == pytest.approx(upper, rel=5e-3)


def test_one_feature_in_closed_form():
    for n, d in [(4, 50), (10, 5), (60, 10**6)]:
        p = Fraction(1, 2 ** (n - 1))
        exact = subset_separability_bounds(n, d, 1).exact
        if d <= 50:
            inclusion_exclusion = sum((-1) ** (i + 1) * comb(d, i) * p**i for i in range(1, d + 1))
            assert exact == pytest.approx(float(inclusion_exclusion), rel=1e-12)
        else:
            assert exact == pytest.approx(float(d * p), rel=1e-10)
    assert subset_separability_bounds(1, 7, 1).exact == 1.0
    assert subset_separability_bounds(9, 7, 2).exact is None


def test_a_million_features():
    bounds = subset_separability_bounds(n=5000, d=10**6, d_star=1000)
    expected = log(comb(10**6, 1000)) + log_of(exact_wendel(5000, 1000))
    assert bounds.log_upper == pytest.approx(min(0.0, expected), rel=1e-10)
    few = subset_separability_bounds(n=5000, d=10**6, d_star=3)
    assert few.upper == 0.0  # underflows ...
    assert few.log_upper == pytest.approx(log(comb(10**6, 3)) + log_of(exact_wendel(5000, 3)))


def test_simulated_probability_lies_within_the_bounds():
    for n, d_star in [(6, 2), (8, 3), (9, 1), (10, 5)]:
        found = simulate_separability(n, 5, d_star, n_runs=300, random_state=0)
        error = 3 * np.sqrt(0.25 / 300)
        assert found.bounds.lower - error <= found.share <= found.bounds.upper + error
        if found.bounds.exact is not None:
            assert found.share == pytest.approx(found.bounds.exact, abs=error)
        assert found.standard_error == pytest.approx(np.sqrt(found.share * (1 - found.share) / 300))


@pytest.mark.parametrize(("n", "d", "d_star"), [(7, 4, 2), (9, 4, 3), (4, 6, 1), (3, 5, 3)])
def test_simulation_tries_every_set(n, d, d_star):
    """The same data, every set of features judged by least squares."""
    rng = np.random.RandomState(1)
    shares = [any_subset_separates(rng.standard_normal((n, d)), d_star) for _ in range(60)]
    found = simulate_separability(n, d, d_star, n_runs=60, random_state=1)
    assert found.share == np.mean(shares)
    assert d_star >= n or 0 < found.share < 1


def test_simulation_with_an_intercept():
    """One feature: given n+ positive labels, it is separable with probability 2 / (n over n+)."""
    n, d = 7, 6
    exact = 0.0
    for positive in range(n + 1):
        p = min(1.0, 2.0 / comb(n, positive))
        exact += comb(n, positive) / 2**n * (1 - (1 - p) ** d)
    found = simulate_separability(n, d, 1, intercept=True, n_runs=2000, random_state=0)
    assert found.share == pytest.approx(exact, abs=4 * found.standard_error)
    assert found.bounds.intercept
    whole = simulate_separability(7, 3, 3, intercept=True, n_runs=1000, random_state=0)
    expected = separability_probability(7, 3, intercept=True)
    assert whole.share == pytest.approx(expected, abs=4 * whole.standard_error)


def test_simulation_of_too_many_sets():
    with pytest.raises(ValueError, match="3 of 100 features make 161,700 sets, too many"):
        simulate_separability(10, 100, 3)


def test_intercept_counts_the_dichotomies_of_any_points():
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(6), rng.standard_normal((6, 2))])
    signs = 1.0 - 2.0 * ((np.arange(64)[:, None] >> np.arange(6)) & 1)
    separable = sum(in_half_space(y[:, None] * X) for y in signs)
    assert separable / 64 == pytest.approx(separability_probability(6, 2, intercept=True))


@pytest.mark.parametrize(
    ("n", "n_smaller", "d", "d_star"), [(40, 2, 30, 1), (12, 3, 8, 2), (10, 2, 4, 2), (10, 5, 6, 1)]
)
def test_bounds_for_classes_of_known_sizes(n, n_smaller, d, d_star):
    """Two of forty samples are often at one end of some feature, which coin flips hardly are."""
    rng, n_runs = np.random.default_rng([n, n_smaller]), 200
    y = (np.arange(n) < n_smaller).astype(int)
    found = [
        minimum_features(rng.standard_normal((n, d)), y, max_size=d_star) for _ in range(n_runs)
    ]
    share = np.mean([one.size is not None and one.size <= d_star for one in found])
    bounds = subset_separability_bounds(n, d, d_star, intercept=True, n_smaller=n_smaller)
    doubt = 4.0 * np.sqrt(0.25 / n_runs)
    assert bounds.lower - doubt <= share <= bounds.upper + doubt
    if d_star == 1:
        assert share == pytest.approx(bounds.lower, abs=doubt)
    every_half = subset_separability_bounds(6, 1, 1, intercept=True, n_smaller=3)
    assert every_half.upper == pytest.approx(2 / 20)


def test_more_than_half_is_not_the_smaller_class():
    with pytest.raises(ValueError, match="at most half of n, and needs .*; got 6 of 10"):
        subset_separability_bounds(10, 5, 2, intercept=True, n_smaller=6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 5, 1), "n must be a whole number of at least one"),
        ((5, 2.5, 1), "d must be a whole number"),
        ((5, 5, 0), "d_star must be a whole number"),
        ((5, 5, 6), "d_star = 6 features cannot be chosen from d = 5"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        subset_separability_bounds(*arguments)
