"""Relations by kernels: values, names, and what goes wrong."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel

from fewest import PotentialSVC, PotentialSVR
from fewest.psvm.kernels import (
    KERNEL_NAMES,
    compute_kernel,
    find_gamma,
    plummer_kernel,
    sine_kernel,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(30, 2))
    return X, np.where(X[:, 0] > 0.5, 1, -1)


def distances(X, Z):
    return np.sqrt(((X[:, None] - Z[None]) ** 2).sum(axis=-1))


@pytest.mark.parametrize(
    ("kernel", "arguments", "expected"),
    [
        ("linear", {}, lambda X, Z: X @ Z.T),
        (
            "sine",
            {"theta": 0.7, "squared": True},
            lambda X, Z: np.sin(0.7 * distances(X, Z) ** 2),
        ),
        ("rbf", {"gamma": 0.7}, lambda X, Z: np.exp(-0.7 * distances(X, Z) ** 2)),
        (
            "poly",
            {"gamma": 2.0, "degree": 3, "coef0": 0.5},
            lambda X, Z: (2.0 * X @ Z.T + 0.5) ** 3,
        ),
        ("plummer", {"rho": 0.3, "zeta": 2.0}, lambda X, Z: 1 / (distances(X, Z) + 0.3) ** 2),
        ("sine", {"theta": 5.0}, lambda X, Z: np.sin(5.0 * distances(X, Z))),
        ("laplacian", {"gamma": 1.5}, lambda X, Z: laplacian_kernel(X, Z, 1.5)),
        ("manhattan", {}, lambda X, Z: np.abs(X[:, None] - Z[None]).sum(axis=-1)),
        (lambda X, Z, shift: X @ Z.T + shift, {"shift": 3.0}, lambda X, Z: X @ Z.T + 3.0),
    ],
)
def test_values(kernel, arguments, expected):
    rng = np.random.default_rng(1)
    X, Z = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))
    K = compute_kernel(kernel, X, Z, arguments)
    assert K.shape == (5, 4)
    np.testing.assert_allclose(K, expected(X, Z), rtol=1e-12, atol=1e-12)


def test_the_sine_kernel_is_indefinite():
    X = np.random.default_rng(2).standard_normal((20, 2))
    eigenvalues = np.linalg.eigvalsh(sine_kernel(X, X, theta=3.0))
    assert eigenvalues.min() < -0.1
    assert eigenvalues.max() > 0.1


def test_the_plummer_kernel_falls_with_the_distance():
    values = plummer_kernel([[0.0]], [[0.0], [1.0], [2.0]], rho=2.0, zeta=1.0)
    np.testing.assert_allclose(values, [[1 / 2, 1 / 3, 1 / 4]])


@pytest.mark.parametrize("name", [name for name in KERNEL_NAMES if name != "precomputed"])
def test_every_name_can_be_fitted(name, data):
    X, y = data
    machine = PotentialSVC(kernel=name).fit(X, y)
    assert machine.predict(X).shape == y.shape
    assert machine.coef_.shape == (1, len(X))


def test_gamma_has_scikit_learns_meaning(data):
    X, _ = data
    assert find_gamma("scale", X) == pytest.approx(1 / (2 * X.var()))
    assert find_gamma("scale", sparse.csr_matrix(X)) == pytest.approx(1 / (2 * X.var()))
    assert find_gamma("auto", X) == 0.5
    assert find_gamma(3, X) == 3.0
    assert find_gamma("scale", np.ones((3, 2))) == 1.0


def test_parameters_reach_the_kernel(data):
    X, y = data
    for parameters, expected in (
        ({"kernel": "laplacian", "gamma": 2.0}, laplacian_kernel(X, X, 2.0)),
        ({"kernel": "laplacian", "kernel_params": {"gamma": 3.0}}, laplacian_kernel(X, X, 3.0)),
        ({"kernel": "poly", "gamma": 1.0, "degree": 2, "coef0": 0.5}, (X @ X.T + 0.5) ** 2),
        ({"kernel": "plummer", "rho": 0.5, "zeta": 3.0}, (distances(X, X) + 0.5) ** -3.0),
    ):
        machine = PotentialSVC(**parameters).fit(X, y)
        np.testing.assert_allclose(machine.mean_, expected.mean(axis=0), rtol=1e-10)


def test_sparse_vectors_give_the_same_relations(data):
    X, y = data
    dense = PotentialSVC(kernel="sine", theta=3.0).fit(X, y)
    thin = PotentialSVC(kernel="sine", theta=3.0).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-5
    )


def nan_kernel(X, Z):
    K = X @ Z.T
    K[0, 0] = np.nan
    return K


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": nan_kernel}, r"the kernel nan_kernel returned 1 value\(s\) that are NaN"),
        ({"kernel": "poly", "degree": 400, "coef0": 1e3}, r"'poly' returned 900 value\(s\)"),
        ({"kernel": lambda X, Z: X @ Z[0]}, r"must return a matrix of shape \(30, 30\)"),
        ({"kernel": lambda X, Z: "none"}, "must return a matrix of numbers"),
        ({"kernel": "cubic"}, "kernel must be a function .* got 'cubic'"),
        ({"kernel": 3}, "kernel must be a function .* got 3"),
        ({"gamma": 0.0}, "gamma must be 'scale', 'auto' or a positive number; got 0.0"),
        ({"gamma": "wide"}, "gamma must be .* got 'wide'"),
        ({"kernel_params": 3}, "kernel_params must be None or a dict"),
        ({"rho": 0}, "rho must be a positive number"),
    ],
)
def test_bad_kernels(parameters, message, data):
    with pytest.raises(ValueError, match=message):
        PotentialSVC(**parameters).fit(*data)


def test_a_kernel_that_fails_on_new_samples_is_noticed(data):
    X, y = data
    machine = PotentialSVR(kernel=lambda X, Z: np.log(X @ Z.T)).fit(X, y)
    with pytest.raises(ValueError, match=r"lambda.* returned .* NaN or infinite"):
        machine.predict(-X)


def test_the_squared_sine_is_asked_for_by_kernel_params(data):
    X, y = data
    named = PotentialSVC(kernel="sine", theta=3.0, kernel_params={"squared": True}).fit(X, y)
    by_hand = PotentialSVC(kernel="precomputed").fit(np.sin(3.0 * distances(X, X) ** 2), y)
    np.testing.assert_allclose(named.coef_, by_hand.coef_, atol=1e-4)
