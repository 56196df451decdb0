"""The samples that a report is about, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_data, standardize_columns
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Data:
    """Samples, classes, names of features, groups; and the seed and folds to work with."""

    X: Any
    y: NDArray[Any]
    names: list[str]
    groups: NDArray[Any] | None
    seed: int
    cv: Any
    n_jobs: int | None

    @cached_property
    def classes(self) -> NDArray[Any]:
        return np.unique(self.y)

    @cached_property
    def codes(self) -> IndexArray:
        """Classes as places in `classes`."""
        return np.searchsorted(self.classes, self.y)

    @property
    def labels(self) -> list[Any]:
        """Classes as the user wrote them: 'ill' or 1, not np.str_('ill') or np.int64(1)."""
        return list(self.classes.tolist())

    @property
    def is_binary(self) -> bool:
        return len(self.classes) == 2

    @cached_property
    def columns(self) -> Columns:
        """All columns, standardised on use."""
        return standardize_columns(self.X, None, per_column=True)

    def values(self, columns: ArrayLike) -> FloatArray:
        """Some columns as they are, dense."""
        part = self.X[:, np.asarray(columns, dtype=np.intp)]
        part = part.toarray() if hasattr(part, "toarray") else part
        return np.asarray(part, dtype=np.float64)

    def named(self, columns: Any) -> list[str]:
        return [self.names[column] for column in np.asarray(columns, dtype=np.intp)]


def checked(
    X: Any,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None,
    groups: ArrayLike | None,
    seed: int,
    cv: Any,
    n_jobs: int | None,
) -> Data:
    """The data, or an error that says what is wrong with them."""
    if feature_names is None and hasattr(X, "columns"):
        feature_names = [str(name) for name in X.columns]
    X, y = check_data(BaseEstimator(), X, y)
    y = np.asarray(y)
    if len(np.unique(y)) < 2:
        raise ValueError("a report needs samples of at least two classes; y holds a single one")
    n_features = X.shape[1]
    if feature_names is None:
        feature_names = [f"feature {column}" for column in range(n_features)]
    if len(feature_names) != n_features:
        raise ValueError(
            f"feature_names has {len(feature_names)} names for {n_features} features: give one "
            "for each column of X"
        )
    X = X.tocsr() if hasattr(X, "tocsr") else X  # folds take rows
    names = [str(name) for name in feature_names]
    return Data(X, y, names, check_groups(groups, len(y)), seed, cv, n_jobs)
