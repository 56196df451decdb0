"""One cut per feature, small whole numbers for the sides of the cuts, and a line to the risk."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from fewest._estimators.in_time import require_time
from fewest._estimators.splits import split_folds
from fewest._gaps import fill_apart
from fewest._types import BoolArray, FloatArray, IndexArray

# Training and test samples of a fold, and the values of its features of all samples.
Part = tuple[IndexArray, IndexArray, FloatArray]

_LEVELS = np.linspace(0.05, 0.95, 46)  # shares of samples below a cut
_RIDGE = 1.0  # on the weight of an indicator, which is 0 or 1
_MOST_SWEEPS = 20
_MOST_STEPS = 50
_LONGEST_STEP = 4.0  # in units of the logit: no overshooting where a side has one class only
_EXACT = 1e-9
_NEAR = 1e-5  # last step of Newton's method: the loss is as exact as its square
_DIGITS = 6  # of weights beside the largest
_DECIMALS = 10  # of offsets: the same sides give the same number
_TIE = 1e-7  # of losses: which of two is smaller must not depend on rounding errors
_MOST_DIGITS = 18
_CALIBRATION_FOLDS = 5


@dataclass(frozen=True, eq=False)
class PointsFit:
    """Cuts (NaN for a feature that is constant), points, and the line from totals to logits.

    `share` is that of the class in question among the samples. `calibrated` says whether the line
    was corrected on samples that had no part in the score.
    """

    cuts: FloatArray
    points: IndexArray
    intercept: float
    slope: float
    share: float
    calibrated: bool = False

    def add_up(self, values: FloatArray) -> IndexArray:
        """Total points of every sample."""
        return mark_above(values, self.cuts) @ self.points

    def risks_at(self, totals: IndexArray) -> FloatArray:
        """The risk at these totals."""
        return np.asarray(expit(self.intercept + self.slope * totals))

    @property
    def decides(self) -> bool:
        """Whether more points mean a higher risk; else all totals are predicted alike."""
        return self.slope > 0.0


def mark_above(values: FloatArray, cuts: FloatArray) -> BoolArray:
    """Which values lie above the cut of their column; none above NaN."""
    return np.asarray(values > cuts)


def fit_calibrated(
    values: FloatArray,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    max_points: int,
    seed: int,
    parts: Sequence[Part] | None = None,
) -> PointsFit:
    """The score, with risks that are corrected on samples without a part in it.

    Cuts and points fit their own samples better than new ones, so a line through these samples is
    too steep. The score is made again in folds, and a line is fitted from the held-out logits to
    the classes; it corrects that of the score on all samples. `parts` are folds in which other
    features were chosen.
    """
    fitted = fit_points(values, codes, max_points)
    if parts is None:
        try:
            with warnings.catch_warnings(action="ignore"):  # of fewer folds
                rng = np.random.RandomState(seed)
                splits = split_folds(_CALIBRATION_FOLDS, codes, groups, random_state=rng)
        except ValueError:  # a class has a single sample or group
            return fitted
        parts = [(*split, values) for split in splits]
    logits, of_logits = [], []
    for train, test, own in parts:
        known, new = fill_apart(own[train], own[test])
        one = fit_points(known, codes[train], max_points)
        logits.append(one.intercept + one.slope * one.add_up(new))
        of_logits.append(codes[test])
    shift, factor, _ = fit_line(np.concatenate(logits), np.concatenate(of_logits))
    intercept, slope = shift + factor * fitted.intercept, factor * fitted.slope
    return PointsFit(fitted.cuts, fitted.points, intercept, slope, fitted.share, calibrated=True)


def fit_points(values: FloatArray, codes: IndexArray, max_points: int) -> PointsFit:
    """The score, with risks of the very samples it was made of."""
    cuts, weights = choose_cuts(values, codes)
    above = mark_above(values, cuts)
    best: tuple[float, int] | None = None
    chosen, line = np.zeros(len(cuts), dtype=np.intp), (0.0, 0.0)
    for points in list_roundings(weights, max_points):
        intercept, slope, loss = fit_line((above @ points).astype(np.float64), codes)
        size = int(np.abs(points).sum())
        if best is None or loss < best[0] - _TIE or (loss < best[0] + _TIE and size < best[1]):
            best, chosen, line = (loss, size), points, (intercept, slope)
    return PointsFit(cuts, chosen, *line, share=float(np.mean(codes)))


def list_roundings(weights: FloatArray, max_points: int) -> list[IndexArray]:
    """All whole numbers that weights times a scale are rounded to, without common divisors."""
    # Weights that are equal but for the last digits get the same points at every scale.
    largest = float(np.abs(weights).max())
    sizes = np.round(np.abs(weights) / largest, _DIGITS) if largest > _EXACT else 0.0 * weights
    # A weight changes its number at these scales: half, one and a half, and so on.
    used = sizes[sizes > 0.0]
    steps = np.arange(max_points + 1) + 0.5
    limit = steps[-1] / used.max() if len(used) else 0.0
    scales = np.unique((steps[:, None] / used).ravel())
    scales = scales[scales <= limit * (1.0 + _EXACT)]
    edges = np.concatenate([[0.0], scales])
    middles = edges[:-1] + np.diff(edges) / 2.0
    found = {(0,) * len(weights)}
    for scale in middles[1:]:
        points = (np.floor(sizes * scale + 0.5) * np.sign(weights)).astype(np.intp)
        divisor = int(np.gcd.reduce(points))  # 2 and 4 points say no more than 1 and 2
        found.add(tuple((points // divisor).tolist()))
    return [np.array(points, dtype=np.intp) for points in sorted(found)]


def choose_cuts(values: FloatArray, codes: IndexArray) -> tuple[FloatArray, FloatArray]:
    """A cut per column and the weights of its upper sides, by descent of the logistic loss.

    Every column begins with the cut that is best alone. Then, column by column, the cut is moved to
    where the loss is smallest while the other weights stay, and all weights are fitted again. That
    ends where no cut moves.
    """
    target = codes.astype(np.float64)
    candidates = [np.array(list_cuts(column)) for column in values.T]
    cuts = np.full(values.shape[1], np.nan)
    usable = [j for j, found in enumerate(candidates) if len(found)]
    for j in usable:
        require_time()
        losses = measure_cuts(values[:, j], candidates[j], np.zeros(len(target)), target)
        cuts[j] = candidates[j][_find_least(losses)]
    above = mark_above(values, cuts).astype(np.float64)
    start = np.concatenate([[logit(target.mean())], np.zeros(len(cuts))])
    parameters = fit_logistic(above, target, _RIDGE, start)
    for _ in range(_MOST_SWEEPS):
        before = cuts.copy()
        for j in usable:
            require_time()
            others = parameters[0] + np.delete(above, j, 1) @ np.delete(parameters[1:], j)
            losses = measure_cuts(values[:, j], candidates[j], others, target)
            own = np.flatnonzero(candidates[j] == cuts[j])[0]
            if losses[own] > losses.min() + _TIE:
                cuts[j] = candidates[j][_find_least(losses)]
                above[:, j] = values[:, j] > cuts[j]
                parameters = fit_logistic(above, target, _RIDGE, parameters)
        if np.array_equal(before, cuts, equal_nan=True):
            break
    return cuts, parameters[1:]


def _find_least(losses: FloatArray) -> int:
    return int(np.flatnonzero(losses <= losses.min() + _TIE)[0])


def list_cuts(column: FloatArray) -> list[float]:
    """Round numbers between neighbouring values, near quantiles; empty for a constant column."""
    ordered, counts = np.unique(column, return_counts=True)
    below = np.cumsum(counts)[:-1] / len(column)
    if not len(below):
        return []
    places = np.unique([int(np.argmin(np.abs(below - level))) for level in _LEVELS])
    return [round_between(ordered[place], ordered[place + 1]) for place in places]


def round_between(low: float, high: float) -> float:
    """The number of fewest digits in the middle half of a gap; low itself if there is none."""
    low, high = float(low), float(high)
    middle, quarter = low / 2.0 + high / 2.0, high / 4.0 - low / 4.0
    first = -math.floor(math.log10(max(abs(low), abs(high)))) - 1
    for digits in range(first, first + _MOST_DIGITS):
        rounded = round(middle, digits)
        if abs(rounded - middle) <= quarter and low < rounded < high:
            return rounded + 0.0  # no minus zero
    return middle if low < middle < high else low


def measure_cuts(
    column: FloatArray, cuts: FloatArray, offset: FloatArray, target: FloatArray
) -> FloatArray:
    """Smallest penalised loss of every cut: an intercept and a weight of the upper side are added.

    The offset has few different values, because it comes from the sides of other cuts. So samples
    are counted by their offset and by the cuts that they lie between, and cuts look at counts only.
    """
    levels, pattern = np.unique(np.round(offset, _DECIMALS), return_inverse=True)
    n_gaps = len(cuts) + 1
    cell = pattern * n_gaps + np.searchsorted(cuts, column)

    def count(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What lies below and above every cut, one row per cut and one column per offset."""
        table = np.zeros(len(levels) * n_gaps)
        np.add.at(table, cell, weights)
        sums = np.cumsum(table.reshape(len(levels), n_gaps).T, axis=0)
        return sums[:-1], sums[-1] - sums[:-1]

    (n_low, n_high), (ones_low, ones_high) = count(np.ones(len(target))), count(target)
    a, w = np.zeros((len(cuts), 1)), np.zeros((len(cuts), 1))
    for _ in range(_MOST_STEPS):
        low, high = expit(levels + a), expit(levels + a + w)
        of_low = (n_low * low - ones_low).sum(axis=1, keepdims=True)
        of_high = (n_high * high - ones_high).sum(axis=1, keepdims=True)
        of_a, of_w = of_low + of_high, of_high + _RIDGE * w
        lower = (n_low * low * (1.0 - low)).sum(axis=1, keepdims=True) + _EXACT
        upper = (n_high * high * (1.0 - high)).sum(axis=1, keepdims=True) + _EXACT
        # The 2 by 2 system of Newton's step, solved by hand for all cuts at once.
        determinant = lower * upper + _RIDGE * (lower + upper)
        step_a = ((upper + _RIDGE) * of_a - upper * of_w) / determinant
        step_w = ((lower + upper) * of_w - upper * of_a) / determinant
        a -= np.clip(step_a, -_LONGEST_STEP, _LONGEST_STEP)
        w -= np.clip(step_w, -_LONGEST_STEP, _LONGEST_STEP)
        if max(np.abs(step_a).max(), np.abs(step_w).max()) < _NEAR:
            break
    below, beyond = levels + a, levels + a + w
    losses = n_low * np.logaddexp(0.0, below) - ones_low * below
    losses += n_high * np.logaddexp(0.0, beyond) - ones_high * beyond
    return np.asarray(losses.sum(axis=1) + _RIDGE / 2.0 * w[:, 0] ** 2)


