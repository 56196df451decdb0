"""Cells with their types and donors, checked before any work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._anndata.cells import (
    find_genes,
    find_labelled,
    is_annotated,
    list_genes,
    read_labels,
    require_column,
)
from fewest._anndata.values import (
    check_finite,
    check_source,
    find_layer,
    normalize_counts,
    read_values,
)
from fewest._estimators.validation import check_choice
from fewest._run.versions import require_package
from fewest._types import BoolArray
from fewest._wording import counted, listed, quoted
from fewest.tables._arrays import check_classes

UNLABELLED = ("error", "drop")


@dataclass(frozen=True, eq=False)
class Cells:
    """Some or all cells of an AnnData object: values, types, donors.

    `X` has one row per cell and one column per gene of `genes`, csr, csc or dense. `kept` says
    which cells of the object these are, and `name` where the values come from.
    """

    X: Any
    y: NDArray[Any]
    genes: list[str]
    donors: NDArray[Any] | None
    kept: BoolArray
    name: str
    notes: tuple[str, ...] = ()

    @property
    def types(self) -> list[str]:
        """The types, sorted."""
        return np.unique(self.y).tolist()


def read_cells(
    adata: Any,
    label: str,
    *,
    genes: Sequence[str] | None = None,
    layer: str | None = None,
    use_raw: bool = False,
    donor: str | None = None,
    counts: bool = False,
    unlabelled: str = "error",
    others: Sequence[str] = (),
) -> Cells:
    """Check an AnnData object and take out what is needed; some genes only, if they are named.

    `others` are further columns of obs that every cell must have a value in.
    """
    require_anndata()
    check_choice("unlabelled", unlabelled, UNLABELLED)
    _check_object(adata)
    check_source(adata, layer, use_raw=use_raw)
    every_gene = list_genes(adata, use_raw=use_raw)
    columns = None if genes is None else find_genes(genes, every_gene)
    wanted = [label, *others, *([] if donor is None else [donor])]
    for column in wanted:
        require_column(adata, column)
    if donor is not None and donor in (label, *others):
        raise ValueError(f"{quoted(donor)} cannot be the types and the donors: name two columns")
    kept, notes = find_labelled(adata, wanted, unlabelled)
    y = read_labels(adata, label)[kept]
    _check_types(y, label)
    _, name = find_layer(adata, layer, use_raw=use_raw)
    # Totals of counts are those of all genes, so these have to be read.
    X, said = read_values(adata, layer, None if counts else columns, use_raw=use_raw)
    X = X if kept.all() else X[kept]
    taken = every_gene if columns is None else [every_gene[place] for place in columns]
    check_finite(X, every_gene if counts else taken, name)
    if counts:
        X = normalize_counts(X, name)
        X = X if columns is None else X[:, columns]
    donors = None if donor is None else read_labels(adata, donor)[kept]
    return Cells(X, y, taken, donors, kept, name, (*notes, *said))


def require_anndata() -> None:
    """Raise an ImportError that says how to install anndata, if it is not there."""
    require_package("anndata", "single cells", "single_cell")


def _check_object(adata: Any) -> None:
    if not is_annotated(adata):
        raise TypeError(
            f"adata must be an AnnData object, not {type(adata).__name__}. Read a file with "
            "anndata.read_h5ad(file), or anndata.read_h5ad(file, backed='r') if it is large"
        )


def _check_types(y: NDArray[Any], label: str) -> None:
    check_classes(y, label, "adata.obs")
    names, sizes = np.unique(y, return_counts=True)
    single = names[sizes < 2].tolist()
    if single:
        raise ValueError(
            f"{counted(len(single), 'type')} of adata.obs[{label!r}] "
            f"{'has' if len(single) == 1 else 'have'} a single cell: {listed(single)}. Join "
            f"{'it' if len(single) == 1 else 'them'} with another type, or leave the cells out: "
            f"adata[adata.obs[{label!r}] != {single[0]!r}]"
        )


def check_donors(cells: Cells, label: str, donor: str | None) -> None:
    """Raise unless every type has two donors: one to learn from and one to be tested on."""
    if cells.donors is None:
        return
    if len(np.unique(cells.donors)) < 2:
        raise ValueError(
            f"adata.obs[{donor!r}] names one donor only, {quoted(cells.donors[0])}. Leave donor "
            "out: folds then leave out cells"
        )
    alone = [name for name in cells.types if len(np.unique(cells.donors[cells.y == name])) < 2]
    if alone:
        raise ValueError(
            f"{counted(len(alone), 'type')} of adata.obs[{label!r}] "
            f"{'has' if len(alone) == 1 else 'have'} cells of one donor only, so the error on "
            f"other donors cannot be measured: {listed(alone)}. Join or leave out such types, or "
            "leave donor out"
        )
