"""The largest margin on a few features, against peers that know nothing of it."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from fewest._solvers import margin
from fewest._solvers.margin import hard_margin, soft_margin
from tests.memory import traced_memory


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


@pytest.mark.parametrize("seed", range(5))
def test_hard_margin_of_some_samples_is_that_of_all(seed, monkeypatch):
    monkeypatch.setattr(margin, "_FEW_SAMPLES", 50)
    monkeypatch.setattr(margin, "_FIRST_ROWS", 5)
    Z, y = separated(seed, n=600, k=4)
    w, b = hard_margin(Z, y)
    peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(Z, y)
    np.testing.assert_allclose(w, peer.coef_[0], rtol=1e-4)
    assert b == pytest.approx(peer.intercept_[0], abs=1e-3)
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0)


def test_hard_margin_of_some_samples_of_overlapping_classes(monkeypatch):
    monkeypatch.setattr(margin, "_FEW_SAMPLES", 50)
    monkeypatch.setattr(margin, "_FIRST_ROWS", 5)
    Z, y = separated(0, n=600)
    y[np.argmax(y * Z[:, 0])] *= -1.0
    assert margin._margin_of_all(Z, y) is None
    assert hard_margin(Z, y) is None


def test_hulls_that_nearly_touch_among_many_samples(monkeypatch):
    Z, y = nearly_touching(1e-8)
    far = np.random.default_rng(0).uniform(1.0, 2.0, (400, 2))
    signs = np.where(np.arange(400) % 2, 1.0, -1.0)
    far[:, 0] *= signs
    Z, y = np.vstack([far, Z]), np.concatenate([signs, y])
    monkeypatch.setattr(margin, "_FEW_SAMPLES", 50)
    monkeypatch.setattr(margin, "_FIRST_ROWS", 20)
    w, b = hard_margin(Z, y)
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0, rel=1e-6)
    assert 2.0 / np.linalg.norm(w) == pytest.approx(1e-8, rel=1e-3)


def test_few_of_many_samples_enter_least_squares(monkeypatch):
    seen = []
    whole = margin._hull_difference
    monkeypatch.setattr(margin, "_hull_difference", lambda Z, y: seen.append(len(y)) or whole(Z, y))
    Z, y = separated(0, n=100_000, k=5)
    w, b = hard_margin(Z, y)
    assert max(seen) < 10_000
    assert len(seen) < 10
    assert (y * (Z @ w + b)).min() == pytest.approx(1.0)
    np.testing.assert_allclose(w, margin._margin_of_all(Z, y)[0], rtol=1e-6)


def test_soft_margin_in_blocks_is_that_of_all(monkeypatch):
    rng = np.random.default_rng(0)
    Z, y = rng.standard_normal((500, 4)), np.where(rng.random(500) < 0.3, 1.0, -1.0)
    cost = rng.uniform(0.1, 10.0, 500)
    w, b = soft_margin(Z, y, cost)
    monkeypatch.setattr(margin, "_BLOCK_VALUES", 7)
    in_blocks = soft_margin(Z, y, cost)
    np.testing.assert_allclose(in_blocks[0], w, rtol=1e-9)
    assert in_blocks[1] == pytest.approx(b, rel=1e-9)


@pytest.mark.parametrize("gap", [0.0, 1.0])
def test_memory_is_that_of_the_samples(gap):
    """Both the hard and the soft margin: less than one further copy of the features."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200_000) % 2, 1.0, -1.0)
    Z = np.asfortranarray(rng.uniform(-1.0, 1.0, (len(y), 10)))
    Z[:, 0] += (1.0 + gap) * y
    with traced_memory() as memory:
        found = hard_margin(Z, y) if gap else soft_margin(Z, y, np.ones(len(y)))
    assert found is not None
    assert memory.peak < Z.nbytes
