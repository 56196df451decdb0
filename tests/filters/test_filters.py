"""Fisher's and Golub's scores, Relief and the weighted vote, against plain loops."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest

from fewest.datasets import make_gaussian
from fewest.filters import WeightedVoteClassifier, fisher_score, golub_score, relief, svm_rfe
from tests.memory import traced_memory

FORMS = [np.asarray, np.asfortranarray, np.float32, sparse.csr_matrix, sparse.csc_matrix]


@pytest.fixture(scope="module")
def data():
    X, y = make_gaussian(n=24, d=30, k=3, mu=1.0, random_state=0)
    X[:, 5] = 4.0
    return np.round(X, 3), np.where(y > 0, "ill", "healthy")


def slow_relief(X, y, rows):
    """Fig. 2.11, with the mean over all iterations."""
    width = np.ptp(X, axis=0)
    Z = (X - X.min(axis=0)) / np.where(width > 0, width, 1.0)
    w = np.zeros(X.shape[1])
    for row in rows:
        distance = np.abs(Z - Z[row]).sum(axis=1)
        distance[row] = np.inf
        hit = min(np.flatnonzero(y == y[row]), key=lambda k: distance[k])
        miss = min(np.flatnonzero(y != y[row]), key=lambda k: distance[k])
        w += np.abs(Z[row] - Z[miss]) - np.abs(Z[row] - Z[hit])
    return w / len(rows)


@pytest.mark.parametrize("form", FORMS)
def test_fisher_and_golub(data, form):
    X, y = data
    a, b = X[y == "healthy"], X[y == "ill"]
    other = np.arange(30) != 5
    difference = (b.mean(axis=0) - a.mean(axis=0))[other]
    fisher = difference**2 / (a.var(axis=0) + b.var(axis=0))[other]
    golub = difference / (a.std(axis=0) + b.std(axis=0))[other]
    np.testing.assert_allclose(fisher_score(form(X), y)[other], fisher, rtol=1e-4)
    np.testing.assert_allclose(golub_score(form(X), y, signed=True)[other], golub, rtol=1e-4)
    np.testing.assert_allclose(golub_score(form(X), y)[other], np.abs(golub), rtol=1e-4)
    assert fisher_score(form(X), y)[5] == golub_score(form(X), y)[5] == 0.0


def test_a_feature_that_is_the_class_scores_infinity(data):
    X, y = data
    X = X.copy()
    X[:, 5] = y == "ill"
    assert fisher_score(X, y)[5] == golub_score(X, y)[5] == np.inf
    assert WeightedVoteClassifier(1).fit(X, y).support_[5]
    assert WeightedVoteClassifier(4).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("form", FORMS)
def test_relief(data, form):
    X, y = data
    expected = slow_relief(X, y, np.arange(24))
    np.testing.assert_allclose(relief(form(X), y), expected, atol=1e-6)
    assert relief(X, y)[5] == 0.0


def test_relief_with_random_draws(data):
    X, y = data
    rows = np.random.RandomState(3).randint(24, size=40)
    found = relief(X, y, n_iterations=40, random_state=3)
    np.testing.assert_allclose(found, slow_relief(X, y, rows), atol=1e-12)


def test_relief_in_several_blocks_and_classes(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 100)), np.arange(30) % 3
    whole = relief(X, y)
    monkeypatch.setattr("fewest._solvers.columns.tiles.BLOCK_VALUES", 1)
    np.testing.assert_allclose(relief(X, y), whole, atol=1e-12)
    np.testing.assert_allclose(whole, slow_relief(X, y, np.arange(30)), atol=1e-12)


def test_numba_is_loaded_on_first_use_only():
    code = "import sys, fewest.filters, fewest.diagnostics; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("score", [fisher_score, golub_score, relief])
def test_scores_work_in_select_k_best(score):
    X, y = make_gaussian(n=60, d=40, k=2, mu=1.5, random_state=0)
    X[:, 0] *= -1  # negative class difference
    chosen = SelectKBest(score, k=2).fit(X, y).get_support(indices=True)
    assert chosen.tolist() == [0, 1]


class TestWeightedVote:
    def test_is_the_formula(self, data):
        X, y = data
        machine = WeightedVoteClassifier(n_features=None).fit(X, y)
        w = golub_score(X, y, signed=True)
        means = [X[y == label].mean(axis=0) for label in machine.classes_]
        expected = (X - np.mean(means, axis=0)) @ w
        np.testing.assert_allclose(machine.decision_function(X), expected)
        np.testing.assert_array_equal(machine.predict(X), np.where(expected > 0, "ill", "healthy"))

    def test_takes_both_signs(self, data):
        X, y = data
        machine = WeightedVoteClassifier(n_features=5).fit(X, y)
        w = machine.coef_[0]
        scores = golub_score(X, y, signed=True)
        assert (w > 0).sum() == 3
        assert (w < 0).sum() == 2
        assert set(np.flatnonzero(w > 0)) == set(np.argsort(-scores)[:3])
        assert machine.transform(X).shape == (24, 5)

    def test_prediction_strength(self, data):
        X, y = data
        machine = WeightedVoteClassifier(n_features=6).fit(X, y)
        votes = machine.coef_[0] * (X - machine.midpoint_)
        expected = np.abs(votes.sum(axis=1)) / np.abs(votes).sum(axis=1)
        for form in (np.asarray, sparse.csr_matrix):
            np.testing.assert_allclose(machine.prediction_strength(form(X)), expected)
        assert machine.prediction_strength(machine.midpoint_[None])[0] == 0.0

    def test_bad_number(self, data):
        with pytest.raises(ValueError, match="n_features must be a whole number"):
            WeightedVoteClassifier(0).fit(*data)


def test_svm_rfe_keeps_the_informative_ones():
    X, y = make_gaussian(n=80, d=40, k=2, mu=1.5, random_state=0)
    assert svm_rfe(2, step=1).fit(X, y).get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("score", "y", "message"),
    [
        (fisher_score, [1, 2, 3, 1], "fisher_score compares two classes, but y has 3"),
        (golub_score, [1, 1, 1, 1], "golub_score needs samples of at least two classes"),
        (relief, [1, 1, 1, 2], "two samples each; class 2 is smaller"),
        (relief, [1, 1, 1, 1], "class 1 is the only one"),
    ],
)
def test_bad_classes(score, y, message):
    with pytest.raises(ValueError, match=message):
        score(np.arange(8.0).reshape(4, 2), y)


@pytest.mark.parametrize("score", [fisher_score, relief])
def test_bad_values(score):
    X = np.array([[1.0, 2.0], [np.nan, 1.0], [0.0, 3.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        score(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="so large that their squares overflow"):
        score(np.where(np.isnan(X), 1e200, X), [0, 0, 1, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_relief_of_many_samples_has_no_matrix_of_all_pairs(monkeypatch, form):
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3 > 0
    X = rng.standard_normal((3000, 8))
    X[:, 0] += 4.0 * y
    expected = slow_relief(X[:90], y[:90], np.arange(90))
    monkeypatch.setattr(sys.modules[relief.__module__], "MOST_COMPARED", 40)
    few = relief(form(X[:90]), y[:90], n_iterations=90, random_state=0)
    rows = np.random.RandomState(0).randint(90, size=90)
    np.testing.assert_allclose(few, slow_relief(X[:90], y[:90], rows), atol=1e-12)
    assert expected.argmax() == few.argmax() == 0
    said = pytest.warns(UserWarning, match="uses 40 of the 3,000 samples, drawn at random")
    with said, traced_memory() as memory:
        found = relief(form(X), y)
    assert memory.peak < 8 * len(y) ** 2 / 4
    assert found.argmax() == 0
