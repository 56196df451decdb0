"""Problems small enough to solve by hand."""

import numpy as np
import pytest

from fewest._solvers.result import Status
from fuzzing.oracles.linear import METHODS, Case
from fuzzing.oracles.solved import assert_infeasible, assert_optimal, run

LABELS = np.array([-1.0, -1.0, 1.0, 1.0])
# Mean zero and variance one: standardising changes nothing.
STEP = np.array([[-1.0], [-1.0], [1.0], [1.0]])


@pytest.mark.parametrize(
    ("method", "w"),
    [
        ("class_means", 0.5),  # the means are two apart, and have to be one apart
        ("mean_margin", 1.0),  # the mean margin of w x is w
        ("unit_margin", 1.0),
    ],
)
def test_one_perfect_feature(method, w):
    case = Case(STEP, LABELS, method)
    result = run(case)
    assert_optimal(case, result)
    np.testing.assert_array_equal(result.features, [0])
    np.testing.assert_allclose(result.w, [w])
    assert result.objective == pytest.approx(w)
    assert result.n_features == 1


def test_bias_is_unique_with_a_unit_margin():
    result = run(Case(10.0 * STEP + 3.0, LABELS, "unit_margin"))
    assert result.b == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("C", "objective"), [(0.1, 0.4), (0.25, 1.0), (10.0, 1.0)])
def test_soft_unit_margin_of_one_feature(C, objective):
    """With 0 <= w <= 1 the price is w + 4 C (1 - w): all or nothing, at C = 1/4."""
    case = Case(STEP, LABELS, "unit_margin", slack_cost=np.full(4, C))
    result = run(case)
    assert_optimal(case, result)
    assert result.objective == pytest.approx(objective)
    if C < 0.25:
        assert result.n_features == 0
        assert C * result.slack.sum() == pytest.approx(objective)


def test_two_features_are_needed():
    """Each column tells one positive sample from the rest; its standard deviation is sqrt(3)/4."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    case = Case(X, LABELS, "unit_margin")
    result = run(case)
    assert_optimal(case, result)
    np.testing.assert_allclose(result.w, [np.sqrt(3) / 2, np.sqrt(3) / 2])
    assert result.objective == pytest.approx(np.sqrt(3))
    # With margin zero, either column alone will do; how the weight is shared is not unique.
    assert run(Case(X, LABELS)).objective == pytest.approx(np.sqrt(3) / 2)


def test_the_wrong_sign_is_bought_with_slack():
    """Equality -1 turns the only feature round: w = -1/2, every sample is 1/2 on the wrong side."""
    case = Case(STEP, LABELS, rhs=-1.0, slack_cost=np.full(4, 3.0))
    result = run(case)
    assert_optimal(case, result)
    np.testing.assert_allclose(result.w, [-0.5])
    assert result.objective == pytest.approx(0.5 + 4 * 3.0 * 0.5)


@pytest.mark.parametrize("method", ["class_means", "mean_margin"])
def test_the_wrong_sign_is_infeasible_without_slack(method):
    case = Case(STEP, LABELS, method, rhs=-1.0)
    assert_infeasible(case, run(case))


@pytest.mark.parametrize("method", METHODS)
def test_exclusive_or_is_infeasible(method):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    case = Case(X, LABELS, method)
    assert_infeasible(case, run(case))


@pytest.mark.parametrize("slack_cost", [None, np.full(4, 2.0)])
def test_equal_class_means_are_infeasible_even_with_slack(slack_cost):
    case = Case(np.array([[0.0], [1.0], [0.0], [1.0]]), LABELS, slack_cost=slack_cost)
    assert_infeasible(case, run(case))


def test_slack_makes_exclusive_or_feasible():
    """No direction helps: w = 0, and every sample pays for the whole margin."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    case = Case(X, LABELS, "unit_margin", slack_cost=np.full(4, 2.0))
    result = run(case)
    assert_optimal(case, result)
    assert result.objective == pytest.approx(8.0)


@pytest.mark.parametrize("method", METHODS)
def test_constant_columns_alone_are_infeasible(method):
    case = Case(np.full((4, 3), 0.1), LABELS, method)
    result = run(case)
    assert_infeasible(case, result)
    assert result.rounds == 1


def test_constant_columns_alone_with_slack():
    """Only the bias is left: the smaller class pays twice the margin, if that is cheaper."""
    y = np.array([1.0, -1.0, -1.0, -1.0])
    case = Case(np.zeros((4, 2)), y, "unit_margin", slack_cost=np.ones(4))
    result = run(case)
    assert_optimal(case, result)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(2.0)
    assert result.b == pytest.approx(-1.0)
