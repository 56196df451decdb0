"""The classifier on several subsets together, and its greedy variant."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fewest import AccumulatedClassifier, RepetitiveSelector
from fewest._estimators.splits import balanced_error
from fewest.datasets import make_gaussian


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=50, d=400, k=20, mu=0.7, random_state=0)


def svm():
    return make_pipeline(StandardScaler(), SVC(kernel="linear", C=1.0))


def test_joins_the_smallest_subsets(data):
    X, y = data
    selector = RepetitiveSelector(n_subsets=6)
    machine = AccumulatedClassifier(selector, n_subsets=3).fit(X, y)
    features = selector.fit(X, y).features(3)
    assert np.array_equal(machine.get_support(indices=True), features)
    assert np.array_equal(machine.joined_, selector.ranking_[:3])
    expected = svm().fit(X[:, features], y)
    assert np.array_equal(machine.predict(X), expected.predict(X[:, features]))
    scores = expected.decision_function(X[:, features])
    assert machine.decision_function(X) == pytest.approx(scores)
    assert np.array_equal(machine.transform(X), X[:, features])


def test_greedy_lets_a_subset_join_only_if_the_error_falls(data):
    X, y = data
    machine = AccumulatedClassifier(
        RepetitiveSelector(n_subsets=8), classifier=SVC(kernel="linear"), greedy=True, cv=4
    ).fit(X, y)
    joined, best = [], np.inf
    for place, subset in enumerate(machine.selector_.subsets_):
        features = np.sort(
            np.concatenate([*[machine.selector_.subsets_[j] for j in joined], subset])
        )
        predicted = cross_val_predict(SVC(kernel="linear"), X[:, features], y, cv=4)
        # All folds have equal classes here, so that the mean over folds is that over samples.
        error = balanced_error(y, predicted)
        assert machine.cv_errors_[place] == pytest.approx(error, abs=0.02)
        if machine.cv_errors_[place] < best:
            joined.append(place)
            best = machine.cv_errors_[place]
    assert machine.joined_.tolist() == joined
    assert 1 < len(joined) < 8


def test_greedy_respects_groups_and_is_verbose(data, capsys):
    X, y = data
    groups = np.arange(50) // 5
    AccumulatedClassifier(
        RepetitiveSelector(n_subsets=2), greedy=True, cv=GroupKFold(3), verbose=2
    ).fit(X, y, groups=groups)
    assert "subset 0: error" in capsys.readouterr().out
    with pytest.raises(ValueError, match="groups"):
        AccumulatedClassifier(greedy=True, cv=GroupKFold(3)).fit(X, y)


def test_sparse_data(data):
    X, y = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    selector = RepetitiveSelector(n_subsets=3)
    dense = AccumulatedClassifier(selector).fit(X, y)
    thin = AccumulatedClassifier(selector).fit(sparse.csr_array(X), y)
    assert np.array_equal(thin.support_, dense.support_)
    assert np.array_equal(thin.predict(sparse.csr_array(X)), dense.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_subsets": 0}, "n_subsets must be a whole number of at least one"),
        ({"greedy": "yes"}, "greedy must be True or False"),
    ],
)
def test_bad_parameters(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        AccumulatedClassifier(**parameters).fit(*data)
