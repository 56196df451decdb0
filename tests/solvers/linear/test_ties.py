"""Ties are broken by index, so that the same data give the same features."""

import numpy as np
import pytest

from fuzzing.oracles.linear import METHODS, Case
from fuzzing.oracles.solved import assert_optimal, run
from tests.solvers.cases import noise, planted

FIELDS = ("features", "w", "b", "slack", "alpha", "multiplier", "dual", "objective", "bound")

COPIES = {
    "equal": lambda X: X,
    "negated": lambda X: -X,
    "rescaled": lambda X: 3.7 * X,
    "shifted": lambda X: X + 11.3,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("slack_cost", [None, 0.1], ids=["hard", "soft"])
@pytest.mark.parametrize("shape", [(30, 40), (30, 400)], ids=["small", "wide"])
def test_first_of_equal_columns(method, copy, slack_cost, shape):
    n, d = shape
    X, y = noise(n, d, seed=d)
    cost = None if slack_cost is None else np.full(n, slack_cost)
    case = Case(np.hstack([X, copy(X)]), y, method, slack_cost=cost)
    result = run(case)
    assert_optimal(case, result)
    assert result.n_features > 0
    assert result.features.max() < d
    assert result.objective == pytest.approx(run(case.replace(X=X)).objective)


def test_first_of_many_equal_columns_when_samples_are_generated():
    X, y = planted(500, 8, shift=0.5, seed=1)
    case = Case(np.hstack([X, -X, X, 2 * X]), y, "unit_margin", slack_cost=np.full(500, 0.01))
    result = run(case)
    assert_optimal(case, result)
    assert result.features.max() < 8


def test_equal_columns_of_different_cost_are_not_exchanged():
    """The cheaper copy wins, wherever it stands."""
    X, y = noise(20, 30, seed=2)
    cost = np.concatenate([np.full(30, 2.0), np.ones(30)])
    case = Case(np.hstack([X, X]), y, feature_cost=cost)
    result = run(case)
    assert_optimal(case, result)
    assert result.features.min() >= 30


@pytest.mark.parametrize("method", METHODS)
def test_binary_columns(method):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (12, 300)).astype(float)
    y = np.where(np.arange(12) < 5, 1.0, -1.0)
    case = Case(X, y, method)
    result = run(case)
    assert_optimal(case, result)
    assert np.all(np.diff(result.features) > 0)
    assert np.all(result.w != 0.0)
    for j in result.features:  # no earlier column says the same, or the opposite
        differences = np.abs(X[:, :j] - X[:, [j]]).sum(axis=0)
        assert np.all((differences > 0) & (differences < len(y)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [30, 500])
def test_same_input_twice(method, n):
    X, y = planted(n, 90, shift=0.4, seed=4)
    case = Case(X, y, method, slack_cost=np.full(n, 0.05))
    one, two = run(case), run(case)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.warm.features, two.warm.features)
    np.testing.assert_array_equal(one.warm.samples, two.warm.samples)
    assert one.rounds == two.rounds
