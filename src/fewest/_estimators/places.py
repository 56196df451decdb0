"""From what users call features to their places, and what a rule says of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.exact import as_double, as_objects, refuse_masked
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, cut, listed, near, quoted


class Places:
    """From what users call features to their places."""

    def __init__(self, n_features: int, names: Sequence[str] | NDArray[Any] | None) -> None:
        self._count = n_features
        given = [] if names is None else list(names)
        # Where names are numbers themselves, a rule could mean a name or a place.
        self._numbers = given if any(_is_number(name) for name in given) else None
        self._names = None if names is None else [str(name) for name in given]
        self._of_name = (
            {} if self._names is None else dict(zip(self._names, range(n_features), strict=True))
        )

        self._shared = {name for name, count in Counter(self._names or ()).items() if count > 1}

    def find(self, rule: str, feature: Any) -> int:
        """The place of a feature, by name or number."""
        if isinstance(feature, str):
            if self._names is None:
                raise ValueError(
                    f"{rule} names {quoted(feature)}, but X has no names: give the numbers of "
                    "columns (from 0), or a data frame"
                )
            if feature not in self._of_name:
                raise ValueError(
                    f"{rule} names {quoted(feature)}, which is not a feature of X. "
                    + near(feature, self._names, "feature")
                )
            if feature in self._shared:
                raise ValueError(
                    f"{rule} names {quoted(feature)}, but several features of X are called that: "
                    "give numbers of columns (from 0), or names that differ"
                )
            return self._of_name[feature]
        is_whole = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
        if not is_whole or not 0 <= feature < self._count:
            raise ValueError(
                f"{rule} has {feature!r}; it must be a name, or the number of a column, "
                f"0 to {self._count - 1}{self._hint(feature)}"
            )
        if self._numbers is not None and self._numbers[feature] != feature:
            raise ValueError(
                f"{rule} has the number {feature}, but the columns of X have numbers as names, and "
                f"column {feature} (from 0) is called {self._numbers[feature]!r}: "
                f"{feature} could be a name or a place. Give the name as text, or rename the "
                "columns of X"
            )
        return int(feature)

    def _hint(self, feature: Any) -> str:
        """That a number is a name, which must be given as text."""
        is_name = self._numbers is not None and _is_number(feature) and feature in self._numbers
        return f". A name that is a number must be given as text: {str(feature)!r}" * is_name

    def show(self, places: IndexArray) -> str:
        """Features for a message."""
        names = self._names
        shown = listed(str(place) if names is None else names[place] for place in places)
        return f"{'feature' if len(places) == 1 else 'features'} {shown}"

    def mark(self, rule: str, features: Any) -> NDArray[np.bool_]:
        """Which features are listed; a mask is taken as it is."""
        marked = np.zeros(self._count, dtype=bool)
        if features is None:
            return marked
        refuse_masked(rule, features)
        try:
            given = [features] if isinstance(features, str) else list(features)
        except TypeError:  # one feature, or nothing that could be one
            given = [features]
        if given and all(isinstance(one, (bool, np.bool_)) for one in given):
            named = self._read_index(rule, features)
            if named is not None:
                marked[[place for place, is_in in named.items() if is_in]] = True
                return marked
            mask = np.array(given)
            self._check_length(rule, mask, "mask")
            return mask
        for feature in given:
            marked[self.find(rule, feature)] = True
        return marked

    def numbers(self, rule: str, values: Any, default: float) -> FloatArray:
        """One number per feature; what a double cannot hold is refused."""
        refuse_masked(rule, values)
        named = self._read_index(rule, values)
        if isinstance(values, Mapping):
            named = self._find_each(rule, list(values), values.values())
        if named is not None:
            found = np.full(self._count, default)
            for place, value in named.items():
                found[place] = as_double(rule, value)
            return found
        if np.ndim(as_objects(values)) == 0:
            return np.full(self._count, as_double(rule, values))
        array = as_objects(values)
        if array.ndim > 1:
            self._check_length(rule, array, "array")
        if array.dtype != np.float64:
            array = np.array([as_double(rule, value) for value in array], dtype=np.float64)
        self._check_length(rule, array, "array")
        return array.copy()

    def signs(self, values: Any) -> NDArray[np.int8]:
        signs = self.numbers("signs", values, 0.0)
        if not np.isin(signs, (-1.0, 0.0, 1.0)).all():
            raise ValueError(
                "signs must be 1 (higher in the second class), -1 (lower) or 0 (either); got "
                f"{signs[~np.isin(signs, (-1.0, 0.0, 1.0))][0]:g}"
            )
        return signs.astype(np.int8)

    def groups(self, groups: Any) -> IndexArray:
        """Numbers of the groups, -1 for none."""
        if isinstance(groups, Mapping):
            found = np.full(self._count, -1, dtype=np.intp)
            for number, (group, members) in enumerate(groups.items()):
                rule = f"feature_groups[{group!r}]"
                places = np.flatnonzero(self.mark(rule, members))
                twice = places[found[places] >= 0]
                if len(twice):
                    raise ValueError(
                        f"feature_groups has {self.show(twice)} in two groups: each may be in "
                        "one at most"
                    )
                found[places] = number
            return found
        refuse_masked("feature_groups", groups)
        named = self._read_index("feature_groups", groups)
        if named is not None:
            groups = [named.get(place) for place in range(self._count)]
        try:
            labels = list(groups)
            for label in labels:
                hash(label)
        except TypeError:
            raise ValueError(
                "feature_groups must be one label (text or number) per feature, None for no group, "
                f"or a dict of lists of features; got {cut(repr(groups))}"
            ) from None
        self._check_length("feature_groups", np.empty(len(labels)), "list of labels")
        numbers: dict[Any, int] = {}
        return np.array(
            [-1 if _is_missing(one) else numbers.setdefault(one, len(numbers)) for one in labels],
            dtype=np.intp,
        )

    def _read_index(self, rule: str, values: Any) -> dict[int, Any] | None:
        """Values by place, of a Series whose index names features; None of anything else.

        An index that only counts is none.
        """
        if not hasattr(values, "to_dict") or getattr(values, "ndim", 0) != 1:
            return None
        labels = list(values.index)
        if self._numbers is None and labels == list(range(self._count)):
            return None
        # As their own type holds them: 0.1 of single precision is no double.
        return self._find_each(rule, labels, values.to_numpy())

    def _find_each(self, rule: str, features: list[Any], values: Iterable[Any]) -> dict[int, Any]:
        """Values by place; a feature may be named once, by name or number."""
        found: dict[int, Any] = {}
        for feature, value in zip(features, values, strict=True):
            place = self.find(rule, feature)
            if place in found:
                raise ValueError(f"{rule} has {self.show(np.array([place]))} twice")
            found[place] = value
        return found

    def _check_length(self, rule: str, array: NDArray[Any], kind: str) -> None:
        if array.shape != (self._count,):
            raise ValueError(
                f"{rule}: {kind} of shape {array.shape}, but X has "
                f"{counted(self._count, 'feature')}: give one entry for each"
            )


def _is_number(name: Any) -> bool:
    return isinstance(name, Real) and not isinstance(name, (bool, np.bool_))


def _is_missing(label: Any) -> bool:
    """None, NaN (also that of pandas) or an empty text: in no group."""
    if label is None or repr(label) == "<NA>":
        return True
    return bool(label == "" or label != label)
