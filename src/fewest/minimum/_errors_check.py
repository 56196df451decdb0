"""Check results that allow errors, in exact arithmetic and without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.rules import Rules
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._errors_general import GeneralSearch
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._hitting import find_hitting_set, pack_samples
from fewest.minimum._leaves import RuledOut, Separation, Signs
from fewest.minimum._threads import limit_threads

if TYPE_CHECKING:
    from fewest.minimum._result import MinimumResult


def proofs_hold(
    proofs: Iterable[Separation | RuledOut],
    X: FloatArray,
    y: NDArray[Any],
    signs: Signs | None = None,
) -> bool:
    """Whether proofs name columns and samples that exist, and hold."""
    for proof in proofs:
        samples = proof.samples if isinstance(proof, RuledOut) else proof.wrong
        inside = all(0 <= column < X.shape[1] for column in proof.columns)
        if not inside or not all(0 <= sample < len(X) for sample in samples):
            return False
        if not proof.holds(X, y, signs):
            return False
    return True


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
    """No set of `size` features up to a price `limit` leaves `most` samples wrong, or fewer."""

    size: int
    most: int
    limit: float = np.inf

    def tell_limit(self) -> float:
        """The price up to which there is no such set."""
        return self.limit


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
            if claim.most < search.floor or search.cheapest[claim.size] > claim.limit:
                continue
            if not search.run(claim.size, claim.most, lambda _: False, claim.tell_limit):
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


def minimum_holds(result: MinimumResult, X: FloatArray, y: IndexArray, *, search: bool) -> bool:
    """Whether what a result without rules claims follows from its proofs, which are checked too."""
    most = result.max_errors
    if not proofs_hold([*result.separations, *result.ruled_out], X, y):
        return False
    everything = tuple(range(X.shape[1]))
    if not impossibility_holds(result, everything, len(y)):
        return False
    is_impossible = len(result.inseparable) > 0
    if result.size is None:
        return result.certified == is_impossible and not result.subsets
    consistent = (
        sets_hold(result, 0)
        and result.certified == (result.size == result.lower_bound)
        and result.lower_bound <= result.size
        and not is_impossible
    )
    if not consistent or not search:
        return consistent
    with limit_threads(1):
        if len(np.unique(y)) == 2:
            bounds = [(size, most + 1) for size in range(result.lower_bound)]
            return leaves_more_errors(X, y, bounds, result.ruled_out, 0)
        claims = [Claim(size, most) for size in range(result.lower_bound)]
        return nothing_within(X, y, None, claims, result.ruled_out)


def impossibility_holds(result: MinimumResult, everything: tuple[int, ...], n_samples: int) -> bool:
    """Whether vectors of all columns show that too many samples are wrong, if that is claimed."""
    of_all = [one for one in result.ruled_out if one.columns == everything]
    return not len(result.inseparable) or are_unmet(of_all, result.max_errors, n_samples)


def sets_hold(result: MinimumResult, n_included: int) -> bool:
    """Whether there are sets, the first has the size of the result, and few samples are wrong."""
    columns = [tuple(subset.tolist()) for subset in result.subsets]
    return (
        len(columns) > 0
        and columns == [one.columns for one in result.separations]
        and len(columns[0]) - n_included == result.size
        and all(len(set(one.wrong)) <= result.max_errors for one in result.separations)
    )
