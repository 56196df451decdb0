"""Liknon with C, features and error found by cross-validation."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from fewest._core.columns import standardized
from fewest._discriminants import Discriminant, MonitoredPath, best_place, dense, profile_of
from fewest._splits import balanced_error, balanced_split, smallest_class
from fewest._validation import (
    check_choice,
    check_count,
    check_positive,
    finite_columns,
    validated,
)
from fewest.liknon_path import liknon_path
from fewest.transvariation import LARGEST_C, differences_of, transvariation_C

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

_OUTCOMES = ("profile", "best", "ensemble")
_MONITORS = ("discriminant", "classifier")
# The thresholds that the chapter tries.
_THRESHOLDS = tuple(percent / 100 for percent in range(10, 101, 5))


def _final_has(method: str) -> Callable[[Any], bool]:
    """Whether the machine that predicts has a method; linear ones decide, but have no odds."""

    def check(self: LiknonCV) -> bool:
        if self.outcome != "profile":
            return method == "decision_function"
        return hasattr(getattr(self, "classifier_", self._downstream()), method)

    return check


class LiknonCV(SelectorMixin, ClassifierMixin, BaseEstimator):
    r"""Liknon filter and classifier for two classes, with everything chosen by cross-validation.

    The samples of every outer fold's complement are split at random, `n_splits` times, into a
    balanced Training set and a Monitoring set. On the Training set

    .. math:: \min_{w, b, \xi} \|w\|_1 + C \sum_i \xi_i
       \quad\text{s.t. } y_i (w^T x_i + b) \ge 1 - \xi_i,\; \xi_i \ge 0

    is solved along an increasing sequence of C that follows from these samples; the Monitoring set
    chooses the discriminant of smallest balanced error rate (BER), of equal ones that with the
    fewest features. How often each feature is in a chosen discriminant is the feature profile. The
    outer fold itself only measures the error.

    Training and Monitoring set: half of the smaller class, rounded down, and as many samples of the
    larger one make the Training set; all others monitor. With `groups`, half of the groups do each
    (stratified), and surplus samples of the larger class in the Training half are not used. Classes
    count equally everywhere, so that there is no `class_weight`.

    Parameters
    ----------
    n_values : int
        Number of values of C from the data, see `fewest.transvariation.transvariation_C`; the
        value 100 is added to them.
    Cs : array, callable or None
        Values of C instead, the same for all splits, or a function ``Cs(X, y, standardize=...)``
        that finds them from a Training set, such as `fewest.transvariation.histogram_C`.
    cv : int, splitter or iterable of (train, test)
        Outer folds. A number stands for that many stratified folds in random order, whole groups if
        `groups` are given to `fit`.
    n_splits : int
        Random splits into Training and Monitoring set in each outer fold. The fewer, the more noise
        features are in a fold's profile by chance.
    outcome : {"profile", "best", "ensemble"}
        What classifies in the end. "profile": `classifier` on the features that are in at least
        the share `threshold` of all discriminants; "best": the single discriminant of smallest
        monitoring BER; "ensemble": the mean vote of all discriminants.
    monitor : {"discriminant", "classifier"}
        Whose monitoring error chooses C: that of the Liknon discriminant, or that of `classifier`,
        fitted to the Training set on the discriminant's features. The latter suits classes that
        no line separates.
    threshold : float or "auto"
        For the profile, in (0, 1]. If no feature is that frequent, the most frequent ones are kept.
        "auto" takes the largest of 0.1, 0.15, ..., 1 at which the BER of `classifier` is within one
        standard error of the smallest, in a 5-fold cross-validation on the samples at hand (for
        `validation_ber_`, those outside the fold).
    classifier : estimator or None
        For the profile and as monitor; it gets the selected columns as they are. None stands for
        3 nearest neighbours.
    prefilter : int, float or None
        Keep only this many features (or this fraction of them, if below 1), those of largest
        absolute class difference in each Training set.
    standardize : bool
        Give the columns of each Training set variance one; otherwise take them as they are.
    random_state : int, RandomState or None
        Source of the folds and splits.
    n_jobs : int or None
        Splits that are worked on at the same time.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The labels; positive scores speak for the second one.
    support_ : bool array of shape (n_features,)
        Features used by the final classifier.
    profile_ : array of shape (n_folds, n_features)
        Share of the fold's discriminants that use a feature.
    frequency_ : array of shape (n_features,)
        Mean of `profile_` over the folds.
    C_ : array of shape (n_folds, n_splits)
        Cost of each chosen discriminant.
    monitoring_ber_ : array of shape (n_folds, n_splits)
        BER of the chosen discriminants (or of the classifier, see `monitor`) on their Monitoring
        sets: optimistic, since it chose them.
    validation_ber_ : array of shape (n_folds,)
        BER of the outcome on the outer folds. It is honest: profile, C and classifier of a fold
        come from the other folds alone.
    threshold_ : float
        Only for the profile: the threshold that gave `support_`.
    fold_supports_ : bool array of shape (n_folds, n_features)
        Features whose error `validation_ber_` is.
    estimators_ : list of Discriminant
        The chosen discriminants, `n_splits` a fold.
    paths_ : list of MonitoredPath
        The paths they come from.
    classifier_ : estimator
        Only for the profile: the fitted classifier.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        Only for the best discriminant: its weights.
    n_features_in_ : int
        Number of features seen by `fit`.

    References
    ----------
    Pranckeviciene, Somorjai (2011). Liknon feature selection: behind the scenes. In: Hands-On
    Pattern Recognition, Challenges in Machine Learning vol. 1, ch. 8, sec. 8.2.1.

    Examples
    --------
    >>> from fewest.datasets import make_banana
    >>> from fewest.liknon_cv import LiknonCV
    >>> X, y = make_banana(random_state=0)
    >>> machine = LiknonCV(n_values=10, random_state=0).fit(X, y)
    >>> machine.get_support(indices=True).tolist()
    [28, 29]
    """

    def __init__(
        self,
        n_values: int = 50,
        *,
        Cs: Any = None,
        cv: Any = 5,
        n_splits: int = 5,
        outcome: str = "profile",
        monitor: str = "discriminant",
        threshold: float | str = "auto",
        classifier: Any = None,
        prefilter: float | None = None,
        standardize: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_values = n_values
        self.Cs = Cs
        self.cv = cv
        self.n_splits = n_splits
        self.outcome = outcome
        self.monitor = monitor
        self.threshold = threshold
        self.classifier = classifier
        self.prefilter = prefilter
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> LiknonCV:
        """Find discriminants, profile and final classifier, and measure their error.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type.
        y : array of shape (n_samples,)
            Labels of two classes.
        groups : array of shape (n_samples,), optional
            Samples of one group (a patient, say) are never on both sides of a split.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = validated(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            few = "only one class" if len(self.classes_) == 1 else f"{len(self.classes_)} classes"
            raise ValueError(
                "Only binary classification is supported. LiknonCV tells two classes apart; the "
                f"target holds {few}. For more than two, wrap it in "
                "sklearn.multiclass.OneVsRestClassifier"
            )
        finite_columns(X, None, per_column=True)  # refuses NaN and constant data
        if groups is not None:
            groups = column_or_1d(groups)
            check_consistent_length(X, y, groups)
        if sparse.issparse(X):
            X = X.tocsr()  # rows are taken all the time
        rng = check_random_state(self.random_state)
        folds = self._outer_folds(X, y, codes, groups, rng)
        tasks = self._inner_splits(folds, codes, groups, rng)
        self.paths_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._path)(X, y, codes, *task) for task in _bar(tasks, self.verbose)
        )
        self._keep(X, codes, groups, folds, rng.randint(2**31 - 1))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each sample.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples,)
        """
        X = self._checked(X)
        if self.outcome == "profile":
            return self.classes_[self.classifier_.predict(dense(X[:, self.support_]))]
        return self.classes_[(self._score(X, self._final) > 0).astype(int)]

    @available_if(_final_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Score of each sample; positive values speak for the second class.

        For the best discriminant it is w . x + b, for the ensemble the mean vote between -1 and 1,
        for the profile what its classifier says.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,)
        """
        X = self._checked(X)
        if self.outcome == "profile":
            return self.classifier_.decision_function(dense(X[:, self.support_]))
        return self._score(X, self._final)

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, from the classifier on the profile.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples, 2)
        """
        X = self._checked(X)
        return self.classifier_.predict_proba(dense(X[:, self.support_]))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _check_parameters(self) -> None:
        check_count("n_values", self.n_values)
        check_count("n_splits", self.n_splits)
        check_choice("outcome", self.outcome, _OUTCOMES)
        check_choice("monitor", self.monitor, _MONITORS)
        threshold = self.threshold
        chosen_here = isinstance(threshold, str) and threshold == "auto"
        if not chosen_here and (not _is_number(threshold) or not 0.0 < threshold <= 1.0):
            raise ValueError(
                f"threshold must be 'auto', or above 0 and at most 1; got {threshold!r}"
            )
        share = self.prefilter
        if share is not None and not (
            _is_number(share) and share > 0 and (share < 1 or isinstance(share, Integral))
        ):
            raise ValueError(
                "prefilter must be None, a whole number of features of at least one, or a "
                f"fraction between 0 and 1; got {share!r}"
            )
        if self.Cs is not None and not callable(self.Cs):
            _costs(self.Cs)
        if isinstance(self.cv, Integral) and self.cv < 2:
            raise ValueError(f"cv must be at least two folds; got {self.cv!r}")

    def _outer_folds(
        self,
        X: Any,
        y: NDArray[Any],
        codes: IndexArray,
        groups: NDArray[Any] | None,
        rng: np.random.RandomState,
    ) -> list[tuple[IndexArray, IndexArray]]:
        splitter = self.cv
        if isinstance(splitter, Integral):
            kind = StratifiedKFold if groups is None else StratifiedGroupKFold
            splitter = kind(splitter, shuffle=True, random_state=rng.randint(2**31 - 1))
            unit, least = smallest_class(codes, groups)
            if least < self.cv:
                raise ValueError(
                    f"the smallest class has {least} {unit}, too few for cv={self.cv} folds: "
                    "lower cv"
                )
        splitter = check_cv(splitter, y, classifier=True)
        with warnings.catch_warnings():
            # Of groups that do not fit evenly; what matters is checked fold by fold below.
            warnings.filterwarnings("ignore", message="The least populated class")
            return [(train, test) for train, test in splitter.split(X, y, groups)]

    def _inner_splits(
        self,
        folds: list[tuple[IndexArray, IndexArray]],
        codes: IndexArray,
        groups: NDArray[Any] | None,
        rng: np.random.RandomState,
    ) -> list[tuple[int, int, IndexArray, IndexArray]]:
        """All random splits, drawn before any work so that n_jobs cannot change them."""
        tasks = []
        for fold, (development, _) in enumerate(folds):
            own_groups = None if groups is None else groups[development]
            unit, least = smallest_class(codes[development], own_groups)
            if least < 2:
                raise ValueError(
                    f"a class has {least} {unit} outside fold {fold + 1}, too few for a Training "
                    "and a Monitoring set: at least 2 are needed. Lower cv, or add samples"
                )
            for split in range(self.n_splits):
                training, monitoring = balanced_split(codes[development], own_groups, rng)
                tasks.append((fold, split, development[training], development[monitoring]))
        return tasks

    def _path(
        self,
        X: Any,
        y: NDArray[Any],
        codes: IndexArray,
        fold: int,
        split: int,
        training: IndexArray,
        monitoring: IndexArray,
    ) -> MonitoredPath:
        X_training, y_training = X[training], y[training]
        signs = np.where(codes[training] == 1, 1.0, -1.0)
        difference = differences_of(standardized(X_training), signs, standardize=self.standardize)
        if not difference.any():
            return self._empty_path(fold, split, training, monitoring)
        kept = self._prefiltered(np.abs(difference))
        if kept is not None:
            X_training = X_training[:, kept]
        path = liknon_path(
            X_training,
            y_training,
            self._sequence(X_training, y_training),
            standardize=self.standardize,
        )
        used = np.flatnonzero(path.coefs.any(axis=0))
        weights = path.coefs[:, used]
        features = used if kept is None else kept[used]
        seen = dense(X[monitoring][:, features])
        if self.monitor == "classifier":
            known = dense(X_training[:, used]), codes[training]
            errors = self._classifier_errors(weights != 0.0, known, (seen, codes[monitoring]))
        else:
            scores = seen @ weights.T + path.intercepts
            errors = np.array([balanced_error(codes[monitoring], row > 0) for row in scores.T])
        counts = np.count_nonzero(weights, axis=1)
        chosen = best_place(errors, counts)
        own = weights[chosen] != 0.0
        return MonitoredPath(
            fold=fold,
            split=split,
            training=training,
            monitoring=monitoring,
            Cs=np.asarray(path.Cs),
            n_features=counts,
            ratios=np.asarray(path.ratios),
            monitoring_ber=errors,
            chosen=chosen,
            discriminant=Discriminant(
                features=features[own],
                weights=weights[chosen, own],
                intercept=float(path.intercepts[chosen]),
                C=float(path.Cs[chosen]),
                monitoring_ber=float(errors[chosen]),
            ),
        )

    def _sequence(self, X: Any, y: NDArray[Any]) -> FloatArray:
        """Costs for a Training set."""
        if callable(self.Cs):
            return _costs(self.Cs(X, y, standardize=self.standardize))
        if self.Cs is not None:
            return _costs(self.Cs)
        return transvariation_C(X, y, self.n_values, standardize=self.standardize)

    def _classifier_errors(
        self,
        supports: NDArray[np.bool_],
        training: tuple[FloatArray, IndexArray],
        monitoring: tuple[FloatArray, IndexArray],
    ) -> FloatArray:
        """Monitoring error of the classifier on each set of columns; each set is tried once."""
        known: dict[bytes, float] = {}
        errors = np.empty(len(supports))
        for place, support in enumerate(supports):
            key = support.tobytes()
            if key not in known:
                known[key] = _error_on(self._downstream(), support, training, monitoring)
            errors[place] = known[key]
        return errors

    def _prefiltered(self, size: FloatArray) -> IndexArray | None:
        """Columns of the largest class differences, in increasing order; None for all."""
        if self.prefilter is None:
            return None
        count = self.prefilter if self.prefilter >= 1 else max(1, round(self.prefilter * len(size)))
        return np.sort(np.argsort(-size, kind="stable")[:count])

    def _empty_path(
        self, fold: int, split: int, training: IndexArray, monitoring: IndexArray
    ) -> MonitoredPath:
        """Where the class means of a Training set agree: w = 0 is optimal for every C."""
        fixed = self.Cs is not None and not callable(self.Cs)
        Cs = _costs(self.Cs) if fixed else np.array([LARGEST_C])
        nothing = np.empty(0, dtype=np.intp)
        return MonitoredPath(
            fold=fold,
            split=split,
            training=training,
            monitoring=monitoring,
            Cs=Cs,
            n_features=np.zeros(len(Cs), dtype=np.intp),
            ratios=np.full(len(Cs), np.nan),
            monitoring_ber=np.full(len(Cs), 0.5),
            chosen=0,
            discriminant=Discriminant(nothing, np.empty(0), 0.0, float(Cs[0]), 0.5),
        )

    def _keep(
        self,
        X: Any,
        codes: IndexArray,
        groups: NDArray[Any] | None,
        folds: list[tuple[IndexArray, IndexArray]],
        seed: int,
    ) -> None:
        shape = len(folds), self.n_splits
        self.estimators_ = [path.discriminant for path in self.paths_]
        self.C_ = np.array([found.C for found in self.estimators_]).reshape(shape)
        self.monitoring_ber_ = np.array(
            [found.monitoring_ber for found in self.estimators_]
        ).reshape(shape)
        self.profile_ = np.zeros((len(folds), X.shape[1]))
        self.fold_supports_ = np.zeros(self.profile_.shape, dtype=bool)
        self.validation_ber_ = np.empty(len(folds))
        for fold, (development, validation) in enumerate(folds):
            found = self.estimators_[fold * self.n_splits : (fold + 1) * self.n_splits]
            self.profile_[fold] = profile_of(found, X.shape[1])
            if self.outcome == "profile":
                own_groups = None if groups is None else groups[development]
                known = X[development], codes[development]
                _, support = self._threshold(self.profile_[fold], *known, own_groups, seed)
                new = X[validation], codes[validation]
                error = _error_on(self._downstream(), support, known, new)
            else:
                support = profile_of(self._members(found), X.shape[1]) > 0
                predicted = self._score(X[validation], self._members(found)) > 0
                error = balanced_error(codes[validation], predicted)
            self.fold_supports_[fold] = support
            self.validation_ber_[fold] = error
        self.frequency_ = self.profile_.mean(axis=0)
        if not self.frequency_.any():
            raise ValueError(
                f"no feature entered any discriminant, with C up to {self.C_.max():.3g}: the "
                "class means agree, or Cs needs larger values"
            )
        if self.outcome == "profile":
            self.threshold_, self.support_ = self._threshold(
                self.frequency_, X, codes, groups, seed
            )
            self.classifier_ = clone(self._downstream()).fit(dense(X[:, self.support_]), codes)
        else:
            self.support_ = profile_of(self._final, X.shape[1]) > 0
        if self.outcome == "best":
            (best,) = self._final
            self.coef_ = np.zeros((1, X.shape[1]))
            self.coef_[0, best.features] = best.weights
            self.intercept_ = np.array([best.intercept])

    def _threshold(
        self,
        frequency: FloatArray,
        X: Any,
        codes: IndexArray,
        groups: NDArray[Any] | None,
        seed: int,
    ) -> tuple[float, NDArray[np.bool_]]:
        """The threshold, given or by cross-validation on these samples, and its features."""
        if self.threshold != "auto":
            return float(self.threshold), _at_least(self.threshold, frequency)
        # Thresholds between the same two frequencies mean the same features: keep the largest.
        supports = {_at_least(one, frequency).tobytes(): one for one in _THRESHOLDS}
        candidates = sorted(supports.values(), reverse=True)  # fewest features first
        n_folds = min(5, smallest_class(codes, groups)[1])
        if len(candidates) == 1 or n_folds < 2:
            return candidates[0], _at_least(candidates[0], frequency)
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        folds = kind(n_folds, shuffle=True, random_state=seed)
        wrong = np.array(
            [
                cross_val_predict(
                    self._downstream(),
                    dense(X[:, _at_least(one, frequency)]),
                    codes,
                    groups=groups,
                    cv=folds,
                )
                != codes
                for one in candidates
            ]
        )
        best = candidates[_first_within_one_standard_error(wrong, codes)]
        return best, _at_least(best, frequency)

    @property
    def _final(self) -> list[Discriminant]:
        return self._members(self.estimators_)

    def _members(self, found: list[Discriminant]) -> list[Discriminant]:
        """Those of the discriminants that vote in this outcome."""
        if self.outcome == "ensemble":
            return found
        # One that found no feature stands back behind all others, as on the path.
        key = attrgetter("monitoring_ber", "n_features")
        return [min([one for one in found if one.n_features] or found, key=key)]

    def _score(self, X: Any, members: list[Discriminant]) -> FloatArray:
        if self.outcome == "best":
            return members[0].decision_function(X)
        return np.mean([np.sign(one.decision_function(X)) for one in members], axis=0)

    def _downstream(self) -> Any:
        return KNeighborsClassifier(3) if self.classifier is None else self.classifier

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse=("csr", "csc"), dtype="numeric", reset=False)


def _first_within_one_standard_error(wrong: NDArray[np.bool_], codes: IndexArray) -> int:
    """First row whose balanced error is at most one standard error above the smallest."""
    rates = np.array([wrong[:, codes == code].mean(axis=1) for code in (0, 1)])
    errors = rates.mean(axis=0)
    best = errors.argmin()
    sizes = np.bincount(codes, minlength=2)
    standard_error = np.sqrt(np.sum(rates[:, best] * (1.0 - rates[:, best]) / sizes)) / 2.0
    return int(np.flatnonzero(errors <= errors[best] + standard_error + 1e-12)[0])


def _at_least(threshold: float, frequency: FloatArray) -> NDArray[np.bool_]:
    """Features of at least this frequency, or the most frequent ones if there is none."""
    # Frequencies are sums of fractions: 3 of 5 must reach a threshold of 0.6.
    return (frequency > 0.0) & (frequency >= min(threshold, frequency.max()) - 1e-9)


def _error_on(
    classifier: Any,
    support: NDArray[np.bool_],
    known: tuple[Any, IndexArray],
    new: tuple[Any, IndexArray],
) -> float:
    """Balanced error on new samples of a classifier that uses some columns; 0.5 without any."""
    if not support.any():
        return 0.5
    machine = clone(classifier).fit(dense(known[0][:, support]), known[1])
    return balanced_error(new[1], machine.predict(dense(new[0][:, support])))


def _costs(Cs: Any) -> FloatArray:
    """The given costs, increasing; an error unless they are positive numbers."""
    Cs = np.asarray(Cs, dtype=np.float64)
    if Cs.ndim != 1 or not len(Cs):
        raise ValueError(f"Cs must be a list of at least one cost; got shape {Cs.shape}")
    for C in Cs.tolist():
        check_positive("every value of Cs", C)
    return np.unique(Cs)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _bar(tasks: list[Any], verbose: int) -> Iterable[Any]:
    if not verbose:
        return tasks
    try:
        from tqdm import tqdm
    except ImportError:  # a convenience only
        return tasks
    return tqdm(tasks, desc="Liknon paths", unit="split", leave=False, file=sys.stderr)
