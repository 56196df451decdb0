"""The best features of a ranking, with rules about features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from fewest._estimators.abilities import Abilities, Selector
from fewest._estimators.rules import RuleParameters, check_room
from fewest._estimators.validation import check_choice, check_count, check_data
from fewest._types import FloatArray
from fewest.filters.radius_margin import r2w2
from fewest.filters.relief import relief
from fewest.filters.scores import fisher_score, golub_score

__all__ = ["RankingSelector"]

_SCORES: dict[str, Callable[..., FloatArray]] = {
    "fisher": fisher_score,
    "golub": golub_score,
    "relief": relief,
    "r2w2": r2w2,
}


@dataclass(eq=False, repr=False)
class RankingSelector(RuleParameters, Selector, BaseEstimator):
    """Select the features with the largest scores, each judged on its own.

    Like scikit-learn's `SelectKBest` with the score functions of this module, but under rules
    about features.

    Parameters
    ----------
    n_features : int, default=10
        How many features to select; all that are allowed, if there are fewer.
    criterion : {"fisher", "golub", "relief", "r2w2"}, default="fisher"
        :func:`~fewest.filters.fisher_score`, :func:`~fewest.filters.golub_score`,
        :func:`~fewest.filters.relief` or :func:`~fewest.filters.r2w2`.
    include, exclude
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`. Included features count
        among `n_features`.
    feature_cost, feature_groups, one_per_group, signs
        Not for a ranking, which looks at one feature at a time.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        The score of every feature, also of those that are excluded.
    support_ : array of shape (n_features,), bool
        The selected features.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import RankingSelector
    >>> X, y = make_gaussian(n=100, d=500, k=2, mu=1.0, random_state=0)
    >>> RankingSelector(2).fit(X, y).get_support(indices=True)
    array([0, 1])
    >>> RankingSelector(2, include=[7]).fit(X, y).get_support(indices=True)
    array([1, 7])
    """

    n_features: int = 10
    _: KW_ONLY
    criterion: str = "fisher"

    _kept_rules = ("include", "exclude")
    _instead_of_rules = (
        "A ranking looks at one feature at a time and weighs no prices: leave that out, or use "
        "SupportFeatureMachine with max_features"
    )

    def fit(self, X: Any, y: ArrayLike) -> RankingSelector:
        """Score all features and select the best.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array of shape (n_samples,)
            Their classes: two, or any number for "relief".

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        rules = self._read_rules(X.shape[1])
        check_room(rules, self.n_features, "n_features")
        self.scores_ = _SCORES[self.criterion](X, y)
        rank, most = self.scores_, min(self.n_features, X.shape[1])
        if rules is not None:
            rank = np.where(rules.included, np.inf, np.where(rules.excluded, -np.inf, rank))
            most = min(most, int(np.count_nonzero(~rules.excluded)))
            # Of infinite scores, those that are always in come first.
            order = np.lexsort((-rank, ~rules.included))
        else:
            order = np.argsort(-rank, kind="stable")
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[order[:most]] = True
        return self

    def _check_parameters(self) -> None:
        check_count("n_features", self.n_features)
        check_choice("criterion", self.criterion, tuple(_SCORES))
        self._check_rules()

    def _abilities(self) -> Abilities:
        return Abilities(f"ranking by {self.criterion}", classifies=False, has_scores=False)
