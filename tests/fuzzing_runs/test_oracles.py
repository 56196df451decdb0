"""The oracles against what is known, and against each other."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from fuzzing.oracles.box_lasso import KINDS, draw, lasso_objective, proximal_objective
from fuzzing.oracles.errors_ruled import errors_of, random_ruled
from fuzzing.oracles.fractions import find_conflict, is_separable, separates_all
from fuzzing.oracles.joint import joint_bound, joint_optimum
from fuzzing.oracles.ruled import price_of, random_rules
from fuzzing.oracles.ruled import separable as separable_by_lp
from fuzzing.oracles.subsets import inseparable_pairs, random_classes, random_problem


def test_separability_by_hand():
    line = np.array([[0.0], [1.0], [2.0]])
    assert is_separable(line, [False, False, True])
    assert not is_separable(line, [False, True, False])
    assert not is_separable(np.array([[1.0], [1.0]]), [True, False])
    square = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert not is_separable(square, [True, True, False, False])
    assert is_separable(square, [True, False, True, False])


def test_touching_classes_are_not_separable():
    """Three points in one line, and the same a last digit away from it."""
    line = np.array([[1.0, 3.0], [3.0, 1.0], [2.0, 2.0]])
    assert not is_separable(line, [True, True, False])
    line[2, 1] = np.nextafter(2.0, 3.0)
    assert is_separable(line, [True, True, False])


def test_signs_of_weights():
    line = np.array([[0.0], [1.0]])
    assert is_separable(line, [False, True], [1])
    assert not is_separable(line, [False, True], [-1])
    assert is_separable(line, [True, False], [-1])
    both = np.array([[0.0, 5.0], [1.0, 5.0]])
    assert not is_separable(both, [False, True], [-1, 1])


@pytest.mark.parametrize("seed", range(40))
def test_equals_linear_programs(seed):
    X, y = random_problem(seed) if seed % 2 else random_classes(seed)
    for columns in ([0], list(range(min(3, X.shape[1]))), list(range(X.shape[1]))):
        assert separates_all(X[:, columns], y) == (not inseparable_pairs(X[:, columns], y))


@pytest.mark.parametrize("seed", range(20))
def test_equals_linear_programs_with_signs(seed):
    X, y, rules = random_rules(seed)
    signs = np.array([rules.get("signs", {}).get(j, seed % 2) for j in range(X.shape[1])])
    assert separates_all(X, y, signs) == separable_by_lp(X, y, signs)


@pytest.mark.parametrize("seed", range(20))
def test_samples_in_conflict_are_not_separable(seed):
    X, y = random_problem(seed)
    for columns in ([0], list(range(X.shape[1]))):
        found = find_conflict(X[:, columns], y > 0)
        assert bool(found) == (not is_separable(X[:, columns], y > 0))
        assert not found or len(found) <= len(columns) + 2
        assert not found or not is_separable(X[np.ix_(found, columns)], y[found] > 0)


@pytest.mark.parametrize("seed", range(6))
def test_errors_under_signs_equal_those_of_all_samples_left_out(seed):
    X, y, _ = random_ruled(seed)
    X, y = X[:7, :3], y[:7]
    signs, rows = np.array([1, -1, 0]), range(len(y))
    lefts = (list(left) for size in rows for left in combinations(rows, len(y) - size))
    most = next(left for left in lefts if separates_all(X[left], y[left], signs))
    assert errors_of(X, y, range(3), signs) == len(y) - len(most)


def test_prices_are_what_they_print_as():
    rules = {"feature_cost": {0: 0.1, 1: 0.2, 2: 0.3, 3: 2.0**53}}
    assert price_of((0, 1), rules, 4) == price_of((2,), rules, 4) == Fraction(3, 10)
    assert price_of((0, 3), rules, 4) > price_of((3,), rules, 4)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_steps_reach_the_lasso(kind):
    case = draw(kind, 3, penalty=True, box=False)
    wanted = lasso_objective(case)
    zero = np.zeros(case.K.shape[1])
    assert proximal_objective(case, zero, 20_000) == pytest.approx(wanted, rel=1e-7)


def test_proofs_of_many_classes_by_hand():
    """One sample each at -1 and 1: weights a unit apart, which multipliers of a half prove."""
    Z, codes, price, none = np.array([[-1.0], [1.0]]), np.array([0, 1]), np.ones(1), np.zeros(0)
    half = np.array([[0.0, 0.5], [0.5, 0.0]])
    assert joint_optimum(Z, codes, None, price).value == pytest.approx(1.0)
    assert joint_bound(Z, codes, price, half, none, np.zeros(2)) == 1.0
    assert joint_bound(Z, codes, price, 3 * half, none, np.zeros(2)) == 1.0
    assert joint_bound(Z, codes, 0.5 * price, half, none, np.zeros(2)) == 0.5
    uneven = np.array([[0.0, 0.5], [0.25, 0.0]])  # a quarter is left over, twice
    assert joint_bound(Z, codes, price, uneven, none, np.array([1.0, -1.0])) == 0.25


def test_huge_multipliers_of_many_classes_cancel_out():
    """Two equal samples pull with 1e20 each, in which floats would lose all the rest."""
    Z, codes = np.array([[0.25], [-1.0], [1.0], [0.25]]), np.array([0, 0, 1, 1])
    alpha = np.zeros((4, 2))
    alpha[[1, 2], [1, 0]] = 1.0
    alpha[[0, 3], [1, 0]] = 1e20
    apart, pull = np.array([0.5]), 1.0 * 2 + 0.5 * 1  # the outer samples, and the means
    found = joint_bound(Z, codes, np.ones(1), alpha, apart, np.zeros(2), means_apart=True)
    assert found == 0.5 / pull
