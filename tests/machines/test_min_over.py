"""SoftDoubleMinOver against Newton's method and against libsvm."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from fewest._solvers.margin import hard_margin, soft_margin
from fewest.datasets import make_gaussian
from fewest.machines.min_over import SoftDoubleMinOver


@pytest.mark.parametrize("C", [0.2, 1.0, 4.0])
def test_soft_margin(C):
    X, y = make_gaussian(n=40, d=4, k=2, mu=0.7, random_state=0)
    machine = SoftDoubleMinOver(C, tol=1e-3).fit(X, y)
    w, b = soft_margin(X, y.astype(float), np.full(40, C * 4))  # which divides by the 4 features
    scale = np.abs(w).max()
    np.testing.assert_allclose(machine.coef_[0], w, atol=0.02 * scale)
    assert machine.intercept_[0] == pytest.approx(b, abs=0.02 * max(1.0, scale))


def test_hard_margin_and_its_proof():
    X, y = make_gaussian(n=30, d=50, k=2, mu=1.5, random_state=0)
    w, _ = hard_margin(X, y.astype(float))
    largest = 1.0 / np.linalg.norm(w)
    for tol in (0.1, 0.01):
        machine = SoftDoubleMinOver(np.inf, tol=tol).fit(X, y)
        margins = y * machine.decision_function(X)
        reached = margins.min() / np.linalg.norm(machine.coef_)
        assert margins.min() == pytest.approx(1.0)
        assert machine.gap_ <= tol
        assert (1 - machine.gap_) * largest <= reached * (1 + 1e-9) <= largest * (1 + 1e-8)


def test_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.hypot(*X.T) > 1.2
    machine = SoftDoubleMinOver(10.0, kernel="rbf", tol=1e-3).fit(X, y)
    softened = rbf_kernel(X) + np.eye(60) / 10.0
    peer = SVC(C=1e6, kernel="precomputed").fit(softened, y)
    new = rng.standard_normal((200, 2))
    expected = peer.decision_function(rbf_kernel(new, X))
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=0.05)
    assert not hasattr(machine, "coef_")


def test_overlap_and_too_few_steps():
    X, y = np.array([[0.0], [1.3], [2.0], [3.1]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="no separating hyperplane after 1000 steps"):
        SoftDoubleMinOver(np.inf, max_iter=1000).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps: raise max_iter or tol"):
        SoftDoubleMinOver(max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="C must be a positive number"):
        SoftDoubleMinOver(0.0).fit(X, y)


def published_loop(X, y, C, steps):
    """SoftDoubleMinOver as Klement's thesis (2013, fig. 2.4) prints it."""
    kernel = X @ X.T + np.eye(len(X)) / C
    alpha = np.zeros(len(X))
    for _ in range(steps):
        r = y * (kernel @ (y * alpha))
        best = [min(np.flatnonzero(y == sign), key=lambda i: r[i]) for sign in (1, -1)]
        alpha[best] += 1.0
    return alpha


@pytest.mark.parametrize("steps", [1, 2, 7, 50])
def test_both_samples_come_from_the_same_residuals(steps):
    X, y = make_gaussian(n=20, d=3, k=2, mu=0.5, random_state=0)
    with pytest.warns(ConvergenceWarning):
        machine = SoftDoubleMinOver(2.0, tol=1e-9, max_iter=steps).fit(X, y)
    expected = published_loop(X, y, 2.0, steps)
    np.testing.assert_allclose(machine.alpha_ / machine.alpha_.sum(), expected / expected.sum())


@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 5.0}])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_class_weights_and_no_bias(class_weight, fit_intercept):
    X, y = make_gaussian(60, 4, 2, 0.7, positive_fraction=0.2, random_state=0)
    machine = SoftDoubleMinOver(
        0.5, class_weight=class_weight, fit_intercept=fit_intercept, tol=1e-4, max_iter=1_000_000
    ).fit(X, y)
    w, b = _by_newton(X, y, 0.5, class_weight, fit_intercept)
    np.testing.assert_allclose(machine.coef_[0], w, atol=0.01)
    assert machine.intercept_[0] == pytest.approx(b, abs=0.01)
    assert machine.gap_ <= 1e-4


def _by_newton(X, y, C, class_weight, fit_intercept):
    """The same program, as a smooth function of the hyperplane alone."""
    share = np.mean(y == 1)
    factors = {None: (1, 1), "balanced": (0.5 / share, 0.5 / (1 - share))}
    plus, minus = (5, 1) if isinstance(class_weight, dict) else factors[class_weight]
    cost = C * np.where(y == 1, plus, minus)

    def value(plane):
        scores = X @ plane[:-1] + plane[-1] * fit_intercept
        return plane[:-1] @ plane[:-1] / 2 + cost @ np.maximum(0.0, 1.0 - y * scores) ** 2 / 2

    plane = minimize(value, np.zeros(X.shape[1] + 1), options={"gtol": 1e-8}).x
    return plane[:-1], plane[-1] * fit_intercept


def test_hard_margin_without_a_bias():
    X, y = make_gaussian(n=30, d=50, k=2, mu=1.5, random_state=0)
    machine = SoftDoubleMinOver(np.inf, fit_intercept=False).fit(X, y)
    Z = y[:, None] * X
    # The largest margin is the distance of the hull of the y_i x_i from the origin.
    system, target = np.vstack([Z.T, 1e3 * np.ones(30)]), np.append(np.zeros(50), 1e3)
    shares = nnls(system, target)[0]
    largest = np.linalg.norm(Z.T @ shares)
    reached = (y * machine.decision_function(X)).min() / np.linalg.norm(machine.coef_)
    assert machine.intercept_[0] == 0.0
    assert 0.99 * largest <= reached <= largest * (1 + 1e-4)
    with pytest.raises(ValueError, match="no separating hyperplane"):
        SoftDoubleMinOver(np.inf, fit_intercept=False, max_iter=500).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="fit_intercept must be True or False"):
        SoftDoubleMinOver(fit_intercept=None).fit(X, y)
