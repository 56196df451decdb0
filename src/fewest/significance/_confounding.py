"""Could something else explain the classes? Covariates besides the features."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.many_samples import hold_several
from fewest._estimators.splits import permute_labels, split_folds
from fewest._estimators.validation import check_count, encode_classes
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, percent
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance._covariates import (
    Covariate,
    cut_together,
    make_strata,
    read_covariates,
)
from fewest.significance._permutation import permutation_test
from fewest.significance._resampling import check_samples

_N_ASSOCIATIONS = 999
_LEVEL = 0.05
# Of the test whether measurements are balanced within their ranges: what it misses may be taken for
# an effect of the features, so it is not strict.
_LEVEL_OF_BALANCE = 0.2
_ROUNDING = 1e-12


@dataclass(frozen=True)
class CovariateReport:
    """One covariate: is it associated with the classes, and do the features predict it?

    `p_value` is that of the association with the classes (permuted labels). `error` is the balanced
    error in cross-validation if the class is predicted from the covariate alone, and
    `features_error` if the covariate is predicted from the features (above its median or not, for
    a measurement); NaN if folds could not be made. `guessing` is the error of guessing it.
    """

    name: str
    p_value: float
    error: float
    features_error: float
    guessing: float


@dataclass(frozen=True, repr=False)
class Confounding(Shown):
    """Outcome of `confounding`; errors are balanced ones in cross-validation.

    `error` is that of the machine, `covariates_error` that of the covariates alone. `p_value` is
    the share of labellings, permuted among samples that are alike in all covariates, with an error
    at most the machine's; None if the classes cannot be distinguished from the covariates at all.
    `unbalanced` names measurements that differ between the classes, even among samples of the same
    range: then the features may show only that.
    """

    report_kind = "confounding"  # as which `fewest.report` takes it
    covariates: tuple[CovariateReport, ...]
    error: float
    covariates_error: float
    guessing: float
    p_value: float | None
    n_strata: int
    n_mixed: int
    n_permutations: int
    unbalanced: tuple[str, ...] = ()

    @property
    def suspects(self) -> tuple[str, ...]:
        """Covariates that are associated with the classes."""
        return tuple(one.name for one in self.covariates if one.p_value <= _LEVEL)

    @property
    def is_explained(self) -> bool:
        """Whether the features were not shown to add anything to the covariates."""
        if self.p_value is None or not self.error < self.guessing:
            return True
        return self.p_value > _LEVEL and not self.is_open

    @property
    def is_open(self) -> bool:
        """Whether the samples cannot say if the features add anything to the covariates."""
        if self.p_value is None or not self.error < self.guessing:
            return False
        return self._are_too_few or (bool(self.unbalanced) and self.p_value <= _LEVEL)

    @property
    def _are_too_few(self) -> bool:
        """Whether no p-value could be small enough."""
        return 1.0 / (1.0 + self.n_permutations) > _LEVEL + _ROUNDING

    @property
    def verdict(self) -> str:
        """What follows, in one or two sentences."""
        names = _join([one.name for one in self.covariates])
        if self.p_value is None:
            return (
                f"The classes cannot be distinguished from {names}: samples that are alike in it "
                "are all of one class. The features may show that instead of the classes; only "
                "other samples can decide."
            )
        alike = f"among samples that are alike in {names}"
        if self.is_open and self._are_too_few:
            return (
                f"Whether the features tell the classes apart {alike} is not known: "
                f"{counted(self.n_permutations, 'permutation')} cannot give a p-value of {_LEVEL:g}"
            )
        if self.is_open:
            return (
                f"Whether the features tell the classes apart {alike} is not known: even in the "
                f"same range, {_join(self.unbalanced)} differs between the classes"
            )
        if self.is_explained:
            blame = f" What they show may be {_join(self.suspects)}." if self.suspects else ""
            return (
                f"The features do not tell the classes apart better than chance {alike} "
                f"(p = {self.p_value:.2g}).{blame}"
            )
        start = f"The features tell the classes apart {alike}, too (p = {self.p_value:.2g})"
        if not self.suspects:
            return f"{start}, and none of these is associated with the classes."
        verb = "is" if len(self.suspects) == 1 else "are"
        return (
            f"{start}. But {_join(self.suspects)} {verb} associated with the classes: predicted "
            f"from the covariates alone, the error is {percent(self.covariates_error)}; from the "
            f"features, it is {percent(self.error)}."
        )


def confounding(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    covariates: Any,
    *,
    cv: int = 5,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    n_permutations: int = 99,
    held_out: HeldOut | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Confounding:
    """Say whether covariates such as age, sex or batch could explain what the features show.

    Three questions: does a covariate alone predict the class; do the features predict the
    covariate; and do the features still predict the class among samples that are alike in all
    covariates? For the last question labels are permuted within strata: the same categories, and
    the same range of each measurement (two to twenty ranges with about the same number of samples).
    Within a range, measurements still differ a little; where they differ between the classes even
    there, nothing is claimed (`is_open`).

    Parameters
    ----------
    estimator : classifier, or None for SupportFeatureMachine()
        The machine to test.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples; the covariates are not among their features.
    y : array of shape (n_samples,)
        Their classes.
    covariates : mapping, data frame, or array of shape (n_samples, n_covariates)
        What else is known about the samples. Text is a category, and so are numbers with at most
        ten different values, and whole numbers of which each has several samples, as those of
        plates have. Other numbers are measurements, of which ranges count as alike.
    cv : int
        Folds of the cross-validation.
    groups : array of shape (n_samples,), optional
        Samples that belong together, as for `permutation_test`.
    exchange : {"within", "whole"}
        How labels of groups are permuted, as for `permutation_test`.
    n_permutations : int
        Permutations within strata; the smallest possible p-value is 1 / (1 + n_permutations).
    held_out : HeldOut, optional
        A cross-validation of `estimator` with the true classes: its folds are not fitted again, if
        `cv` and `random_state` (a number) are those that it was made with.
    random_state : int, RandomState instance or None
        Seed of folds and permutations.
    n_jobs : int, optional
        Processes, as in joblib.
    verbose : int
        Show progress bars.

    Returns
    -------
    Confounding

    Examples
    --------
    >>> from fewest.datasets import make_confounded
    >>> from fewest.significance import confounding
    >>> X, y, covariates = make_confounded(n=80, d=200, effect=0.0, random_state=0)
    >>> found = confounding(None, X, y, covariates, n_permutations=19, random_state=0)
    >>> found.suspects, found.is_explained
    (('batch',), True)
    """
    check_count("n_permutations", n_permutations)
    estimator = SupportFeatureMachine() if estimator is None else estimator
    X, labels, groups = check_samples(X, y, groups)
    classes, codes = encode_classes("a test of confounding", labels)
    checked = check_covariates(covariates, codes, groups, exchange)
    known, strata = checked.covariates, checked.strata
    rng = check_random_state(random_state)
    seed = rng.randint(2**31 - 1)
    run = {"cv": cv, "groups": groups, "random_state": seed, "n_jobs": n_jobs}
    if held_out is not None and _draws(held_out, cv, groups, random_state):
        seed = random_state
    elif held_out is None:
        held_out = run_held_out(estimator, X, labels, **run)
    reports = tuple(
        CovariateReport(
            one.name,
            _associate(one, codes, groups, exchange, rng),
            _judge_covariates([one], labels, run),
            _judge_features(estimator, X, one, run),
            1.0 - 1.0 / len(np.unique(one.halves)),
        )
        for one in known
    )
    p_value, n_done = None, 0
    unbalanced: tuple[str, ...] = ()
    if checked.n_mixed:
        test = permutation_test(
            estimator,
            X,
            labels,
            statistics="error",
            n_permutations=n_permutations,
            cv=cv,
            groups=groups,
            exchange=exchange,
            strata=strata,
            held_out=held_out.first_repeat if _draws(held_out, cv, groups, seed) else None,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        p_value, n_done = test.p_value, test.n_permutations
        unbalanced = tuple(
            one.name
            for one, report in zip(known, reports, strict=True)
            if one.is_number
            and report.p_value <= _LEVEL
            and _associate(one, codes, groups, exchange, rng, strata) <= _LEVEL_OF_BALANCE
        )
    return Confounding(
        covariates=reports,
        error=held_out.balanced_error,
        covariates_error=_judge_covariates(known, labels, run),
        guessing=1.0 - 1.0 / len(classes),
        p_value=p_value,
        n_strata=len(np.unique(strata)),
        n_mixed=checked.n_mixed,
        n_permutations=n_done,
        unbalanced=unbalanced,
    )


@dataclass(frozen=True, eq=False)
class CheckedCovariates:
    """Covariates that can be tested, and the strata of samples that are alike in all of them."""

    covariates: list[Covariate]
    strata: IndexArray
    n_mixed: int  # strata with samples of several classes

    def count_cross_validations(self, n_permutations: int) -> int:
        """How many of the machine the test takes: one for each labelling and each covariate."""
        return (n_permutations if self.n_mixed else 0) + len(self.covariates)


def check_covariates(
    covariates: Any, y: NDArray[Any], groups: NDArray[Any] | None, exchange: str
) -> CheckedCovariates:
    """Covariates and their strata; a ValueError says why they cannot be tested.

    Where labels of whole groups change places, samples of a group must be alike. Where labels
    change places within groups, samples of one group and stratum must be of several classes.
    """
    known = read_covariates(covariates, len(y))
    strata = make_strata(known)
    n_mixed = int(np.sum(hold_several(y, strata)))
    if groups is not None:
        has_mixed_groups = bool(hold_several(y, groups).any())
        if exchange == "whole" and not has_mixed_groups:
            _require_alike(known, groups)
        if exchange == "within" and has_mixed_groups and n_mixed:
            _require_mixed(known, strata, y, groups)
    return CheckedCovariates(known, strata, n_mixed)


def _require_alike(known: list[Covariate], groups: NDArray[Any]) -> None:
    """Raise if samples of a group are not alike, though their labels move together."""
    columns = zip(known, cut_together(known).T, strict=True)
    varying = [one.name for one, column in columns if hold_several(column, groups).any()]
    if varying:
        is_one = len(varying) == 1
        raise ValueError(
            f"{_join(varying)} {'differs' if is_one else 'differ'} between samples of the same "
            "group. Each group has one class, so the test exchanges the classes of whole groups, "
            "which must be alike in all covariates: give all samples of a group the same value, "
            f"or leave {'it' if is_one else 'them'} out of the covariates"
        )


def _require_mixed(
    known: list[Covariate], strata: IndexArray, y: NDArray[Any], groups: NDArray[Any]
) -> None:
    """Raise if no two samples of a group that are alike differ in their class."""
    member = np.unique(groups, return_inverse=True)[1]
    pairs = np.column_stack([member, strata])
    cells = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    if not hold_several(y, cells).any():
        raise ValueError(
            f"samples of the same group that are alike in {_join([one.name for one in known])} are "
            "all of one class. The test exchanges classes among such samples only: leave some of "
            "the covariates out"
        )


def _draws(held_out: HeldOut, cv: int, groups: NDArray[Any] | None, seed: Any) -> bool:
    """Whether folds drawn by this seed are those of the cross-validation.

    Folds are balanced by the classes, so other labels must have others: drawn in the same way. In
    folds that are balanced by the true classes only, other labels would do worse by that alone.
    """
    if not isinstance(seed, Integral):
        return False
    with warnings.catch_warnings(action="ignore"):  # of fewer folds
        drawn = split_folds(cv, held_out.y, groups, random_state=seed)
    known = held_out.first_repeat.folds
    return len(drawn) == len(known) and all(
        np.array_equal(test, fold.test) for (_, test), fold in zip(drawn, known, strict=True)
    )


def _associate(
    covariate: Covariate,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    exchange: str,
    rng: np.random.RandomState,
    strata: IndexArray | None = None,
) -> float:
    """The permutation p-value of how much of the covariate the classes explain, within strata."""
    permuted = permute_labels(codes, groups, _N_ASSOCIATIONS, rng, exchange=exchange, parts=strata)
    columns = covariate.encode()
    if strata is not None:
        means = np.stack([np.bincount(strata, weights=one) for one in columns.T], axis=1)
        columns = columns - (means / np.bincount(strata)[:, None])[strata]
    observed = _explain(columns, codes)
    chance = np.array([_explain(columns, one) for one in permuted])
    # Sums in another order differ by rounding.
    return float((1 + np.sum(chance >= observed * (1 - 1e-9))) / (1 + len(chance)))


def _explain(columns: FloatArray, codes: IndexArray) -> float:
    """The sum of squares between classes, each column in its own unit: chi-square, up to a factor.

    Rare categories count as much as in Pearson's statistic.
    """
    centred = columns - columns.mean(axis=0)
    sums = np.zeros((codes.max() + 1, columns.shape[1]))
    np.add.at(sums, codes, centred)
    sizes = np.bincount(codes, minlength=len(sums))[:, None]
    spread = np.maximum(np.mean(centred**2, axis=0), np.finfo(float).tiny)
    return float(np.sum(sums**2 / np.maximum(sizes, 1) / spread))


def _judge_covariates(known: list[Covariate], labels: NDArray[Any], run: dict[str, Any]) -> float:
    """The error if the class is predicted from covariates alone; NaN without folds."""
    columns = np.hstack([one.encode() for one in known])
    machine = LogisticRegression(class_weight="balanced", max_iter=1000)
    return _judge(machine, columns, labels, run)


def _judge_features(estimator: Any, X: Any, covariate: Covariate, run: dict[str, Any]) -> float:
    """The error if the covariate is predicted from the features; NaN without folds."""
    return _judge(estimator, X, covariate.halves, run)


def _judge(machine: Any, X: Any, y: NDArray[Any], run: dict[str, Any]) -> float:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about rare categories, which the folds may lack
            split_folds(run["cv"], y, run["groups"], random_state=run["random_state"])
            return run_held_out(machine, X, y, **run).balanced_error
    except (ValueError, NotSeparableError):
        return float("nan")


def _join(names: tuple[str, ...] | list[str]) -> str:
    """'age', 'age and sex', 'age, sex and batch'."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
