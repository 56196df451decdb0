"""Paths over C against solving every C on its own."""

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.path import PathSolver, exact_path
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin


def problem_and_columns(method, seed, n=40, d=60):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.standard_normal((n, d))
    X[:, :3] += 0.5 * y[:, None]
    cost = rng.uniform(0.5, 2.0, n) / n
    return method(y, slack_cost=cost), scale_columns(X)


def alone(problem, columns, C):
    return solve(problem.with_slack_cost(C * problem.slack_cost), columns)


@pytest.mark.parametrize("method", [unit_margin, support_feature_machine])
@pytest.mark.parametrize("seed", range(5))
def test_exact_path_equals_solving_every_C_alone(method, seed):
    problem, columns = problem_and_columns(method, seed)
    solver = PathSolver(problem, columns)
    path = exact_path(solver, 0.01, 100.0)
    assert path.complete
    assert np.all(np.diff(path.breakpoints) > 0)
    inside = np.sqrt(path.breakpoints[:-1] * path.breakpoints[1:])
    for C in [0.01, *inside[:: max(1, len(inside) // 15)], 100.0]:
        here = solver.line(path.results[np.searchsorted(path.breakpoints, C)])
        assert here.at(C) == pytest.approx(alone(problem, columns, C).objective, rel=1e-7)


@pytest.mark.parametrize("method", [unit_margin, support_feature_machine])
def test_no_breakpoint_is_missed(method):
    """The slope of the optimal value, sampled finely, takes no value that the path lacks."""
    problem, columns = problem_and_columns(method, 7, n=20, d=10)
    solver = PathSolver(problem, columns)
    path = exact_path(solver, 0.1, 50.0)
    slopes = [solver.line(result).slack for result in path.results]
    assert slopes == sorted(slopes, reverse=True)
    for C in np.geomspace(0.1, 50.0, 200):
        slope = problem.slack_cost @ alone(problem, columns, C).slack
        assert np.min(np.abs(np.array(slopes) - slope)) < 1e-7


def test_both_neighbours_are_optimal_at_a_breakpoint():
    problem, columns = problem_and_columns(unit_margin, 3)
    solver = PathSolver(problem, columns)
    path = exact_path(solver, 0.1, 20.0)
    for place, C in enumerate(path.breakpoints):
        expected = alone(problem, columns, C).objective
        for result in path.results[place : place + 2]:
            assert solver.line(result).at(C) == pytest.approx(expected, rel=1e-7)


def test_a_sequence_equals_solving_every_C_alone_in_any_order():
    problem, columns = problem_and_columns(unit_margin, 1)
    Cs = np.random.default_rng(0).permutation(np.geomspace(0.1, 100, 15))
    for C, result in zip(Cs, PathSolver(problem, columns).solve_all(Cs), strict=True):
        assert result.objective == pytest.approx(alone(problem, columns, C).objective, rel=1e-7)
        assert result.gap <= 1e-7


def test_limit_of_solutions_is_reported():
    problem, columns = problem_and_columns(unit_margin, 0)
    path = exact_path(PathSolver(problem, columns), 0.01, 100.0, max_solutions=5)
    assert not path.complete
    assert 2 <= len(path.results) <= 5


def test_a_path_without_breakpoints():
    problem, columns = problem_and_columns(unit_margin, 0)
    solver = PathSolver(problem, columns)
    whole = exact_path(solver, 0.01, 100.0)
    low, high = whole.breakpoints[:2]
    inside = exact_path(solver, 0.9 * low + 0.1 * high, 0.1 * low + 0.9 * high)
    assert inside.complete
    assert len(inside.results) == 1
    assert not len(inside.breakpoints)
    assert inside.results[0].objective == pytest.approx(
        solver.line(whole.results[1]).at(0.9 * low + 0.1 * high)
    )


def test_the_exact_path_needs_proven_optima():
    problem, columns = problem_and_columns(unit_margin, 0)
    strict = PathSolver(problem, columns, tol=-1.0)  # more than any solution can meet
    with pytest.raises(ValueError, match="ended inaccurate: the exact path needs proven optima"):
        exact_path(strict, 0.1, 10.0)


def test_hard_problems_have_no_path():
    problem, columns = problem_and_columns(unit_margin, 0)
    with pytest.raises(ValueError, match="slack costs"):
        PathSolver(problem.with_slack_cost(None), columns)
