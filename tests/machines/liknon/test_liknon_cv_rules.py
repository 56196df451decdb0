"""Rules about features in LiknonCV: each discriminant is that of Liknon under the same rules."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import Liknon, LiknonCV
from fewest.datasets import make_gaussian

SETTINGS = {"n_splits": 2, "cv": 2, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=60, d=25, k=4, mu=0.9, random_state=1)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize(
    "rules",
    [
        {"include": [20]},
        {"exclude": [0, 3]},
        {"feature_cost": np.linspace(3.0, 0.5, 25)},
        {"signs": {0: -1, 1: 1, 5: 1}, "exclude": [2]},
    ],
    ids=lambda rules: next(iter(rules)),
)
def test_discriminants_are_those_of_liknon(data, rules, standardize):
    X, y = data
    X = X * np.linspace(0.5, 2.0, 25)
    settings = {"standardize": standardize, "outcome": "ensemble"}
    machine = LiknonCV(4, **settings, **SETTINGS, **rules).fit(X, y)
    for path, found in zip(machine.paths_, machine.estimators_, strict=True):
        own = Liknon(C=found.C, standardize=standardize, **rules)
        own.fit(X[path.training], y[path.training])
        np.testing.assert_array_equal(found.features, np.flatnonzero(own.support_))
        np.testing.assert_allclose(found.weights, own.coef_[0, found.features], atol=1e-5)


@pytest.mark.parametrize("outcome", ["profile", "best", "ensemble"])
class TestOutcomes:
    def test_excluded_features_might_as_well_not_exist(self, data, outcome):
        X, y = data
        gone = [1, 7, 8]
        settings = {"outcome": outcome, **SETTINGS}
        machine = LiknonCV(4, exclude=gone, **settings).fit(X, y)
        rest = LiknonCV(4, **settings).fit(np.delete(X, gone, axis=1), y)
        np.testing.assert_array_equal(np.delete(machine.support_, gone), rest.support_)
        np.testing.assert_allclose(machine.validation_ber_, rest.validation_ber_)
        assert machine.temperature_ == pytest.approx(rest.temperature_)

    def test_included_features_are_in_every_discriminant(self, data, outcome):
        X, y = data
        settings = {"outcome": outcome, "prefilter": 6, "monitor": "classifier", **SETTINGS}
        machine = LiknonCV(4, include=[22, 24], **settings).fit(X, y)
        np.testing.assert_array_equal(machine.profile_[:, [22, 24]], 1.0)
        assert machine.support_[[22, 24]].all()
        assert machine.fold_supports_[:, [22, 24]].all()


def test_of_equal_errors_the_cheapest_is_chosen(data):
    X, y = data
    twice, price = np.hstack([X, X]), np.repeat([4.0, 1.0], 25)
    machine = LiknonCV(4, outcome="ensemble", feature_cost=price, **SETTINGS).fit(twice, y)
    assert not machine.support_[:25].any()


def test_groups_are_refused(data):
    with pytest.raises(ValueError, match="LiknonCV takes no feature_groups. Leave groups out, or"):
        LiknonCV(4, feature_groups=np.arange(25)).fit(*data)
