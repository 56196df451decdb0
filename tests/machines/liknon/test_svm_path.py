"""The exact path of the two-norm machine, against libsvm and its own optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fewest.datasets import make_gaussian
from fewest.machines.svm_path import exact_svm_path


def objective(Z, y, w, b, C):
    return w @ w / 2 + C * np.maximum(0, 1 - y * (Z @ w + b)).sum()


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("positive", [0.5, 0.35])
@pytest.mark.parametrize(("n", "d"), [(40, 5), (50, 2), (60, 90)])
def test_equals_libsvm_at_any_cost(n, d, positive, standardize):
    X, y = make_gaussian(n=n, d=d, k=2, mu=0.7, positive_fraction=positive, random_state=n)
    X = 3.0 * X + 1.0
    path = exact_svm_path(X, y, C_max=5.0, standardize=standardize)
    assert path.complete
    assert path.gaps.max() < 1e-7
    assert np.all(np.diff(path.Cs) > 0)
    scale = X.std(axis=0) if standardize else np.ones(d)
    Z = (X - X.mean(axis=0)) / scale
    between = np.sqrt(path.Cs[1:] * path.Cs[:-1])
    for C in [*path.Cs[:: len(path.Cs) // 4], *between[:: len(between) // 4]]:
        machine = SVC(kernel="linear", C=C, tol=1e-9).fit(Z, y)
        coef, intercept = path.solve_at(C)
        np.testing.assert_allclose(coef * scale, machine.coef_[0], atol=1e-4)
        ours = objective(X / scale, y, coef * scale, intercept, C)
        theirs = objective(Z, y, machine.coef_[0], machine.intercept_, C)
        assert ours <= theirs * (1 + 1e-7)  # libsvm stops a little before the optimum


def test_nothing_bends_before_the_first_cost():
    # Equal classes: all alpha = C, so w = C a until two samples reach the margin.
    X, y = make_gaussian(n=30, d=4, k=1, mu=1.0, random_state=0)
    path = exact_svm_path(X, y, standardize=False)
    a = X[y > 0].sum(axis=0) - X[y < 0].sum(axis=0)
    first = 2 / ((X[y > 0] @ a).max() - (X[y < 0] @ a).min())
    assert path.Cs[0] == pytest.approx(first)
    np.testing.assert_allclose(path.coefs[0], first * a)
    assert path.ratios[0] == pytest.approx(first)


def test_any_beginning_is_on_the_same_path():
    X, y = make_gaussian(n=50, d=20, k=2, mu=0.5, random_state=1)
    whole = exact_svm_path(X, y, C_max=1.0)
    part = exact_svm_path(X, y, C_min=0.03, C_max=1.0)
    assert part.Cs[0] == pytest.approx(0.03)
    np.testing.assert_allclose(part.Cs[1:], whole.Cs[whole.Cs > 0.03], rtol=1e-6)
    for place in (0, len(part.Cs) // 2, -1):
        coef, intercept = whole.solve_at(np.clip(part.Cs[place], whole.Cs[0], whole.Cs[-1]))
        np.testing.assert_allclose(part.coefs[place], coef, atol=1e-6)
        assert part.intercepts[place] == pytest.approx(intercept, abs=1e-6)


def test_ties_and_repeated_samples():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(40, 3)).astype(float)
    X = np.vstack([X, X[:10]])
    y = np.where(X[:, 0] + rng.normal(0, 1, 50) > 1, 1, -1)
    path = exact_svm_path(X, y, C_max=3.0, standardize=False)
    assert path.complete
    for C in np.geomspace(path.Cs[0], 3.0, 6):
        machine = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
        ours = objective(X, y, *path.solve_at(min(C, path.Cs[-1])), C)
        theirs = objective(X, y, machine.coef_[0], machine.intercept_, C)
        assert ours == pytest.approx(theirs, rel=1e-5)


def test_ratio_of_the_chapter_never_exceeds_the_cost():
    for scale in (0.01, 1.0, 100.0):
        X, y = make_gaussian(n=60, d=30, k=3, mu=0.5, positive_fraction=0.4, random_state=2)
        path = exact_svm_path(scale * X, y, standardize=False, C_max=10 / scale**2)
        assert np.all(path.ratios <= path.Cs * (1 + 1e-9))


def test_threshold():
    X, y = make_gaussian(n=60, d=10, k=2, mu=1.0, random_state=0)
    path = exact_svm_path(X, y, C_max=0.1)
    np.testing.assert_array_equal(path.select(0.2), np.abs(path.coefs) > 0.2)
    largest = np.abs(path.coefs).max(axis=1)
    np.testing.assert_array_equal(
        path.select(0.5, relative=True), np.abs(path.coefs) > 0.5 * largest[:, None]
    )
    assert np.all(path.select(0.5, relative=True).sum(axis=1) >= 1)
    assert path.select(0.0).all()


def test_sparse_is_dense():
    X, y = make_gaussian(n=40, d=10, k=2, mu=1.0, random_state=0)
    X[np.abs(X) < 0.5] = 0.0
    dense, other = (exact_svm_path(one, y, C_max=0.5) for one in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(other.Cs, dense.Cs)
    np.testing.assert_allclose(other.coefs, dense.coefs, atol=1e-10)


def test_limits_and_refusals():
    X, y = make_gaussian(n=40, d=10, k=2, mu=0.5, random_state=0)
    short = exact_svm_path(X, y, max_solutions=5)
    assert len(short.Cs) == 5
    assert not short.complete
    tiny = exact_svm_path(X, y, C_max=1e-5)
    assert tiny.complete
    assert len(tiny.Cs) == 1
    assert tiny.solve_at(tiny.Cs[0])[0].shape == (10,)
    with pytest.raises(ValueError, match="must be on the path"):
        short.solve_at(1e9)
    with pytest.raises(ValueError, match="below C_max"):
        exact_svm_path(X, y, C_min=2.0, C_max=1.0)
    with pytest.raises(ValueError, match="C_max must be a positive number"):
        exact_svm_path(X, y, C_max=-1.0)
    with pytest.raises(ValueError, match="threshold must be"):
        short.select(-0.1)
    with pytest.raises(ValueError, match="compares two classes"):
        exact_svm_path(X, np.arange(40) % 3)


def test_a_path_that_is_not_exact_is_told(monkeypatch):
    X, y = make_gaussian(n=40, d=10, k=2, mu=0.5, random_state=0)
    monkeypatch.setattr("fewest.machines.svm_path._LARGEST_GAP", -1.0)
    with pytest.warns(ConvergenceWarning, match="the path is not exact"):
        exact_svm_path(X, y, C_max=0.1)
