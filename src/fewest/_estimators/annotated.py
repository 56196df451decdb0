"""AnnData objects in the place of X: `fit(adata, "celltype")`, `predict(adata)`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fewest._anndata.cells import (
    find_labelled,
    is_annotated,
    list_genes,
    read_labels,
    require_column,
)
from fewest._anndata.matching import read_named_genes, read_places, spread_columns
from fewest._anndata.values import check_finite, read_values
from fewest._estimators.abilities import abilities_of, feature_names_of
from fewest._types import IndexArray


def read_targets(X: Any, y: Any) -> tuple[Any, Any, list[str] | None]:
    """X and y as they are, or what they stand for in an AnnData object, with its genes.

    There `y` is a column of obs, or the labels. Cells without a label are left out, with a warning.
    Values are those of `adata.X`.
    """
    if not is_annotated(X):
        return X, y, None
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: name the column of adata.obs that "
            "holds the classes"
        )
    adata, genes = X, list_genes(X)
    if isinstance(y, str):
        require_column(adata, y)
    X, _ = read_values(adata, None)
    check_finite(X, genes, "adata.X")
    if not isinstance(y, str):
        return X, y, genes
    kept, notes = find_labelled(adata, [y], "drop")
    for note in notes:
        warnings.warn(note, stacklevel=4)
    return X if kept.all() else X[kept], read_labels(adata, y)[kept], genes


def keep_genes(estimator: Any, genes: list[str] | None) -> None:
    """Keep the names of the genes, as scikit-learn keeps those of a data frame."""
    if genes is not None:
        estimator.feature_names_in_ = np.asarray(genes, dtype=object)


def take_known_genes(estimator: Any, adata: Any) -> Any:
    """The genes of the fit in their order, from an object that may have others, in any order.

    Where an estimator predicts from the selected genes only, the others need not be there: the
    result is sparse, and empty in their columns.
    """
    n_features = estimator.n_features_in_
    if not abilities_of(estimator).predicts_from_support:
        return read_genes(estimator, adata, np.arange(n_features))
    needed = np.flatnonzero(estimator.support_)
    return spread_columns(read_genes(estimator, adata, needed), needed, n_features)


def read_genes(estimator: Any, adata: Any, features: IndexArray) -> Any:
    """Values of these features of the fit, by name if the fit knew names, else by place."""
    check_is_fitted(estimator)
    names = feature_names_of(estimator)
    if names is not None:
        return read_named_genes(adata, [str(name) for name in names[features]])
    genes = list_genes(adata)
    if len(genes) != estimator.n_features_in_:
        raise ValueError(
            f"adata has {len(genes)} genes, but {type(estimator).__name__} was fitted to "
            f"{estimator.n_features_in_} features without names. Fit it to an AnnData object or a "
            "data frame: genes are then found by name"
        )
    return read_places(adata, features, genes)
