"""The genes of an AnnData object, and the labels of its cells."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import BoolArray, IndexArray
from fewest._wording import counted, listed, near, quoted
from fewest.tables._arrays import check_classes


def is_annotated(X: Any) -> bool:
    """Whether X is an AnnData object; nobody can have one who has not imported anndata."""
    anndata = sys.modules.get("anndata")
    return anndata is not None and isinstance(X, anndata.AnnData)


def list_genes(adata: Any, *, use_raw: bool = False) -> list[str]:
    """Names of the genes, each once."""
    owner, where = (adata.raw, "adata.raw.var_names") if use_raw else (adata, "adata.var_names")
    genes = [str(name) for name in owner.var_names]
    twice = [name for name, count in Counter(genes).items() if count > 1]
    if twice:
        advice = "Join the columns of a gene before adata.raw is set"
        if not use_raw:
            advice = "Call adata.var_names_make_unique(), or join the columns of a gene"
        raise ValueError(
            f"{where} has {counted(len(twice), 'gene name')} more than once: "
            f"{listed(twice)}. {advice}"
        )
    return genes


def find_genes(
    genes: Sequence[str], known: Sequence[str], where: str = "adata.var_names", which: str = ""
) -> IndexArray:
    """The places of these genes, each once, or a ValueError that names those that are not there.

    `which` says in the message what these genes are.
    """
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
            f"{where} lacks {counted(len(lacking), 'gene')} of {len(asked)}{which}: "
            f"{listed(lacking)}. {hint.removesuffix('.')}"
        )
    repeated = [gene for gene, count in Counter(asked).items() if count > 1]
    if repeated:
        raise ValueError(f"genes are named more than once: {listed(repeated)}. Name each once")
    return np.array([places[gene] for gene in asked], dtype=np.intp)


def require_column(adata: Any, column: str) -> None:
    """Raise a ValueError that names similar columns unless obs has this one."""
    names = [str(name) for name in adata.obs.columns]
    if column not in names:
        hint = near(str(column), names).removesuffix(".") if names else "obs is empty"
        raise ValueError(f"adata.obs has no column {quoted(column)}. {hint}")


def find_labelled(
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
