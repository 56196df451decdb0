"""Prices are relative: in euros, cents or minutes, every machine selects and predicts the same."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import fewest
from fewest import (
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    PotentialSVR,
    PotentialSVRCV,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
    error_front,
    minimum_features,
)

UNITS = [1e-6, 0.01, 100.0, 3e9]
TABLE = {"kernel": "precomputed", "row_objects": None}  # columns are features
MACHINES = {
    "sfm": SupportFeatureMachine(C=1.0),
    "sfm, hard": SupportFeatureMachine(C=np.inf),
    "sfm, margins": SupportFeatureMachine(C=1.0, constraint="mean_margin", reweight="both"),
    "sfm, certified": SupportFeatureMachine(C=np.inf, certify=True),
    "sfm, a panel": SupportFeatureMachine(max_features=4),
    "sfm, C by cross-validation": SupportFeatureMachineCV(cv=3, n_Cs=3),
    "union": UnionFeatureMachine(C=1.0),
    "zero-norm": ZeroNormSVM(C=2.0),
    "liknon": Liknon(C=0.2),
    "liknon, C by cross-validation": LiknonCV(n_Cs=3, n_splits=2, random_state=0),
    "concave": FeatureSelectionConcave(lam=0.05),
    "potential": PotentialSVC(epsilon=1.0, **TABLE),
    "potential, by cross-validation": PotentialSVCCV(cv=3, **TABLE),
    "potential, regression": PotentialSVR(epsilon=1.0, **TABLE),
    "potential, regression by cross-validation": PotentialSVRCV(cv=3, **TABLE),
    "potential, ranking": PotentialSelector(n_features=5, random_state=0),
    "sizes by cross-validation": PanelSizeCV(SupportFeatureMachine(), sizes=[2, 4], cv=3),
    "repeated": RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=2),
}
# Kernels have no features that cost anything.
WITHOUT = {"KernelFeatureMachine"}
MANY = ["sfm", "sfm, a panel", "zero-norm", "liknon", "sizes by cross-validation"]


def draw(n_classes=2, seed=0):
    rng = np.random.default_rng([32, seed])
    y = np.arange(60) % n_classes
    X = rng.standard_normal((60, 12))
    X[:, 0] += 1.5 * (y == 0)
    X[:, 1] -= 1.2 * (y == 1)
    X[:, 2] = X[:, 0] + 0.5 * rng.standard_normal(60)
    return X, y, rng.choice([1.0, 2.0, 3.5, 7.0], 12)


def fit(machine, X, y, **rules):
    """What it selects, and what it predicts if it predicts."""
    machine = clone(machine)
    if getattr(machine, "C", 1.0) == np.inf:  # classes without overlap
        X = X + 1.5 * np.outer(y, np.arange(12) % 3 == 0)
    inner = machine.estimator if "estimator" in machine.get_params(deep=False) else machine
    inner.set_params(**rules)
    fitted = machine.fit(X, y)
    predicted = fitted.predict(X) if hasattr(fitted, "predict") else None
    return fitted.support_, predicted


def assert_same(one, other):
    np.testing.assert_array_equal(one[0], other[0])
    if one[1] is not None:
        np.testing.assert_allclose(one[1], other[1], rtol=1e-5, atol=1e-8)


def test_every_machine_with_prices_is_here():
    known = {type(machine).__name__ for machine in MACHINES.values()}
    public = [getattr(fewest, name) for name in fewest.__all__]
    takes = {
        one.__name__
        for one in public
        if inspect.isclass(one)
        and issubclass(one, BaseEstimator)
        and {"feature_cost", "estimator"} & set(inspect.signature(one).parameters)
    }
    assert takes - WITHOUT == known


@pytest.mark.parametrize("name", MACHINES)
def test_one_price_for_all_features_is_no_price(name):
    X, y, _ = draw()
    free = fit(MACHINES[name], X, y)
    for price in (1e-6, 100.0):
        assert_same(fit(MACHINES[name], X, y, feature_cost=price), free)
    assert_same(fit(MACHINES[name], X, y, feature_cost=np.full(12, 3e9)), free)


@pytest.mark.parametrize("name", MACHINES)
def test_prices_in_any_unit(name):
    X, y, price = draw()
    wanted = fit(MACHINES[name], X, y, feature_cost=price)
    for unit in UNITS:
        assert_same(fit(MACHINES[name], X, y, feature_cost=unit * price), wanted)


@pytest.mark.parametrize("name", MANY)
def test_prices_in_any_unit_with_many_classes(name):
    X, y, price = draw(n_classes=3, seed=1)
    wanted = fit(MACHINES[name], X, y, feature_cost=price)
    for unit in UNITS:
        assert_same(fit(MACHINES[name], X, y, feature_cost=unit * price), wanted)
    assert_same(fit(MACHINES[name], X, y, feature_cost=100.0), fit(MACHINES[name], X, y))


@pytest.mark.parametrize("name", ["sfm", "sfm, certified", "sfm, a panel", "zero-norm", "liknon"])
@pytest.mark.parametrize(
    "rules",
    [
        {"feature_groups": np.arange(12) // 3},
        {"feature_groups": np.arange(12) // 2, "one_per_group": True},
        {"include": [5], "exclude": [0]},
    ],
    ids=["groups", "one per group", "include and exclude"],
)
def test_prices_in_any_unit_under_other_rules(name, rules):
    X, y, price = draw(seed=2)
    if name == "sfm, a panel" and "feature_groups" in rules and "one_per_group" not in rules:
        pytest.skip("a number of features knows no groups that are paid once")
    wanted = fit(MACHINES[name], X, y, feature_cost=price, **rules)
    for unit in UNITS:
        assert_same(fit(MACHINES[name], X, y, feature_cost=unit * price, **rules), wanted)


@pytest.mark.parametrize("name", ["sfm", "zero-norm", "liknon", "sfm, a panel"])
def test_one_price_that_says_never_leaves_the_others_as_they_are(name):
    """A mean of the prices would be 1e11, and all features but one nearly free."""
    X, y, _ = draw(seed=3)
    never = np.ones(12)
    never[7] = 1e12
    assert_same(
        fit(MACHINES[name], X, y, feature_cost=never), fit(MACHINES[name], X, y, exclude=[7])
    )


def test_c_is_per_unit_of_the_median_price():
    """What is in no rule counts 1, so one expensive feature changes no other's price."""
    X, y, _ = draw(seed=4)
    few = SupportFeatureMachine(C=1.0, feature_cost={11: 1e6}).fit(X, y)
    assert_same(
        (few.support_, few.predict(X)), fit(SupportFeatureMachine(C=1.0), X, y, exclude=[11])
    )


