"""Some standardised columns that linear programs keep at hand: one copy of them, at most.

Sparse columns stay sparse: a mean is subtracted from products, not from values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from fewest._types import FloatArray, IndexArray

# Values of rows whose products are summed at a time: they should stay in the cache.
_STRIP_VALUES = 1 << 16


class SparsePart:
    """Standardised columns whose values stay sparse: (A - 1 mean') diag(inverse_scale)."""

    __array_ufunc__ = None  # or numpy would make an array of it before it multiplies

    def __init__(self, values: Any, mean: FloatArray, inverse_scale: FloatArray) -> None:
        self.values = sparse.csr_array(values, dtype=np.float64)
        self.mean, self.inverse_scale = mean, inverse_scale
        self.shape = self.values.shape

    def __matmul__(self, w: FloatArray) -> FloatArray:
        w = self.inverse_scale * w
        return np.asarray(self.values @ w - self.mean @ w)

    def __rmatmul__(self, v: FloatArray) -> FloatArray:
        return np.asarray(self.inverse_scale * (self.values.T @ v - self.mean * v.sum()))

    def __getitem__(self, rows: Any) -> FloatArray:
        return np.asarray((self.values[rows].toarray() - self.mean) * self.inverse_scale)

    def take(self, index: IndexArray) -> SparsePart:
        return SparsePart(self.values[:, index], self.mean[index], self.inverse_scale[index])

    def beside(self, other: SparsePart) -> SparsePart:
        """Both, these columns first."""
        return SparsePart(
            sparse.hstack([self.values, other.values], format="csr"),
            np.concatenate([self.mean, other.mean]),
            np.concatenate([self.inverse_scale, other.inverse_scale]),
        )

    def weighted_products(self, weight: FloatArray) -> FloatArray:
        """Z' diag(weight) Z of the columns and a one beside them."""
        along, total = self.values.T @ weight, weight.sum()
        weighted = sparse.csr_array(
            (self.values.data * np.repeat(weight, np.diff(self.values.indptr)),
             self.values.indices, self.values.indptr), shape=self.shape,
        )  # fmt: skip
        products = np.empty((self.shape[1] + 1,) * 2, order="F")
        inner = products[:-1, :-1]
        inner[...] = (self.values.T @ weighted).toarray()
        half = np.outer(along - 0.5 * total * self.mean, self.mean)
        inner -= half
        inner -= half.T
        inner *= self.inverse_scale
        inner *= self.inverse_scale[:, None]
        products[-1, :-1] = products[:-1, -1] = self.inverse_scale * (along - total * self.mean)
        products[-1, -1] = total
        return products


Part = FloatArray | SparsePart


class AtHand:
    """Columns that join in parts, which are neither copied when others join nor written to.

    Columns that leave are only left out, until fewer than half remain. Sparse parts are one.
    """

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self._start_with(np.empty((n_samples, 0)))

    def _start_with(self, part: Part) -> None:
        self._parts, self._starts = [part], [0, part.shape[1]]
        self._places = np.arange(part.shape[1])  # in all parts, one after the other

    def join(self, part: Part) -> None:
        """Let these columns in, after those that are here."""
        last = self._parts[-1]
        if isinstance(last, SparsePart) and isinstance(part, SparsePart):
            self._start_with(last.take(self._places).beside(part))
            return
        if not self._starts[-1]:
            self._start_with(part)
            return
        start = self._starts[-1]
        self._parts.append(part)
        self._starts.append(start + part.shape[1])
        self._places = np.concatenate([self._places, np.arange(start, self._starts[-1])])

    def keep(self, places: IndexArray) -> None:
        """Let all columns go but those at these places."""
        if 2 * len(places) > self._starts[-1]:
            self._places = self._places[places]
        elif isinstance(self._parts[0], SparsePart):
            self._start_with(self._parts[0].take(self._places[places]))
        else:
            self._start_with(self.take(places))

    def price(self, v: FloatArray) -> FloatArray:
        """The product of every column with v."""
        return np.concatenate([v @ part for part in self._parts])[self._places]

    def combine(self, w: FloatArray) -> FloatArray:
        """The weighted sum of the columns."""
        weights, total = np.zeros(self._starts[-1]), np.zeros(self.n_samples)
        weights[self._places] = w
        for start, part in zip(self._starts, self._parts, strict=False):
            total += part @ weights[start : start + part.shape[1]]
        return total

    def take(self, places: IndexArray) -> FloatArray:
        """A dense copy of the columns at these places."""
        if isinstance(self._parts[0], SparsePart):
            return np.asfortranarray(self._parts[0].take(self._places[places])[:])
        found = np.empty((self.n_samples, len(places)), order="F")
        for column, place in zip(found.T, self._places[places], strict=True):
            part = int(np.searchsorted(self._starts, place, side="right")) - 1
            column[:] = self._parts[part][:, place - self._starts[part]]
        return found

    def take_rows(self, rows: IndexArray) -> FloatArray:
        """A dense copy of these rows of all columns."""
        return np.hstack([part[rows] for part in self._parts])[:, self._places]

    def weighted_products(self, weight: FloatArray) -> FloatArray:
        """Z' diag(weight) Z of the columns and a one beside them; the lower triangle."""
        if isinstance(self._parts[0], SparsePart):
            return self._parts[0].take(self._places).weighted_products(weight)
        width = self._starts[-1] + 1
        height = max(256, _STRIP_VALUES // width)
        used, room = np.append(self._places, width - 1), np.empty((height, width), order="F")
        total, root = np.zeros((len(used), len(used)), order="F"), np.sqrt(weight)
        for top in range(0, self.n_samples, height):
            factor = root[top : top + height, None]
            strip = room[: len(factor)]
            for start, part in zip(self._starts, self._parts, strict=False):
                into = strip[:, start : start + part.shape[1]]
                np.multiply(part[top : top + height], factor, out=into)
            strip[:, -1:] = factor
            if len(used) < width:
                strip = strip[:, used]
            total = dsyrk(1.0, strip, beta=1.0, c=total, trans=1, lower=1, overwrite_c=1)
        return total
