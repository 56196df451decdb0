"""What the selecting classifiers share: validation, one machine a class, prediction."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_is_fitted,
    validate_data,
)

from fewest._core.columns import Columns, standardized
from fewest._core.master import SolverError
from fewest._core.problem import FloatArray
from fewest._core.result import Status
from fewest._core.reweight import ZeroNormResult
from fewest._margin import hard_margin, soft_margin
from fewest.exceptions import NotSeparableError


@dataclass(frozen=True)
class BinaryTask:
    """One class against another (or all others), ready for a solver."""

    columns: Columns
    y: FloatArray
    sample_weight: FloatArray | None
    error_cost: FloatArray | None  # None: no errors allowed
    name: str


class SelectingClassifier(SelectorMixin, ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A linear classifier that is zero on most features, and a selector of the others.

    A subclass says how one binary task is solved; it has the parameters `C`, `class_weight`,
    `standardize`, `refit`, `n_jobs` and `verbose`.
    """

    @abstractmethod
    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        """Features, weights and bias for one class against the rest."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise a ValueError that names the parameter and its admissible values."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Select features and fit the hyperplane (one a class if there are more than two).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type; never copied, centred or converted as a whole.
        y : array of shape (n_samples,)
            Class labels, two or more different ones.
        sample_weight : array of shape (n_samples,), optional
            A sample of weight two counts as two samples. Samples of weight zero are left out.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = _validated(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        X, codes, weight = _weighted_samples(X, codes, sample_weight)
        present = np.unique(codes)
        if len(present) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but y contains "
                f"only one class: {self._label(present[0])}"
            )
        columns = _finite_columns(X, weight, per_column=self.standardize)
        positives = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        tasks = [self._task(columns, codes, k, weight) for k in positives]
        if len(tasks) == 1:
            fits = [self._fit_one(tasks[0])]
        else:
            fits = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._fit_one)(task) for task in tasks
            )
        self._keep(columns, [fit for fit, _ in fits])
        for _, message in fits:
            if message:
                warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Signed value of w . x + b; positive values speak for the (second) class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to judge.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype="numeric", reset=False)
        used = np.flatnonzero(self.support_)
        scores = np.asarray(X[:, used] @ self.coef_[:, used].T) + self.intercept_
        return scores.ravel() if len(self.intercept_) == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each sample.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples to classify.

        Returns
        -------
        array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[chosen]

    @property
    def result_(self) -> ZeroNormResult:
        """Solution and certificates of a two-class fit (`results_[0]`)."""
        check_is_fitted(self)
        if len(self.results_) > 1:
            raise AttributeError("there is one result a class here: see `results_`")
        return self.results_[0]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _label(self, code: int) -> str:
        """The class as the user wrote it: 'ill' or 1, not np.str_('ill') or np.int64(1)."""
        return repr(self.classes_[[code]].tolist()[0])

    def _task(
        self, columns: Columns, codes: NDArray[np.intp], positive: int, weight: FloatArray | None
    ) -> BinaryTask:
        y = np.where(codes == positive, 1.0, -1.0)
        if not np.any(y > 0) or not np.any(y < 0):
            raise ValueError(f"class {self._label(positive)} has no sample of positive weight")
        error_cost = None
        if not np.isinf(self.C):
            base = np.ones(len(y)) if weight is None else weight
            error_cost = self.C * base * _class_factors(self, codes, y, base)
        return BinaryTask(columns, y, weight, error_cost, name=self._label(positive))

    def _fit_one(self, task: BinaryTask) -> tuple[tuple[ZeroNormResult, FloatArray, float], str]:
        result = self._solve(task)
        if result.status is Status.INFEASIBLE:
            raise _inseparable(task)
        if not np.isfinite(result.zero_norm_objective):
            raise SolverError(
                f"no hyperplane for class {task.name} was found, nor a proof that there is none: "
                "columns that are equal up to rounding are the usual reason. Remove duplicates"
            )
        message = ""
        if result.status is Status.INACCURATE:
            message = f"the linear program closed only to a relative gap of {result.gap:.1e}"
        elif not result.converged:
            message = f"the selection still changed after max_iter={len(result.steps)} programs"
        if self.verbose:
            first = result.steps[0]
            print(
                f"[{type(self).__name__}] {task.name}: {result.n_features} features "
                f"({result.n_features_first} after the first program), "
                f"{first.rounds} pricing rounds, gap {result.gap:.1e}, {result.seconds:.3f} s"
            )
        w, b = result.w, result.b
        if self.refit == "margin" and result.n_features:
            w, b = _refitted(task, result)
        return (result, w, b), message

    def _keep(self, columns: Columns, fits: list[tuple[ZeroNormResult, FloatArray, float]]) -> None:
        """Translate the machines from standardised columns to X as it was given."""
        self.results_ = tuple(result for result, _, _ in fits)
        self.coef_ = np.zeros((len(fits), columns.n_features))
        self.intercept_ = np.zeros(len(fits))
        self.supports_ = np.zeros((len(fits), columns.n_features), dtype=bool)
        for row, (result, w, b) in enumerate(fits):
            raw = w * columns.inverse_scale[result.features]
            self.coef_[row, result.features] = raw
            self.intercept_[row] = b - raw @ columns.mean[result.features]
            self.supports_[row, result.features] = True
        self.support_ = self.supports_.any(axis=0)
        self.n_iter_ = max(len(result.steps) for result in self.results_)


def check_positive(name: str, value: Any, *, infinity: str = "") -> None:
    """Raise unless value is a number above zero (infinity allowed where it has a meaning)."""
    valid = isinstance(value, Real) and not isinstance(value, bool) and value > 0
    if not valid or (np.isinf(value) and not infinity):
        extra = f", or np.inf {infinity}" if infinity else ""
        raise ValueError(f"{name} must be a positive number{extra}; got {value!r}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if not any(value is choice or value == choice for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")


def check_count(name: str, value: Any) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least one; got {value!r}")


def _validated(estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    _reject_text_columns(X)
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=("csr", "csc"),
        dtype="numeric",
        ensure_min_samples=2,
        ensure_all_finite=False,  # checked on the column means, which are needed anyway
    )
    check_classification_targets(y)
    return X, y


def _reject_text_columns(X: Any) -> None:
    """A data frame with text gets an error that names its columns."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "columns"):
        return
    text = [
        str(name)
        for name, dtype in zip(X.columns, dtypes, strict=True)
        if str(dtype) in ("object", "string", "str", "category")
    ]
    if text:
        shown = ", ".join(text[:5]) + (", ..." if len(text) > 5 else "")
        raise ValueError(
            f"{len(text)} column(s) of X hold text or categories ({shown}): could not convert "
            "string to float. Drop them or encode them as numbers first"
        )


