"""All sets of features that are nearly as small, or as cheap, as the smallest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.exact import as_double
from fewest._estimators.validation import check_count, check_positive
from fewest._showing import Shown, list_shortly
from fewest._types import FloatArray, IndexArray
from fewest._wording import PER_CHOICE, aligned, counted, cut, listed
from fewest.minimum._claims import (
    NO_OTHERS,
    NO_PART,
    Verification,
    are_counts,
    find_idle,
    list_unchecked,
    margins_are_right,
    proofs_hold,
    sets_are_proven,
)
from fewest.minimum._clock import Clock
from fewest.minimum._course import MOST_KEPT, by_margin
from fewest.minimum._data import check_data, read_names, read_rules_of
from fewest.minimum._leaves import Separation
from fewest.minimum._prices import Prices
from fewest.minimum._ruled import RuledDriver, check_rules
from fewest.minimum._ruled_proofs import RuledMinimum, as_ruled, follows
from fewest.minimum._threads import limit_threads

_MOST_SHOWN = 10
_Ranked: TypeAlias = list[tuple[int, float, Separation]]  # units, margins, sets


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalSets(Shown):
    """Every set near the minimum that separates the classes; print it for a table.

    Attributes
    ----------
    minimum : RuledMinimum
        The smallest (or cheapest) sets, with their proof.
    extra : float
        By how much sets may exceed it.
    subsets : tuple of int arrays
        The sets, with included features: the cheapest first, and among those of the same price
        the one with the largest margin. None of them contains a smaller separating set, if
        `minimum` is certified; else time was up before that was known.
    prices, margins : arrays of float
        What each costs (its number of features, unless there are prices), and by how much it
        separates: half the distance of the nearest classes, in standardised columns.
    n_found : int
        How many sets were found, including those beyond the number asked for.
    complete : bool
        Proven: there are no others, or no other choices of groups where groups are paid once. One
        set stands for each of these then: other features of its groups may do as well.
    seconds : float
        Wall-clock time.
    feature_names : tuple of str or None
        Names of all columns, if X had any.
    separations : tuple of Separation
        The subsets with whole-number weights that prove them.
    features : array of int
        All features of any of the sets, the most frequent first.
    counts : array of int
        How many of the sets contain each of `features`.
    in_all : array of int
        Features that are in every set; none of a group that is paid once.
    membership : array of bool, shape (n_sets, len(features))
        Which set has which of `features`.
    exchanges : array of int, shape (len(features), len(features))
        How often one of `features` can replace another: pairs of sets that differ in
        these two only.
    """

    minimum: RuledMinimum = field(repr=False)
    extra: float
    subsets: tuple[IndexArray, ...]
    prices: FloatArray
    margins: FloatArray
    n_found: int
    complete: bool
    seconds: float
    feature_names: tuple[str, ...] | None = field(repr=False)
    separations: tuple[Separation, ...] = field(repr=False)

    report_kind = "near_optimal"  # as which `fewest.report` takes it

    def __post_init__(self) -> None:
        list_shortly(self, "subsets", "separations")

    @cached_property
    def features(self) -> IndexArray:
        names, counts = self._count()
        return names[np.argsort(-counts, kind="stable")]

    @cached_property
    def counts(self) -> IndexArray:
        _, counts = self._count()
        return -np.sort(-counts)

    @property
    def in_all(self) -> IndexArray:
        everywhere = np.sort(self.features[self.counts == len(self.subsets)])
        if self.is_per_choice:
            groups = self.minimum.rules.groups
            assert groups is not None
            everywhere = everywhere[groups[everywhere] < 0]
        return everywhere

    @property
    def is_per_choice(self) -> bool:
        """Whether one set stands for each choice of groups, which are paid once."""
        return self.minimum.rules.groups is not None and not self.minimum.rules.one_per_group

    @cached_property
    def membership(self) -> NDArray[np.bool_]:
        return np.array([np.isin(self.features, one) for one in self.subsets], dtype=bool).reshape(
            len(self.subsets), len(self.features)
        )

    @cached_property
    def exchanges(self) -> IndexArray:
        place = {int(column): k for k, column in enumerate(self.features)}
        completing: dict[tuple[int, ...], list[int]] = {}
        for subset in self.subsets:
            columns = tuple(subset.tolist())
            for one in columns:
                rest = tuple(column for column in columns if column != one)
                completing.setdefault(rest, []).append(place[one])
        found = np.zeros((len(place), len(place)), dtype=np.intp)
        for places in completing.values():
            found[np.ix_(places, places)] += 1
        np.fill_diagonal(found, 0)
        return found

    def _count(self) -> tuple[IndexArray, IndexArray]:
        if not self.subsets:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        names, counts = np.unique(np.concatenate(self.subsets), return_counts=True)
        return names.astype(np.intp), counts.astype(np.intp)

    def name(self, feature: int) -> str:
        """What a feature is called: its name, or its number."""
        return str(feature) if self.feature_names is None else self.feature_names[feature]

    def replacements(self, feature: int) -> list[tuple[int, int]]:
        """Features that can replace this one, and in how many pairs of sets they do.

        Examples
        --------
        >>> import numpy as np
        >>> from fewest import near_optimal_sets
        >>> X = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.5], [5.0, 4.0, 2.2], [6.0, 7.0, 2.1]])
        >>> near_optimal_sets(X, [0, 0, 1, 1], extra=0).replacements(0)
        [(1, 1)]
        """
        place = np.flatnonzero(self.features == feature)
        if not len(place):
            raise ValueError(f"feature {feature} is in none of the {len(self.subsets)} sets")
        row = self.exchanges[place[0]]
        order = np.argsort(-row, kind="stable")[: np.count_nonzero(row)]
        return [(int(self.features[k]), int(row[k])) for k in order]

    def verify(self, X: Any, y: ArrayLike, *, search: bool = False) -> Verification:
        """Check in exact arithmetic, without a solver, that every set separates the classes.

        Prices are those of the rules and within the limit, margins are computed again, and
        `minimum` is verified too.

        Parameters
        ----------
        X, y : arrays
            The data that the result is for.
        search : bool, default=False
            Also repeat the search below the minimum. That there are no other sets above it is not
            checked here.

        Returns
        -------
        Verification
            True or false in an `if`: whether all that was checked holds. Its `unchecked` names
            what was not.
        """
        given = check_data(X, y, "near_optimal_sets")
        holds = (
            self.feature_names == self.minimum.feature_names
            and not self.minimum.max_errors
            and self.minimum._check(X, *given, search=search)
            and self._sets_hold(*given)
        )
        left = list_unchecked(self.minimum, read_names(X), search=search, counted=True)
        return Verification(holds, (*left, NO_OTHERS, NO_PART))

    def _sets_hold(self, X: FloatArray, _: NDArray[Any], codes: IndexArray) -> bool:
        rules = self.minimum.rules
        if not sets_are_proven(self.subsets, self.separations):
            return False
        if not are_counts(self.n_found) or len(self.subsets) > self.n_found:
            return False
        if not 0 <= self.extra < np.inf:
            return False
        if any(not rules.included[find_idle(one)].all() for one in self.separations):
            return False
        signs = rules.weight_signs
        if any(one.wrong for one in self.separations):
            return False
        if not proofs_hold(self.separations, X, codes, signs):
            return False
        prices = Prices.read(rules)
        units = [prices.total(one) for one in self.subsets]
        most = prices.total(self.minimum.subsets[0]) if self.minimum.subsets else 0
        return (
            np.array_equal(self.prices, [prices.show(one) for one in units])
            and units == sorted(units)
            and all(one <= most + prices.count(self.extra) for one in units)
            and all(follows(rules, one) for one in self.subsets)
            and margins_are_right(X, codes, self.margins, self.separations, signs, units)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: sets, features and exchanges, with names.

        Examples
        --------
        >>> import numpy as np
        >>> from fewest import near_optimal_sets
        >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 4.0], [6.0, 7.0]])
        >>> found = near_optimal_sets(X, [0, 0, 1, 1]).to_dict()
        >>> found["exchanges"]
        [{'one': '0', 'other': '1', 'n_pairs': 1}]
        """
        above = np.triu(self.exchanges)
        pairs = sorted(zip(*np.nonzero(above), strict=True), key=lambda pair: -int(above[pair]))
        return {
            "size": self.minimum.size,
            "price": self.minimum.price,
            "extra": self.extra,
            "n_found": self.n_found,
            "certified": self.minimum.certified,
            "complete": self.complete,
            "is_per_choice": self.is_per_choice,
            "sets": [
                {
                    "features": [self.name(column) for column in subset.tolist()],
                    "columns": subset.tolist(),
                    "price": float(price),
                    "margin": float(margin),
                }
                for subset, price, margin in zip(
                    self.subsets, self.prices, self.margins, strict=True
                )
            ],
            "in_all": [self.name(column) for column in self.in_all.tolist()],
            "features": [
                {"name": self.name(column), "column": column, "n_sets": count}
                for column, count in zip(self.features.tolist(), self.counts.tolist(), strict=True)
            ],
            "exchanges": [
                {
                    "one": self.name(int(self.features[a])),
                    "other": self.name(int(self.features[b])),
                    "n_pairs": int(above[a, b]),
                }
                for a, b in pairs
            ],
        }

    def __str__(self) -> str:
        found = self.to_dict()
        if not self.subsets:
            known = "proven" if self.complete else "not proven"
            return f"No set of features separates the classes ({known})."
        more = "" if self.complete else "; there may be more"
        shown = found["sets"][:_MOST_SHOWN]
        unit = "price" if self.minimum.has_prices else "size"
        rows = [
            [", ".join(map(cut, one["features"])), f"{one['price']:g}", f"{one['margin']:.3g}"]
            for one in shown
        ]
        sets = counted(self.n_found, "set")
        headline = (
            f"{sets} within {self.extra:g} of the minimum, {self.minimum.price:g}; none contains "
            f"a smaller set that separates{more}."
        )
        if not self.minimum.certified:
            headline = (
                f"{sets} found before the time was up. The minimum is not known: it is between "
                f"{self.minimum.price_bound:g} and {self.minimum.price:g}, and parts of these sets "
                "may separate."
            )
        lines = [
            headline,
            aligned([["features", unit, "margin"], *rows]),
        ]
        if len(shown) < self.n_found:
            lines.append(f"Shown: {len(shown)}.")
        if self.is_per_choice:
            lines.append(PER_CHOICE)
        everywhere = found["in_all"]
        lines.append(f"In all of them: {listed(everywhere) if everywhere else 'no feature'}.")
        if found["exchanges"]:
            swaps = [
                f"{cut(one['one'])} and {cut(one['other'])} ({one['n_pairs']})"
                for one in found["exchanges"]
            ]
            lines.append(f"Can replace each other (number of pairs of sets): {listed(swaps)}.")
        return "\n".join(lines)


