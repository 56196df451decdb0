"""Fewer features than one program for many classes leaves: by reweighting, or down to a number.

Reweighting divides the cost of a feature by the size it had in the last program, as with two
classes. For at most k features, every cost is raised by mu / size_j, with mu by bisection, until a
few dozen candidates are left, which keeps the balance of features and errors that the slack costs
set; `smooth.py` chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.smooth import Rivalry, choose_features
from fewest._solvers.joint.solve import JointResult, solve_joint
from fewest._solvers.problem import visible_slack_cost
from fewest._solvers.result import Series, Status
from fewest._solvers.terms import Terms
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# Sizes that change by less in one program stand still, and so does an objective.
_STANDS_STILL, _WORTH_ANOTHER_STEP = 1e-3, 1e-5
# A panel is chosen among this many candidates, or twice as many as are wanted. Most programs of one
# bisection towards them, and the part of them that it must leave.
_CANDIDATES, _BISECTIONS, _NEARLY = 40, 8, 0.75
# The tolerance of programs that only say which features are candidates.
_ROUGH = 1e-4
# Means of two classes that are nearer, in standard deviations of the feature, are equal.
_AHEAD = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class JointSelection(Shown, Series):
    """Final weights for all classes, and the certified linear program behind every step.

    `steps[0]` is the program over all columns; the later ones keep no multipliers, and count
    columns within the support of the step before them (the one of a panel counts columns of X).
    `features` are column numbers of X; `W` has a row for each of them and a column per class;
    `slack` is the largest of every sample.
    """

    features: IndexArray
    W: FloatArray
    b: FloatArray
    slack: FloatArray
    zero_norm_objective: float
    steps: tuple[JointResult, ...]
    converged: bool


def minimize_joint_zero_norm(
    problem: JointProblem,
    columns: Columns,
    *,
    error_cost: FloatArray | None,
    tol: float = 1e-7,
    max_iter: int = 20,
    first: JointResult | None = None,
    terms: Terms | None = None,
) -> JointSelection:
    """Reweight features until their sizes stand still; slacks keep C_i per mean distance."""
    step = solve_joint(problem, columns, tol=tol) if first is None else first
    terms = Terms(np.ones(columns.n_features)) if terms is None else terms
    numbers = np.arange(columns.n_features)
    steps, converged = [step], step.n_features == 0 or step.status is Status.INFEASIBLE
    slack_cost = None
    if error_cost is not None:
        slack_cost = visible_slack_cost(error_cost / problem.mean_distance)
    while not converged and len(steps) < max_iter and not current_watch().is_over:
        previous, before = step, numbers[step.features]
        later, costs = terms.later_costs(before, previous.sizes)
        usable = columns.inverse_scale[later] != 0.0
        later, costs = later[usable], costs[usable]
        step = _solve_all(problem.with_costs(costs, slack_cost), columns.subset(later), tol)
        if not np.isfinite(step.objective):
            # The last solution satisfies this program up to rounding: nothing better exists.
            step, converged = previous, True
            break
        numbers = later
        steps.append(step)
        paid = float(costs[np.searchsorted(numbers, before)] @ previous.sizes)
        converged = step.n_features == 0 or _stands_still(previous, step, paid, slack_cost)
    features, W = terms.add_free(numbers[step.features], step.W)
    price = terms.total(features)
    return _describe(steps, features, W, price, error_cost, converged or max_iter == 1)


def choose_panel(
    problem: JointProblem,
    columns: Columns,
    first: JointResult,
    most: int,
    *,
    weight: FloatArray,
    always: IndexArray,
    rivalry: Rivalry | None = None,
) -> IndexArray:
    """At most so many of the features of the first program, and those that are always in.

    `weight` is what the samples count in the comparison of features.
    """
    features, sizes = first.features, first.sizes
    candidates = max(_CANDIDATES, 2 * most)
    while len(features) > candidates and not current_watch().is_over:
        priced = problem.with_costs(problem.costs(features), problem.slack_cost)
        found = _raise_costs(priced, columns.subset(features), sizes, candidates)
        if found is None:
            break
        features, sizes = features[found.features], found.sizes
    features = np.union1d(features, always)
    rivals = None if rivalry is None else rivalry.take(features)
    if len(features) <= most and (rivals is None or not rivals.is_crowded()):
        return features
    block, kept = columns.take(features), np.searchsorted(features, always)
    return features[choose_features(block, problem.codes, weight, most, kept, rivalry=rivals)]


def solve_panel(
    problem: JointProblem,
    columns: Columns,
    first: JointResult,
    features: IndexArray,
    *,
    error_cost: FloatArray,
    tol: float = 1e-7,
    terms: Terms | None = None,
) -> JointSelection:
    """The program on these columns alone, as what a first program led to."""
    priced = problem.with_costs(problem.costs(features), problem.slack_cost)
    last = _solve_all(priced, columns.subset(features), tol, exact=False)  # all of them stay in
    W = np.zeros((len(features), problem.n_classes))
    W[last.features] = last.W
    price = float(len(features)) if terms is None else terms.total(features)
    found = _describe([last], features, W, price, error_cost, converged=not current_watch().is_over)
    last = replace(_without_samples(last), features=features[last.features])
    return replace(found, steps=(first, last))


def find_markers(
    problem: JointProblem,
    columns: Columns,
    count: int,
    included: IndexArray,
    groups: IndexArray | None = None,
) -> tuple[IndexArray, IndexArray]:
    """Features that give every class so many whose mean is largest there; how many each one has.

    Those that are `included` count, too. The widest distances to the next class come first, as far
    as at most one feature of each of the `groups` allows.
    """
    K = problem.n_classes
    vectors = problem.mean_vectors - problem.mean_vectors.mean(axis=1, keepdims=True)
    means = columns.price_all(vectors)  # up to what all classes share
    ordered = np.sort(means, axis=1)
    ahead, highest = ordered[:, -1] - ordered[:, -2], means.argmax(axis=1)
    known = included[ahead[included] > _AHEAD]
    has = np.bincount(highest[known], minlength=K)
    usable = (ahead > _AHEAD) & (columns.inverse_scale != 0.0)
    usable[included] = False
    own_group = -1 - np.arange(len(ahead))  # each alone
    if groups is not None:
        own_group = np.where(groups < 0, own_group, groups)
        usable &= ~np.isin(own_group, own_group[included])
    slots, pool = np.repeat(np.arange(K), np.maximum(count - has, 0)), included[:0]
    for code in np.unique(slots):
        own = np.flatnonzero(usable & (highest == code))
        own = own[np.argsort(-ahead[own], kind="stable")]
        own = own[np.sort(np.unique(own_group[own], return_index=True)[1])]
        pool = np.append(pool, own[: len(slots)])  # enough, whatever the other classes take
    # A row for each feature that is missing, a column for each group; first of all many matches.
    worth, best = np.zeros((len(slots), len(pool))), np.zeros((len(slots), len(pool)), np.intp)
    rows, places = np.nonzero(slots[:, None] == highest[pool])
    group = np.unique(own_group[pool], return_inverse=True)[1][places]
    worth[rows, group] = ahead[pool[places]] + len(slots) * ahead[pool].max(initial=0.0)
    best[rows, group] = pool[places]
    matched = linear_sum_assignment(worth, maximize=True)
    found = best[matched][worth[matched] > 0.0]
    return np.union1d(included, found), has + np.bincount(highest[found], minlength=K)


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

    Prices of the problem are multiplied with them. None if there is no such mu.
    """
    prices = problem.costs(np.arange(len(sizes)))
    mu, low, high = float(np.median(sizes)), 0.0, np.inf
    found, fewest = None, len(sizes)
    for _ in range(_BISECTIONS):
        costs = prices * (1.0 + mu / sizes)
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


