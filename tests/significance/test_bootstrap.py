"""The bootstrap error and the balanced error."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fewest.datasets import make_gaussian
from fewest.significance import balanced_error, balanced_error_scorer, bootstrap_632
from fewest.significance._resampling import draw_rows, find_units


def test_scorer_is_minus_the_balanced_error():
    X, y = make_gaussian(n=40, d=3, k=1, mu=0.5, positive_fraction=0.25, random_state=0)
    machine = KNeighborsClassifier(3).fit(X, y)
    predicted = machine.predict(X)
    assert balanced_error(y, predicted) == pytest.approx(1 - balanced_accuracy_score(y, predicted))
    assert balanced_error_scorer(machine, X, y) == -balanced_error(y, predicted)
    scores = cross_val_score(DummyClassifier(), X, y, scoring=balanced_error_scorer)
    np.testing.assert_allclose(scores, -0.5)


@pytest.mark.parametrize("error", ["balanced", "plain"])
def test_equals_a_plain_loop(error):
    X, y = make_gaussian(n=40, d=3, k=1, mu=0.5, positive_fraction=0.3, random_state=0)
    machine = KNeighborsClassifier(3)
    found = bootstrap_632(machine, X, y, n_resamples=5, error=error, random_state=4)
    rng = np.random.RandomState(4)
    expected = []
    for _ in range(5):
        inside = rng.randint(40, size=40)
        outside = np.setdiff1d(np.arange(40), inside)
        machine.fit(X[inside], y[inside])
        expected.append(
            [
                balanced_error(y[rows], machine.predict(X[rows]))
                if error == "balanced"
                else np.mean(machine.predict(X[rows]) != y[rows])
                for rows in (outside, inside)
            ]
        )
    np.testing.assert_allclose(np.transpose(expected), [found.test_errors, found.training_errors])
    assert found.error == pytest.approx(np.mean(expected, axis=0)[0])
    assert found.training_error == pytest.approx(np.mean(expected, axis=0)[1])


def test_noise_and_a_machine_without_training_errors():
    errors = []
    for seed in range(10):
        X, y = make_gaussian(n=60, d=5, k=0, random_state=seed)
        found = bootstrap_632(KNeighborsClassifier(1), X, y, n_resamples=10, random_state=0)
        assert found.training_error == 0.0
        errors.append(found.error)
    # Training errors of zero must not lower what is reported: that is guessing, not 0.632 of it.
    assert np.mean(errors) == pytest.approx(0.5, abs=0.04)


def test_groups_stay_together():
    units = np.repeat(np.arange(12), 3)
    y = np.arange(12)[units] % 2
    rng = np.random.RandomState(0)
    share = []
    for _ in range(200):
        inside, outside = draw_rows([find_units(36, units)], y, rng, classes_outside=True)
        assert not set(units[inside]) & set(units[outside])
        share.append(len(outside) / 36)
    assert np.mean(share) == pytest.approx((1 - 1 / 12) ** 12, abs=0.03)
    X = np.random.default_rng(0).standard_normal((36, 2))
    names = np.array(list("abcdefghijkl"))[units]
    found = bootstrap_632(KNeighborsClassifier(1), X, y, groups=names, random_state=0)
    assert found.training_error == 0.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_resamples": 0}, "n_resamples must be a whole number"),
        ({"error": "auc"}, "error must be one of 'balanced', 'plain'"),
        ({"groups": [1, 2]}, "a group for each of the 10 samples"),
        ({"y": [0] * 9 + [1]}, "a class has too few samples"),
    ],
)
def test_bad_input(settings, message):
    X, y = make_gaussian(n=10, d=3, k=1, random_state=0)
    with pytest.raises(ValueError, match=message):
        bootstrap_632(DummyClassifier(), X, settings.pop("y", y), **settings)
