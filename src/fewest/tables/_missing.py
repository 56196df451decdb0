"""Cells without a finite value: refused, or treated in a way that the result reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._gaps import fill_gaps, find_medians
from fewest._wording import counted, cut, listed
from fewest.tables._arrays import check_classes
from fewest.tables._content import Missing, Samples, Table
from fewest.tables._errors import InputError
from fewest.tables._frame import is_sparse

_MOST_COLUMNS = 5
_MOST_ROWS = 3

Mask = NDArray[np.bool_]


def treat_missing(table: Table, treatment: str) -> Table:
    """The table without missing cells, with a note of what was done; or an InputError."""
    missing = _find(np.isnan, table.X)
    if is_sparse(missing):
        _refuse(table, missing, "missing cell", "Leave out the features, or fill the cells in.")
        return table
    return TREATMENTS[treatment](table, missing) if missing.any() else table


def treat_missing_samples(
    samples: Samples, treatment: str, medians: ArrayLike | None = None
) -> Samples:
    """Samples to predict without missing cells: refused, left out, or filled in with medians.

    The medians are those of other samples, in training: a prediction depends on its sample alone.
    """
    missing = _find(np.isnan, samples.X)
    if not missing.sum():
        return samples
    if treatment == "error" or is_sparse(missing):
        advice = "Fill them in, leave out these samples, or take medians."
        _refuse(samples, missing, "missing cell", advice, "missing")
    if treatment == "drop-samples":
        bad: Mask = np.any(missing, axis=1)
        _require_rest(samples, bad, "sample", "features")
        note = f"Left out for missing cells: {int(bad.sum())} of {len(bad)} samples."
        return replace(
            samples,
            X=samples.X[~bad],
            truth=None if samples.truth is None else samples.truth[~bad],
            ids=None if samples.ids is None else samples.ids[~bad],
            notes=[*samples.notes, note],
        )
    if medians is None:
        raise InputError(
            f"the model does not hold the medians of its training samples, which would fill in "
            f"{counted(int(missing.sum()), 'missing cell')} of {samples.origin}.\nFit it again "
            "with fewest select --model, which keeps them, or leave out these samples.",
            argument="missing",
        )
    note = (
        f"Filled in: {counted(int(missing.sum()), 'missing cell')}, by the feature's median over "
        "the training samples of the model."
    )
    filled = fill_gaps(samples.X, np.asarray(medians, dtype=np.float64))
    return replace(samples, X=filled, notes=[*samples.notes, note])


def refuse_infinite(table: Table | Samples, *, are_needed: bool = False) -> None:
    """Raise an InputError if a feature has an infinite value.

    It does not advise to leave out features that `are_needed`.
    """
    otherwise = "" if are_needed else ", or leave the columns out"
    advice = f"A logarithm of zero is a usual cause: correct them{otherwise}."
    argument = None if are_needed else "drop"
    _refuse(table, _find(np.isinf, table.X), "infinite value", advice, argument)


def _find(test: Callable[[Any], Any], X: Any) -> Any:
    """Where the test holds, sparse if X is; whole numbers are neither missing nor infinite."""
    if X.dtype.kind != "f":
        return np.zeros(0, dtype=bool)
    if not is_sparse(X):
        return test(X)
    cells = X.tocoo()
    bad = test(cells.data)
    from scipy import sparse

    return sparse.csc_matrix((bad[bad], (cells.row[bad], cells.col[bad])), shape=X.shape)


def _refuse(
    table: Table | Samples, bad: Any, noun: str, advice: str, argument: str | None = None
) -> None:
    if bad.sum():
        raise InputError(
            f"{table.origin} has {counted(int(bad.sum()), noun)} in "
            f"{_locate(bad, table.feature_names)}.\n{advice} The first row of data is row 1.",
            argument,
        )


def _locate(bad: Any, names: list[str]) -> str:
    """How many columns and rows are affected, and the first of them by name and number."""
    columns, rows = (np.flatnonzero(bad.sum(axis=axis)) for axis in (0, 1))
    places = []
    for column in columns[: _MOST_COLUMNS + 1]:
        numbers = np.unique(bad[:, [column]].nonzero()[0]) + 1
        word = "row" if len(numbers) == 1 else "rows"
        places.append(f"{cut(names[column])} ({word} {_show(numbers, _MOST_ROWS)})")
    return (
        f"{counted(len(columns), 'column')} and {counted(len(rows), 'row')}: "
        f"{_show(places, _MOST_COLUMNS)}"
    )


def _show(items: Sequence[Any] | NDArray[Any], most: int) -> str:
    more = ["..."] if len(items) > most else []
    return ", ".join([*map(str, items[:most]), *more])


def _refuse_all(table: Table, missing: Mask) -> Table:
    advice = "Fill them in, or leave out the samples or the features, or take medians."
    _refuse(table, missing, "missing cell", advice, "missing")
    return table


def _leave_out_samples(table: Table, missing: Mask) -> Table:
    bad: Mask = np.any(missing, axis=1)
    _require_rest(table, bad, "sample", "features")
    n_bad = int(bad.sum())
    left_out = f"without {counted(n_bad, 'sample')} with missing cells"
    check_classes(table.y[~bad], table.target, f"{table.origin}, {left_out},")
    return table.take(
        ~bad,
        missing=Missing(int(missing.sum()), "drop-samples", n_samples_left_out=n_bad),
        notes=[*table.notes, f"Left out for missing cells: {n_bad} of {len(bad)} samples."],
    )


def _leave_out_features(table: Table, missing: Mask) -> Table:
    bad: Mask = np.any(missing, axis=0)
    _require_rest(table, bad, "feature", "samples")
    kept, names = _split_features(table, bad)
    note = f"Left out for missing cells: {counted(len(names), 'feature')}, {listed(names)}."
    found = Missing(int(missing.sum()), "drop-features", features_left_out=names)
    return replace(kept, missing=found, notes=[*table.notes, note])


def _fill_in_medians(table: Table, missing: Mask) -> Table:
    empty: Mask = np.all(missing, axis=0)
    if empty.all():
        raise InputError(f"{table.origin} has no value in any feature: there is no median.")
    kept, names = _split_features(table, empty)
    notes = [f"Left out, because they hold no value at all: {listed(names)}."] if names else []
    holes = missing[:, ~empty]
    notes.append(
        f"Filled in: {counted(int(holes.sum()), 'missing cell')} in "
        f"{counted(int(holes.any(axis=0).sum()), 'feature')}, by the feature's median over the "
        "samples of each fit: in cross-validation those of its training part."
    )
    found = Missing(int(missing.sum()), "median", features_left_out=names)
    X = fill_gaps(kept.X, find_medians(kept.X))
    return replace(kept, X=X, raw=kept.X, missing=found, notes=[*table.notes, *notes])


def _require_rest(table: Table | Samples, bad: Mask, word: str, instead: str) -> None:
    if bad.all():
        raise InputError(
            f"every {word} of {table.origin} has a missing cell: none would be left.\n"
            f"Leave out the {instead} instead, or take medians.",
            argument="missing",
        )


def _split_features(table: Table, bad: Mask) -> tuple[Table, tuple[str, ...]]:
    """The table without its bad features, and their names."""
    if not bad.any():
        return table, ()
    names = np.array(table.feature_names, dtype=object)
    X = np.ascontiguousarray(table.X[:, ~bad])
    return replace(table, X=X, feature_names=names[~bad].tolist()), tuple(names[bad].tolist())


TREATMENTS: dict[str, Callable[[Table, Mask], Table]] = {
    "error": _refuse_all,
    "drop-samples": _leave_out_samples,
    "drop-features": _leave_out_features,
    "median": _fill_in_medians,
}
