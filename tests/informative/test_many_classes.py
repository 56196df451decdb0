"""More than two classes: votes against scikit-learn, curves against a plain loop, known truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fewest import RepetitiveSelector, SupportFeatureMachine
from fewest.informative import fit_sigmoid, informative_features, random_subset_errors
from fewest.informative._probe import COSTS, make_folds, predict_nested
from fewest.informative._votes import predict_along_costs, weigh_classes_equally

N_FEATURES, INFORMATIVE = 150, 45

# One process makes what the tests share, instead of each.
pytestmark = pytest.mark.xdist_group("informative")


@pytest.fixture(scope="module")
def data():
    """Three classes in five groups; each informative feature is larger in one class."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 2], 30)
    X = rng.standard_normal((90, N_FEATURES))
    which = np.arange(INFORMATIVE) % 3
    X[:, :INFORMATIVE] += 1.6 * (y[:, None] == which)
    order = rng.permutation(N_FEATURES)
    return X[:, order], y, np.repeat(np.arange(5), 18), order < INFORMATIVE


@pytest.fixture(scope="module")
def found(data):
    X, y, groups, _ = data
    machine = SupportFeatureMachine(C=1.0, refit=None)
    return informative_features(
        machine, X, y, groups=groups, every=2, n_permutations=6, random_state=0
    )


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_votes_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.arange(12 * n_classes) % n_classes + 1.0
    X = rng.standard_normal((len(y), 20))
    X[:, :n_classes] += 0.7 * (y[:, None] == np.arange(n_classes) + 1)
    K = X @ X.T / 20
    training, test = np.arange(8 * n_classes), np.arange(8 * n_classes, len(y))
    costs = np.array([1e-3, 0.1, 1.0, 10.0])
    predicted = predict_along_costs(K, y, training, test, costs)
    assert len(np.unique(predicted[1])) == n_classes
    for cost, labels in zip(costs, predicted, strict=True):
        # Equally many samples in each class: all of them weigh the same.
        peer = SVC(kernel="precomputed", C=cost, tol=1e-8, break_ties=n_classes > 2)
        peer.fit(K[np.ix_(training, training)], y[training])
        np.testing.assert_array_equal(labels, peer.predict(K[np.ix_(test, training)]))


def test_a_class_without_training_samples_is_never_predicted():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 5)), np.arange(30) % 3 + 0.0
    K, training = X @ X.T, np.flatnonzero(y < 2)[:12]
    labels = predict_along_costs(K, y, training, np.arange(30), np.array([1.0]))
    assert set(np.unique(labels)) <= {0.0, 1.0}
    alone = predict_along_costs(K, y, np.flatnonzero(y == 1), np.arange(30), np.array([1.0]))
    assert set(np.unique(alone)) == {1.0}


@pytest.mark.filterwarnings("ignore:y_pred contains classes")
def test_weights_make_errors_balanced():
    y = np.array([0, 0, 0, 0, 1, 1, 2, 0])
    wrong = np.array([1, 0, 0, 0, 1, 0, 0, 0])
    expected = 1 - balanced_accuracy_score(y, np.where(wrong, 3 - y, y))
    assert weigh_classes_equally(y) @ wrong / len(y) == pytest.approx(expected)


def test_curves_are_those_of_a_plain_loop(data, found):
    X, y, groups, _ = data
    for fold, left_out in zip(found.folds, np.unique(groups), strict=True):
        test = np.flatnonzero(groups == left_out)
        training = np.flatnonzero(groups != left_out)
        np.testing.assert_array_equal(fold.test, test)
        machine = SupportFeatureMachine(C=1.0, refit=None)
        selector = RepetitiveSelector(machine).fit(X[training], y[training])
        means = [
            [X[rows][y[rows] == label].mean(axis=0) for label in range(3)]
            for rows in (training, test)
        ]
        same = np.mean(
            [
                np.sign(means[0][a] - means[0][b]) == np.sign(means[1][a] - means[1][b])
                for a, b in combinations(range(3), 2)
            ],
            axis=0,
        )
        for place, subset in enumerate(fold.subsets):
            np.testing.assert_array_equal(subset, selector.subsets_[place])
            scores = X[np.ix_(test, subset)] @ selector.coefs_[place].T
            predicted = np.argmax(scores + selector.intercepts_[place], axis=1)
            expected = 1 - balanced_accuracy_score(y[test], predicted)
            assert fold.test_errors[place] == pytest.approx(expected)
            assert fold.agreements[place] == pytest.approx(same[subset].mean())


