"""The program for many classes against the full one in linprog, and two classes against ours."""

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import solve_joint
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from fuzzing.oracles.joint import joint_optimum
from tests.fuzzing import many


def draw(seed):
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    n, d = int(rng.integers(2 * K, 70)), int(rng.integers(1, 40))
    codes = np.concatenate([np.arange(K), rng.choice(K, n - K, p=rng.dirichlet(np.ones(K)))])
    X = (
        rng.standard_normal((n, d))
        + rng.choice([0.0, 1.0, 3.0]) * rng.standard_normal((K, d))[codes]
    )
    if rng.random() < 0.3:
        X = np.round(X)
    cost = 10.0 ** rng.uniform(-3, 1) * rng.uniform(0.5, 2.0, n)
    feature_cost = rng.uniform(0.5, 2.0, d) if rng.random() < 0.5 else None
    return X, codes, cost, feature_cost


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(many(40)))
def test_equals_the_full_program(seed):
    X, codes, cost, feature_cost = draw(seed)
    columns = scale_columns(X)
    result = solve_joint(JointProblem(codes, cost, feature_cost=feature_cost), columns)
    Z = columns.take(np.arange(X.shape[1]))
    prices = np.ones(X.shape[1]) if feature_cost is None else feature_cost
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(joint_optimum(Z, codes, cost, prices).value, rel=1e-6)
    assert_proven(Z, codes, cost, prices, result)


@pytest.mark.fuzz
@pytest.mark.parametrize(("means_apart", "hard"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("seed", range(many(25)))
def test_other_forms_equal_the_full_program(seed, means_apart, hard):
    X, codes, cost, feature_cost = draw(seed)
    cost = None if hard else cost
    columns = scale_columns(X)
    problem = JointProblem(codes, cost, feature_cost=feature_cost, means_apart=means_apart)
    result = solve_joint(problem, columns)
    Z = columns.take(np.arange(X.shape[1]))
    prices = np.ones(X.shape[1]) if feature_cost is None else feature_cost
    best = joint_optimum(Z, codes, cost, prices, means_apart=means_apart).value
    if np.isinf(best):
        assert result.status is Status.INFEASIBLE
    else:
        assert result.status is Status.OPTIMAL
        assert result.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert result.bound <= best * (1.0 + 1e-6)


@pytest.mark.parametrize("means_apart", [True, False])
def test_classes_of_more_than_a_thousand(means_apart):
    """Margins that weigh nothing are left out of the matrix."""
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 2500, p=[0.6, 0.3, 0.1])
    X = rng.standard_normal((2500, 12)) + 1.5 * rng.standard_normal((3, 12))[codes]
    columns, cost = scale_columns(X), np.full(2500, 0.02)
    result = solve_joint(JointProblem(codes, cost, means_apart=means_apart), columns)
    Z = columns.take(np.arange(12))
    best = joint_optimum(Z, codes, cost, np.ones(12), means_apart=means_apart).value
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_are_the_support_feature_machine(seed):
    rng = np.random.default_rng(seed)
    codes = np.arange(80) % 2
    X = rng.standard_normal((80, 60)) + 0.8 * (codes[:, None] * (np.arange(60) < 5))
    y = np.where(codes == 1, 1.0, -1.0)
    for cost in (np.full(80, 0.05), None):
        columns = scale_columns(X)
        joint = solve_joint(JointProblem(codes, cost, means_apart=True), columns)
        alone = solve(support_feature_machine(y, slack_cost=cost), columns)
        assert joint.objective == pytest.approx(alone.objective, rel=1e-6)
        np.testing.assert_array_equal(joint.features, alone.features)


def test_slack_costs_that_are_nearly_nothing_select_nothing():
    X, codes, _, _ = draw(7)
    result = solve_joint(JointProblem(codes, np.full(len(codes), 1e-5)), scale_columns(X))
    assert result.status is Status.OPTIMAL
    assert result.n_features == 0


def assert_proven(Z, codes, cost, prices, result):
    """The bound, from alpha and X alone."""
    alpha, n = result.alpha, len(codes)
    assert np.all(alpha >= 0.0)
    assert np.all(alpha <= cost[:, None])
    assert np.all(alpha[np.arange(n), codes] == 0.0)
    v = -alpha
    v[np.arange(n), codes] = alpha.sum(axis=1)
    np.testing.assert_allclose(v.sum(axis=0), 0.0, atol=1e-8 * max(1.0, alpha.sum()))
    largest = (np.abs(Z.T @ v).sum(axis=1) / (2.0 * prices)).max()
    assert alpha.sum() / max(1.0, largest) == pytest.approx(result.bound, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_are_the_two_class_program(seed):
    rng = np.random.default_rng(seed)
    codes = np.arange(80) % 2
    X = rng.standard_normal((80, 60)) + 0.5 * (codes[:, None] * (np.arange(60) < 5))
    columns, cost = scale_columns(X), np.full(80, 0.05)
    joint = solve_joint(JointProblem(codes, cost), columns)
    y = np.where(codes == 1, 1.0, -1.0)
    alone = solve(unit_margin(y, slack_cost=cost), columns)
    assert joint.objective == pytest.approx(alone.objective, rel=1e-6)
    np.testing.assert_array_equal(joint.features, alone.features)
    np.testing.assert_allclose(joint.W[:, 1] - joint.W[:, 0], alone.w, rtol=1e-3, atol=1e-6)
