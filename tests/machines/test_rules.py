"""Rules about features in all machines: against full programs, and what they promise."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy.optimize import linprog
from sklearn.base import clone

from fewest import (
    Liknon,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian
from fewest.exceptions import NotSeparableError
from fewest.machines.fsv import FeatureSelectionConcave
from fewest.machines.union import UnionFeatureMachine
from fewest.report import make_report
from fuzzing.oracles.joint import joint_optimum

MACHINES = [
    SupportFeatureMachine(),
    SupportFeatureMachine(max_features=4),
    SupportFeatureMachine(reweight="both"),
    SupportFeatureMachineCV(cv=3, n_Cs=3),
    UnionFeatureMachine(),
    ZeroNormSVM(C=1.0),
    Liknon(C=0.05),
    FeatureSelectionConcave(),
]


def per_median(price):
    """Prices as programs see them: C is per unit of the median price."""
    return price / np.quantile(price, 0.5, method="lower")


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=80, d=60, k=4, mu=0.8, random_state=3)


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], 30)
    X = rng.standard_normal((90, 40))
    X[np.arange(90), codes] += 2.0
    X[:, 3] -= 3.0 * (codes == 0)  # marks the first class by being low
    return X, codes


def ids(machine):
    return repr(machine).replace("\n", "")


@pytest.mark.parametrize("machine", MACHINES, ids=ids)
class TestEveryMachine:
    def test_excluded_features_might_as_well_not_exist(self, machine, data):
        X, y = data
        gone = np.array([0, 5, 7])
        fitted = clone(machine).set_params(exclude=gone).fit(X, y)
        rest = clone(machine).fit(np.delete(X, gone, axis=1), y)
        np.testing.assert_allclose(np.delete(fitted.coef_, gone, axis=1), rest.coef_, atol=1e-7)
        assert not fitted.support_[gone].any()

    def test_included_features_are_in(self, machine, data):
        X, y = data
        fitted = clone(machine).set_params(include=[40, 50]).fit(X, y)
        assert fitted.support_[[40, 50]].all()

    def test_of_equal_features_the_cheapest_is_taken(self, machine, data):
        X, y = data
        twice = np.hstack([X, X])
        price = np.concatenate([np.full(60, 2.0), np.full(60, 1.0)])
        fitted = clone(machine).set_params(feature_cost=price).fit(twice, y)
        first = getattr(fitted, "subsets_", [[np.flatnonzero(fitted.support_)]])[0][0]
        assert len(first)
        assert (first >= 60).all()  # a second subset may take what is left

    def test_one_per_group(self, machine, data):
        X, y = data
        groups = np.arange(60) // 2  # 0 and 1 are both informative, 2 and 3 too
        fitted = clone(machine).set_params(feature_groups=groups, one_per_group=True).fit(X, y)
        assert np.bincount(groups[fitted.support_]).max() == 1

    def test_signs(self, machine, data):
        X, y = data
        fitted = clone(machine).set_params(signs=-1).fit(X, y)
        chosen = np.flatnonzero(fitted.support_)
        means = X[y == fitted.classes_[1]].mean(axis=0) - X[y == fitted.classes_[0]].mean(axis=0)
        assert (means[chosen] < 0).all()
        assert (fitted.coef_[0, chosen] <= 0).all()

    def test_names(self, machine, data):
        X, y = data
        frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
        fitted = clone(machine).set_params(include=["gene 7"], exclude=["gene 0"]).fit(frame, y)
        assert fitted.support_[7]
        assert not fitted.support_[0]
        with pytest.raises(
            ValueError, match="include names 'gene 77', which is not a feature of X"
        ):
            clone(machine).set_params(include=["gene 77"]).fit(frame, y)


@pytest.mark.parametrize("seed", range(6))
def test_first_programs_equal_the_full_ones(seed):
    rng = np.random.default_rng(seed)
    n, d = 30, 50
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + 0.7 * rng.standard_normal(n) > 0, 1, -1)
    price = rng.uniform(0.3, 5.0, d)
    machine = Liknon(C=0.3, feature_cost=price).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    A = np.hstack([-y[:, None] * Z, y[:, None] * Z, -y[:, None], y[:, None], -np.eye(n)])
    price = per_median(price)
    cost = np.concatenate([price, price, [0, 0], np.full(n, 0.3)])
    full = linprog(cost, A_ub=A, b_ub=-np.ones(n), method="highs")
    step = machine.result_.steps[0]
    assert step.objective == pytest.approx(full.fun, rel=1e-7)
    assert step.bound <= full.fun * (1 + 1e-9)
    assert machine.check_optimality(X, y).largest < 1e-6


def test_the_count_is_a_price(data):
    X, y = data
    price = np.linspace(1.0, 4.0, 60)
    machine = SupportFeatureMachine(C=1.0, feature_cost=price).fit(X, y)
    result = machine.result_
    wrong = result.slack > 0
    balance = 80 / (2 * np.where(y > 0, (y > 0).sum(), (y <= 0).sum()))
    paid = per_median(price)[machine.support_].sum() + balance[wrong].sum()
    assert result.zero_norm_objective == pytest.approx(paid)


def test_a_group_is_paid_once():
    # Nine weak features of one group, and nine singles of the same strength.
    X, y = make_gaussian(n=120, d=40, k=18, mu=0.5, random_state=0)
    groups = np.where(np.arange(40) < 9, 0, -1).astype(object)
    groups[groups == -1] = None
    plain = SupportFeatureMachine(C=1.0).fit(X, y)
    grouped = SupportFeatureMachine(C=1.0, feature_groups=groups).fit(X, y)
    assert grouped.support_[:9].sum() > plain.support_[:9].sum()
    assert grouped.result_.zero_norm_objective < plain.result_.zero_norm_objective


def test_what_a_confounder_explains_is_not_selected_again():
    """Age decides most of the class; gene 0 only follows age, gene 1 adds to it."""
    rng = np.random.default_rng(0)
    age = rng.standard_normal(300)
    X = rng.standard_normal((300, 50))
    X[:, 0] = age + 0.3 * rng.standard_normal(300)
    y = (age + 0.8 * X[:, 1] > 0).astype(int)
    frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(50)])
    frame["age"] = age
    without = SupportFeatureMachine(max_features=2).fit(frame.drop(columns="age"), y)
    assert without.support_[0]
    adjusted = SupportFeatureMachine(max_features=2, include=["age"]).fit(frame, y)
    assert adjusted.get_feature_names_out().tolist() == ["gene 1", "age"]


class TestManyClasses:
    @pytest.mark.parametrize(
        "machine", [SupportFeatureMachine(C=1.0), ZeroNormSVM(C=1.0), Liknon()]
    )
    def test_first_program_equals_the_full_one(self, machine, three_classes):
        X, codes = three_classes
        X, codes = X[::3, :12], codes[::3]
        price = np.linspace(0.5, 3.0, 12)
        fitted = clone(machine).set_params(feature_cost=price).fit(X, codes)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        means_apart = isinstance(machine, SupportFeatureMachine)
        unit = 1.0 if isinstance(machine, Liknon) else np.sqrt(12)
        cost = np.full(len(codes), machine.C / unit)
        full = joint_optimum(Z, codes, cost, per_median(price), means_apart=means_apart).value
        assert fitted.results_[0].steps[0].objective == pytest.approx(full, rel=1e-6)

    @pytest.mark.parametrize(
        "machine",
        [SupportFeatureMachine(), SupportFeatureMachine(max_features=5), ZeroNormSVM(), Liknon()],
        ids=ids,
    )
    def test_rules(self, machine, three_classes):
        X, codes = three_classes
        fitted = clone(machine).set_params(include=[30], exclude=[0]).fit(X, codes)
        assert fitted.support_[30]
        assert not fitted.support_[0]
        groups = np.where(np.arange(40) < 4, 0, np.arange(40))
        fitted = clone(machine).set_params(feature_groups=groups, one_per_group=True).fit(X, codes)
        assert fitted.support_[:4].sum() == 1
        twice, price = np.hstack([X, X]), np.repeat([3.0, 1.0], 40)
        fitted = clone(machine).set_params(feature_cost=price).fit(twice, codes)
        assert not fitted.support_[:40].any()

    def test_markers_are_higher_in_a_class(self, three_classes):
        X, codes = three_classes
        plain = SupportFeatureMachine(max_features=3).fit(X, codes)
        assert plain.support_[3]
        markers = SupportFeatureMachine(max_features=3, signs=1).fit(X, codes)
        assert np.flatnonzero(markers.support_).tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="with more than two classes signs may be 1"):
            SupportFeatureMachine(signs=-1).fit(X, codes)


class TestErrors:
    def test_more_forced_features_than_wanted(self, data):
        X, y = data
        machine = SupportFeatureMachine(max_features=2, include=[0, 1, 2])
        with pytest.raises(ValueError, match="include names 3 features, which is more than max_f"):
            machine.fit(X, y)

    def test_rules_that_leave_nothing(self, data):
        X, y = data
        constant = np.column_stack([np.ones(80), X[:, 0]])
        with pytest.raises(ValueError, match="leave none that varies"):
            SupportFeatureMachine(exclude=[1]).fit(constant, y)

    def test_not_separable_under_the_rules(self):
        X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
        y = [0, 0, 1, 1]
        SupportFeatureMachine(C=np.inf).fit(X, y)
        with pytest.raises(NotSeparableError, match="under the rules about features"):
            SupportFeatureMachine(C=np.inf, exclude=[0]).fit(X, y)


class TestAround:
    def test_repetition(self, data):
        X, y = data
        frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
        machine = SupportFeatureMachine(C=1.0, exclude=["gene 0"], feature_cost={"gene 1": 2.0})
        found = RepetitiveSelector(machine, n_subsets=3).fit(frame, y)
        assert not any(0 in subset for subset in found.subsets_)
        by_number = SupportFeatureMachine(C=1.0, exclude=[0], feature_cost={1: 2.0})
        same = RepetitiveSelector(by_number, n_subsets=3).fit(X, y)
        for one, other in zip(found.subsets_, same.subsets_, strict=True):
            np.testing.assert_array_equal(one, other)
        with pytest.raises(ValueError, match="leave include out"):
            RepetitiveSelector(SupportFeatureMachine(include=[0])).fit(X, y)

    def test_report_says_what_the_rules_are(self, data):
        X, y = data
        frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
        machine = SupportFeatureMachine(
            include=["gene 40"], exclude=["gene 0"], feature_cost={"gene 1": 2.5}
        ).fit(frame, y)
        report = make_report(machine, frame, y, parts=("validation",), random_state=0)
        paid = 2.5 * machine.support_[1] + machine.support_[2:].sum() - 1
        assert report.content.question.rules == [
            "Always in, at no cost: gene 40. The other features add to them.",
            "Never in: gene 0.",
            f"Features cost 1 to 2.5 each; those selected cost {paid:g} together.",
        ]
        assert "Never in: gene 0." in report.html
        chosen = {f"gene {j}" for j in np.flatnonzero(machine.support_)}
        assert set(report.content.answer.selected) == chosen
        assert report.content.trust.validation is not None
