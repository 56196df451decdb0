"""The largest margin on a few features, against peers that know nothing of it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from fewest._solvers import margin
from fewest._solvers.margin import hard_margin, soft_margin


def separated(seed, n=30, k=3):
    """Classes on both sides of a plane, with a gap."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, k))
    direction = rng.standard_normal(k)
    y = np.where(Z @ direction > 0, 1.0, -1.0)
    return Z + 0.2 * y[:, None] * direction / np.linalg.norm(direction), y


def nearly_touching(gap):
    """A negative sample halfway between two positive ones, and this far behind them."""
    Z = np.array([[gap, 0.3], [gap, -0.3], [1.0, 0.1], [0.0, 0.0], [-1.0, 0.2]])
    return Z, np.array([1.0, 1.0, 1.0, -1.0, -1.0])


@pytest.mark.parametrize("seed", range(5))
def test_hard_margin_equals_a_support_vector_machine(seed):
    Z, y = separated(seed)
    w, b = hard_margin(Z, y)
    peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(Z, y)
    np.testing.assert_allclose(w, peer.coef_[0], rtol=1e-4)
    assert b == pytest.approx(peer.intercept_[0], abs=1e-3)
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0)


def test_overlapping_classes_have_no_hard_margin():
    Z, y = separated(0)
    y[0] = -y[0]
    assert hard_margin(np.repeat(Z[:, :1], 2, axis=1), y) is None


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-8])
def test_hulls_that_nearly_touch_are_still_separated(gap):
    """The smaller two are beyond the precision of non-negative least squares."""
    Z, y = nearly_touching(gap)
    w, b = hard_margin(Z, y)
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0, rel=1e-6)
    assert 2.0 / np.linalg.norm(w) == pytest.approx(gap, rel=1e-3)


def test_failure_of_least_squares_is_no_failure(monkeypatch):
    def fail(*arguments):
        raise RuntimeError("too many iterations")

    Z, y = separated(1)
    monkeypatch.setattr(margin, "nnls", fail)
    w, b = hard_margin(Z, y)
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0)


def soft_objective(plane, Z, y, cost):
    """What `soft_margin` minimises, for costs that need no clipping."""
    w, b = plane[:-1], plane[-1]
    shortfall = np.maximum(0.0, 1.0 - y * (Z @ w + b))
    return 0.5 * w @ w + 0.5 * (cost / Z.shape[1]) @ shortfall**2


# On whole numbers, samples lie exactly on the margin, and rounding moves them back and forth; the
# Newton steps of the first seeds end because no shorter step helps.
@pytest.mark.parametrize("seed", [27, 871, 1385, 1531, 1963, 0, 1, 2, 3, 4])
def test_soft_margin_equals_a_general_optimiser(seed):
    rng = np.random.default_rng(seed)
    n, k = rng.integers(3, 30), rng.integers(1, 5)
    Z = rng.integers(-2, 3, (n, k)).astype(float)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if seed % 2:
        Z *= 10 ** rng.uniform(-6, 6)
    cost = np.full(n, float(np.clip(10.0 ** rng.integers(-3, 9), k, 1e6 * k)))
    w, b = soft_margin(Z, y, cost)
    ours = soft_objective(np.append(w, b), Z, y, cost)
    theirs = minimize(soft_objective, np.zeros(k + 1), args=(Z, y, cost), method="L-BFGS-B").fun
    assert ours <= theirs * (1 + 1e-6)


def test_soft_margin_ends_at_the_limit_of_steps(monkeypatch):
    Z, y = separated(0)
    cost = np.full(len(y), 100.0)
    best = soft_objective(np.append(*soft_margin(Z, y, cost)), Z, y, cost)
    monkeypatch.setattr(margin, "_NEWTON_STEPS", 1)
    one_step = soft_objective(np.append(*soft_margin(Z, y, cost)), Z, y, cost)
    assert best < one_step < soft_objective(np.zeros(4), Z, y, cost)
