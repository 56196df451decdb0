"""What a search hands on of the machine that it chose."""

from __future__ import annotations

from typing import Any

from fewest._estimators.abilities import Selector, certificates_of
from fewest._estimators.certificate import Certificate
from fewest._estimators.decisions import LinearClassifier
from fewest._estimators.probabilities import share_scores
from fewest._types import FloatArray

_OF_THE_BEST = (
    "coef_",
    "standardized_coef_",
    "intercept_",
    "support_",
    "supports_",
    "results_",
    "n_iter_",
)


class BestMachine(Selector, LinearClassifier):
    """A search over machines; `best_estimator_` is the chosen one, trained on all samples."""

    best_estimator_: Any

    def _keep_best(self, best: Any) -> None:
        """Take over what the chosen machine has learned."""
        self.best_estimator_ = best
        for name in _OF_THE_BEST:
            setattr(self, name, getattr(best, name))

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return certificates_of(self.best_estimator_, signs)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class, that of `best_estimator_`.

        Its temperature is that of the chosen candidate's decisions in the splits, where features
        were selected again.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return share_scores(self.decision_function(X), self.best_estimator_.temperature_)
