"""The values of an AnnData object as one matrix in memory: sparse ones stay sparse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._memory import get_memory
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import BoolArray, FloatArray, IndexArray
from fewest._wording import counted, listed, near, quoted

_NUMBERS = "biuf"
_BLOCK_BYTES = 2**27  # of a dense array on disk, read at a time
_WORTH_SPARSE = 0.4  # share of values that are not zero, below which sparse is smaller
_TARGET_SUM = 1e4  # counts per cell after normalisation, as scanpy's tutorials have it


def check_source(adata: Any, layer: str | None, *, use_raw: bool) -> None:
    """Raise unless the values that are asked for are one matrix, which exists."""
    if use_raw and layer is not None:
        raise ValueError(
            f"layer={layer!r} and use_raw=True name two matrices: leave one of them out"
        )
    if use_raw and adata.raw is None:
        raise ValueError("adata.raw is empty. Leave use_raw out, or name a layer")


def find_layer(adata: Any, layer: str | None, *, use_raw: bool = False) -> tuple[Any, str]:
    """The values as the object holds them, possibly on disk, and what messages call them."""
    check_source(adata, layer, use_raw=use_raw)
    if use_raw:
        return adata.raw.X, "adata.raw"
    if layer is None:
        if adata.X is None:
            raise ValueError(f"adata.X is empty. Name a layer: {listed(adata.layers) or 'none'}")
        return adata.X, "adata.X"
    names = [str(name) for name in adata.layers]
    if layer not in names:
        hint = near(str(layer), names, "layer") if names else "There are no layers: leave it out"
        hint = hint.removesuffix(".")
        raise ValueError(f"adata has no layer {quoted(layer)} among its {len(names)}. {hint}")
    return adata.layers[layer], f"layer {quoted(layer)}"


def read_values(
    adata: Any,
    layer: str | None,
    columns: IndexArray | None = None,
    *,
    use_raw: bool = False,
) -> tuple[Any, list[str]]:
    """The matrix, or some of its columns, in memory; and notes on how it got there.

    It is csr, csc or dense. What is in memory already is not copied. Files are read as they are if
    they are sparse, and in blocks of rows if they are dense; mostly zeros, these become sparse.
    """
    values, name = find_layer(adata, layer, use_raw=use_raw)
    _check_numbers(values, name)
    if sparse.issparse(values):
        check_sparse(values, name)
        return _take(_make_plain(values), columns), []
    if isinstance(values, np.ndarray):
        return _take(np.asarray(values), columns), []
    if hasattr(values, "to_memory"):
        return _read_sparse(values, name, columns)
    return _read_dense(values, name, columns)


def _make_plain(values: Any) -> Any:
    """The same values without anndata's view class, which would carry the whole object along."""
    if values.format not in SPARSE_FORMATS:
        return values.tocsr()
    form = sparse.csr_matrix if values.format == "csr" else sparse.csc_matrix
    plain = form((values.data, values.indices, values.indptr), shape=values.shape)
    return plain


def _take(values: Any, columns: IndexArray | None) -> Any:
    return values if columns is None else values[:, columns]


def _check_numbers(values: Any, name: str) -> None:
    dtype, shape = np.dtype(values.dtype), values.shape
    if dtype.kind not in _NUMBERS or 0 in shape:
        raise ValueError(
            f"{name} has shape {shape} and type {dtype}: numbers are needed, one row per cell and "
            "one column per gene"
        )


def _read_sparse(values: Any, name: str, columns: IndexArray | None) -> tuple[Any, list[str]]:
    """A sparse matrix of a file, whole, or some of its columns from blocks of rows."""
    size = sum(values.group[part].nbytes for part in ("data", "indices", "indptr"))
    if columns is not None and values.format == "csr":
        _check_starts(values, name)
        blocks = []
        for rows in _split_rows(values.shape[0], size):
            block = values[rows]
            check_sparse(block, name)
            blocks.append(block[:, columns])
        return sparse.vstack(blocks, format="csr"), []
    _check_fits(size, name)
    found = values.to_memory()
    check_sparse(found, name)
    read = _make_plain(found)
    note = f"{name} was read from its file, {_megabytes(size)} MB as a sparse matrix."
    return _take(read, columns), [note]


def _check_starts(values: Any, name: str) -> None:
    """Where the rows of a sparse matrix on disk start: blocks of it are read by these numbers."""
    starts = np.asarray(values.group["indptr"][:])
    n_stored = values.group["indices"].shape[0]
    if (
        len(starts) != values.shape[0] + 1
        or starts[0] != 0
        or starts[-1] != n_stored
        or values.group["data"].shape[0] != n_stored
        or np.any(starts[1:] < starts[:-1])
    ):
        raise ValueError(
            f"{name} is no valid sparse matrix: its indptr does not lead from 0 to the number of "
            "stored values. The file is damaged: copy it again, or write it again with anndata"
        )