def _weighted_samples(
    X: Any, codes: NDArray[np.intp], sample_weight: ArrayLike | None
) -> tuple[Any, NDArray[np.intp], FloatArray | None]:
    """Leave out samples of weight zero; None stands for equal weights."""
    if sample_weight is None:
        return X, codes, None
    if np.all(np.asarray(sample_weight) == 0):
        raise ValueError("sample_weight is zero for every sample: nothing is left to fit")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = weight > 0
    if not kept.all():
        X, codes, weight = X[kept], codes[kept], weight[kept]
    return X, codes, weight


def _finite_columns(X: Any, weight: FloatArray | None, *, per_column: bool) -> Columns:
    with np.errstate(invalid="ignore", over="ignore"):
        columns = standardized(X, per_column=per_column, sample_weight=weight)
    if not np.all(np.isfinite(columns.mean)) or not np.all(np.isfinite(columns.inverse_scale)):
        assert_all_finite(X.data if sparse.issparse(X) else X, input_name="X")
        raise ValueError("X holds values so large that their squares overflow: rescale them")
    if columns.n_usable == 0:
        raise ValueError(
            f"all {columns.n_features} feature(s) of X are constant: no feature can tell the "
            "classes apart. Check that the right columns were read"
        )
    return columns


def _class_factors(
    estimator: Any, codes: NDArray[np.intp], y: FloatArray, weight: FloatArray
) -> FloatArray:
    """What class_weight multiplies the cost of an error of each sample with."""
    class_weight = estimator.class_weight
    if class_weight is None:
        return np.ones(len(y))
    if isinstance(class_weight, str):
        plus, minus = weight[y > 0].sum(), weight[y < 0].sum()
        return np.where(y > 0, (plus + minus) / (2 * plus), (plus + minus) / (2 * minus))
    factors = np.array([class_weight.get(label, 1.0) for label in estimator.classes_.tolist()])
    return factors[codes]


def check_class_weight(class_weight: Any) -> None:
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, dict) or any(
        not isinstance(value, Real) or not value > 0 for value in class_weight.values()
    ):
        raise ValueError(
            "class_weight must be None, 'balanced' or a dict of positive numbers keyed by class; "
            f"got {class_weight!r}"
        )


def _inseparable(task: BinaryTask) -> ValueError:
    if task.error_cost is None:
        return NotSeparableError(
            f"class {task.name} cannot be separated without error from the rest by any hyperplane "
            f"in these {task.columns.n_features} feature(s) (proven by a Farkas certificate). "
            "Allow errors with a finite C, for example C=1.0"
        )
    return ValueError(
        f"the means of class {task.name} and of the rest are equal in every feature, so that the "
        "equality of the Support Feature Machine cannot hold. Add features that differ"
    )


def _refitted(task: BinaryTask, result: ZeroNormResult) -> tuple[FloatArray, float]:
    """Largest margin on the selected features; soft where the selection needed slacks."""
    Z = task.columns.take(result.features)
    if not np.any(result.slack > 0):
        plane = hard_margin(Z, task.y)
        if plane is not None:
            return plane
    # Also where samples of both classes share a point, on the hyperplane: no margin exists.
    cost = task.error_cost if task.error_cost is not None else np.full(len(task.y), np.inf)
    return soft_margin(Z, task.y, cost)
