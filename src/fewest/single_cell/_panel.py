"""The fewest genes that tell cell types apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import run_held_out
from fewest._estimators.splits import fit_with_groups
from fewest._types import FloatArray
from fewest.single_cell._cells import Cells, check_donors, read_cells, read_labels
from fewest.single_cell._hierarchy import (
    HierarchicalMachine,
    find_paths,
    list_needs,
    spread_over_levels,
)
from fewest.single_cell._judgement import Judgement
from fewest.single_cell._keeping import check_writable, write_panel
from fewest.single_cell._machine import (
    find_certificates,
    find_weights,
    make_machine,
    make_rules,
)
from fewest.single_cell._result import Panel
from fewest.single_cell._values import describe_columns

if TYPE_CHECKING:
    import pandas

_TOP = "all cells"  # what the broadest types are parts of


def select_panel(
    adata: Any,
    label: str,
    *,
    n_genes: int | Sequence[int] | None = None,
    layer: str | None = None,
    donor: str | None = None,
    counts: bool = False,
    hierarchy: str | Sequence[str] = (),
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    positive: bool = False,
    estimator: Any = None,
    cv: Any = 5,
    unlabelled: str = "error",
    key_added: str | None = "fewest",
    max_seconds: float | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Panel:
    """Select the fewest genes that tell the cell types apart, with their error on held-out cells.

    Values stay sparse, in memory or in a backed file. The genes are those of the joint Support
    Feature Machine fitted to all cells. The error comes from folds: genes are selected again
    without the cells (or donors) on which they are judged.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; also backed (``anndata.read_h5ad(file, backed="r")``).
    label : str
        Column of `adata.obs` with the cell types.
    n_genes : int or sequence of int, optional
        Most genes of the panel; without it, the machine decides. With a hierarchy, most genes of
        each of its machines: one number per level, or one for all.
    layer : str, optional
        Layer with the values; `adata.X` by default. Values should be log-normalised, or see
        `counts`.
    donor : str, optional
        Column of `adata.obs` with the donor (or batch) of every cell. Folds then leave whole donors
        out, which is the error to expect of a new donor.
    counts : bool
        The values are counts: they are scaled to 10,000 per cell, and log(1 + x) is taken. `adata`
        itself stays as it is.
    hierarchy : str or sequence of str
        Columns of `adata.obs` with broader types, the broadest first; `label` has the finest. Genes
        for the broadest types are selected first, then, within each type, those that tell its
        parts apart. The panel is the union, and `needed_by` says what each gene is for.
    include : sequence of str, optional
        Genes that are in the panel in any case; the others must add to them.
    exclude : sequence of str, optional
        Genes that cannot be in it, such as those that no probe can be made for.
    positive : bool
        Take positive markers only: genes that are further above the mean of the types in one of
        them than they are below it in any other. A gene that tells a type by its absence is none.
    estimator : selecting classifier, optional
        Instead of the joint Support Feature Machine.
    cv : int, splitter or None
        Folds for the error; None measures none, which takes a fraction of the time.
    unlabelled : {"error", "drop"}
        What to do with cells without a type or donor.
    key_added : str or None
        Name of what is written to `adata`: a column of `adata.var` that says which genes are in
        the panel, their weights for all types in `adata.varm`, and everything else in `adata.uns`.
        None writes nothing.
    max_seconds : float, optional
        Most seconds for the linear programs of each fit; see `SupportFeatureMachine`.
    random_state : int, RandomState instance or None
        Shuffles the folds, if `cv` is a number.
    n_jobs : int, optional
        Processes for the folds, in joblib's sense.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    Panel
        Genes, weights, errors and proofs.

    See Also
    --------
    evaluate_panel : The error of any panel, with what each gene adds.
    plot_panel : Dot plot and heat map.

    Examples
    --------
    Genes 0 to 2 are markers of one type each:

    >>> import anndata, numpy, pandas
    >>> from fewest.single_cell import select_panel
    >>> rng = numpy.random.default_rng(0)
    >>> types = numpy.repeat(["B", "NK", "T"], 40)
    >>> counts = rng.poisson(0.5, size=(120, 50))
    >>> counts[numpy.arange(120), numpy.arange(120) // 40] += rng.poisson(6, size=120)
    >>> adata = anndata.AnnData(
    ...     counts.astype("float32"),
    ...     obs=pandas.DataFrame({"celltype": types}, index=[f"cell {i}" for i in range(120)]),
    ...     var=pandas.DataFrame(index=[f"gene {i}" for i in range(50)]),
    ... )
    >>> panel = select_panel(adata, "celltype", n_genes=3, counts=True)
    >>> panel.genes
    ['gene 0', 'gene 1', 'gene 2']
    >>> adata.var_names[adata.var["fewest"]].tolist()
    ['gene 0', 'gene 1', 'gene 2']
    """
    if key_added is not None:
        check_writable(adata)
    above = [hierarchy] if isinstance(hierarchy, str) else list(hierarchy)
    limits = spread_over_levels(n_genes, len(above) + 1, "n_genes")
    cells = read_cells(
        adata, label, layer=layer, donor=donor, counts=counts, unlabelled=unlabelled, others=above
    )
    rules = make_rules(cells.genes, include, exclude, positive)
    machines = [make_machine(estimator, limit, max_seconds, verbose, rules) for limit in limits]
    if cv is not None:
        check_donors(cells, label, donor)
    machine = machines[0]
    if above:
        columns = {name: read_labels(adata, name)[cells.kept] for name in [*above, label]}
        machine = HierarchicalMachine(machines, find_paths(columns))
    fitted = fit_with_groups(clone(machine), cells.X, cells.y, cells.donors)
    judgement = None
    if cv is not None:
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
        judgement = Judgement(held_out, cells.types, cells.donors)
    weigh = fitted.find_weights if above else partial(find_weights, fitted)
    weights = _measure_weights(fitted, cells, weigh)
    panel = Panel(
        genes=[str(gene) for gene in weights.index],
        weights=weights,
        estimator=fitted,
        judgement=judgement,
        certificates=find_certificates(fitted, cells.y),
        label=label,
        layer=layer,
        donor=donor,
        counts=bool(counts),
        needed_by=list_needs(fitted, cells.genes, _TOP) if above else {},
        notes=cells.notes,
    )
    if key_added is not None:
        write_panel(adata, panel, key_added)
    return panel


def _measure_weights(
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
