"""Several methods on the same folds: errors, differences, numbers of features, stability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from fewest._estimators.held_out import Fold, HeldOut, judge_fold, judge_in_parallel, run_held_out
from fewest._estimators.intervals import (
    difference_interval,
    error_interval,
    explain_no_interval,
)
from fewest._estimators.uncertainty import CONFIDENCE, Interval
from fewest._estimators.validation import check_share, encode_classes
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance._resampling import check_samples, draw_rows, find_strata, stability_index
from fewest.significance._rivals import RIVALS, make_rival
from fewest.significance._shares import balance, find_shares

_N_DRAWS = 200
# What a fit may raise, but for a fault of the program itself.
_FAILURES = (ValueError, ArithmeticError, RuntimeError)


@dataclass(frozen=True)
class FoldNote:
    """What went wrong, or was warned of, and in how many folds."""

    text: str
    n_folds: int


@dataclass(frozen=True, repr=False)
class ComparedMethod(Shown):
    """One method on the folds that all share.

    Differences are its balanced error minus that of the first method; `predicts_alike` says that
    it erred on the very same samples. A method that failed in a fold has no errors: those of the
    other folds would be errors on other samples.
    """

    name: str
    description: str
    fold_n_features: tuple[int, ...] = ()
    fold_errors: tuple[float, ...] = ()
    balanced_error: float | None = None
    interval: Interval | None = None
    difference: float | None = None
    difference_interval: Interval | None = None
    p_value: float | None = None
    predicts_alike: bool = False
    stability: float | None = None
    failures: tuple[FoldNote, ...] = ()
    warnings: tuple[FoldNote, ...] = ()

    @property
    def n_features(self) -> float | None:
        """Mean number of features over the folds."""
        return float(np.mean(self.fold_n_features)) if self.fold_n_features else None

    @property
    def n_failed(self) -> int:
        """Folds in which it failed."""
        return sum(one.n_folds for one in self.failures)


@dataclass(frozen=True, repr=False)
class MethodComparison(Shown):
    """Outcome of `compare_methods`; the first method is the one that the others are compared with.

    `chosen_error` is the balanced error to expect of anyone who takes the method with the smallest
    error of this table (bootstrap over the samples: chosen on those inside, judged on those
    outside); None where fewer than two methods have errors.
    """

    report_kind = "comparison"  # as which `fewest.report` takes it
    methods: tuple[ComparedMethod, ...]
    n_folds: int
    n_repeats: int
    guessing: float
    confidence: float
    chosen_error: float | None

    @property
    def caution(self) -> str:
        """What choosing by this table would do to its numbers."""
        start = (
            "Nothing was chosen by this table. Anyone who takes the method with the smallest error "
            "here makes that error optimistic: it is the smallest of several."
        )
        if self.chosen_error is None:
            return start
        return f"{start} Expect about {100 * self.chosen_error:.1f} % from such a choice."


def compare_methods(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    others: Sequence[str] | Mapping[str, Any] = tuple(RIVALS),
    *,
    name: str = "this machine",
    cv: Any = 5,
    groups: ArrayLike | None = None,
    held_out: HeldOut | None = None,
    confidence: float = CONFIDENCE,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> MethodComparison:
    """Judge several methods on the same folds, each of which selects its features in every fold.

    Differences to the first method are paired, sample by sample, and the interval is that of the t
    distribution over samples, or over groups where there are groups. Training sets of folds
    overlap, so their variance counts twice, as for the intervals of the errors. Each interval holds
    for itself.

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine()
        The machine that the others are compared with.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    others : names, or mapping from names to estimators
        "sfm", "sfm-cv" (C chosen inside), "l1" (scikit-learn's linear support vector machine with a
        one-norm, C chosen inside), "t-test" (as many features as the machine has in the fold, those
        of the largest t statistics, F for more than two classes, with the largest margin),
        "minimum" (a smallest set of features without training error, with the largest margin; the
        search for a proof ends after a fixed amount of work). In a mapping, a value may also be a
        function that makes an estimator from the number of features of the machine in the fold,
        or a text that says why the method cannot be compared.
    name : str
        What to call the machine.
    cv : int, splitter or list of splits
        Folds; a number means stratified folds, of whole groups where there are groups.
    groups : array of shape (n_samples,), optional
        Samples of one group are in the same fold, also in those that choose parameters.
    held_out : HeldOut, optional
        A cross-validation of the machine that is there already: its folds are taken.
    confidence : float
        Level of the intervals.
    random_state : int, RandomState instance or None
        Seed of the folds, and of all methods.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    MethodComparison
        A method that cannot be fitted in a fold says why in `failures`; the others go on.

    References
    ----------
    I. Tsamardinos, E. Greasidou, G. Borboudakis: Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation. Machine Learning 107 (2018), for `chosen_error`.

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import compare_methods
    >>> X, y = make_gaussian(n=60, d=50, k=2, mu=1.2, random_state=0)
    >>> found = compare_methods(SupportFeatureMachine(), X, y, ["t-test", "l1"], random_state=0)
    >>> for one in found.methods:
    ...     print(f"{one.name:12}  {one.n_features:4.1f}  {one.balanced_error:.3f}")
    this machine   1.8  0.083
    t-test         1.8  0.083
    l1             6.0  0.050
    """
    check_share("confidence", confidence, strictly=True)
    estimator = SupportFeatureMachine() if estimator is None else estimator
    X, labels, groups = check_samples(X, y, groups)
    classes, codes = encode_classes("a comparison of methods", labels)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    makers = _find_makers(others, seed)
    if held_out is None:
        run = {"cv": cv, "groups": groups, "random_state": seed, "n_jobs": n_jobs}
        held_out = run_held_out(estimator, X, labels, **run, verbose=verbose)
    elif not np.array_equal(held_out.y, labels):
        raise ValueError("held_out is a cross-validation of other samples: give the y of the fit")
    jobs = [
        (_make(maker, fold), X, labels, groups, fold.train, fold.test)
        for _, maker in makers.values()
        for fold in held_out.folds
    ]
    found = judge_in_parallel(
        jobs, judge=_judge, n_jobs=n_jobs, verbose=verbose, what="comparison", unit="fold"
    )
    results, n_folds = list(found), len(held_out.folds)
    table = _Table(held_out, codes, groups, confidence)
    first = table.describe(name, _name_first(name, held_out.estimator), held_out.folds)
    methods = [first]
    for place, (other, (description, _)) in enumerate(makers.items()):
        own = results[place * n_folds : (place + 1) * n_folds]
        methods.append(table.compare(table.describe(other, description, own)))
    return MethodComparison(
        methods=tuple(methods),
        n_folds=n_folds // held_out.n_repeats,
        n_repeats=held_out.n_repeats,
        guessing=1.0 - 1.0 / len(classes),
        confidence=confidence,
        chosen_error=table.expect_choice(np.random.RandomState(seed)),
    )


@dataclass(eq=False)
class _Table:
    """The rows of a comparison; the first one described is that of the reference."""

    held_out: HeldOut
    codes: IndexArray
    groups: NDArray[Any] | None
    confidence: float

    def __post_init__(self) -> None:
        self.shares: list[FloatArray] = []
        self.sizes: list[float] = []

    def describe(
        self, name: str, description: str, results: Sequence[Fold | str]
    ) -> ComparedMethod:
        """Everything but the difference."""
        folds = [one for one in results if isinstance(one, Fold)]
        method = ComparedMethod(
            name,
            description,
            failures=_count_texts(one for one in results if isinstance(one, str)),
            warnings=_count_texts(text for fold in folds for text in fold.warnings),
        )
        if len(folds) < len(results):
            return method
        own = replace(self.held_out, folds=tuple(folds))
        shares = find_shares(folds, self.held_out.y)
        self.shares.append(shares)
        sizes = () if any(fold.supports is None for fold in folds) else own.sizes.tolist()
        self.sizes.append(float(np.mean(sizes)) if sizes else math.inf)
        return replace(
            method,
            fold_n_features=tuple(sizes),
            fold_errors=tuple(own.balanced_errors.tolist()),
            balanced_error=float(balance(shares, self.codes)),
            interval=error_interval(shares, self.codes, self.groups, self.confidence),
            stability=_measure_stability(own) if sizes else None,
        )

    def compare(self, method: ComparedMethod) -> ComparedMethod:
        """The method with its difference to the reference, if it has errors."""
        if method.balanced_error is None:
            return method
        one, two = self.shares[-1], self.shares[0]
        difference = float(balance(one, self.codes) - balance(two, self.codes))
        if np.array_equal(one, two, equal_nan=True):
            return replace(method, difference=0.0, predicts_alike=True)
        if explain_no_interval(self.codes, self.groups, self.confidence):
            return replace(method, difference=difference)
        interval, p_value = difference_interval(one - two, self.codes, self.groups, self.confidence)
        return replace(method, difference=difference, difference_interval=interval, p_value=p_value)

    def expect_choice(self, rng: np.random.RandomState) -> float | None:
        """The error of the method with the smallest error inside, on the samples outside."""
        if len(self.shares) < 2:
            return None
        shares, y = np.array(self.shares), self.held_out.y
        strata, errors = find_strata(y, self.groups), []
        fewest_first = np.argsort(self.sizes, kind="stable")  # of equal errors
        for _ in range(_N_DRAWS):
            inside, outside = draw_rows(strata, y, rng)
            weights = np.bincount(inside, minlength=len(y)).astype(float)
            own = balance(shares, self.codes, weights).round(12)
            best = fewest_first[np.argmin(own[fewest_first])]
            if len(outside):
                errors.append(float(balance(shares[best][outside], self.codes[outside])))
        known = [error for error in errors if not math.isnan(error)]
        return float(np.mean(known)) if known else None


def _find_makers(
    others: Sequence[str] | Mapping[str, Any], seed: int
) -> dict[str, tuple[str, Any]]:
    """For every name its description, and what makes its estimator."""
    if isinstance(others, str) or not len(others):
        raise ValueError(
            f"others must be names, some of {', '.join(RIVALS)}, or a mapping from names to "
            f"estimators; got {others!r}"
        )
    if isinstance(others, Mapping):
        return {str(name): (_describe(str(name), one), one) for name, one in others.items()}
    unknown = [one for one in others if one not in RIVALS]
    if unknown:
        raise ValueError(f"others must be some of {', '.join(RIVALS)}; got {unknown[0]!r}")
    return {name: (RIVALS[name], make_rival(name, seed)) for name in dict.fromkeys(others)}


def _describe(name: str, estimator: Any) -> str:
    return RIVALS.get(name) or (type(estimator).__name__ if hasattr(estimator, "fit") else name)


def _name_first(name: str, estimator: Any) -> str:
    return RIVALS.get(name) or type(estimator).__name__


def _make(maker: Any, fold: Fold) -> Any:
    """The estimator of a method for a fold of the machine; a text if there is none."""
    if hasattr(maker, "fit") or isinstance(maker, str):
        return maker
    if fold.supports is None:
        return "the machine that it is compared with does not say which features it uses"
    return maker(int(fold.support.sum()))


def _judge(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    train: IndexArray,
    test: IndexArray,
) -> Fold | str:
    """The fold of a method, or why there is none."""
    if isinstance(estimator, str):
        return estimator
    try:
        return judge_fold(estimator, X, y, groups, train, test)
    except _FAILURES as error:
        return str(error) or type(error).__name__


def _count_texts(texts: Any) -> tuple[FoldNote, ...]:
    return tuple(starmap(FoldNote, Counter(texts).items()))


def _measure_stability(found: HeldOut) -> float | None:
    """How alike the selections are; None where no index is defined."""
    try:
        return stability_index(found.selections).index
    except ValueError:
        return None