def test_first_probe_is_a_nested_machine(data, found):
    X, y, groups, _ = data
    first = make_folds(y, groups, None)[0]
    Z = StandardScaler().fit(X[first.training]).transform(X)
    K = Z @ Z.T / N_FEATURES
    predicted, place = predict_nested(K, y.astype(float), first, COSTS)
    assert found.folds[0].probe_costs[0] == COSTS[place]
    expected = 1 - balanced_accuracy_score(y[first.test], predicted)
    assert found.folds[0].probe_errors[0] == pytest.approx(expected)


def test_known_truth_is_found(data, found):
    """30 % of the features carry the class; all errors end at that of guessing."""
    assert found.chance == pytest.approx(2 / 3)
    assert found.sigmoid.chance == found.restricted.chance == found.chance
    assert found.probe_error[0] < 0.05
    assert found.folds[0].chance_errors.mean() == pytest.approx(2 / 3, abs=0.05)
    removed_last = np.mean([fold.probe_errors[-1] for fold in found.folds])
    assert removed_last == pytest.approx(2 / 3, abs=0.12)
    assert found.purity.estimate == pytest.approx(0.3, abs=0.08)
    assert 0.25 < found.band.estimate < 0.6
    assert 0.25 < found.estimate < 0.6


@pytest.mark.slow
def test_names_of_classes_do_not_matter(data, found):
    X, y, groups, _ = data
    again = informative_features(
        SupportFeatureMachine(C=1.0, refit=None),
        X,
        np.array(["a", "b", "c"])[y],
        groups=groups,
        every=2,
        n_permutations=0,
    )
    np.testing.assert_array_equal(again.probe_error, found.probe_error)


def test_sigmoid_meets_the_chance_of_many_classes():
    x = np.linspace(0, 1, 101)
    error = 0.15 + 0.6 / (1 + np.exp(-(x - 0.3) / 0.05))
    curve = fit_sigmoid(x, error, chance=0.75)
    assert curve.crossing == pytest.approx(0.3 + 2 * 0.05, abs=1e-3)
    assert curve.line(curve.crossing) == pytest.approx(0.75)
    rising = fit_sigmoid(x, 0.75 / (1 + np.exp(-(x - 0.4) / 0.06)), restricted=True, chance=0.75)
    assert rising.height == 0.75
    assert rising.position == pytest.approx(0.4, abs=1e-3)
    assert fit_sigmoid(x, np.full(101, 0.74), chance=0.75).estimate == 0.0
    assert fit_sigmoid(x, np.full(101, 0.6), chance=0.75).estimate == 1.0
    with pytest.raises(ValueError, match="chance must be a number between 0 and 1"):
        fit_sigmoid(x, error, chance=1.0)


def test_random_subset_of_all_features_is_a_cross_validated_machine(data):
    X, y, _, _ = data
    folds = StratifiedKFold(3)
    found = random_subset_errors(X, y, cv=folds, n_features=[1, N_FEATURES], n_subsets=2, C=1.0)
    peer = make_pipeline(StandardScaler(), SVC(kernel="linear", C=1.0 / N_FEATURES, tol=1e-8))
    scores = cross_val_score(peer, X, y, cv=folds, scoring="balanced_accuracy")
    np.testing.assert_allclose(found.errors[1], 1.0 - scores.mean())
    assert found.chance == pytest.approx(2 / 3)
    assert found.below_chance[1] == 1.0


def test_groups_and_folds_need_all_classes(data):
    X, y, groups, _ = data
    lacking = (groups != 2) | (y != 1)
    with pytest.raises(ValueError, match=r"group 2 has no samples of class 1.*cv=5"):
        informative_features(None, X[lacking], y[lacking], groups=groups[lacking])
    rows = [(np.arange(60), np.arange(60, 62)), (np.arange(30, 90), np.arange(30))]
    with pytest.raises(ValueError, match="the test part of split 0 does not hold all classes"):
        informative_features(None, X, y, cv=rows)
