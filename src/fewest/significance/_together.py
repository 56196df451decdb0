"""The measure of many labellings at once, where the machine and the data allow it."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._estimators.held_out import HeldOut, fold_of_outcome, judge_fold, judge_in_parallel
from fewest._estimators.splits import split_folds
from fewest._estimators.together import (
    advances_together,
    find_outcomes,
    leave_out,
    sign_labels,
)
from fewest._gaps import has_gaps
from fewest._solvers.many.device import DeviceMatrix
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError
from fewest.significance._measure import Measure, Measured

if TYPE_CHECKING:
    from fewest._solvers.many.problem import Outcome

# So many problems say whether single fits have to decide most of them anyway.
_TRIED, _MOST_DOUBTFUL = 32, 0.5


def measure_in_parallel(
    measure: Measure, jobs: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> Iterator[Measured]:
    """`measure(*job)` of every job, in their order, as they are done."""
    n_folds = _count_folds(measure)
    n_fits = len(jobs) * (("features" in measure.statistics) + n_folds)
    if _advances_together(measure, n_fits, n_folds):
        done = 0
        for one in _Together(measure, jobs, n_jobs).run():
            done += 1
            yield one
        jobs = jobs[done:]  # ties are so frequent that single fits are faster
    if isinstance(measure.X, DeviceMatrix):
        n_jobs = None  # other processes would need copies
    if jobs:
        found: Any = judge_in_parallel(jobs, judge=measure, n_jobs=n_jobs)
        try:
            for one in found:  # not `yield from`, which would close it before the warning is off
                yield one
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib's, about what is not wanted any more
                found.close()


def _advances_together(measure: Measure, n_fits: int, n_folds: int) -> bool:
    is_one_matrix = measure.columns is not None and not (n_folds and has_gaps(measure.X))
    if not is_one_matrix or (n_folds and not measure.estimator.standardize):
        return False
    assert measure.columns is not None
    matrix, n_classes = measure.columns.matrix, len(measure.classes)
    return advances_together(measure.estimator, matrix, n_classes, n_fits)


def _count_folds(measure: Measure) -> int:
    if "error" not in measure.statistics:
        return 0
    if isinstance(measure.cv, Integral):
        return int(measure.cv)
    rows = np.zeros((measure.X.shape[0], 1))
    return int(measure.cv.get_n_splits(rows, None, measure.groups))


class _Together:
    """Labellings whose programs, for all samples and without each fold, advance together."""

    def __init__(self, measure: Measure, jobs: Sequence[tuple[Any, ...]], n_jobs: int | None):
        self._measure, self._jobs, self._n_jobs = measure, jobs, n_jobs
        self._asked: deque[tuple[IndexArray, float | None, list[Any]]] = deque()
        self._n_outcomes = self._n_doubtful = 0

    def run(self) -> Iterator[Measured]:
        """The first jobs, in their order; all of them unless most problems are doubtful."""
        measure = self._measure
        assert measure.columns is not None
        found = find_outcomes(measure.estimator, measure.columns, self._ask(), self._n_jobs)
        try:
            for outcome in found:
                self._count(outcome)
                codes, error, splits = self._asked.popleft()
                features = objective = np.nan
                if "features" in measure.statistics:
                    features, objective = self._features(codes, outcome)
                if splits:
                    outcomes = [] if "features" in measure.statistics else [outcome]
                    while len(outcomes) < len(splits):
                        outcomes.append(next(found))
                        self._count(outcomes[-1])
                    error = self._error(codes, splits, outcomes)
                yield Measured(features, objective, np.nan if error is None else error)
                if self._is_hopeless:
                    return
        finally:
            found.close()  # type: ignore[attr-defined]

    def _ask(self) -> Iterator[FloatArray]:
        """The labels of all problems; what they are for is kept in the same order."""
        measure = self._measure
        for codes, *known in self._jobs:
            error = known[0] if known else None
            splits = []
            if error is None and "error" in measure.statistics:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    splits = split_folds(
                        measure.cv,
                        measure.classes[codes],
                        measure.groups,
                        random_state=measure.fold_seed,
                    )
            y = sign_labels(codes)
            self._asked.append((codes.astype(np.intp), error, splits))
            if "features" in measure.statistics:
                yield y
            for train, _ in splits:
                yield leave_out(y, train)

    def _count(self, outcome: Outcome | None) -> None:
        self._n_outcomes += 1
        self._n_doubtful += outcome is None

    @property
    def _is_hopeless(self) -> bool:
        is_tried = self._n_outcomes >= _TRIED
        return is_tried and self._n_doubtful > _MOST_DOUBTFUL * self._n_outcomes

    def _features(self, codes: IndexArray, outcome: Outcome | None) -> tuple[float, float]:
        if outcome is not None:
            return outcome.n_features, outcome.objective
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._measure.count_features(codes)

    def _error(self, codes: IndexArray, splits: list[Any], outcomes: list[Outcome | None]) -> float:
        measure, y = self._measure, self._measure.classes[codes]
        if any(one is not None and np.isinf(one.objective) for one in outcomes):
            return np.inf
        folds = []
        for (train, test), outcome in zip(splits, outcomes, strict=True):
            fold = None
            if outcome is not None:
                fold = fold_of_outcome(measure.estimator, measure.X, y, outcome, train, test)
            if fold is None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        fold = judge_fold(
                            measure.estimator, measure.X, y, measure.groups, train, test
                        )
                    except NotSeparableError:
                        return np.inf
            folds.append(fold)
        return HeldOut(y, tuple(folds)).balanced_error
