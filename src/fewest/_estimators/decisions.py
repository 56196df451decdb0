"""From scores to classes: what classifiers share once they are fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from fewest._estimators.probabilities import Calibrated, share_scores
from fewest._estimators.validation import check_new_data
from fewest._solvers.columns import weighted_moments
from fewest._types import FloatArray, IndexArray

_ROUNDING = 1e-12  # relative, of sums over features


def choose_classes(scores: FloatArray) -> IndexArray:
    """Place of the class of every sample: of its largest score, or 1 for a single positive one.

    The first of scores that are equal up to rounding: programs without a margin leave samples on
    the border of two classes, where the last digits must not decide.
    """
    if scores.ndim == 2 and scores.shape[1] > 1:
        doubt = _ROUNDING * np.abs(scores).max(axis=1, keepdims=True)
        return (scores >= scores.max(axis=1, keepdims=True) - doubt).argmax(axis=1)
    return (scores.ravel() > 0).astype(np.intp)


class ScoreClassifier(Calibrated, ClassifierMixin):
    """A classifier whose `decision_function` decides."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each sample.

        Parameters
        ----------
        X : array, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
            Samples to classify. Genes of an AnnData object are found by name, in any order.

        Returns
        -------
        array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[choose_classes(scores)]

    @available_if(lambda machine: hasattr(machine, "temperature_"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class: its share of the exponential scores.

        The scores are divided by one temperature, chosen so that the classes of samples left out of
        a fit are as likely as possible. Machines that count features leave them out of the last fit
        only, not of the selection: if features were selected from very many, the probabilities
        of new samples are then too extreme. Estimators that choose by cross-validation, and all
        other classifiers, take the temperature from folds that select again.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return share_scores(self.decision_function(X), self.temperature_)


class LinearClassifier(ScoreClassifier):
    """A classifier with weights for X as it was given, which are zero outside `support_`."""

    coef_: FloatArray
    standardized_coef_: FloatArray  # times the standard deviations of the columns
    intercept_: FloatArray
    support_: NDArray[np.bool_]

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of w . x + b; positive values favour the (second) class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        X = check_new_data(self, X)
        used = np.flatnonzero(self.support_)
        scores = np.asarray(X[:, used] @ self.coef_[:, used].T) + self.intercept_
        return scores.ravel() if len(self.intercept_) == 1 else scores


def standardize_coef(coef: FloatArray, X: Any) -> FloatArray:
    """Weights for X as it was given, times the standard deviations of its columns."""
    used = np.flatnonzero(coef.any(axis=0))
    standardized = np.zeros_like(coef)
    standardized[:, used] = coef[:, used] * np.sqrt(weighted_moments(X[:, used])[1])
    return standardized


class TwoClassesOnly:
    """Says to scikit-learn that the classifier compares two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        return tags
