"""The loops of linear programs around the first one: what ends them, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import reweight
from fewest._solvers.linear.concave import minimize_concave
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from tests.solvers.cases import noise

X, Y = noise(20, 60, seed=0)


@pytest.mark.parametrize("error_cost", [None, np.ones(20)])
def test_error_costs_go_with_slack_costs(error_cost):
    slack_cost = np.ones(20) if error_cost is None else None
    problem = support_feature_machine(Y, slack_cost=slack_cost)
    with pytest.raises(ValueError, match="error costs go with slack costs: give both or none"):
        minimize_zero_norm(problem, scale_columns(X), error_cost=error_cost)


def test_the_last_solution_stays_where_rounding_makes_the_next_program_infeasible(monkeypatch):
    problem, columns = support_feature_machine(Y), scale_columns(X)
    first = minimize_zero_norm(problem, columns, max_iter=1)

    def fail(loop, last):
        return replace(last, objective=np.inf, status=Status.INFEASIBLE)

    monkeypatch.setattr(reweight._Loop, "next", fail)
    result = minimize_zero_norm(problem, columns)
    assert result.converged
    assert len(result.steps) == 1
    np.testing.assert_array_equal(result.w, first.w)
    np.testing.assert_array_equal(result.features, first.features)


def test_a_concave_penalty_on_classes_that_cannot_be_separated():
    same = np.repeat(X[:10], 2, axis=0)
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    result = minimize_concave(unit_margin(y), scale_columns(same), steepness=5.0)
    assert result.status is Status.INFEASIBLE
    assert result.zero_norm_objective == np.inf
    assert len(result.steps) == 1
