"""What the search for the smallest set returns, and how to check it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from math import comb, log10
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._showing import Shown, list_shortly
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed
from fewest.minimum._bits import SignedBits
from fewest.minimum._claims import (
    Verification,
    count_again,
    find_idle,
    list_unchecked,
    margins_are_right,
    names_hold,
    names_inseparable,
    numbers_agree,
    proofs_hold,
    sets_are_proven,
)
from fewest.minimum._clock import Clock
from fewest.minimum._data import Twins, check_data, read_names, separating_columns
from fewest.minimum._errors_check import nothing_below, sizes_hold
from fewest.minimum._leaves import RuledOut, Separation, lift_columns
from fewest.minimum._pairs import scan_pairs
from fewest.minimum._search import CoverSearch, Tally
from fewest.minimum._threads import limit_threads

_MOST_SETS = 3  # that are named on the screen
_LONG = 10**12  # larger numbers are shown as powers of ten
_HEX_DIGIT = log10(16)


@dataclass(frozen=True)
class Step:
    """All sets of one size, and how they were ruled out.

    `n_sets` is how many there are (of columns that vary and differ), `n_tested` how many signed
    sets (from three on: nodes that stand for many) met the bit test one by one, `n_survivors` how
    many passed it, `n_settled` how many of these took a linear program or fractions, and `n_found`
    how many separate. `complete` is False where time or the number of solutions ended the step.
    """

    size: int
    n_sets: int
    n_tested: int
    n_survivors: int
    n_settled: int
    n_found: int
    complete: bool
    seconds: float

    @classmethod
    def describe(
        cls, size: int, n_columns: int, tally: Tally, n_found: int, *, complete: bool, began: float
    ) -> Step:
        """The search through all sets of a size that so many different columns make."""
        return cls(
            size=size,
            n_sets=comb(n_columns, size),
            n_tested=tally.nodes,
            n_survivors=tally.survivors,
            n_settled=tally.settled,
            n_found=n_found,
            complete=complete,
            seconds=perf_counter() - began,
        )


@dataclass(frozen=True, kw_only=True)
class PriceStep(Step):
    """All sets that cost no more than `price`; `size` is how many features they have at most."""

    price: float


@dataclass(frozen=True, eq=False, repr=False)
class MinimumResult(Shown):
    """The smallest separating sets, or how far the search got; see `minimum_features`.

    Attributes
    ----------
    size : int or None
        Number of features of the smallest known separating set. None: no set was found; if
        `certified`, none exists.
    lower_bound : int
        Proven: no set with fewer features separates all classes. One more than there are features
        if no set does.
    certified : bool
        The answer is proven: `size` equals `lower_bound`, or the classes cannot be separated.
    subsets : tuple of int arrays
        Sets of `size` columns, largest margin first.
    margins : array of float
        Their margins: half the distance between the classes' convex hulls, in standardised columns;
        with more than two classes, that of the nearest two.
    n_found : int
        How many sets of this size were found, including those beyond the number asked for.
    complete : bool
        Whether there are no others.
    searched : tuple of Step
        What was tested and ruled out, size by size.
    seconds : float
        Wall-clock time.
    separations : tuple of Separation
        The subsets with whole-number weights that prove them, for each pair of classes.
    ruled_out : tuple of RuledOut
        The sets that passed the bit test but do not separate some pair of classes, each with a
        Farkas vector in whole numbers.
    inseparable : array of shape (n_pairs, 2)
        Labels of the pairs of classes that no set of features separates, each proven by one of
        `ruled_out`; none if a set was found.
    n_features : int
        Number of columns of the data.
    max_errors : int
        How many samples a set may misclassify. If there are any, `separations` name them, margins
        are those of the other samples, and several Farkas vectors together rule out a set.
    feature_names : tuple of str or None
        Names of all columns, if X had any.
    names : tuple of tuples of str
        The subsets by name; numbers of columns as text, if X had no names.
    """

    report_kind = "minimum"  # as which `fewest.report` takes it
    size: int | None
    lower_bound: int
    certified: bool
    subsets: tuple[IndexArray, ...]
    margins: FloatArray
    n_found: int
    complete: bool
    searched: tuple[Step, ...]
    seconds: float
    n_features: int
    separations: tuple[Separation, ...] = field(repr=False)
    ruled_out: tuple[RuledOut, ...] = field(repr=False)
    inseparable: NDArray[Any]
    max_errors: int = 0
    feature_names: tuple[str, ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        list_shortly(self, "subsets", "searched", "separations", "ruled_out")

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(name_columns(subset, self.feature_names) for subset in self.subsets)

    def _headline(self) -> str:
        if self.size is None and self.certified:
            return "no set of features separates the classes (proven)"
        if self.size is None:
            return f"no set found; proven: at least {counted(self.lower_bound, 'feature')}"
        size = counted(self.size, "feature")
        if self.certified:
            return f"{size}, proven to be the fewest"
        return f"{size}; proven: at least {self.lower_bound}"

    def _facts(self) -> list[tuple[str, str]]:
        sets = zip(self.names, self.margins.tolist(), strict=False)
        facts = [
            ("set", f"{listed(names, 8)} (margin {margin:.3g})")
            for names, margin in islice(sets, _MOST_SETS)
        ]
        if self.subsets:
            known = "these are all" if self.complete else "there may be more"
            facts.append(("sets", f"{len(self.subsets)} of {self.n_found} found; {known}"))
        if self.max_errors:
            facts.append(("errors", f"at most {counted(self.max_errors, 'sample')} wrong"))
        if self.searched:
            n_sets, largest = sum(step.n_sets for step in self.searched), self.searched[-1].size
            count = f"{n_sets:,}" if n_sets < _LONG else f"10^{len(f'{n_sets:x}') * _HEX_DIGIT:.0f}"
            facts.append(("searched", f"{count} sets of up to {counted(largest, 'feature')}"))
        facts.append(("data", f"{self.n_features} columns"))
        return [*facts, ("seconds", f"{self.seconds:.3g}")]

    def verify(self, X: Any, y: ArrayLike, *, search: bool = False) -> Verification:
        """Check what the result claims against the data, in exact arithmetic and without a solver.

        Every returned set is shown to separate each pair of classes strictly, and every Farkas
        vector to rule out its set, with floats treated as exact fractions. Sets, sizes, bounds and
        numbers must agree with these proofs, and margins are computed again.

        Parameters
        ----------
        X, y : arrays
            The data that the result is for.
        search : bool, default=False
            Also repeat the search below `lower_bound`, with the Farkas vectors as given and no
            linear program: every set must fail on a pair of samples, in the plane, or on one of
            the vectors. If the result claims to know all sets of `size`, they are counted again by
            the search itself.

        Returns
        -------
        Verification
            True or false in an `if`: whether all that was checked holds. Its `unchecked` names
            what was not.
        """
        counted = self._is_counted_again(search=search)
        found = self._check(X, *check_data(X, y), search=search)
        left = list_unchecked(
            self,
            read_names(X),
            search=search or not self.lower_bound or len(self.inseparable) > 0,
            counted=counted or self.size is None,
            wrong=any(one.wrong for one in self.separations),
        )
        return Verification(found, left)

    def _is_counted_again(self, *, search: bool) -> bool:
        """Whether the search for all sets of this size is repeated, too."""
        return search and self.complete and self.size is not None

    def _check(
        self,
        given: Any,
        X: FloatArray,
        classes: NDArray[Any],
        codes: IndexArray,
        *,
        search: bool,
    ) -> bool:
        """Whether it holds for data, which are `given` in some form and with their names."""
        counted = self._is_counted_again(search=search)
        return (
            X.shape[1] == self.n_features
            and names_hold(self.feature_names, given)
            and numbers_agree(self)
            and sets_are_proven(self.subsets, self.separations)
            and self._proofs_hold(X, classes, codes, search=search)
            and (not counted or count_again(self, X, classes, codes))
        )

    def _proofs_hold(
        self, X: FloatArray, classes: NDArray[Any], codes: IndexArray, *, search: bool
    ) -> bool:
        if not proofs_hold([*self.separations, *self.ruled_out], X, codes):
            return False
        everything = tuple(range(self.n_features))
        if not names_inseparable(self, everything, classes, codes) or not self._is_measured(
            X, codes
        ):
            return False
        if not sizes_hold(self, len(codes)) or not search or len(self.inseparable):
            return sizes_hold(self, len(codes))
        with limit_threads(1):
            return (nothing_below if self.max_errors else _nothing_below)(self, X, codes)

    def _is_measured(self, X: FloatArray, codes: IndexArray) -> bool:
        """Whether margins are right and in order; no column of a smallest set may be idle."""
        if self.certified and any(find_idle(one) for one in self.separations):
            return False
        return margins_are_right(X, codes, self.margins, self.separations)


def name_columns(columns: IndexArray, names: tuple[str, ...] | None) -> tuple[str, ...]:
    """Names of these columns; their numbers, if there are no names."""
    return tuple(str(one) if names is None else names[one] for one in columns.tolist())


class UnprovenError(Exception):
    """A set passes all rows, and no Farkas vector rules it out."""


class _SearchWithoutSolver(CoverSearch):
    """What passes all rows of a pair of classes counts as separating it; nothing may pass all."""

    def separates(self, columns: tuple[int, ...], pair: int) -> bool:
        return self.may_separate(columns, [pair])

    def _report(self, columns: tuple[int, ...], missing: int) -> bool:
        raise UnprovenError(columns)


def _nothing_below(result: MinimumResult, X: FloatArray, y: IndexArray) -> bool:
    """Whether a second search finds no set below the lower bound."""
    firsts = Twins(X).firsts
    if result.lower_bound > 1 and separating_columns(X, y, firsts):
        return False
    if result.lower_bound < 3:
        return True
    bits = SignedBits(X, y, firsts)
    if not _no_pair(result, X, bits):
        return False
    if result.lower_bound < 4:
        return True
    cover = _SearchWithoutSolver(X, y, bits, list(result.ruled_out))
    try:
        for size in range(3, result.lower_bound):
            cover.run(size, Clock(), bool)  # no set is ever found: they are refused before
    except UnprovenError:
        return False
    return True


def _no_pair(result: MinimumResult, X: FloatArray, bits: SignedBits) -> bool:
    """Whether no pair separates; those that rounding leaves open must have a Farkas vector."""
    known = {leaf.columns for leaf in result.ruled_out}
    ones = np.ones(bits.n_signed, dtype=np.int64)
    for batch in scan_pairs(lift_columns(X)[0], bits, ones, room=1):
        open_pairs = (tuple(sorted(bits.columns[pair].tolist())) for pair in batch.uncertain)
        if batch.n_separating or not known.issuperset(open_pairs):
            return False
    return True
