"""From a pandas data frame to a table: class column out, the rest as one array of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._tables.checks import check_classes
from fewest._tables.errors import InputError, MissingPackageError
from fewest._tables.table import Table, check_names, check_present, feature_positions
from fewest._tables.wording import counted, cut, first_and_last, quoted, visible

if TYPE_CHECKING:
    import pandas

_MOST_NAMED = 5
_UNNAMED = ""  # row names of R and the index of pandas: no features
_NUMBER_TYPES = {"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}


def import_pandas(file: Path) -> ModuleType:
    """Pandas, or the advice to install it."""
    try:
        import pandas
    except ImportError as error:
        raise MissingPackageError(
            f'reading {visible(file)} needs pandas: pip install "fewest[cli]"'
        ) from error
    return pandas


def check_columns(
    names: Sequence[str],
    target: str | None,
    drop: Sequence[str],
    origin: str,
    groups: str | None = None,
) -> None:
    """What the header alone can tell: done before a long file is read."""
    check_names(names, origin)
    if target is None:
        raise InputError(
            f"say which column of {origin} holds the classes (target).\n{first_and_last(names)}",
            argument="target",
        )
    wanted = [target, *drop] if groups is None else [target, groups, *drop]
    check_present(wanted, names, origin)
    if target in drop:
        raise InputError(
            f"to drop {quoted(target)} would leave out the class column itself.", argument="drop"
        )
    if groups == target:
        raise InputError(
            f"{quoted(groups)} cannot hold the classes and the groups: name another column.",
            argument="groups",
        )
    _positions(names, target, drop, groups, origin)


def table_from_frame(
    frame: pandas.DataFrame,
    names: Sequence[str],
    target: str,
    drop: Sequence[str],
    file: Path,
    groups: str | None = None,
) -> Table:
    """Split a frame whose columns have these names (pandas may have changed its own)."""
    origin = visible(file)
    if len(frame) == 0:
        raise InputError(f"{origin} has a header but no rows.")
    y = _labels(frame.iloc[:, names.index(target)], f"class column {quoted(target)}", origin)
    check_classes(y, target, origin)  # before the features: a wrong target explains much else
    positions = _positions(names, target, drop, groups, origin)
    features = frame.iloc[:, positions]
    feature_names = [names[position] for position in positions]
    return Table(
        X=_numbers(features, feature_names, origin),
        y=y,
        feature_names=feature_names,
        origin=origin,
        file=str(file),
        target=target,
        dropped=list(drop),
        notes=_note_unnamed(names),
        groups=None if groups is None else _groups(frame, names, groups, origin),
    )


def _positions(
    names: Sequence[str], target: str, drop: Sequence[str], groups: str | None, origin: str
) -> list[int]:
    return feature_positions(names, {*drop, target, groups, _UNNAMED}, origin)


def _groups(
    frame: pandas.DataFrame, names: Sequence[str], groups: str, origin: str
) -> NDArray[Any]:
    return _labels(frame.iloc[:, names.index(groups)], f"group column {quoted(groups)}", origin)


def _labels(column: pandas.Series, what: str, origin: str) -> NDArray[Any]:
    missing = np.flatnonzero(column.isna())
    if len(missing):
        rows = ", ".join(str(row + 1) for row in missing[:_MOST_NAMED])
        more = ", ..." if len(missing) > _MOST_NAMED else ""
        raise InputError(
            f"the {what} of {origin} has no value in "
            f"{counted(len(missing), 'row')} ({rows}{more}; empty, NA, NaN and null count).\n"
            "Fill it in or remove these rows. The first row below the header is row 1."
        )
    if hasattr(column, "cat"):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype.kind in _NUMBER_TYPES:
        return column.to_numpy(dtype=_NUMBER_TYPES[column.dtype.kind])
    return np.array([str(label) for label in column.tolist()])


def _numbers(features: pandas.DataFrame, names: Sequence[str], origin: str) -> NDArray[Any]:
    kinds = list(features.dtypes)
    text = [position for position, kind in enumerate(kinds) if kind.kind not in _NUMBER_TYPES]
    if text:
        raise _text_columns(features, names, text, origin)
    single = all(kind == np.float32 for kind in kinds)
    numbers = features.to_numpy(dtype=np.float32 if single else np.float64)
    return np.ascontiguousarray(numbers)  # cross-validation takes rows out, many times


def _text_columns(
    features: pandas.DataFrame, names: Sequence[str], text: list[int], origin: str
) -> InputError:
    examples = ", ".join(
        f"{cut(names[position])} ('{cut(_first_text(features.iloc[:, position]), 20)}')"
        for position in text[:_MOST_NAMED]
    )
    more = f" and {len(text) - _MOST_NAMED} more" if len(text) > _MOST_NAMED else ""
    return InputError(
        f"{origin} has text instead of numbers in {counted(len(text), 'feature column')}: "
        f"{examples}{more}.\n"
        f"Leave out what is no feature (drop {quoted(names[text[0]])}), or write numbers there.",
        argument="drop",
    )


def _first_text(column: pandas.Series) -> Any:
    """The first cell that is neither missing nor a number."""
    import pandas

    if column.dtype.kind not in "OUST":
        return column.iloc[0]
    odd = column.notna() & pandas.to_numeric(column, errors="coerce").isna()
    return column[odd].iloc[0] if odd.any() else column.iloc[0]


def _note_unnamed(names: Sequence[str]) -> list[str]:
    places = [str(place + 1) for place, name in enumerate(names) if name == _UNNAMED]
    if not places:
        return []
    return [f"Left out, because it has no name: column {', '.join(places[:_MOST_NAMED])}."]
