"""Repetitive selection on a table, as plain values."""

from __future__ import annotations

import time
from typing import Any

from fewest._run.checkpoint import CheckpointError
from fewest._run.versions import versions
from fewest._wording import counted
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._settings import Settings, fit
from fewest.cli.job import summarize
from fewest.cli.report import RankReport, Seconds, Subset
from fewest.tables import Table


def run_rank_job(
    table: Table,
    settings: Settings,
    *,
    n_repetitions: int | None,
    max_training_error: float | None,
    min_features: int,
    checkpoint: str | None,
    seconds_reading: float,
    show_progress: bool,
) -> tuple[RankReport, Any]:
    """Find the subsets.

    Parameters
    ----------
    table : Table
        Checked data.
    settings : Settings
        The machine.
    n_repetitions, max_training_error, min_features, checkpoint
        As for `RepetitiveSelector`.
    seconds_reading : float
        Time that reading took, for the report.
    show_progress : bool
        Whether to draw a progress bar.

    Returns
    -------
    tuple of RankReport and RepetitiveSelector
        All results as plain values, the smallest subset first; and the selector.
    """
    from fewest.repetition.selector import RepetitiveSelector

    selector = RepetitiveSelector(
        settings.machine(),
        n_subsets=n_repetitions,
        max_training_error=max_training_error,
        min_features=min_features,
        checkpoint=checkpoint,
        n_jobs=settings.jobs,
        verbose=int(show_progress),
    )
    started = time.perf_counter()
    notes = _fitted(selector, table)
    seconds = Seconds(seconds_reading, time.perf_counter() - started, None)
    two_classes = len(selector.classes_) == 2
    subsets = [
        Subset(
            repetition=place + 1,
            size=int(selector.sizes_[place]),
            features=[table.feature_names[column] for column in selector.subsets_[place]],
            columns=selector.subsets_[place].tolist(),
            coefficients=_rows(selector.coefs_[place], two_classes),
            intercepts=_rows(selector.intercepts_[place], two_classes),
            training_error=float(selector.training_errors_[place]),
            objective=float(selector.objectives_[place]),
            relative_gap=float(selector.gaps_[place]),
        )
        for place in selector.ranking_.tolist()
    ]
    report = RankReport(
        data=summarize(table),
        parameters=settings,
        subsets=subsets,
        n_remaining=len(selector.remaining_),
        stop_reason=selector.stop_reason_,
        seconds=seconds,
        versions=versions(),
        notes=notes,
    )
    return report, selector


def _fitted(selector: Any, table: Table) -> list[str]:
    """Warnings of the fit; an error that says what to do if it fails."""
    from fewest.exceptions import NotSeparableError

    try:
        return fit(selector, table.X, table.y)
    except NotSeparableError as error:
        raise InseparableError(
            f"no hyperplane on the {counted(table.X.shape[1], 'feature')} of {table.origin} "
            "separates the classes without error (proven).\n"
            "Allow errors with a finite cost, for example --C 1"
        ) from error
    except CheckpointError as error:
        raise CommandError(f"--checkpoint: {error}.") from error
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error


def _rows(values: Any, two_classes: bool) -> list[Any]:
    """Values of every machine: a list of one for two classes."""
    return [values.tolist()] if two_classes else values.tolist()
