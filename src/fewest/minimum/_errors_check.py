"""Check results that allow errors, in exact arithmetic and without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._errors_general import GeneralSearch
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._hitting import find_hitting_set, pack_samples
from fewest.minimum._leaves import RuledOut

if TYPE_CHECKING:
    from fewest.minimum._result import MinimumResult


class _UnprovenError(Exception):
    """Nothing given rules this set out."""


class _SearchWithoutSolver(ErrorSearch):
    """What is not ruled out by the given vectors is refused."""

    def _settle_set(self, columns: tuple[int, ...], most: int) -> list[RuledOut]:
        return self.settle(columns, most)

    def settle(
        self, columns: tuple[int, ...], most: int, *, patient: bool = False
    ) -> list[RuledOut]:
        vectors = self.pool.of_columns(columns)
        if not are_unmet(vectors, most, len(self.y)):
            raise _UnprovenError(columns)
        return vectors

    def _count_slowly(self, columns: tuple[int, ...]) -> int:
        """At least so many errors, by the given vectors."""
        vectors = self.pool.of_columns(columns)
        most = 0
        while are_unmet(vectors, most, len(self.y)):
            most += 1
        return most


class _GeneralWithoutSolver(_SearchWithoutSolver, GeneralSearch):
    """The same under rules, or for many classes."""


@dataclass(frozen=True)
class Claim:
    """No set of `size` features and up to `limit` units leaves `most` samples wrong, or fewer."""

    size: int
    most: int
    limit: int | None = None


def nothing_within(
    X: FloatArray,
    y: IndexArray,
    rules: Rules | None,
    claims: Iterable[Claim],
    ruled_out: Sequence[RuledOut],
    floor: int = 0,
) -> bool:
    """Whether claims about sets that follow rules hold, by the given vectors and no solver."""
    search = _GeneralWithoutSolver(X, y, Clock(), rules=rules)
    if floor > search.floor:
        return False
    search.pool.add(ruled_out)
    largest = len(search.cheapest) - 1  # what is said of more features is said of all
    own = (replace(claim, size=min(claim.size, largest)) for claim in claims)
    try:
        for claim in dict.fromkeys(own):
            limit = search.prices.above_all if claim.limit is None else claim.limit
            if claim.most < search.floor or search.cheapest[claim.size] > limit:
                continue
            if not search.run(claim.size, claim.most, lambda _: False, partial(int, limit)):
                return False
    except _UnprovenError:
        return False
    return True


def are_unmet(vectors: Sequence[RuledOut], most: int, n_samples: int) -> bool:
    """Whether no `most` samples meet all vectors."""
    supports = [pack_samples(one.samples, n_samples) for one in vectors]
    table = np.array(supports, dtype=np.uint64).reshape(len(supports), -(-n_samples // 64))
    return find_hitting_set(table, most) is None


def leaves_more_errors(
    X: FloatArray,
    y: IndexArray,
    claims: Iterable[tuple[int, int]],
    ruled_out: Sequence[RuledOut],
    floor: int,
) -> bool:
    """Whether no set of a size leaves fewer errors than claimed, for pairs (size, errors)."""
    search = _SearchWithoutSolver(X, y, Clock())
    if floor > search.floor:
        return False
    search.pool.add(ruled_out)
    most = len(search.twins.firsts)  # columns that vary and differ: more of them do not exist
    try:
        return all(_leave_more(search, min(size, most), errors - 1) for size, errors in claims)
    except _UnprovenError:
        return False


def _leave_more(search: ErrorSearch, size: int, most: int) -> bool:
    """Whether all sets of up to a size leave more than `most` errors; smaller ones are known to."""
    if most < search.floor:
        return True
    if size == 0:
        return min(np.bincount(search.y).tolist()) > most
    if size == 1:
        return min(search.bits.errors.tolist(), default=most + 1) > most
    if size == 2:
        bounded = search.bound_pairs(most)
        if bounded is None or bounded[2] < most:
            return False
        counted = search.count_pairs(*bounded[:2])
        return all(counts.min() > most for _, _, counts in counted)
    return search.run(size, most, lambda _: False)


def sizes_hold(result: MinimumResult, n_samples: int) -> bool:
    """Whether what a result without rules says of sizes follows from its proofs, which hold."""
    if not impossibility_holds(result, tuple(range(result.n_features)), n_samples):
        return False
    if result.size is None:
        return result.certified == (len(result.inseparable) > 0)
    return (
        few_are_wrong(result)
        and all(len(one.columns) == result.size for one in result.separations)
        and result.certified == (result.size == result.lower_bound)
        and result.lower_bound <= result.size
    )


def nothing_below(result: MinimumResult, X: FloatArray, y: IndexArray) -> bool:
    """Whether no set without rules below the lower bound leaves few samples wrong."""
    most = result.max_errors
    if len(np.unique(y)) == 2:
        bounds = [(size, most + 1) for size in range(result.lower_bound)]
        return leaves_more_errors(X, y, bounds, result.ruled_out, 0)
    claims = [Claim(size, most) for size in range(result.lower_bound)]
    return nothing_within(X, y, None, claims, result.ruled_out)


def impossibility_holds(result: MinimumResult, everything: tuple[int, ...], n_samples: int) -> bool:
    """Whether vectors of all columns show that too many samples are wrong, if that is claimed."""
    of_all = [one for one in result.ruled_out if one.columns == everything]
    return not len(result.inseparable) or are_unmet(of_all, result.max_errors, n_samples)


def few_are_wrong(result: MinimumResult) -> bool:
    """Whether no set leaves more samples wrong than it may."""
    return all(len(one.wrong) <= result.max_errors for one in result.separations)
