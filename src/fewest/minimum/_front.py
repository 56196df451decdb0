"""The front of features and errors: for each number of features the fewest training errors."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from fewest._estimators.rules import Rules
from fewest._estimators.validation import check_count, check_positive
from fewest._solvers.linear.master import TimeIsUpError
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock
from fewest.minimum._course import MOST_KEPT
from fewest.minimum._data import check_data, read_names, read_rules_of
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._front_result import ErrorFront, FrontPoint
from fewest.minimum._leaves import Separation
from fewest.minimum._price_front import PriceFront
from fewest.minimum._threads import limit_threads


def error_front(
    X: Any,
    y: ArrayLike,
    *,
    max_features: int = 3,
    max_seconds: float | None = 300.0,
    n_solutions: int | None = 1,
    include: Any = None,
    exclude: Any = None,
    feature_cost: Any = None,
    feature_groups: Any = None,
    one_per_group: bool = False,
    signs: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ErrorFront | PriceFront:
    r"""Find the fewest training errors for each number of features, with a proof.

    .. math::

        e_k = \min_{w, b} \; \bigl|\{i : y_i (w^\top x_i + b) \le 0\}\bigr| \quad
        \text{subject to} \quad \|w\|_0 \le k.

    A sample on the hyperplane is wrong, as it is for `minimum_features`, and floating-point numbers
    are treated as exact fractions. Without features all samples get the same label, so e_0 is the
    size of the smaller class. The zero-norm optimum :math:`\|w\|_0 + C \cdot \text{errors}` follows
    for any C (`ErrorFront.optimum`).

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
        Labels of two or more classes. With more than two, every two have their own hyperplane
        on the same features, as for `minimum_features`, and a sample is wrong if any of these
        hyperplanes misclassifies it.
    max_features : int, default=3
        Largest number of features, besides those of `include`.
    max_seconds : float or None, default=300
        Seconds after which the search ends with the errors and bounds known so far. What is under
        way is given up, within a second.
    n_solutions : int or None, default=1
        How many sets to return for each number of features. None: all, but no more than 10,000.
        More than one takes longer, as sets that are as good as the best have to be found too.
    include, exclude, signs
        Rules about features, as for `minimum_features`.
    feature_cost : float, array or dict of features, optional
        What each feature costs. If prices differ, the front shows price against errors: the
        lowest price for each number of errors, among sets of up to `max_features` features.
    feature_groups, one_per_group
        At most one feature of each group. Groups that are paid for once are not supported: a set
        could then have whole groups of features.
    n_jobs : int, optional
        Threads, as in joblib.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    ErrorFront
        With `points`, `errors`, `lower_bounds`, `proven`, `optimum(C)`, and `verify(X, y)`, which
        checks the proofs without a solver. Where features differ in price it is a `PriceFront`,
        whose `points` have `price`, `price_bound` and `errors`.

    Raises
    ------
    ValueError
        If X has values that are not finite, if there are fewer than two classes, or if rules
        contradict each other.

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
    >>> bool(front.verify(X, y, search=True))
    True

    If five errors cost as much as one feature, one feature is the best choice of all
    hyperplanes, including those with more than two features.

    >>> best = front.optimum(C=0.2)
    >>> best.size, best.errors, round(best.value, 2), best.proven
    (1, 6, 2.2, True)

    Feature 3 is expensive: what do fewer errors cost?

    >>> front = error_front(X, y, max_features=2, feature_cost={3: 5.0})
    >>> [(point.price, point.errors, point.proven) for point in front.points]
    [(0.0, 19, True), (1.0, 6, True), (2.0, 5, True), (6.0, 4, True)]
    """
    check_count("max_features", max_features)
    check_count("n_solutions", n_solutions, or_none=True)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    rules = read_rules_of(
        X,
        include=include,
        exclude=exclude,
        feature_cost=feature_cost,
        feature_groups=feature_groups,
        one_per_group=one_per_group,
        signs=signs,
    )
    clock = Clock(max_seconds, verbose, "error_front")
    return search_front(X, y, clock, int(max_features), n_solutions, n_jobs, rules)


def search_front(
    X: Any,
    y: ArrayLike,
    clock: Clock,
    max_features: int,
    n_solutions: int | None,
    n_jobs: int | None,
    rules: Rules | None,
) -> ErrorFront | PriceFront:
    """`error_front` without its checks, within what the clock allows."""
    names = read_names(X)
    X, classes, codes = check_data(X, y, "error_front")
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        if rules is None and len(classes) == 2:
            front = Front(X, codes, clock, n_solutions).run(min(max_features, X.shape[1]))
            return replace(front, feature_names=names)
        from fewest.minimum._general_front import find_general_front

        found = find_general_front(X, codes, clock, n_solutions, max_features, rules)
        return replace(found, feature_names=names)


class Front:
    """One search, from no feature upwards."""

    def __init__(self, X: FloatArray, y: IndexArray, clock: Clock, n_solutions: int | None) -> None:
        self.X, self.y, self.clock = X, y, clock
        self.points: list[FrontPoint] = []
        self.several = n_solutions != 1
        self.room = n_solutions or MOST_KEPT

    def run(self, max_features: int) -> ErrorFront:
        self.search = search = ErrorSearch(self.X, self.y, self.clock)
        for size in range(max_features + 1):
            self.began = perf_counter()
            if size == 0:
                nothing = search.leave_class_out()
                self._add(size, len(nothing.wrong), [nothing])
            elif self._is_settled():
                self._keep_last(size, self.points[-1].errors)
            else:
                self._try_in_time(size, max_features)
            last = self.points[-1]
            self.clock.say(f"{size} features: {last.lower_bound} to {last.errors} errors")
        n_samples, n_features = self.X.shape
        return ErrorFront(
            points=tuple(self.points),
            floor=search.floor,
            seconds=self.clock.seconds,
            n_samples=n_samples,
            n_features=n_features,
            ruled_out=search.proofs,
        )

    def _try_in_time(self, size: int, max_features: int) -> None:
        """One more feature, within its share of the time; nothing new where that is not enough."""
        search = self.search
        search.clock = self.clock
        if 2 < size < max_features:
            search.clock = self.clock.take_part(1 / (max_features - size + 1))
        try:
            if search.is_ready and size == 1:
                self._try_singles()
            elif search.is_ready and size == 2:
                self._try_pairs()
            elif search.is_ready:
                self._try_larger(size)
        except TimeIsUpError:
            pass
        if len(self.points) == size:
            self._keep_last(size, search.floor)

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
        if self.points and not self._covers_smaller(size):
            lower_bound = min(lower_bound, self.points[-1].lower_bound)
        subsets = tuple(np.array(one.columns, dtype=np.intp) for one in sets)
        seconds = perf_counter() - self.began
        bound = min(max(lower_bound, self.search.floor), errors)
        self.points.append(FrontPoint(size, errors, bound, subsets, complete, seconds, tuple(sets)))

    def _covers_smaller(self, size: int) -> bool:
        """Whether every smaller set is part of one of this size, and leaves no fewer errors."""
        return self.search.is_ready and size <= len(self.search.twins.firsts)

    def _keep_last(self, size: int, lower_bound: int) -> None:
        """A further feature is not known to help."""
        last = self.points[-1]
        self._add(size, lower_bound, last.separations, complete=last.complete)

    def _try_singles(self) -> None:
        fewest = min(self.search.bits.errors.tolist(), default=self.points[0].errors)
        if fewest >= self.points[0].errors:
            self._keep_last(1, fewest)
            return
        columns = self.search.singles(fewest)[: self.room + 1]
        sets: list[Separation] = []
        for column in columns:
            if sets and self.clock.is_over:
                break
            sets.append(self.search.separate_single(column))
        complete = len(sets) == len(columns)
        self._add(1, fewest, self.search.expand(sets, self.room + 1), complete=complete)

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
            with suppress(TimeIsUpError):
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
        sets = search.expand([search.separate_pair(pair) for pair in chosen], self.room + 1)
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
            self._add(size, lower_bound, search.expand(found, self.room + 1), complete=complete)
