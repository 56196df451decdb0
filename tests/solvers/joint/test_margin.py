"""The largest margin between many classes, against scipy and against two classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from fewest._solvers.joint.margin import joint_margin
from fewest._solvers.margin import hard_margin, scale_cost, soft_margin


def draw(seed, n_classes, n=80, k=4):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    Z = rng.standard_normal((n, k)) + 1.5 * rng.standard_normal((n_classes, k))[codes]
    return Z, codes, rng.uniform(0.5, 2.0, n)


def value(flat, Z, codes, c):
    W = flat.reshape(Z.shape[1] + 1, -1)
    scores = Z @ W[:-1] + W[-1]
    total = np.sum(W[:-1] ** 2)
    for i, own in enumerate(codes):
        for rival in range(W.shape[1]):
            if rival != own:
                total += c[i] / 2 * max(0.0, 1.0 - scores[i, own] + scores[i, rival]) ** 2
    return total


@pytest.mark.parametrize("seed", range(4))
def test_equals_a_general_minimiser(seed):
    Z, codes, cost = draw(seed, n_classes=3 + seed % 2)
    W, b = joint_margin(Z, codes, cost)
    c = scale_cost(cost, Z.shape[1])
    ours = value(np.vstack([W, b]).ravel(), Z, codes, c)
    start = np.zeros((Z.shape[1] + 1) * (codes.max() + 1))
    theirs = minimize(value, start, args=(Z, codes, c), method="L-BFGS-B").fun
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert ours <= theirs * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [0.1, 10.0, 1e5])
def test_two_classes_have_the_soft_margin(seed, size):
    Z, codes, cost = draw(seed, n_classes=2)
    W, b = joint_margin(Z, codes, size * cost)
    w, bias = soft_margin(Z, np.where(codes == 1, 1.0, -1.0), size * cost)
    np.testing.assert_allclose(W[:, 1] - W[:, 0], w, rtol=1e-5, atol=1e-6)
    assert b[1] - b[0] == pytest.approx(bias, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_two_separable_classes_have_the_hard_margin(seed):
    Z, codes, _ = draw(seed, n_classes=2)
    Z[:, 0] += 8.0 * codes
    W, b = joint_margin(Z, codes, np.full(len(codes), np.inf))
    w, bias = hard_margin(Z, np.where(codes == 1, 1.0, -1.0))
    np.testing.assert_allclose(W[:, 1] - W[:, 0], w, rtol=1e-6, atol=1e-8)
    assert b[1] - b[0] == pytest.approx(bias, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_separable_classes_keep_their_margins(seed):
    Z, codes, _ = draw(seed, n_classes=3)
    Z += 12.0 * np.eye(3, 4)[codes]
    W, b = joint_margin(Z, codes, np.full(len(codes), np.inf))
    scores = Z @ W + b
    margins = scores[np.arange(len(codes)), codes][:, None] - scores
    margins[np.arange(len(codes)), codes] = 1.0
    assert margins.min() == pytest.approx(1.0, abs=1e-9)
    constraints = {
        "type": "ineq",
        "fun": lambda flat: margins_of(flat, Z, codes) - 1.0,
    }
    best = minimize(
        lambda flat: np.sum(flat.reshape(5, 3)[:-1] ** 2),
        np.vstack([W, b]).ravel() * 1.3,
        constraints=constraints,
        method="SLSQP",
    )
    assert np.sum(W**2) == pytest.approx(best.fun, rel=1e-3)
    assert np.sum(W**2) <= best.fun * (1.0 + 1e-6)


def margins_of(flat, Z, codes):
    W = flat.reshape(Z.shape[1] + 1, -1)
    scores = Z @ W[:-1] + W[-1]
    margins = scores[np.arange(len(codes)), codes][:, None] - scores
    return margins[np.arange(W.shape[1]) != codes[:, None]]
