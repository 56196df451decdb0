"""The subset of rank 1 as a classifier: selected again, ranked again, for every fold."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from fewest._estimators.abilities import Abilities, Selection, Selector, abilities_of
from fewest._estimators.decisions import LinearClassifier
from fewest._types import FloatArray
from fewest.repetition.selector import RepetitiveSelector


@dataclass(eq=False, repr=False)
class FirstRanked(LinearClassifier, Selector, BaseEstimator):
    """The hyperplanes of the smallest of the first `n_subsets` disjoint subsets.

    A ranking that is cross-validated chooses its first subset again without the samples left out.
    """

    estimator: Any
    _: KW_ONLY
    n_subsets: int = 1

    def fit(self, X: Any, y: ArrayLike) -> FirstRanked:
        """Select so many times, and keep the subset of rank 1."""
        selector = RepetitiveSelector(clone(self.estimator), n_subsets=self.n_subsets)
        return self.keep(selector.fit(X, y))

    def keep(self, selector: RepetitiveSelector) -> FirstRanked:
        """Be the first subset of a ranking."""
        place = int(selector.ranking_[0])
        features, coefs = selector.subsets_[place], np.atleast_2d(selector.coefs_[place])
        self.classes_: NDArray[Any] = selector.classes_
        self.n_features_in_ = int(selector.n_features_in_)
        self.coef_: FloatArray = np.zeros((len(coefs), self.n_features_in_))
        self.coef_[:, features] = coefs
        self.intercept_: FloatArray = np.atleast_1d(selector.intercepts_[place])
        self.support_: NDArray[np.bool_] = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[features] = True
        return self

    def _abilities(self) -> Abilities:
        inner = abilities_of(self.estimator)
        return Abilities(
            f"{inner.name}, the smallest of {self.n_subsets} disjoint subsets",
            predicts_from_support=True,
            joins_classes=inner.joins_classes,
            effort=self.n_subsets * inner.effort,
        )

    def _selection(self) -> Selection:
        supports = np.broadcast_to(self.support_, self.coef_.shape)
        size = float(self.support_.sum())
        return Selection(supports, self.coef_, self.intercept_, cost=size)