def _loss(logits: FloatArray, target: FloatArray) -> Any:
    return (np.logaddexp(0.0, logits) - target * logits).sum(axis=-1)


def fit_logistic(
    indicators: FloatArray, target: FloatArray, ridge: float, start: FloatArray
) -> FloatArray:
    """Intercept and weights of least logistic loss; the ridge is on the weights alone.

    Newton's steps, halved until the loss falls. Targets may lie between 0 and 1.
    """
    design = np.column_stack([np.ones(len(target)), indicators])
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0

    def measure(parameters: FloatArray) -> float:
        return float(_loss(design @ parameters, target) + penalty @ parameters**2 / 2.0)

    parameters, loss = start.copy(), measure(start)
    for _ in range(_MOST_STEPS):
        risk = expit(design @ parameters)
        gradient = design.T @ (risk - target) + penalty * parameters
        bend = risk * (1.0 - risk)
        curvature = (design.T * bend) @ design + np.diag(penalty + _EXACT)
        step = np.linalg.solve(curvature, gradient)
        while (new := measure(parameters - step)) > loss and np.abs(step).max() > _EXACT:
            step /= 2.0
        if new > loss:
            break
        parameters, loss = parameters - step, new
        if np.abs(step).max() < _EXACT:
            break
    return parameters


def fit_line(scores: FloatArray, codes: IndexArray) -> tuple[float, float, float]:
    """Intercept and slope (not negative) from a score to the logit of the risk, and the loss.

    The targets are those of Platt (1999), (n + 1) / (n + 2) and 1 / (n + 2) for n samples of a
    class, so that risks stay away from 0 and 1 where the score separates the classes.
    """
    n_ones = int(codes.sum())
    n_zeros = len(codes) - n_ones
    target = np.where(codes == 1, (n_ones + 1.0) / (n_ones + 2.0), 1.0 / (n_zeros + 2.0))
    centre, spread = float(scores.mean()), float(scores.std())
    level = float(logit(target.mean()))
    if spread > 0.0:
        standard = ((scores - centre) / spread)[:, None]
        intercept, slope = fit_logistic(standard, target, 0.0, np.array([level, 0.0]))
        if slope > 0.0:
            loss = float(_loss(intercept + slope * standard[:, 0], target))
            return float(intercept - slope * centre / spread), float(slope / spread), loss
    return level, 0.0, float(_loss(np.full(len(codes), level), target))
