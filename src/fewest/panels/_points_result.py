"""A points score as plain values, which predicts; its text is in `_points_text`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import check_array

from fewest._estimators.validation import make_dense
from fewest._run.json_text import to_json
from fewest._showing import Shown
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted
from fewest.panels._errors import Difference, Label
from fewest.panels._names import find_columns


@dataclass(frozen=True)
class ScoredFeature:
    """A feature of the card: a value above `cut` gives `points`, any other gives none.

    No points: the feature is left out of the score. `cut` is None if all its values are equal.
    """

    name: str
    column: int
    cut: float | None
    points: int


@dataclass(frozen=True)
class RiskRow:
    """A total that the features can add up to, its risk, and the samples with this total.

    `observed` is the share of the class in question among these; None where there are none.
    """

    total: int
    risk: float
    n_samples: int
    observed: float | None


@dataclass(frozen=True)
class HeldOutMeasures:
    """Balanced error, Brier score, log loss and area under the ROC curve on held-out samples.

    `caveat` says why they may be better than those of new samples; it is empty where they are not.
    """

    balanced_error: float
    brier: float
    log_loss: float
    auc: float
    caveat: str = ""


@dataclass(frozen=True, repr=False)
class PointsScore(Shown):
    """What `points_score` returns: a card to add up by hand.

    Parameters
    ----------
    features : list of ScoredFeature
        The panel: cut and points of each feature.
    positive : label
        The class whose risk it is.
    classes : list
        Both classes, in the order of the columns of `predict_proba`.
    limit : int or None
        This class is predicted for this total or more: the smallest total whose risk is at least
        the share of the class among the samples. None if the points do not predict the class.
    share : float
        That share.
    intercept, slope : float
        The risk at a total of t points is ``1 / (1 + exp(-intercept - slope * t))``.
    calibrated : bool
        Whether risks were corrected on samples that had no part in the score; otherwise they are
        too far from one half.
    table : list of RiskRow
        Every total that can occur, and its risk.
    held_out : HeldOutMeasures
        Of the score, rebuilt in every fold.
    classifier : str
        What it is compared with.
    held_out_of_classifier : HeldOutMeasures
        Of the classifier on the same features and folds. It predicts the class by the same rule.
    loss : HeldOutMeasures
        What the score loses: how much larger its error, Brier score and log loss are, and how much
        smaller its area.
    loss_of_balanced_error : Difference
        The same for the balanced error, with its standard error.
    n_samples, n_features : int
        Size of the data.
    chosen_elsewhere : bool
        Whether the panel is known to have been chosen without these samples.
    chosen_in_folds : bool
        Whether the folds have features of their own, chosen without their test samples.
    n_folds : int
        Training sets that were judged.
    n_groups : int or None
        Groups that were left out as a whole; None if samples were.
    max_points : int
        Largest number of points that a feature could get.
    has_names : bool
        Whether the columns have names; then a table is read by name.
    """

    features: list[ScoredFeature]
    positive: Label
    classes: list[Label]
    limit: int | None
    share: float
    intercept: float
    slope: float
    calibrated: bool
    table: list[RiskRow]
    held_out: HeldOutMeasures
    classifier: str
    held_out_of_classifier: HeldOutMeasures
    loss: HeldOutMeasures
    loss_of_balanced_error: Difference
    n_samples: int
    n_features: int
    chosen_elsewhere: bool
    chosen_in_folds: bool
    n_folds: int
    n_groups: int | None
    max_points: int
    has_names: bool

    def points(self, X: Any) -> IndexArray:
        """Total points of every sample.

        Parameters
        ----------
        X : array, sparse matrix or table of shape (n_samples, n_features)
            Samples with the columns of the data that the score was made from. A table with named
            columns needs only the features of the panel.

        Returns
        -------
        array of int
        """
        values = self._take_panel(X)
        totals = np.zeros(len(values), dtype=np.intp)
        for one, column in zip(self.features, values.T, strict=True):
            if one.cut is not None:
                totals += one.points * (column > one.cut)
        return totals

    def predict_proba(self, X: Any) -> FloatArray:
        """Risk of both classes, in the order of `classes`.

        Parameters
        ----------
        X : array, sparse matrix or table
            As for `points`.

        Returns
        -------
        array of shape (n_samples, 2)
        """
        risk = expit(self.intercept + self.slope * self.points(X))
        columns = [risk if label == self.positive else 1.0 - risk for label in self.classes]
        return np.column_stack(columns)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every sample, by the limit; without a limit, the larger class.

        Parameters
        ----------
        X : array, sparse matrix or table
            As for `points`.

        Returns
        -------
        array of labels
        """
        totals = self.points(X)
        if self.limit is None:
            is_positive = np.full(len(totals), self.share > 0.5)
        else:
            is_positive = totals >= self.limit
        second = is_positive == (self.positive == self.classes[1])
        return np.asarray(self.classes)[second.astype(np.intp)]

    def _take_panel(self, X: Any) -> FloatArray:
        """Values of the panel's features, one column each."""
        columns = np.array([one.column for one in self.features], dtype=np.intp)
        if self.has_names and hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
            columns = find_columns([one.name for one in self.features], names)
            X = X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]
            columns = np.arange(len(columns))
        elif (found := np.shape(X)[1:]) != (self.n_features,):
            given = counted(found[0], "column") if len(found) == 1 else "no rows and columns"
            raise ValueError(
                f"X has {given}, but the score was made from {counted(self.n_features, 'column')}: "
                "pass the same columns"
            )
        else:
            check_sparse(X, "X")
            X = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
            X = X[:, columns]
        return np.asarray(make_dense(check_array(X, accept_sparse=SPARSE_FORMATS)), np.float64)

    def __str__(self) -> str:
        """The card as text."""
        from fewest.panels._points_text import score_text

        return score_text(self)

    def to_json(self) -> str:
        """All values as JSON."""
        return to_json(self)

    def to_html(self) -> str:
        """One self-contained page with the card, to print.

        Returns
        -------
        str
        """
        from fewest.panels._points_card import make_card

        return make_card(self)