def _stands_still(
    previous: JointResult, step: JointResult, paid: float, slack_cost: FloatArray | None
) -> bool:
    """Whether sizes are the same, or the previous weights were as good at the costs they led to.

    `paid` is what they cost there.
    """
    if step.n_features != previous.n_features:
        return False
    before = paid
    if slack_cost is not None:
        before += float(slack_cost @ previous.slack.sum(axis=1))
    return step.objective > before * (1.0 - _WORTH_ANOTHER_STEP) or np.allclose(
        step.sizes, previous.sizes, rtol=_STANDS_STILL
    )


def _describe(
    steps: list[JointResult],
    features: IndexArray,
    W: FloatArray,
    price: float,
    error_cost: FloatArray | None,
    converged: bool,
) -> JointSelection:
    last = steps[-1]
    objective = price if np.isfinite(last.objective) else float(np.inf)
    if error_cost is not None:
        objective += float(error_cost[last.slack.max(axis=1) > 0.0].sum())
    return JointSelection(
        features=features,
        W=W,
        b=last.b,
        slack=last.slack.max(axis=1),
        zero_norm_objective=objective,
        steps=(steps[0], *(_without_samples(step) for step in steps[1:])),
        converged=converged,
    )


def _without_samples(step: JointResult) -> JointResult:
    """What a long series of programs keeps of each: its values per sample would be too many."""
    return replace(step, slack=step.slack[:0], alpha=step.alpha[:0])
