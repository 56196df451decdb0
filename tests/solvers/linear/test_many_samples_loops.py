"""Loops and paths over many samples: each of their programs against the full one in linprog."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.concave import minimize_concave
from fewest._solvers.linear.path import PathSolver, exact_path
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.result import Status
from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_optimal, assert_solved, problem_of, run
from tests.solvers.cases import separable
from tests.solvers.many_samples import overlapping

PER_METHOD = pytest.mark.parametrize("method", METHODS)
# How far a sample is from the hyperplane on average, as the equality or the margin says.
DISTANCE = {"class_means": 0.5, "mean_margin": 1.0, "unit_margin": 1.0}


def next_program(case: Case, error_cost, reweight: str, last) -> Case:
    """What the loop solves after `last`, a solution of `case`, written from its definition."""
    slack_cost = None
    if error_cost is not None and reweight == "features":
        slack_cost = error_cost / DISTANCE[case.method]
    elif error_cost is not None:
        used = last.slack > 0.0
        slack_cost = np.full(len(case.y), np.inf)
        slack_cost[used] = np.clip(error_cost[used] / last.slack[used], 1e-8, 1e6)
    if slack_cost is not None:
        slack_cost = slack_cost * (1.0 + 1e-12)  # alpha may differ in the last digit
    return case.replace(
        X=case.X[:, last.features], feature_cost=1.0 / np.abs(last.w), slack_cost=slack_cost
    )


def check_steps(case: Case, error_cost, reweight: str = "features"):
    """Run the loop, and compare each of its programs with the full one."""
    loop = minimize_zero_norm(
        problem_of(case), scale_columns(case.X), error_cost=error_cost, reweight=reweight
    )
    features = np.arange(case.shape[1])
    for place, step in enumerate(loop.steps):
        if place:
            case = next_program(case, error_cost, reweight, loop.steps[place - 1])
        assert_solved(case, step, full_objective(case))
        assert step.gap <= 1e-7
        features = features[step.features]
    np.testing.assert_array_equal(loop.features, features)
    return loop


@PER_METHOD
@pytest.mark.parametrize("reweight", ["features", "both"])
@pytest.mark.parametrize(("n", "C"), [(600, 1.0), (1500, 0.1)])
def test_each_program_of_the_loop(method, reweight, n, C):
    X, y = overlapping(n, 25, strength=1.0, seed=20)
    case = Case(X, y, method, slack_cost=np.full(n, C / 5.0))
    loop = check_steps(case, np.full(n, C), reweight)
    assert loop.status is Status.OPTIMAL
    assert len(loop.steps) > 1
    assert loop.steps[0].n_features > 3
    assert np.sum(loop.slack > 0) > 30


@PER_METHOD
def test_each_program_of_the_loop_with_a_cost_per_sample(method):
    X, y = overlapping(800, 30, strength=1.0, seed=21)
    error_cost = 0.2 * np.random.default_rng(21).exponential(1.0, 800) + 1e-6
    weight = None if method == "unit_margin" else error_cost
    case = Case(X, y, method, slack_cost=error_cost / np.sqrt(30), weight=weight)
    loop = check_steps(case, error_cost)
    assert loop.steps[0].n_features > 3


@PER_METHOD
def test_each_program_of_the_hard_loop(method):
    X, y = separable(1000, 30, seed=22)
    loop = check_steps(Case(X, y, method), None)
    assert loop.n_features <= 3 or method != "class_means"


@PER_METHOD
def test_the_concave_penalty(method):
    """Its programs keep all columns; those with a weight cost less."""
    X, y = overlapping(600, 25, strength=1.0, seed=23)
    case = Case(X, y, method, slack_cost=np.full(600, 0.01))
    loop = minimize_concave(problem_of(case), scale_columns(X), steepness=5.0)
    cost, last = np.full(25, 5.0), None
    for step in loop.steps:
        if last is not None:
            cost = np.full(25, 5.0)
            cost[last.features] *= np.maximum(np.exp(-5.0 * np.abs(last.w)), 1e-6)
        program = case.replace(feature_cost=cost)
        assert_solved(program, step, full_objective(program))
        last = step


@PER_METHOD
@pytest.mark.parametrize("n", [450, 1000])
def test_values_of_a_path_in_any_order(method, n):
    X, y = overlapping(n, 20, seed=24)
    unit = np.random.default_rng(24).uniform(0.5, 2.0, n) / n
    case = Case(X, y, method, slack_cost=unit)
    Cs = np.random.default_rng(25).permutation(np.geomspace(0.1, 30.0, 5))
    results = PathSolver(problem_of(case), scale_columns(X)).solve_all(Cs)
    for C, result in zip(Cs, results, strict=True):
        at_C = case.replace(slack_cost=C * unit)
        assert_solved(at_C, result, full_objective(at_C))
        assert result.gap <= 1e-7


@pytest.mark.parametrize(("method", "low"), [("unit_margin", 10.0), ("class_means", 1.0)])
def test_exact_path(method, low):
    X, y = overlapping(600, 12, seed=26)
    unit = np.full(600, 1.0 / 600)
    case = Case(X, y, method, slack_cost=unit)
    solver = PathSolver(problem_of(case), scale_columns(X))
    path = exact_path(solver, low, 4 * low)
    assert path.complete
    assert len(path.breakpoints) > 3
    assert np.all(np.diff(path.breakpoints) > 0)
    ends = np.concatenate([[low], path.breakpoints, [4 * low]])
    middles = (ends[1:] + ends[:-1]) / 2
    for place in range(0, len(middles), max(1, len(middles) // 8)):
        at_C = case.replace(slack_cost=middles[place] * unit)
        value = solver.line(path.results[place]).at(middles[place])
        assert value == pytest.approx(full_objective(at_C), rel=1e-6)


def test_a_path_and_single_solves_end_at_the_same_value():
    X, y = overlapping(900, 40, seed=27)
    case = Case(X, y, "unit_margin", slack_cost=np.full(900, 1.0 / 900))
    Cs = np.geomspace(0.5, 20.0, 8)
    along = PathSolver(problem_of(case), scale_columns(X)).solve_all(Cs)
    for C, result in zip(Cs, along, strict=True):
        alone = case.replace(slack_cost=np.full(900, C / 900))
        single = run(alone)
        assert_optimal(alone, single)
        assert_optimal(alone, result)
        assert result.objective == pytest.approx(single.objective, rel=1e-6)
