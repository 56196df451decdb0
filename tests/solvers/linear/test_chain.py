"""The compiled loop solves the programs that the general one solves, with proofs of its own."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import chain
from fewest._solvers.linear.chain import certify_plane, walk_on
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.linear.vertex import vertex_of
from fewest._solvers.result import Status
from fuzzing.oracles.linear import Case, full_objective, standardise
from fuzzing.oracles.solved import assert_solved, certify, problem_of, run
from tests.fuzzing import examples
from tests.solvers.cases import hard_cases, noise


def walkable(n=50, d=400, seed=0, method="class_means"):
    """A case, and its first program with the vertex where it ended."""
    X, y = noise(n, d, seed=seed)
    case = Case(X, y, method)
    result = run(case)
    return case, replace(result, vertex=vertex_of(result))


def walk_from(case, first, **options):
    settings = {"tol": 1e-7, "max_programs": 19} | options
    block = scale_columns(case.X).take(first.features)
    return walk_on(problem_of(case), first, block, **settings)


@pytest.mark.parametrize("method", ["class_means", "mean_margin"])
@pytest.mark.parametrize("seed", range(4))
def test_every_program_is_solved(method, seed):
    """Against linprog, on the columns and with the costs that the step before left."""
    case, first = walkable(seed=seed, method=method)
    steps, stands_still = walk_from(case, first)
    assert stands_still
    assert len(steps) > 1
    features, last = first.features, first
    for step in steps:
        # The columns are standardised already, and equal up to that in `case`.
        Z = standardise(case.X)[:, features]
        program = case.replace(X=Z, feature_cost=1.0 / np.abs(last.w))
        assert_solved(program, step, full_objective(program))
        features, last = features[step.features], step
    np.testing.assert_allclose(steps[-1].w, steps[-2].w, rtol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_general_loop_ends_with_the_same_weights(seed):
    case, first = walkable(seed=seed)
    problem, columns = problem_of(case), scale_columns(case.X)
    walked = minimize_zero_norm(problem, columns, first=first)
    general = minimize_zero_norm(problem, columns, first=replace(first, vertex=None))
    assert walked.converged
    np.testing.assert_array_equal(walked.features, general.features)
    np.testing.assert_allclose(walked.w, general.w, rtol=1e-6)
    assert walked.b == pytest.approx(general.b, rel=1e-6)
    assert [step.n_features for step in walked.steps] == [step.n_features for step in general.steps]


@examples(60)
@given(case=hard_cases())
def test_awkward_columns_end_at_the_same_objectives(case):
    result = run(case)
    if case.method == "unit_margin" or not result.n_features or vertex_of(result) is None:
        return
    problem, columns = problem_of(case), scale_columns(case.X)
    walked = minimize_zero_norm(problem, columns, first=replace(result, vertex=vertex_of(result)))
    features, last = result.features, result
    for step in walked.steps[1:]:
        program = problem.with_costs(1.0 / np.abs(last.w), None)
        peer = minimize_zero_norm(program, columns.subset(features), max_iter=1).steps[0]
        assert step.objective == pytest.approx(peer.objective, rel=1e-6)
        features, last = features[step.features], step


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("a0", [0.0, 0.2])
def test_certificates_are_those_of_certify(margin, a0):
    """At a point that is no solution, where nothing cancels."""
    rng = np.random.default_rng(0)
    case, first = walkable()
    problem = replace(problem_of(case), margin=margin)
    problem = replace(problem, equality=problem.equality + a0 / len(case.y))
    columns = scale_columns(case.X).subset(np.arange(12))
    costs = rng.uniform(0.5, 2.0, 12)
    problem = problem.with_costs(costs, None)
    w, alpha = rng.standard_normal(12), rng.standard_normal(len(case.y))
    found = replace(
        first, features=np.arange(12), w=w, b=0.3, alpha=alpha, multiplier=0.7, objective=1.0
    )
    expected = certify(replace(problem, equality=None, margin=1.0), columns, found)
    Z = np.ascontiguousarray(columns.X.T)
    v = np.empty(len(case.y))
    objective, bound, violation = certify_plane(
        Z, problem.y, problem.equality, problem.bias_coefficient, margin, 1.0, costs, w, 0.3,
        alpha.copy(), 0.7, v,
    )  # fmt: skip
    assert objective == pytest.approx(expected.objective, rel=1e-12)
    assert bound == pytest.approx(certify(problem, columns, found).bound, rel=1e-12)
    assert bound > 0.0
    margins = problem.y * (columns.X @ w + 0.3)
    assert violation == pytest.approx((margin - margins).max(), rel=1e-12)


def test_what_is_not_proven_is_left_to_the_general_solver():
    case, first = walkable()
    steps, stands_still = walk_from(case, first, tol=-1.0)  # which no gap is below
    assert not steps
    assert not stands_still
    problem, columns = problem_of(case), scale_columns(case.X)
    wrong = np.setdiff1d(np.arange(50), first.vertex)[: len(first.vertex)]
    result = minimize_zero_norm(problem, columns, first=replace(first, vertex=wrong))
    wanted = minimize_zero_norm(problem, columns, first=first)
    assert result.status is Status.OPTIMAL
    np.testing.assert_array_equal(result.features, wanted.features)
    np.testing.assert_allclose(result.w, wanted.w, rtol=1e-6)


@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_no_more_programs_than_asked_for(max_iter):
    case, first = walkable()
    result = minimize_zero_norm(
        problem_of(case), scale_columns(case.X), first=first, max_iter=max_iter
    )
    assert len(result.steps) == max_iter
    assert not result.converged


def test_the_general_solver_goes_on_where_a_walk_ends(monkeypatch):
    """A weight too small to count, for example, leaves no vertex to start from."""
    case, first = walkable()
    problem, columns = problem_of(case), scale_columns(case.X)
    wanted = minimize_zero_norm(problem, columns, first=first)

    def one_only(*arguments, max_programs, **options):
        return walk_on(*arguments, max_programs=1, **options)

    monkeypatch.setattr(chain, "walk_on", one_only)
    result = minimize_zero_norm(problem, columns, first=first)
    assert len(result.steps) == len(wanted.steps)
    assert result.converged
    np.testing.assert_array_equal(result.features, wanted.features)
    np.testing.assert_allclose(result.w, wanted.w, rtol=1e-6)
