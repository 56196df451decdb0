"""From a case to the engine, and the checks that every solve has to pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fewest._solvers.certify import (
    dual_bound,
    dual_point,
    objective_value,
    price_ratios,
    slack_and_violation,
)
from fewest._solvers.columns import Columns, scale_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import Problem, support_feature_machine, unit_margin
from fewest._solvers.result import Result, Status, relative_gap
from fuzzing.oracles.linear import (
    Case,
    column_rounding,
    dual_value,
    primal_value,
    standardise,
    usable_prices,
)

GAP = 1e-6
VIOLATION = 1e-7
SLACK_ROUNDING = 1e-9  # what the solver asks of its constraints
NEGLIGIBLE = 1e-10  # slacks below this part of the largest one are reported as none


def problem_of(case: Case) -> Problem:
    if case.method == "unit_margin":
        problem = unit_margin(case.y, slack_cost=case.slack_cost)
    else:
        problem = support_feature_machine(
            case.y, form=case.method, slack_cost=case.slack_cost, sample_weight=case.weight
        ).with_rhs(case.rhs)
    if case.feature_cost is not None:
        problem = problem.with_costs(case.feature_cost, case.slack_cost)
    if case.sign is not None:
        problem = replace(problem, feature_sign=case.sign)
    return problem


def run(case: Case, **options) -> Result:
    return solve(problem_of(case), scale_columns(case.X), **options)


@dataclass(frozen=True)
class Certificate:
    """Primal value, proven lower bound, and the largest violation of a constraint."""

    objective: float
    bound: float
    violation: float

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.bound)


def certify(problem: Problem, columns: Columns, result: Result) -> Certificate:
    """Recompute objective, bound and violation of a result with the engine's own formulas."""
    point = dual_point(problem, result.alpha, result.multiplier)
    ratio = float(price_ratios(problem, columns, point.v).max(initial=0.0))
    bound = dual_bound(problem, point, ratio)
    if not np.isfinite(result.objective):
        return Certificate(np.inf, bound, 0.0)
    block = columns.take(result.features)
    margins = problem.y * (block @ result.w + result.b)
    slack, violation = slack_and_violation(problem, margins)
    if problem.equality is not None:
        reached = problem.equality @ block @ result.w + problem.bias_coefficient * result.b
        violation = max(violation, float(abs(reached - problem.rhs)))
    objective = objective_value(problem, problem.costs(result.features), result.w, slack)
    return Certificate(objective, bound, violation)


def relative(difference: float, size: float) -> float:
    """On the scale the solver promises: relative above one, absolute below."""
    return abs(difference) / max(1.0, abs(size))


def price_rounding(case: Case, result: Result) -> float:
    """How well prices can be known that are summed over X as it is, offsets and all."""
    columns, Z = scale_columns(case.X), standardise(case.X)
    offset = np.abs(columns.mean * columns.inverse_scale)
    # Mean, unit, quotient and sum are rounded.
    size = (offset + 4.0 * np.abs(Z).max(axis=0, initial=0.0)) / case.c
    return float(np.finfo(float).eps * size.max(initial=0.0) * np.abs(result.dual).sum())


def margin_rounding(case: Case, result: Result) -> float:
    """How well margins can be known: a mean is one number, and rounded like any other."""
    return column_rounding(case.X) * float(np.abs(result.w).sum())


def assert_optimal(case: Case, result: Result) -> None:
    """Weak duality, recomputed from X and y: no other solution can be better."""
    Z, rounding = standardise(case.X), price_rounding(case, result)
    shift = margin_rounding(case, result)
    # A proof of 1e-7 needs prices of that accuracy; without, the engine has to say so.
    assert result.status is Status.OPTIMAL or (
        result.status is Status.INACCURATE and rounding > 1e-8
    )
    primal, dual = primal_value(case, Z, result), dual_value(case, Z, result)
    assert primal.violation <= VIOLATION + shift
    paid = paid_for_rounding(case, shift, primal.objective)
    assert relative(primal.objective - result.objective, primal.objective) <= GAP + paid
    # Beside the largest slack, the smallest ones are rounding.
    near = VIOLATION + shift + NEGLIGIBLE * primal.slack.max(initial=0.0)
    np.testing.assert_allclose(result.slack, primal.slack, atol=near)
    assert dual.imbalance <= 1e-9
    size = max(1.0, float(result.alpha.max(initial=0.0)), abs(result.multiplier))
    np.testing.assert_allclose(result.dual, dual.v, rtol=1e-12, atol=1e-12 * size)
    assert dual.ratio <= (1.0 + 1e-7) * (1.0 + rounding)
    assert relative(primal.objective - dual.bound, primal.objective) <= GAP + paid
    assert relative(primal.objective - result.bound, primal.objective) <= GAP + paid + rounding


def paid_for_rounding(case: Case, shift: float, objective: float) -> float:
    """What the last digits of slacks cost, as a part of the objective, where errors cost a lot."""
    costs = float(case.C[np.isfinite(case.C)].sum())
    return (shift + (SLACK_ROUNDING + shift) * costs) / max(1.0, objective)


def assert_infeasible(case: Case, result: Result) -> None:
    """Farkas: a ray of the dual along which the bound grows without limit.

    The prices are those of the columns themselves: a large cost of a feature is no reason why
    weights that satisfy the constraints should not exist.
    """
    assert result.status is Status.INFEASIBLE
    assert result.objective == result.bound == np.inf
    assert result.gap == 0.0
    assert result.n_features == 0
    Z = standardise(case.X)
    dual = dual_value(case, Z, result)
    assert dual.value > 0.0
    assert dual.imbalance <= 1e-9
    assert usable_prices(case, dual.v @ Z).max(initial=0.0) <= 1e-7 * dual.value
    paying = np.isfinite(case.C)  # these alphas are bounded, so a ray must leave them at zero
    assert result.alpha[paying].max(initial=0.0) <= 1e-9 * dual.value


def assert_solved(case: Case, result: Result, objective: float) -> None:
    """Same verdict and value as the peer solver, with a proof of its own.

    The peer calls some programs infeasible that are not: a solution within its own tolerance
    refutes that, and weak duality then says whether there is a better one.
    """
    if np.isfinite(objective):
        assert_optimal(case, result)
        # What rounding of the columns costs at the worst; nothing for ordinary ones.
        paid = paid_for_rounding(case, margin_rounding(case, result), objective)
        assert relative(result.objective - objective, objective) <= GAP + paid
    elif result.status is Status.OPTIMAL and _violation(case, result) <= VIOLATION:
        assert_optimal(case, result)
    elif result.status is Status.INACCURATE and np.isfinite(result.objective):
        # Feasible but for rounding, and only whole numbers could decide; or by no means feasible,
        # and the answer says so itself.
        stated = (1.0 + GAP) * result.violation + SLACK_ROUNDING
        assert _violation(case, result) <= max(VIOLATION, stated)
    else:
        assert_infeasible(case, result)


def _violation(case: Case, result: Result) -> float:
    return primal_value(case, standardise(case.X), result).violation
