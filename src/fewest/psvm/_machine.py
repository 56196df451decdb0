"""What the Potential Support Vector Machines share: parameters, the matrix, the fit, the scores."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from fewest._estimators.abilities import Abilities, Declaring, Selection
from fewest._estimators.certificate import Certificate
from fewest._estimators.rules import RuleParameters
from fewest._estimators.validation import (
    check_flag,
    check_not_negative,
    check_positive,
    check_usual_parameters,
)
from fewest._solvers.box_lasso.solve import BoxLassoResult, box_lasso
from fewest._solvers.columns import Columns
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray
from fewest.psvm._relations import (
    UNIT_VARIANCE,
    check_scale,
    measure_importance,
    price_weights,
    read_measured_columns,
    scale_relations,
    warn_of_constant_columns,
    warn_of_doubtful,
)
from fewest.psvm.kernels import check_kernel, compute_kernel, list_arguments

SAMPLES = "samples"
_TINY = np.finfo(np.float64).tiny
# Where the estimators of scikit-learn keep the vectors that they find.
_FOUND_VECTORS = ("cluster_centers_", "components_", "means_")


@dataclass(frozen=True, eq=False)
class SupportFunction:
    """f(x) as a function of the relations with the support features alone."""

    mean: FloatArray
    inverse_scale: FloatArray
    weights: FloatArray  # one row per task
    intercept: FloatArray

    def __call__(self, block: FloatArray) -> FloatArray:
        """Scores of the samples, one column per task."""
        return (block - self.mean) * self.inverse_scale @ self.weights.T + self.intercept


def find_vectors(finder: Any, X: Any) -> Any:
    """Cluster centres, components or means that an estimator finds in these samples."""
    found = clone(finder).fit(X)
    for name in _FOUND_VECTORS:
        if hasattr(found, name):
            return getattr(found, name)
    raise ValueError(
        f"{type(finder).__name__} finds no vectors to relate samples to: row_objects takes "
        f"estimators that have {', '.join(_FOUND_VECTORS[:-1])} or {_FOUND_VECTORS[-1]} after fit, "
        "such as KMeans, PCA, FastICA or GaussianMixture"
    )


@dataclass(eq=False, repr=False, kw_only=True)
class KernelParameters(RuleParameters):
    """Parameters that a machine and the search for one have in common."""

    kernel: Any = "rbf"
    gamma: float | str = "scale"
    degree: float = 3
    coef0: float = 1.0
    rho: float = 1.0
    zeta: float = 1.0
    theta: float = 1.0
    kernel_params: dict[str, Any] | None = None
    row_objects: Any = None
    scale: str = "unit length"
    refit: bool = False
    tol: float = 1e-6
    max_iter: int = 500

    _kept_rules = ("include", "exclude", "feature_cost")


@dataclass(eq=False, repr=False)
class PotentialMachine(KernelParameters, Declaring, BaseEstimator, metaclass=ABCMeta):
    """A function of the support features' columns only, fitted by a box-constrained lasso.

    A subclass turns y into targets, and scores into predictions. All parameters are documented
    there.
    """

    C: float = 1.0
    epsilon: float = 0.1

    @abstractmethod
    def _targets(self, y: Any) -> FloatArray:
        """One row of numbers per task, one entry per sample."""

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Find the support features and their weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects.
        y : array of shape (n_samples,)
            Class labels, two or more different ones; numbers for the regression.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = self._check_input(X, y)
        targets = self._targets(y)
        self._fit(X, targets)
        self._calibrate(X, y, targets)
        return self

    def _calibrate(self, X: Any, y: NDArray[Any], targets: FloatArray) -> None:
        """Prepare probabilities; numbers have none."""

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

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return tuple(
            Certificate(
                objective=float(result.objective),
                lower_bound=float(result.bound),
                relative_gap=float(result.gap),
                pricing_rounds=int(result.n_iter),
                linear_programs=0,
                converged=str(result.status) == "optimal",
                status=str(result.status),
                # The residual is y - f(x), and y is -1 or 1.
                samples_on_wrong_side=int(np.sum(row * result.residual >= 1.0)),
            )
            for row, result in zip(signs, self.results_, strict=True)
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

    @property
    def finds_row_objects(self) -> bool:
        """Whether the row objects are found by an estimator, in the training samples alone."""
        return hasattr(self.row_objects, "fit") and not isinstance(self.row_objects, type)

    def _check_rules(self) -> None:
        if self._has_rules() and (not self.is_precomputed or self.columns_are_samples):
            raise ValueError(
                f"{type(self).__name__} takes rules about features only where the columns of X are "
                "features. Use kernel='precomputed' with row_objects=None, or leave columns out "
                "of X yourself"
            )
        super()._check_rules()

    def _check_parameters(self) -> None:
        """Raise a ValueError that names the parameter and its admissible values."""
        check_usual_parameters(self)
        self._check_rules()
        check_positive("C", self.C, infinity="for no bound")
        check_not_negative("epsilon", self.epsilon)
        check_flag("refit", self.refit)
        check_scale(self.scale)
        for name in ("degree", "rho", "zeta", "theta"):
            check_positive(name, getattr(self, name))
        check_kernel(self.kernel, self.gamma, self.kernel_params)
        if isinstance(self.row_objects, str):
            if self.row_objects != SAMPLES:
                raise ValueError(
                    "row_objects must be None, 'samples', an array of shape (n_row_objects, "
                    "n_features) or an estimator that finds vectors, such as KMeans(20); got "
                    f"{self.row_objects!r}"
                )
        elif self.is_precomputed and self.row_objects is not None:
            raise ValueError(
                "with kernel='precomputed' the columns of X are the row objects: row_objects must "
                "be None, or 'samples' where they are the samples themselves"
            )

    def _check_input(self, X: Any, y: Any, owner: Any = None) -> tuple[Any, NDArray[Any]]:
        """X and y in a form that kernel and solver can use; `owner` keeps the names."""
        check_sparse(X, "X")
        X, y = validate_data(
            self if owner is None else owner,
            X,
            y,
            accept_sparse=SPARSE_FORMATS,
            dtype="numeric" if self.is_precomputed else np.float64,
            ensure_min_samples=2,
            y_numeric=is_regressor(self),
        )
        if self.is_precomputed and self.columns_are_samples and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"row_objects='samples' needs a square matrix, but X has shape {X.shape}: leave "
                "row_objects out if its columns are objects of another kind"
            )
        return X, y

    def _find_row_objects(self, X: Any) -> Any:
        """The z_j of a computed kernel; None where X is the matrix itself."""
        if self.is_precomputed:
            return None
        if self.columns_are_samples:
            return X
        given = find_vectors(self.row_objects, X) if self.finds_row_objects else self.row_objects
        check_sparse(given, "row_objects")
        Z = check_array(given, accept_sparse="csr", dtype=np.float64, input_name="row_objects")
        if Z.shape[1] != X.shape[1]:
            raise ValueError(
                f"row_objects have {Z.shape[1]} features, but the samples have {X.shape[1]}: the "
                "kernel compares vectors of the same length"
            )
        return Z

    def _solve(
        self,
        columns: Columns,
        target: FloatArray,
        epsilon: FloatArray | float,
        C: float,
        start: FloatArray | None = None,
    ) -> BoxLassoResult:
        """The program for one centred target, to this machine's tolerance.

        `epsilon` is one for all columns, or one for each.
        """
        return box_lasso(
            columns, target, epsilon, C, start=start, tol=self.tol, max_iter=self.max_iter
        )

    def _refit_weights(
        self, columns: Columns, target: FloatArray, result: BoxLassoResult, C: float
    ) -> FloatArray:
        """The weights to predict with: those of the program, or new ones for the same features."""
        used = np.flatnonzero(result.alpha)
        if not self.refit or not len(used):
            return result.alpha
        weights = np.zeros(columns.n_features)
        weights[used] = self._solve(columns.subset(used), target, 0.0, C, result.alpha[used]).alpha
        return weights

    def _fit(self, X: Any, targets: FloatArray) -> None:
        Z = self._find_row_objects(X)
        self._arguments = list_arguments(self, X)
        K = X if Z is None else compute_kernel(self.kernel, X, Z, self._arguments)
        columns = scale_relations(K, self.scale)
        warn_of_constant_columns(columns, stacklevel=4)
        rules = self._read_rules(columns.n_features) if Z is None else None
        columns = columns if rules is None else rules.narrow(columns)
        C, epsilon = float(self.C), price_weights(float(self.epsilon), rules)
        self.intercept_ = targets.mean(axis=1)
        centred = targets - self.intercept_[:, None]
        self.results_ = tuple(self._solve(columns, row, epsilon, C) for row in centred)
        warn_of_doubtful(self.results_, stacklevel=4)
        solved = zip(centred, self.results_, strict=True)
        self.coef_ = np.array(
            [self._refit_weights(columns, row, result, C) for row, result in solved]
        )
        self._describe(columns, centred, epsilon)
        self.supports_ = np.array([result.alpha != 0.0 for result in self.results_])
        if rules is not None:
            self.supports_ |= rules.included
        self.support_ = np.any(self.supports_, axis=0)
        self.support_features_ = used = np.flatnonzero(self.support_)
        self.mean_ = columns.mean
        with np.errstate(divide="ignore"):
            self.scale_ = 1.0 / columns.inverse_scale
        self._function = SupportFunction(
            columns.mean[used], columns.inverse_scale[used], self.coef_[:, used], self.intercept_
        )
        self.support_row_objects_ = None if Z is None else Z[used]
        self.n_row_objects_ = columns.n_features
        self.n_iter_ = max(result.n_iter for result in self.results_)

    def _describe(self, columns: Columns, targets: FloatArray, epsilon: FloatArray | float) -> None:
        """What the solution says of every row object, one row per task."""
        solved = list(zip(targets, self.results_, self.coef_, strict=True))
        self.moments_ = np.array([columns.price(result.residual) for result in self.results_])
        bounded = [np.abs(result.alpha) >= self.C for result in self.results_]
        self.slacks_ = np.where(bounded, np.maximum(np.abs(self.moments_) - epsilon, 0.0), 0.0)
        length = np.sqrt(columns.n_samples) if self.scale == UNIT_VARIANCE else 1.0
        norms = [length * max(np.linalg.norm(result.residual), _TINY) for result in self.results_]
        self.correlations_ = self.moments_ / np.array(norms)[:, None]
        self.importance_ = np.array(
            [
                measure_importance(columns, w, row - columns.combine(w), self.scale)
                if self.refit
                else measure_importance(columns, w, result.residual, self.scale)
                for row, result, w in solved
            ]
        )

    def linear_function(self) -> tuple[FloatArray, FloatArray]:
        """Weights (one row per task) and intercepts for relations as they are, not normalised."""
        check_is_fitted(self)
        used = self.support_features_
        weights = np.zeros((len(self.results_), self.n_row_objects_))
        weights[:, used] = self._function.weights * self._function.inverse_scale
        return weights, self._function.intercept - weights[:, used] @ self._function.mean

    def _scores(self, X: Any) -> FloatArray:
        """f(x), one column per task."""
        check_is_fitted(self)
        return self._function(self._relations(X))

    def _relations(self, X: Any) -> FloatArray:
        """Relations of new samples with the support features."""
        check_is_fitted(self)
        check_sparse(X, "X")
        kind: dict[str, Any] = {"dtype": np.float64}
        if self.is_precomputed:  # only the columns that are used must be there
            kind = {"dtype": "numeric", "ensure_all_finite": False}
        try:
            X = validate_data(self, X, accept_sparse=SPARSE_FORMATS, reset=False, **kind)
        except ValueError as error:
            if self.is_precomputed and "features, but" in str(error):
                raise ValueError(
                    f"{error} The columns must be the relations with the row objects of fit; "
                    "those outside support_features_ may be NaN."
                ) from None
            raise
        if self.is_precomputed:
            return read_measured_columns(X, self.support_features_)
        if not len(self.support_features_):  # no kernel need be asked
            return np.empty((X.shape[0], 0))
        return compute_kernel(self.kernel, X, self.support_row_objects_, self._arguments)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.is_precomputed and self.columns_are_samples
        return tags
