"""From names, numbers or a mask to columns of X, or an error that lists near names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import IndexArray
from fewest._wording import counted, first_and_last, listed, near_names, quoted

_MOST_EXPLAINED = 3


def name_columns(X: Any, feature_names: Sequence[str] | None, n_features: int) -> list[str]:
    """A name for every column: as given, else those of the table, else "feature 0" and so on."""
    if feature_names is None:
        feature_names = getattr(X, "columns", None)
    if feature_names is None:
        return [f"feature {column}" for column in range(n_features)]
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names has {len(feature_names)} names for {n_features} features: give one "
            "for each column of X"
        )
    return [str(name) for name in feature_names]


def find_columns(features: Sequence[str] | ArrayLike, names: Sequence[str]) -> IndexArray:
    """Columns of the features of a panel, which are names, numbers of columns or a mask."""
    if isinstance(features, str):
        raise ValueError(f"features must be a list, such as [{features!r}]; got a text")
    given = list(np.asarray(features, dtype=object).ravel())
    if not given:
        raise ValueError("the panel is empty: name at least one feature")
    if all(isinstance(one, str) for one in given):
        columns = _find_names(given, names)
    elif all(isinstance(one, (bool, np.bool_)) for one in given):
        columns = _find_mask(given, len(names))
    elif all(isinstance(one, (int, np.integer)) for one in given):
        columns = _find_numbers(given, len(names))
    else:
        raise ValueError(
            "features must be names, numbers of columns, or one True or False for each"
        )
    twice = [names[column] for column, count in Counter(columns).items() if count > 1]
    if twice:
        raise ValueError(f"the panel names {listed(twice)} more than once: name each feature once")
    return np.array(columns, dtype=np.intp)


def _find_names(given: Sequence[str], names: Sequence[str]) -> list[int]:
    unknown = list(dict.fromkeys(one for one in given if one not in set(names)))
    if unknown:
        close = {one: near_names(one, names) for one in unknown[:_MOST_EXPLAINED]}
        hints = [
            f"For {quoted(one)}, did you mean {' or '.join(map(quoted, found))}?"
            for one, found in close.items()
            if found
        ]
        raise ValueError(
            f"the panel names {counted(len(unknown), 'feature')} that the data do not have: "
            f"{listed(unknown)}. {' '.join(hints) or first_and_last(names)}"
        )
    counts = Counter(names)
    unclear = [one for one in given if counts[one] > 1]
    if unclear:
        raise ValueError(
            f"{counted(counts[unclear[0]], 'column')} are called {quoted(unclear[0])}: give the "
            "numbers of the columns instead of their names"
        )
    places = {name: place for place, name in enumerate(names)}
    return [places[one] for one in given]


def _find_mask(given: Sequence[bool], n_features: int) -> list[int]:
    if len(given) != n_features:
        raise ValueError(f"features has {len(given)} entries for {n_features} columns of X")
    columns = np.flatnonzero(given).tolist()
    if not columns:
        raise ValueError("the panel is empty: name at least one feature")
    return columns


def _find_numbers(given: Sequence[int], n_features: int) -> list[int]:
    wrong = [one for one in given if not 0 <= one < n_features]
    if wrong:
        raise ValueError(
            f"features has the column {wrong[0]}, but X has the columns 0 to {n_features - 1}"
        )
    return [int(one) for one in given]
