"""Machines on a thousand overlapping samples: their program against linprog, and their proof."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from fewest import Liknon, NotSeparableError, SupportFeatureMachine, ZeroNormSVM
from fewest._solvers.result import Status
from fuzzing.oracles.linear import Case, dual_value, full_objective, primal_value
from tests.solvers.many_samples import overlapping

N, D = 1000, 25
X, Y = overlapping(N, D, strength=0.8, seed=30)
RNG = np.random.default_rng(31)
WEIGHTS = {
    "none": None,
    "counts": RNG.integers(1, 4, N).astype(float),
    "far apart": 10.0 ** RNG.uniform(-4, 2, N),
}
PER_WEIGHT = pytest.mark.parametrize("weights", WEIGHTS)
PER_CLASS_WEIGHT = pytest.mark.parametrize("class_weight", [None, "balanced", {-1: 2.0, 1: 5.0}])


def standardise(weight):
    """Weighted mean zero and weighted variance one."""
    share = np.full(N, 1.0 / N) if weight is None else weight / weight.sum()
    centred = X - share @ X
    return centred / np.sqrt(share @ centred**2)


def error_cost(C, class_weight, weight):
    """C per sample, times its weight, times the factor of its class."""
    weight = np.ones(N) if weight is None else weight
    if class_weight == "balanced":
        class_weight = {one: weight.sum() / (2 * weight[one == Y].sum()) for one in (-1, 1)}
    class_weight = class_weight or {-1: 1.0, 1: 1.0}
    return C * weight * np.where(Y > 0, class_weight[1], class_weight[-1])


def assert_certified(case, Z, machine):
    """The first program's value is linprog's, and its dual vector proves it from Z alone."""
    step = machine.result_.steps[0]
    assert machine.result_.status is Status.OPTIMAL
    assert machine.result_.gap <= 1e-7
    assert step.objective == pytest.approx(full_objective(case, Z), rel=1e-6)
    primal, dual = primal_value(case, Z, step), dual_value(case, Z, step)
    assert primal.violation <= 1e-7
    assert primal.objective == pytest.approx(step.objective, rel=1e-6)
    assert dual.imbalance <= 1e-9
    assert dual.bound == pytest.approx(step.objective, rel=1e-6)
    certificate = machine._certificates(Y)[0]
    assert certificate.lower_bound <= certificate.objective * (1 + 1e-9)
    assert certificate.relative_gap <= 1e-7


@PER_WEIGHT
@PER_CLASS_WEIGHT
def test_liknon(weights, class_weight):
    weight = WEIGHTS[weights]
    Z, cost = standardise(weight), error_cost(0.01, class_weight, weight)
    machine = Liknon(C=0.01, class_weight=class_weight).fit(X, Y, sample_weight=weight)
    assert_certified(Case(Z, Y, "unit_margin", slack_cost=cost), Z, machine)
    assert machine.result_.n_features > 0
    hinge = np.maximum(0.0, 1.0 - Y * machine.decision_function(X))
    scale = np.sqrt(np.average((X - np.average(X, axis=0, weights=weight)) ** 2, 0, weight))
    value = np.abs(machine.coef_[0] * scale).sum() + cost @ hinge
    assert value == pytest.approx(machine.result_.steps[0].objective, rel=1e-6)


@pytest.mark.parametrize(
    ("weights", "reweight"), [("none", "features"), ("far apart", "features"), ("counts", "both")]
)
def test_zero_norm_svm(weights, reweight):
    weight = WEIGHTS[weights]
    Z, cost = standardise(weight), error_cost(0.1, "balanced", weight)
    machine = ZeroNormSVM(C=0.1, reweight=reweight).fit(X, Y, sample_weight=weight)
    case = Case(Z, Y, "unit_margin", slack_cost=cost / np.sqrt(D))
    assert_certified(case, Z, machine)
    assert 0 < machine.result_.n_features <= machine.result_.n_features_first


@pytest.mark.parametrize("constraint", ["class_means", "mean_margin"])
@pytest.mark.parametrize(
    ("weights", "reweight"), [("none", "both"), ("far apart", "features"), ("counts", "features")]
)
def test_support_feature_machine(weights, constraint, reweight):
    weight = WEIGHTS[weights]
    Z, cost = standardise(weight), error_cost(0.3, "balanced", weight)
    machine = SupportFeatureMachine(C=0.3, constraint=constraint, reweight=reweight)
    machine.fit(X, Y, sample_weight=weight)
    rhs = machine.result_.rhs
    case = Case(Z, Y, constraint, rhs, slack_cost=cost / np.sqrt(D), weight=weight)
    assert_certified(case, Z, machine)
    assert 0 < machine.result_.n_features <= machine.result_.n_features_first


@pytest.mark.parametrize("machine", [Liknon(C=0.01), SupportFeatureMachine(C=0.3)])
def test_layouts_of_the_same_data(machine):
    thin = np.where(np.abs(X) < 1.0, 0.0, X).astype(np.float32)
    dense = machine.fit(thin.astype(np.float64), Y).result_.steps[0].objective
    for other in (thin, np.asfortranarray(thin), sparse.csr_array(thin), sparse.csc_array(thin)):
        found = machine.fit(other, Y).result_
        assert found.gap <= 1e-7
        assert found.steps[0].objective == pytest.approx(dense, rel=1e-6)


def test_three_classes():
    rng = np.random.default_rng(32)
    y = rng.integers(0, 3, N)
    data = rng.standard_normal((N, 20))
    data[np.arange(N), y] += 1.0
    machine = Liknon(C=0.02, multi_class="separate").fit(data, y)
    Z = (data - data.mean(axis=0)) / data.std(axis=0)
    for k, result in enumerate(machine.results_):
        case = Case(data, np.where(y == k, 1.0, -1.0), "unit_margin", slack_cost=np.full(N, 0.02))
        assert result.gap <= 1e-7
        assert result.n_features > 0
        assert result.steps[0].objective == pytest.approx(full_objective(case, Z), rel=1e-6)


@pytest.mark.parametrize("machine", [SupportFeatureMachine(C=np.inf), ZeroNormSVM()])
def test_no_hyperplane_separates(machine):
    with pytest.raises(NotSeparableError, match="cannot be separated without error"):
        machine.fit(X, Y)


@pytest.mark.parametrize("machine", [SupportFeatureMachine(C=np.inf), ZeroNormSVM()])
def test_a_hyperplane_separates(machine):
    y = np.where(X[:, 0] - X[:, 1] > 0, 1.0, -1.0)
    apart = X.copy()
    apart[:, 0] += 0.1 * y
    machine.fit(apart, y)
    assert machine.result_.gap <= 1e-7
    assert machine.score(apart, y) == 1.0


def test_a_cost_that_selects_nothing():
    with pytest.warns(ConvergenceWarning, match="no feature was selected"):
        machine = Liknon(C=1e-6).fit(X, Y)
    fewer = min(np.sum(Y > 0), np.sum(Y < 0))  # each has a slack of two, the others none
    assert machine.result_.steps[0].objective == pytest.approx(2e-6 * fewer)
