"""Checking a result without the solver that made it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._types import FloatArray
from fewest.minimum._bits import SignedBits
from fewest.minimum._clock import Clock
from fewest.minimum._data import check_data
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._pairs import scan_pairs
from fewest.minimum._result import MinimumResult
from fewest.minimum._search import CoverSearch
from fewest.minimum._singles import separating_columns
from fewest.minimum._threads import limit_threads
from fewest.minimum._twins import Twins


class _UnprovenError(Exception):
    """A set passes all rows, and no Farkas vector rules it out."""


def verify_result(result: MinimumResult, X: Any, y: ArrayLike, *, search: bool) -> bool:
    """Whether the proofs of a result hold for these data; see `MinimumResult.verify`."""
    X, labels = check_data(X, y)
    if X.shape[1] != result.n_features:
        return False
    proofs: list[Separation | RuledOut] = [*result.separations, *result.ruled_out]
    if not all(proof.holds(X, labels) for proof in proofs):
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
    with limit_threads(1):
        return _nothing_below(result, X, labels)


def _nothing_below(result: MinimumResult, X: FloatArray, y: FloatArray) -> bool:
    """Whether a second search finds no set below the lower bound."""
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
            cover.run(size, Clock(), bool)  # no set is ever found: they are refused before
    except _UnprovenError:
        return False
    return True


def _no_pair(result: MinimumResult, X: FloatArray, y: FloatArray, bits: SignedBits) -> bool:
    """Whether no pair separates; those that rounding leaves open must have a Farkas vector."""
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
