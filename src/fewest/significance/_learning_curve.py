"""Would more samples help? The error against the number of training samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from fewest._estimators.held_out import Fold, HeldOut, judge_fold, judge_in_parallel
from fewest._estimators.intervals import error_interval, widen_drawn
from fewest._estimators.uncertainty import CONFIDENCE, Interval
from fewest._estimators.validation import check_count, check_share, encode_classes
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest._wording import percent, signed_points
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance._parts import Plan, choose_shares, draw_folds
from fewest.significance._power_law import PowerLaw, find_slope, fit_power_laws
from fewest.significance._resampling import check_samples, draw_rows, find_strata
from fewest.significance._shares import balance, find_shares

_FEWEST_SIZES = 3  # with an error below guessing, for a curve through them
_N_DRAWS = 500
_N_DRAWN = 40  # points of the curve
_FAILURES = (ValueError, ArithmeticError, RuntimeError)


@dataclass(frozen=True)
class LearningPoint:
    """Fits to subsamples of one size: their balanced error on the samples left out."""

    n_train: float
    error: float
    interval: Interval | None
    n_features: float | None


@dataclass(frozen=True)
class ExpectedError:
    """The balanced error that a curve through the points says for so many training samples."""

    n_train: float
    error: float
    interval: Interval


@dataclass(frozen=True, repr=False)
class LearningCurve(Shown):
    """Outcome of `learning_curve`.

    `slope` is the change of the balanced error per doubling of the training samples; an interval
    that ends below zero says that it falls. `outlook` is "falls", "flat", "rises", "chance" (not
    better than guessing with all samples) or "short" (too few sizes are better than guessing).
    Only a curve that falls is continued: `law`, `now` (fitted to all samples) and `doubled` (to
    twice as many) are None for others, and `curve` is empty.
    """

    report_kind = "learning_curve"  # as which `fewest.report` takes it
    points: tuple[LearningPoint, ...]
    n_samples: int
    n_folds: int
    n_repeats: int
    guessing: float
    confidence: float
    slope: float
    slope_interval: Interval
    outlook: str
    law: PowerLaw | None = None
    now: ExpectedError | None = None
    doubled: ExpectedError | None = None
    curve: tuple[ExpectedError, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """What follows, in one or two sentences."""
        last, slope = self.points[-1], self.slope_interval
        seen = f"{self.points[0].n_train:.0f} to {last.n_train:.0f} training samples"
        change = (
            f"its change per doubling of the samples lies between {signed_points(slope.low)} "
            f"and {signed_points(slope.high)} percentage points"
        )
        if self.outlook == "chance":
            return (
                f"With {last.n_train:.0f} training samples the error is {percent(last.error)}, not "
                f"shown to be below that of guessing ({percent(self.guessing)}): this curve says "
                "nothing about more samples."
            )
        if self.doubled is None or self.now is None:
            if self.outlook == "rises":
                return (
                    f"The error rises from {seen} ({change}): more samples of this kind are not "
                    "expected to help."
                )
            if self.outlook == "short":
                return (
                    f"The error falls from {seen} ({change}), so more samples are likely to help. "
                    "By how much cannot be said: only with the largest numbers of samples is it "
                    "shown to be below that of guessing."
                )
            if not last.error:
                return (
                    f"No error is left with {last.n_train:.0f} training samples: the curve cannot "
                    "show whether more samples would help."
                )
            return (
                f"The curve is flat within its uncertainty, from {seen}: {change}. That more "
                "samples would help is not shown."
            )
        likely = self.doubled.interval
        return (
            f"With twice the samples ({2 * self.n_samples:,}), the error would be about "
            f"{percent(self.doubled.error)} ({100 * likely.confidence:g} % interval "
            f"{percent(likely.low)} to {percent(likely.high)}); with the {self.n_samples:,} at "
            f"hand it is about {percent(self.now.error)}."
        )


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_sizes: int = 5,
    n_repeats: int = 5,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    held_out: HeldOut | None = None,
    confidence: float = CONFIDENCE,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> LearningCurve:
    r"""Measure the error with fewer training samples, to say whether more would help.

    In every fold the machine is fitted to random parts of the training samples, selection included,
    and judged on the samples of the fold. Classes keep their shares, groups stay whole, and a small
    part lies within the larger ones. Through the errors goes the curve

    .. math:: e(n) = a + b\, n^{-c}, \quad a, b \ge 0,

    of least squares (Mukherjee et al. 2003), over the sizes at which the error is below that of
    guessing. Its uncertainty is that of a bootstrap over the repeats and over the samples (or
    groups) that are judged, made wider because all training sets come from the same samples, which
    it does not see.

    Nothing is promised unless the error is below that of guessing with all training samples, and
    falls beyond its uncertainty: the straight line through the errors over the logarithm of n has
    a negative slope in the whole interval of the bootstrap.

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine()
        The machine.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    n_sizes : int
        Numbers of training samples, from a fifth of them (or four of the smallest class) to all.
    n_repeats : int
        How often it is repeated, with other parts, and with other folds if `cv` is a number.
    cv : int, splitter or list of splits
        Folds.
    groups : array of shape (n_samples,), optional
        Samples of one group are in the same fold, and in a part together or not at all.
    held_out : HeldOut, optional
        A cross-validation of the machine: its folds (of the first repeat) are those of the first
        repeat here, and are not fitted again.
    confidence : float
        Level of the intervals.
    random_state : int, RandomState instance or None
        Seed of folds, parts and bootstrap.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    LearningCurve
        A ValueError says why there is none, if there are too few samples.

    References
    ----------
    S. Mukherjee et al.: Estimating dataset size requirements for classifying DNA microarray data.
    Journal of Computational Biology 10 (2003).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import learning_curve
    >>> X, y = make_gaussian(n=80, d=100, k=4, mu=0.9, random_state=0)
    >>> found = learning_curve(None, X, y, random_state=0)
    >>> [round(point.n_train) for point in found.points]
    [12, 20, 28, 42, 64]
    >>> found.outlook
    'falls'
    """
    check_count("n_sizes", n_sizes)
    check_count("n_repeats", n_repeats)
    if n_sizes < _FEWEST_SIZES:
        raise ValueError(f"n_sizes must be at least {_FEWEST_SIZES}; got {n_sizes}")
    check_share("confidence", confidence, strictly=True)
    estimator = SupportFeatureMachine() if estimator is None else estimator
    X, labels, groups = check_samples(X, y, groups)
    classes, codes = encode_classes("a learning curve", labels)
    rng = check_random_state(random_state)
    known = None if held_out is None else held_out.first_repeat.folds
    folds = draw_folds(cv, labels, groups, rng, n_repeats, known)
    shares = choose_shares(labels, groups, [split for one in folds for split in one], n_sizes)
    plan = Plan(shares, folds, labels, groups, rng)
    first = dict(zip(plan.full_size(), known or (), strict=False))
    places = [place for place in plan.parts if place not in first]
    jobs = [(estimator, X, labels, groups, *plan.parts[place]) for place in places]
    judged = judge_in_parallel(
        jobs, judge=_judge, n_jobs=n_jobs, verbose=verbose, what="learning curve", unit="fit"
    )
    results = {**first, **dict(zip(places, judged, strict=True))}
    return _Measured(plan, results, codes, len(classes), confidence).conclude(rng)


def _judge(*job: Any) -> Fold | str:
    """The fold, or why there is none."""
    try:
        return judge_fold(*job)
    except _FAILURES as error:
        return str(error) or type(error).__name__


class _Measured:
    """Errors of all sizes at which every fit succeeded, and what follows from them."""

    def __init__(
        self,
        plan: Plan,
        results: dict[tuple[int, int, int], Fold | str],
        codes: IndexArray,
        n_classes: int,
        confidence: float,
    ) -> None:
        self.plan, self.codes, self.confidence = plan, codes, confidence
        self.guessing = 1.0 - 1.0 / n_classes
        self.left_out: list[str] = []
        self.points: list[LearningPoint] = []
        shares = []
        for size in range(len(plan.shares)):
            own = {place: one for place, one in results.items() if place[2] == size}
            failed = [one for one in own.values() if isinstance(one, str)]
            n_train = float(np.mean([len(plan.parts[place][0]) for place in own]))
            if failed:
                n_fits = f"{len(failed)} of {len(own)} fits"
                self.left_out.append(
                    f"{n_train:.0f} training samples: {n_fits} failed: {failed[0]}"
                )
                continue
            folds = {place: one for place, one in own.items() if isinstance(one, Fold)}
            wrong = self._find_wrong(folds)
            shares.append(wrong)
            self.points.append(self._describe(n_train, wrong, list(folds.values())))
        if failed or len(self.points) < 2:  # without all samples the curve has no end
            raise ValueError(f"there is no learning curve: {self.left_out[-1]}")
        self.wrong = np.array(shares)  # size, repeat, sample

    def _find_wrong(self, folds: dict[tuple[int, int, int], Fold]) -> FloatArray:
        """For every repeat and sample, whether it was wrong; NaN where it was not judged."""
        return np.array(
            [
                find_shares(
                    [one for place, one in folds.items() if place[0] == number], self.plan.y
                )
                for number in range(len(self.plan.folds))
            ]
        )

    def _describe(self, n_train: float, wrong: FloatArray, folds: list[Fold]) -> LearningPoint:
        shares = wrong.mean(axis=0)
        sizes = [int(fold.support.sum()) for fold in folds if fold.supports is not None]
        return LearningPoint(
            n_train,
            float(balance(shares, self.codes)),
            error_interval(shares, self.codes, self.plan.groups, self.confidence),
            float(np.mean(sizes)) if sizes else None,
        )

    def conclude(self, rng: np.random.RandomState) -> LearningCurve:
        """The slope, the outlook, and the continuation of a curve that falls."""
        n_train = np.array([point.n_train for point in self.points])
        drawn = self._draw_errors(rng)
        errors = np.array([point.error for point in self.points])
        slopes = find_slope(n_train, drawn)
        better = np.array(
            [
                point.interval is not None and point.interval.high < self.guessing
                for point in self.points
            ]
        )
        own_slope = float(find_slope(n_train, errors[None])[0])
        n_samples, slope = len(self.codes), self._find_range(slopes, own_slope)
        found = LearningCurve(
            points=tuple(self.points),
            n_samples=n_samples,
            n_folds=len(self.plan.folds[0]),
            n_repeats=len(self.plan.folds),
            guessing=self.guessing,
            confidence=self.confidence,
            slope=own_slope,
            slope_interval=slope,
            outlook=_judge_slope(slope, better),
            left_out=tuple(self.left_out),
        )
        if found.outlook != "falls":
            return found
        law = fit_power_laws(n_train[better], errors[None][:, better])
        laws = fit_power_laws(n_train[better], drawn[:, better])

        def expect(n: float) -> ExpectedError:
            error = float(law.at(n)[0])
            found = self._find_range(laws.at(n), error)
            ends = Interval(max(0.0, found.low), min(1.0, found.high), found.confidence)
            return ExpectedError(n, error, ends)

        numbers = np.geomspace(n_train[better][0], 2.0 * n_samples, _N_DRAWN)
        curve = tuple(expect(float(n)) for n in numbers)
        now, doubled = expect(float(n_samples)), expect(2.0 * n_samples)
        return replace(found, law=law.first, now=now, doubled=doubled, curve=curve)

    def _draw_errors(self, rng: np.random.RandomState) -> FloatArray:
        """Errors of every size (columns) of samples and repeats drawn with replacement."""
        y, n_repeats = self.plan.y, self.wrong.shape[1]
        strata = find_strata(y, self.plan.groups)
        drawn = [draw_rows(strata, y, rng)[0] for _ in range(_N_DRAWS)]
        weights = np.array([np.bincount(rows, minlength=len(y)) for rows in drawn], dtype=float)
        repeats = rng.multinomial(n_repeats, np.full(n_repeats, 1.0 / n_repeats), _N_DRAWS)
        shares = (repeats / n_repeats @ wrong for wrong in self.wrong)
        return np.column_stack([balance(share, self.codes, weights) for share in shares])

    def _find_range(self, values: FloatArray, middle: float) -> Interval:
        outside = (1.0 - self.confidence) / 2.0
        ends = np.quantile(values, [outside, 1.0 - outside])
        wider = widen_drawn(self.codes, self.plan.groups, self.confidence)
        low, high = (middle + wider * (ends - middle)).tolist()
        return Interval(min(low, middle), max(high, middle), self.confidence)


def _judge_slope(slope: Interval, better: NDArray[np.bool_]) -> str:
    """The outlook, of the sizes that are better than guessing."""
    if not better[-1]:
        return "chance"
    if slope.high < 0.0:
        return "falls" if better.sum() >= _FEWEST_SIZES else "short"
    return "rises" if slope.low > 0.0 else "flat"
