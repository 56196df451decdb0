"""The main job: fit on all samples, estimate the error by cross-validation, report both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._estimators.splits import balanced_error
from fewest._run.versions import versions
from fewest._wording import counted
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._models import save_machine
from fewest.cli._settings import MARGIN_METHODS, Settings, fit
from fewest.cli.cross_validation import Validation, cross_validate
from fewest.cli.report import (
    Certificate,
    DataSummary,
    Feature,
    Machine,
    MissingCells,
    Report,
    Seconds,
    TrainingError,
)
from fewest.report.content import ClassSize
from fewest.tables import Table


def summarize(table: Table) -> DataSummary:
    """What was read, for the first lines of the output."""
    labels, counts = np.unique(table.y, return_counts=True)
    return DataSummary(
        file=table.file,
        origin=table.origin,
        target=table.target,
        n_samples=table.X.shape[0],
        n_features=table.X.shape[1],
        dtype=str(table.X.dtype),
        dropped=table.dropped,
        classes=[
            ClassSize(label, count)
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
        notes=table.notes,
        missing=_missing(table),
    )


def _missing(table: Table) -> MissingCells | None:
    found = table.missing
    if found is None:
        return None
    return MissingCells(
        n_cells=found.n_cells,
        treatment=found.treatment,
        n_samples_left_out=found.n_samples_left_out,
        features_left_out=list(found.features_left_out),
    )


def run_job(
    table: Table,
    settings: Settings,
    *,
    seconds_reading: float,
    show_progress: bool,
    notes: Sequence[str] = (),
    model: str | None = None,
) -> tuple[Report, Any]:
    """Select features and estimate the error.

    Parameters
    ----------
    table : Table
        Checked data.
    settings : Settings
        Machine and cross-validation.
    seconds_reading : float
        Time that reading took, for the report.
    show_progress : bool
        Whether to draw a progress bar.
    notes : sequence of str
        What the report should say first.
    model : str, optional
        Where to save the machine.

    Returns
    -------
    tuple of Report and estimator
        All results as plain values, and the machine fitted to all samples.
    """
    summary = summarize(table)
    started = time.perf_counter()
    machine, warned = _fitted(table, settings, show_progress)
    seconds_fitting = time.perf_counter() - started
    started = time.perf_counter()
    validation = cross_validate(table, settings, show_progress=show_progress)
    seconds_validation = time.perf_counter() - started
    if model is not None:
        save_machine(machine, table.feature_names, model)
    report = Report(
        data=summary,
        parameters=settings,
        selected=[table.feature_names[column] for column in np.flatnonzero(machine.support_)],
        machines=[
            _machine(table, settings, machine, row, validation) for row in range(len(machine.coef_))
        ],
        training=_training_error(table, machine),
        cross_validation=validation.outcome,
        seconds=Seconds(
            seconds_reading, seconds_fitting, seconds_validation if validation.outcome else None
        ),
        versions=versions(),
        notes=[*notes, *warned, *validation.notes],
        chosen_C=float(machine.C_) if settings.C is None else None,
    )
    return report, machine


def _fitted(table: Table, settings: Settings, show_progress: bool) -> tuple[Any, list[str]]:
    from fewest.exceptions import NotSeparableError

    machine = settings.machine(jobs=settings.jobs, show_progress=show_progress)
    try:
        return machine, fit(machine, table.X, table.y, table.groups)
    except NotSeparableError as error:
        example = 10 if settings.method in MARGIN_METHODS else 1
        raise InseparableError(
            f"no hyperplane on the {counted(table.X.shape[1], 'feature')} of {table.origin} "
            "separates the classes without error (proven).\n"
            f"Allow errors with a finite cost, for example --C {example}"
        ) from error
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error


def _machine(
    table: Table, settings: Settings, machine: Any, row: int, validation: Validation
) -> Machine:
    labels = machine.classes_.tolist()
    positive, negative = (labels[1], labels[0]) if len(labels) == 2 else (labels[row], None)
    features = _features(table, settings, machine, row, table.y == positive, validation)
    return Machine(
        positive_class=positive,
        negative_class=negative,
        intercept=float(_plane(settings, machine)[1][row]),
        features=sorted(features, key=lambda feature: -abs(feature.weight)),
        certificate=certificate(settings, machine.results_[row], table.y == positive),
    )


def _plane(settings: Settings, machine: Any) -> tuple[Any, Any]:
    """Weights and biases for the values in the data."""
    if settings.method == "psvm":
        return machine.linear_function()
    return machine.coef_, machine.intercept_


def _features(
    table: Table,
    settings: Settings,
    machine: Any,
    row: int,
    inside: Any,
    validation: Validation,
) -> list[Feature]:
    coefficients = _plane(settings, machine)[0][row]
    columns = np.flatnonzero(machine.supports_[row])
    values = table.X[:, columns].astype(np.float64)
    deviations = values.std(axis=0)
    class_means = [values[table.y == label].mean(axis=0) for label in machine.classes_]
    rest_mean = values[~inside].mean(axis=0)
    return [
        Feature(
            name=table.feature_names[column],
            column=int(column),
            weight=float(coefficients[column] * deviations[place]),
            coefficient=float(coefficients[column]),
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


def certificate(settings: Settings, result: Any, inside: Any) -> Certificate:
    """The proof of a machine; `inside` says which samples are of its class."""
    if settings.method == "psvm":
        return _certificate_of_psvm(result, inside)
    has_margin = settings.method in MARGIN_METHODS
    first = result.steps[0]
    return Certificate(
        objective=float(first.objective),
        lower_bound=float(first.bound),
        relative_gap=float(first.gap),
        pricing_rounds=int(first.rounds),
        linear_programs=len(result.steps),
        converged=bool(result.converged),
        status=str(result.status),
        samples_on_wrong_side=int(np.sum(result.slack > float(has_margin))),
        samples_inside_margin=int(np.sum(result.slack > 0)) if has_margin else None,
    )


def _certificate_of_psvm(result: Any, inside: Any) -> Certificate:
    # The residual is y - f(x), and y is -1 or +1.
    wrong = np.where(inside, 1.0, -1.0) * result.residual >= 1.0
    return Certificate(
        objective=float(result.objective),
        lower_bound=float(result.bound),
        relative_gap=float(result.gap),
        pricing_rounds=int(result.n_iter),
        linear_programs=0,
        converged=str(result.status) == "optimal",
        status=str(result.status),
        samples_on_wrong_side=int(wrong.sum()),
    )


def _training_error(table: Table, machine: Any) -> TrainingError:
    predicted = machine.predict(table.X)
    wrong = predicted != table.y
    return TrainingError(
        n_errors=int(wrong.sum()),
        error=float(wrong.mean()),
        balanced_error=balanced_error(table.y, predicted),
    )
