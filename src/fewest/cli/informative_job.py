"""Informative features of a table, as plain values."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fewest._run.checkpoint import CheckpointError
from fewest._run.versions import versions
from fewest._wording import counted
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._settings import Settings
from fewest.cli.job import summarize
from fewest.cli.report import (
    Curves,
    FoldSummary,
    InformativeReport,
    OverlapRow,
    Seconds,
    SigmoidFit,
)
from fewest.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run_informative_job(
    table: Table,
    settings: Settings,
    *,
    groups: str | None,
    every: int,
    n_permutations: int,
    checkpoint: str | None,
    seconds_reading: float,
    show_progress: bool,
    draw: bool,
) -> tuple[InformativeReport, Any, Figure | None]:
    """Estimate the share of informative features.

    Parameters
    ----------
    table : Table
        Checked data, with its groups.
    settings : Settings
        The machine, folds, seed and jobs.
    groups : str or None
        What the groups are called.
    every, n_permutations, checkpoint
        As for `informative_features`.
    seconds_reading : float
        Time that reading took, for the report.
    show_progress : bool
        Whether to draw a progress bar.
    draw : bool
        Whether a figure is wanted.

    Returns
    -------
    tuple of InformativeReport, InformativeFeatures, and Figure or None
    """
    from fewest.informative import informative_share, overlap_table, t_map
    from fewest.informative._univariate import choose_kind

    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _found(table, settings, every, n_permutations, checkpoint, show_progress)
    univariate = t_map(
        table.X, table.y, groups=table.groups, kind=choose_kind(table.y, table.groups)
    )
    report = InformativeReport(
        data=summarize(table),
        parameters=settings,
        groups=groups,
        every=every,
        n_permutations=n_permutations,
        n_folds=found.n_folds_planned,
        n_folds_finished=len(found.folds),
        estimate=found.estimate,
        sigmoid=_fit(found.sigmoid),
        restricted=_fit(found.restricted),
        purified_estimate=found.purity.estimate,
        chance_estimate=None if found.band is None else found.band.estimate,
        univariate_estimate=informative_share(univariate.p_value),
        overlap=[OverlapRow(**asdict(row)) for row in overlap_table(found, univariate)],
        curves=_curves(found),
        folds=[_fold(table, fold) for fold in found.folds],
        seconds=Seconds(seconds_reading, time.perf_counter() - started, None),
        versions=versions(),
        notes=list(dict.fromkeys(f"Warning: {warning.message}." for warning in caught)),
    )
    return report, found, _figure(found, univariate) if draw else None


def _found(
    table: Table,
    settings: Settings,
    every: int,
    n_permutations: int,
    checkpoint: str | None,
    show_progress: bool,
) -> Any:
    from fewest.exceptions import NotSeparableError
    from fewest.informative import informative_features

    try:
        return informative_features(
            settings.machine(),
            table.X,
            table.y,
            groups=table.groups,
            cv=settings.cv or None,
            every=every,
            n_permutations=n_permutations,
            random_state=settings.seed,
            checkpoint=checkpoint,
            n_jobs=settings.jobs,
            verbose=int(show_progress),
        )
    except NotSeparableError as error:
        raise InseparableError(
            f"in a fold, no hyperplane on the {counted(table.X.shape[1], 'feature')} of "
            f"{table.origin} separates the classes without error (proven).\n"
            "Allow errors with a finite cost, for example --C 1"
        ) from error
    except CheckpointError as error:
        raise CommandError(f"--checkpoint: {error}.") from error
    except ValueError as error:
        raise CommandError(f"{table.origin}: {error}") from error


def _fit(sigmoid: Any) -> SigmoidFit:
    crossing = None if math.isnan(sigmoid.crossing) else sigmoid.crossing
    return SigmoidFit(**asdict(sigmoid), crossing=crossing, estimate=sigmoid.estimate)


def _curves(found: Any) -> Curves:
    return Curves(
        fraction=found.fraction.tolist(),
        sizes=found.sizes.tolist(),
        selection_error=found.selection_error.tolist(),
        probe_error=found.probe_error.tolist(),
        chance_lower=None if found.band is None else found.band.lower.tolist(),
        chance_upper=None if found.band is None else found.band.upper.tolist(),
    )


def _fold(table: Table, fold: Any) -> FoldSummary:
    return FoldSummary(
        n_test=len(fold.test),
        n_subsets=len(fold.subsets),
        n_removed=fold.n_removed,
        first_subset=[table.feature_names[column] for column in fold.subsets[0]],
        stop_reason=fold.stop_reason,
    )


def _figure(found: Any, univariate: Any) -> Figure:
    from matplotlib.figure import Figure

    from fewest.plotting import plot_informative

    return plot_informative(found, univariate, figure=Figure())
