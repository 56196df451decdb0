"""The machines along a path over C, and their errors."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._run.progress import interrupts_ignored, progress_bar
from fewest._run.versions import versions
from fewest.cli._errors import CommandError
from fewest.cli._settings import Settings, fit
from fewest.cli.cross_validation import (
    Split,
    balanced_error,
    make_splits,
    possible_folds,
    spread,
)
from fewest.cli.job import summarize
from fewest.cli.report import PathReport, PathValue, Seconds
from fewest.tables import Table

FloatArray = NDArray[np.float64]

# Slack costs between which the first program's breakpoints are searched: at the smaller one all
# errors together cost next to nothing, at the larger one a single one more than all features.
_SMALLEST, _LARGEST = 1e-6, 1e3
_MOST_STEPS = 100
_WIDEST_GAP = 1e-6


@dataclass(frozen=True)
class _Point:
    """One machine: its features, and its errors on the samples it was tested on."""

    features: NDArray[np.intp]
    error: float
    balanced_error: float
    notes: list[str]


def run_path_job(
    table: Table,
    settings: Settings,
    *,
    n_values: int,
    grid: str,
    seconds_reading: float,
    show_progress: bool,
) -> PathReport:
    """Fit for every C, on all samples and in every fold.

    Parameters
    ----------
    table : Table
        Checked data.
    settings : Settings
        Method and cross-validation.
    n_values : int
        How many values of C.
    grid : {"breakpoints", "transvariation"}
        Where they come from.
    seconds_reading : float
        Time that reading took, for the report.
    show_progress : bool
        Whether to draw a progress bar.

    Returns
    -------
    PathReport
        All results as plain values.
    """
    started = time.perf_counter()
    everything = np.arange(len(table.y))
    try:
        Cs = _costs(table, settings, n_values, grid)
        (fitted,) = _points(table, settings, Cs, [(everything, everything)], show_progress)
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error
    seconds_fitting = time.perf_counter() - started
    started = time.perf_counter()
    n_folds, folds, notes = _cross_validated(table, settings, Cs, show_progress)
    seconds_validation = time.perf_counter() - started
    values = [
        _value(table, C, fitted[place], [fold[place] for fold in folds])
        for place, C in enumerate(Cs.tolist())
    ]
    warned = dict.fromkeys(note for point in fitted for note in point.notes)
    return PathReport(
        data=summarize(table),
        parameters=settings,
        grid=grid,
        values=values,
        n_folds=n_folds,
        best=_best(values) if folds else None,
        seconds=Seconds(seconds_reading, seconds_fitting, seconds_validation if folds else None),
        versions=versions(),
        notes=[*warned, *notes],
    )


def _cross_validated(
    table: Table, settings: Settings, Cs: FloatArray, show_progress: bool
) -> tuple[int, list[list[_Point]], list[str]]:
    """Number of folds, their points, and notes."""
    n_folds, notes = possible_folds(table, settings.cv)
    if n_folds == 0:
        return 0, [], notes
    splits = make_splits(table, settings, n_folds)
    try:
        folds = _points(table, settings, Cs, splits, show_progress, what="cross-validation")
    except ValueError as error:  # a fold may lack what the whole has; the path still stands
        return 0, [], [f"No cross-validation, a fold could not be fitted: {error}."]
    warned = (note for fold in folds for point in fold for note in point.notes)
    return n_folds, folds, notes + list(dict.fromkeys(f"In a fold: {note}" for note in warned))


def _points(
    table: Table,
    settings: Settings,
    Cs: FloatArray,
    splits: list[Split],
    show_progress: bool,
    *,
    what: str = "path",
) -> list[list[_Point]]:
    """A list over Cs for every split."""
    from joblib import Parallel, delayed

    # Liknon goes through all values at once, each program starting from the last one.
    parts = [Cs] if settings.method == "liknon" else np.split(Cs, len(Cs))
    tasks = [(split, part) for split in splits for part in parts]
    parallel = Parallel(n_jobs=settings.jobs, return_as="generator")
    with interrupts_ignored():
        found: Iterator[list[_Point]] = parallel(
            delayed(_trial)(settings, part, table.X, table.y, *split) for split, part in tasks
        )
    lists = list(progress_bar(found, len(tasks), show_progress, what=what, unit="part"))
    each = len(parts)
    return [
        list(chain.from_iterable(lists[first : first + each]))
        for first in range(0, len(lists), each)
    ]


def _trial(
    settings: Settings,
    Cs: FloatArray,
    X: NDArray[Any],
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> list[_Point]:
    known, new = (X[train], y[train]), (X[test], y[test])
    if settings.method == "liknon":
        return _liknon_points(settings, Cs, known, new)
    points = []
    for C in Cs.tolist():
        machine = settings.machine(C=C)
        notes = fit(machine, *known)
        points.append(_point(machine.support_, machine.predict(new[0]), new[1], notes))
    return points


def _liknon_points(
    settings: Settings, Cs: FloatArray, known: tuple[Any, Any], new: tuple[Any, Any]
) -> list[_Point]:
    from fewest.machines.liknon_path import liknon_path

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = liknon_path(
            *known, Cs, standardize=settings.standardize, class_weight=settings.class_weight
        )
    notes = [f"Warning: {warning.message}." for warning in caught]
    classes = np.unique(known[1])
    points = []
    for w, b, gap in zip(path.coefs, path.intercepts, path.gaps, strict=True):
        used = np.flatnonzero(w)
        predicted = classes[(new[0][:, used] @ w[used] + b > 0).astype(int)]
        doubt = f"Warning: a linear program closed only to a relative gap of {gap:.1e}."
        points.append(_point(w != 0, predicted, new[1], notes + [doubt] * bool(gap > _WIDEST_GAP)))
    return points


def _point(support: Any, predicted: Any, y: Any, notes: list[str]) -> _Point:
    return _Point(
        features=np.flatnonzero(support),
        error=float(np.mean(predicted != y)),
        balanced_error=balanced_error(y, predicted),
        notes=notes,
    )


def _value(table: Table, C: float, fitted: _Point, folds: list[_Point]) -> PathValue:
    return PathValue(
        C=C,
        n_features=len(fitted.features),
        features=[table.feature_names[column] for column in fitted.features],
        training_error=fitted.error,
        training_balanced_error=fitted.balanced_error,
        balanced_error=spread([point.balanced_error for point in folds]) if folds else None,
        folds_n_features=spread([len(point.features) for point in folds]) if folds else None,
    )


def _best(values: list[PathValue]) -> int:
    def key(place: int) -> tuple[float, float, int]:
        value = values[place]
        return round(value.balanced_error.mean, 12), value.folds_n_features.mean, place

    return min(range(len(values)), key=key)


def _costs(table: Table, settings: Settings, n_values: int, grid: str) -> FloatArray:
    """Increasing values of C for these data."""
    labels = np.unique(table.y)
    if settings.method == "liknon" and len(labels) != 2:
        raise ValueError(f"--method liknon draws paths of two classes, not of {len(labels)}")
    if grid == "transvariation":
        from fewest.machines.transvariation import transvariation_C

        return transvariation_C(
            table.X, table.y, n_values, standardize=settings.standardize, largest=None
        )
    positives = labels[1:] if len(labels) == 2 else labels
    ends = [_ends(table.X, table.y == label, settings) for label in positives]
    found = [end for end in ends if end is not None]
    if not found:  # the same features whatever the cost: one value tells it all
        return np.ones(1)
    low, high = min(low for low, _ in found), max(high for _, high in found)
    return np.geomspace(low, high, n_values) if n_values > 1 else np.array([high])


def _ends(X: NDArray[Any], positive: NDArray[np.bool_], settings: Settings) -> Any:
    """Costs just outside the first and the last breakpoint of the first linear program.

    Where no feature is selected below the first breakpoint, the cost is one just above it.
    """
    from fewest._solvers.linear.path import PathSolver
    from fewest._solvers.result import Status
    from fewest.machines.liknon import liknon_problem

    machine = settings.machine(C=1.0)
    task = machine._binary_task(X, positive)
    if settings.method == "liknon":
        problem = liknon_problem(task, standardize=settings.standardize)
    else:
        problem = machine._first_problem(task)
    solver = PathSolver(problem, task.columns)
    low, high = _SMALLEST / problem.slack_cost.max(), _LARGEST / problem.slack_cost.min()
    results = [solver.solve_at(C) for C in (low, high)]
    if any(result.status is Status.INFEASIBLE for result in results):
        return None  # fitting will say why
    left, right = map(solver.line, results)
    first, last = _change(solver, left, right), _change(solver, right, left)
    if first is None or last is None:
        return None
    return first * (0.9 if left.result.n_features else 1.1), last * 1.1


def _change(solver: Any, end: Any, other: Any) -> float | None:
    """The breakpoint next to the solution at one end of the path; None if there is none.

    Where the lines of two solutions cross, the optimum is on both or on a third line below them,
    which is nearer to the end's own.
    """
    C = None
    for _ in range(_MOST_STEPS):
        if abs(end.slack - other.slack) <= 1e-9 * max(1.0, end.slack, other.slack):
            return C
        C = end.crossing(other)
        between = solver.line(solver.solve_at(C))
        if between.at(C) >= end.at(C) - 1e-9 * max(1.0, end.at(C)):
            return C
        other = between
    return C
