"""The front of features and errors: for each number of features the fewest training errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from fewest._estimators.validation import check_count, check_positive
from fewest._types import FloatArray, IndexArray
from fewest.minimum._claims import (
    COURSE,
    HOW_MANY,
    NO_SMALLER,
    Verification,
    find_idle,
    sets_are_proven,
)
from fewest.minimum._clock import Clock
from fewest.minimum._data import check_data
from fewest.minimum._errors_check import leaves_more_errors, proofs_hold, require_two_classes
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._leaves import RuledOut, Separation
from fewest.minimum._threads import limit_threads

_MOST_KEPT = 10_000


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """The fewest errors that are known of at most `size` features.

    Attributes
    ----------
    size : int
        Number of features that are allowed.
    errors : int
        Samples that the best known set leaves wrong.
    lower_bound : int
        Proven: no set of `size` features leaves fewer samples wrong.
    subsets : tuple of int arrays
        Sets of columns that leave `errors` samples wrong. They are smaller than `size` where a
        further feature is not known to help.
    complete : bool
        Whether these are all sets of their size that do.
    seconds : float
        Wall-clock time that this size took.
    separations : tuple of Separation
        The subsets with whole-number weights, and the samples that these leave wrong.
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


@dataclass(frozen=True, eq=False)
class ZeroNormOptimum:
    """The least ``|w|_0 + C * errors`` that is known, with its lower bound; see `ErrorFront`."""

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


@dataclass(frozen=True, eq=False)
class ErrorFront:
    """For each number of features the fewest training errors; see `error_front`.

    Attributes
    ----------
    points : tuple of FrontPoint
        For 0, 1, ... features.
    floor : int
        Errors that any set of features leaves: so many disjoint pairs of equal samples are of
        different classes.
    seconds : float
        Wall-clock time.
    n_samples, n_features : int
        Shape of the data.
    ruled_out : tuple of RuledOut
        Farkas vectors of sets of three or more features that passed all tests on bits.
    """

    report_kind = "error_front"  # as which `fewest.report` takes it
    points: tuple[FrontPoint, ...]
    floor: int
    seconds: float
    n_samples: int
    n_features: int
    ruled_out: tuple[RuledOut, ...] = field(repr=False)

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
        r"""Find the least :math:`\|w\|_0 + C \cdot \text{errors}` of any hyperplane.

        Parameters
        ----------
        C : float
            Price of an error, in features.

        Returns
        -------
        ZeroNormOptimum
            With `value`, `lower_bound`, `proven`, `size`, `errors` and `subset`. The bound counts
            hyperplanes with more features than the front has, too.
        """
        check_positive("C", C)
        values = [len(point.subsets[0]) + C * point.errors for point in self.points]
        bounds = [point.size + C * point.lower_bound for point in self.points]
        if len(self.points) <= self.n_features:
            bounds.append(len(self.points) + C * self.floor)
        best = self.points[int(np.argmin(values))]
        subset = best.subsets[0]
        return ZeroNormOptimum(float(C), min(values), min(bounds), len(subset), best.errors, subset)

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
        X, _, codes = check_data(X, y, "error_front")
        left = (HOW_MANY, COURSE) if search else (NO_SMALLER, HOW_MANY, COURSE)
        return Verification(self._holds(X, codes, search=search), left)

    def _holds(self, X: FloatArray, codes: IndexArray, *, search: bool) -> bool:
        if X.shape != (self.n_samples, self.n_features) or set(codes.tolist()) != {0, 1}:
            return False
        if self.floor != _count_conflicts(X, codes):
            return False
        proofs = [one for point in self.points for one in point.separations]
        if not proofs_hold([*proofs, *self.ruled_out], X, codes):
            return False
        for size, point in enumerate(self.points):
            sets = [one.columns for one in point.separations]
            if (
                point.size != size
                or not sets
                or not sets_are_proven(point.subsets, point.separations)
                or any(len(one) > size for one in sets)
                or any(len(one.wrong) != point.errors for one in point.separations)
                or any(len(set(one.wrong)) != len(one.wrong) for one in point.separations)
                or not self.floor <= point.lower_bound <= point.errors
                or any(self._wastes(one, point.errors) for one in point.separations)
            ):
                return False
        if not search:
            return True
        with limit_threads(1):
            claims = [(point.size, point.lower_bound) for point in self.points]
            return leaves_more_errors(X, codes, claims, self.ruled_out, self.floor)

    def _wastes(self, one: Separation, errors: int) -> bool:
        """Whether fewer of its columns leave as few errors, where that is said to be impossible."""
        idle = len(find_idle(one))
        return idle > 0 and self.points[len(one.columns) - idle].lower_bound > errors


