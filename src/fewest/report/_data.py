"""The samples that a report is about, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_data, make_dense, standardize_columns
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray
from fewest.report.content import ClassSize, DataSummary


@dataclass(frozen=True, eq=False)
class Data:
    """Samples, classes, names of features, groups; and how to split and draw from them."""

    X: Any
    y: NDArray[Any]
    feature_names: list[str]
    groups: NDArray[Any] | None
    random_state: Any
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

    @property
    def positives(self) -> list[Any]:
        """The class of every linear function: the second one, or all if there are more than two."""
        return self.labels[1:] if self.is_binary else self.labels

    @cached_property
    def columns(self) -> Columns:
        """All columns, standardised on use."""
        return standardize_columns(self.X, None, per_column=True)

    def values(self, columns: ArrayLike) -> FloatArray:
        """Some columns as they are, dense."""
        part = make_dense(self.X[:, np.asarray(columns, dtype=np.intp)])
        return np.asarray(part, dtype=np.float64)

    def class_means(self, values: FloatArray) -> FloatArray:
        """Means of the classes, one row each."""
        return np.array([values[self.y == label].mean(axis=0) for label in self.classes])

    def names(self, columns: Iterable[int]) -> list[str]:
        return [self.feature_names[column] for column in columns]

    def summary(self, **about: Any) -> DataSummary:
        """Shape and classes; `about` says where the samples came from."""
        counts = np.bincount(self.codes).tolist()
        return DataSummary(
            n_samples=self.X.shape[0],
            n_features=self.X.shape[1],
            dtype=str(self.X.dtype),
            classes=[ClassSize(*entry) for entry in zip(self.labels, counts, strict=True)],
            n_groups=None if self.groups is None else len(np.unique(self.groups)),
            **about,
        )


def prepare_data(
    X: Any,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    random_state: Any = None,
    cv: Any = 5,
    n_jobs: int | None = None,
) -> Data:
    """The data, or an error that says what is wrong with them."""
    if feature_names is None and hasattr(X, "columns"):
        feature_names = list(X.columns)
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
    return Data(X, y, names, check_groups(groups, len(y)), random_state, cv, n_jobs)
