"""SoftDoubleMinOver against Newton's method and against libsvm."""

import numpy as np
import pytest
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
    X, y = np.array([[0.0], [1.0], [2.0], [3.1]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="no separating hyperplane after 1000 steps"):
        SoftDoubleMinOver(np.inf, max_iter=1000).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps: raise max_iter or tol"):
        SoftDoubleMinOver(max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="C must be a positive number"):
        SoftDoubleMinOver(0.0).fit(X, y)
