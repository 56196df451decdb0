"""The honest error: features are selected anew, without the test samples, in every fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.splits import balanced_error, count_classes, split_folds
from fewest._run.progress import interrupts_ignored, progress_bar
from fewest._wording import cut
from fewest.cli._settings import Settings, fit
from fewest.cli.report import CrossValidation, Fold, Spread
from fewest.tables import Table

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Validation:
    """Error and selections of all folds; notes say why there are fewer or none, and warn."""

    outcome: CrossValidation | None
    notes: list[str]
    supports: list[list[NDArray[np.intp]]] = field(default_factory=list)  # a machine of a fold


@dataclass(frozen=True)
class _Trial:
    error: float
    balanced_error: float
    supports: list[NDArray[np.intp]]
    notes: list[str]

    @property
    def features(self) -> NDArray[np.intp]:
        return np.unique(np.concatenate(self.supports))


def cross_validate(table: Table, settings: Settings, *, show_progress: bool) -> Validation:
    """Stratified cross-validation of the whole job, selection included.

    Parameters
    ----------
    table : Table
        The samples.
    settings : Settings
        Machine, folds, repeats, seed and jobs.
    show_progress : bool
        Draw a bar on standard error, if tqdm is there.

    Returns
    -------
    Validation
        Its outcome is None where no fold was wanted or possible.
    """
    n_folds, notes = possible_folds(table, settings.cv)
    if n_folds == 0:
        return Validation(None, notes)
    splits = make_splits(table, settings, n_folds)
    try:
        trials = list(progress_bar(_trials(table, settings, splits), len(splits), show_progress))
    except ValueError as error:  # a fold may lack what the whole has; the selection still stands
        return Validation(None, [f"No cross-validation, a fold could not be fitted: {error}."])
    outcome = _summary(table, settings, n_folds, splits, trials)
    notes += dict.fromkeys(f"In a fold: {note}" for trial in trials for note in trial.notes)
    return Validation(outcome, notes, [trial.supports for trial in trials])


def possible_folds(table: Table, wanted: int) -> tuple[int, list[str]]:
    """Every fold needs a sample (or group) of every class to test, and another to learn from."""
    counts, _ = count_classes(table.y, table.groups)
    label, smallest = min(counts.items(), key=lambda item: item[1])
    if wanted == 0 or smallest >= wanted:
        return wanted, []
    unit = "sample" if table.groups is None else "group"
    if smallest == 1:
        return 0, [f"No cross-validation: class {cut(label)} has a single {unit}."]
    return smallest, [
        f"{smallest} folds instead of {wanted}: class {cut(label)} has only {smallest} {unit}s."
    ]


def make_splits(table: Table, settings: Settings, n_folds: int) -> list[Split]:
    """Stratified folds, as often as they are to be repeated; groups stay together."""
    rng = np.random.RandomState(settings.seed)
    return [
        split
        for _ in range(settings.repeats)
        for split in split_folds(n_folds, table.y, table.groups, random_state=rng)
    ]


def _trials(table: Table, settings: Settings, splits: list[Split]) -> Iterator[_Trial]:
    from joblib import Parallel, delayed
    from sklearn.base import clone

    machine = settings.machine()
    # Processes take a second or two to start, but threads gained little: they wait for each other.
    # Joblib maps a large X into memory, so that the processes share it.
    parallel = Parallel(n_jobs=settings.jobs, return_as="generator")
    with interrupts_ignored():
        return parallel(
            delayed(_trial)(clone(machine), table, train, test, settings.matrix)
            for train, test in splits
        )


def _trial(
    machine: Any,
    table: Table,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    columns_are_samples: bool,
) -> _Trial:
    X, y = table.X, table.y
    columns = train if columns_are_samples else np.arange(X.shape[1])
    if columns_are_samples:
        X = X[:, train]
    groups = None if table.groups is None else table.groups[train]
    notes = fit(machine, X[train], y[train], groups)
    predicted = machine.predict(X[test])
    return _Trial(
        error=float(np.mean(predicted != y[test])),
        balanced_error=balanced_error(y[test], predicted),
        supports=[columns[support] for support in machine.supports_],
        notes=notes,
    )


def _summary(
    table: Table,
    settings: Settings,
    n_folds: int,
    splits: list[Split],
    trials: list[_Trial],
) -> CrossValidation:
    folds = [
        Fold(
            repeat=number // n_folds + 1,
            fold=number % n_folds + 1,
            n_train=len(train),
            n_test=len(test),
            error=trial.error,
            balanced_error=trial.balanced_error,
            n_features=len(trial.features),
            features=[table.feature_names[column] for column in trial.features],
        )
        for number, ((train, test), trial) in enumerate(zip(splits, trials, strict=True))
    ]
    return CrossValidation(
        n_folds=n_folds,
        n_repeats=settings.repeats,
        error=spread([fold.error for fold in folds]),
        balanced_error=spread([fold.balanced_error for fold in folds]),
        n_features=spread([fold.n_features for fold in folds]),
        folds=folds,
    )


def spread(values: list[float]) -> Spread:
    """Mean and standard deviation."""
    return Spread(mean=float(np.mean(values)), sd=float(np.std(values, ddof=1)))
