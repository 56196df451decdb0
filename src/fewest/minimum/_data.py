"""Data as the search needs them, and what single columns and samples show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_X_y

from fewest._estimators.exact import refuse_masked, refuse_rounding
from fewest._estimators.rules import Rules, read_rules
from fewest._estimators.validation import encode_classes, encode_two_classes
from fewest._sparse import check_sparse
from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import pair_classes
from fewest.minimum._clock import stop_when_over
from fewest.minimum._leaves import Separation

_LARGEST = 1e100  # products of larger values may overflow
_BLOCK_WIDTH = 1024
_MOST_CLASSES = 300  # every two of them have a hyperplane of their own


def check_data(
    X: Any, y: ArrayLike, name: str = "minimum_features"
) -> tuple[FloatArray, NDArray[Any], IndexArray]:
    """X in doubles, column by column, the classes, and the place of each label among them.

    X is copied unless it is like that already: the search reads single columns all the time.
    """
    check_sparse(X, "X")
    refuse_masked("X", X)
    refuse_masked("y", y)
    refuse_rounding(X)
    X, y = check_X_y(X, y, accept_sparse=True, dtype=np.float64, order="F", ensure_min_samples=2)
    if sparse.issparse(X):
        X = X.toarray(order="F")
    classes, codes = encode_classes(name, y)
    if len(classes) > _MOST_CLASSES:
        raise ValueError(
            f"{name} tells up to {_MOST_CLASSES} classes apart, two by two, but y has "
            f"{len(classes):,}: is it a number rather than a label? Divide numbers into a few "
            "ranges, for example with numpy.digitize"
        )
    if np.abs(X).max() > _LARGEST:
        raise ValueError(f"X holds values above {_LARGEST:g}: rescale them")
    return X, classes, codes


def read_rules_of(X: Any, **rules: Any) -> Rules | None:
    """The rules about the columns of X, which may have names; None if there are none."""
    if np.ndim(X) != 2:
        return None  # what is wrong with it is said elsewhere
    return read_rules(np.shape(X)[1], getattr(X, "columns", None), **rules)


def read_names(X: Any) -> tuple[str, ...] | None:
    """Names of the columns of a data frame; None of anything else."""
    names = getattr(X, "columns", None)
    return None if names is None else tuple(map(str, names))


def check_two_classes(X: Any, y: ArrayLike, name: str) -> tuple[FloatArray, FloatArray]:
    """X as above, and +1 (the second class in sorted order) or -1."""
    X, _, codes = check_data(X, y, name)
    encode_two_classes(name, y)
    return X, np.where(codes == 1, 1.0, -1.0)


class Twins:
    """The first of every group of equal columns, and the others of the group.

    Only the first ones are searched: a smallest set never holds two columns of one group, and each
    can replace the other. Constant columns belong to no group. Under rules, columns of one group
    are of one kind (-1: not searched at all), and their weights may have the same signs.
    """

    def __init__(
        self,
        X: FloatArray,
        kinds: IndexArray | None = None,
        signs: NDArray[np.int8] | None = None,
    ) -> None:
        groups: dict[tuple[bytes, int, int], list[int]] = {}
        for start in range(0, X.shape[1], _BLOCK_WIDTH):
            stop_when_over()
            block = X[:, start : start + _BLOCK_WIDTH].T.copy(order="C")
            varies = np.any(block != block[:, :1], axis=1)
            first = np.argmax(block != 0.0, axis=1)
            turned = np.sign(block[np.arange(len(block)), first])
            block *= turned[:, None]
            block += 0.0  # makes one of the two zeros
            for place in np.flatnonzero(varies):
                column = start + int(place)
                kind = 0 if kinds is None else int(kinds[column])
                if kind >= 0:
                    sign = 0 if signs is None else int(signs[column] * turned[place])
                    groups.setdefault((block[place].tobytes(), kind, sign), []).append(column)
        self._members = {group[0]: group for group in groups.values()}
        self._first = {member: group[0] for group in groups.values() for member in group}
        self.firsts: IndexArray = np.array(sorted(self._members), dtype=np.intp)

    def copies(self, column: int) -> int:
        """How many columns equal this one, itself included."""
        return len(self._members[column])

    def leaders(self, columns: Iterable[int]) -> tuple[int, ...]:
        """The first column of each group that these columns belong to."""
        return tuple(sorted({self._first[int(column)] for column in columns}))

    def replace_by_first(self, columns: Iterable[int]) -> tuple[int, ...]:
        """The same, with columns that are not searched as they are."""
        return tuple(sorted({self._first.get(int(column), int(column)) for column in columns}))

    def count_equal(self, columns: Iterable[int], fixed: Collection[int] = ()) -> int:
        """How many sets arise when columns are replaced by their equals, but for `fixed` ones."""
        return prod(len(self._equals(column, fixed)) for column in columns)

    def expand(
        self, columns: Iterable[int], fixed: Collection[int] = ()
    ) -> Iterator[tuple[int, ...]]:
        """These sets, one by one: a thousand copies of each of three columns make a billion."""
        return product(*(self._equals(column, fixed) for column in columns))

    def _equals(self, column: int, fixed: Collection[int]) -> list[int]:
        if column in fixed or column not in self._first:
            return [column]
        return self._members[self._first[column]]


def conflicting_samples(X: FloatArray, y: NDArray[Any]) -> list[tuple[int, int]]:
    """Samples of two classes that are equal in every column: one such pair per pair of classes.

    The sample of the second class comes first.
    """
    seen: dict[bytes, dict[Any, int]] = {}
    for i, label in enumerate(y.tolist()):
        stop_when_over()
        seen.setdefault((X[i] + 0.0).tobytes(), {}).setdefault(label, i)
    found: dict[tuple[Any, Any], tuple[int, int]] = {}
    for samples in seen.values():
        for first, second in combinations(sorted(samples), 2):
            found.setdefault((first, second), (samples[second], samples[first]))
    return [found[labels] for labels in sorted(found)]


def separating_columns(X: FloatArray, y: NDArray[Any], columns: IndexArray) -> list[Separation]:
    """Columns on which the values of no two classes overlap."""
    found, pairs = [], pair_classes(y)
    for start in range(0, len(columns), _BLOCK_WIDTH):
        stop_when_over()
        block = columns[start : start + _BLOCK_WIDTH]
        signs = np.zeros((len(pairs), len(block)), dtype=int)
        for pair in pairs:
            plus, minus = X[np.ix_(pair.positive, block)], X[np.ix_(pair.negative, block)]
            rising = plus.min(axis=0) > minus.max(axis=0)
            falling = plus.max(axis=0) < minus.min(axis=0)
            signs[pair.place] = rising.astype(int) - falling
        for place in np.flatnonzero(np.all(signs != 0, axis=0)):
            weights = tuple((sign,) for sign in signs[:, place].tolist())
            found.append(Separation((int(block[place]),), weights))
    return sorted(found, key=lambda one: one.columns)


def replace_columns(X: FloatArray, separation: Separation, columns: tuple[int, ...]) -> Separation:
    """The set with equal columns in place of its own; weights change signs with them."""
    signs = [
        1 if np.array_equal(X[:, old], X[:, new]) else -1
        for old, new in zip(separation.columns, columns, strict=True)
    ]
    order = sorted(range(len(columns)), key=lambda place: columns[place])
    return replace(
        separation,
        columns=tuple(columns[place] for place in order),
        weights=tuple(
            tuple(signs[place] * weights[place] for place in order)
            for weights in separation.weights
        ),
    )


def drop_unused(separation: Separation, kept: Collection[int] = ()) -> Separation:
    """The set without columns that have no weight, but for some that are always in."""
    weights = separation.weights
    places = [
        place
        for place, column in enumerate(separation.columns)
        if column in kept or any(one[place] for one in weights)
    ]
    return replace(
        separation,
        columns=tuple(separation.columns[place] for place in places),
        weights=tuple(tuple(one[place] for place in places) for one in weights),
    )


def add_columns(separation: Separation, columns: Iterable[int]) -> Separation:
    """The set with further columns, which have no weight."""
    missing = sorted(set(columns) - set(separation.columns))
    joined = (*separation.columns, *missing)
    order = np.argsort(joined)
    return replace(
        separation,
        columns=tuple(int(joined[place]) for place in order),
        weights=tuple(
            tuple((*weights, *(0 for _ in missing))[place] for place in order)
            for weights in separation.weights
        ),
    )
