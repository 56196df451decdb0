"""Fewer features than one program for many classes leaves: by reweighting, or down to a number.

Reweighting divides the cost of a feature by the size it had in the last program, as with two
classes. For at most k features, every cost is raised by mu / size_j at first, with mu by bisection,
which keeps the balance of features and errors that the slack costs set; then features are dropped
one by one, each time the one of the smallest few whose loss costs least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import JointResult, solve_joint
from fewest._solvers.problem import visible_slack_cost
from fewest._solvers.result import Status
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# Sizes that change by less in one program stand still, and so does an objective.
_STANDS_STILL, _WORTH_ANOTHER_STEP = 1e-3, 1e-5
# Most programs of one bisection, and how many features it may leave beyond the number wanted.
_BISECTIONS, _BEYOND = 8, 3
# One bisection takes at most this part of the features away.
_AT_A_TIME = 0.6
# Of so many features with the smallest sizes, the one that is missed least is dropped.
_CANDIDATES = 3


@dataclass(frozen=True, eq=False)
class JointSelection:
    """Final weights for all classes, and the certified linear program behind every step.

    `steps[0]` is the program over all columns; the later ones count columns within the support
    of the step before them, and keep no multipliers. `features` are column numbers of X; `W` has a
    row for each of them and a column per class; `slack` is the largest of every sample.
    """

    features: IndexArray
    W: FloatArray
    b: FloatArray
    slack: FloatArray
    zero_norm_objective: float
    steps: tuple[JointResult, ...]
    converged: bool

    @property
    def n_features_first(self) -> int:
        return self.steps[0].n_features

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def status(self) -> Status:
        statuses = (step.status for step in self.steps)
        return next((one for one in statuses if one is not Status.OPTIMAL), Status.OPTIMAL)

    @property
    def gap(self) -> float:
        """Largest relative duality gap of the steps."""
        return max(step.gap for step in self.steps)

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)


def minimize_joint_zero_norm(
    problem: JointProblem,
    columns: Columns,
    *,
    error_cost: FloatArray | None,
    tol: float = 1e-7,
    max_iter: int = 20,
    first: JointResult | None = None,
) -> JointSelection:
    """Reweight features until their sizes stand still; slacks keep C_i per mean distance."""
    step = solve_joint(problem, columns, tol=tol) if first is None else first
    steps, converged = [step], step.n_features == 0 or step.status is Status.INFEASIBLE
    slack_cost = None
    if error_cost is not None:
        slack_cost = visible_slack_cost(error_cost / problem.mean_distance)
    while not converged and len(steps) < max_iter and not current_watch().is_over:
        previous = step
        columns = columns.subset(previous.features)
        step = _solve_all(problem.with_costs(1.0 / previous.sizes, slack_cost), columns, tol)
        if not np.isfinite(step.objective):
            # The last solution satisfies this program up to rounding: nothing better exists.
            step, converged = previous, True
            break
        steps.append(step)
        converged = step.n_features == 0 or _stands_still(previous, step, slack_cost)
    return _describe(steps, error_cost, converged or max_iter == 1)


def choose_at_most(
    problem: JointProblem, columns: Columns, first: JointResult, most: int, *, tol: float = 1e-7
) -> list[JointResult]:
    """Programs from the first one to one with at most so many features."""
    steps = [first]
    while steps[-1].n_features > most and not current_watch().is_over:
        last = steps[-1]
        columns = columns.subset(last.features)
        wanted = max(most + _BEYOND, int(np.ceil((1.0 - _AT_A_TIME) * last.n_features)))
        plain = problem.with_costs(None, problem.slack_cost)
        if last.n_features > wanted:
            steps.append(_raise_costs(plain, columns, last, most, wanted, tol))
        else:
            steps.append(_drop_one(plain, columns, last, tol))
    return steps


def finish(
    steps: Sequence[JointResult], error_cost: FloatArray | None, *, converged: bool = True
) -> JointSelection:
    """The selection that a series of programs ends with."""
    return _describe(list(steps), error_cost, converged)


def _solve_all(problem: JointProblem, columns: Columns, tol: float) -> JointResult:
    """A program over few columns, all of which take part from the start."""
    return solve_joint(problem, columns, tol=tol, features=np.flatnonzero(columns.inverse_scale))


def _raise_costs(
    problem: JointProblem, columns: Columns, last: JointResult, least: int, most: int, tol: float
) -> JointResult:
    """The program with costs 1 + mu / size whose features number between two limits, or nearly."""
    unit = float(np.median(last.sizes))
    low, high, found = 0.0, np.inf, None
    mu = unit
    for _ in range(_BISECTIONS):
        result = _solve_all(
            problem.with_costs(1.0 + mu / last.sizes, problem.slack_cost), columns, tol
        )
        if result.n_features >= least:
            if found is None or result.n_features < found.n_features:
                found = result
            if result.n_features <= most:
                return result
            low = mu
        else:
            high = mu
        if current_watch().is_over:
            break
        mu = 4.0 * mu if np.isinf(high) else (0.25 * high if low == 0.0 else np.sqrt(low * high))
    if found is None or found.n_features == last.n_features:
        return _drop_one(problem, columns, last, tol)
    return found


def _drop_one(
    problem: JointProblem, columns: Columns, last: JointResult, tol: float
) -> JointResult:
    """The best program without one of the features with the smallest sizes."""
    smallest = np.argsort(last.sizes, kind="stable")[:_CANDIDATES]
    best: JointResult | None = None
    for feature in smallest:
        kept = np.setdiff1d(np.arange(columns.n_features), [feature])
        result = _solve_all(problem, columns.subset(kept), tol)
        result = replace(result, features=kept[result.features])
        if best is None or result.objective < best.objective:
            best = result
    assert best is not None
    return best


def _stands_still(previous: JointResult, step: JointResult, slack_cost: FloatArray | None) -> bool:
    """Whether sizes are the same, or the previous weights were as good at the costs they led to."""
    if step.n_features != previous.n_features:
        return False
    before = float(previous.n_features)
    if slack_cost is not None:
        before += float(slack_cost @ previous.slack.sum(axis=1))
    return step.objective > before * (1.0 - _WORTH_ANOTHER_STEP) or np.allclose(
        step.sizes, previous.sizes, rtol=_STANDS_STILL
    )


def _describe(
    steps: list[JointResult], error_cost: FloatArray | None, converged: bool
) -> JointSelection:
    features = steps[0].features
    for step in steps[1:]:
        features = features[step.features]
    last = steps[-1]
    objective = float(last.n_features) if np.isfinite(last.objective) else float(np.inf)
    if error_cost is not None:
        objective += float(error_cost[last.slack.max(axis=1) > 0.0].sum())
    return JointSelection(
        features=features,
        W=last.W,
        b=last.b,
        slack=last.slack.max(axis=1),
        zero_norm_objective=objective,
        steps=(steps[0], *(_without_samples(step) for step in steps[1:])),
        converged=converged,
    )


def _without_samples(step: JointResult) -> JointResult:
    """What a long series of programs keeps of each: its values per sample would be too many."""
    return replace(step, slack=step.slack[:0], alpha=step.alpha[:0])
