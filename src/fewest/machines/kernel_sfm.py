"""The Support Feature Machine on the columns of a kernel matrix."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest._estimators.abilities import Abilities, Declaring
from fewest._estimators.calibration import calibrate
from fewest._estimators.decisions import ScoreClassifier
from fewest._estimators.rules import RuleParameters
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_positive,
    check_usual_parameters,
)
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine

__all__ = ["KernelFeatureMachine"]

KERNELS = ("rbf", "laplacian", "polynomial", "sigmoid", "cosine", "linear")


@dataclass(eq=False, repr=False)
class KernelFeatureMachine(RuleParameters, Declaring, ScoreClassifier, BaseEstimator):
    r"""Classifier with a curved boundary, made of kernels around the fewest training samples.

    The Support Feature Machine on the matrix of kernels between samples, whose columns take the
    place of features:

    .. math::

        f(x) = \sum_i w_i \, k(x, x_i) + b, \qquad
        \min \; \|w\|_0 + D \sum_i C_i \xi_i
        \quad \text{subject to} \quad
        y_i f(x_i) \ge -\xi_i, \; \xi_i \ge 0, \; f(\mu^+) - f(\mu^-) = \pm 1,

    where the last equality means the class averages of f. A column is standardised like a feature.
    Klement & Martinetz (2010, sec. IV) mention kernels as an extension. They also name the price:
    **all features of X are used**. Here it is the samples that are few.

    Parameters
    ----------
    C : float, default=1.0
        Price of a training error, in samples used; ``np.inf`` allows none. As for
        :class:`~fewest.SupportFeatureMachine`.
    kernel : {"rbf", "laplacian", "polynomial", "sigmoid", "cosine", "linear"}, default="rbf"
        Of :func:`sklearn.metrics.pairwise.pairwise_kernels`.
    gamma : float or None, default=None
        Its width, if it has one; None stands for one divided by the number of features and the
        variance of X.
    degree : int, default=2
        Degree of the polynomial kernel.
    class_weight : {"balanced"}, dict or None, default="balanced"
        Factors on C for each class, as for :class:`~fewest.SupportFeatureMachine`.
    refit : {"margin"} or None, default="margin"
        Hyperplane on the selected columns, as for :class:`~fewest.SupportFeatureMachine`.
    max_iter : int, default=20
        Largest number of linear programs in the reweighting loop.
    tol : float, default=1e-7
        Relative duality gap at which a linear program counts as solved.
    include, exclude
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`. The kernel uses all
        features that are not excluded, so those of `include` are used like all others.
    feature_cost, feature_groups, one_per_group, signs
        Not for kernels, which use features together.

    Attributes
    ----------
    support_samples_ : array of shape (n_used,), int
        The training samples whose kernels are used, by any class.
    support_vectors_ : array of shape (n_used, n_seen)
        These samples, with all features that are not excluded.
    dual_coef_ : array of shape (1, n_used) or (n_classes, n_used)
        The weights of their kernels.
    intercept_ : array of shape (1,) or (n_classes,)
        Biases.
    gamma_ : float
        The width in use.
    gap_ : float
        Largest relative duality gap of the linear programs.
    temperature_ : float
        Divisor of the decision values in `predict_proba`, from samples left out.
    n_iter_ : int
        Linear programs of the reweighting loop (of the longest one).
    classes_ : array of shape (n_classes,)
        The class labels.

    See Also
    --------
    fewest.SupportFeatureMachine : Few features; after scikit-learn's `PolynomialFeatures`, few
        products of features.

    References
    ----------
    S. Klement, T. Martinetz: A new approach to classification with the least number of features.
    ICMLA (2010), sec. IV.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import KernelFeatureMachine, SupportFeatureMachine
    >>> X = np.random.default_rng(1).uniform(-1.0, 1.0, (300, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> linear = SupportFeatureMachine().fit(X[:200], y[:200])
    >>> curved = KernelFeatureMachine().fit(X[:200], y[:200])
    >>> print(f"{linear.score(X[200:], y[200:]):.2f}, {curved.score(X[200:], y[200:]):.2f}")
    0.54, 0.95
    >>> len(curved.support_samples_)
    2
    """

    C: float = 1.0
    _: KW_ONLY
    kernel: str = "rbf"
    gamma: float | None = None
    degree: int = 2
    class_weight: Any = "balanced"
    refit: str | None = "margin"
    max_iter: int = 20
    tol: float = 1e-7

    _kept_rules = ("include", "exclude")
    _instead_of_rules = (
        "A kernel uses features together and has no weight for each: leave that out, or use "
        "SupportFeatureMachine"
    )

    def fit(self, X: Any, y: ArrayLike) -> KernelFeatureMachine:
        """Select training samples and weigh their kernels.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The samples. Their features should be on the same scale.
        y : array of shape (n_samples,)
            Class labels, two or more different ones.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        rules = self._read_rules(X.shape[1])
        allowed = slice(None) if rules is None else np.flatnonzero(~rules.excluded)
        seen = X[:, allowed]
        spread = seen.shape[1] * float(seen.var())
        self.gamma_ = float(self.gamma or 1.0 / (spread if spread > 0.0 else 1.0))
        machine = SupportFeatureMachine(
            self.C,
            class_weight=self.class_weight,
            refit=self.refit,
            max_iter=self.max_iter,
            tol=self.tol,
            multi_class="separate",
        ).fit(self._kernels(seen, seen), y)
        self.classes_, self.n_iter_ = machine.classes_, machine.n_iter_
        self.support_samples_ = np.flatnonzero(machine.support_)
        self.support_vectors_ = seen[self.support_samples_]
        self._seen = np.arange(X.shape[1])[allowed]
        self.dual_coef_ = machine.coef_[:, self.support_samples_]
        self.intercept_ = machine.intercept_
        self.gap_ = max(float(result.gap) for result in machine.results_)
        calibrate(self, X, y)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of the discriminant; positive values favour the (second) class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.broadcast_to(self.intercept_, (len(X), len(self.intercept_)))
        if len(self.support_vectors_):
            scores = (
                self._kernels(X[:, self._seen], self.support_vectors_) @ self.dual_coef_.T + scores
            )
        return scores.ravel() if len(self.intercept_) == 1 else scores

    def _kernels(self, X: FloatArray, other: FloatArray) -> FloatArray:
        settings = {"gamma": self.gamma_, "degree": self.degree}
        return pairwise_kernels(X, other, metric=self.kernel, filter_params=True, **settings)

    def _abilities(self) -> Abilities:
        return Abilities(
            "kernel feature machine",
            "KernelFeatureMachine selects samples and uses all features. Give an estimator that "
            "selects features, such as SupportFeatureMachine",
        )

    def _check_parameters(self) -> None:
        check_positive("C", self.C, infinity="for no training error")
        check_choice("kernel", self.kernel, KERNELS)
        if self.gamma is not None:
            check_positive("gamma", self.gamma)
        check_count("degree", self.degree)
        check_choice("refit", self.refit, ("margin", None))
        self._check_rules()
        check_usual_parameters(self)