def near_optimal_sets(
    X: Any,
    y: ArrayLike,
    *,
    extra: float = 1,
    max_sets: int | None = None,
    max_seconds: float | None = None,
    include: Any = None,
    exclude: Any = None,
    feature_cost: Any = None,
    feature_groups: Any = None,
    one_per_group: bool = False,
    signs: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> NearOptimalSets:
    r"""Find every set of features near the minimum that separates all classes.

    Where groups are paid once, it finds every choice of groups, and one set for each.

    .. math::

        \{S : S \text{ separates}, \; p(S) \le \min p + \text{extra}, \; \text{no } S' \subsetneq S
        \text{ separates}\}

    where p is the number of features, or their price. A set that contains a smaller separating set
    separates too, and there are very many of these; they are left out. The search and its
    exactness are those of `minimum_features`.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers.
    y : array of shape (n_samples,)
        Labels of two or more classes.
    extra : float, default=1
        By how much a set may exceed the minimum, in features or in price.
    max_sets : int, optional
        How many sets to return at most, the cheapest first and then those with the largest margins.
        The search ends at 10,000.
    max_seconds : float, optional
        Seconds after which the search ends, with the sets found so far. Margins for which no time
        is left are NaN.
    include, exclude, feature_cost, feature_groups, one_per_group, signs : optional
        Rules about features; see `minimum_features`.
    n_jobs : int, optional
        Threads, as in joblib.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    NearOptimalSets
        With `subsets`, `prices`, `margins`, `complete`, and for the features: which are in all sets
        (`in_all`), in how many each is (`counts`), and which can replace which (`exchanges`).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import near_optimal_sets
    >>> X = np.random.default_rng(0).standard_normal((20, 30))
    >>> y = X[:, 7] + X[:, 11] > 0
    >>> found = near_optimal_sets(X, y)
    >>> print(found)
    4 sets within 1 of the minimum, 2; none contains a smaller set that separates.
      features   size  margin
      7, 11         2   0.193
      7, 19, 26     3  0.0819
      7, 17, 25     3  0.0818
      5, 19, 23     3  0.0124
    In all of them: no feature.
    >>> found.complete
    True
    """
    check_count("max_sets", max_sets, or_none=True)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    extra = as_double("extra", extra)
    if not 0 <= extra < np.inf:
        raise ValueError(f"extra must be a number of at least zero; got {extra!r}")
    names = read_names(X)
    rules = read_rules_of(
        X,
        include=include,
        exclude=[] if exclude is None else exclude,
        feature_cost=feature_cost,
        feature_groups=feature_groups,
        one_per_group=one_per_group,
        signs=signs,
    )
    clock = Clock(max_seconds, verbose)
    X, classes, codes = check_data(X, y, "near_optimal_sets")
    assert rules is not None  # since `exclude` is a list
    check_rules(rules, len(classes))
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        lister = _Lister(X, codes, classes, clock, rules=rules)
        minimum = lister.run()
        complete = lister.list_all(minimum, extra)
        ranked = lister.rank()
        minimum = lister.take_best(minimum, ranked, complete=complete)
    ranked = ranked[:max_sets]
    return NearOptimalSets(
        minimum=replace(minimum, feature_names=names),
        extra=extra,
        subsets=tuple(np.array(one.columns, dtype=np.intp) for _, _, one in ranked),
        prices=np.array([lister.prices.show(units) for units, _, _ in ranked], dtype=np.float64),
        margins=np.array([margin for _, margin, _ in ranked]),
        n_found=lister.n_found,
        complete=complete,
        seconds=clock.seconds,
        feature_names=names,
        separations=tuple(one for _, _, one in ranked),
    )


class _Lister(RuledDriver):
    """A search that goes on above the minimum."""

    def list_all(self, minimum: RuledMinimum, extra: float) -> bool:
        """Find all sets within the price of the minimum and `extra`; whether these are all."""
        self._forget()
        if minimum.price is None:
            return minimum.certified
        # One step per feature: if time ends the search, no smaller set is missing.
        price = self.prices.total(minimum.subsets[0])
        most = min(self.prices.count(extra), self.prices.above_all)
        complete = True
        for more in (*range(0, most, 1 if self.prices.are_equal else max(1, most)), most):
            self.clock.begin(f"sets within {self.prices.show(more):g} of the minimum")
            complete = self.search.find_within(price + more, self.clock, self._keep_minimal)
            if not complete:
                break
        lowest = min((self.prices.total(one.columns) for one in self.found), default=price + 1)
        if lowest > price:  # time was up before
            self._keep(minimum.separations)
        return complete

    def _keep_minimal(self, separation: Separation) -> bool:
        """Keep a set if no part of it separates."""
        search, columns = self.search, separation.columns
        for column in set(columns) - set(search.root):
            fewer = tuple(one for one in columns if one != column)
            if fewer and search.finds_separating(fewer):
                return True
        self._keep([separation])
        return self.n_found < MOST_KEPT

    def rank(self) -> _Ranked:
        """Prices, margins and sets: the cheapest first, then the largest margin."""
        scored = [
            (self.prices.total(one.columns), self._measure_in_time(one), one) for one in self.found
        ]
        return sorted(scored, key=lambda one: (one[0], *by_margin(one[1:])))

    def take_best(self, minimum: RuledMinimum, ranked: _Ranked, *, complete: bool) -> RuledMinimum:
        """The minimum with all sets of the lowest price that were listed."""
        if not ranked:
            return minimum
        price = ranked[0][0]
        best = [one for one in ranked if one[0] == price]
        found = replace(
            minimum,
            subsets=tuple(np.array(one.columns, dtype=np.intp) for _, _, one in best),
            margins=np.array([margin for _, margin, _ in best]),
            separations=tuple(one for _, _, one in best),
            n_found=len(best),
            complete=complete,
            certified=self.bound >= price,
        )
        return as_ruled(found, self.rules, self.prices, self.bound)
