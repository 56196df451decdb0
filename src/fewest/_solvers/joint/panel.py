"""Fewer features than one program for many classes leaves: by reweighting, or down to a number.

Reweighting divides the cost of a feature by the size it had in the last program, as with two
classes. For at most k features, every cost is raised by mu / size_j, with mu by bisection, until a
few dozen candidates are left, which keeps the balance of features and errors that the slack costs
set; `smooth.py` chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewest._solvers.columns import Columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.smooth import choose_features
from fewest._solvers.joint.solve import JointResult, solve_joint
from fewest._solvers.problem import visible_slack_cost
from fewest._solvers.result import Status
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# Sizes that change by less in one program stand still, and so does an objective.
_STANDS_STILL, _WORTH_ANOTHER_STEP = 1e-3, 1e-5
# A panel is chosen among this many candidates, or twice as many as are wanted. Most programs of one
# bisection towards them, and the part of them that it must leave.
_CANDIDATES, _BISECTIONS, _NEARLY = 40, 8, 0.75
# The tolerance of programs that only say which features are candidates.
_ROUGH = 1e-4


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
    problem: JointProblem,
    columns: Columns,
    first: JointResult,
    most: int,
    *,
    weight: FloatArray,
    tol: float = 1e-7,
) -> list[JointResult]:
    """Programs from the first one to one with at most so many features.

    `weight` is what the samples count in the comparison of features.
    """
    if first.n_features <= most:
        return [first]
    plain = problem.with_costs(None, problem.slack_cost)
    places = np.arange(first.n_features)  # of the candidates, among the features of the first
    columns = columns.subset(first.features)
    sizes, candidates = first.sizes, max(_CANDIDATES, 2 * most)
    while len(places) > candidates and not current_watch().is_over:
        found = _raise_costs(plain, columns.subset(places), sizes, candidates)
        if found is None:
            break
        places, sizes = places[found.features], found.sizes
    block = columns.take(places)
    kept = places[choose_features(block, problem.codes, weight, most)]
    last = _solve_all(plain, columns.subset(kept), tol)
    return [first, replace(last, features=kept[last.features])]


def solve_on(
    problem: JointProblem,
    columns: Columns,
    features: IndexArray,
    among: IndexArray,
    *,
    tol: float = 1e-7,
) -> JointResult:
    """The program on these columns alone; its features are places among others."""
    result = _solve_all(problem, columns.subset(features), tol)
    places = np.searchsorted(among, features)
    return replace(result, features=places[result.features])


def finish(
    steps: Sequence[JointResult], error_cost: FloatArray | None, *, converged: bool = True
) -> JointSelection:
    """The selection that a series of programs ends with."""
    return _describe(list(steps), error_cost, converged)


def _solve_all(
    problem: JointProblem, columns: Columns, tol: float, exact: bool = True
) -> JointResult:
    """A program over few columns, all of which take part from the start."""
    features = np.flatnonzero(columns.inverse_scale)
    return solve_joint(problem, columns, tol=tol, features=features, exact=exact)


def _raise_costs(
    problem: JointProblem, columns: Columns, sizes: FloatArray, most: int
) -> JointResult | None:
    """The program with costs 1 + mu / size that leaves nearly so many features, or fewer than all.

    None if there is no such mu.
    """
    mu, low, high = float(np.median(sizes)), 0.0, np.inf
    found, fewest = None, len(sizes)
    for _ in range(_BISECTIONS):
        costs = 1.0 + mu / sizes
        result = _solve_all(problem.with_costs(costs, problem.slack_cost), columns, _ROUGH, False)
        if result.n_features < _NEARLY * most:
            high = mu
        else:
            low = mu
            if result.n_features < fewest:
                found, fewest = result, result.n_features
            if result.n_features <= most:
                break
        if current_watch().is_over:
            break
        mu = 4.0 * low if np.isinf(high) else (0.25 * high if low == 0.0 else np.sqrt(low * high))
    return found


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