def test_minima_and_fronts_in_any_unit():
    X, y, price = draw(seed=5)
    X, y, price = X[:24, :6], y[:24], price[:6]
    wanted = minimum_features(X, y, max_errors=5, feature_cost=price)
    assert wanted.certified
    front = error_front(X, y, max_features=2, feature_cost=price)
    for power in (-20, 7, 30):  # exact in floats
        unit = 2.0**power
        found = minimum_features(X, y, max_errors=5, feature_cost=unit * price)
        assert [one.tolist() for one in found.subsets] == [one.tolist() for one in wanted.subsets]
        assert found.price == unit * wanted.price
        again = error_front(X, y, max_features=2, feature_cost=unit * price)
        assert again.errors.tolist() == front.errors.tolist()


def write(folder, X, y, prices):
    names = [f"g{j}" for j in range(X.shape[1])]
    rows = [",".join(["outcome", *names])]
    rows += [
        f"{'ill' if label else 'well'}," + ",".join(map(repr, row))
        for label, row in zip(y, X.tolist(), strict=True)
    ]
    (folder / "data.csv").write_text("\n".join(rows) + "\n")
    for unit in (1, 100):
        lines = [f"{name},{unit * price!r}" for name, price in zip(names, prices, strict=True)]
        (folder / f"price{unit}.csv").write_text("\n".join(["name,price", *lines]) + "\n")


@pytest.mark.parametrize(
    "command",
    [
        ("select", "--C", "1", "--cv", "3"),
        ("select", "--max-features", "3", "--cv", "3"),
        ("select", "--method", "liknon", "--C", "0.2", "--cv", "3"),
        ("select", "--method", "weston", "--C", "2", "--cv", "3"),
        ("rank", "--C", "1"),
    ],
    ids=lambda command: " ".join(command),
)
def test_commands_in_any_unit(run, tmp_path, command):
    X, y, price = draw()
    write(tmp_path, X, y, price.tolist())
    found = []
    for unit in (1, 100):
        start = (command[0], tmp_path / "data.csv", "--target", "outcome", *command[1:])
        ran = run(*start, "--feature-cost", tmp_path / f"price{unit}.csv", "--json", "-")
        assert ran.code == 0, ran.err
        result = json.loads(ran.out)
        answer = result["answer"] or {}
        parts = result["trust"].get("validation"), result.get("costs"), result.get("alternatives")
        found.append((answer.get("selected"), answer.get("training"), *parts))
    assert any(found[0])
    assert found[0] == found[1]


def test_paths_in_any_unit(run, tmp_path):
    X, y, price = draw()
    write(tmp_path, X, y, price.tolist())
    tables = []
    for unit in (1, 100):
        rules = ("--feature-cost", tmp_path / f"price{unit}.csv", "--values", 4)
        ran = run("path", tmp_path / "data.csv", "--target", "outcome", "--cv", "3", *rules)
        assert ran.code == 0, ran.err
        tables.append([line for line in ran.out.splitlines() if "%" in line])
    assert len(tables[0]) > 2
    assert tables[0] == tables[1]
