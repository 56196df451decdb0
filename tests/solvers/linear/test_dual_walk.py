"""Away from features that are set aside: the optimum without them, or a word that it was not found.

The peers are `linprog` on the whole program, the general solver, and the walk by penalties.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import vertex
from fewest._solvers.linear.dual_walk import ENDLESS, walk_away
from fewest._solvers.linear.repeat import Repeater
from fewest._solvers.linear.solve import solve
from fewest._solvers.linear.vertex import vertex_of
from fewest._solvers.linear.walk import FAILED, FOUND, FRESH, walk
from fuzzing.oracles.linear import Case, full_objective
from fuzzing.oracles.solved import assert_infeasible, problem_of, run
from tests.fuzzing import examples
from tests.solvers.cases import hard_cases, noise
from tests.solvers.linear.test_walk import walker_at


class Start:
    """A vertex where a program was optimal, features of it that are gone, and all others."""

    def __init__(self, problem, columns, result, gone):
        kept = np.setdiff1d(result.features, gone)
        others = np.setdiff1d(np.flatnonzero(columns.inverse_scale), result.features)
        self.problem, self.n_gone = problem, len(gone)
        self.Z = np.ascontiguousarray(columns.take(np.concatenate([gone, kept, others])).T)
        self.limit = vertex_of(result)

    def program(self):
        problem = self.problem
        return (
            self.Z, problem.y, self.Z @ problem.equality, problem.bias_coefficient,
            problem.margin, problem.rhs, np.ones(len(self.Z)), self.n_gone,
        )  # fmt: skip

    @property
    def vertex(self):
        return np.arange(len(self.limit)), self.limit

    def walk_away(self):
        return walk_away(*self.program(), *self.vertex, 3000)

    def walk_by_penalties(self):
        return walk(*self.program(), np.array([1.5, 15.0, 150.0, 1500.0]), 0, *self.vertex, 3000)

    def assert_proven(self, found, objective):
        """Primal and dual solution agree, and violate nothing; from Z and y alone."""
        status, features, samples, plane, dual, _ = found
        assert status == FOUND
        assert np.all(features >= self.n_gone)
        problem, alpha = self.problem, np.zeros(self.problem.n_samples)
        margins = problem.y * (plane[1:] @ self.Z[features] + plane[0])
        assert margins.min() > problem.margin - 1e-9
        assert problem.equality @ (problem.y * margins) == pytest.approx(problem.rhs, abs=1e-9)
        alpha[samples] = dual[1:]
        v = alpha * problem.y + dual[0] * problem.equality
        size = np.abs(v).sum()
        assert alpha.min() >= -1e-8 * size
        assert abs(v.sum()) < 1e-9 * size
        assert np.abs(self.Z[self.n_gone :] @ v).max() < 1.0 + 1e-8
        value = problem.rhs * dual[0] + problem.margin * alpha.sum()
        assert np.abs(plane[1:]).sum() == pytest.approx(value, rel=1e-9)
        assert value == pytest.approx(objective, rel=1e-9)


def start_at(case, result, gone):
    return Start(problem_of(case), scale_columns(case.X), result, gone)


@pytest.mark.parametrize("method", ["class_means", "mean_margin"])
@pytest.mark.parametrize("rhs", [1.0, 2.5])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_optimum_without_some_features(method, rhs, share, seed):
    X, y = noise(24, 150, seed=seed)
    case = Case(X, y, method, rhs)
    first = run(case)
    count = round(share * first.n_features)
    gone = np.random.default_rng(seed).permutation(first.features)[:count]
    start = start_at(case, first, gone)
    expected = full_objective(case.replace(X=np.delete(X, gone, axis=1)))
    start.assert_proven(start.walk_away(), expected)


@pytest.mark.parametrize("margin", [1e-3, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_with_a_margin(margin, seed):
    X, y = noise(24, 200, seed=seed)
    problem, columns = replace(problem_of(Case(X, y)), margin=margin), scale_columns(X)
    first = solve(problem, columns)
    start = Start(problem, columns, first, first.features)
    rest = scale_columns(np.delete(X, first.features, axis=1))
    start.assert_proven(start.walk_away(), solve(problem, rest).objective)


def test_long_walks_near_the_end_of_separability():
    """Weights and samples come and go, and the inverse is computed again on the way."""
    X, y = noise(100, 200, seed=2)
    case = Case(X, y)
    first = run(case)
    start = start_at(case, first, first.features)
    found = start.walk_away()
    assert found[-1] > FRESH
    left = np.delete(X, first.features, axis=1)
    start.assert_proven(found, full_objective(case.replace(X=left)))


def test_far_fewer_steps_than_by_penalties():
    steps = np.zeros((6, 2))
    for seed in range(6):
        X, y = noise(40, 400, seed=seed)
        case = Case(X, y)
        first = run(case)
        start = start_at(case, first, first.features)
        away, driven = start.walk_away(), start.walk_by_penalties()
        assert np.abs(away[3][1:]).sum() == pytest.approx(np.abs(driven[3][1:]).sum(), rel=1e-9)
        np.testing.assert_array_equal(np.sort(away[1]), np.sort(driven[1]))
        steps[seed] = away[-1], driven[-1]
    assert steps[:, 0].sum() < 0.6 * steps[:, 1].sum()


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_rest_does_not_separate(seed):
    X, y = noise(24, 9, seed=seed)
    X[:, 0] += 3.0 * y
    X[0, 0], X[1, 0] = -0.3, 0.3  # so one feature is not enough
    case = Case(X, y)
    first = run(case)
    assert 0 in first.features
    assert np.isinf(full_objective(case.replace(X=X[:, 1:])))
    assert start_at(case, first, np.array([0])).walk_away()[0] == ENDLESS
    assert not walker_at(case, first, np.arange(9), gone=np.array([0])).solve().bounded
    repeater = Repeater(scale_columns(X))
    repeater.solve(problem_of(case))
    repeater.remove(np.array([0]))
    left = X.copy()
    left[:, 0] = 0.0
    assert_infeasible(case.replace(X=left), repeater.solve(problem_of(case)))


@examples(150)
@given(case=hard_cases(), seed=st.integers(0, 2**16))
def test_awkward_columns(case, seed):
    """Ties, copies, constants: the optimum, or another answer than that it was found."""
    if case.method == "unit_margin":
        return
    result = run(case)
    if not result.n_features or vertex_of(result) is None:
        return
    rng = np.random.default_rng(seed)
    gone = result.features[rng.random(result.n_features) < 0.6]
    start = start_at(case, result, gone)
    status, features, _, plane, _, _ = start.walk_away()
    left = case.X.copy()
    left[:, gone] = 0.0
    objective = full_objective(case.replace(X=left))
    if status == FOUND:
        assert np.all(features >= start.n_gone)
        assert np.abs(plane[1:]).sum() == pytest.approx(objective, rel=1e-6)
    if status == ENDLESS:
        assert objective > 1e4 * result.objective


def test_a_start_that_is_not_optimal_is_left_to_the_other_walk(monkeypatch):
    """Other costs than those of the first program: prices exceed them."""
    X, y = noise(24, 60, seed=0)
    case = Case(X, y)
    first = run(case)
    costs = np.random.default_rng(0).uniform(0.2, 20.0, 60)
    gone = first.features[:2]
    statuses = []

    def watched(*arguments):
        found = walk_away(*arguments)
        statuses.append(found[0])
        return found

    monkeypatch.setattr(vertex, "walk_away", watched)
    solution = walker_at(case, first, np.arange(60), gone=gone, costs=costs).solve()
    left = np.setdiff1d(np.arange(60), gone)
    expected = full_objective(case.replace(X=X[:, left], feature_cost=costs[left]))
    assert costs[left] @ np.abs(solution.w) == pytest.approx(expected, rel=1e-9)
    assert statuses == [FAILED]


@pytest.mark.parametrize(("size", "n_gone"), [(10, 2), (14, 14)])
def test_few_features(size, n_gone):
    """With few others to enter, some weights change their sign and stay."""
    statuses = []
    for seed in range(40):
        X, y = noise(size, size, seed=seed)
        case = Case(X, y)
        first = run(case)
        if vertex_of(first) is None:  # such as one feature that separates, and no sample at its end
            continue
        gone = first.features[:n_gone]
        start = start_at(case, first, gone)
        found = start.walk_away()
        objective = full_objective(case.replace(X=np.delete(X, gone, axis=1)))
        statuses.append(found[0])
        if np.isinf(objective):
            assert found[0] == ENDLESS
        else:
            start.assert_proven(found, objective)
    assert statuses.count(FOUND) > 20


def test_no_vertex_or_too_few_steps():
    """Two equal columns leave no inverse, and the walk takes more than three steps."""
    X, y = noise(24, 150, seed=0)
    case = Case(X, y)
    first = run(case)
    start = start_at(case, first, first.features)
    assert walk_away(*start.program(), *start.vertex, 3)[0] == FAILED
    start.Z[1] = start.Z[0]
    assert start.walk_away()[0] == FAILED
