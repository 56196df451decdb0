"""Growth functions and VC dimension against exact integers and enumeration."""

from itertools import product
from math import comb, exp, floor, log2

import numpy as np
import pytest

from fewest.diagnostics import log_growth_bound, log_growth_function, vc_dimension_bound


def growth(n, d):
    return 2**n if n <= d else 2 * sum(comb(n - 1, k) for k in range(d))


@pytest.mark.parametrize("intercept", [False, True])
def test_growth_in_exact_integers(intercept):
    for n, d, d_star in product((1, 4, 9, 20), (1, 3, 8), (1, 2, 8)):
        assert exp(log_growth_function(n, d, intercept=intercept)) == pytest.approx(
            growth(n, d + intercept)
        )
        if d_star <= d:
            expected = min(
                growth(n, d + intercept), comb(d, d_star) * growth(n, d_star + intercept)
            )
            bound = log_growth_bound(n, d, d_star, intercept=intercept)
            assert exp(bound) == pytest.approx(expected)


def test_labellings_of_one_chosen_feature():
    """Enumerated: signs of d features of n samples, and their opposites."""
    X = np.random.default_rng(0).standard_normal((12, 5))
    made = {tuple(sign * np.sign(X[:, j])) for j in range(5) for sign in (1, -1)}
    assert len(made) == round(exp(log_growth_bound(12, 5, 1)))


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 8, 1000, 1024, 10**6])
def test_one_feature_costs_a_logarithm(d):
    assert vc_dimension_bound(d, 1) == 1 + floor(log2(d))


@pytest.mark.parametrize("intercept", [False, True])
def test_largest_size_that_could_be_shattered(intercept):
    for d, d_star in [(10, 2), (50, 3), (7129, 2), (7129, 5), (20, 20), (30, 15)]:
        h = vc_dimension_bound(d, d_star, intercept=intercept)
        choices = comb(d, d_star)
        largest = d + intercept
        assert h <= largest
        assert 2**h <= choices * growth(h, d_star + intercept)
        if h < largest:
            assert 2 ** (h + 1) > choices * growth(h + 1, d_star + intercept)


def test_never_below_what_is_shattered():
    """Of {-1, 1} columns all samples are shattered by one of the columns: the bound is reached."""
    X = np.array(list(product([1, -1], repeat=3))).T[:, :4]
    assert all(
        any(np.array_equal(s * X[:, j], y) for j in range(4) for s in (1, -1))
        for y in np.array(list(product([1, -1], repeat=3)))
    )
    assert vc_dimension_bound(4, 1) == 3


def test_bad_input():
    with pytest.raises(ValueError, match="d_star = 3 features cannot be chosen from d = 2"):
        vc_dimension_bound(2, 3)
    with pytest.raises(ValueError, match="d must be a whole number"):
        vc_dimension_bound(0, 1)
