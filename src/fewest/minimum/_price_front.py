"""The front of price and errors: what the search returns, and its check without a solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.rules import Rules
from fewest._showing import Shown, list_shortly
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed
from fewest.minimum._claims import (
    Verification,
    are_counts,
    list_unchecked,
    names_hold,
    proofs_hold,
    sets_are_proven,
)
from fewest.minimum._data import check_data, read_names
from fewest.minimum._errors_check import Claim, nothing_within
from fewest.minimum._front_result import floor_holds
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._prices import Prices
from fewest.minimum._result import name_columns
from fewest.minimum._ruled_proofs import are_sound, follows
from fewest.minimum._threads import limit_threads


@dataclass(frozen=True, eq=False, repr=False)
class PricePoint(Shown):
    """The lowest known price of a set that misclassifies at most `errors` samples.

    Attributes
    ----------
    price : float
        What the best known set costs.
    price_bound : float
        Proven: no set that leaves fewer errors than the point before costs less.
    errors : int
        Samples that the set misclassifies.
    subsets : tuple of int arrays
        The set, with included features.
    proven : bool
        Whether `price` is the lowest.
    seconds : float
        Wall-clock time that this point took.
    separations : tuple of Separation
        The set with whole-number weights, and the samples that these misclassify.
    """

    price: float
    price_bound: float
    errors: int
    subsets: tuple[IndexArray, ...]
    proven: bool
    seconds: float
    separations: tuple[Separation, ...] = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class PriceFront(Shown):
    """The lowest price for each number of training errors; see `error_front`.

    Attributes
    ----------
    points : tuple of PricePoint
        From the lowest price to the highest, each with fewer errors than the one before.
    complete : bool
        Proven: no set of up to `max_features` features leaves fewer errors than the last point.
    max_features : int
        Largest number of features in a set, besides included ones.
    floor : int
        Errors that any set of features leaves, since samples of different classes are equal; 0
        where time was up before they were counted.
    seconds : float
        Wall-clock time.
    n_samples, n_features : int
        Shape of the data.
    ruled_out : tuple of RuledOut
        Farkas vectors of sets that passed all tests on bits.
    rules : Rules
        The rules about features, as they were read.
    feature_names : tuple of str or None
        Names of all columns, if X had any.
    names : tuple of tuples of str
        The set of every point by name; numbers of columns as text, if X had no names.
    """

    report_kind = "error_front"  # as which `fewest.report` takes it
    points: tuple[PricePoint, ...]
    complete: bool
    max_features: int
    floor: int
    seconds: float
    n_samples: int
    n_features: int
    ruled_out: tuple[RuledOut, ...] = field(repr=False)
    rules: Rules = field(repr=False)
    feature_names: tuple[str, ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        list_shortly(self, "points", "ruled_out")

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        return tuple(name_columns(point.subsets[0], self.feature_names) for point in self.points)

    def _headline(self) -> str:
        return f"lowest prices of {counted(len(self.points), 'number')} of training errors"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            (
                f"price {point.price:g}",
                f"{counted(point.errors, 'error')}"
                f"{'' if point.proven else f', price at least {point.price_bound:g}'}"
                f"{': ' if names else ''}{listed(names, 8)}",
            )
            for point, names in zip(self.points, self.names, strict=True)
        ]

    @property
    def errors(self) -> IndexArray:
        """The errors of the points."""
        return np.array([point.errors for point in self.points], dtype=np.intp)

    @property
    def proven(self) -> bool:
        """Whether all of the front is proven."""
        return self.complete and all(point.proven for point in self.points)

    def verify(self, X: Any, y: ArrayLike, *, search: bool = False) -> Verification:
        """Check the proofs against the data, in exact arithmetic and without a solver.

        Parameters
        ----------
        X, y : arrays
            The data that the front is for.
        search : bool, default=False
            Also repeat the search below the bounds, with the Farkas vectors as given and no linear
            program.

        Returns
        -------
        Verification
            True or false in an `if`: whether all that was checked holds. Its `unchecked` names
            what was not.
        """
        values, _, codes = check_data(X, y, "error_front")
        holds = names_hold(self.feature_names, X) and self._holds(values, codes, search=search)
        return Verification(holds, list_unchecked(self, read_names(X), search=search, counted=True))

    def _holds(self, X: FloatArray, codes: IndexArray, *, search: bool) -> bool:
        if X.shape != (self.n_samples, self.n_features) or not self.points:
            return False
        if not are_sound(self.rules, self.n_features) or not are_counts(self.max_features):
            return False
        prices = Prices.read(self.rules)
        proofs = [one for point in self.points for one in point.separations]
        if not proofs_hold([*proofs, *self.ruled_out], X, codes, self.rules.weight_signs):
            return False
        if not all(self._is_consistent(point, prices) for point in self.points):
            return False
        totals = [prices.total(point.subsets[0]) for point in self.points]
        if totals[0] > 0:  # what is always in costs nothing
            return False
        if any(after <= before for before, after in pairwise(totals)):  # too large for an array
            return False
        if np.any(np.diff(self.errors) >= 0) or self.floor > self.points[-1].errors:
            return False
        if not floor_holds(self, X[:, ~self.rules.excluded], codes):
            return False
        if not search:
            return True
        with limit_threads(1):
            return nothing_within(
                X, codes, self.rules, self._list_claims(prices), self.ruled_out, self.floor
            )

    def _is_consistent(self, point: PricePoint, prices: Prices) -> bool:
        sets = [np.array(one.columns, dtype=np.intp) for one in point.separations]
        return (
            len(sets) > 0
            and all(follows(self.rules, one) for one in sets)
            and all(len(one) - self.rules.n_included <= self.max_features for one in sets)
            and all(prices.show(prices.total(one)) == point.price for one in sets)
            and all(len(one.wrong) == point.errors for one in point.separations)
            and sets_are_proven(point.subsets, point.separations)
            and 0 <= point.price_bound <= point.price
            and point.proven == (point.price_bound == point.price)
        )

    def _list_claims(self, prices: Prices) -> list[Claim]:
        """What the bounds say of sets of each size."""
        free = self.n_features - int((self.rules.excluded | self.rules.included).sum())
        sizes = range(min(self.max_features, free) + 1)
        claims = []
        for before, point in pairwise(self.points):
            limit = prices.count_below(point.price_bound)
            if point.proven:
                limit = prices.total(point.subsets[0]) - 1
            claims += [Claim(size, before.errors - 1, limit) for size in sizes]
        if self.complete:
            claims += [Claim(size, self.points[-1].errors - 1) for size in sizes]
        return claims
