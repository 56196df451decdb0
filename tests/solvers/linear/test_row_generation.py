"""Above 400 samples their constraints are generated too; the optimum is the full program's."""

import numpy as np
import pytest

from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_infeasible, assert_optimal, assert_solved, run
from tests.solvers.cases import noise, planted, separable


@pytest.mark.parametrize("method", METHODS)
def test_separable_and_hard(method):
    X, y = separable(900, 30)
    case = Case(X, y, method)
    result = run(case)
    assert_solved(case, result, full_objective(case))
    assert np.isfinite(result.objective)
    assert len(result.warm.samples) < 900


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_overlapping_and_soft(method, C):
    X, y = planted(700, 60, shift=0.4)
    case = Case(X, y, method, slack_cost=np.full(700, C))
    assert_solved(case, run(case), full_objective(case))


@pytest.mark.parametrize("method", METHODS)
def test_few_errors_leave_most_samples_out(method):
    X, y = planted(900, 40, shift=1.5)
    case = Case(X, y, method, slack_cost=np.full(900, 0.1))
    result = run(case)
    assert_solved(case, result, full_objective(case))
    assert len(result.warm.samples) < 900


def test_hard_and_soft_samples_together():
    X, y = separable(600, 25, seed=1)
    cost = np.where(np.arange(600) % 3 == 0, np.inf, 0.01)
    case = Case(X, y, "unit_margin", slack_cost=cost)
    assert_solved(case, run(case), full_objective(case))


@pytest.mark.parametrize("method", METHODS)
def test_unbalanced_classes(method):
    """Fewer members of one class than the first program asks for."""
    X, _ = noise(500, 40, seed=2)
    y = np.where(np.arange(500) < 12, 1.0, -1.0)
    X[:12, :3] += 2.0
    case = Case(X, y, method, slack_cost=np.full(500, 0.5))
    result = run(case)
    assert_solved(case, result, full_objective(case))
    assert len(result.warm.samples) < 500


@pytest.mark.parametrize("method", METHODS)
def test_infeasible(method):
    """A few samples can prove it for all."""
    X, y = noise(800, 10, seed=3)
    case = Case(X, y, method)
    result = run(case)
    assert full_objective(case) == np.inf
    assert_infeasible(case, result)
    assert len(result.warm.samples) < 800


@pytest.mark.parametrize("n", [400, 401])
def test_on_either_side_of_the_switch(n):
    X, y = separable(n, 30, seed=4)
    case = Case(X, y, "unit_margin")
    result = run(case)
    assert_solved(case, result, full_objective(case))
    assert (len(result.warm.samples) == n) == (n == 400)


def test_rows_and_columns_together():
    """Wide and long at once; weak duality over all of X stands in for the full program."""
    X, y = planted(600, 3000, shift=0.5, seed=5)
    case = Case(X, y, slack_cost=np.full(600, 0.01))
    result = run(case)
    assert_optimal(case, result)
    assert len(result.warm.features) < 1500
