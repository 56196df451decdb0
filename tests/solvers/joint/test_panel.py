"""Fewer features for many classes: reweighting, and down to a number."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint import smooth
from fewest._solvers.joint.panel import (
    choose_panel,
    find_markers,
    minimize_joint_zero_norm,
    solve_panel,
)
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.smooth import choose_features
from fewest._solvers.joint.solve import solve_joint
from fewest._solvers.result import Status

NONE = np.empty(0, dtype=np.intp)


def draw(seed, n=120, d=30, n_classes=4, informative=3):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    X = rng.standard_normal((n, d))
    X[:, :informative] += 3.0 * rng.standard_normal((n_classes, informative))[codes]
    return X, codes


def ridge_loss(Z, codes, weight, ridge):
    """By a general minimiser."""
    K, k = codes.max() + 1, Z.shape[1]

    def value(flat):
        W = flat.reshape(k + 1, K)
        scores = Z @ W[:-1] + W[-1]
        own = scores[np.arange(len(codes)), codes]
        return weight @ (logsumexp(scores, axis=1) - own) + 0.5 * ridge * np.sum(W[:-1] ** 2)

    return minimize(value, np.zeros((k + 1) * K), method="L-BFGS-B").fun


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_is_that_of_a_general_minimiser(seed):
    X, codes = draw(seed, n=60, d=3)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 60)
    weight /= weight.mean()
    loss = smooth._Loss(X, codes, weight, smooth._RIDGE)
    fit = smooth._Fit.start(loss, np.arange(3))
    assert loss.ridge == pytest.approx(smooth._RIDGE * 60)
    assert fit.value == pytest.approx(ridge_loss(X, codes, weight, loss.ridge), rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_the_chosen_pair_is_the_best_of_all(seed):
    X, codes = draw(seed, d=7)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    weight = np.ones(len(codes))
    chosen = choose_features(Z, codes, weight, 2)
    loss = smooth._Loss(Z, codes, weight, smooth._RIDGE)
    values = {
        pair: smooth._Fit.start(loss, np.array(pair)).value for pair in combinations(range(7), 2)
    }
    assert values[tuple(chosen)] <= min(values.values()) * (1.0 + smooth._WORTH_IT)


def test_many_samples_are_compared_on_some_of_every_class():
    codes = np.repeat([0, 1, 2], [500, 100, 4])
    rows = smooth.draw_evenly(codes, 60)
    assert len(rows) <= 60
    assert np.bincount(codes[rows]).tolist() == [28, 28, 4]


@pytest.mark.parametrize("most", [2, 3, 5])
def test_at_most_so_many(most):
    X, codes = draw(1)
    columns, cost = scale_columns(X), np.full(len(codes), 0.5)
    problem = JointProblem(codes, cost)
    first = solve_joint(problem, columns)
    assert first.n_features > most
    features = choose_panel(problem, columns, first, most, weight=cost, always=NONE)
    found = solve_panel(problem, columns, first, features, error_cost=cost)
    assert found.n_features == most
    assert found.status is Status.OPTIMAL
    if most >= 3:
        assert set(range(3)) <= set(found.features.tolist())
    # The last program is the optimum on its features.
    again = solve_joint(problem, columns.subset(found.features))
    assert found.steps[-1].objective == pytest.approx(again.objective, rel=1e-6)


def test_some_features_are_always_in():
    X, codes = draw(1)
    columns, cost = scale_columns(X), np.full(len(codes), 0.5)
    problem = JointProblem(codes, cost)
    first = solve_joint(problem, columns)
    features = choose_panel(problem, columns, first, 4, weight=cost, always=np.array([17, 25]))
    assert {17, 25} <= set(features.tolist())
    assert len(features) == 4


def test_fewer_than_allowed_stay_as_they_are():
    X, codes = draw(2, d=5)
    problem = JointProblem(codes, np.full(len(codes), 0.1))
    columns = scale_columns(X)
    first = solve_joint(problem, columns)
    features = choose_panel(problem, columns, first, 5, weight=problem.slack_cost, always=NONE)
    np.testing.assert_array_equal(features, first.features)


def test_markers_have_their_largest_mean_in_the_class():
    X, codes = draw(5)
    columns = scale_columns(X)
    none = np.array([], dtype=np.intp)
    problem = JointProblem(codes, np.ones(len(codes)))
    markers, has = find_markers(problem, columns, 2, none)
    Z = columns.take(np.arange(30))
    means = np.array([Z[codes == code].mean(axis=0) for code in range(4)])
    for code in range(4):
        own = [j for j in range(30) if means[:, j].argmax() == code]
        ahead = {j: np.diff(np.sort(means[:, j])[-2:])[0] for j in own}
        assert set(sorted(own, key=lambda j: -ahead[j])[:2]) <= set(markers.tolist())
    assert len(markers) == 8
    assert has.tolist() == [2] * 4


@pytest.mark.parametrize("means_apart", [False, True])
@pytest.mark.parametrize("hard", [False, True])
def test_reweighting_keeps_what_separates(means_apart, hard):
    X, codes = draw(3)
    X[:, :3] += 20.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])[codes]
    cost = None if hard else np.full(len(codes), 2.0)
    problem = JointProblem(codes, cost, means_apart=means_apart)
    found = minimize_joint_zero_norm(problem, scale_columns(X), error_cost=cost)
    assert found.status is Status.OPTIMAL
    assert found.converged
    assert found.n_features <= 3
    assert found.n_features <= found.n_features_first
    scores = scale_columns(X).take(found.features) @ found.W + found.b
    own = scores[np.arange(len(codes)), codes][:, None]
    assert np.max(scores - own) <= 1e-7


def test_twins_are_selected_once():
    X, codes = draw(4)
    X = np.hstack([X, -2.0 * X[:, :3] + 1.0])
    for means_apart in (False, True):
        problem = JointProblem(codes, np.full(len(codes), 1.0), means_apart=means_apart)
        found = solve_joint(problem, scale_columns(X))
        assert found.status is Status.OPTIMAL
        assert not set(found.features.tolist()) & {30, 31, 32}
