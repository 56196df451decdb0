"""What must not change the solution, and what must change it in a known way."""

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.columns import Columns, scale_columns
from fewest._solvers.linear.solve import solve
from fuzzing.oracles.linear import METHODS, Case, standardise
from fuzzing.oracles.solved import assert_optimal, problem_of, run
from tests.solvers.cases import planted

X, Y = planted(24, 70, shift=1.0, seed=3)
CASES = [
    pytest.param(Case(X, Y, method, slack_cost=cost), id=f"{method}-{name}")
    for method in METHODS
    for name, cost in [("hard", None), ("soft", np.full(24, 0.1))]
]
PER_CASE = pytest.mark.parametrize("case", CASES)


def same_solution(result, other, rtol=1e-8):
    """These optima are unique: the data are continuous and in general position."""
    assert result.objective == pytest.approx(other.objective, rel=rtol)
    np.testing.assert_array_equal(result.features, other.features)
    np.testing.assert_allclose(result.w, other.w, rtol=1e-6)


@PER_CASE
def test_shifts_and_scales_of_columns(case):
    rng = np.random.default_rng(0)
    d = case.shape[1]
    moved = case.X * 10.0 ** rng.uniform(-6, 6, d)
    moved += moved.std(axis=0) * 10.0 ** rng.uniform(-2, 4, d)
    same_solution(run(case), run(case.replace(X=moved)))


@PER_CASE
def test_mirrored_column_turns_its_weight(case):
    result = run(case)
    signs = np.ones(case.shape[1])
    signs[result.features[0]] = -1.0
    mirrored = run(case.replace(X=case.X * signs))
    np.testing.assert_array_equal(mirrored.features, result.features)
    np.testing.assert_allclose(mirrored.w, result.w * signs[result.features], rtol=1e-6)


@PER_CASE
def test_swapped_classes_turn_every_weight(case):
    result, swapped = run(case), run(case.replace(y=-case.y))
    np.testing.assert_array_equal(swapped.features, result.features)
    np.testing.assert_allclose(swapped.w, -result.w, rtol=1e-6)


@PER_CASE
def test_order_of_samples(case):
    order = np.random.default_rng(1).permutation(len(case.y))
    same_solution(run(case), run(case.replace(X=case.X[order], y=case.y[order])))


@PER_CASE
def test_order_of_features(case):
    order = np.random.default_rng(2).permutation(case.shape[1])
    result, moved = run(case), run(case.replace(X=case.X[:, order]))
    assert moved.objective == pytest.approx(result.objective)
    assert set(order[moved.features]) == set(result.features)


@PER_CASE
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1])
def test_constant_columns_change_nothing(case, value):
    constant = np.full((len(case.y), 5), value)
    padded = run(case.replace(X=np.hstack([case.X, constant])))
    same_solution(run(case), padded)


@PER_CASE
def test_duplicate_samples_act_like_a_doubled_cost(case):
    twice = np.concatenate([np.arange(24), np.arange(24)])
    halved = None if case.slack_cost is None else case.slack_cost[twice] / 2
    doubled = case.replace(X=case.X[twice], y=case.y[twice], slack_cost=halved)
    same_solution(run(case), run(doubled))


@PER_CASE
@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.csc_array])
def test_sparse_equals_dense(case, layout):
    thinned = np.where(np.random.default_rng(4).random(case.shape) < 0.5, 0.0, case.X)
    dense = case.replace(X=thinned)
    same_solution(run(dense), run(dense.replace(X=layout(thinned))))


@PER_CASE
@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_all_costs_scale_the_objective(case, factor):
    slack_cost = None if case.slack_cost is None else factor * case.slack_cost
    costs = np.full(case.shape[1], factor)
    result, scaled = run(case), run(case.replace(feature_cost=costs, slack_cost=slack_cost))
    # Below one the solver's tolerance is absolute: 1e-7 on an objective of about 1e-3.
    assert scaled.objective == pytest.approx(factor * result.objective, rel=1e-3, abs=2e-7)
    np.testing.assert_array_equal(scaled.features, result.features)
    np.testing.assert_allclose(scaled.w, result.w, rtol=1e-6)


@PER_CASE
def test_reweighting_equals_rescaling(case):
    """A cost c_j on column j is the same as dividing column j by c_j; w_j shrinks by c_j."""
    c = 10.0 ** np.random.default_rng(5).uniform(-1, 1, case.shape[1])
    weighted = run(case.replace(feature_cost=c))
    Z = standardise(case.X)
    raw = Columns(Z, np.zeros(Z.shape[1]), 1.0 / c)
    rescaled = solve(problem_of(case), raw)
    assert_optimal(case.replace(feature_cost=c), weighted)
    assert rescaled.objective == pytest.approx(weighted.objective)
    np.testing.assert_array_equal(rescaled.features, weighted.features)
    np.testing.assert_allclose(rescaled.w / c[rescaled.features], weighted.w, rtol=1e-6)


def test_unit_costs_are_the_default():
    case = Case(X, Y)
    ones = case.replace(feature_cost=np.ones(case.shape[1]))
    same_solution(run(case), run(ones), rtol=0)


def test_infinite_slack_costs_are_the_hard_problem():
    case = Case(X, Y)
    infinite = case.replace(slack_cost=np.full(24, np.inf))
    assert np.all(np.isinf(problem_of(infinite).slack_bounds()))
    same_solution(run(case), run(infinite), rtol=0)


def test_objective_falls_as_features_join():
    objectives = [run(Case(X[:, :d], Y, "unit_margin")).objective for d in (40, 50, 60, 70)]
    assert np.all(np.diff(objectives) <= 1e-9)


def test_objective_rises_with_the_slack_cost():
    costs = (1e-3, 1e-2, 1e-1, 1.0)
    soft = [run(Case(X, Y, "unit_margin", slack_cost=np.full(24, C))).objective for C in costs]
    assert np.all(np.diff([*soft, run(Case(X, Y, "unit_margin")).objective]) >= -1e-9)


def test_subset_is_the_problem_without_the_other_columns():
    index = np.array([40, 0, 7, 2, 1, 33, 9, 5, 50, 60])
    columns = scale_columns(X)
    problem = problem_of(Case(X, Y, slack_cost=np.full(24, 0.3)))
    part = solve(problem, columns.subset(index))
    same_solution(part, solve(problem, scale_columns(X[:, index])))
