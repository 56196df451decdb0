"""What the Potential Support Vector Machines share: parameters, the matrix, the fit, the scores."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fewest._estimators.abilities import Abilities, Declaring, Selection
from fewest._estimators.validation import check_choice, check_count, check_positive
from fewest._solvers.box_lasso.solve import BoxLassoResult, box_lasso
from fewest._solvers.columns import Columns
from fewest._types import FloatArray
from fewest.psvm.kernels import check_kernel, gamma_of, kernel_arguments, kernel_matrix
from fewest.psvm.relations import (
    measured_columns,
    unit_columns,
    warn_of_constant_columns,
    warn_of_doubtful,
)

FORMATS = ("csr", "csc")
SAMPLES = "samples"


@dataclass(frozen=True, eq=False)
class SupportFunction:
    """f(x) as a function of the relations with the support features alone."""

    mean: FloatArray
    inverse_scale: FloatArray
    weights: FloatArray  # a row a task
    intercept: FloatArray

    def __call__(self, block: FloatArray) -> FloatArray:
        """Scores of the samples, a column a task."""
        return (block - self.mean) * self.inverse_scale @ self.weights.T + self.intercept


class PotentialMachine(Declaring, BaseEstimator, metaclass=ABCMeta):
    """A function of the support features' columns only, fitted by a box-constrained lasso.

    A subclass turns y into targets, and scores into predictions. All parameters are documented
    there.
    """

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        rho: float = 1.0,
        zeta: float = 1.0,
        theta: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        row_objects: Any = None,
        refit: bool = False,
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rho = rho
        self.zeta = zeta
        self.theta = theta
        self.kernel_params = kernel_params
        self.row_objects = row_objects
        self.refit = refit
        self.tol = tol
        self.max_iter = max_iter

    @abstractmethod
    def _targets(self, y: Any) -> FloatArray:
        """One row of numbers for each task, an entry a sample."""

    def _abilities(self) -> Abilities:
        name = type(self).__name__
        refusal = ""
        if is_regressor(self):
            refusal = f"{name} predicts numbers, but this is about classes. Give a classifier"
        elif not self.is_precomputed:
            refusal = (
                f"{name} with the kernel {self.kernel!r} selects samples, not columns of X. Give "
                "one with kernel='precomputed'"
            )
        return Abilities(
            "Potential Support Vector Machine",
            refusal,
            classifies=is_classifier(self),
            has_scores=is_classifier(self),
            columns_are_samples=self.columns_are_samples,
            predicts_from_support=self.is_precomputed,
        )

    def _selection(self) -> Selection:
        return Selection(
            self.supports_,
            *self.linear_function(),
            cost=float(self.support_.sum()),
            objective=float(sum(result.objective for result in self.results_)),
            gap=max(result.gap for result in self.results_),
        )

    @property
    def is_precomputed(self) -> bool:
        """Whether X itself is the matrix of relations."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def columns_are_samples(self) -> bool:
        """Whether the row objects are the samples at hand, which come and go with their rows."""
        if isinstance(self.row_objects, str):
            return self.row_objects == SAMPLES
        return self.row_objects is None and not self.is_precomputed

    def check_parameters(self) -> None:
        """Raise a ValueError that names the parameter and its admissible values."""
        check_positive("C", self.C, infinity="for no bound")
        check_not_negative("epsilon", self.epsilon)
        check_positive("tol", self.tol)
        check_count("max_iter", self.max_iter)
        check_choice("refit", self.refit, (True, False))
        for name in ("degree", "rho", "zeta", "theta"):
            check_positive(name, getattr(self, name))
        check_kernel(self.kernel, self.gamma, self.kernel_params)
        if isinstance(self.row_objects, str):
            if self.row_objects != SAMPLES:
                raise ValueError(
                    "row_objects must be None, 'samples' or an array of shape (n_row_objects, "
                    f"n_features); got {self.row_objects!r}"
                )
        elif self.is_precomputed and self.row_objects is not None:
            raise ValueError(
                "with kernel='precomputed' the columns of X are the row objects: row_objects must "
                "be None, or 'samples' where they are the samples themselves"
            )

    def validated_input(self, X: Any, y: Any, **of_y: Any) -> tuple[Any, Any]:
        """X and y in a form that kernel and solver can use."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=FORMATS,
            dtype="numeric" if self.is_precomputed else np.float64,
            ensure_min_samples=2,
            **of_y,
        )
        self.check_square(X)
        return X, y

    def check_square(self, X: Any) -> None:
        """Raise where the columns are said to be the samples and cannot be."""
        if self.is_precomputed and self.columns_are_samples and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"row_objects='samples' needs a square matrix, but X has shape {X.shape}: leave "
                "row_objects out if its columns are objects of another kind"
            )

    def row_objects_for(self, X: Any) -> Any:
        """The z_j of a computed kernel; None where X is the matrix itself."""
        if self.is_precomputed:
            return None
        if self.columns_are_samples:
            return X
        Z = check_array(
            self.row_objects, accept_sparse="csr", dtype=np.float64, input_name="row_objects"
        )
        if Z.shape[1] != X.shape[1]:
            raise ValueError(
                f"row_objects have {Z.shape[1]} features, but the samples have {X.shape[1]}: the "
                "kernel compares vectors of the same length"
            )
        return Z

    def kernel_arguments_for(self, X: Any) -> dict[str, Any]:
        """Arguments of a computed kernel, "scale" and "auto" turned into numbers."""
        return kernel_arguments(self, 1.0 if self.is_precomputed else gamma_of(self.gamma, X))

    def solve(
        self,
        columns: Columns,
        target: FloatArray,
        epsilon: float,
        C: float,
        start: FloatArray | None = None,
    ) -> BoxLassoResult:
        """The program for one centred target, to this machine's tolerance."""
        return box_lasso(
            columns, target, epsilon, C, start=start, tol=self.tol, max_iter=self.max_iter
        )

    def final_weights(
        self, columns: Columns, target: FloatArray, result: BoxLassoResult, C: float
    ) -> FloatArray:
        """The weights to predict with: those of the program, or new ones for the same features."""
        used = np.flatnonzero(result.alpha)
        if not self.refit or not len(used):
            return result.alpha
        weights = np.zeros(columns.n_features)
        weights[used] = self.solve(columns.subset(used), target, 0.0, C, result.alpha[used]).alpha
        return weights

    def _fit(self, X: Any, targets: FloatArray) -> None:
        Z = self.row_objects_for(X)
        self._arguments = self.kernel_arguments_for(X)
        K = X if Z is None else kernel_matrix(self.kernel, X, Z, self._arguments)
        columns = unit_columns(K)
        warn_of_constant_columns(columns, stacklevel=4)
        self.intercept_ = targets.mean(axis=1)
        centred = targets - self.intercept_[:, None]
        results = [self.solve(columns, row, float(self.epsilon), float(self.C)) for row in centred]
        warn_of_doubtful(results, stacklevel=4)
        weights = [
            self.final_weights(columns, row, result, float(self.C))
            for row, result in zip(centred, results, strict=True)
        ]
        self._keep(columns, Z, results, weights)

    def _keep(
        self,
        columns: Columns,
        row_objects: Any,
        results: list[BoxLassoResult],
        weights: list[FloatArray],
    ) -> None:
        self.results_ = tuple(results)
        self.coef_ = np.array(weights)
        self.supports_ = np.array([result.alpha != 0.0 for result in results])
        self.support_ = self.supports_.any(axis=0)
        self.support_features_ = np.flatnonzero(self.support_)
        self.mean_ = columns.mean
        self.scale_ = np.divide(
            1.0,
            columns.inverse_scale,
            out=np.full(columns.n_features, np.inf),
            where=columns.inverse_scale > 0,
        )
        used = self.support_features_
        self._function = SupportFunction(
            columns.mean[used], columns.inverse_scale[used], self.coef_[:, used], self.intercept_
        )
        self.support_row_objects_ = (
            None if row_objects is None else row_objects[self.support_features_]
        )
        self.n_row_objects_ = columns.n_features
        self.n_iter_ = max(result.n_iter for result in results)

    def linear_function(self) -> tuple[FloatArray, FloatArray]:
        """Weights (a row a machine) and intercepts for relations as they are, not normalised."""
        check_is_fitted(self)
        used = self.support_features_
        weights = np.zeros((len(self.results_), self.n_row_objects_))
        weights[:, used] = self._function.weights * self._function.inverse_scale
        return weights, self._function.intercept - weights[:, used] @ self._function.mean

    def _scores(self, X: Any) -> FloatArray:
        """f(x) of every task, a column each."""
        check_is_fitted(self)
        return self._function(self._relations_with_support(X))

    def _relations_with_support(self, X: Any) -> FloatArray:
        if self.is_precomputed:
            X = self._validated_matrix(X)
            return measured_columns(X, self.support_features_)
        X = validate_data(self, X, accept_sparse=FORMATS, dtype=np.float64, reset=False)
        if not len(self.support_features_):  # no kernel need be asked
            return np.empty((X.shape[0], 0))
        return kernel_matrix(self.kernel, X, self.support_row_objects_, self._arguments)

    def _validated_matrix(self, X: Any) -> Any:
        try:
            return validate_data(
                self,
                X,
                accept_sparse=FORMATS,
                dtype="numeric",
                ensure_all_finite=False,  # only the columns that are used must be there
                reset=False,
            )
        except ValueError as error:
            if "features, but" in str(error):
                raise ValueError(
                    f"{error} The columns must be the relations with the row objects of fit; "
                    "those outside support_features_ may be NaN."
                ) from None
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.is_precomputed and self.columns_are_samples
        return tags


def check_not_negative(name: str, value: Any) -> None:
    """Raise unless value is a finite number of at least zero."""
    valid = isinstance(value, Real) and not isinstance(value, bool)
    if not valid or not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a number of at least zero; got {value!r}")
