"""From a path to checked arrays: one frame, then a table with classes or samples to predict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from fewest._memory import TooLargeError
from fewest._wording import listed, near, visible
from fewest.tables._arrays import (
    check_classes,
    convert_features,
    leave_out_ids,
    leave_out_unlabelled,
    read_label,
)
from fewest.tables._columns import read_excel, read_parquet
from fewest.tables._content import Samples, Table
from fewest.tables._errors import InputError, MissingFileError
from fewest.tables._frame import Frame, Request
from fewest.tables._matrix import read_h5ad, read_npz
from fewest.tables._missing import TREATMENTS, refuse_infinite, refuse_missing, treat_missing
from fewest.tables._text import read_text

_TRANSPOSED = "Transposed: the rows of the file are the features, its columns the samples."
_Reader = Callable[[Path, Request], Frame]
_READERS: dict[tuple[str, ...], _Reader] = {
    (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"): read_text,
    (".parquet",): read_parquet,
    (".npz",): read_npz,
    (".h5ad",): read_h5ad,
    (".xlsx", ".xlsm"): read_excel,
}


def read_table(
    path: str | os.PathLike[str],
    target: str | None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    *,
    transpose: bool = False,
    missing: str = "error",
    sheet: str | None = None,
    layer: str | None = None,
) -> Table:
    r"""Samples with their classes, read from a file and checked.

    Parameters
    ----------
    path : str or path-like
        The file: text with a header line (.csv, .tsv, .txt, each also as .gz); .parquet; .xlsx;
        .npz with arrays X and y; or .h5ad, with classes and groups in obs.
    target : str or None
        The class column; for .npz the array with the classes, where None means y.
    drop : sequence of str
        Names of features to leave out.
    groups : str, optional
        The column (for .npz the array) that says which samples belong together; not a feature.
    transpose : bool
        The samples are columns of the file; its first column has the names of the features, of
        the target and of the groups.
    missing : {"error", "drop-samples", "drop-features", "median"}
        How to treat cells without a value. With "drop-samples", samples without a class or group
        are left out, too.
    sheet : str, optional
        The sheet of a workbook (default: the first).
    layer : str, optional
        The layer of an .h5ad file (default: X).

    Returns
    -------
    Table
        With finite numbers and at least two classes.

    Raises
    ------
    InputError
        A ValueError; also a FileNotFoundError or an ImportError if that is the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> from fewest.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("patient,g1,g2,diagnosis\nA,1.5,2,ill\nB,0.5,3,healthy\n")
    ...     table = read_table(path, "diagnosis")
    >>> table.X.tolist(), table.y.tolist(), table.feature_names
    ([[1.5, 2.0], [0.5, 3.0]], ['ill', 'healthy'], ['g1', 'g2'])
    >>> print(*table.notes)
    Left out as an id, because every sample has its own text there: patient.
    """
    if missing not in TREATMENTS:
        raise ValueError(f"missing must be one of {', '.join(TREATMENTS)}; not {missing!r}")
    request = Request(target, drop, groups, transpose, sheet, layer)
    frame = _read_frame(path, request)
    if target is None:
        request = replace(request, target=frame.default_target)
    with _naming_other_sheets(frame):
        _check(frame, request)
        if missing == "drop-samples":
            frame = leave_out_unlabelled(frame, request)
        named, y = request.labels["target"], read_label(frame, request, "target")
        check_classes(y, named, frame.origin)  # before the features: a wrong target explains more
        together = None if groups is None else read_label(frame, request, "groups")
        positions, notes = leave_out_ids(frame, frame.names.find_features(request))
        X, names = convert_features(frame, positions)
    table = Table(
        X=X,
        y=y,
        feature_names=names,
        origin=frame.origin,
        file=str(path),
        target=named,
        dropped=list(drop),
        notes=[*frame.notes, *notes],
        groups=together,
    )
    table = treat_missing(table, missing)
    refuse_infinite(table)
    return table


def read_samples(
    path: str | os.PathLike[str],
    features: Sequence[str] | None,
    target: str | None = None,
    drop: Sequence[str] = (),
    *,
    transpose: bool = False,
    sheet: str | None = None,
    layer: str | None = None,
) -> Samples:
    r"""Samples with the features that a model needs, read from a file and checked.

    Parameters
    ----------
    path : str or path-like
        A file in one of the formats of `read_table`; an .npz file needs no array y.
    features : sequence of str or None
        The columns of X, in this order. None means all but the target and those to leave out.
    target : str or None
        The column (for .npz the array) with the true classes.
    drop : sequence of str
        Columns to leave out.
    transpose : bool
        The samples are columns of the file.
    sheet : str, optional
        The sheet of a workbook (default: the first).
    layer : str, optional
        The layer of an .h5ad file (default: X).

    Returns
    -------
    Samples
        With finite numbers.

    Raises
    ------
    InputError
        As for `read_table`; also if features are missing, which are then named.

    Examples
    --------
    >>> import os, tempfile
    >>> from fewest.tables import read_samples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "new.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("patient,g1,g2\nC,1.5,2\nD,0.5,3\n")
    ...     samples = read_samples(path, ["g2"])
    >>> samples.X.tolist(), samples.ignored
    ([[2.0], [3.0]], ['patient', 'g1'])
    """
    request = Request(target, drop, None, transpose, sheet, layer, features, needs_classes=False)
    frame = _read_frame(path, request)
    with _naming_other_sheets(frame):
        _check(frame, request)
        truth = None if target is None else read_label(frame, request, "target")
        positions = frame.names.find_features(request)
        others = set(frame.names.list_candidates(request)).difference(positions)
        ignored = [frame.names.columns.names[place] for place in sorted(others)]
        X, names = convert_features(frame, positions)
    samples = Samples(X, names, truth, target, frame.origin, ignored, frame.notes)
    refuse_missing(samples)
    refuse_infinite(samples)
    return samples


def read_some(
    path: str | os.PathLike[str],
    features: Sequence[str],
    target: str | None,
    *,
    transpose: bool = False,
    missing: str = "error",
    sheet: str | None = None,
    layer: str | None = None,
) -> tuple[Table, list[str]]:
    """Samples with their classes and those of some features that the file has.

    The parameters are those of `read_table`. Returns the table, and the names of the other columns.
    """
    request = Request(target, (), None, transpose, sheet, layer)
    frame = _read_frame(path, request)
    if target is None:
        request = replace(request, target=frame.default_target)
    with _naming_other_sheets(frame):
        _check(frame, request)
        names = frame.names.columns.names
        known = {names[place] for place in frame.names.list_candidates(request)}
        request = replace(request, features=[name for name in features if name in known])
        if not request.features:
            raise InputError(
                f"{frame.origin} has none of the features: {listed(features)}.\n"
                f"{near(features[0], names, frame.names.columns.line)}"
            )
        if missing == "drop-samples":
            frame = leave_out_unlabelled(frame, request)
        named, y = request.labels["target"], read_label(frame, request, "target")
        check_classes(y, named, frame.origin)
        X, found = convert_features(frame, frame.names.find_features(request))
    table = Table(X, y, found, frame.origin, str(path), named, notes=frame.notes)
    table = treat_missing(table, missing)
    refuse_infinite(table)
    return table, sorted(known.difference(found))


def _read_frame(path: str | os.PathLike[str], request: Request) -> Frame:
    """Let the reader for the file's suffix read it; errors of the system become InputErrors."""
    file = Path(path)
    try:
        _check_file(file)
        frame = _find_reader(file, request)(file, request)
    except InputError:
        raise
    except TooLargeError as error:
        raise InputError(
            f"{error}.\nTake fewer rows or columns, or allow more if there is more memory."
        ) from error
    except OSError as error:
        raise InputError(f"{visible(file)} cannot be read: {error.strerror or error}") from error
    return replace(frame, notes=[*frame.notes, _TRANSPOSED]) if request.transpose else frame


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise InputError(f"{visible(file)} is a folder: name a file in it.")
    if not file.exists():
        raise MissingFileError(
            f"the file {visible(file)} does not exist: check its name and folder."
        )
    if file.is_file():
        if file.stat().st_size == 0:
            raise InputError(f"{visible(file)} is empty (0 bytes).")
        # Some readers would report a missing permission as damage.
        file.open("rb").close()


