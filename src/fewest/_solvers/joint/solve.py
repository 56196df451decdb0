"""Many classes by column generation: an interior point over some features, priced against all."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy.linalg import LinAlgError, lstsq

from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.joint.interior import JointInterior
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.simplex import Vertex, is_small, solve_vertex
from fewest._solvers.result import Status, is_gap_closed, relative_gap
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# Features to begin with, and to admit at a time at least.
_FIRST_FEATURES = 60
# Most steps; gaps at which the method may end, and must, as parts of the tolerance.
_MAX_STEPS, _CLOSE, _CLOSEST = 150, 1e-5, 1e-7
# A gap below the tolerance that does not halve in this many steps will not shrink any more.
_PATIENCE = 4
# All columns are priced whenever the gap has shrunk by this factor.
_PRICE_EVERY = 10.0
# Columns with a larger ratio join, and multipliers shrink until no ratio is larger.
_NEARLY_TIGHT = 0.97
# Below this gap, columns with a smaller ratio leave.
_LEAVE_BELOW, _LOOSE = 0.05, 0.6
# Weights are compared with the largest one, or with this number if all are smaller.
_TINY = 1e-6
# Columns whose correlation is this close to one, or minus one, may be the same: they are, if scores
# change by no more than this when one gets the other's weights.
_TWINS, _SAME_SCORES = 1e-9, 1e-10
# A feature whose price is above its cost by a larger part joins a vertex.
_PRICED = 1e-10
# Margins may fall short of hard limits by this much.
_SHORTFALL = 1e-8
# Multipliers may sum to this part of all of them in a class.
_BALANCED = 1e-9
# Optima beyond this count as infinite: no weights keep all margins.
_HOPELESS = 1e8


@dataclass(frozen=True, eq=False, repr=False)
class JointResult(Shown):
    """Weights of the selected features (rows) for every class, and what proves them.

    `W`, `b` refer to the standardised columns. `alpha` has one value per sample and class, zero for
    its own; `apart` one per pair of classes whose means must be apart. `sizes` are the largest
    differences of a feature's weights.
    """

    features: IndexArray
    W: FloatArray
    b: FloatArray
    slack: FloatArray
    alpha: FloatArray
    apart: FloatArray
    objective: float
    bound: float
    violation: float
    status: Status
    rounds: int
    seconds: float

    @property
    def gap(self) -> float:
        return relative_gap(self.objective, self.bound)

    @property
    def n_features(self) -> int:
        return len(self.features)

    @property
    def sizes(self) -> FloatArray:
        return np.asarray(np.ptp(self.W, axis=1))


def solve_joint(
    problem: JointProblem,
    columns: Columns,
    *,
    tol: float = 1e-7,
    features: IndexArray | None = None,
    exact: bool = True,
) -> JointResult:
    """The optimum to a relative duality gap of `tol`; `features` is what to begin with.

    With `exact` a few more steps settle all digits of the weights.
    """
    started = perf_counter()
    if features is None:
        features = _first_features(problem, columns)
    if not len(features):  # nothing but biases
        return _settle_by_simplex(problem, columns, features, tol, 0, started) or _infeasible(
            problem, started
        )
    found, features = _approach(problem, columns, features, tol, exact, started)
    if found.status is not Status.INACCURATE or current_watch().is_over:
        return found
    settled = _settle_by_simplex(problem, columns, features, tol, found.rounds, started)
    return found if settled is None else _better(found, settled)


def _approach(
    problem: JointProblem,
    columns: Columns,
    features: IndexArray,
    tol: float,
    exact: bool,
    started: float,
) -> tuple[JointResult, IndexArray]:
    """What the interior point arrives at, and the features that it looked at last."""
    point = JointInterior(problem, _divided(problem, columns, features))
    watch, priced_at, close, steps = current_watch(), np.inf, (_CLOSE if exact else 1.0) * tol, 0
    best: JointResult | None = None
    lowest, waited = np.inf, 0
    # A feature that comes back stays: a cheap one, whose ratio swings, would come and go for ever.
    was_out = np.zeros(columns.n_features, dtype=bool)
    while steps < _MAX_STEPS and not watch.is_over:
        gap = point.gap()
        watch.tell(gap=gap)
        lowest, waited = (gap, 0) if gap < lowest / 2.0 else (lowest, waited + 1)
        if waited > _PATIENCE and gap < tol:
            break
        hopeless = point.value > _HOPELESS
        if gap < max(priced_at / _PRICE_EVERY, close) or hopeless:
            ratios = price_ratios(problem, columns, *point.multipliers)
            if hopeless:
                found = _conclude(problem, columns, features, point, tol, steps, started)
                if found.status is Status.INFEASIBLE:
                    return found, features
            if gap < _LEAVE_BELOW:
                kept = (ratios[features] > _LOOSE) | was_out[features]
                if 0 < kept.sum() < 0.8 * len(kept):
                    point.dismiss(kept)
                    was_out[features[~kept]] = True
                    features = features[kept]
            ratios[features] = 0.0
            largest = float(ratios.max(initial=0.0))
            if gap < close and largest <= 1.0:
                found = _conclude(problem, columns, features, point, tol, steps, started)
                best = _better(best, found)
                if best.status is Status.OPTIMAL or close < _CLOSEST * tol:
                    return best, features
                close /= 10.0  # weights that should be zero are not small enough yet
            priced_at = gap
            joining = np.flatnonzero(ratios > _NEARLY_TIGHT)
            if len(joining):
                most = max(_FIRST_FEATURES, len(features))
                joining = joining[np.argsort(-ratios[joining], kind="stable")[:most]]
                block = _divided(problem, columns, joining)
                point.admit(block, shrink=_NEARLY_TIGHT / largest)
                features = np.concatenate([features, joining])
                priced_at = point.gap()
        try:
            point.step()
        except LinAlgError:  # the last digits are gone: as close as it gets
            break
        steps += 1
    found = _conclude(problem, columns, features, point, tol, steps, started)
    return _better(best, found), features


def _settle_by_simplex(
    problem: JointProblem,
    columns: Columns,
    features: IndexArray,
    tol: float,
    steps: int,
    started: float,
) -> JointResult | None:
    """The optimum at a vertex; None if there is none, or the program is too large for that."""
    watch = current_watch()
    while is_small(problem, len(features)) and not watch.is_over:
        vertex = solve_vertex(problem, _divided(problem, columns, features))
        if vertex is None:  # these features may be too few for margins that must be kept
            if len(features) == columns.n_usable or not is_small(problem, columns.n_usable):
                return None
            features = np.flatnonzero(columns.inverse_scale)
            continue
        steps += 1
        ratios = price_ratios(problem, columns, *vertex.multipliers)
        ratios[features] = 0.0
        joining = np.flatnonzero(ratios > 1.0 + _PRICED)
        if not len(joining):
            return _conclude(problem, columns, features, vertex, tol, steps, started)
        most = max(_FIRST_FEATURES, len(features))
        joining = joining[np.argsort(-ratios[joining], kind="stable")[:most]]
        features = np.concatenate([features, joining])
    return None


def _infeasible(problem: JointProblem, started: float) -> JointResult:
    """Columns that do not vary keep no margin that must be kept."""
    n, K = problem.n_samples, problem.n_classes
    return JointResult(
        features=np.empty(0, dtype=np.intp),
        W=np.empty((0, K)),
        b=np.zeros(K),
        slack=np.zeros((n, K)),
        alpha=np.where(problem.is_own, 0.0, 1.0 / np.bincount(problem.codes)[problem.codes, None]),
        apart=np.ones(len(problem.pairs[0])),
        objective=np.inf,
        bound=np.inf,
        violation=0.0,
        status=Status.INFEASIBLE,
        rounds=0,
        seconds=perf_counter() - started,
    )


def _better(one: JointResult | None, other: JointResult) -> JointResult:
    """The one that keeps hard limits, or has the smaller gap."""
    if one is None:
        return other
    return min(one, other, key=lambda result: (result.violation > _SHORTFALL, result.gap))


def price_ratios(
    problem: JointProblem, columns: Columns, alpha: FloatArray, apart: FloatArray
) -> FloatArray:
    """sum_k |x_j . v_k| / (2 c_j) for every column: above one, the column wants to enter."""
    v = problem.dual_vectors(alpha, apart)
    ratios = np.abs(columns.price_all(v)).sum(axis=1)
    ratios /= 2.0 if problem.feature_cost is None else 2.0 * problem.feature_cost
    return ratios


def _first_features(problem: JointProblem, columns: Columns) -> IndexArray:
    """Those whose class means, weighted as in the program, differ most."""
    alpha = np.where(problem.is_own, 0.0, problem.mean_vectors.sum(axis=1, keepdims=True))
    ratios = price_ratios(problem, columns, alpha, np.zeros(len(problem.pairs[0])))
    count = min(_FIRST_FEATURES, np.count_nonzero(ratios))
    return np.argsort(-ratios, kind="stable")[:count]


def _divided(problem: JointProblem, columns: Columns, features: IndexArray) -> FloatArray:
    return columns.take(features) / problem.costs(features)


def _conclude(
    problem: JointProblem,
    columns: Columns,
    features: IndexArray,
    point: JointInterior | Vertex,
    tol: float,
    steps: int,
    started: float,
) -> JointResult:
    """Drop what is zero, and recompute objective and bound from the data."""
    W = point.W[:-1] / problem.costs(features)[:, None]
    size = np.ptp(W, axis=1)
    alpha, apart = point.multipliers
    alpha = balance(problem, alpha)
    ratios = price_ratios(problem, columns, alpha, apart)
    kept = size > point.negligible(ratios[features]) * size.max(initial=_TINY)
    order = np.argsort(features[kept])
    features, W = _merge_twins(columns, features[kept][order], W[kept][order], problem)
    W = W - (W.max(axis=1, keepdims=True) + W.min(axis=1, keepdims=True)) / 2.0
    b = point.W[-1] - point.W[-1].mean()
    W, b = _reach_limits(problem, columns, features, W, b)
    scores = columns.take(features) @ W + b
    slack = problem.slacks(scores)
    violation = max(0.0, 1.0 - _distance_of_means(problem, columns, features, W))
    if problem.slack_cost is None:
        violation, slack = max(violation, float(slack.max())), np.zeros_like(slack)
    objective = float(problem.costs(features) @ np.ptp(W, axis=1)) if len(W) else 0.0
    if problem.slack_cost is not None:
        objective += float(problem.slack_cost @ slack.sum(axis=1))
    bound = _bound(problem, alpha, apart, ratios)
    status = Status.INACCURATE
    if bound > _HOPELESS:
        status, objective = Status.INFEASIBLE, np.inf
    elif is_gap_closed(objective, bound, tol) and violation <= _SHORTFALL:
        status = Status.OPTIMAL
    return JointResult(
        features=features,
        W=W,
        b=b,
        slack=slack,
        alpha=alpha,
        apart=apart,
        objective=objective,
        bound=bound,
        violation=violation,
        status=status,
        rounds=steps,
        seconds=perf_counter() - started,
    )


def _merge_twins(
    columns: Columns, features: IndexArray, W: FloatArray, problem: JointProblem
) -> tuple[IndexArray, FloatArray]:
    """One of every set of equal (or opposite) columns gets the weights of all: the cheapest."""
    block = columns.take(features)
    norms = np.maximum(np.linalg.norm(block, axis=0), 1e-300)
    alike = (block.T @ block) / np.outer(norms, norms)
    is_twin = np.abs(alike) > 1.0 - _TWINS
    sizes = np.ptp(W, axis=1)
    for one, other in np.argwhere(np.triu(is_twin, 1)):
        apart = np.abs(block[:, one] - np.sign(alike[one, other]) * block[:, other]).max()
        is_twin[one, other] = apart * sizes[other] <= _SAME_SCORES
        is_twin[other, one] = apart * sizes[one] <= _SAME_SCORES
    if is_twin.sum() == len(features):
        return features, W
    order = np.argsort(problem.costs(features), kind="stable")
    merged, gone = W.copy(), np.zeros(len(features), dtype=bool)
    for one in order:
        if not gone[one]:
            twins = np.flatnonzero(is_twin[one] & ~gone)
            merged[one] = np.sign(alike[one, twins]) @ W[twins]
            gone[twins] = True
            gone[one] = False
            is_twin[:, one] = False
    return features[~gone], merged[~gone]


def _reach_limits(
    problem: JointProblem, columns: Columns, features: IndexArray, W: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weights so large that no hard limit is missed by rounding."""
    reached = 1.0
    if problem.means_apart:
        reached = _distance_of_means(problem, columns, features, W)
    elif problem.slack_cost is None and len(features):
        margins = problem.margins(columns.take(features) @ W + b)
        reached = float(margins[~problem.is_own].min())
    return (W, b) if not 0.5 < reached < 1.0 else (W / reached, b / reached)


