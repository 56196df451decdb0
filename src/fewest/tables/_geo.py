"""Series matrix files of the Gene Expression Omnibus (GEO): a table below lines about samples."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import cut, listed, visible
from fewest.tables._columns import MISSING_CELLS, import_pandas
from fewest.tables._errors import InputError
from fewest.tables._frame import Frame, Header, Label, Names, Request, make_ids, require_matrix

_ABOUT, _SERIES = "!Sample_", "!Series_"
_BEGIN, _END = "!series_matrix_table_begin", "!series_matrix_table_end"
_CHARACTERISTICS = "characteristics"
_ACCESSION = "geo_accession"
_MOST_VALUES, _MOST_DESCRIBED = 4, 6


def is_series_matrix(first_line: str) -> bool:
    """Whether a text file begins as series matrix files do."""
    return first_line.startswith((_SERIES, _ABOUT))


def read_series_matrix(file: Path, request: Request, lines: Iterable[str]) -> Frame:
    """Read the values of all probes; labels are what the file says about its samples."""
    origin = visible(file)
    stream = iter(lines)
    about = _read_about(stream, origin)
    cells = _read_values(file, stream, origin)
    probes, samples = cells.iloc[:, 0].astype(str).tolist(), list(map(str, cells.columns[1:]))
    labels = _sort_labels(about, len(samples), origin)
    labels.setdefault(_ACCESSION, np.array(samples, dtype=object))
    columns = Header(origin, probes, "probe")
    about_samples = Header(origin, list(labels), "characteristic", _describe(labels))
    names = Names(
        columns=columns,
        labels=about_samples if request.classes is None else request.classes.header,
        ids=about_samples,
    )
    names.check(request)
    values = cells.iloc[:, 1:].to_numpy(dtype=np.float64).T
    ids = [make_ids(None, samples), *(make_ids(None, label) for label in labels.values())]
    if request.ids is not None:
        ids = [make_ids(None, labels[request.ids])]
    series = "A series matrix file: the probes are the features."
    X = np.ascontiguousarray(require_matrix(values, origin))
    get_label = _as_column(file, labels)
    return Frame(names, X, get_label, find_ids=lambda: ids, notes=[series])


def _as_column(file: Path, labels: dict[str, NDArray[Any]]) -> Callable[[str], Label]:
    """Labels as pandas has them, which knows that a missing one is missing."""
    pandas = import_pandas(file)
    return lambda name: pandas.Series(labels[name])


def _read_about(lines: Iterable[str], origin: str) -> list[list[str]]:
    """The lines about samples, up to the table; each is a name and an entry per sample."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith(_BEGIN):
            return found
        if line.startswith(_ABOUT):
            found.append(next(csv.reader([line], delimiter="\t")))
    raise InputError(
        f"{origin} begins as a series matrix file, but has no line {_BEGIN}.\n"
        "Download the file again, or take the values from a supplementary file."
    )


def _read_values(file: Path, lines: Iterable[str], origin: str) -> Any:
    """The table as pandas reads it."""
    pandas = import_pandas(file)
    table = io.StringIO()
    for line in lines:
        if line.startswith(_END):
            break
        table.write(line)
    else:
        raise InputError(
            f"{origin} ends within its table: the line {_END} is missing.\nDownload it again."
        )
    table.seek(0)
    try:
        cells = pandas.read_csv(
            table,
            sep="\t",
            keep_default_na=False,
            na_values=MISSING_CELLS,
            low_memory=False,
            float_precision="round_trip",
        )
    except ValueError as error:
        raise InputError(f"{origin} is not a regular table: {visible(error)}.") from error
    if not len(cells):
        raise InputError(
            f"{origin} holds no values, only a description of the samples (as for sequencing "
            "data).\nTake the values from the supplementary files, and this file for --classes."
        )
    text = [str(name) for name in cells.columns[1:] if cells[name].dtype.kind not in "biuf"]
    if text:
        raise InputError(
            f"{origin} has text instead of numbers in the samples {listed(text)}: correct it, or "
            "download it again."
        )
    return cells


def _sort_labels(about: list[list[str]], n_samples: int, origin: str) -> dict[str, NDArray[Any]]:
    """Labels by name: characteristics by the word before their colon, which differs by sample."""
    labels: dict[str, NDArray[Any]] = {}
    others: dict[str, NDArray[Any]] = {}
    for name, *entries in about:
        if len(entries) != n_samples:
            raise InputError(
                f"{origin} describes {len(entries)} samples in its line {cut(name)}, but has "
                f"values of {n_samples}: download it again."
            )
        name = name.removeprefix(_ABOUT)
        if not name.startswith(_CHARACTERISTICS):
            others.setdefault(name, np.array(entries, dtype=object))
            continue
        for place, entry in enumerate(entries):
            key, colon, value = entry.partition(":")
            if colon and value.strip():
                nothing = np.full(n_samples, None, dtype=object)
                labels.setdefault(key.strip(), nothing)[place] = value.strip()
    # What is the same everywhere, or different everywhere, is no class.
    varied = {name: one for name, one in others.items() if 1 < len(set(one)) < len(one)}
    named = {name: others[name] for name in ("title", _ACCESSION) if name in others}
    return {**labels, **varied, **named}


def _describe(labels: dict[str, NDArray[Any]]) -> str:
    """The characteristics that may be classes, with how many samples have which value."""
    lines = []
    for name, values in labels.items():
        counts = Counter(value for value in values if value is not None)
        if 1 < len(counts) < len(values):
            shown = [f"{cut(one, 30)} {count}" for one, count in counts.most_common(_MOST_VALUES)]
            more = ", ..." if len(counts) > _MOST_VALUES else ""
            lines.append(f"  {cut(name)}: {', '.join(shown)}{more}")
    if not lines:
        return "None of its characteristics divides the samples into classes."
    more = f"\n  and {len(lines) - _MOST_DESCRIBED} more" if len(lines) > _MOST_DESCRIBED else ""
    return "It describes its samples by:\n" + "\n".join(lines[:_MOST_DESCRIBED]) + more
