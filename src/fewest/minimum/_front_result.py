"""What the search for the fewest errors with each number of features returns, and its check."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.rules import Rules
from fewest._estimators.validation import check_positive
from fewest._showing import Shown, list_shortly
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed
from fewest.minimum._claims import (
    Verification,
    are_counts,
    find_idle,
    list_unchecked,
    names_hold,
    proofs_hold,
    sets_are_proven,
)
from fewest.minimum._data import check_data, read_names
from fewest.minimum._errors_check import Claim, leaves_more_errors, nothing_within
from fewest.minimum._errors_general import compare_samples
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._result import name_columns
from fewest.minimum._ruled_proofs import are_sound, follows
from fewest.minimum._threads import limit_threads


@dataclass(frozen=True, eq=False, repr=False)
class FrontPoint(Shown):
    """The fewest known errors with at most `size` features.

    Attributes
    ----------
    size : int
        Number of features that are allowed.
    errors : int
        Samples that the best known set misclassifies.
    lower_bound : int
        Proven: no set of `size` features misclassifies fewer samples.
    subsets : tuple of int arrays
        Sets of columns that misclassify `errors` samples. They are smaller than `size` if a
        further feature is not known to help.
    complete : bool
        Whether these are all sets of their size that do.
    seconds : float
        Wall-clock time that this size took.
    separations : tuple of Separation
        The subsets with whole-number weights, and the samples that these misclassify.
    """

    size: int
    errors: int
    lower_bound: int
    subsets: tuple[IndexArray, ...]
    complete: bool
    seconds: float
    separations: tuple[Separation, ...] = field(repr=False)

    @property
    def proven(self) -> bool:
        """Whether `errors` is the minimum."""
        return self.errors == self.lower_bound


@dataclass(frozen=True, eq=False, repr=False)
class ZeroNormOptimum(Shown):
    """The smallest known ``|w|_0 + C * errors``, with its lower bound; see `ErrorFront`."""

    C: float
    value: float
    lower_bound: float
    size: int
    errors: int
    subset: IndexArray

    @property
    def proven(self) -> bool:
        """Whether `value` is the minimum."""
        return self.value <= self.lower_bound


@dataclass(frozen=True, eq=False, repr=False)
class ErrorFront(Shown):
    """The fewest training errors for each number of features; see `error_front`.

    Attributes
    ----------
    points : tuple of FrontPoint
        For 0, 1, ... features.
    floor : int
        Errors that any set of features leaves: the number of disjoint pairs of equal samples
        that belong to different classes; 0 where time was up before they were counted.
    seconds : float
        Wall-clock time.
    n_samples, n_features : int
        Shape of the data.
    ruled_out : tuple of RuledOut
        Farkas vectors of sets that passed all tests on bits.
    rules : Rules or None
        The rules about features, as they were read. Included features are in all
        subsets; `size` does not count them.
    feature_names : tuple of str or None
        Names of all columns, if X had any.
    names : tuple of tuples of str
        The first set of every point by name; numbers of columns as text, if X had no names.
    """

    report_kind = "error_front"  # as which `fewest.report` takes it
    points: tuple[FrontPoint, ...]
    floor: int
    seconds: float
    n_samples: int
    n_features: int
    ruled_out: tuple[RuledOut, ...] = field(repr=False)
    rules: Rules | None = field(default=None, repr=False)
    feature_names: tuple[str, ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        list_shortly(self, "points", "ruled_out")

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(name_columns(point.subsets[0], self.feature_names) for point in self.points)

    def _headline(self) -> str:
        largest = self.points[-1].size
        return f"fewest training errors of 0 to {counted(largest, 'feature')}"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            (
                counted(point.size, "feature"),
                f"{counted(point.errors, 'error')}"
                f"{'' if point.proven else f', at least {point.lower_bound}'}"
                f"{': ' if names else ''}{listed(names, 8)}",
            )
            for point, names in zip(self.points, self.names, strict=True)
        ]

    @property
    def n_included(self) -> int:
        """How many features are always in."""
        return 0 if self.rules is None else self.rules.n_included

    @property
    def errors(self) -> IndexArray:
        """The fewest known errors for 0, 1, ... features."""
        return np.array([point.errors for point in self.points], dtype=np.intp)

    @property
    def lower_bounds(self) -> IndexArray:
        """Proven lower bounds of the errors for 0, 1, ... features."""
        return np.array([point.lower_bound for point in self.points], dtype=np.intp)

    @property
    def proven(self) -> bool:
        """Whether all of the front is proven."""
        return all(point.proven for point in self.points)

    def optimum(self, C: float) -> ZeroNormOptimum:
        r"""Find the smallest :math:`\|w\|_0 + C \cdot \text{errors}` of any hyperplane.

        Parameters
        ----------
        C : float
            Price of an error, in features.

        Returns
        -------
        ZeroNormOptimum
            With `value`, `lower_bound`, `proven`, `size`, `errors` and `subset`. The bound also
            covers hyperplanes with more features than the front has.
        """
        check_positive("C", C)
        sizes = [len(point.subsets[0]) - self.n_included for point in self.points]
        price = Fraction(float(C))  # sums of doubles could lose the features beside the errors
        values = [
            size + price * point.errors for size, point in zip(sizes, self.points, strict=True)
        ]
        bounds = [point.size + price * point.lower_bound for point in self.points]
        if len(self.points) <= self.n_features:
            bounds.append(len(self.points) + price * self.floor)
        best = min(values)
        place = values.index(best)
        point = self.points[place]
        shown, bound = _show(best), _show(min(bounds))
        if min(bounds) < best:
            bound = min(bound, nextafter(shown, 0.0))
        return ZeroNormOptimum(float(C), shown, bound, sizes[place], point.errors, point.subsets[0])

    def verify(self, X: Any, y: ArrayLike, *, search: bool = False) -> Verification:
        """Check the proofs against the data, in exact arithmetic and without a solver.

        Sets, errors, bounds and `floor` must agree with them.

        Parameters
        ----------
        X, y : arrays
            The data that the front is for.
        search : bool, default=False
            Also repeat the search below the lower bounds, with the Farkas vectors as given and no
            linear program.

        Returns
        -------
        Verification
            True or false in an `if`: whether all that was checked holds. Its `unchecked` names
            what was not.
        """
        values, _, codes = check_data(X, y, "error_front")
        holds = names_hold(self.feature_names, X) and self._holds(values, codes, search=search)
        return Verification(
            holds, list_unchecked(self, read_names(X), search=search, counted=False)
        )

    def _holds(self, X: FloatArray, codes: IndexArray, *, search: bool) -> bool:
        if X.shape != (self.n_samples, self.n_features) or not self.points:
            return False
        rules = self.rules
        if rules is not None and not are_sound(rules, self.n_features):
            return False
        allowed = X if rules is None else X[:, ~rules.excluded]
        if not floor_holds(self, allowed, codes):
            return False
        signs = None if rules is None else rules.weight_signs
        proofs = [one for point in self.points for one in point.separations]
        if not proofs_hold([*proofs, *self.ruled_out], X, codes, signs):
            return False
        if rules is not None and not all(
            follows(rules, np.array(one.columns, dtype=np.intp)) for one in proofs
        ):
            return False
        for size, point in enumerate(self.points):
            sets = [one.columns for one in point.separations]
            if (
                point.size != size
                or not sets
                or not sets_are_proven(point.subsets, point.separations)
                or any(len(one) - self.n_included > size for one in sets)
                or any(len(one.wrong) != point.errors for one in point.separations)
                or not are_counts(point.lower_bound)
                or not self.floor <= point.lower_bound <= point.errors
                or any(self._wastes(one, point.errors) for one in point.separations)
            ):
                return False
        if not search:
            return True
        with limit_threads(1):
            if rules is None and codes.max() == 1:
                bounds = [(point.size, point.lower_bound) for point in self.points]
                return leaves_more_errors(X, codes, bounds, self.ruled_out, self.floor)
            return nothing_within(X, codes, rules, self._list_claims(), self.ruled_out, self.floor)

    def _list_claims(self) -> list[Claim]:
        """What the bounds say of sets of each size.

        Every small set is part of larger ones, unless only one of a group may be in: then the
        search for larger ones says nothing of it.
        """
        is_alone = self.rules is not None and self.rules.one_per_group
        return [
            Claim(size, point.lower_bound - 1)
            for point in self.points
            for size in range(0 if is_alone else point.size, point.size + 1)
        ]

    def _wastes(self, one: Separation, errors: int) -> bool:
        """Whether fewer of its columns leave as few errors, where that is said to be impossible."""
        included = set() if self.rules is None else set(np.flatnonzero(self.rules.included))
        idle = len([column for column in find_idle(one) if column not in included])
        size = len(one.columns) - self.n_included - idle
        return idle > 0 and self.points[size].lower_bound > errors


def floor_holds(front: Any, X: FloatArray, codes: IndexArray) -> bool:
    """Whether so many errors are left by all columns, or zero where that was not counted."""
    if front.floor == 0 and not front.proven:
        return True
    return bool(front.floor == compare_samples(X, codes)[1])


def _show(value: Fraction) -> float:
    """The nearest double; infinite beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return inf
