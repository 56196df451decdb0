"""Samples to predict: features by name or by number, and classes only where they are known."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from fewest._wording import counted, first_and_last, listed, quoted, visible
from fewest.tables.errors import InputError
from fewest.tables.excel import excel_cells
from fewest.tables.frame import Cells, numbers
from fewest.tables.h5ad import h5ad_columns
from fewest.tables.labels import label_values
from fewest.tables.missing import refuse_missing
from fewest.tables.npz import npz_columns, read_extra
from fewest.tables.parquet import parquet_cells
from fewest.tables.read import EXCEL, H5AD, NPZ, PARQUET, TEXT, read_by_suffix
from fewest.tables.table import Samples, check_names, check_present, feature_positions
from fewest.tables.text import text_cells
from fewest.tables.wanted import Wanted


def read_samples(
    path: str | os.PathLike[str],
    features: Sequence[str] | None,
    target: str | None = None,
    drop: Sequence[str] = (),
    *,
    transpose: bool = False,
    sheet: str | None = None,
) -> Samples:
    """Read the columns that a model needs.

    Parameters
    ----------
    path : str or path-like
        A file in one of the formats of `read_table`; an .npz file needs no array y.
    features : sequence of str or None
        The columns of X, in this order. None takes all but the target and those to leave out.
    target : str or None
        The column (for .npz the array) with the true classes.
    drop : sequence of str
        Columns to leave out.
    transpose : bool
        The samples are columns of the file.
    sheet : str, optional
        The sheet of a workbook (default: the first).

    Returns
    -------
    Samples
        With finite numbers.

    Raises
    ------
    InputError
        As for `read_table`; also if features are missing, which are then named.
    """
    readers = {
        TEXT: _reader_of_cells(text_cells, features),
        PARQUET: _reader_of_cells(parquet_cells, features),
        EXCEL: _reader_of_cells(excel_cells, features),
        NPZ: lambda file, wanted: _from_npz(file, features, wanted),
        H5AD: lambda file, wanted: _from_h5ad(file, features, wanted),
    }
    wanted = Wanted(target, tuple(drop), transpose=transpose, sheet=sheet)
    samples = read_by_suffix(Path(path), wanted, readers)
    refuse_missing(samples)
    return samples


def _reader_of_cells(
    reader: Callable[[Path, Wanted], Cells], features: Sequence[str] | None
) -> Callable[[Path, Wanted], Samples]:
    return lambda file, wanted: _from_cells(reader(file, wanted), file, features, wanted)


def _from_cells(
    cells: Cells, file: Path, features: Sequence[str] | None, wanted: Wanted
) -> Samples:
    frame, names, origin = cells.frame, cells.names, visible(file)
    if len(frame) == 0:
        raise InputError(f"{origin} has a header but no rows.")
    check_names(names, origin, wanted.line)
    check_present(wanted.labels, names, origin, wanted.line)
    positions, ignored = _chosen(names, features, {*wanted.labels, ""}, origin, wanted.line)
    chosen = [names[position] for position in positions]
    truth = None
    if wanted.target is not None:
        column = frame.iloc[:, names.index(wanted.target)]
        what = f"class {wanted.line} {quoted(wanted.target)}"
        truth = label_values(column, wanted, what, origin)
    X = numbers(frame.iloc[:, positions], chosen, origin)
    return Samples(X, chosen, truth, wanted.target, origin, ignored, cells.notes)


def _from_npz(file: Path, features: Sequence[str] | None, wanted: Wanted) -> Samples:
    X, names = npz_columns(file, wanted)
    origin = visible(file)
    check_present(wanted.drop, names, origin)
    positions, ignored = _chosen(names, features, set(wanted.drop), origin)
    truth = None
    if wanted.target is not None:
        truth = read_extra(file, wanted.target, X.shape[0])
        if truth is None:
            raise InputError(
                f"{origin} has no array {wanted.target!r}.\n"
                "Name the array with the classes (target).",
                argument="target",
            )
    chosen = [names[place] for place in positions]
    return Samples(X[:, positions], chosen, truth, wanted.target, origin, ignored)


def _from_h5ad(file: Path, features: Sequence[str] | None, wanted: Wanted) -> Samples:
    X, names, column, notes = h5ad_columns(file, wanted)
    origin = visible(file)
    positions, ignored = _chosen(names, features, set(wanted.drop), origin, "feature")
    truth = None
    if column is not None:
        truth = label_values(column, wanted, f"class column {quoted(wanted.target)}", origin)
    chosen = [names[place] for place in positions]
    return Samples(X[:, positions], chosen, truth, wanted.target, origin, ignored, notes)


def _chosen(
    names: Sequence[str],
    features: Sequence[str] | None,
    left_out: set[str],
    origin: str,
    line: str = "column",
) -> tuple[list[int], list[str]]:
    """Where the features are, and what is not needed."""
    if features is None:
        return feature_positions(names, left_out, origin), []
    places = {name: place for place, name in enumerate(names) if name not in left_out}
    missing = [name for name in features if name not in places]
    if missing:
        raise InputError(
            f"{origin} lacks {counted(len(missing), 'feature')} that the model needs: "
            f"{listed(missing)}.\nAdd the {line}s, or check their names. "
            f"{first_and_last(names, line)}"
        )
    wanted = set(features)
    return [places[name] for name in features], [name for name in places if name not in wanted]