def _count_conflicts(X: FloatArray, y: IndexArray) -> int:
    """Disjoint pairs of equal samples of both classes: one of each pair is wrong."""
    counts: dict[bytes, list[int]] = {}
    for row, label in zip(X, y.tolist(), strict=True):
        counts.setdefault((row + 0.0).tobytes(), [0, 0])[label] += 1
    return sum(min(pair) for pair in counts.values())


def error_front(
    X: Any,
    y: ArrayLike,
    *,
    max_features: int = 3,
    max_seconds: float | None = 300.0,
    n_solutions: int | None = 1,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ErrorFront:
    r"""Find the fewest training errors for each number of features, and prove that they are.

    .. math::

        e_k = \min_{w, b} \; \bigl|\{i : y_i (w^\top x_i + b) \le 0\}\bigr| \quad
        \text{subject to} \quad \|w\|_0 \le k.

    A sample on the hyperplane is wrong, as it is for `minimum_features`, and floating-point numbers
    are treated as exact fractions. Without features all samples get one label, so e_0 is the size
    of the smaller class. The zero-norm optimum :math:`\|w\|_0 + C \cdot \text{errors}` follows for
    any C (`ErrorFront.optimum`).

    One feature takes a scan over all thresholds. For more, a signed feature is *bad* on a pair of
    samples of both classes if it does not put them in the right order. One of two samples on which
    all features of a set are bad is wrong, so the largest matching of such pairs is a lower bound
    of the errors; it is found on bit sets. Pairs of features with a low bound are counted exactly,
    over all lines in their plane. For three and more, sets that pass the bound are settled by
    linear programs. If too many samples stay wrong, that is proven by Farkas vectors: groups of
    samples of which one is wrong, such that no few samples meet all groups. They rule out further
    sets as well.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers. Copied, unless it is a float64 array in Fortran order.
    y : array of shape (n_samples,)
        Labels of two classes.
    max_features : int, default=3
        Largest number of features.
    max_seconds : float or None, default=300
        Seconds after which the search ends with the errors and bounds known so far. A step under
        way (tenths of a second, usually) is finished first.
    n_solutions : int or None, default=1
        How many sets to return for each number of features. None: all, but no more than 10,000.
        More than one takes longer, as sets that are as good as the best have to be found too.
    n_jobs : int, optional
        Threads, in joblib's sense.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    ErrorFront
        With `points`, `errors`, `lower_bounds`, `proven`, `optimum(C)`, and `verify(X, y)`, which
        checks the proofs without a solver.

    Raises
    ------
    ValueError
        For anything but finite numbers and two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import error_front
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 30))
    >>> y = X[:, 3] + X[:, 8] + 0.7 * rng.standard_normal(40) > 0
    >>> front = error_front(X, y, max_features=2)
    >>> front.errors.tolist(), front.proven
    ([19, 6, 4], True)
    >>> front.points[2].subsets[0].tolist()
    [3, 8]
    >>> front.verify(X, y, search=True)
    True

    If five errors weigh as much as one feature, one feature is the best choice of all
    hyperplanes, those with more than two features included.

    >>> best = front.optimum(C=0.2)
    >>> best.size, best.errors, round(best.value, 2), best.proven
    (1, 6, 2.2, True)
    """
    check_count("max_features", max_features)
    check_count("n_solutions", n_solutions, or_none=True)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    X, classes, codes = check_data(X, y, "error_front")
    require_two_classes(classes, "error_front")
    clock = Clock(max_seconds, verbose, "error_front")
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        return _Front(X, codes, clock, n_solutions).run(min(int(max_features), X.shape[1]))


class _Front:
    """One search, from no feature upwards."""

    def __init__(self, X: FloatArray, y: IndexArray, clock: Clock, n_solutions: int | None) -> None:
        self.X, self.y, self.clock = X, y, clock
        self.points: list[FrontPoint] = []
        self.several = n_solutions != 1
        self.room = n_solutions or _MOST_KEPT

    def run(self, max_features: int) -> ErrorFront:
        self.search = search = ErrorSearch(self.X, self.y, self.clock)
        for size in range(max_features + 1):
            self.began = perf_counter()
            if size == 0:
                nothing = search.leave_class_out()
                self._add(size, len(nothing.wrong), [nothing])
            elif self._is_settled():
                last = self.points[-1]
                self._add(size, last.errors, last.separations, complete=last.complete)
            elif size == 1:
                self._try_singles()
            elif size == 2:
                self._try_pairs()
            else:
                search.clock = self.clock
                if size < max_features:
                    search.clock = self.clock.take_part(1 / (max_features - size + 1))
                self._try_larger(size)
            last = self.points[-1]
            self.clock.say(f"{size} features: {last.lower_bound} to {last.errors} errors")
        n_samples, n_features = self.X.shape
        return ErrorFront(
            points=tuple(self.points),
            floor=search.floor,
            seconds=self.clock.seconds,
            n_samples=n_samples,
            n_features=n_features,
            ruled_out=tuple(search.pool.vectors),
        )

    def _is_settled(self) -> bool:
        """Whether more features cannot help."""
        return self.points[-1].errors == self.search.floor

    def _add(
        self, size: int, lower_bound: int, sets: Iterable[Separation], *, complete: bool = True
    ) -> None:
        everything = sorted(sets, key=lambda one: one.columns)
        sets = everything[: self.room]
        complete = complete and len(sets) == len(everything)
        errors = len(sets[0].wrong)
        subsets = tuple(np.array(one.columns, dtype=np.intp) for one in sets)
        seconds = perf_counter() - self.began
        bound = min(max(lower_bound, self.search.floor), errors)
        self.points.append(FrontPoint(size, errors, bound, subsets, complete, seconds, tuple(sets)))

    def _keep_last(self, size: int, lower_bound: int) -> None:
        """A further feature is not known to help."""
        last = self.points[-1]
        self._add(size, lower_bound, last.separations, complete=last.complete)

    def _try_singles(self) -> None:
        fewest = min(self.search.bits.errors.tolist(), default=self.points[0].errors)
        if fewest >= self.points[0].errors:
            self._keep_last(1, fewest)
            return
        sets = self.search.expand(self.search.singles(fewest, self.room + 1))
        self._add(1, fewest, sets)

    def _try_pairs(self) -> None:
        search = self.search
        self.clock.begin("pairs")
        known = self.points[-1].errors
        fewest = search.try_best_pairs(known)
        best: list[tuple[int, int]] = []
        lower_bound = search.floor
        most = min(fewest, known - 1) if self.several else fewest - 1
        bounded = None if most < lower_bound else search.bound_pairs(most)
        if bounded is not None:
            pairs, bounds, limit = bounded
            lower_bound = min([*bounds[:1].tolist(), limit + 1])
            for bound, columns, counts in search.count_pairs(pairs, bounds):
                if counts.min() < fewest:
                    fewest, best = int(counts.min()), []
                if fewest < known:
                    best += [columns[k] for k in np.flatnonzero(counts == fewest)]
                lower_bound = min(bound, limit + 1)
                if lower_bound >= fewest + self.several or self.clock.is_over:
                    break
        if not best and fewest < known:  # among the best features, and not searched for again
            best = [search.best_pair]
        if not best:
            self._keep_last(2, lower_bound)
            return
        chosen = sorted(set(best))[: self.room + 1]
        sets = search.expand([search.separate_pair(pair) for pair in chosen])
        self._add(2, lower_bound, sets, complete=lower_bound > fewest)

    def _try_larger(self, size: int) -> None:
        search = self.search
        known = self.points[-1].errors
        found: list[Separation] = []
        lower_bound, fewest = search.floor, known
        self.clock.begin(f"sets of {size}: better ones")
        while fewest > lower_bound:
            better = search.improve(size, [*self.points[-1].separations, *found], fewest - 1)
            if better is None:
                break
            found, fewest = [better], len(better.wrong)
        complete = False
        for most in range(lower_bound, fewest + (self.several and fewest < known)):
            self.clock.begin(f"sets of {size} with {most} errors")
            at_most: list[Separation] = []

            def keep(separation: Separation, at_most: list[Separation] = at_most) -> bool:
                at_most.append(separation)
                return self.several and len(at_most) <= self.room

            complete = search.run(size, most, keep)
            if at_most:
                found = at_most
            if at_most or not complete:
                break
            lower_bound, complete = most + 1, False
        if not found:
            self._keep_last(size, lower_bound)
        else:
            self._add(size, lower_bound, search.expand(found), complete=complete)