def _distance_of_means(
    problem: JointProblem, columns: Columns, features: IndexArray, W: FloatArray
) -> float:
    """How far the nearest two classes are apart, of those that must be one apart at least."""
    first, second = problem.pairs
    if not len(first):
        return 1.0
    means = problem.mean_vectors.T @ columns.take(features)
    scores = means @ W
    ahead = np.diagonal(scores)[:, None] - scores  # (mu_k . w_k - mu_k . w_l)
    return float((ahead[first, second] + ahead[second, first]).min())


def balance(problem: JointProblem, alpha: FloatArray) -> FloatArray:
    """The nearest multipliers within their bounds that sum to zero in every class.

    What flows from a class to its rivals must flow back. All of one class towards one rival change
    by one factor, which is the difference of two potentials away from one.
    """
    alpha = np.clip(alpha, 0.0, problem.bounds[:, None])
    flow = np.zeros((problem.n_classes, problem.n_classes))
    np.add.at(flow, problem.codes, alpha)
    between = flow + flow.T
    laplacian = np.diag(between.sum(axis=1)) - between
    surplus = flow.sum(axis=1) - flow.sum(axis=0)
    if np.abs(surplus).max() <= _BALANCED * max(1.0, float(alpha.sum())):
        return alpha
    try:
        potential = lstsq(laplacian, surplus)[0]
    except (LinAlgError, ValueError):  # multipliers beyond all bounds: they prove nothing
        return alpha
    factor = np.maximum(0.0, 1.0 - potential[:, None] + potential)
    return alpha * (factor / max(1.0, float(factor.max())))[problem.codes]


def _bound(
    problem: JointProblem, alpha: FloatArray, apart: FloatArray, ratios: FloatArray
) -> float:
    """What no weights can be below, from any multipliers that are balanced."""
    left = np.abs(problem.dual_vectors(alpha, apart).sum(axis=0)).max()
    if left > _BALANCED * max(1.0, float(alpha.sum())):
        return 0.0
    value = problem.margin * float(alpha.sum()) + float(apart.sum())
    return value / max(1.0, float(ratios.max(initial=0.0)))
