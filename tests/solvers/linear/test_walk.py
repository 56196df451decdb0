"""The walk from vertex to vertex ends at the optimum, or says that it did not."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import vertex
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.repeat import Repeater
from fewest._solvers.linear.vertex import Walker, vertex_of
from fewest._solvers.linear.walk import FAILED
from fuzzing.oracles.linear import Case, full_objective
from fuzzing.oracles.solved import assert_optimal, problem_of, run
from tests.fuzzing import examples
from tests.solvers.cases import hard_cases, noise

NOTHING = np.empty(0, dtype=np.intp)


def walker_at(case, result, features, gone=NOTHING, costs=None):
    """A program on some features that starts at the vertex of a result."""
    columns = scale_columns(case.X)
    samples = vertex_of(result)
    inside = np.setdiff1d(features, gone)
    kept = np.setdiff1d(result.features, gone)
    places = np.concatenate([np.arange(len(gone)), len(gone) + np.searchsorted(inside, kept)])
    problem = problem_of(case)
    if costs is not None:
        problem = problem.with_costs(costs, None)
    rows = columns.take(np.concatenate([gone, inside])).T
    return Walker(problem, inside, rows, places, samples)


@pytest.mark.parametrize("method", ["class_means", "mean_margin"])
@pytest.mark.parametrize("seed", range(4))
def test_after_features_are_set_aside(method, seed):
    X, y = noise(24, 150, seed=seed)
    case = Case(X, y, method)
    first = run(case)
    solution = walker_at(case, first, np.arange(150), gone=first.features).solve()
    left = np.setdiff1d(np.arange(150), first.features)
    expected = full_objective(case.replace(X=X[:, left]))
    assert solution.bounded
    assert np.abs(solution.w).sum() == pytest.approx(expected, rel=1e-9)
    margins = y * (scale_columns(X).take(left) @ solution.w + solution.b)
    assert margins.min() > -1e-9


@pytest.mark.parametrize("seed", range(4))
def test_with_other_costs(seed):
    X, y = noise(24, 60, seed=seed)
    case = Case(X, y)
    costs = np.random.default_rng(seed).uniform(0.2, 20.0, 60)
    solution = walker_at(case, run(case), np.arange(60), costs=costs).solve()
    expected = full_objective(case.replace(feature_cost=costs))
    assert costs @ np.abs(solution.w) == pytest.approx(expected, rel=1e-9)


def test_features_that_cannot_be_spared_ask_for_others():
    X, y = noise(20, 200, seed=1)
    case = Case(X, y)
    first = run(case)
    few = first.features[:3]
    solution = walker_at(case, first, first.features, gone=few).solve()
    assert not solution.bounded
    v = solution.alpha * y + solution.multiplier * problem_of(case).equality
    prices = np.abs(scale_columns(X).price(v))
    others = np.delete(prices, first.features)
    assert others.max() > 10.0 * problem_of(case).costs(first.features).max()


@examples(60)
@given(case=hard_cases())
def test_awkward_columns_end_at_the_optimum_or_with_an_error(case):
    result = run(case)
    if case.method == "unit_margin" or not result.n_features or vertex_of(result) is None:
        return
    walker = walker_at(case, result, np.arange(case.shape[1]))
    try:
        solution = walker.solve()
    except SolverError:
        return
    assert np.abs(solution.w).sum() == pytest.approx(result.objective, rel=1e-6)


def test_the_general_solver_takes_over_where_a_walk_fails(monkeypatch):
    X, y = noise(24, 800, seed=0)

    def lost(*arguments):
        return FAILED, NOTHING, NOTHING, np.zeros(1), np.zeros(1), 0, 0

    monkeypatch.setattr(vertex, "walk", lost)
    repeater, case = Repeater(scale_columns(X)), Case(X, y)
    for _ in range(4):
        result = repeater.solve(problem_of(case))
        assert_optimal(case, result)
        repeater.remove(result.features)
        left = case.X.copy()
        left[:, result.features] = 0.0
        case = case.replace(X=left)


def test_a_start_that_is_no_vertex_is_an_error():
    """Two equal columns leave no inverse; the wrong samples leave others beyond their limit."""
    X, y = noise(24, 60, seed=0)
    case = Case(X, y)
    first = run(case)
    columns, problem = scale_columns(X), problem_of(case)
    every, samples = np.arange(60), vertex_of(first)
    twice = first.features.copy()
    twice[1] = twice[0]
    other = np.setdiff1d(np.arange(24), samples)[: len(samples)]
    for features, limit in ((twice, samples), (first.features, other)):
        walker = Walker(problem, every, columns.take(every).T, features, limit)
        with pytest.raises(SolverError, match="did not arrive"):
            walker.solve()


@pytest.mark.parametrize("cause", [KeyboardInterrupt, ValueError])
def test_ctrl_c_within_the_compiled_code_is_ctrl_c(monkeypatch, cause):
    """Numba turns it into a SystemError, if it comes while arguments are passed on."""

    def interrupted(*arguments):
        raise SystemError("returned a result with an exception set") from cause()

    X, y = noise(24, 60, seed=0)
    case = Case(X, y)
    walker = walker_at(case, run(case), np.arange(60))
    monkeypatch.setattr(vertex, "walk", interrupted)
    with pytest.raises(KeyboardInterrupt if cause is KeyboardInterrupt else SystemError):
        walker.solve()


def test_a_single_fit_does_not_wait_for_the_compiler():
    code = "import sys, fewest.machines.sfm, fewest.machines.union; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
