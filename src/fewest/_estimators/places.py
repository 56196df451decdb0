"""From what users call features to their places, and what a rule says of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed, near, quoted


class Places:
    """From what users call features to their places."""

    def __init__(self, n_features: int, names: Sequence[str] | NDArray[Any] | None) -> None:
        self._count = n_features
        self._names = None if names is None else [str(name) for name in names]
        self._of_name = (
            {} if self._names is None else dict(zip(self._names, range(n_features), strict=True))
        )

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
            return self._of_name[feature]
        is_whole = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
        if not is_whole or not 0 <= feature < self._count:
            raise ValueError(
                f"{rule} has {feature!r}; it must be a name, or the number of a column, "
                f"0 to {self._count - 1}"
            )
        return int(feature)

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
        if isinstance(features, (str, int, np.integer)):
            features = [features]
        array = np.asarray(features)
        if array.dtype == bool:
            self._check_length(rule, array, "mask")
            return array.copy()
        for feature in array.tolist() if array.dtype.kind in "iu" else list(features):
            marked[self.find(rule, feature)] = True
        return marked

    def numbers(self, rule: str, values: Any, default: float) -> FloatArray:
        """One number per feature."""
        if isinstance(values, Mapping):
            found = np.full(self._count, default)
            for feature, value in values.items():
                found[self.find(rule, feature)] = _as_number(rule, value)
            return found
        if np.ndim(values) == 0:
            return np.full(self._count, _as_number(rule, values))
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{rule} must hold numbers: one per feature, or a dict of features"
            ) from None
        self._check_length(rule, array, "array")
        return array

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
        labels = list(groups)
        self._check_length("feature_groups", np.empty(len(labels)), "list of labels")
        numbers: dict[Any, int] = {}
        return np.array(
            [-1 if _is_missing(one) else numbers.setdefault(one, len(numbers)) for one in labels],
            dtype=np.intp,
        )

    def _check_length(self, rule: str, array: NDArray[Any], kind: str) -> None:
        if array.shape != (self._count,):
            raise ValueError(
                f"{rule}: {kind} of shape {array.shape}, but X has "
                f"{counted(self._count, 'feature')}: give one entry for each"
            )


def _as_number(rule: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{rule} must hold numbers; got {value!r}") from None


def _is_missing(label: Any) -> bool:
    """None, NaN or an empty text: in no group."""
    return label is None or label == "" or label != label
