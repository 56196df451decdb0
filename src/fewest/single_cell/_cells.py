"""Cells with their types and donors, checked before any work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.validation import check_choice
from fewest._run.versions import require_package
from fewest._types import BoolArray, IndexArray
from fewest._wording import counted, listed, near, quoted
from fewest.single_cell._values import check_finite, find_layer, normalize_counts, read_values
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
    every_gene = _list_genes(adata)
    columns = None if genes is None else find_genes(genes, every_gene)
    wanted = [label, *others, *([] if donor is None else [donor])]
    for column in wanted:
        _require_column(adata, column)
    if donor is not None and donor in (label, *others):
        raise ValueError(f"{quoted(donor)} cannot be the types and the donors: name two columns")
    kept, notes = _find_labelled(adata, wanted, unlabelled)
    y = read_labels(adata, label)[kept]
    _check_types(y, label)
    _, name = find_layer(adata, layer)
    # Totals of counts are those of all genes, so these have to be read.
    X, said = read_values(adata, layer, None if counts else columns)
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
    from anndata import AnnData

    if not isinstance(adata, AnnData):
        raise TypeError(
            f"adata must be an AnnData object, not {type(adata).__name__}. Read a file with "
            "anndata.read_h5ad(file), or anndata.read_h5ad(file, backed='r') if it is large"
        )


def _list_genes(adata: Any) -> list[str]:
    genes = [str(name) for name in adata.var_names]
    twice = [name for name, count in Counter(genes).items() if count > 1]
    if twice:
        raise ValueError(
            f"adata.var_names has {counted(len(twice), 'gene name')} more than once: "
            f"{listed(twice)}. Call adata.var_names_make_unique(), or join the columns of a gene"
        )
    return genes


def find_genes(genes: Sequence[str], known: Sequence[str]) -> IndexArray:
    """The places of these genes, each once, or a ValueError that names those that are not there."""
    if isinstance(genes, str):
        raise ValueError(f"genes must be a list of names; got the text {quoted(genes)}")
    asked = [str(gene) for gene in genes]
    if not asked:
        raise ValueError("genes must name at least one gene")
    places = {name: place for place, name in enumerate(known)}
    lacking = [gene for gene in asked if gene not in places]
    if lacking:
        hint = near(lacking[0], known, "gene")
        raise ValueError(
            f"adata.var_names lacks {counted(len(lacking), 'gene')} of {len(asked)}: "
            f"{listed(lacking)}. {hint.removesuffix('.')}"
        )
    repeated = [gene for gene, count in Counter(asked).items() if count > 1]
    if repeated:
        raise ValueError(f"genes are named more than once: {listed(repeated)}. Name each once")
    return np.array([places[gene] for gene in asked], dtype=np.intp)


def _require_column(adata: Any, column: str) -> None:
    names = [str(name) for name in adata.obs.columns]
    if column not in names:
        hint = near(str(column), names).removesuffix(".") if names else "obs is empty"
        raise ValueError(f"adata.obs has no column {quoted(column)}. {hint}")


def _find_labelled(
    adata: Any, columns: Sequence[str], unlabelled: str
) -> tuple[BoolArray, list[str]]:
    """Which cells have a value in all of these columns, and a note of those that are left out."""
    kept = np.ones(adata.n_obs, dtype=bool)
    for column in columns:
        missing = adata.obs[column].isna().to_numpy()
        if missing.any() and unlabelled == "error":
            raise ValueError(
                f"{int(missing.sum())} of {counted(adata.n_obs, 'cell')} have no value in "
                f"adata.obs[{column!r}]. Fill it in, or leave these cells out with "
                "unlabelled='drop'"
            )
        kept &= ~missing
    if not kept.any():
        raise ValueError(f"no cell has a value in adata.obs of {listed(columns)}")
    if kept.all():
        return kept, []
    n_out = int((~kept).sum())
    return kept, [f"Left out, because they have no label: {n_out} of {adata.n_obs} cells."]


def read_labels(adata: Any, column: str) -> NDArray[Any]:
    """A column of obs as text, one entry per cell."""
    values = adata.obs[column]
    if values.dtype.kind == "f":  # 1.0 where some are missing: not another type than 1
        numbers = values.to_numpy()
        check_classes(numbers[np.isfinite(numbers)], column, "adata.obs")
        return np.array([f"{value:g}" for value in numbers])
    if hasattr(values, "cat"):
        names = np.array([*(str(name) for name in values.cat.categories), ""])
        return names[values.cat.codes.to_numpy()]
    return np.array([str(value) for value in values])


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
