"""The program for many classes against the full one in linprog, and two classes against ours."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import solve_joint
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from tests.fuzzing import many


def full_optimum(Z, codes, cost, feature_cost):
    """All weights, sizes, biases and slacks at once."""
    n, d = Z.shape
    K = codes.max() + 1
    pairs = [(i, k) for i in range(n) for k in range(K) if k != codes[i]]
    rows = np.zeros((len(pairs), d * K + K))
    for row, (i, k) in zip(rows, pairs, strict=True):
        own = codes[i]
        row[own * d : (own + 1) * d], row[k * d : (k + 1) * d] = -Z[i], Z[i]
        row[d * K + own], row[d * K + k] = -1.0, 1.0
    margins = sparse.hstack(
        [rows, sparse.csr_array((len(pairs), d)), -sparse.eye_array(len(pairs))]
    )
    size = sparse.vstack([sparse.eye_array(d)] * K)
    rest = sparse.csr_array((d * K, K)), -size, sparse.csr_array((d * K, len(pairs)))
    above = sparse.hstack([sparse.eye_array(d * K), *rest])
    below = sparse.hstack([-sparse.eye_array(d * K), *rest])
    found = linprog(
        np.concatenate([np.zeros(d * K + K), 2.0 * feature_cost, [cost[i] for i, _ in pairs]]),
        A_ub=sparse.vstack([margins, above, below]).tocsr(),
        b_ub=np.concatenate([-np.ones(len(pairs)), np.zeros(2 * d * K)]),
        bounds=[(None, None)] * (d * K + K) + [(0, None)] * (d + len(pairs)),
        method="highs",
    )
    assert found.status == 0
    return found.fun


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
    assert result.objective == pytest.approx(full_optimum(Z, codes, cost, prices), rel=1e-6)
    assert_proven(Z, codes, cost, prices, result)


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
