"""Any selecting classifier, fitted to an AnnData object."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from fewest.single_cell._cells import check_donors, read_cells
from fewest.single_cell._fitting import fit_and_judge, make_panel, measure_weights
from fewest.single_cell._keeping import check_writable, write_panel
from fewest.single_cell._machine import find_weights, make_machine
from fewest.single_cell._result import Panel


def fit(
    adata: Any,
    label: str,
    estimator: Any = None,
    *,
    layer: str | None = None,
    use_raw: bool = False,
    counts: bool = False,
    donor: str | None = None,
    cv: Any = 5,
    unlabelled: str = "drop",
    key_added: str | None = "fewest",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Panel:
    """Fit an estimator to the cells of an AnnData object, and write the result into it.

    Values may be those of `adata.X`, of a layer or of `adata.raw`, in memory or in a backed file;
    sparse ones stay sparse. What comes back predicts the types of other cells from the same layer,
    and finds genes by name.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; also backed (``anndata.read_h5ad(file, backed="r")``).
    label : str
        Column of `adata.obs` with the classes, such as cell types.
    estimator : selecting classifier, optional
        The Support Feature Machine with its usual parameters, unless given. It is cloned, and not
        changed itself.
    layer : str, optional
        Layer with the values; `adata.X` by default.
    use_raw : bool
        The values are those of `adata.raw`, with its genes.
    counts : bool
        The values are counts: they are scaled to 10,000 per cell, and log(1 + x) is taken.
    donor : str, optional
        Column of `adata.obs` with the donor (or batch) of every cell. Folds then leave whole donors
        out.
    cv : int, splitter or None
        Folds for the error on held-out cells, in which genes are selected again; None measures
        none, which takes a fraction of the time.
    unlabelled : {"drop", "error"}
        What to do with cells without a label: leave them out, with a warning, or refuse.
    key_added : str or None
        Name of what is written to `adata`: columns of `adata.var` that say which genes are selected
        and how large their weights are, the weights for all classes in `adata.varm`, and everything
        else in `adata.uns`. None writes nothing.
    random_state : int, RandomState instance or None
        Shuffles the folds, if `cv` is a number.
    n_jobs : int, optional
        Processes for the folds, in joblib's sense.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    Panel
        The fitted estimator with genes, weights, errors and proofs, and the method `predict`.

    See Also
    --------
    select_panel : Panels of so many genes, with rules about genes and hierarchies of types.

    Examples
    --------
    Genes 0 to 2 are markers of one type each:

    >>> import anndata, numpy, pandas
    >>> from fewest import SupportFeatureMachine, single_cell
    >>> rng = numpy.random.default_rng(0)
    >>> counts = rng.poisson(0.5, size=(120, 50))
    >>> counts[numpy.arange(120), numpy.arange(120) // 40] += rng.poisson(6, size=120)
    >>> types = pandas.DataFrame({"celltype": numpy.repeat(["B", "NK", "T"], 40)})
    >>> adata = anndata.AnnData(
    ...     numpy.log1p(counts),
    ...     obs=types.set_axis([f"cell {i}" for i in range(120)]),
    ...     var=pandas.DataFrame(index=[f"gene {i}" for i in range(50)]),
    ... )
    >>> panel = single_cell.fit(adata, "celltype", SupportFeatureMachine(max_features=3), cv=None)
    >>> adata.var_names[adata.var["fewest"]].tolist()
    ['gene 0', 'gene 1', 'gene 2']

    Genes in another order, and some that are missing, make no difference:

    >>> others = adata[::20, ["gene 7", "gene 2", "gene 0", "gene 1"]]
    >>> panel.predict(others).tolist()
    ['B', 'B', 'NK', 'NK', 'T', 'T']
    """
    if key_added is not None:
        check_writable(adata, key_added)
    cells = read_cells(
        adata,
        label,
        layer=layer,
        use_raw=use_raw,
        donor=donor,
        counts=counts,
        unlabelled=unlabelled,
    )
    if not cells.kept.all():
        warnings.warn(cells.notes[0], stacklevel=2)
    if cv is not None:
        check_donors(cells, label, donor)
    machine = make_machine(estimator, None, None, verbose, {})
    fitted, judgement = fit_and_judge(
        machine, cells, cv, random_state=random_state, n_jobs=n_jobs, verbose=verbose
    )
    panel = make_panel(
        fitted,
        cells,
        measure_weights(fitted, cells, partial(find_weights, fitted)),
        judgement,
        label=label,
        layer=layer,
        use_raw=bool(use_raw),
        donor=donor,
        counts=bool(counts),
    )
    if key_added is not None:
        write_panel(adata, panel, key_added)
    return panel
