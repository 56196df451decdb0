"""A solve may start where another one ended, and ends at the same value as a cold one."""

import numpy as np
import pytest

from fewest._solvers.result import WarmStart
from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_infeasible, assert_optimal, run
from tests.solvers.cases import noise, planted, separable

NONE = np.empty(0, dtype=np.intp)
X, Y = noise(60, 1500, seed=6)
PER_METHOD = pytest.mark.parametrize("method", METHODS)
HARD_AND_SOFT = pytest.mark.parametrize("slack_cost", [None, np.full(60, 0.05)])


@PER_METHOD
@HARD_AND_SOFT
def test_restart_of_the_same_problem(method, slack_cost):
    case = Case(X, Y, method, slack_cost=slack_cost)
    cold = run(case)
    warm = run(case, warm=cold.warm)
    assert_optimal(case, warm)
    assert warm.rounds <= 2
    assert warm.objective == pytest.approx(cold.objective)
    np.testing.assert_array_equal(warm.features, cold.features)


@PER_METHOD
def test_restart_saves_rounds_when_a_cost_changes(method):
    case = Case(X, Y, method, slack_cost=np.full(60, 0.05))
    near = case.replace(slack_cost=np.full(60, 0.051))
    cold, warm = run(near), run(near, warm=run(case).warm)
    assert_optimal(near, warm)
    assert warm.rounds <= cold.rounds
    assert warm.objective == pytest.approx(cold.objective)


@PER_METHOD
def test_after_the_selected_features_are_gone(method):
    """What the repetitive selector does: forbid the last features by making them dear."""
    case = Case(X, Y, method)
    first = run(case)
    cost = np.ones(X.shape[1])
    cost[first.features] = 1e3
    without = case.replace(feature_cost=cost)
    warm = run(without, warm=first.warm)
    assert_optimal(without, warm)
    assert warm.objective >= first.objective
    assert warm.objective == pytest.approx(run(without).objective)


@PER_METHOD
@HARD_AND_SOFT
@pytest.mark.parametrize(
    "features",
    [NONE, np.array([7]), np.arange(1000, 1100), np.array([5, 3, 900])],
    ids=["none", "one", "useless", "unsorted"],
)
def test_any_start_leads_to_the_optimum(method, slack_cost, features):
    case = Case(X, Y, method, slack_cost=slack_cost)
    result = run(case, warm=WarmStart(features, NONE))
    assert_optimal(case, result)
    assert result.objective == pytest.approx(run(case).objective)


def test_a_start_with_constant_columns():
    padded = Case(np.hstack([np.ones((60, 4)), X]), Y, "unit_margin")
    result = run(padded, warm=WarmStart(np.arange(4), NONE))
    assert_optimal(padded, result)
    assert result.features.min() >= 4


@PER_METHOD
def test_restart_of_an_infeasible_problem(method):
    narrow = Case(X[:, :10], Y, method)
    cold = run(narrow)
    warm = run(narrow, warm=cold.warm)
    assert_infeasible(narrow, warm)
    assert warm.rounds <= 2


def test_restart_where_samples_are_generated():
    data, labels = separable(900, 30)
    case = Case(data, labels)
    cold = run(case)
    warm = run(case, warm=cold.warm)
    assert_optimal(case, warm)
    assert warm.rounds <= 2
    assert warm.objective == pytest.approx(cold.objective)
    assert len(warm.warm.samples) <= len(cold.warm.samples)


@pytest.mark.parametrize("samples", [np.arange(3), np.arange(1, 700, 2)], ids=["few", "one class"])
def test_any_samples_to_start_with(samples):
    data, labels = planted(700, 40, shift=0.3, seed=7)
    case = Case(data, labels, "unit_margin", slack_cost=np.full(700, 0.01))
    result = run(case, warm=WarmStart(np.arange(5), samples))
    assert_optimal(case, result)
    assert result.objective == pytest.approx(full_objective(case))
