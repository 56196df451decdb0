"""The fewest genes that tell cell types apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from fewest._anndata.cells import read_labels
from fewest.single_cell._cells import check_donors, read_cells
from fewest.single_cell._fitting import fit_and_judge, make_panel, measure_weights
from fewest.single_cell._hierarchy import (
    HierarchicalMachine,
    find_paths,
    list_needs,
    spread_over_levels,
)
from fewest.single_cell._keeping import check_writable, write_panel
from fewest.single_cell._machine import find_weights, make_machine, make_rules
from fewest.single_cell._result import Panel

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
        Name of what is written to `adata`: columns of `adata.var` that say which genes are in the
        panel and how large their weights are, the weights for all types in `adata.varm`, and
        everything else in `adata.uns`. None writes nothing.
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
    fit : Any selecting classifier, also on `adata.raw`.
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
        check_writable(adata, key_added)
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
    fitted, judgement = fit_and_judge(
        machine, cells, cv, random_state=random_state, n_jobs=n_jobs, verbose=verbose
    )
    weigh = fitted.find_weights if above else partial(find_weights, fitted)
    panel = make_panel(
        fitted,
        cells,
        measure_weights(fitted, cells, weigh),
        judgement,
        label=label,
        layer=layer,
        donor=donor,
        counts=bool(counts),
        needed_by=list_needs(fitted, cells.genes, _TOP) if above else {},
    )
    if key_added is not None:
        write_panel(adata, panel, key_added)
    return panel
