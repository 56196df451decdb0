"""The samples that a report is about, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv

from fewest._estimators.copies import join_copies
from fewest._estimators.neighbours import are_neighbours_alike
from fewest._estimators.splits import check_groups
from fewest._estimators.validation import (
    check_data,
    is_outside_memory,
    make_dense,
    standardize_columns,
)
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray
from fewest._wording import cut, listed
from fewest.report.content import ClassSize, DataSummary
from fewest.tables._narrow import name_rest

_Kind = TypeVar("_Kind")


class Data:
    """Samples, classes, names of features, groups; and how to split and draw from them.

    Samples of one of the `blocks` move together where classes are permuted. `kind` says what the
    samples are: see `fewest.report._nouns`. `raw` is X with its missing cells, which folds fill in
    with medians of their training parts. A ValueError says what is wrong with them.
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        groups: ArrayLike | None = None,
        blocks: ArrayLike | None = None,
        kind: str = "samples",
        random_state: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        raw: NDArray[Any] | None = None,
    ) -> None:
        if feature_names is None:
            feature_names = getattr(X, "columns", None)
        X, y = check_data(BaseEstimator(), X, y, may_read_blocks=True)
        self.X: Any = X.tocsr() if hasattr(X, "tocsr") else X  # folds take rows
        self.raw: Any = self.X if raw is None else raw
        self.y: NDArray[Any] = np.asarray(y)
        self.classes, self.codes = np.unique(self.y, return_inverse=True)
        if len(self.classes) < 2:
            raise ValueError("a report needs samples of at least two classes; y holds a single one")
        n_features = X.shape[1]
        if feature_names is None:
            feature_names = [f"feature {column}" for column in range(n_features)]
        if len(feature_names) != n_features:
            raise ValueError(
                f"feature_names has {len(feature_names)} names for {n_features} features: give one "
                "for each column of X"
            )
        self.feature_names = [str(name) for name in feature_names]
        self.groups = check_groups(groups, len(self.y))
        self.blocks = None if blocks is None else np.asarray(blocks)
        self.kind = kind
        self.random_state, self.cv, self.n_jobs = random_state, cv, n_jobs

    @property
    def settings(self) -> dict[str, Any]:
        """What functions take that train on parts of the samples or on permuted classes."""
        return {name: getattr(self, name) for name in ("groups", "random_state", "n_jobs")}

    @property
    def labels(self) -> list[Any]:
        """Classes as the user wrote them: 'ill' or 1, not np.str_('ill') or np.int64(1)."""
        return list(self.classes.tolist())

    @property
    def n_folds(self) -> int:
        """Folds of a cross-validation; where classes are small there may be fewer."""
        if isinstance(self.cv, (int, np.integer)):
            return max(1, int(self.cv))
        return int(check_cv(self.cv).get_n_splits(self.X, self.y, self.groups))

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

    def values(self, columns: ArrayLike, rows: IndexArray | None = None) -> FloatArray:
        """Some columns as they are, dense; of all samples or of some."""
        X = self.X if rows is None else self.X[rows]
        part = make_dense(X[:, np.asarray(columns, dtype=np.intp)])
        return np.asarray(part, dtype=np.float64)

    def class_means(self, values: FloatArray) -> FloatArray:
        """Means of the classes, one row each."""
        places = range(len(self.classes))
        return np.array([values[self.codes == place].mean(axis=0) for place in places])

    def names(self, columns: Iterable[int]) -> list[str]:
        return [self.feature_names[column] for column in columns]

    def summary(self, **about: Any) -> DataSummary:
        """Shape and classes; `about` says where the samples came from."""
        counts = np.bincount(self.codes).tolist()
        classes = [ClassSize(*entry) for entry in zip(self.labels, counts, strict=True)]
        notes = [*about.pop("notes", ()), *note_small_classes(classes)]
        units = np.arange(len(self.codes)) if self.groups is None else self.groups
        return DataSummary(
            n_samples=self.X.shape[0],
            n_features=self.X.shape[1],
            dtype=str(self.X.dtype),
            in_blocks=is_outside_memory(self.X),
            classes=classes,
            single=[
                label
                for place, label in enumerate(self.labels)
                if len(np.unique(units[self.codes == place])) < 2
            ],
            n_groups=None if self.groups is None else len(np.unique(self.groups)),
            n_blocks=None if self.blocks is None else len(np.unique(self.blocks)),
            kind=self.kind,
            n_copies=self.n_copies,
            is_series=self.is_series,
            notes=notes,
            **about,
        )

    @cached_property
    def n_copies(self) -> int:
        """Samples that are copies of samples of other groups."""
        return join_copies(self.X, self.y, self.groups)[0]

    @cached_property
    def is_series(self) -> bool:
        """Whether volumes that follow each other are alike, and no groups keep them together."""
        is_open = self.kind == "volumes" and self.groups is None
        return is_open and not is_outside_memory(self.X) and are_neighbours_alike(self.X, self.y)

    def against_rest(self, label: Any) -> Data:
        """The same samples in two classes: this one, and all others together."""
        name = str(label)
        return Data(
            self.X,
            np.where(self.y == label, name, name_rest(name)),
            feature_names=self.feature_names,
            groups=self.groups,
            random_state=self.random_state,
            cv=self.cv,
            n_jobs=self.n_jobs,
            raw=self.raw,
        )


def note_small_classes(classes: Sequence[ClassSize]) -> list[str]:
    """A sentence about classes with few samples, if there are any."""
    few = [f"{cut(one.label)} ({one.n_samples})" for one in classes if one.is_small]
    if not few:
        return []
    note = (
        f"Few samples in {listed(few, len(few))}: so few can be told apart from others by chance, "
        "and their errors are known only roughly. Collect more, merge such classes, or leave "
        "them out."
    )
    alone = [one.label for one in classes if one.n_samples == 1]
    if alone:
        note += f" A single sample cannot be left out to test the rest: {listed(alone)}."
    return [note]


def copy_fields(kind: type[_Kind], source: Any, **others: Any) -> _Kind:
    """A part of the content: its fields are `others`, else attributes of the same names."""
    names = {field.name for field in fields(kind)} - set(others)  # type: ignore[arg-type]
    return kind(**{name: plain(getattr(source, name)) for name in names}, **others)


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, results as dictionaries."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return list(value) if isinstance(value, tuple) else value
