"""`certify=True` under rules about features: equal to trying all sets."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

import fewest
from fewest import NotSeparableError, SupportFeatureMachine
from fewest._estimators.rules import read_rules
from fewest.minimum import RuledMinimum

D = 7


def separates(X, y, features, signs):
    """Whether the features separate strictly, with weights of these signs (0 for either)."""
    if not len(features):
        return False
    block = X[:, features]
    A = -y[:, None] * np.column_stack([block, np.ones(len(y))])
    bounds = [(0.0 if s > 0 else None, 0.0 if s < 0 else None) for s in signs[features]]
    found = linprog(
        np.zeros(len(features) + 1), A, -np.ones(len(y)), bounds=[*bounds, (None, None)]
    )
    return found.status == 0


def try_all(X, y, rules):
    """The lowest price of any set that keeps the rules and separates; infinite without any."""
    signs = np.zeros(D, dtype=int) if rules.weight_signs is None else rules.weight_signs
    means = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    barred = rules.excluded | ((signs * means <= 0.0) & (signs != 0))
    allowed = np.flatnonzero(~barred & ~rules.included)
    forced = np.flatnonzero(rules.included)
    best = np.inf
    for size in range(len(allowed) + 1):
        for chosen in combinations(allowed.tolist(), size):
            features = np.union1d(forced, chosen).astype(int)
            if len(rules.find_crowded(features, np.ones(len(features)))):
                continue
            price = rules.terms.total(features)
            if price < best and separates(X, y, features, signs):
                best = price
    return best


def draw_rules(rng, kind):
    groups = rng.integers(0, 4, D)
    return {
        "include": {"include": [int(rng.integers(D))]},
        "exclude": {"exclude": rng.choice(D, 2, replace=False)},
        "prices": {"feature_cost": rng.uniform(0.5, 4.0, D)},
        "groups": {"feature_groups": groups, "feature_cost": rng.integers(1, 4, D)},
        "one per group": {"feature_groups": groups, "one_per_group": True},
        "signs": {"signs": rng.integers(-1, 2, D), "include": [int(rng.integers(D))]},
    }[kind]


def fit_or_refuse(machine, X, y):
    """What is proven, which may be that there is no set; None where the fit is refused already."""
    try:
        with warnings.catch_warnings():  # samples of both classes lie on the hyperplane
            warnings.simplefilter("ignore", ConvergenceWarning)
            return machine.fit(X, y).minimum_
    except NotSeparableError:
        return None


@pytest.mark.parametrize(
    "kind", ["include", "exclude", "prices", "groups", "one per group", "signs"]
)
@pytest.mark.parametrize("seed", range(6))
def test_equal_to_trying_all_sets(kind, seed):
    rng = np.random.default_rng([seed, len(kind)])
    X = rng.integers(-3, 4, (14, D)).astype(float)
    weights = np.where(rng.random(D) < 0.6, rng.standard_normal(D), 0.0)
    y = np.where(X @ weights + 0.1 * rng.standard_normal(14) > 0, 1, -1)
    if len(np.unique(y)) < 2:
        y[0] = -y[0]
    given = draw_rules(rng, kind)
    rules = read_rules(D, **given)
    wanted = try_all(X, y, rules)
    machine = SupportFeatureMachine(C=np.inf, certify=True, **given)
    if np.isinf(wanted):
        outcome = fit_or_refuse(machine, X, y)
        assert outcome is None or (outcome.size is None and outcome.certified)
        return
    machine.fit(X, y)
    minimum = machine.minimum_
    assert isinstance(minimum, RuledMinimum)
    assert minimum.certified
    assert minimum.price == pytest.approx(wanted)
    chosen = np.flatnonzero(machine.support_)
    assert rules.terms.total(chosen) == pytest.approx(wanted)
    assert rules.included[~machine.support_].sum() == 0
    assert not rules.excluded[chosen].any()
    assert not len(rules.find_crowded(chosen, np.ones(len(chosen))))
    assert not len(rules.find_turned(chosen, machine.coef_[0, chosen]))
    np.testing.assert_array_equal(machine.predict(X), y)
    assert minimum.verify(X, y)


@pytest.mark.parametrize("needed", [1e12, 1.0])
def test_prices_are_compared_as_they_are(needed):
    """The machine's own set costs 4 more than the cheapest one, beside a price of 1e12."""
    rng = np.random.default_rng(21)
    X = rng.standard_normal((14, 8))
    y = (X[:, :3] @ rng.standard_normal(3) > 0).astype(int)
    y[:2] = 0, 1
    prices = rng.choice([1.0, 2.0, 3.0], 8)
    prices[0] = needed
    machine = SupportFeatureMachine(C=np.inf, certify=True, feature_cost=prices).fit(X, y)
    minimum = machine.minimum_
    assert minimum.certified
    assert prices[machine.support_].sum() == minimum.price
    assert np.flatnonzero(machine.support_).tolist() == minimum.subsets[0].tolist() == [0, 3, 5]


def test_every_class_of_three_and_a_model_file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 12))
    y = np.repeat([0, 1, 2], 10)
    X[np.arange(30), y] += 6.0
    machine = SupportFeatureMachine(
        C=np.inf, certify=True, include=[5], exclude=[9], feature_cost={0: 3.0}
    ).fit(X, y)
    assert all(isinstance(one, RuledMinimum) and one.certified for one in machine.minima_)
    assert machine.supports_[:, 5].all()
    assert not machine.support_[9]
    path = tmp_path / "machine.fewest"
    fewest.save(machine, path)
    loaded = fewest.load(path)
    np.testing.assert_array_equal(loaded.predict_proba(X), machine.predict_proba(X))
    for one, other in zip(loaded.minima_, machine.minima_, strict=True):
        assert one.price == other.price
        np.testing.assert_array_equal(one.rules.price, other.rules.price)
        assert one.verify(X, np.where(y == 0, 1.0, -1.0)) == other.verify(
            X, np.where(y == 0, 1.0, -1.0)
        )
