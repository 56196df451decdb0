"""Liknon with C, features and error from cross-validation."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from fewest._estimators.abilities import Abilities, Selection, Selector
from fewest._estimators.calibration import score_classes
from fewest._estimators.decisions import TwoClassesOnly, choose_classes, standardize_coef
from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.probabilities import (
    Calibrated,
    fit_temperature,
    pair_scores,
    share_scores,
)
from fewest._estimators.rules import RuleParameters
from fewest._estimators.splits import Split, balanced_error, check_groups, split_folds
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_data,
    check_new_data,
    check_usual_parameters,
    encode_two_classes,
    make_dense,
    standardize_columns,
    take_part,
)
from fewest._run.progress import run_in_threads
from fewest._types import FloatArray, IndexArray
from fewest.machines._discriminants import Discriminant, choose_best, make_profile, take_vote
from fewest.machines._monitoring import (
    Monitor,
    check_prefilter,
    check_training_size,
    draw_splits,
    sort_costs,
)
from fewest.machines._profile import (
    MOST_KNOWN,
    ProfileRule,
    check_threshold,
    judge_profile,
)

__all__ = ["LiknonCV"]

_OUTCOMES = ("profile", "best", "ensemble")
_MONITORS = ("discriminant", "classifier")


def _has_decisions(machine: LiknonCV) -> bool:
    """Whether what predicts has a decision function; linear discriminants do."""
    if machine.outcome != "profile":
        return True
    return hasattr(getattr(machine, "classifier_", machine._downstream()), "decision_function")


@dataclass(eq=False, repr=False)
class LiknonCV(
    RuleParameters, Selector, TwoClassesOnly, Calibrated, ClassifierMixin, BaseEstimator
):
    r"""Liknon filter and classifier for two classes, with everything chosen by cross-validation.

    The samples of every outer fold's complement are split at random, `n_splits` times, into a
    balanced Training set and a Monitoring set. On the Training set

    .. math:: \min_{w, b, \xi} \|w\|_1 + C \sum_i \xi_i
       \quad\text{s.t. } y_i (w^T x_i + b) \ge 1 - \xi_i,\; \xi_i \ge 0

    is solved along an increasing sequence of C that is derived from these samples; the Monitoring
    set chooses the discriminant with the smallest balanced error rate (BER), and in case of ties
    the one with the fewest features. The feature profile records how often each feature is in a
    chosen discriminant. The outer fold itself only measures the error.

    Training and Monitoring set: half of the smaller class, rounded down, and as many samples of the
    larger one make the Training set (or `training_size`); all others monitor. With `groups`, half
    of the groups do each (stratified), and surplus samples of the larger class in the Training half
    are not used. Classes count equally everywhere, so there is no `class_weight`.

    Parameters
    ----------
    n_Cs : int
        Number of values of C from the data, see `fewest.machines.transvariation`; the
        value 100 is added to them. For Training sets with more features than samples, further
        values are inserted until features enter one by one, or in about 40 steps (`max_jump` of
        `fewest.liknon_path`): the rule alone goes there from one feature to nearly as
        many as samples.
    Cs : array, callable or None
        Values of C instead, the same for all splits, or a function ``Cs(X, y, standardize=...)``
        that finds them from a Training set, such as `histogram_C` of
        `fewest.machines.transvariation`, or
        `transvariation_C` for the rule of Pranckeviciene & Somorjai without further values.
    cv : int, splitter or iterable of (train, test)
        Outer folds. A number stands for that many stratified folds (whole groups if `groups` are
        given to `fit`), or, with a warning, for as many as the smallest class has samples (or
        groups); they are shuffled if there is a `random_state`.
    n_splits : int
        Random splits into Training and Monitoring set in each outer fold. The fewer, the more noise
        features are in a fold's profile by chance.
    training_size : int, pair of int, or None
        Samples of each class in the Training set, or of the first and of the second class (as
        sorted), such as the 600 + 600 of table 8.6 and the 76 + 84 of sec. 8.2.2. None: from each
        class, half the size of the smaller one. With `groups`, at most this many of the Training
        half.
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
        `validation_ber_`, those outside the fold), or on 10,000 of them where there are more.
    classifier : estimator or None
        For the profile and as monitor; it gets the selected columns as they are. None stands for
        3 nearest neighbours among at most 10,000 samples: if there are more, that many are drawn at
        random in proportion to the sizes of the classes, with a warning.
    prefilter : int, float or None
        Keep only this many features (or this fraction of them, if below 1), those of largest
        absolute class difference in each Training set.
    standardize : bool
        Give the columns of each Training set variance one; otherwise take them as they are.
    random_state : int, RandomState or None
        Source of the random splits, and of the order of the samples in the folds.
    n_jobs : int or None
        Number of splits processed at the same time (threads), as in joblib.
    verbose : int
        Above zero, shows a progress bar, if tqdm is installed.
    include, exclude, feature_cost, signs
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`; included ones are in
        every discriminant, and signs refer to the class means of each Training set.
    feature_groups, one_per_group
        Not for a path of programs.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The labels; positive scores favour the second one.
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
        come from the other folds only.
    threshold_ : float
        Only for the profile: the threshold that gave `support_`.
    fold_supports_ : bool array of shape (n_folds, n_features)
        Features whose error `validation_ber_` is.
    estimators_ : list of Discriminant
        The chosen discriminants, `n_splits` per fold.
    paths_ : list of MonitoredPath
        The paths they come from.
    classifier_ : estimator
        Only for the profile: the fitted classifier.
    coef_, standardized_coef_, intercept_ : arrays of shape (1, n_features), the last one (1,)
        Only for the best discriminant: its weights.
    temperature_ : float
        Divisor of the scores in `predict_proba`, from the outer folds.
    n_features_in_ : int
        Number of features seen by `fit`.

    References
    ----------
    Pranckeviciene, Somorjai (2011). Liknon feature selection: behind the scenes. In: Hands-On
    Pattern Recognition, Challenges in Machine Learning vol. 1, ch. 8, sec. 8.2.1.

    Examples
    --------
    >>> from fewest.datasets import make_banana
    >>> from fewest import LiknonCV
    >>> X, y = make_banana(random_state=0)
    >>> machine = LiknonCV(n_Cs=10, random_state=0).fit(X, y)
    >>> machine.get_support(indices=True).tolist()
    [28, 29]
    """

    n_Cs: int = 50  # noqa: N815 (C is the field's own name)
    _: KW_ONLY
    Cs: Any = None
    cv: Any = 5
    n_splits: int = 5
    training_size: Any = None
    outcome: str = "profile"
    monitor: str = "discriminant"
    threshold: float | str = "auto"
    classifier: Any = None
    prefilter: float | None = None
    standardize: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    _kept_rules = ("include", "exclude", "feature_cost", "signs")
    _instead_of_rules = "Leave groups out, or use Liknon, which takes all rules"

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> LiknonCV:
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
        X, y = check_data(self, X, y)
        self.classes_, codes = encode_two_classes(type(self).__name__, y)
        standardize_columns(X)  # refuses NaN and constant data
        groups = check_groups(groups, len(y))
        if sparse.issparse(X):
            X = X.tocsr()  # rows are taken all the time
        rng = check_random_state(self.random_state)
        shuffle = None if self.random_state is None else rng.randint(2**31 - 1)
        folds = split_folds(self.cv, y, groups, random_state=shuffle)
        splits = draw_splits(folds, self.n_splits, codes, groups, rng, self.training_size)
        monitor = Monitor(
            count=self.n_Cs,
            Cs=self.Cs,
            prefilter=self.prefilter,
            standardize=self.standardize,
            classifier=self._downstream() if self.monitor == "classifier" else None,
            most_known=self._most_known,
            rules=self._read_rules(X.shape[1]),
        )
        if self.outcome == "profile" and self._most_known and len(y) > self._most_known:
            warnings.warn(
                f"nearest neighbours are searched for among {self._most_known:,} of the {len(y):,} "
                "samples, drawn at random. Set `classifier` to use all of them",
                stacklevel=2,
            )
        jobs = [(X, y, codes, split) for split in splits]
        self.paths_ = run_in_threads(
            monitor.follow, jobs, self.n_jobs, self.verbose, "Liknon paths", "split"
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
        X = check_new_data(self, X)
        if self.outcome == "profile":
            return self.classes_[self.classifier_.predict(make_dense(X[:, self.support_]))]
        return self.classes_[choose_classes(self._score(X, self._final))]

    @available_if(_has_decisions)
    def decision_function(self, X: Any) -> FloatArray:
        """Score of each sample; positive values favour the second class.

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
        X = check_new_data(self, X)
        if self.outcome == "profile":
            return self.classifier_.decision_function(make_dense(X[:, self.support_]))
        return self._score(X, self._final)

    @available_if(lambda machine: hasattr(machine, "temperature_"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class: its share of the exponential scores.

        The scores (for a profile those of its classifier, or logarithms of its own probabilities)
        are divided by one temperature, which suits the samples of the outer folds.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples, 2)
        """
        return share_scores(self._class_scores(X), self.temperature_)

    def _class_scores(self, X: Any) -> FloatArray:
        X = check_new_data(self, X)
        if self.outcome == "profile":
            return score_classes(self.classifier_, make_dense(X[:, self.support_]))
        return self._score(X, self._final)

    def _abilities(self) -> Abilities:
        return Abilities(
            "Liknon, C by cross-validation",
            has_scores=hasattr(self, "decision_function"),
            splits_samples=True,
            predicts_from_support=True,
            effort=80.0,
        )

    def _selection(self) -> Selection:
        found = super()._selection()
        if self.outcome != "best":
            return found
        return replace(found, coef=self.coef_, intercept=self.intercept_)

    def _check_parameters(self) -> None:
        check_usual_parameters(self)
        check_count("n_splits", self.n_splits)
        check_choice("outcome", self.outcome, _OUTCOMES)
        check_choice("monitor", self.monitor, _MONITORS)
        check_threshold(self.threshold)
        check_prefilter(self.prefilter)
        check_training_size(self.training_size)
        self._check_rules()
        if self.Cs is not None and not callable(self.Cs):
            sort_costs(self.Cs)

    def _keep(
        self,
        X: Any,
        codes: IndexArray,
        groups: NDArray[Any] | None,
        folds: list[Split],
        seed: int,
    ) -> None:
        shape = len(folds), self.n_splits
        self.estimators_ = [path.discriminant for path in self.paths_]
        self.C_ = np.array([found.C for found in self.estimators_]).reshape(shape)
        errors = [found.monitoring_ber for found in self.estimators_]
        self.monitoring_ber_ = np.array(errors).reshape(shape)
        chosen = [self.estimators_[n * shape[1] : (n + 1) * shape[1]] for n in range(shape[0])]
        self.profile_ = np.array([make_profile(found, X.shape[1]) for found in chosen])
        self.fold_supports_ = np.zeros(self.profile_.shape, dtype=bool)
        self.validation_ber_ = np.empty(len(folds))
        rule = ProfileRule(self.threshold, self._downstream(), self._most_known, seed)
        judged: list[tuple[FloatArray, IndexArray]] = []
        for fold, (development, validation) in enumerate(folds):
            if self.outcome == "profile":
                support, error, scores = judge_profile(
                    rule, X, codes, groups, self.profile_[fold], development, validation
                )
            else:
                members = self._members(chosen[fold])
                support = make_profile(members, X.shape[1]) > 0
                scores = self._score(X[validation], members)
                error = balanced_error(codes[validation], scores > 0)
            self.fold_supports_[fold], self.validation_ber_[fold] = support, error
            judged.append((pair_scores(scores), codes[validation]))
        self.temperature_ = fit_temperature(
            *(np.concatenate(part) for part in zip(*judged, strict=True))
        )
        self.frequency_ = self.profile_.mean(axis=0)
        if not self.frequency_.any():
            raise ValueError(
                f"no feature entered any discriminant, with C up to {self.C_.max():.3g}: the "
                "class means agree, or Cs needs larger values"
            )
        if self.outcome == "profile":
            self.threshold_, self.support_ = rule.choose(self.frequency_, X, codes, groups)
            # A model file fits to them again.
            rows = draw_subsample(codes, self._most_known)
            used = np.flatnonzero(self.support_)
            self._samples, self._labels = take_part(X, rows, used), codes[rows]
            self.classifier_ = clone(self._downstream()).fit(self._samples, self._labels)
        else:
            self.support_ = make_profile(self._final, X.shape[1]) > 0
        if self.outcome == "best":
            (best,) = self._final
            self.coef_ = np.zeros((1, X.shape[1]))
            self.coef_[0, best.features] = best.weights
            self.standardized_coef_ = standardize_coef(self.coef_, X)
            self.intercept_ = np.array([best.intercept])

    @property
    def _most_known(self) -> int | None:
        """How many samples the classifier is fitted to; None for all."""
        return MOST_KNOWN if self.classifier is None else None

    @property
    def _final(self) -> list[Discriminant]:
        return self._members(self.estimators_)

    def _members(self, found: list[Discriminant]) -> list[Discriminant]:
        """Those of the discriminants that vote in this outcome."""
        return found if self.outcome == "ensemble" else [choose_best(found)]

    def _score(self, X: Any, members: list[Discriminant]) -> FloatArray:
        if self.outcome == "best":
            return members[0].decision_function(X)
        return take_vote(members, X)

    def _downstream(self) -> Any:
        return KNeighborsClassifier(3) if self.classifier is None else self.classifier
