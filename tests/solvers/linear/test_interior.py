"""The start from an interior point: it may save time, and must never change an answer."""

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import interior
from fewest._solvers.linear import solve as engine
from fewest._solvers.linear.interior import Vertex, guess_vertex, has_interior
from fewest._solvers.linear.path import PathSolver
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin
from fuzzing.oracles.linear import Case, full_objective
from fuzzing.oracles.solved import assert_optimal, problem_of
from tests.solvers.cases import KINDS, draw_labels, draw_values, spoil


def wide_case(seed, kind="normal", *, n=110, d=400, C=0.3, spoilt=False, feature_costs=False):
    """Noise: the solution has nearly as many features as samples."""
    rng = np.random.default_rng(seed)
    y = draw_labels(rng, n)
    X = draw_values(rng, kind, n, d)
    if spoilt:
        X = spoil(rng, X)
    cost = C * rng.uniform(0.5, 2.0, n)
    feature_cost = rng.uniform(0.5, 2.0, d) if feature_costs else None
    return Case(X, y, "unit_margin", slack_cost=cost, feature_cost=feature_cost)


@pytest.fixture
def vertices(monkeypatch):
    """What the engine got from the interior-point method, call by call."""
    found = []

    def recorded(*args, **kwargs):
        found.append(guess_vertex(*args, **kwargs))
        return found[-1]

    monkeypatch.setattr(engine, "guess_vertex", recorded)
    monkeypatch.setattr(engine, "_batch", lambda problem: 20)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spoilt", [False, True])
@pytest.mark.parametrize("feature_costs", [False, True])
@pytest.mark.parametrize("C", [0.15, 1.0, 90.0])
def test_equals_the_full_program(vertices, kind, spoilt, feature_costs, C):
    case = wide_case(KINDS.index(kind), kind, C=C, spoilt=spoilt, feature_costs=feature_costs)
    result = solve(problem_of(case), scale_columns(case.X))
    assert len(vertices) == 1
    assert result.objective == pytest.approx(full_objective(case), rel=1e-7)
    assert_optimal(case, result)


def test_the_guess_is_the_optimal_vertex():
    """On data without ties: the features with weight, and one free sample more."""
    case = wide_case(1, d=1000, C=0.1)
    problem, columns = problem_of(case), scale_columns(case.X)
    result = solve(problem, columns)
    vertex = guess_vertex(problem, columns, np.arange(200), batch=100)
    tight = np.sort(vertex.features[vertex.sides != 0])
    assert len(np.setxor1d(tight, result.features)) <= 0.05 * result.n_features
    assert np.sum(vertex.places == 0) == len(tight) + 1
    at_cost = result.alpha > problem.slack_cost * (1 - 1e-9)
    assert np.mean((vertex.places == 1) == at_cost) > 0.95


def test_digits_that_are_gone_end_the_steps(monkeypatch):
    """The matrix cannot be factorised any more: what is known by then is the guess."""
    factorise, steps, most = interior.cho_factor, [], np.inf

    def fail_at_the_end(*arguments, **options):
        steps.append(arguments)
        if len(steps) >= most:
            raise interior.LinAlgError("not positive definite")
        return factorise(*arguments, **options)

    def guess():
        steps.clear()
        return guess_vertex(problem_of(case), scale_columns(case.X), np.arange(200), batch=100)

    monkeypatch.setattr(interior, "cho_factor", fail_at_the_end)
    case = wide_case(1)
    assert guess() is not None
    most = len(steps)
    vertex = guess()
    assert len(steps) == most
    assert np.sum(vertex.places == 0) == np.sum(vertex.sides != 0) + 1
    most = 5  # too far away for a guess
    assert guess() is None


def test_a_wrong_guess_costs_time_only(monkeypatch):
    case = wide_case(2)
    n, d = case.shape
    rng = np.random.default_rng(0)

    def wrong(*args, **kwargs):
        sides, places = rng.choice([-1, 1], 60), rng.choice([-1, 1], n)
        places[rng.permutation(n)[:61]] = 0
        return Vertex(
            rng.permutation(d)[:60], sides, places, rng.random(60), 0.0, rng.random(n), 0.0
        )

    monkeypatch.setattr(engine, "guess_vertex", wrong)
    result = solve(problem_of(case), scale_columns(case.X))
    assert result.objective == pytest.approx(full_objective(case), rel=1e-7)
    assert_optimal(case, result)


def test_without_a_guess_features_join_as_before(monkeypatch, vertices):
    monkeypatch.setattr(interior, "_MAX_STEPS", 1)
    case = wide_case(3)
    result = solve(problem_of(case), scale_columns(case.X))
    assert vertices == [None]
    assert result.objective == pytest.approx(full_objective(case), rel=1e-7)
    assert_optimal(case, result)


def test_a_path_goes_on_after_a_guess(vertices):
    case = wide_case(4, C=1.0)
    problem, columns = problem_of(case), scale_columns(case.X)
    path = PathSolver(problem, columns).solve_all([0.3, 0.02, 0.05, 0.3])
    assert vertices
    for C, result in zip([0.3, 0.02, 0.05, 0.3], path, strict=True):
        alone = case.replace(slack_cost=C * case.slack_cost)
        assert result.objective == pytest.approx(full_objective(alone), rel=1e-7)
        assert_optimal(alone, result)


def test_it_is_only_for_soft_problems(vertices):
    case = wide_case(5)
    cost = case.slack_cost.copy()
    assert has_interior(problem_of(case))
    assert has_interior(support_feature_machine(case.y, slack_cost=cost))
    assert not has_interior(unit_margin(case.y))
    cost[3] = np.inf
    assert not has_interior(unit_margin(case.y, slack_cost=cost))
    solve(support_feature_machine(case.y, slack_cost=case.slack_cost), scale_columns(case.X))
    assert not vertices
