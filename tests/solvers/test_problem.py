"""The members of the family, and what they refuse."""

import numpy as np
import pytest

from fewest._solvers.problem import EQUALITY_FORMS, Problem, support_feature_machine, unit_margin

Y = np.array([1.0, 1.0, -1.0, 1.0, -1.0])
X = np.arange(15.0).reshape(5, 3) ** 2


def test_class_means_price_the_difference_of_the_means():
    problem = support_feature_machine(Y)
    expected = X[Y > 0].mean(axis=0) - X[Y < 0].mean(axis=0)
    np.testing.assert_allclose(problem.equality @ X, expected)
    assert problem.bias_coefficient == pytest.approx(0.0, abs=1e-15)
    assert (problem.margin, problem.rhs) == (0.0, 1.0)


def test_mean_margin_prices_the_mean_of_the_margins():
    problem = support_feature_machine(Y, form="mean_margin")
    np.testing.assert_allclose(problem.equality @ X, (Y[:, None] * X).mean(axis=0))
    assert problem.bias_coefficient == pytest.approx(Y.mean())


@pytest.mark.parametrize("form", EQUALITY_FORMS)
def test_integer_weights_are_repeated_samples(form):
    weight = np.array([1.0, 3.0, 2.0, 1.0, 1.0])
    rows = np.repeat(np.arange(5), weight.astype(int))
    weighted = support_feature_machine(Y, form=form, sample_weight=weight)
    repeated = support_feature_machine(Y[rows], form=form)
    np.testing.assert_allclose(weighted.equality @ X, repeated.equality @ X[rows])
    assert weighted.bias_coefficient == pytest.approx(repeated.bias_coefficient, abs=1e-15)


@pytest.mark.parametrize("form", EQUALITY_FORMS)
def test_scale_of_the_weights_does_not_matter(form):
    weight = np.array([0.2, 0.3, 0.1, 0.5, 0.9])
    one = support_feature_machine(Y, form=form, sample_weight=weight)
    ten = support_feature_machine(Y, form=form, sample_weight=10 * weight)
    np.testing.assert_allclose(one.equality, ten.equality)


def test_unit_margin_has_no_equality():
    problem = unit_margin(Y)
    assert problem.equality is None
    assert problem.bias_coefficient == 0.0
    assert problem.margin == 1.0


@pytest.mark.parametrize(
    ("slack_cost", "hard", "bounds"),
    [
        (None, True, [np.inf] * 5),
        (np.full(5, np.inf), True, [np.inf] * 5),
        (np.array([1.0, 2.0, np.inf, 4.0, 5.0]), False, [1.0, 2.0, np.inf, 4.0, 5.0]),
    ],
)
def test_slack_costs_bound_the_dual(slack_cost, hard, bounds):
    problem = unit_margin(Y, slack_cost=slack_cost)
    assert bool(np.all(np.isinf(problem.slack_bounds()))) is hard
    np.testing.assert_array_equal(problem.slack_bounds(), bounds)


def test_feature_costs_default_to_one():
    index = np.array([2, 0])
    np.testing.assert_array_equal(unit_margin(Y).costs(index), [1.0, 1.0])
    weighted = unit_margin(Y).with_costs(np.array([5.0, 6.0, 7.0]), None)
    np.testing.assert_array_equal(weighted.costs(index), [7.0, 5.0])


def test_changes_leave_the_original_alone():
    problem = support_feature_machine(Y)
    assert problem.with_rhs(-1.0).rhs == -1.0
    assert problem.rhs == 1.0
    assert problem.with_costs(np.ones(3), np.ones(5)).slack_cost is not None
    assert problem.slack_cost is None
    assert problem.n_samples == 5
    with pytest.raises(AttributeError):
        problem.rhs = 2.0


@pytest.mark.parametrize("y", [[0.0, 1.0], [1.0, 2.0], [1.0, np.nan]])
def test_labels_are_signs(y):
    with pytest.raises(ValueError, match=r"labels must be \+1 or -1"):
        unit_margin(np.array(y))


@pytest.mark.parametrize("margin", [0.0, -1.0])
def test_zero_weights_must_not_be_a_solution(margin):
    with pytest.raises(ValueError, match="without an equality the margin must be positive"):
        Problem(y=Y, margin=margin)


@pytest.mark.parametrize("cost", [0.0, -1.0, np.nan])
def test_costs_are_positive(cost):
    bad = np.array([1.0, cost, 1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="slack costs must be positive"):
        unit_margin(Y, slack_cost=bad)
    with pytest.raises(ValueError, match="feature costs must be positive"):
        unit_margin(Y).with_costs(bad, None)


def test_unknown_form():
    with pytest.raises(ValueError, match=r"form must be one of .* not 'median'"):
        support_feature_machine(Y, form="median")
