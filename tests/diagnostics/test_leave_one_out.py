"""`loo_reliability` against leave-one-out itself."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from fewest.diagnostics import loo_reliability


def data(n, d, mu2, rng, sigma=1.0, tau=1.0):
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) * np.where(y == 0, sigma, tau)[:, None]
    return X + np.sqrt(mu2) * y[:, None], y


def measured(X, y, C=np.inf):
    """Leave-one-out of the machine with kernel x.x' + delta / C."""
    products = X @ X.T
    softened = products + np.eye(len(y)) / C
    wrong = 0
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        machine = SVC(C=1e8, kernel="precomputed").fit(softened[np.ix_(rest, rest)], y[rest])
        wrong += machine.predict(products[[i]][:, rest])[0] != y[i]
    return wrong / len(y)


@pytest.mark.parametrize(
    ("n", "mu2", "limit", "verdict"),
    [
        (8, 0.0, 1.0, "one"),
        (10, 1 / 30, 1.0, "one"),
        (16, 1 / 30, 0.0, "zero"),
        (20, 1 / 30, 0.0, "zero"),
    ],
)
def test_predicts_the_limit(n, mu2, limit, verdict):
    X, y = data(n, 30_000, mu2, np.random.default_rng(n))
    found = loo_reliability(X, y)
    assert (found.limit_error, found.verdict) == (limit, verdict)
    assert measured(X, y) == pytest.approx(limit, abs=0.2)
    assert found.mu2 == pytest.approx(mu2, abs=3 * found.mu2_error)
    if mu2:
        assert found.critical_n == pytest.approx(12.0, abs=1.0)


@pytest.mark.parametrize(("n", "d", "mu2"), [(10, 1000, 0.0), (20, 1000, 0.0), (16, 2000, 0.03)])
def test_predicts_the_error_at_a_finite_dimension(n, d, mu2):
    rng = np.random.default_rng(1)
    errors, predicted = [], []
    for _ in range(15):
        X, y = data(n, d, mu2, rng)
        errors.append(measured(X, y))
        predicted.append(loo_reliability(X, y).predicted_error)
    assert np.mean(predicted) == pytest.approx(np.mean(errors), abs=0.1)


def test_softness_acts_like_more_dimensions():
    rng = np.random.default_rng(2)
    X, y = data(10, 300, 0.0, rng)
    hard, soft = loo_reliability(X, y), loo_reliability(X, y, C=1e-4)
    assert hard.effective_dimension == 300
    assert soft.effective_dimension == 300 + 1e4
    assert soft.predicted_error > hard.predicted_error
    errors = [measured(*data(10, 300, 0.0, rng), C=1e-4) for _ in range(20)]
    assert np.mean(errors) == pytest.approx(soft.predicted_error, abs=0.1)
    apart = X + 0.5 * y[:, None]
    limits = [loo_reliability(apart, y, C=C).critical_n for C in (np.inf, 1e-3, 1e-4)]
    assert limits[0] < limits[1] < limits[2] < np.inf


def test_variances_of_the_classes():
    """Where one class varies more, its samples are lost to the other one."""
    X, y = data(20, 30_000, 0.0, np.random.default_rng(0), sigma=2.0, tau=1.0)
    found = loo_reliability(X, y)
    assert (found.sigma2, found.tau2) == pytest.approx((4.0, 1.0), rel=0.02)
    assert found.limit_error == 0.5
    assert measured(X, y) == pytest.approx(0.5, abs=0.05)
    first, second = 4.0 / (10 - 1) - 1.0 / 10, 1.0 / (10 - 1) - 4.0 / 10
    assert first > found.mu2 > second


def test_estimates_have_no_bias():
    rng = np.random.default_rng(3)
    found = [loo_reliability(*data(9, 40, 0.05, rng, 1.5, 0.5)) for _ in range(300)]
    for name, truth in {"sigma2": 2.25, "tau2": 0.25, "mu2": 0.05}.items():
        values = [getattr(one, name) for one in found]
        error = np.std(values) / np.sqrt(len(values))
        assert np.mean(values) == pytest.approx(truth, abs=4 * error)


def test_standard_error_of_the_distance():
    rng = np.random.default_rng(4)
    found = [loo_reliability(*data(20, 500, 0.02, rng)) for _ in range(300)]
    spread = np.std([one.mu2 for one in found])
    assert np.median([one.mu2_error for one in found]) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize("verdict", ["one", "zero", "close", "pessimistic", "optimistic"])
def test_the_sentence_has_no_error(verdict):
    """An error that is computed from the samples themselves would be read as one of others."""
    noise = loo_reliability(*data(20, 50, 0.0, np.random.default_rng(0)))
    text = replace(noise, verdict=verdict).explanation
    assert text.startswith("Leave-one-out of independent samples")
    assert "%" not in text


def test_close_where_samples_are_many():
    X, y = data(200, 50, 0.0, np.random.default_rng(0))
    found = loo_reliability(X, y)
    assert found.verdict == "close"
    assert "close to the error of new samples" in found.explanation


def test_forms_of_the_data():
    X, y = data(10, 50, 0.1, np.random.default_rng(0))
    plain = loo_reliability(X, y)
    for other in (sparse.csr_matrix(X), np.asfortranarray(X)):
        assert loo_reliability(other, y).mu2 == pytest.approx(plain.mu2)
    scaled = loo_reliability(X * np.arange(1, 51), y, standardize=True)
    assert scaled.mu2 == pytest.approx(loo_reliability(X, y, standardize=True).mu2)
    exchanged = loo_reliability(X, 1 - y)
    assert (exchanged.sigma2, exchanged.tau2) == pytest.approx((plain.tau2, plain.sigma2))
    assert exchanged.predicted_error == pytest.approx(plain.predicted_error)


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        ([0, 0, 0, 0, 0, 1], {}, "two samples of each class and five in all; got 5 and 1"),
        ([0, 1, 2, 0, 1, 2], {}, "loo_reliability compares two classes, but y has 3"),
        ([0, 1, 0, 1, 0, 1], {"C": 0}, "C must be a positive number"),
        ([0, 1], {}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input(y, settings, message):
    X = np.random.default_rng(0).standard_normal((6, 4))
    with pytest.raises(ValueError, match=message):
        loo_reliability(X, y, **settings)
