"""Cells without a value: refused, or taken care of in a way that the result tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, listed
from fewest.tables.checks import check_classes, check_finite, where
from fewest.tables.errors import InputError
from fewest.tables.table import Missing, Samples, Table

TREATMENTS = ("error", "drop-samples", "drop-features", "median")


def treat_missing(table: Table, treatment: str) -> Table:
    """The table without missing cells, with a note of what was done; or an InputError."""
    if treatment not in TREATMENTS:
        raise ValueError(f"missing must be one of {', '.join(TREATMENTS)}; not {treatment!r}")
    if table.X.dtype.kind != "f":
        return table
    missing = np.isnan(table.X)
    if not missing.any():
        return table
    if treatment == "error":
        raise _refused(
            table,
            missing,
            "Fill them in, or leave out the samples or the features, or take medians.",
            argument="missing",
        )
    treat = {
        "drop-samples": _without_samples,
        "drop-features": _without_features,
        "median": _with_medians,
    }
    return treat[treatment](table, missing)


def refuse_missing(samples: Samples) -> None:
    """Raise an InputError where a cell has no finite value: a prediction needs all of them."""
    if samples.X.dtype.kind == "f":
        missing = np.isnan(samples.X)
        if missing.any():
            raise _refused(samples, missing, "Fill them in, or leave out these samples.")
    check_finite(samples)


def _refused(
    table: Table | Samples, missing: NDArray[np.bool_], advice: str, argument: str | None = None
) -> InputError:
    return InputError(
        f"{table.origin} has {counted(int(missing.sum()), 'missing cell')} in "
        f"{where(missing, table.feature_names)}.\n{advice} The first row of data is row 1.",
        argument=argument,
    )


def _without_samples(table: Table, missing: NDArray[np.bool_]) -> Table:
    bad = missing.any(axis=1)
    n_bad, n_all = int(bad.sum()), len(bad)
    if n_bad == n_all:
        raise InputError(
            f"every sample of {table.origin} has a missing cell: none would be left.\n"
            "Leave out the features instead, or take medians.",
            argument="missing",
        )
    kept = ~bad
    y = table.y[kept]
    left_out = f"without {counted(n_bad, 'sample')} with missing cells"
    check_classes(y, table.target, f"{table.origin}, {left_out},")
    return replace(
        table,
        X=table.X[kept],
        y=y,
        groups=None if table.groups is None else table.groups[kept],
        missing=Missing(int(missing.sum()), "drop-samples", n_samples_left_out=n_bad),
        notes=[*table.notes, f"Left out for missing cells: {n_bad} of {n_all} samples."],
    )


def _without_features(table: Table, missing: NDArray[np.bool_]) -> Table:
    bad = missing.any(axis=0)
    if bad.all():
        raise InputError(
            f"every feature of {table.origin} has a missing cell: none would be left.\n"
            "Leave out the samples instead, or take medians.",
            argument="missing",
        )
    names = [name for name, is_bad in zip(table.feature_names, bad, strict=True) if is_bad]
    return _without_columns(
        table,
        bad,
        Missing(int(missing.sum()), "drop-features", features_left_out=tuple(names)),
        f"Left out for missing cells: {counted(len(names), 'feature')}, {listed(names)}.",
    )


def _with_medians(table: Table, missing: NDArray[np.bool_]) -> Table:
    empty = missing.all(axis=0)
    if empty.any():
        names = [name for name, is_bad in zip(table.feature_names, empty, strict=True) if is_bad]
        if empty.all():
            raise InputError(f"{table.origin} has no value in any feature: there is no median.")
        table = _without_columns(
            table,
            empty,
            Missing(int(missing.sum()), "median", features_left_out=tuple(names)),
            f"Left out, because they hold no value at all: {listed(names)}.",
        )
        missing = missing[:, ~empty]
    n_cells, columns = int(missing.sum()), np.flatnonzero(missing.any(axis=0))
    X = _filled(table.X, missing, columns)
    found = table.missing or Missing(n_cells, "median")
    # No label is used, so that nothing of a held-out sample's class can get into the training.
    note = (
        f"Filled in: {counted(n_cells, 'missing cell')} in {counted(len(columns), 'feature')}, by "
        "the feature's median over all samples, also those held out in cross-validation; "
        "classes had no part in it."
    )
    return replace(table, X=X, missing=found, notes=[*table.notes, note])


def _filled(X: NDArray[Any], missing: NDArray[np.bool_], columns: NDArray[np.intp]) -> NDArray[Any]:
    X = X.copy()
    medians = np.nanmedian(X[:, columns], axis=0)
    X[:, columns] = np.where(missing[:, columns], medians, X[:, columns])
    return X


def _without_columns(table: Table, bad: NDArray[np.bool_], found: Missing, note: str) -> Table:
    names = [name for name, is_bad in zip(table.feature_names, bad, strict=True) if not is_bad]
    return replace(
        table,
        X=np.ascontiguousarray(table.X[:, ~bad]),
        feature_names=names,
        missing=found,
        notes=[*table.notes, note],
    )
