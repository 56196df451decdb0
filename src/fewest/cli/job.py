"""The main job: fit on all samples, estimate the error by cross-validation, report both."""

from __future__ import annotations

import platform
import time
from importlib import metadata
from typing import Any

import numpy as np

from fewest.cli.cross_validation import Validation, balanced_error, cross_validate
from fewest.cli.dataset import Dataset
from fewest.cli.errors import InputError, InseparableError
from fewest.cli.report import (
    Certificate,
    ClassSize,
    DataSummary,
    Feature,
    Machine,
    Report,
    Seconds,
    TrainingError,
)
from fewest.cli.settings import Settings
from fewest.cli.warned import collected_warnings
from fewest.cli.wording import counted

_PACKAGES = ("fewest", "numpy", "scipy", "scikit-learn", "highspy")


def summarize(dataset: Dataset) -> DataSummary:
    """What was read, for the first lines of the output."""
    labels, counts = np.unique(dataset.y, return_counts=True)
    return DataSummary(
        file=dataset.file,
        origin=dataset.origin,
        target=dataset.target,
        n_samples=dataset.X.shape[0],
        n_features=dataset.X.shape[1],
        dtype=str(dataset.X.dtype),
        dropped=dataset.dropped,
        classes=[
            ClassSize(label, count)
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
        notes=dataset.notes,
    )


def run_job(
    dataset: Dataset, settings: Settings, *, seconds_reading: float, show_progress: bool
) -> Report:
    """Select features and estimate the error.

    Parameters
    ----------
    dataset : Dataset
        Checked data.
    settings : Settings
        Machine and cross-validation.
    seconds_reading : float
        Time that reading took, for the report.
    show_progress : bool
        Whether to draw a progress bar.

    Returns
    -------
    Report
        All results as plain values.
    """
    summary = summarize(dataset)
    with collected_warnings() as notes:
        machine, seconds_fitting = _fit(dataset, settings)
    started = time.perf_counter()
    validation = cross_validate(dataset, settings, show_progress=show_progress)
    seconds_validation = time.perf_counter() - started
    return Report(
        data=summary,
        parameters=settings,
        selected=[dataset.feature_names[column] for column in np.flatnonzero(machine.support_)],
        machines=[_machine(dataset, machine, row, validation) for row in range(len(machine.coef_))],
        training=_training_error(dataset, machine),
        cross_validation=validation.outcome,
        seconds=Seconds(
            seconds_reading, seconds_fitting, seconds_validation if validation.outcome else None
        ),
        versions=_versions(),
        notes=notes + validation.notes,
    )


def _fit(dataset: Dataset, settings: Settings) -> tuple[Any, float]:
    from fewest.exceptions import NotSeparableError

    machine = settings.machine(jobs=settings.jobs)
    started = time.perf_counter()
    try:
        machine.fit(dataset.X, dataset.y)
    except NotSeparableError as error:
        raise InseparableError(
            f"no hyperplane on the {counted(dataset.X.shape[1], 'feature')} of {dataset.origin} "
            "separates the classes without error (proven).\n"
            "Allow errors with a finite cost, for example --C 1"
        ) from error
    except ValueError as error:
        raise InputError(f"{dataset.origin}: {error}") from error
    return machine, time.perf_counter() - started


def _machine(dataset: Dataset, machine: Any, row: int, validation: Validation) -> Machine:
    labels = machine.classes_.tolist()
    positive, negative = (labels[1], labels[0]) if len(labels) == 2 else (labels[row], None)
    features = _features(dataset, machine, row, dataset.y == positive, validation)
    return Machine(
        positive_class=positive,
        negative_class=negative,
        intercept=float(machine.intercept_[row]),
        features=sorted(features, key=lambda feature: -abs(feature.weight)),
        certificate=_certificate(machine.results_[row]),
    )


def _features(
    dataset: Dataset, machine: Any, row: int, inside: Any, validation: Validation
) -> list[Feature]:
    columns = np.flatnonzero(machine.supports_[row])
    values = dataset.X[:, columns].astype(np.float64)
    deviations = values.std(axis=0)
    class_means = [values[dataset.y == label].mean(axis=0) for label in machine.classes_]
    rest_mean = values[~inside].mean(axis=0)
    return [
        Feature(
            name=dataset.feature_names[column],
            column=int(column),
            weight=float(machine.coef_[row, column] * deviations[place]),
            coefficient=float(machine.coef_[row, column]),
            standard_deviation=float(deviations[place]),
            class_means=[float(mean[place]) for mean in class_means],
            rest_mean=float(rest_mean[place]),
            folds_selected=_folds_selected(validation, row, column),
        )
        for place, column in enumerate(columns)
    ]


def _folds_selected(validation: Validation, row: int, column: int) -> int | None:
    if validation.outcome is None:
        return None
    return sum(column in supports[row] for supports in validation.supports)


def _certificate(result: Any) -> Certificate:
    first = result.steps[0]
    return Certificate(
        objective=float(first.objective),
        lower_bound=float(first.bound),
        relative_gap=float(first.gap),
        pricing_rounds=int(first.rounds),
        linear_programs=len(result.steps),
        converged=bool(result.converged),
        status=str(result.status),
        samples_on_wrong_side=int(np.sum(result.slack > 0)),
    )


def _training_error(dataset: Dataset, machine: Any) -> TrainingError:
    predicted = machine.predict(dataset.X)
    wrong = predicted != dataset.y
    return TrainingError(
        n_errors=int(wrong.sum()),
        error=float(wrong.mean()),
        balanced_error=balanced_error(dataset.y, predicted),
    )


def _versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # run from a folder that was never installed
            found[package] = None
    return found
