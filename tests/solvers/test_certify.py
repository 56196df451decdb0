"""Certificates: they come from the data, believe no solver, and never promise too much."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest._solvers.certify import (
    dual_bound,
    dual_point,
    objective_value,
    price_ratios,
    slack_and_violation,
)
from fewest._solvers.columns import scale_columns
from fewest._solvers.problem import Problem, support_feature_machine, unit_margin
from fewest._solvers.result import Status
from fuzzing.oracles.linear import (
    METHODS,
    Case,
    dual_value,
    full_objective,
    primal_value,
    standardise,
)
from fuzzing.oracles.solved import Certificate, certify, problem_of, run
from tests.fuzzing import examples
from tests.solvers.cases import noise, planted, weighted_cases

Y = np.array([1.0, 1.0, -1.0, -1.0])
STEP = np.array([[1.0], [1.0], [-1.0], [-1.0]])


@examples(100)
@given(weighted_cases())
def test_certificate_equals_what_the_test_computes(case):
    result = run(case)
    certificate = certify(problem_of(case), scale_columns(case.X), result)
    if result.status is Status.INFEASIBLE:
        assert certificate.objective == np.inf
        assert certificate.bound > 1e7  # what the data can prove, where exact arithmetic has inf
        return
    assert certificate.gap == pytest.approx(result.gap, abs=1e-6)
    Z = standardise(case.X)
    primal, dual = primal_value(case, Z, result), dual_value(case, Z, result)
    assert certificate.objective == pytest.approx(primal.objective, rel=1e-6, abs=1e-6)
    assert certificate.bound == pytest.approx(dual.bound, rel=1e-5, abs=1e-6)
    assert certificate.violation == pytest.approx(primal.violation, abs=1e-9)


@examples(100)
@given(weighted_cases(), st.integers(0, 2**32 - 1))
def test_no_dual_vector_proves_more_than_the_optimum(case, seed):
    """Whatever alpha and lambda are, the bound stays below the objective of the full program."""
    rng = np.random.default_rng(seed)
    problem, columns = problem_of(case), scale_columns(case.X)
    alpha = rng.standard_exponential(len(case.y)) * (rng.random(len(case.y)) < 0.7)
    multiplier = 0.0 if case.u is None else float(3 * rng.standard_normal())
    point = dual_point(problem, alpha, multiplier)
    ratio = float(price_ratios(problem, columns, point.v).max(initial=0.0))
    optimum = full_objective(case)
    assert dual_bound(problem, point, ratio) <= optimum + 1e-6 * max(1.0, optimum)


@pytest.mark.parametrize("method", METHODS)
def test_certificate_of_an_infeasible_problem_is_infinite(method):
    case = Case(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), Y, method)
    certificate = certify(problem_of(case), scale_columns(case.X), run(case))
    assert certificate.objective == np.inf
    assert certificate.bound > 1e8
    assert certificate.violation == 0.0


class TestLies:
    """A result that was tampered with is found out."""

    def setup_method(self):
        X, y = planted(20, 30, shift=1.0)
        self.case = Case(X, y)
        self.problem, self.columns = problem_of(self.case), scale_columns(X)
        self.result = run(self.case)
        self.honest = certify(self.problem, self.columns, self.result)

    def check(self, **changes) -> Certificate:
        return certify(self.problem, self.columns, replace(self.result, **changes))

    def test_honest(self):
        assert self.honest.gap <= 1e-7
        assert self.honest.violation <= 1e-9

    def test_claimed_values_are_not_read(self):
        assert self.check(objective=0.1, bound=0.1, violation=9.0) == self.honest

    def test_smaller_weights(self):
        certificate = self.check(w=self.result.w / 2)
        assert certificate.objective < self.honest.bound
        assert certificate.violation == pytest.approx(0.5, abs=1e-6)

    def test_moved_plane(self):
        moved = replace(self.result, b=self.result.b + 1.0)
        expected = primal_value(self.case, standardise(self.case.X), moved).violation
        assert expected > 0.1
        assert self.check(b=moved.b).violation == pytest.approx(expected)

    def test_larger_alpha_does_not_raise_the_bound(self):
        certificate = self.check(alpha=2 * self.result.alpha, multiplier=2 * self.result.multiplier)
        assert certificate.bound == pytest.approx(self.honest.bound)

    def test_no_alpha_proves_nothing(self):
        certificate = self.check(alpha=np.zeros(20), multiplier=0.0)
        assert certificate.bound == 0.0
        assert certificate.gap == pytest.approx(
            self.honest.objective / max(1, certificate.objective)
        )


class TestBalance:
    """sum(v) = 0 is restored by shrinking one class, and no bound is broken."""

    @pytest.mark.parametrize(
        ("alpha", "balanced"),
        [
            ([2.0, 2.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]),
            ([1.0, 0.0, 2.0, 0.0], [1.0, 0.0, 1.0, 0.0]),
            ([0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0]),
            ([-1.0, 1.0, 1.0, -5.0], [0.0, 1.0, 1.0, 0.0]),
        ],
    )
    def test_hard(self, alpha, balanced):
        point = dual_point(unit_margin(Y), np.array(alpha), 0.0)
        np.testing.assert_allclose(point.alpha, balanced)
        assert point.v.sum() == pytest.approx(0.0)
        assert point.value == pytest.approx(sum(balanced))

    def test_slack_costs_clip(self):
        problem = unit_margin(Y, slack_cost=np.array([1.0, 1.0, 0.5, 0.5]))
        point = dual_point(problem, np.array([3.0, 3.0, 3.0, 3.0]), 0.0)
        np.testing.assert_allclose(point.alpha, [0.5, 0.5, 0.5, 0.5])

    @pytest.mark.parametrize("multiplier", [1.0, -1.0])
    @pytest.mark.parametrize("alpha", [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]])
    def test_with_an_equality_that_contains_the_bias(self, multiplier, alpha):
        y = np.array([1.0, 1.0, 1.0, -1.0])
        problem = support_feature_machine(y, form="mean_margin")
        point = dual_point(problem, np.array(alpha), multiplier)
        assert point.v.sum() == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(point.v, point.alpha * y + multiplier * problem.equality)
        assert point.value == multiplier
        assert np.all(point.alpha <= alpha)

    def test_the_input_is_left_alone(self):
        alpha = np.array([2.0, 2.0, 1.0, 1.0])
        dual_point(unit_margin(Y), alpha, 0.0)
        np.testing.assert_array_equal(alpha, [2.0, 2.0, 1.0, 1.0])


class TestBound:
    def test_hand_solved(self):
        """With alpha = 1/4 each, v prices the step at one, and proves |w| >= 1."""
        problem = unit_margin(Y)
        point = dual_point(problem, np.full(4, 0.25), 0.0)
        ratio = price_ratios(problem, scale_columns(STEP), point.v)
        np.testing.assert_allclose(ratio, [1.0])
        assert dual_bound(problem, point, ratio.max()) == pytest.approx(1.0)

    def test_cone_is_enlarged_and_box_is_not(self):
        hard, soft = unit_margin(Y), unit_margin(Y, slack_cost=np.ones(4))
        point = dual_point(hard, np.full(4, 0.125), 0.0)
        assert dual_bound(hard, point, 0.5) == pytest.approx(1.0)
        assert dual_bound(soft, point, 0.5) == pytest.approx(0.5)
        assert dual_bound(soft, point, 2.0) == pytest.approx(0.25)

    def test_box_does_not_limit_samples_that_are_hard(self):
        mixed = unit_margin(Y, slack_cost=np.array([np.inf, 1.0, np.inf, 1.0]))
        assert dual_bound(mixed, dual_point(mixed, np.array([1.0, 0, 1.0, 0]), 0.0), 0.5) == 4.0
        assert dual_bound(mixed, dual_point(mixed, np.array([1.0, 1, 1.0, 1]), 0.0), 0.5) == 4.0

    def test_a_free_ray_is_a_proof_of_infeasibility(self):
        problem = unit_margin(Y)
        assert dual_bound(problem, dual_point(problem, np.ones(4), 0.0), 0.0) == np.inf

    def test_a_value_below_zero_proves_nothing(self):
        problem = support_feature_machine(Y)
        assert dual_bound(problem, dual_point(problem, np.zeros(4), -1.0), 1.0) == 0.0

    def test_an_unbalanced_vector_proves_nothing(self):
        """All of the equality's weight is on the bias, and no alpha can make up for it."""
        problem = Problem(y=Y, margin=0.0, equality=np.ones(4))
        point = dual_point(problem, np.zeros(4), 1.0)
        assert point.value > 0.0
        assert dual_bound(problem, point, 1.0) == 0.0

    def test_feature_costs_divide_the_prices(self):
        problem = unit_margin(Y).with_costs(np.array([4.0]), None)
        ratio = price_ratios(problem, scale_columns(STEP), np.full(4, 0.25) * Y)
        np.testing.assert_allclose(ratio, [0.25])


