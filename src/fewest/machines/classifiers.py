"""Classifiers for selected features: those of the Liknon chapter, and the best of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest._estimators.calibration import calibrate
from fewest._estimators.decisions import ScoreClassifier
from fewest._estimators.validation import check_count, is_number
from fewest._types import FloatArray

__all__ = ["SubspaceClassifier", "choose_classifier", "make_classifiers"]


class SubspaceClassifier(ScoreClassifier, BaseEstimator):
    r"""Assign a sample to the class whose principal subspace is nearest.

    Class k is described by its mean :math:`m_k` and its first principal directions :math:`V_k`; the
    predicted class has the smallest distance

    .. math:: \|(I - V_k V_k^\top)(x - m_k)\|.

    It is the subspace classifier (subsc) of PRTools (Duin et al. 2004) that Pranckeviciene &
    Somorjai (2011) use after Liknon in table 8.2.

    Parameters
    ----------
    n_components : int or float
        Number of principal directions of every class; below 1, as many as explain this share of the
        variance of the class. At most one fewer than the features, and than the class's samples.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels.
    means_ : array of shape (n_classes, n_features)
        Means of the classes.
    components_ : list of arrays of shape (n_components, n_features)
        Principal directions of every class.
    temperature_ : float
        Divisor of the distances in `predict_proba`.
    n_features_in_ : int
        Number of features seen by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.machines.classifiers import SubspaceClassifier
    >>> along = np.linspace(-3, 3, 20)
    >>> X = np.vstack([np.column_stack([along, 0 * along]), np.column_stack([0 * along, along])])
    >>> y = np.repeat(["flat", "steep"], 20)  # two lines that cross
    >>> SubspaceClassifier().fit(X, y).predict([[2.0, 0.5], [0.5, -2.0]]).tolist()
    ['flat', 'steep']
    """

    def __init__(self, n_components: int | float = 1) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: ArrayLike) -> SubspaceClassifier:
        """Find mean and principal directions of every class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Samples.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
            The fitted classifier.
        """
        share = is_number(self.n_components) and 0 < self.n_components < 1
        if not share:
            name = "n_components (unless it is a share of the variance between 0 and 1)"
            check_count(name, self.n_components)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("SubspaceClassifier needs two classes or more; y has one class only")
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        self.components_ = [
            self._find_directions(X[y == label] - mean)
            for label, mean in zip(self.classes_, self.means_, strict=True)
        ]
        calibrate(self, X, y)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Round classes in a plane differ in their means, which are on both lines.
        tags.classifier_tags.poor_score = True
        return tags

    def _find_directions(self, centred: FloatArray) -> FloatArray:
        most = min(len(centred), centred.shape[1]) - 1
        _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
        count = self.n_components
        if count < 1:
            held = np.cumsum(sizes**2) / max(float(np.sum(sizes**2)), np.finfo(float).tiny)
            count = int(np.searchsorted(held, self.n_components - 1e-12)) + 1
        return np.asarray(directions[: min(int(count), most)])

    def measure_distances(self, X: Any) -> FloatArray:
        """Distance of every sample to the subspace of every class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        columns = []
        for mean, directions in zip(self.means_, self.components_, strict=True):
            rest = X - mean
            rest = rest - (rest @ directions.T) @ directions
            columns.append(np.linalg.norm(rest, axis=1))
        return np.column_stack(columns)

    def decision_function(self, X: Any) -> FloatArray:
        """Distance to the first class minus that to the second; minus the distances for more.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        distances = self.measure_distances(X)
        return distances[:, 0] - distances[:, 1] if distances.shape[1] == 2 else -distances


def make_classifiers() -> dict[str, Any]:
    """The classifiers that Pranckeviciene & Somorjai (2011) train on selected features (8.6.3).

    Fisher's linear discriminant, logistic regression, the quadratic and the subspace classifier,
    one and three nearest neighbours.

    Returns
    -------
    dict of str to estimator
        None of them fitted.

    Examples
    --------
    >>> from fewest.machines.classifiers import make_classifiers
    >>> list(make_classifiers())
    ['fisher', 'logistic', 'quadratic', 'subspace', '1nn', '3nn']
    """
    return {
        "fisher": LinearDiscriminantAnalysis(),
        "logistic": LogisticRegression(max_iter=1000),
        "quadratic": QuadraticDiscriminantAnalysis(reg_param=1e-3),
        "subspace": SubspaceClassifier(),
        "1nn": KNeighborsClassifier(1),
        "3nn": KNeighborsClassifier(3),
    }


def choose_classifier(
    classifiers: Mapping[str, Any] | None = None,
    *,
    n_folds: int = 5,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> GridSearchCV:
    """The best of several classifiers, by the balanced error in a cross-validation.

    It is scikit-learn's `GridSearchCV` over classifiers. As `classifier` of `LiknonCV` it chooses
    again in every fold from that fold's samples, so the error of `LiknonCV` stays honest; the
    chapter's choice by the Validation error (table 8.2) is not honest.

    Parameters
    ----------
    classifiers : dict of str to estimator, or None
        What to compare; None is `make_classifiers()`. If errors are equal, the first one is used.
    n_folds : int
        Stratified folds, at least two.
    random_state : int or None
        Order of the samples in the folds.
    n_jobs : int or None
        Fits at the same time, as in joblib.

    Returns
    -------
    GridSearchCV
        After `fit`: ``best_params_["classifier"]``, and the balanced accuracies in ``cv_results_``.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from fewest.datasets import make_banana
    >>> from fewest.machines.classifiers import SubspaceClassifier, choose_classifier
    >>> X, y = make_banana(n_noise=0, random_state=0)
    >>> both = {"3nn": KNeighborsClassifier(3), "subspace": SubspaceClassifier()}
    >>> choose_classifier(both).fit(X, y).best_params_["classifier"]
    KNeighborsClassifier(n_neighbors=3)
    """
    check_count("n_folds", n_folds)
    found = make_classifiers() if classifiers is None else dict(classifiers)
    if not found or n_folds < 2:
        raise ValueError("choose_classifier needs at least one classifier and two folds")
    return GridSearchCV(
        Pipeline([("classifier", next(iter(found.values())))]),
        {"classifier": list(found.values())},
        scoring="balanced_accuracy",
        cv=StratifiedKFold(n_folds, shuffle=True, random_state=random_state),
        n_jobs=n_jobs,
    )
