"""From cells and a machine to a panel: the fit, its error, its weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from fewest._anndata.values import describe_columns
from fewest._estimators.abilities import abilities_of, name_features, selection_of
from fewest._estimators.held_out import run_held_out
from fewest._estimators.splits import fit_with_groups
from fewest._types import FloatArray
from fewest.single_cell._cells import Cells
from fewest.single_cell._judgement import Judgement
from fewest.single_cell._machine import find_certificates
from fewest.single_cell._result import Panel

if TYPE_CHECKING:
    import pandas


def fit_and_judge(
    machine: Any, cells: Cells, cv: Any, *, random_state: Any, n_jobs: int | None, verbose: int
) -> tuple[Any, Judgement | None]:
    """The machine fitted to all cells, and its error on cells held out; None without folds."""
    fitted = fit_with_groups(clone(machine), cells.X, cells.y, cells.donors)
    name_features(fitted, cells.genes)
    if cv is None:
        return fitted, None
    held_out = run_held_out(
        machine,
        cells.X,
        cells.y,
        cv=cv,
        groups=cells.donors,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return fitted, Judgement(held_out, cells.types, cells.donors)


def measure_weights(
    fitted: Any, cells: Cells, weigh: Callable[[FloatArray], FloatArray]
) -> pandas.DataFrame:
    """Weights of the selected genes, in the order in which they are shown.

    `weigh` gives those of all genes, from the genes' standard deviations.
    """
    import pandas

    chosen = np.flatnonzero(selection_of(fitted).support)
    if not len(chosen):
        raise ValueError("no gene was selected: allow more genes, or give another estimator")
    scale = np.zeros(len(cells.genes))
    scale[chosen] = describe_columns(cells.X[:, chosen])[1]
    weights = weigh(scale)[:, chosen].T
    order = np.lexsort((-weights.max(axis=1), weights.argmax(axis=1)))
    names = [cells.genes[chosen[place]] for place in order]
    return pandas.DataFrame(weights[order], index=names, columns=fitted.classes_.tolist())


def make_panel(
    fitted: Any,
    cells: Cells,
    weights: pandas.DataFrame,
    judgement: Judgement | None,
    **settings: Any,
) -> Panel:
    """The result as users get it; `settings` are what was asked for."""
    return Panel(
        genes=[str(gene) for gene in weights.index],
        weights=weights,
        estimator=fitted,
        judgement=judgement,
        certificates=find_certificates(fitted, cells.y),
        notes=cells.notes,
        method=abilities_of(fitted).name,
        all_genes=tuple(cells.genes),
        **settings,
    )
