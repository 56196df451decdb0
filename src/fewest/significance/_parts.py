"""Parts of the training samples of folds, each within the next, for learning curves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.held_out import Fold
from fewest._estimators.splits import Split, split_folds
from fewest._types import FloatArray, IndexArray
from fewest.significance._resampling import Units, find_strata

# A part has so many samples (or groups) of each class, and this share of them, at least.
_FEWEST, _SMALLEST_SHARE, _LARGEST_FIRST = 4, 0.2, 0.6
_MOST_ATTEMPTS = 50


def draw_folds(
    cv: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
    n_repeats: int,
    known: Sequence[Fold] | None,
) -> list[list[Split]]:
    """The folds of every repeat; the first ones may be known, and a splitter is used as it is."""
    is_number = cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool))
    first = None if known is None else [(fold.train, fold.test) for fold in known]
    if not is_number:
        return [first or split_folds(cv, y, groups)] * n_repeats
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* folds instead of")  # as in the first repeat
        drawn = [split_folds(cv, y, groups, random_state=rng) for _ in range(n_repeats)]
    return drawn if first is None else [first, *drawn[1:]]


def choose_shares(
    y: NDArray[Any], groups: NDArray[Any] | None, splits: list[Split], n_sizes: int
) -> FloatArray:
    """Shares of the training samples, up to all, at equal distances on a logarithmic scale."""
    least = min(
        len(units)
        for train, _ in splits
        for units in find_strata(y[train], None if groups is None else groups[train])
    )
    smallest = max(_SMALLEST_SHARE, _FEWEST / least)
    if smallest > _LARGEST_FIRST:
        unit = "samples" if groups is None else "groups"
        raise ValueError(
            f"a learning curve needs more {unit}: in a fold only {least} of a class (or of all, "
            "where a group holds several classes) are left to train with"
        )
    return np.geomspace(smallest, 1.0, n_sizes)


@dataclass(eq=False)
class Plan:
    """Training and test samples by repeat, fold and size; every share is one of the sizes."""

    shares: FloatArray
    folds: list[list[Split]]
    y: NDArray[Any]
    groups: NDArray[Any] | None
    rng: np.random.RandomState

    def __post_init__(self) -> None:
        self.parts: dict[tuple[int, int, int], Split] = {}
        for repeat, splits in enumerate(self.folds):
            for number, (train, test) in enumerate(splits):
                for size, rows in enumerate(self._draw_parts(train)):
                    self.parts[repeat, number, size] = (rows, test)

    def full_size(self) -> list[tuple[int, int, int]]:
        """Places of the fits to all training samples in the first repeat, fold by fold."""
        return [(0, number, len(self.shares) - 1) for number in range(len(self.folds[0]))]

    def _draw_parts(self, train: IndexArray) -> list[IndexArray]:
        """Parts of the training samples, each within the next, all of which hold all classes."""
        y = self.y[train]
        strata = find_strata(y, None if self.groups is None else self.groups[train])
        n_classes = len(np.unique(y))
        for _ in range(_MOST_ATTEMPTS):
            orders = [self.rng.permutation(len(units)) for units in strata]
            parts = [
                train[_take_first(strata, orders, share)] if share < 1.0 else train
                for share in self.shares
            ]
            if len(np.unique(self.y[parts[0]])) == n_classes:
                return parts
        raise ValueError(
            "a learning curve needs more groups: small parts of them do not hold all classes"
        )


def _take_first(strata: list[Units], orders: list[IndexArray], share: float) -> IndexArray:
    """The first units of every stratum, in increasing order of their rows."""
    taken = [
        np.atleast_1d(units[place])
        for units, order in zip(strata, orders, strict=True)
        for place in order[: max(1, round(share * len(units)))]
    ]
    return np.sort(np.concatenate(taken))
