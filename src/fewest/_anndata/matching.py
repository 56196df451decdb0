"""Genes of a fit, found by name in another AnnData object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from fewest._anndata.cells import find_genes, list_genes
from fewest._anndata.values import (
    check_finite,
    check_source,
    find_layer,
    normalize_counts,
    read_values,
)
from fewest._types import IndexArray


def read_named_genes(
    adata: Any,
    names: Sequence[str],
    *,
    layer: str | None = None,
    use_raw: bool = False,
    counts: bool = False,
) -> Any:
    """Values of these genes, in this order; a ValueError names those that the object lacks."""
    check_source(adata, layer, use_raw=use_raw)
    genes = list_genes(adata, use_raw=use_raw)
    where = "adata.raw.var_names" if use_raw else "adata.var_names"
    places = np.empty(0, dtype=np.intp)
    if len(names):
        places = find_genes(names, genes, where, " that are needed")
    return read_places(adata, places, genes, layer=layer, use_raw=use_raw, counts=counts)


def read_places(
    adata: Any,
    places: IndexArray,
    genes: Sequence[str],
    *,
    layer: str | None = None,
    use_raw: bool = False,
    counts: bool = False,
) -> Any:
    """Values of the genes at these places; all of them, in their order, are not copied."""
    is_whole = np.array_equal(places, np.arange(len(genes)))
    # Totals of counts are those of all genes, so these have to be read.
    X, _ = read_values(adata, layer, None if is_whole or counts else places, use_raw=use_raw)
    _, name = find_layer(adata, layer, use_raw=use_raw)
    read = range(len(genes)) if counts else places
    check_finite(X, [genes[place] for place in read], name)
    if counts:
        X = normalize_counts(X, name)
        X = X if is_whole else X[:, places]
    return X


def spread_columns(values: Any, places: IndexArray, n_columns: int) -> Any:
    """Columns at their places in a wider sparse matrix, which holds nothing else."""
    narrow = sparse.csc_matrix(values)
    lengths = np.zeros(n_columns, dtype=np.int64)
    lengths[places] = np.diff(narrow.indptr)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shape = (narrow.shape[0], n_columns)
    return sparse.csc_matrix((narrow.data, narrow.indices, starts), shape=shape)
