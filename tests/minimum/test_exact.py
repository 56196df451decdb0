"""Decisions in whole numbers: toys, values that rounding confuses, and the simplex in fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.solve import solve
from fewest._solvers.result import Status
from fewest.minimum import _leaves
from fewest.minimum._leaves import (
    RuledOut,
    Separation,
    as_integers,
    decide,
    is_farkas,
    rule_out,
    separates,
    settle,
)
from fuzzing.oracles.subsets import separable_by_lp


@pytest.mark.parametrize(
    "values",
    [[0.1, 0.2, -0.3], [1e-300, 1.0, -1e20], [5e-324, 2.5e-323, 0.0], [0.0, -0.0], [2.0**60, 1.0]],
)
def test_integers_keep_all_ratios(values):
    whole = as_integers(np.array(values))
    factors = {Fraction(w) / Fraction(v) for w, v in zip(whole, values, strict=True) if v}
    assert len(factors) <= 1
    assert all(w == 0 for w, v in zip(whole, values, strict=True) if v == 0)
    assert all(factor > 0 for factor in factors)


def test_toy_separation():
    block = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=object)
    y = np.array([-1.0, -1.0, -1.0, 1.0])
    assert separates(block, y, [1, 1])
    assert not separates(block, y, [1, 0])  # two samples of either class at the same place
    assert not separates(block, y, [-1, -1])


def test_toy_farkas():
    crossing = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=object)
    y = np.array([1.0, 1.0, -1.0, -1.0])
    assert is_farkas(crossing, y, [1, 1, 1, 1])
    assert not is_farkas(crossing, y, [1, 2, 1, 2])  # two different points
    assert not is_farkas(crossing, y, [0, 0, 0, 0])
    assert not is_farkas(crossing, y, [2, 2, 1, 1])  # sums differ
    assert not is_farkas(np.zeros((3, 1), dtype=object), np.array([1.0, 1.0, -1.0]), [2, -1, 1])
    X = crossing.astype(float)
    found = rule_out(X, y, (0, 1), np.arange(4))
    assert found == RuledOut((0, 1), (0, 1, 2, 3), (1, 1, 1, 1))
    assert rule_out(X, y, (0, 1), np.arange(2)) is None
    # One vector solves the equations, but two of its three shares would have to be negative.
    line = np.array([[0.0], [1.0], [2.0]])
    assert rule_out(line, np.array([1.0, -1.0, -1.0]), (0,), np.arange(3)) is None


def test_fractions_agree_with_a_linear_program():
    outcomes = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(3, 12)), int(rng.integers(1, 4))
        X = rng.integers(-2, 3, size=(n, k)).astype(float)
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        block = as_integers(X)
        separable, proof = decide(block, y)
        assert separable == separable_by_lp(X, y), seed
        assert (separates if separable else is_farkas)(block, y, proof)
        outcomes.append(separable)
    assert 5 < sum(outcomes) < 35


def give_up(*arguments):
    raise SolverError("no solution")


def find_nothing(problem, columns):
    """A result that is neither a solution nor a proof."""
    return replace(solve(problem, columns), status=Status.INACCURATE, objective=np.inf)


@pytest.mark.parametrize("failing", [give_up, find_nothing])
def test_fractions_decide_where_the_program_fails(monkeypatch, failing):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(8, 3)).astype(float)
    y = np.where(X.sum(axis=1) > 0, 1.0, -1.0)
    for columns in ((0, 1, 2), (0,)):
        wanted = settle(X, y, columns)
        monkeypatch.setattr(_leaves, "solve", failing)
        answer = settle(X, y, columns)
        monkeypatch.undo()
        assert type(answer) is type(wanted)
        assert answer.holds(X, y)


def test_a_difference_in_the_last_digit_separates():
    X = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0]])
    answer = settle(X, np.array([1.0, -1.0]), (0, 1))
    assert isinstance(answer, Separation)
    assert answer.holds(X, np.array([1.0, -1.0]))


def test_touching_hulls_do_not_separate():
    """A negative sample lies exactly between two positive ones: any tolerance could go wrong."""
    third = 1.0 / 3.0
    X = np.array([[0.0, 0.0], [2 * third, 2e-7], [third, 1e-7], [1.0, -5.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    answer = settle(X, y, (0, 1))
    assert isinstance(answer, RuledOut)
    assert answer.holds(X, y)
    X[2, 1] = np.nextafter(X[2, 1], -1.0)
    moved = settle(X, y, (0, 1))
    assert isinstance(moved, Separation)
    assert moved.holds(X, y)
    assert not answer.holds(X, y)


def test_bad_on_is_exact():
    """Signs of prices that cancel to zero, or nearly, are those of the exact sums."""
    rng = np.random.default_rng(0)
    y = np.array([1.0, 1.0, -1.0])
    X = rng.standard_normal((3, 300)) * 10.0 ** rng.integers(-8, 9, size=300)
    X[2] = (X[0] + X[1]) / 2  # rounded: zero, or a last digit to either side
    leaf = RuledOut((0,), (0, 1, 2), (1, 1, 2))
    with_plus, with_minus = leaf.bad_on(X, y)
    exact = [Fraction(a) + Fraction(b) - 2 * Fraction(c) for a, b, c in X.T.tolist()]
    assert with_plus.tolist() == [value <= 0 for value in exact]
    assert with_minus.tolist() == [value >= 0 for value in exact]
    assert {value > 0 for value in exact} == {True, False}
