"""Checking a result without the solver that made it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray
from fewest.minimum.bits import SignedBits
from fewest.minimum.clock import Clock
from fewest.minimum.data import checked_data
from fewest.minimum.leaves import RuledOut, Separation
from fewest.minimum.pairs import scan_pairs
from fewest.minimum.result import MinimumResult
from fewest.minimum.search import CoverSearch
from fewest.minimum.singles import separating_columns
from fewest.minimum.threads import threads
from fewest.minimum.twins import Twins


class _UnprovenError(Exception):
    """A set passes all rows, and no vector rules it out."""


def verified(result: MinimumResult, X: Any, y: ArrayLike, *, search: bool) -> bool:
    """Whether the proofs of a result hold for these data; see `MinimumResult.verify`."""
    X, labels = checked_data(X, y)
    if X.shape[1] != result.n_features:
        return False
    if not all(one.holds(X, labels) for one in (*result.separations, *result.ruled_out)):
        return False
    everything = tuple(range(result.n_features))
    if result.size is None:
        return not result.certified or any(leaf.columns == everything for leaf in result.ruled_out)
    consistent = (
        all(len(one.columns) == result.size for one in result.separations)
        and len(result.separations) == len(result.subsets) > 0
        and result.certified == (result.size == result.lower_bound)
    )
    if not consistent or not search:
        return consistent
    with threads(1):
        return _nothing_below(result, X, labels)


def _nothing_below(result: MinimumResult, X: FloatArray, y: FloatArray) -> bool:
    """Search all sizes below the lower bound once more."""
    if result.lower_bound < 2:
        return True
    firsts = Twins(X).firsts
    if separating_columns(X, y, firsts):
        return False
    if result.lower_bound < 3:
        return True
    bits = SignedBits(X, y, firsts)
    if not _no_pair(result, X, y, bits):
        return False
    if result.lower_bound < 4:
        return True
    cover = CoverSearch(X, y, bits, settler=_refuse)
    cover.add(result.ruled_out)
    try:
        for size in range(3, result.lower_bound):
            cover.run(size, Clock(), _stop)
    except _UnprovenError:
        return False
    return True


def _no_pair(result: MinimumResult, X: FloatArray, y: FloatArray, bits: SignedBits) -> bool:
    """No pair separates; those that rounding leaves open must have a Farkas vector."""
    known = {leaf.columns for leaf in result.ruled_out}
    ones = np.ones(bits.n_signed, dtype=np.int64)
    for batch in scan_pairs(X, y, bits, ones, room=1):
        if batch.n_separating:
            return False
        for pair in batch.uncertain:
            if tuple(sorted(bits.columns[pair].tolist())) not in known:
                return False
    return True


def _refuse(X: FloatArray, y: FloatArray, columns: Iterable[int]) -> Separation | RuledOut:
    raise _UnprovenError(tuple(columns))


def _stop(separation: Separation) -> bool:
    raise _UnprovenError(separation.columns)
