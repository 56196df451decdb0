"""A machine for at most so many genes, made of one Support Feature Machine per type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Abilities, Selection, Selector, certificates_of
from fewest._estimators.certificate import Certificate
from fewest._estimators.validation import make_dense
from fewest._solvers.blas_threads import one_blas_thread
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine
from fewest.single_cell._values import describe_columns

_MOST_ITERATIONS = 1000


class LimitedMachine(Selector, ClassifierMixin, BaseEstimator):
    """The features with the largest weights, and one multinomial decision on them.

    Parameters
    ----------
    machine : SupportFeatureMachine
        Its features are ranked by their largest weight, in standard deviations.
    max_features : int
        Most features to keep.
    """

    def __init__(self, machine: SupportFeatureMachine, max_features: int) -> None:
        self.machine = machine
        self.max_features = max_features

    def _abilities(self) -> Abilities:
        return Abilities("Support Feature Machine with few genes", predicts_from_support=True)

    def _selection(self) -> Selection:
        supports = np.tile(self.support_, (len(self.coef_), 1))
        return Selection(supports, self.coef_, self.intercept_, cost=float(self.support_.sum()))

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return certificates_of(self.machine_, signs)

    def fit(self, X: Any, y: ArrayLike) -> LimitedMachine:
        """Select, keep the strongest, and fit the decision on them."""
        self.machine_ = SupportFeatureMachine(**self.machine.get_params()).fit(X, y)
        self.classes_ = self.machine_.classes_
        found = np.flatnonzero(self.machine_.support_)
        scale = describe_columns(X[:, found])[1]
        strength = np.abs(self.machine_.coef_[:, found] * scale).max(axis=0)
        kept = np.sort(found[np.argsort(-strength, kind="stable")[: self.max_features]])
        decision = LogisticRegression(max_iter=_MOST_ITERATIONS)
        model = make_pipeline(StandardScaler(), decision)
        with one_blas_thread():
            model.fit(make_dense(X[:, kept]), y)
        scaler = model[0]
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[kept] = True
        self.coef_ = np.zeros((len(decision.coef_), X.shape[1]))
        self.coef_[:, kept] = decision.coef_ / scaler.scale_
        self.intercept_ = decision.intercept_ - self.coef_[:, kept] @ scaler.mean_
        self.n_features_in_ = X.shape[1]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the classes; for two classes, those of the second."""
        check_is_fitted(self)
        kept = np.flatnonzero(self.support_)
        scores = make_dense(X[:, kept]) @ self.coef_[:, kept].T + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest score."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]
