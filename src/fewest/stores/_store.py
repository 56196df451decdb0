"""The array-like object that users work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import Blocked, Source
from fewest._types import IndexArray
from fewest._wording import listed, quoted
from fewest.tables._errors import InputError

_Names = Callable[[], "NDArray[Any] | None"]


class Store(Blocked):
    """Numbers in a file, with one row per sample and one column per feature.

    Made by :func:`open_store`. Estimators take it as X and read it block by block. ``store[rows]``
    is a part of it that is not read yet, and ``store[:, columns]`` an array of few columns.

    Attributes
    ----------
    shape : tuple of int
        Samples and features.
    dtype : numpy dtype
        The type of the values as blocks give them.
    label_names : list of str
        What the file has about samples besides X; `read_label` reads one of them.
    """

    def __init__(
        self,
        source: Source,
        *,
        names: _Names | None = None,
        sample_names: NDArray[Any] | None = None,
        labels: Mapping[str, Callable[[], NDArray[Any]]] | None = None,
        rows: IndexArray | None = None,
        features: IndexArray | None = None,
    ) -> None:
        super().__init__(source, rows, features)
        self._find_names, self._all_sample_names = names, sample_names
        self._labels = dict(labels or {})
        self._names: NDArray[Any] | None = None
        self.label_names = list(self._labels)

    def _narrow(self, rows: IndexArray | None, features: IndexArray | None) -> Store:
        part = Store(
            self.source,
            names=self._find_names,
            sample_names=self._all_sample_names,
            labels=self._labels,
            rows=rows,
            features=features,
        )
        part._names = self._names
        return part

    def __repr__(self) -> str:
        n, d = self.shape
        blocks = (len(self.source.row_edges) - 1) * (len(self.source.column_edges) - 1)
        return f"<Store {self.source.name}: {n:,} x {d:,} {self.dtype}, {blocks:,} blocks>"

    @property
    def feature_names(self) -> NDArray[Any] | None:
        """Names of the columns; None if the file has none."""
        if self._names is None and self._find_names is not None:
            self._names = self._find_names()
        return (
            self._names
            if self._names is None or self._features is None
            else (self._names[self._features])
        )

    @property
    def sample_names(self) -> NDArray[Any] | None:
        """Names of the samples; None if the file has none."""
        names = self._all_sample_names
        return names if names is None or self._rows is None else names[self._rows]

    @property
    def n_passes(self) -> float:
        """How often all values were read since the file was opened."""
        return self.source.n_passes

    def read_label(self, name: str) -> NDArray[Any]:
        """One value per sample, such as its class.

        Parameters
        ----------
        name : str
            One of `label_names`.

        Returns
        -------
        array of shape (n_samples,)
        """
        if name not in self._labels:
            known = listed(self.label_names) or "none"
            raise InputError(
                f"{self.source.name} has no label {quoted(name)}; it has: {known}.",
                argument="target",
            )
        values = np.asarray(self._labels[name]())
        n = self.source.shape[0]
        if len(values) != n:
            raise InputError(
                f"{quoted(name)} of {self.source.name} has {len(values):,} values for {n:,} "
                "samples."
            )
        return values if self._rows is None else values[self._rows]