def _find_reader(file: Path, request: Request) -> _Reader:
    name = file.name.lower()
    reader = next((_READERS[ends] for ends in _READERS if name.endswith(ends)), None)
    if reader is None:
        old = file.suffix.lower() in (".xls", ".xlsb", ".ods")
        raise InputError(
            f"{visible(file)} has a suffix that is not known here."
            f"{' Save it as .xlsx or CSV.' if old else ''}\n"
            f"Supported: {' '.join(suffix for suffixes in _READERS for suffix in suffixes)}"
        )
    if request.sheet is not None and reader is not read_excel:
        raise InputError(
            f"{visible(file)} has no sheets, only workbooks have: name none.", argument="sheet"
        )
    if request.layer is not None and reader is not read_h5ad:
        raise InputError(
            f"{visible(file)} has no layers, only .h5ad files have: name none.", argument="layer"
        )
    return reader


def _check(frame: Frame, request: Request) -> None:
    """Raise an InputError if there are no samples, or if the request does not fit the names."""
    names = frame.names.columns.names
    if not names or frame.cells.shape[0] == 0:
        no_columns = request.transpose and names
        lack = "no columns but the names" if no_columns else "a header but no rows"
        raise InputError(f"{frame.origin} has {lack}.")
    frame.names.check(request)


@contextmanager
def _naming_other_sheets(frame: Frame) -> Iterator[None]:
    """Add to an error that the data may be in another sheet of the workbook."""
    try:
        yield
    except InputError as error:
        if not frame.other_sheets:
            raise
        raise InputError(f"{error}\n{frame.other_sheets}", argument="sheet") from error