def _read_dense(values: Any, name: str, columns: IndexArray | None) -> tuple[Any, list[str]]:
    """A dense array of a file, in blocks of rows; as a sparse matrix if most values are zero."""
    n_cells, n_genes = values.shape
    n_columns = n_genes if columns is None else len(columns)
    itemsize = np.dtype(values.dtype).itemsize
    parts = _split_rows(n_cells, n_cells * n_genes * itemsize)
    share = _measure_share(values)
    is_sparse = columns is None and share < _WORTH_SPARSE
    per_value = share * (itemsize + np.dtype(np.int32).itemsize) if is_sparse else itemsize
    size = int(n_cells * n_columns * per_value)
    _check_fits(size, name)
    if is_sparse:
        blocks = [sparse.csr_matrix(np.asarray(values[rows])) for rows in parts]
        note = (
            f"{name} was read from its file in {counted(len(blocks), 'block')}, as a sparse "
            f"matrix: {share:.0%} of its values are not zero."
        )
        return sparse.vstack(blocks, format="csr"), [note]
    dense = np.empty((n_cells, n_columns), dtype=values.dtype)
    for rows in parts:
        dense[rows] = _take(np.asarray(values[rows]), columns)
    note = f"{name} was read from its file, {_megabytes(size)} MB as a dense array."
    return dense, [note] if columns is None else []


def _split_rows(n_rows: int, n_bytes: int) -> list[slice]:
    """Blocks of rows that each take some megabytes."""
    step = max(1, int(n_rows * _BLOCK_BYTES / max(1, n_bytes)))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def _measure_share(values: Any) -> float:
    """Share of values that are not zero, in a few rows from all over the array."""
    n_rows = values.shape[0]
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, 50)).astype(int))
    return (
        float(np.mean([np.count_nonzero(np.asarray(values[row : row + 1])) for row in rows]))
        / (values.shape[1])
    )


def _check_fits(size: int, name: str) -> None:
    if size > get_memory():
        raise ValueError(
            f"{name} would take {size / 2**30:.0f} GB in memory: more than this computer has. Keep "
            "fewer genes, for instance those that vary most, or fewer cells of each type"
        )


def _megabytes(size: int) -> str:
    return f"{max(1, round(size / 2**20)):,}"


def check_finite(X: Any, genes: Sequence[str], name: str) -> None:
    """Raise unless all values are finite; genes with others are named."""
    stored = X.data if sparse.issparse(X) else X
    with np.errstate(invalid="ignore", over="ignore"):
        if stored.dtype.kind != "f" or np.isfinite(stored.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(stored)
    if not bad.any():  # the sum overflowed
        return
    places = _gene_of_stored(X, bad) if sparse.issparse(X) else np.flatnonzero(bad.any(axis=0))
    named = [genes[place] for place in np.unique(places)]
    raise ValueError(
        f"{name} holds {counted(int(bad.sum()), 'value')} that are NaN or infinite, in "
        f"{counted(len(named), 'gene')}: {listed(named)}. Leave these genes out, or correct the "
        "values"
    )


def _gene_of_stored(X: Any, chosen: BoolArray) -> IndexArray:
    """The columns of these stored values."""
    if X.format == "csr":
        return X.indices[chosen]
    return np.searchsorted(X.indptr, np.flatnonzero(chosen), side="right") - 1


def find_negative(X: Any) -> float | None:
    """The smallest value if it is negative, else None."""
    stored = X.data if sparse.issparse(X) else X
    least = float(stored.min()) if stored.size else 0.0
    return least if least < 0 else None


def normalize_counts(X: Any, name: str) -> Any:
    """Logarithms of one plus the counts, at ten thousand counts per cell; X itself stays as it is.

    These are `normalize_total(target_sum=1e4)` and `log1p` of scanpy, in single precision.
    """
    _check_counts(X, name)
    totals = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
    factors = (_TARGET_SUM / np.maximum(totals, 1.0)).astype(np.float32)
    if not sparse.issparse(X):
        scaled = X.astype(np.float32)
        scaled *= factors[:, None]
        return np.log1p(scaled, out=scaled)
    normal = X.astype(np.float32)
    if X.format == "csr":
        normal.data *= np.repeat(factors, np.diff(X.indptr))
    else:
        normal.data *= factors[X.indices]
    np.log1p(normal.data, out=normal.data)
    return normal


def _check_counts(X: Any, name: str) -> None:
    least = find_negative(X)
    if least is not None:
        raise ValueError(
            f"{name} holds negative values (the smallest is {least:.4g}), but counts=True asks for "
            "counts. Name the layer that holds them, or leave counts=False for values that are "
            "normalised already"
        )
    stored = X.data if sparse.issparse(X) else X
    if stored.dtype.kind == "f":
        for block in _iterate_blocks(stored):
            if np.any(block != np.floor(block)):
                raise ValueError(
                    f"{name} holds values that are not whole numbers, such as "
                    f"{block[block != np.floor(block)].flat[0]:.4g}, but counts=True asks for "
                    "counts. Name the layer that holds them, or leave counts=False for values that "
                    "are normalised already"
                )


def _iterate_blocks(stored: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for rows in _split_rows(len(stored), stored.nbytes):
        yield stored[rows]


def describe_columns(X: Any) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of every column."""
    if sparse.issparse(X):
        from sklearn.utils.sparsefuncs import mean_variance_axis

        mean, variance = mean_variance_axis(X.astype(np.float64), axis=0)
        return mean, np.sqrt(variance)
    wide = np.asarray(X, dtype=np.float64)
    return wide.mean(axis=0), wide.std(axis=0)
