"""Check results that allow errors, in exact arithmetic and without a solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._hitting import find_hitting_set, pack_samples
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._threads import limit_threads

if TYPE_CHECKING:
    from fewest.minimum._result import MinimumResult


def require_two_classes(classes: NDArray[Any], name: str) -> None:
    """Refuse more than two classes."""
    if len(classes) > 2:
        raise ValueError(
            f"{name} counts errors of two classes only, and y has {len(classes)}: keep the samples "
            "of two classes, or join classes"
        )


def proofs_hold(proofs: Iterable[Separation | RuledOut], X: FloatArray, y: NDArray[Any]) -> bool:
    """Whether proofs name columns and samples that exist, and hold."""
    for proof in proofs:
        samples = proof.samples if isinstance(proof, RuledOut) else proof.wrong
        inside = all(0 <= column < X.shape[1] for column in proof.columns)
        if not inside or not all(0 <= sample < len(X) for sample in samples):
            return False
        if not proof.holds(X, y):
            return False
    return True


class _UnprovenError(Exception):
    """Nothing given rules this set out."""


class _SearchWithoutSolver(ErrorSearch):
    """What is not ruled out by the given vectors is refused."""

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
    try:
        return all(_leave_more(search, size, errors - 1) for size, errors in claims)
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
    """Whether what a result claims follows from its proofs, which are checked too."""
    most = result.max_errors
    if len(np.unique(y)) != 2:
        return False
    if not proofs_hold([*result.separations, *result.ruled_out], X, y):
        return False
    everything = tuple(range(X.shape[1]))
    of_all = [one for one in result.ruled_out if one.columns == everything]
    is_impossible = len(result.inseparable) > 0
    if is_impossible and not are_unmet(of_all, most, len(y)):
        return False
    if result.size is None:
        return result.certified == is_impossible and not result.subsets
    columns = [tuple(subset.tolist()) for subset in result.subsets]
    consistent = (
        len(columns) > 0
        and columns == [one.columns for one in result.separations]
        and all(len(one.columns) == result.size for one in result.separations)
        and all(len(set(one.wrong)) <= most for one in result.separations)
        and result.certified == (result.size == result.lower_bound)
        and result.lower_bound <= result.size
        and not is_impossible
    )
    if not consistent or not search:
        return consistent
    claims = [(size, most + 1) for size in range(result.lower_bound)]
    with limit_threads(1):
        return leaves_more_errors(X, y, claims, result.ruled_out, 0)
