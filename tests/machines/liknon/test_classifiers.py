"""The subspace classifier, the best of several classifiers, and reference errors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from fewest.datasets import make_banana, make_gaussian
from fewest.machines.classifiers import SubspaceClassifier, choose_classifier, make_classifiers
from fewest.machines.liknon_cv import LiknonCV
from fewest.machines.reference_errors import measure_reference_errors


@parametrize_with_checks([SubspaceClassifier(), SubspaceClassifier(0.8)])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("components", [1, 3, 0.7])
def test_distances_are_those_of_pca(components):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6)), np.repeat(["a", "b", "c"], 20)
    machine = SubspaceClassifier(components).fit(X, y)
    new = rng.normal(size=(30, 6))
    expected = []
    for label in "abc":
        pca = PCA(components).fit(X[y == label])
        expected.append(np.linalg.norm(new - pca.inverse_transform(pca.transform(new)), axis=1))
    np.testing.assert_allclose(machine.measure_distances(new), np.transpose(expected))
    assert machine.predict(new).tolist() == ["abc"[place] for place in np.argmin(expected, axis=0)]


def test_subspaces_never_fill_the_space():
    X, y = make_gaussian(n=20, d=3, k=1, mu=2.0, random_state=0)
    machine = SubspaceClassifier(99).fit(X, y)
    assert [part.shape for part in machine.components_] == [(2, 3), (2, 3)]
    line = SubspaceClassifier().fit(X[:, :1], y)  # without directions: the nearest mean
    halfway = line.means_.mean()
    np.testing.assert_array_equal(line.predict(X[:, :1]), np.where(X[:, 0] > halfway, 1, -1))
    for bad in (0, -1, "all", 1.5):
        with pytest.raises(ValueError, match="n_components"):
            SubspaceClassifier(bad).fit(X, y)


def test_the_best_classifier_is_chosen():
    X, y = make_banana(n_noise=0, random_state=1)
    found = choose_classifier(n_folds=4, random_state=3).fit(X, y)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    scores = {
        name: cross_val_score(one, X, y, cv=folds, scoring="balanced_accuracy").mean()
        for name, one in make_classifiers().items()
    }
    best = make_classifiers()[max(scores, key=scores.get)]
    assert str(found.best_params_["classifier"]) == str(best)
    assert found.best_score_ == pytest.approx(max(scores.values()))
    for wrong in ({"classifiers": {}}, {"n_folds": 1}):
        with pytest.raises(ValueError, match="at least one classifier and two folds"):
            choose_classifier(**wrong)


def test_several_classifiers_in_one_fit():
    X, y = make_banana(random_state=0)
    both = {"subspace": SubspaceClassifier(), "3nn": KNeighborsClassifier(3)}
    machine = LiknonCV(
        5, cv=2, n_splits=2, threshold=0.6, classifier=choose_classifier(both), random_state=0
    ).fit(X, y)
    assert isinstance(machine.classifier_.best_params_["classifier"], KNeighborsClassifier)
    assert machine.score(X, y) > 0.9


def test_reference_errors_by_hand():
    X, y = make_banana(random_state=0)
    mask = np.zeros(100, dtype=bool)
    mask[[28, 29]] = True
    folds = list(StratifiedKFold(3).split(X, y))
    machines = {"3nn": KNeighborsClassifier(3), "subspace": SubspaceClassifier()}
    found = measure_reference_errors(X, y, mask, classifiers=machines, cv=folds)
    assert found.names == ("3nn", "subspace")
    for columns, errors in (([28, 29], found.relevant), (np.arange(100), found.all_features)):
        for row, machine in zip(errors, machines.values(), strict=True):
            for error, (train, test) in zip(row, folds, strict=True):
                machine.fit(X[train][:, columns], y[train])
                predicted = machine.predict(X[test][:, columns])
                assert error == pytest.approx(1 - balanced_accuracy_score(y[test], predicted))
    same = measure_reference_errors(X, y, [28, 29], classifiers=machines, cv=folds)
    np.testing.assert_array_equal(same.relevant, found.relevant)
    assert "relevant       all" in str(found)


@pytest.mark.parametrize("bad", [[], [100], [-1], [0.5], [True, False], "all"])
def test_features_that_are_none(bad):
    X, y = make_banana(random_state=0)
    with pytest.raises(ValueError, match="relevant must be numbers of features, 0 to 99"):
        measure_reference_errors(X, y, bad)
