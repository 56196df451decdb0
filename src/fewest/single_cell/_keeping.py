"""A panel inside its AnnData object, in a form that h5ad files can hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fewest._run.versions import versions
from fewest._wording import cut
from fewest.single_cell._result import Panel


def check_writable(adata: Any, key: str) -> None:
    """Raise if nothing can be added to the object: a view of a file cannot become an object."""
    if not isinstance(key, str) or not key or "/" in key:
        raise ValueError(
            f"key_added must be a name without a slash, which h5ad files cannot hold; got {key!r}"
        )
    if getattr(adata, "is_view", False) and adata.isbacked:
        raise ValueError(
            "adata is a view of a backed file, to which nothing can be added. Take "
            "adata.to_memory(), or set key_added=None"
        )


def write_panel(adata: Any, panel: Panel, key: str) -> None:
    """Add the panel: two columns of var, weights in varm, all else in uns.

    Genes that only `adata.raw` has are in uns alone.
    """
    places = adata.var_names.get_indexer(panel.genes)
    is_there = places >= 0
    chosen = np.zeros(adata.n_vars, dtype=bool)
    chosen[places[is_there]] = True
    weights = np.zeros((adata.n_vars, len(panel.types)))
    weights[places[is_there]] = panel.weights.to_numpy()[is_there]
    adata.var[key] = chosen
    adata.var[f"{key}_weight"] = np.abs(weights).max(axis=1)
    adata.varm[key] = weights
    adata.uns[key] = describe_panel(panel)


def describe_panel(panel: Panel) -> dict[str, Any]:
    """The panel as plain values and arrays; what is not known is left out."""
    spoken = panel.speaks_for
    content: dict[str, Any] = {
        "genes": np.array(panel.genes, dtype=object),
        "speaks_for": np.array([spoken[gene] for gene in panel.genes], dtype=object),
        "types": np.array(panel.types, dtype=object),
        "weights": panel.weights.to_numpy(),
        "method": panel.method,
        "parameters": describe_parameters(panel.estimator),
        "params": {
            name: value
            for name, value in {
                "label": panel.label,
                "layer": panel.layer,
                "donor": panel.donor,
                "use_raw": panel.use_raw,
                "counts": panel.counts,
            }.items()
            if value is not None
        },
        "notes": np.array(panel.notes, dtype=object),
        "certificates": {
            "objective": np.array([proof.objective for proof in panel.certificates]),
            "lower_bound": np.array([proof.lower_bound for proof in panel.certificates]),
            "relative_gap": np.array([proof.relative_gap for proof in panel.certificates]),
        },
        "version": str(versions()["fewest"]),
    }
    if panel.needed_by:
        needs = ["; ".join(panel.needed_by[gene]) for gene in panel.genes]
        content["needed_by"] = np.array(needs, dtype=object)
    judged = panel.judgement
    if judged is not None:
        table = judged.by_type
        content["held_out"] = {
            "n_folds": len(judged.held_out.folds),
            "error": judged.error,
            "balanced_error": judged.balanced_error,
            "macro_f1": judged.macro_f1,
            "confusion": judged.confusion.to_numpy(),
            **{name: table[name].to_numpy() for name in ("cells", "precision", "recall", "f1")},
        }
    return content


def describe_parameters(estimator: Any) -> str:
    """The parameters of an estimator as JSON; what JSON has no word for, as Python writes it."""
    given = {"estimator": type(estimator).__name__, **estimator.get_params(deep=False)}
    return json.dumps(given, default=lambda value: cut(repr(value), 200))
