"""Golub's weighted vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.abilities import Abilities, Selection, Selector
from fewest._estimators.calibration import calibrate
from fewest._estimators.decisions import LinearClassifier, TwoClassesOnly, standardize_coef
from fewest._estimators.rules import RuleParameters, Rules, check_room
from fewest._estimators.validation import (
    check_count,
    check_data,
    check_new_data,
    make_dense,
)
from fewest._types import FloatArray
from fewest.filters.scores import measure_classes

__all__ = ["WeightedVoteClassifier"]

# A feature that does not vary within the classes decides, but must not make weights infinite.
_LEAST_SPREAD = 1e-6


@dataclass(eq=False, repr=False)
class WeightedVoteClassifier(
    RuleParameters, Selector, TwoClassesOnly, LinearClassifier, BaseEstimator
):
    r"""Classifier in which each feature votes, by Golub's score and its distance from the midpoint.

    .. math::

        f(x) = \sum_j w_j \Big(x_j - \frac{\mu_j^+ + \mu_j^-}{2}\Big), \qquad
        w_j = \frac{\mu_j^+ - \mu_j^-}{\sigma_j^+ + \sigma_j^-}

    over the features with the largest scores, half of them positive and half negative.

    Parameters
    ----------
    n_features : int or None, default=50
        How many features vote; None for all. An odd number gives the second class one more.
    include, exclude
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`. Included features vote
        whatever their score is, and count among `n_features`.
    feature_cost, feature_groups, one_per_group, signs
        Not for a ranking, which looks at one feature at a time.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
        The scores w of the features that vote, zero elsewhere.
    standardized_coef_ : array of the shape of coef_
        `coef_` times the standard deviation of each column of the training samples: what one
        standard deviation of the feature adds to the score. These can be compared with each other.
    intercept_ : array of shape (1,)
        The bias that follows from the midpoints.
    midpoint_ : array of shape (n_features,)
        The midpoint between the class means.
    support_ : array of shape (n_features,), bool
        The features that vote.
    temperature_ : float
        Divisor of the votes in `predict_proba`, from votes on samples left out, with
        features that were ranked without them.
    classes_ : array of shape (2,)
        The class labels.

    References
    ----------
    T. R. Golub et al.: Molecular classification of cancer: class discovery and class prediction by
    gene expression monitoring. Science 286 (1999).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import WeightedVoteClassifier
    >>> X, y = make_gaussian(n=100, d=500, k=4, mu=1.0, random_state=0)
    >>> X_new, y_new = make_gaussian(n=1000, d=500, k=4, mu=1.0, random_state=1)
    >>> print(f"{WeightedVoteClassifier(n_features=10).fit(X, y).score(X_new, y_new):.2f}")
    0.97
    """

    n_features: int | None = 50

    _kept_rules = ("include", "exclude")
    _instead_of_rules = (
        "A ranking looks at one feature at a time and weighs no prices: leave that out, or use "
        "SupportFeatureMachine with max_features"
    )

    def fit(self, X: Any, y: ArrayLike) -> WeightedVoteClassifier:
        """Rank the features and weigh their votes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        (low, high), variances, self.classes_ = measure_classes(type(self).__name__, X, y)
        difference = high - low
        spread = np.sqrt(variances[0]) + np.sqrt(variances[1])
        spread = np.maximum(spread, _LEAST_SPREAD * np.abs(difference))
        score = difference / np.where(difference == 0.0, 1.0, spread)
        self.support_ = _choose_both_signs(score, self.n_features, self._read_rules(X.shape[1]))
        self.midpoint_ = (low + high) / 2
        self.coef_ = np.where(self.support_, score, 0.0)[None]
        self.standardized_coef_ = standardize_coef(self.coef_, X)
        self.intercept_ = -self.coef_ @ self.midpoint_
        calibrate(self, X, y)
        return self

    def prediction_strength(self, X: Any) -> FloatArray:
        """How far the vote was from a tie: zero for a tie, one if all features agree.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,)
        """
        X = check_new_data(self, X)
        used = np.flatnonzero(self.support_)
        values = make_dense(X[:, used])
        votes = (values - self.midpoint_[used]) * self.coef_[0, used]
        total = np.abs(votes).sum(axis=1)
        return np.abs(votes.sum(axis=1)) / np.where(total > 0, total, 1.0)

    def _check_parameters(self) -> None:
        check_count("n_features", self.n_features, or_none=True)
        self._check_rules()

    def _abilities(self) -> Abilities:
        return Abilities("Golub's weighted vote", predicts_from_support=True)

    def _selection(self) -> Selection:
        return Selection(self.support_[None], self.coef_, self.intercept_)


def _choose_both_signs(
    score: FloatArray, n_features: int | None, rules: Rules | None
) -> NDArray[np.bool_]:
    """The largest scores of either sign; where one sign has too few, fewer are taken.

    Features that are always in take the places of their sign first.
    """
    everyone = np.ones(len(score), dtype=bool)
    forced = ~everyone if rules is None else rules.included
    allowed = everyone if rules is None else ~rules.excluded
    if n_features is None:
        return allowed
    check_room(rules, n_features, "n_features")
    room = n_features - int(forced.sum())
    n_positive = max(0, (n_features + 1) // 2 - int(np.count_nonzero(forced & (score > 0.0))))
    n_positive = min(n_positive, room)
    n_negative = max(0, n_features // 2 - int(np.count_nonzero(forced & (score <= 0.0))))
    n_negative = min(n_negative, room - n_positive)
    order = np.argsort(-score, kind="stable")
    order = order[(allowed & ~forced)[order]]
    chosen = np.zeros(len(score), dtype=bool)
    chosen[order[:n_positive]] = True
    chosen[order[len(order) - min(n_negative, len(order)) :]] = True
    return (chosen & (score != 0.0)) | forced