def test_slack_where_it_is_allowed_and_violation_where_not():
    problem = unit_margin(Y, slack_cost=np.array([1.0, np.inf, 1.0, np.inf]))
    slack, violation = slack_and_violation(problem, np.array([0.5, 0.75, 2.0, 1.5]))
    np.testing.assert_array_equal(slack, [0.5, 0.0, 0.0, 0.0])
    assert violation == 0.25


def test_objective_of_weights_and_slack():
    problem = unit_margin(Y, slack_cost=np.array([10.0, np.inf, 1.0, 1.0]))
    slack = np.array([0.5, 0.0, 0.25, 0.0])
    value = objective_value(problem, np.array([2.0, 3.0]), np.array([-1.0, 1.0]), slack)
    assert value == pytest.approx(2 + 3 + 5 + 0.25)


@pytest.mark.parametrize(
    ("objective", "bound", "gap"),
    [
        (2.0, 1.0, 0.5),
        (0.5, 0.25, 0.25),  # absolute below one
        (1.0, 1.5, 0.0),
        (np.inf, np.inf, 0.0),
        (np.inf, 3.0, np.inf),
    ],
)
def test_gap(objective, bound, gap):
    X, y = noise(10, 5)
    result = run(Case(X, y, "unit_margin", slack_cost=np.ones(10)))
    assert Certificate(objective, bound, 0.0).gap == gap
    assert replace(result, objective=objective, bound=bound).gap == gap
