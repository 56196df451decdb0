"""Concave minimisation against full linear programs in scipy."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.concave import concave_objective, minimize_concave
from fewest._solvers.problem import unit_margin
from fewest.datasets import make_gaussian
from fewest.machines.fsv import FeatureSelectionConcave

A = 5.0


def full_program(Z, y, feature_cost, slack_cost):
    n, d = Z.shape
    signed = -y[:, None] * Z
    found = linprog(
        np.concatenate([feature_cost, feature_cost, [0.0], slack_cost]),
        A_ub=np.hstack([signed, -signed, -y[:, None], -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
        method="highs",
    )
    return found.fun


def linearised_value(result, feature_cost, slack_cost):
    return feature_cost[result.features] @ np.abs(result.w) + slack_cost @ result.slack


@pytest.mark.parametrize("seed", range(8))
def test_is_a_local_optimum(seed):
    X, y = make_gaussian(n=40, d=60, k=4, mu=0.6, random_state=seed)
    y = y.astype(float)
    columns = scale_columns(X)
    Z = columns.take(np.arange(60))
    slack_cost = np.full(40, 0.4)
    problem = unit_margin(y, slack_cost=slack_cost)
    result = minimize_concave(problem, columns, steepness=A, max_iter=50)
    assert result.converged
    first, last = result.steps[0], result.steps[-1]
    ones = np.full(60, A)
    assert first.objective == pytest.approx(full_program(Z, y, ones, slack_cost))
    # No point is better than the solution on the tangent at the solution.
    tangent = ones.copy()
    tangent[last.features] *= np.exp(-A * np.abs(last.w))
    own = linearised_value(result, tangent, slack_cost)
    assert own == pytest.approx(full_program(Z, y, tangent, slack_cost), abs=1e-5)
    values = [concave_objective(problem, step, A) for step in result.steps]
    assert np.all(np.diff(values) < 0)
    assert result.zero_norm_objective == values[-1]
    margins = y * (Z[:, last.features] @ last.w + last.b)
    assert np.all(margins >= 1 - last.slack - 1e-7)
    assert result.n_features <= first.n_features


def test_features_left_out_may_return():
    """Unlike in the zero-norm loop, the later programs see all columns."""
    returned = 0
    for seed in range(20):
        X, y = make_gaussian(n=40, d=80, k=4, mu=0.5, random_state=seed)
        result = FeatureSelectionConcave(lam=0.05).fit(X, y).result_
        before = set(result.steps[0].features)
        returned += not set(result.features) <= before
    assert returned > 0


def test_price_of_features():
    X, y = make_gaussian(n=60, d=100, k=3, mu=1.0, random_state=0)
    counts = [FeatureSelectionConcave(lam).fit(X, y).support_.sum() for lam in (0.01, 0.05, 0.1)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]
    with pytest.warns(ConvergenceWarning, match="no feature was selected for class 1: lower lam"):
        assert not FeatureSelectionConcave(0.99).fit(X, y).support_.any()


def test_classes_weigh_the_same():
    """The slacks are averaged within each class: doubled samples change nothing."""
    X, y = make_gaussian(n=30, d=20, k=3, mu=0.5, positive_fraction=0.3, random_state=0)
    doubled = np.concatenate([np.arange(30), np.flatnonzero(y > 0)])
    plain = FeatureSelectionConcave(standardize=False).fit(X, y)
    weighted = FeatureSelectionConcave(standardize=False).fit(X[doubled], y[doubled])
    task = plain._binary_task(X, y)
    assert task.error_cost[y > 0].sum() == pytest.approx(task.error_cost[y < 0].sum())
    assert plain.support_.sum() == pytest.approx(weighted.support_.sum(), abs=2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lam": 0}, "lam must be a number between 0 and 1; got 0"),
        ({"lam": "x"}, "lam must be a number between 0 and 1"),
        ({"steepness": -1}, "steepness must be a positive number"),
    ],
)
def test_bad_parameters(settings, message):
    with pytest.raises(ValueError, match=message):
        FeatureSelectionConcave(**settings).fit([[0.0], [1.0]], [0, 1])
