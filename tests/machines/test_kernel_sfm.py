"""The machine on kernels, against the linear program on the whole kernel matrix."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from fewest import KernelFeatureMachine, NotSeparableError, SupportFeatureMachine

KERNELS = {
    "rbf": rbf_kernel,
    "laplacian": laplacian_kernel,
    "polynomial": lambda X, Z, gamma: polynomial_kernel(X, Z, degree=2, gamma=gamma),
}


def crosswise(n, n_noise=0, seed=0):
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 2 + n_noise))
    return X, X[:, 0] * X[:, 1] > 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_is_the_linear_machine_on_the_kernel_matrix(kernel):
    X, y = crosswise(80)
    new = crosswise(50, seed=1)[0]
    machine = KernelFeatureMachine(2.0, kernel=kernel, gamma=1.5).fit(X, y)
    K = KERNELS[kernel](X, X, gamma=1.5)
    peer = SupportFeatureMachine(2.0).fit(K, y)
    np.testing.assert_array_equal(machine.support_samples_, np.flatnonzero(peer.support_))
    expected = peer.decision_function(KERNELS[kernel](new, X, gamma=1.5))
    np.testing.assert_allclose(machine.decision_function(new), expected, rtol=1e-6, atol=1e-9)
    assert machine.gap_ < 1e-7
    assert len(machine.support_vectors_) < 20


def test_hard_machine_starts_from_the_smallest_one_norm():
    """Its first program, solved whole by scipy: no smaller sum of weights separates the columns."""
    X, y = make_moons(40, noise=0.05, random_state=0)
    signs = np.where(y == 1, 1.0, -1.0)
    machine = KernelFeatureMachine(np.inf, gamma=2.0).fit(X, y)
    assert np.all(signs * machine.decision_function(X) > 0)
    K = rbf_kernel(X, gamma=2.0)
    Z = (K - K.mean(axis=0)) / K.std(axis=0)
    rows = -signs[:, None] * np.column_stack([Z, -Z, np.ones(40)])
    means = Z[y == 1].mean(axis=0) - Z[y == 0].mean(axis=0)
    whole = linprog(
        np.append(np.ones(80), 0.0),
        rows,
        np.zeros(40),
        np.concatenate([means, -means, [0.0]])[None],
        [1.0],
        bounds=[(0, None)] * 80 + [(None, None)],
    )
    first = SupportFeatureMachine(np.inf).fit(K, y).result_.steps[0]
    assert first.objective == pytest.approx(whole.fun, rel=1e-6)
    assert len(machine.support_samples_) <= np.count_nonzero(whole.x[:80] > 1e-9)


def test_curved_boundaries_with_few_samples():
    X, y = make_circles(300, noise=0.05, factor=0.5, random_state=0)
    machine = KernelFeatureMachine().fit(X[:150], y[:150])
    peer = SVC().fit(X[:150], y[:150])
    assert machine.score(X[150:], y[150:]) > 0.97
    assert SupportFeatureMachine().fit(X[:150], y[:150]).score(X[150:], y[150:]) < 0.7
    assert len(machine.support_samples_) * 4 < len(peer.support_)


def test_noise_features_drown_the_kernel():
    """What the documentation says of it: it does not select features."""
    X, y = crosswise(700, n_noise=64)
    machine = KernelFeatureMachine().fit(X[:200], y[:200])
    assert machine.score(X[200:], y[200:]) < 0.6


def test_more_than_two_classes_and_default_width():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [0.0, 3.0], [3.0, 0.0], [3.0, 3.0]])
    X = np.repeat(centres, 20, axis=0) + 0.5 * rng.standard_normal((80, 2))
    y = np.repeat(["a", "b", "c", "a"], 20)
    machine = KernelFeatureMachine().fit(X, y)
    assert machine.gamma_ == pytest.approx(1 / (2 * X.var()))
    assert machine.decision_function(X).shape == (80, 3)
    assert machine.score(X, y) > 0.97


def test_bad_input():
    X, y = crosswise(30)
    for wrong, message in [
        ({"kernel": "magic"}, "kernel must be one of 'rbf', 'laplacian'"),
        ({"gamma": 0.0}, "gamma must be a positive number"),
        ({"degree": 0}, "degree must be a whole number"),
        ({"C": -1.0}, "C must be a positive number"),
        ({"refit": "yes"}, "refit must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            KernelFeatureMachine(**wrong).fit(X, y)
    with pytest.raises(NotSeparableError):
        KernelFeatureMachine(np.inf, kernel="linear").fit(X, y)
