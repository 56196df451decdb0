"""From a path to checked arrays: one frame, then a table with classes or samples to predict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from numpy.typing import ArrayLike

from fewest._memory import TooLargeError
from fewest._wording import quoted, visible
from fewest.tables._arrays import (
    check_classes,
    compare_percent,
    convert_features,
    leave_out_ids,
    leave_out_text,
    leave_out_unlabelled,
    read_label,
    read_percent,
    settle_ids,
)
from fewest.tables._classes import (
    WORKBOOKS,
    ClassTable,
    join_classes,
    make_class_table,
    split_classes,
)
from fewest.tables._columns import is_sheet, read_excel, read_parquet
from fewest.tables._content import Samples, Table
from fewest.tables._errors import InputError, LargeFileError, MissingFileError
from fewest.tables._frame import Frame, Request
from fewest.tables._labels import strip_labels, tidy_labels
from fewest.tables._matrix import read_h5ad, read_npz
from fewest.tables._missing import (
    TREATMENTS,
    refuse_infinite,
    treat_missing,
    treat_missing_samples,
)
from fewest.tables._repeated import WAYS, merge_repeated, note_dates
from fewest.tables._text import read_text
from fewest.tables._together import find_owners, refuse_ids

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
    classes: str | os.PathLike[str] | None = None,
    ids: str | None = None,
    names: str | None = None,
    duplicates: str = "error",
    covariates: Sequence[str] = (),
    keep: Sequence[str] = (),
    fold_case: bool = False,
) -> Table:
    r"""Samples with their classes, read from a file and checked.

    Parameters
    ----------
    path : str or path-like
        The file: text with a header line (.csv, .tsv, .txt, each also as .gz), or a GEO series
        matrix; .parquet; .xlsx; .npz with arrays X and y; or .h5ad, with classes and groups in obs.
    target : str or None
        The class column; for .npz the array with the classes, where None means y. Labels of text
        files are those that are written: '01' and '1' are two classes.
    drop : sequence of str
        Features to leave out: names, lists of names with commas, patterns such as ``"qc_*"``, or
        ``"all-text"`` for all columns with text.
    groups : str, optional
        The column (for .npz the array) that says which samples belong together; not a feature.
    transpose : bool
        The samples are columns of the file; its first column has the names of the features, of
        the target and of the groups.
    missing : {"error", "drop-samples", "drop-features", "median"}
        How to treat cells without a value. With "drop-samples", samples without a class or group
        are also left out.
    sheet : str, optional
        The sheet of a workbook (default: the first).
    layer : str, optional
        The layer of an .h5ad file (default: X).
    classes : str or path-like, optional
        A second file with the classes, and with groups: "FILE", "FILE:COLUMN" or
        "FILE:SHEET:COLUMN". Its rows are found by the ids of the samples, in any order. If these
        are columns of the first file, that file is transposed automatically.
    ids : str, optional
        The column with the ids of the samples (default: the first one with a different text in
        every row).
    names : str, optional
        If the samples are columns: the column with the names of the features, such as gene symbols
        (default: the first).
    duplicates : {"error", "mean", "max", "first", "suffix"}
        How to treat features that share a name: one column with their mean, with the largest
        value of each sample, with the first of them, or all of them with numbers after their names.
    covariates : sequence of str
        Columns with what else is known about the samples, such as age, sex and batch; they are
        not used as features.
    keep : sequence of str
        Columns that are features although they look like row numbers, ids or dates.
    fold_case : bool
        Classes that differ in upper and lower case only are one class. White space at the ends of
        labels never counts.

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

    Classes are often in a second file, and the samples of the first one in its columns:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     expression = os.path.join(folder, "expression.tsv")
    ...     with open(expression, "w") as file:
    ...         _ = file.write("probe\tsymbol\tS1\tS2\n1007_s\tDDR1\t7.5\t8.5\n")
    ...     patients = os.path.join(folder, "patients.csv")
    ...     with open(patients, "w") as file:
    ...         _ = file.write("sample,tissue\nS2,liver\nS1,kidney\n")
    ...     table = read_table(expression, "tissue", classes=patients, names="symbol")
    >>> table.X.tolist(), table.y.tolist(), table.feature_names, table.ids.tolist()
    ([[7.5], [8.5]], ['kidney', 'liver'], ['DDR1'], ['S1', 'S2'])
    """
    for argument, value, ways in (
        ("missing", missing, tuple(TREATMENTS)),
        ("duplicates", duplicates, WAYS),
    ):
        if value not in ways:
            raise ValueError(f"{argument} must be one of {', '.join(ways)}; not {value!r}")
    request = Request(
        *(target, drop, groups, transpose, sheet, layer),
        ids=ids,
        names=names,
        duplicates=duplicates,
        covariates=covariates,
    )
    frame, request = open_frame(path, request, classes)
    with naming_other_sheets(frame):
        check_request(frame, request)
        if request.classes is not None:
            frame = join_classes(frame, request.classes)
        frame = settle_ids(frame, request)
        if missing == "drop-samples":
            frame = leave_out_unlabelled(frame, request)
        named = request.target or ""
        y, notes = tidy_labels(read_label(frame, request, named), named, fold_case)
        # Before the features: a wrong target explains more.
        check_classes(y, named, frame.names.labels.origin)
        known = {}
        for name in (*filter(None, [groups]), *covariates):
            known[name], tidied = tidy_labels(read_label(frame, request, name), name, fold_case)
            notes += tidied
        together = None if groups is None else known[groups]
        positions = frame.names.find_features(request)
        frame, of_percent, percents = read_percent(frame, positions)
        for name in keep:
            frame.names.columns.require(name, "keep")
        joined = request.classes is not None
        positions, left_out = leave_out_ids(frame, positions, keep, joined=joined)
        notes += [*of_percent, *left_out]
        if request.drops_text:
            positions, left_out = leave_out_text(frame, positions)
            notes += left_out
        refuse_ids(frame, positions, keep)
        used = [frame.names.columns.names[place] for place in positions]
        owners = find_owners(frame, request, used)
        X, feature_names = convert_features(frame, positions)
        X, feature_names, merged = merge_repeated(X, feature_names, duplicates)
        notes += [*merged, *note_dates(feature_names)]
    table = Table(
        X=X,
        y=y,
        feature_names=feature_names,
        origin=frame.origin,
        file=str(path),
        target=named,
        dropped=list(drop),
        notes=[*frame.notes, *notes],
        groups=together,
        ids=None if frame.ids is None else frame.ids.values,
        covariates={name: known[name] for name in covariates},
        owners=owners,
        percents=percents,
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
    classes: str | os.PathLike[str] | None = None,
    ids: str | None = None,
    names: str | None = None,
    duplicates: str = "error",
    missing: str = "error",
    medians: ArrayLike | None = None,
    percents: Sequence[str] | None = None,
    has_values: bool = False,
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
    classes, ids, names, duplicates
        As for `read_table`.
    missing : {"error", "drop-samples", "median"}
        How to treat cells without a value: an error, samples left out, or `medians`.
    medians : array of shape (n_features,), optional
        What fills missing cells of each feature: its median over the samples of the training, so
        no prediction depends on the other samples of this file.
    percents : sequence of str, optional
        The features that were written as percent in training (`Table.percents`): others may not be
        here. Not checked if None.
    has_values : bool
        The target holds values that a regression predicts, not classes.

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
    request = Request(
        *(target, drop, None, transpose, sheet, layer, features, False),
        ids=ids,
        names=names,
        duplicates=duplicates,
        has_values=has_values,
    )
    if classes is not None:
        request = read_classes(os.fspath(classes), request)
        target = request.target
    frame = read_frame(path, request)
    with naming_other_sheets(frame):
        check_request(frame, request)
        if request.classes is not None:
            frame = join_classes(frame, request.classes)
        frame = settle_ids(frame, request)
        truth, notes = None, list[str]()
        if target is not None:
            truth, notes = strip_labels(read_label(frame, request, target), target)
        positions = frame.names.find_features(request)
        others = set(frame.names.list_candidates(request)).difference(positions)
        ignored = [frame.names.columns.names[place] for place in sorted(others)]
        frame, of_percent, written = read_percent(frame, positions)
        if percents is not None and features is not None:
            of_percent += compare_percent(frame.origin, features, percents, written)
        X, found = convert_features(frame, positions, are_needed=features is not None)
        X, found, merged = merge_repeated(X, found, duplicates)
        notes += _note_repeated_ids(frame, request, found)
    notes = [*frame.notes, *notes, *of_percent, *merged]
    own_ids = None if frame.ids is None else frame.ids.values
    samples = Samples(X, found, truth, target, frame.origin, ignored, notes, own_ids)
    samples = treat_missing_samples(samples, missing, medians)
    refuse_infinite(samples, are_needed=features is not None)
    return samples


def _note_repeated_ids(frame: Frame, request: Request, features: Sequence[str]) -> list[str]:
    """A note about a column that would name the samples if its entries did not repeat."""
    if frame.ids is not None or not (owners := find_owners(frame, request, features)):
        return []
    return [
        f"Some entries of {quoted(owners[0])} repeat, so samples are numbered instead: to show "
        "them all the same, name the column of ids (--ids)."
    ]


def read_classes(text: str, request: Request) -> Request:
    """The request with the second file, and with the class column that was named after it."""
    file, rest = split_classes(text)
    sheet = rest.pop(0) if len(rest) == 2 else None
    if sheet is None and rest and file.suffix.lower() in WORKBOOKS and is_sheet(file, rest[0]):
        sheet = rest.pop(0)
    named = rest[0] if rest else request.target
    classes = _read_labels(file, sheet, replace(request, target=named))
    if named is None and (named := classes.find_target()) is not None:
        # Once more: how the column is read depends on what it holds.
        classes = _read_labels(file, sheet, replace(request, target=named))
    return replace(request, classes=classes, target=named)


def _read_labels(file: Path, sheet: str | None, request: Request) -> ClassTable:
    """The second file, in which the labels of the request may be, but need not."""
    roles = replace(request, ids=None).roles
    own = Request(None, sheet=sheet, needs_classes=False, duplicates="suffix", beside=roles)
    return make_class_table(read_frame(file, own))


def open_frame(
    path: str | os.PathLike[str], request: Request, classes: str | os.PathLike[str] | None
) -> tuple[Frame, Request]:
    """What the file holds, and the request with the second file of classes and the target."""
    if classes is not None:
        request = read_classes(os.fspath(classes), request)
    frame = read_frame(path, request)
    if request.target is None:
        request = replace(request, target=frame.default_target)
    return frame, request


def read_frame(path: str | os.PathLike[str], request: Request) -> Frame:
    """Let the reader for the file's suffix read it; errors of the system become InputErrors."""
    file = Path(path)
    try:
        _check_file(file)
        frame = _find_reader(file, request)(file, request)
    except InputError:
        raise
    except TooLargeError as error:
        raise LargeFileError(error) from error
    except OSError as error:
        raise InputError(f"{visible(file)} cannot be read: {error.strerror or error}") from error
    return frame


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise InputError(f"{visible(file)} is a folder: name a file in it.")
    if not file.exists():
        raise MissingFileError(
            f"the file {visible(file)} does not exist: check its name and folder."
        )
    if not file.is_file():
        raise InputError(
            f"{visible(file)} is no regular file but a pipe or a device, and a table is read more "
            "than once.\nWrite what comes from it to a file, and name that."
        )
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


def check_request(frame: Frame, request: Request) -> None:
    """Raise an InputError if there are no samples, or if the request does not fit the names."""
    names = frame.names.columns.names
    if not names or frame.cells.shape[0] == 0:
        no_columns = request.transpose and names
        lack = "no columns but the names" if no_columns else "a header but no rows"
        raise InputError(f"{frame.origin} has {lack}.")
    frame.names.check(request)


@contextmanager
def naming_other_sheets(frame: Frame) -> Iterator[None]:
    """Add to an error that the data may be in another sheet of the workbook."""
    try:
        yield
    except InputError as error:
        if not frame.other_sheets:
            raise
        raise InputError(f"{error}\n{frame.other_sheets}", argument="sheet") from error
