"""The smallest number of features that separate all classes, with a proof."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.rules import Rules
from fewest._estimators.validation import check_count, check_positive
from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray
from fewest.minimum._bits import SignedBits
from fewest.minimum._claims import measure_set
from fewest.minimum._classes import ClassPair, pair_classes
from fewest.minimum._clock import LARGE_PIECE, Clock
from fewest.minimum._data import (
    Twins,
    check_data,
    conflicting_samples,
    read_names,
    read_rules_of,
    replace_columns,
    separating_columns,
)
from fewest.minimum._leaves import (
    RuledOut,
    Separation,
    find_weighed,
    find_weights,
    settle,
    settle_pair,
)
from fewest.minimum._pairs import scan_pairs
from fewest.minimum._result import MinimumResult, Step
from fewest.minimum._search import CoverSearch, Tally
from fewest.minimum._separability import LARGEST_SYSTEM, rule_out_all
from fewest.minimum._threads import limit_threads
from fewest.minimum._upper import drop_idle, find_first_set, join_sets, select_jointly, swap_down

_SHARE_OF_BOUND = 0.5  # of the time that is left, for the first set, and again for swaps
_MOST_KEPT = 10_000  # separating sets; more are counted, where that costs nothing


def minimum_features(
    X: Any,
    y: ArrayLike,
    *,
    max_errors: int = 0,
    max_size: int | None = None,
    max_seconds: float | None = None,
    n_solutions: int | None = 1,
    include: Any = None,
    exclude: Any = None,
    feature_cost: Any = None,
    feature_groups: Any = None,
    one_per_group: bool = False,
    signs: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MinimumResult:
    r"""Find the smallest set of features that separates all classes, with a proof.

    .. math::

        \min_{w, b} \; \|w\|_0 \quad \text{subject to} \quad y_i (w^\top x_i + b) > 0
        \;\; \text{for all } i.

    With more than two classes, every two of them have their own hyperplane, and the number of
    features that any of these hyperplanes needs is minimised:

    .. math::

        \min_{w, b} \; \bigl|\{j : w_{kl,j} \ne 0 \text{ for some } k < l\}\bigr| \quad
        \text{subject to} \quad w_{kl}^\top x_i + b_{kl} \; \begin{cases} > 0 & y_i = l \\
        < 0 & y_i = k \end{cases} \;\; \text{for all } i, k < l.

    The separation is strict and the tolerance is zero: floating-point numbers are treated as exact
    fractions, and anything that rounding leaves open is decided in whole numbers. A set that
    separates only in the last digit counts; `margins` shows by how much a set separates.

    Sets of one feature take a scan of the columns, sets of two a bit test of all signed pairs and a
    direct test in the plane of those that pass it. From three on, a branch-and-bound search for set
    covers runs on the same bit sets: a feature with a sign is *bad* on a positive sample p and a
    negative sample q if it does not rank p above q, and the members of a separating set are not all
    bad on any such pair, nor on any pair of convex combinations of samples. Sets that pass are
    decided by a linear program; if they do not separate, its Farkas vector is such a pair of
    combinations, and rules out others as well. The Support Feature Machine and local swaps give the
    first upper bound. Many classes are searched pair by pair, the two that are hardest to separate
    first.

    With `max_errors`, that many samples may be wrong: on a hyperplane of their class or beyond it.
    The search decides which ones; see `error_front` for how it works. With more than two classes
    a sample is wrong if it is wrong for any two classes; the hyperplanes separate all others.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_samples, n_features)
        Finite numbers. Copied, unless it is a float64 array in Fortran order. Names of columns are
        kept (`feature_names`, `names`).
    y : array of shape (n_samples,)
        Labels of two or more classes.
    max_errors : int, default=0
        How many samples the set may misclassify. If the smaller class has no more samples than
        that, no feature is needed.
    max_size : int, optional
        Largest size to search completely. What is known of larger sets is still returned.
    max_seconds : float, optional
        Seconds after which the search ends with the best set and the bound proven so far. A step
        under way (tenths of a second, usually) is finished first.
    n_solutions : int or None, default=1
        How many of the smallest sets to return, those with the largest margins first. None: all,
        but no more than 10,000. One and two features are always searched to the end; from three on
        the search ends when this many sets are found.
    include : list of features, optional
        Always in the set, and not counted; at most eight. The others must separate the classes
        together with them. Name features by number, or by name if X is a data frame.
    exclude : list of features, optional
        Never in the set.
    feature_cost : float, array or dict of features, optional
        What each feature costs (1 unless given): the price of the set is minimised instead of its
        number of features. Sums that differ by less than one part in 10^9 count as equal.
    feature_groups : array of labels or dict of lists, optional
        Features that are paid for together: a group costs as much as the most expensive of its
        features in the set, and its other features up to that price are free. One set of features
        is returned for each choice of groups.
    one_per_group : bool, default=False
        At most one feature of each group, at its own price.
    signs : int, array or dict of features, optional
        1 for features that must be higher in the second of two classes (a weight of at least
        zero), -1 for those that must be lower, 0 for either. Those of `include` may have any.
    n_jobs : int, optional
        Threads, as in joblib.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed; above one, prints lines on standard
        error instead.

    Returns
    -------
    MinimumResult
        With `size`, `lower_bound`, `certified`, `subsets`, `names`, `margins`, `n_found`,
        `complete`, `searched`, `inseparable`, `seconds`, and the method `verify(X, y)`, which
        checks the proofs without a solver. Under rules it is a `RuledMinimum`, with `price` and
        `price_bound` too.

    Raises
    ------
    ValueError
        If X has values that are not finite, if there are fewer than two classes, or if rules
        contradict each other.

    Notes
    -----
    Ctrl-C ends the search and discards its results so far; to keep them, set a time limit.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import minimum_features
    >>> X = np.random.default_rng(0).standard_normal((30, 200))
    >>> y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    >>> result = minimum_features(X, y)
    >>> result.size, result.lower_bound, result.certified
    (3, 3, True)
    >>> bool(result.verify(X, y, search=True))
    True
    >>> print(result)  # doctest: +ELLIPSIS
    MinimumResult: 3 features, proven to be the fewest
      set       52, 54, 110 (margin 0.104)
      sets      1 of 1 found; there may be more
      searched  20,100 sets of up to 2 features
      data      200 columns
      seconds   ...
    >>> [step.n_found for step in result.searched]
    [0, 0]

    Four classes in the corners of a square: with two features, a line separates any two of them.

    >>> y = 2 * (X[:, 17] > 0) + (X[:, 52] > 0)
    >>> result = minimum_features(X, y, n_solutions=None)
    >>> [subset.tolist() for subset in result.subsets]
    [[17, 52]]

    If two samples may be wrong, fewer features are enough:

    >>> y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    >>> result = minimum_features(X, y, max_errors=2)
    >>> result.size, result.certified, result.subsets[0].tolist(), result.separations[0].wrong
    (2, True, [73, 110], (8, 10))

    Feature 17 is already known, and feature 110 is expensive: what must be added to 17?

    >>> result = minimum_features(X, y, include=[17], feature_cost={110: 3.0})
    >>> result.subsets[0].tolist(), result.size, result.price, result.certified
    ([17, 52, 106], 2, 2.0, True)
    """
    check_count("max_errors", max_errors, or_zero=True)
    check_count("max_size", max_size, or_none=True)
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
    if max_errors:
        from fewest.minimum._general_errors import allow_errors

        wanted: dict[str, Any] = {"max_size": max_size, "n_solutions": n_solutions}
        found = allow_errors(X, y, max_seconds, n_jobs, verbose, rules, int(max_errors), **wanted)
        return replace(found, feature_names=read_names(X))
    wanted = {"max_size": max_size, "n_solutions": n_solutions}
    found = search_minimum(X, y, max_seconds, n_jobs, verbose, rules=rules, **wanted)
    return replace(found, feature_names=read_names(X))


def search_minimum(
    X: Any,
    y: ArrayLike,
    max_seconds: float | None,
    n_jobs: int | None,
    verbose: int = 0,
    rules: Rules | None = None,
    *,
    most_looks: float = math.inf,
    **wanted: Any,
) -> MinimumResult:
    """`minimum_features` without its checks; callers who know a set may pass it as `start`.

    `most_looks` limits the search by its work, which is the same on every computer.
    """
    from fewest.minimum._ruled import RuledDriver, check_rules

    X, classes, codes = check_data(X, y)
    clock = Clock(max_seconds, verbose, most_looks=most_looks)
    with clock, limit_threads(effective_n_jobs(n_jobs)):
        if rules is not None:
            check_rules(rules, len(classes))
            return RuledDriver(X, codes, classes, clock, rules=rules, **wanted).run()
        return Driver(X, codes, classes, clock, **wanted).run()


@dataclass(eq=False)
class Driver:
    """One search, from one feature upwards: which sizes are impossible, which sets the smallest.

    `run` goes through its stages until the answer is certain or time is up. `y` are places of the
    labels in `classes`.
    """

    X: FloatArray
    y: IndexArray
    classes: NDArray[Any]
    clock: Clock
    max_size: int | None = None
    n_solutions: int | None = 1
    start: tuple[int, ...] = ()
    best: Separation | None = None
    lower_bound: int = 1
    found: list[Separation] = field(default_factory=list)
    n_found: int = 0
    complete: bool = False
    ruled_out: list[RuledOut] = field(default_factory=list)
    impossible: list[RuledOut] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pairs = pair_classes(self.y)

    def _may_try(self, size: int) -> bool:
        return (self.max_size is None or size <= self.max_size) and not self.clock.is_over

    def run(self) -> MinimumResult:
        self.twins = Twins(self.X)
        self._find_conflicts()
        if not self.impossible:
            self._try_singles()
            if self.best is None and self._may_try(2):
                self._try_pairs()
        if self.best is None:
            self.best = self._upper_bound()
            if self.best is not None:
                self.clock.say(f"{len(self.best.columns)} features separate")
                self._try_larger()
        if self.impossible:
            self.ruled_out += self.impossible
            self.lower_bound = self.X.shape[1] + 1
        certified = self.best is not None and len(self.best.columns) == self.lower_bound
        return self._minimum(certified=certified or bool(self.impossible))

    def _find_conflicts(self) -> None:
        """Equal samples of two classes, which no columns separate."""
        everything = tuple(range(self.X.shape[1]))
        for samples in conflicting_samples(self.X, self.y):
            self.impossible.append(RuledOut(everything, samples, (1, 1)))

    def _try_singles(self) -> None:
        began = perf_counter()
        columns = self.twins.firsts
        self._keep(separating_columns(self.X, self.y, columns))
        self._end_step(1, Tally(2 * len(columns), len(self.found)), began)

    def _try_pairs(self) -> None:
        began = perf_counter()
        self.clock.begin("pairs")
        bits = self.bits = SignedBits(self.X, self.y, self.twins.firsts)
        copies = np.array([self.twins.copies(j) for j in bits.columns.tolist()], dtype=np.int64)
        tally, complete = Tally(), True
        in_doubt = []
        for batch in scan_pairs(self.X, bits, copies, _MOST_KEPT):
            tally.nodes += batch.n_tested
            tally.survivors += batch.n_survivors
            tally.settled += len(batch.uncertain)
            sure = batch.separating[: max(0, _MOST_KEPT - len(self.found))]
            self._keep(self._settle_pairs(sure), count=False)
            self.n_found += batch.n_separating
            in_doubt.append(batch.uncertain)
            self.clock.report(batch.share, tally.nodes)
            self.clock.spend(LARGE_PIECE)
            if self.clock.is_over and batch.share < 1.0:
                complete = False
                break
        self._keep(self._settle_pairs(self._list_in_doubt(in_doubt)))
        self._end_step(2, tally, began, complete=complete)

    def _list_in_doubt(self, batches: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Pairs of signed features in doubt, but for columns that another pair has settled.

        The same columns may be in doubt with several signs, and separate with one of them.
        """
        known = {tuple(sorted(one.columns)) for one in self.found}
        chosen = []
        for pair in (pair for batch in batches for pair in batch):
            columns = tuple(sorted(self.bits.columns[pair].tolist()))
            if columns not in known:
                known.add(columns)
                chosen.append(pair)
        return np.array(chosen, dtype=np.int64).reshape(-1, 2)

    def _settle_pairs(self, pairs: NDArray[np.int64]) -> Iterator[Separation]:
        """Those of the pairs that separate; the others join `ruled_out`."""
        for pair in pairs:
            columns = self.bits.columns[pair].tolist()
            answer = settle(self.X, self.y, columns, self.bits.pairs)
            if isinstance(answer, Separation):
                yield answer
            else:
                self.ruled_out.append(answer)

    def _try_larger(self) -> None:
        """Sizes from three on, below the size of the best set or up to it if several are wanted."""
        assert self.best is not None
        several = self.n_solutions != 1
        is_open = several or self.lower_bound < len(self.best.columns)
        if self.lower_bound >= 3 and is_open and not self.clock.is_over:
            search = CoverSearch(self.X, self.y, self.bits, self.ruled_out)
            self.clock.begin("local swaps")
            clock = self.clock.take_part(_SHARE_OF_BOUND)
            self.best = swap_down(search, self.best, self.lower_bound, clock)
            self.clock.say(f"local swaps: {len(self.best.columns)} features separate")
            largest = len(self.best.columns) if several else len(self.best.columns) - 1
            for size in range(3, largest + 1):
                if self.found or not self._may_try(size):
                    break
                self._try_size(search, size)
            self.ruled_out = search.ruled_out
        if not self.found:  # no complete scan found a set: the one at hand is returned
            self._keep([self.best])
            self.complete = False

    def _try_size(self, search: CoverSearch, size: int) -> None:
        began = perf_counter()
        self.clock.begin(f"sets of {size}")
        search.tally = Tally()

        def keep(separation: Separation) -> bool:
            self._keep([separation])
            return self.n_solutions is None or self.n_found < self.n_solutions

        complete = search.run(size, self.clock, keep)
        self._end_step(size, search.tally, began, complete=complete)

    def _upper_bound(self) -> Separation | None:
        """The smallest of the known sets, without idle columns, made of first columns.

        Pairs of classes that no columns separate join `impossible`.
        """
        clock = self.clock.take_part(_SHARE_OF_BOUND)
        sets = [self._join_pairs(clock), self._settle_known(self.start)]
        found = [drop_idle(one, self.X, self.y, clock) for one in sets if one is not None]
        fewest = min((len(one.columns) for one in found), default=self.X.shape[1] + 1)
        is_worth_it = fewest > self.lower_bound and not self.impossible and not clock.is_over
        if len(self.pairs) > 1 and is_worth_it:
            joint = self._settle_known(select_jointly(self.X, self.y, clock))
            found += [] if joint is None else [drop_idle(joint, self.X, self.y, clock)]
        return min(found, key=lambda one: len(one.columns), default=None)

    def _join_pairs(self, clock: Clock) -> Separation | None:
        """Columns for each pair of classes, together; None if some pair has none, or no time."""
        known = {leaf.classes(self.y) for leaf in self.impossible}
        sets: list[Separation] = []
        for pair in self.pairs:
            if len(self.pairs) > 1 and self.clock.is_over:
                return None
            found = self._reuse(sets, pair) if clock.is_over else None
            if found is None and pair.labels not in known:
                found = self._separate(pair, clock)
            sets += [] if found is None else [found]
        return join_sets(sets) if len(sets) == len(self.pairs) else None

    def _reuse(self, sets: list[Separation], pair: ClassPair) -> Separation | None:
        """The columns of other pairs of classes, if they will do: that takes the least time."""
        columns = tuple(sorted({column for one in sets for column in one.columns}))
        weights = find_weights(self.X, pair, columns) if columns else None
        return None if weights is None else Separation(columns, (weights,))

    def _settle_known(self, columns: tuple[int, ...]) -> Separation | None:
        """These columns, if there are any and they separate the classes."""
        if not columns or self.impossible:
            return None
        answer = settle(self.X, self.y, self.twins.leaders(columns))
        return answer if isinstance(answer, Separation) else None

    def _separate(self, pair: ClassPair, clock: Clock) -> Separation | None:
        """First columns that separate two classes; None if none are known, or there are none."""
        X = self.X if len(self.pairs) == 1 else np.asfortranarray(self.X[pair.rows])
        first = find_first_set(X, pair.y, clock)
        columns = self.twins.leaders(self.twins.firsts if first is None else first.columns)
        answer: tuple[int, ...] | RuledOut | None
        if first is not None or len(columns) * len(pair.rows) ** 2 <= LARGEST_SYSTEM:
            answer = settle_pair(self.X, pair, columns)
        else:
            answer = self._prove_by_few_samples(X, pair)
        if isinstance(answer, RuledOut):
            if first is None:
                self.impossible.append(replace(answer, columns=tuple(range(self.X.shape[1]))))
            return None
        return None if answer is None else Separation(columns, (answer,))

    def _prove_by_few_samples(self, X: FloatArray, pair: ClassPair) -> RuledOut | None:
        """A Farkas vector with few samples, which can be made exact however many columns exist."""
        result = solve(unit_margin(pair.y), scale_columns(X))
        if result.status is not Status.INFEASIBLE:
            return None
        leaf = rule_out_all(X, pair.y, find_weighed(result))
        if leaf is None:
            return None
        return replace(leaf, samples=tuple(pair.rows[list(leaf.samples)].tolist()))

    def _keep(self, separations: Iterable[Separation], *, count: bool = True) -> None:
        for separation in separations:
            for columns in self.twins.expand(separation.columns):
                if count:
                    self.n_found += 1
                if len(self.found) < _MOST_KEPT:
                    self.found.append(replace_columns(self.X, separation, columns))

    def _end_step(self, size: int, tally: Tally, began: float, *, complete: bool = True) -> None:
        n_columns = len(self.twins.firsts)
        step = Step.describe(size, n_columns, tally, self.n_found, complete=complete, began=began)
        self.steps.append(step)
        self.complete = complete
        self.clock.say(
            f"{self.n_found or 'no'} set(s) of {size} separate"
            + ("" if complete else " so far: not all were tested")
        )
        if self.found:
            self.best = self.found[0]
        elif complete:
            self.lower_bound = size + 1

    def _minimum(self, *, certified: bool) -> MinimumResult:
        scored = [(self._margin(one), one) for one in self.found]
        ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].columns))[: self.n_solutions]
        return MinimumResult(
            size=None if self.best is None else len(self.best.columns),
            lower_bound=self.lower_bound,
            certified=certified,
            subsets=tuple(np.array(one.columns, dtype=np.intp) for _, one in ranked),
            margins=np.array([margin for margin, _ in ranked]),
            n_found=self.n_found,
            complete=self.complete,
            searched=tuple(self.steps),
            seconds=self.clock.seconds,
            n_features=self.X.shape[1],
            separations=tuple(one for _, one in ranked),
            ruled_out=tuple(self.ruled_out),
            inseparable=self._name_inseparable(),
        )

    def _name_inseparable(self) -> NDArray[Any]:
        """Labels of the pairs of classes that nothing separates, in their order."""
        pairs = sorted(leaf.classes(self.y) for leaf in self.impossible)
        return self.classes[np.array(pairs, dtype=np.intp).reshape(-1, 2)]

    def _margin(self, separation: Separation) -> float:
        return measure_set(self.X, self.y, separation)
