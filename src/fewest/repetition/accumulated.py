"""One classifier on several subsets of a repetitive selection together."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if

from fewest._estimators.abilities import Abilities, Selector, abilities_of, feature_names_of
from fewest._estimators.calibration import calibrate, score_classes
from fewest._estimators.probabilities import Calibrated, share_scores
from fewest._estimators.rules import number_rules
from fewest._estimators.splits import Split, balanced_error, check_groups, split_folds
from fewest._estimators.validation import (
    check_count,
    check_data,
    check_flag,
    check_new_data,
    make_dense,
)
from fewest._run.progress import progress_bar
from fewest._types import FloatArray, IndexArray
from fewest.repetition.selector import RepetitiveSelector

__all__ = ["AccumulatedClassifier"]


@dataclass(eq=False, repr=False)
class AccumulatedClassifier(
    Selector, Calibrated, MetaEstimatorMixin, ClassifierMixin, BaseEstimator
):
    r"""A support vector machine on the union of disjoint subsets of features.

    The subsets :math:`R_1, R_2, \dots` of a :class:`~fewest.RepetitiveSelector`, in the order of
    size, are joined: the classifier is trained on :math:`R_1 \cup \dots \cup R_k`. Several small
    subsets together often make a better rule than each alone. The greedy variant
    goes through the subsets in the order found, and adds one only if the cross-validated
    balanced error of the classifier becomes smaller.

    The cross-validation of the greedy variant takes the subsets as given, although all samples
    had a part in finding them: it compares unions, and is not an estimate of the error.

    Parameters
    ----------
    selector : RepetitiveSelector, default=None
        None stands for ``RepetitiveSelector(n_subsets=10)``.
    classifier : classifier, default=None
        None stands for a linear support vector machine with C = 1 on standardised features.
    n_subsets : int, default=None
        How many subsets to join (or, greedy, to consider); all by default.
    greedy : bool, default=False
        Add a subset only if it improves the classifier.
    cv : int, splitter or iterable of (train, test), default=5
        Folds of the greedy variant.
    verbose : int, default=0
        For the greedy variant, 1 shows a progress bar; 2 also prints a line for every subset.

    Attributes
    ----------
    selector_ : RepetitiveSelector
        The fitted selector.
    classifier_ : classifier
        Fitted to the joined features.
    joined_ : array of int
        Places in ``selector_.subsets_`` of the joined subsets, in that order.
    cv_errors_ : array of shape (n_considered,)
        Greedy only: the cross-validated balanced error with each subset that was considered.
    support_ : array of shape (n_features,), bool
        The joined features.
    temperature_ : float
        Divisor of the scores in `predict_proba`.
    classes_ : array of shape (n_classes,)
        The class labels.

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, fig. 4.18.

    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), sec. 5
    (the greedy variant).

    Examples
    --------
    >>> from fewest import AccumulatedClassifier, RepetitiveSelector
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=60, d=1000, k=20, mu=0.7, random_state=0)
    >>> X_new, y_new = make_gaussian(n=200, d=1000, k=20, mu=0.7, random_state=1)
    >>> selector = RepetitiveSelector(n_subsets=6)
    >>> first = AccumulatedClassifier(selector, n_subsets=1).fit(X, y)
    >>> six = AccumulatedClassifier(selector).fit(X, y)
    >>> first.score(X_new, y_new) < six.score(X_new, y_new)
    True
    """

    selector: RepetitiveSelector | None = None
    _: KW_ONLY
    classifier: Any = None
    n_subsets: int | None = None
    greedy: bool = False
    cv: Any = 5
    verbose: int = 0

    def fit(
        self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None
    ) -> AccumulatedClassifier:
        """Find the subsets, join them, and train the classifier.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type.
        y : array of shape (n_samples,)
            Class labels.
        groups : array of shape (n_samples,), optional
            Samples that belong together, for the selector and for the folds of the greedy variant.

        Returns
        -------
        self
            The fitted classifier.
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        selector = RepetitiveSelector(n_subsets=10) if self.selector is None else self.selector
        names = feature_names_of(self)
        if names is not None:  # X has lost them here
            selector = number_rules(selector, names)
        if not self._calibrates:  # a fit within folds must not write into the file of the whole
            selector = clone(selector).set_params(checkpoint=None)
        self.selector_ = clone(selector).fit(X, y, groups=groups)
        self.classes_ = self.selector_.classes_
        order = np.arange(len(self.selector_.subsets_)) if self.greedy else self.selector_.ranking_
        order = order[: self.n_subsets]
        self.joined_ = self._join_greedily(X, y, groups, order) if self.greedy else order
        features = self._unite(self.joined_)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[features] = True
        # A model file fits to them again.
        self._samples, self._labels = make_dense(X[:, features]), y.copy()
        self.classifier_ = self._make_classifier().fit(self._samples, self._labels)
        calibrate(self, X, y, check_groups(groups, len(y)))
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
        selected = self._take_selected(X)
        return self.classifier_.predict(selected)

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classifier on the joined features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,), or what the classifier returns for more than two classes
        """
        selected = self._take_selected(X)
        return self.classifier_.decision_function(selected)

    @available_if(lambda machine: hasattr(machine, "temperature_"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class: its share of the exponential scores.

        The scores (logarithms of the classifier's own probabilities, if it has no other) are
        divided by one temperature, which suits samples that had no part in the subsets either.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return share_scores(self._class_scores(X), self.temperature_)

    def _class_scores(self, X: Any) -> FloatArray:
        return score_classes(self.classifier_, self._take_selected(X))

    def _take_selected(self, X: Any) -> Any:
        X = check_new_data(self, X)
        return make_dense(X[:, np.flatnonzero(self.support_)])

    def _abilities(self) -> Abilities:
        return Abilities(
            "classifier on accumulated subsets",
            has_scores=abilities_of(self._make_classifier()).has_scores,
            splits_samples=True,
            predicts_from_support=True,
            effort=80.0,
        )

    def _check_parameters(self) -> None:
        check_count("n_subsets", self.n_subsets, or_none=True)
        check_flag("greedy", self.greedy)

    def _make_classifier(self) -> Any:
        if self.classifier is None:
            return make_pipeline(StandardScaler(), SVC(kernel="linear", C=1.0))
        return clone(self.classifier)

    def _unite(self, places: IndexArray) -> IndexArray:
        return np.sort(np.concatenate([self.selector_.subsets_[place] for place in places]))

    def _join_greedily(
        self, X: Any, y: NDArray[Any], groups: ArrayLike | None, order: IndexArray
    ) -> IndexArray:
        """The subsets that lower the cross-validated error when they join."""
        splits = split_folds(self.cv, y, groups)
        joined: list[int] = []
        errors: list[float] = []
        best = np.inf
        shown = progress_bar(
            order.tolist(), len(order), self.verbose > 0, what="greedy choice", unit="subset"
        )
        for place in shown:
            Z = make_dense(X[:, self._unite(np.array([*joined, place]))])
            error = self._measure_error(Z, y, splits)
            errors.append(error)
            joins = error < best
            if joins:
                joined.append(place)
                best = error
            if self.verbose > 1:
                print(
                    f"[AccumulatedClassifier] subset {place}: error {error:.3f}, "
                    f"{'joins' if joins else 'left out'}"
                )
        self.cv_errors_ = np.array(errors)
        return np.array(joined)

    def _measure_error(self, Z: Any, y: NDArray[Any], splits: list[Split]) -> float:
        errors = []
        for train, test in splits:
            predicted = self._make_classifier().fit(Z[train], y[train]).predict(Z[test])
            errors.append(balanced_error(y[test], predicted))
        return float(np.mean(errors))
