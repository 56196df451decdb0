"""SoftDoubleMinOver: a support vector machine that needs no solver."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest._estimators.abilities import Abilities, Declaring, Selection
from fewest._estimators.calibration import calibrate
from fewest._estimators.decisions import ScoreClassifier, TwoClassesOnly
from fewest._estimators.validation import (
    check_flag,
    check_positive,
    check_usual_parameters,
    encode_two_classes,
    weigh_classes,
)
from fewest._types import FloatArray, IndexArray

__all__ = ["SoftDoubleMinOver"]


@dataclass(eq=False, repr=False)
class SoftDoubleMinOver(Declaring, TwoClassesOnly, ScoreClassifier, BaseEstimator):
    r"""Support vector machine with squared slacks, by adding up the hardest samples.

    .. math::

        \min \; \frac12 \|w\|^2 + \frac12 \sum_i C_i \xi_i^2
        \quad \text{subject to} \quad y_i (w^\top \Phi(x_i) + b) \ge 1 - \xi_i

    Each step raises the weight of the sample with the smallest margin in either class, both found
    before any weight is raised (Klement's thesis 2013, fig. 2.4). The weights also bound the
    largest possible margin, which shows when to stop. Without a bias it is MinOver: each step uses
    the sample with the smallest margin of all.

    Parameters
    ----------
    C : float, default=1.0
        Softness, for X as it is; ``np.inf`` is the hard margin, for separable classes only.
    class_weight : {"balanced"}, dict or None, default=None
        Factors on C for each class. "balanced" makes the total costs of both classes equal
        (C+ n+ = C- n-), which keeps a soft machine from sacrificing the smaller one.
    fit_intercept : bool, default=True
        Whether there is a bias; without one, the hyperplane passes through the origin.
    kernel : str or callable, default="linear"
        A metric of :func:`sklearn.metrics.pairwise.pairwise_kernels`.
    tol : float, default=0.01
        Stop when the margin is within this share of the largest possible one. The number of steps
        grows like its inverse.
    max_iter : int, default=100000
        Largest number of steps.

    Attributes
    ----------
    alpha_ : array of shape (n_samples,)
        Weights of the samples, scaled so that the margin is one.
    intercept_ : array of shape (1,)
        The bias; zero without one.
    coef_ : array of shape (1, n_features)
        Weights of the features, for the linear kernel.
    gap_ : float
        Proven relative distance of the margin from the largest one.
    n_iter_ : int
        Steps taken.
    temperature_ : float
        Divisor of the decision values in `predict_proba`, from samples left out.
    classes_ : array of shape (2,)
        The class labels.

    References
    ----------
    T. Martinetz, K. Labusch, D. Schneegass: SoftDoubleMinOver: a simple procedure for maximum
    margin classification. ICANN (2005).

    W. Krauth, M. Mézard: Learning algorithms with optimal stability in neural networks. Journal of
    Physics A 20 (1987): MinOver.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.machines.min_over import SoftDoubleMinOver
    >>> X, y = make_gaussian(n=60, d=5, k=2, mu=1.0, random_state=0)
    >>> machine = SoftDoubleMinOver().fit(X, y)
    >>> print(f"{machine.score(X, y):.2f}, gap {machine.gap_:.2f}")
    0.97, gap 0.01
    """

    C: float = 1.0
    _: KW_ONLY
    class_weight: Any = None
    fit_intercept: bool = True
    kernel: Any = "linear"
    tol: float = 0.01
    max_iter: int = 100_000

    def fit(self, X: Any, y: ArrayLike) -> SoftDoubleMinOver:
        """Add up samples until the margin is nearly the largest one.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The samples.
        y : array of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = encode_two_classes(type(self).__name__, y)
        signs = np.where(codes == 1, 1.0, -1.0)
        kernel = pairwise_kernels(X, metric=self.kernel)
        if np.isfinite(self.C):
            factors = weigh_classes(
                self.class_weight, self.classes_.tolist(), codes, signs, np.ones(len(signs))
            )
            kernel[np.diag_indices(len(kernel))] += 1.0 / (self.C * factors)
        sides = [signs > 0, signs < 0] if self.fit_intercept else [np.full(len(signs), True)]
        alpha, residual, self.n_iter_, self.gap_ = self._add_up(
            signs[:, None] * kernel * signs, [np.flatnonzero(side) for side in sides]
        )
        smallest = [residual[side].min() for side in sides]
        margin = float(np.mean(smallest))
        if not margin > 0.0 and np.isinf(self.C):
            raise ValueError(
                f"no separating hyperplane after {self.n_iter_} steps: the classes overlap, or "
                "nearly so. Use a finite C, or raise max_iter"
            )
        if not margin > 0.0:  # stopped too early; half the distance of the hull points stands in
            margin = max(alpha @ residual / alpha.sum(), np.finfo(float).tiny)
        self.alpha_ = alpha / margin
        self.intercept_ = np.array([(smallest[-1] - smallest[0]) / (2 * margin)])
        self._signed, self._X = self.alpha_ * signs, X
        if self.kernel == "linear":
            self.coef_ = (self._signed @ X)[None]
        if self.gap_ > self.tol:
            warnings.warn(
                f"the largest margin may be larger by a share of {self.gap_:.2g}, after "
                f"max_iter={self.max_iter} steps: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        calibrate(self, X, y)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of the discriminant; positive values favour the second class.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if self.kernel == "linear":
            return X @ self.coef_[0] + self.intercept_[0]
        return pairwise_kernels(X, self._X, metric=self.kernel) @ self._signed + self.intercept_[0]

    def _abilities(self) -> Abilities:
        refusal = ""
        if self.kernel != "linear":
            refusal = (
                f"SoftDoubleMinOver with the kernel {self.kernel!r} uses all features. Give "
                "one with kernel='linear', or an estimator that selects features"
            )
        return Abilities("SoftDoubleMinOver", refusal)

    def _selection(self) -> Selection:
        return Selection(self.coef_ != 0, self.coef_, self.intercept_)

    def _check_parameters(self) -> None:
        check_positive("C", self.C, infinity="for a hard margin")
        check_flag("fit_intercept", self.fit_intercept)
        check_usual_parameters(self)

    def _add_up(
        self, products: FloatArray, sides: list[IndexArray]
    ) -> tuple[FloatArray, FloatArray, int, float]:
        """Weights and residuals of the samples, steps taken, and the gap that is left.

        After t steps the weights of either class sum to t, so |w| / t is the distance of two
        points of the convex hulls: at least twice the largest margin. Without a bias all weights
        sum to t, and |w| / t is the distance of the hull of the y_i x_i from the origin.
        """
        alpha, residual = np.zeros(len(products)), np.zeros(len(products))
        for step in range(1, self.max_iter + 1):
            hardest = [rows[residual[rows].argmin()] for rows in sides]
            alpha[hardest] += 1.0
            residual += products[hardest].sum(axis=0)
            reached = sum(residual[rows].min() for rows in sides)
            squared_norm = alpha @ residual
            if squared_norm <= 0.0 or reached * step >= (1.0 - self.tol) * squared_norm:
                break
        gap = float(1.0 - reached * step / squared_norm) if squared_norm > 0.0 else np.inf
        return alpha, residual, step, gap
