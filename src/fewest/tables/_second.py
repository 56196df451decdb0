"""A second table that has some of the features of the first one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from fewest._wording import listed, near
from fewest.tables._arrays import (
    check_classes,
    compare_percent,
    convert_features,
    leave_out_unlabelled,
    read_label,
    read_percent,
)
from fewest.tables._classes import join_classes
from fewest.tables._content import Table
from fewest.tables._errors import InputError
from fewest.tables._frame import Request
from fewest.tables._labels import tidy_labels
from fewest.tables._missing import refuse_infinite, treat_missing
from fewest.tables._read import check_request, naming_other_sheets, open_frame
from fewest.tables._repeated import merge_repeated
from fewest.tables._together import find_owners
from fewest.tables._written import LABELS


def read_some(
    path: str | os.PathLike[str],
    features: Sequence[str],
    target: str | None,
    *,
    transpose: bool = False,
    missing: str = "error",
    sheet: str | None = None,
    layer: str | None = None,
    classes: str | os.PathLike[str] | None = None,
    ids: str | None = None,
    names: str | None = None,
    duplicates: str = "error",
    fold_case: bool = False,
    percents: Sequence[str] = (),
    groups: str | None = None,
    groups_if_there: str | None = None,
) -> tuple[Table, list[str]]:
    """Samples with their classes and those of some features that the file has.

    The parameters are those of `read_table`; `groups_if_there` names the column with groups in
    files that have it. Returns the table, and the names of the other columns.
    """
    request = Request(
        *(target, (), groups, transpose, sheet, layer),
        ids=ids,
        names=names,
        duplicates=duplicates,
        beside={} if groups_if_there is None else {groups_if_there: LABELS},
    )
    frame, request = open_frame(path, request, classes)
    with naming_other_sheets(frame):
        there = {*frame.names.labels.names, *frame.names.columns.names}
        if groups is None and groups_if_there in there:
            request = replace(request, groups=groups_if_there)
        check_request(frame, request)
        if request.classes is not None:
            frame = join_classes(frame, request.classes)
        columns = frame.names.columns.names
        known = {columns[place] for place in frame.names.list_candidates(request)}
        request = replace(request, features=[name for name in features if name in known])
        if not request.features:
            raise InputError(
                f"{frame.origin} has none of the features: {listed(features)}.\n"
                f"{near(features[0], columns, frame.names.columns.line)}"
            )
        if missing == "drop-samples":
            frame = leave_out_unlabelled(frame, request)
        named = request.target or ""
        y, notes = tidy_labels(read_label(frame, request, named), named, fold_case)
        check_classes(y, named, frame.names.labels.origin)
        together = None
        if request.groups is not None:
            together, tidied = tidy_labels(
                read_label(frame, request, request.groups), request.groups, fold_case
            )
            notes += tidied
        owners = find_owners(frame, request, request.features)
        positions = frame.names.find_features(request)
        frame, of_percent, written = read_percent(frame, positions)
        of_percent += compare_percent(frame.origin, request.features or [], percents, written)
        X, found = convert_features(frame, positions, are_needed=True)
        X, found, merged = merge_repeated(X, found, duplicates)
    notes = [*frame.notes, *notes, *of_percent, *merged]
    table = Table(
        *(X, y, found, frame.origin, str(path), named), notes=notes, groups=together, owners=owners
    )
    table = treat_missing(table, missing)
    refuse_infinite(table)
    return table, sorted(known.difference(found))
