"""A matrix of relations and targets made ready for the solver, and what is to be said of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from fewest._estimators.rules import Rules
from fewest._estimators.validation import (
    check_choice,
    encode_classes,
    make_dense,
    standardize_columns,
)
from fewest._solvers.box_lasso.solve import BoxLassoResult
from fewest._solvers.columns import Columns
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray
from fewest._wording import listed

UNIT_LENGTH, UNIT_VARIANCE = "unit length", "unit variance"


def check_scale(scale: Any) -> None:
    """Raise unless this is one of the two scales of the columns."""
    check_choice("scale", scale, (UNIT_LENGTH, UNIT_VARIANCE))


def scale_relations(K: Any, scale: str) -> Columns:
    """Columns of K, centred and of unit length or unit variance; constant ones are zero."""
    return standardize_columns(K) if scale == UNIT_VARIANCE else scale_to_unit_length(K)


def scale_to_unit_length(K: Any) -> Columns:
    """Columns of K, centred and of unit length; constant ones are zero."""
    columns = standardize_columns(K)
    return Columns(K, columns.mean, columns.inverse_scale / np.sqrt(columns.n_samples))


def price_weights(epsilon: float, rules: Rules | None) -> FloatArray | float:
    """What the weight of every column costs, where features have prices.

    Those that are always in cost next to nothing, as in the linear programs.
    """
    if rules is None or epsilon == 0.0:
        return epsilon
    return epsilon * rules.relative_terms.first_costs()


def measure_importance(
    columns: Columns, weights: FloatArray, residual: FloatArray, scale: str
) -> FloatArray:
    """By how much the mean of half the squared residuals grows if a column goes, one by one."""
    square = columns.n_samples if scale == UNIT_VARIANCE else 1.0
    gains = weights * columns.price(residual) + 0.5 * square * weights**2
    return gains / columns.n_samples


def warn_of_constant_columns(columns: Columns, *, stacklevel: int = 3) -> None:
    """Constant columns say nothing about any sample: they are ignored, but not in silence."""
    constant = np.flatnonzero(columns.inverse_scale == 0.0)
    if len(constant):
        warnings.warn(
            f"{len(constant)} of {columns.n_features} column(s) of the matrix are constant (number "
            f"{listed(constant)}, counted from 0) and were ignored",
            UserWarning,
            stacklevel=stacklevel,
        )


def warn_of_doubtful(results: Sequence[BoxLassoResult], *, stacklevel: int = 3) -> None:
    """Say so where the solver could not prove its answer."""
    doubtful = [result for result in results if result.status is not Status.OPTIMAL]
    if doubtful:
        gap = max(result.gap for result in doubtful)
        warnings.warn(
            f"the quadratic program closed only to a relative gap of {gap:.1e}: raise epsilon, "
            "lower C, raise max_iter or accept a larger tol",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


def encode_targets(name: str, y: Any) -> tuple[NDArray[Any], FloatArray]:
    """The classes, and a row of -1 and +1 per task: the second class, or each against the rest."""
    check_classification_targets(y)
    classes, codes = encode_classes(name, y)
    positives = [1] if len(classes) == 2 else range(len(classes))
    return classes, np.array([np.where(codes == positive, 1.0, -1.0) for positive in positives])


def read_measured_columns(X: Any, index: IndexArray) -> FloatArray:
    """The named columns of X, which must be there; the others need not have been measured."""
    block = np.asarray(make_dense(X[:, index]), dtype=np.float64)
    missing = index[~np.isfinite(block).all(axis=0)]
    if len(missing):
        raise ValueError(
            f"X contains NaN or infinity in {len(missing)} column(s) of support features "
            f"({listed(missing)}): these relations have to be measured; only columns outside "
            "support_features_ may be NaN"
        )
    return block
