"""Dot plot and heat map of a panel: its genes against the cell types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import leaves_list, linkage

from fewest._anndata.values import find_negative
from fewest._estimators.validation import check_choice
from fewest._types import FloatArray, IndexArray
from fewest.plotting._figures import PALE, add_colour_bar, add_legend_above, axes_or_new
from fewest.plotting._names import short
from fewest.single_cell._cells import Cells, read_cells
from fewest.single_cell._result import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = ("dots", "heatmap")
_LARGEST_DOT = 130.0  # square points, for a gene that every cell of the type expresses
_SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Picture:
    """Types in rows, genes in columns, both in the order in which they are drawn.

    `starts` are the columns at which the genes of the next type begin.
    """

    types: list[str]
    genes: list[str]
    means: FloatArray
    shares: FloatArray
    starts: IndexArray


def plot_panel(
    panel: Panel | Sequence[str],
    adata: Any,
    label: str | None = None,
    *,
    kind: str = "dots",
    layer: str | None = None,
    counts: bool | None = None,
    scale: bool = True,
    unlabelled: str = "error",
    ax: Axes | None = None,
) -> Axes:
    """Genes of a panel against cell types: dots of how many cells express them, or a heat map.

    Types with similar panels stand together. Genes are grouped by the type they speak for most; of
    a list of genes, by the type in which their mean is highest.

    Parameters
    ----------
    panel : Panel or sequence of str
        From `select_panel`, or any genes of `adata`.
    adata : AnnData
        The cells; also backed.
    label : str, optional
        Column of `adata.obs` with the cell types; needed for a list of genes.
    kind : {"dots", "heatmap"}
        "dots" has types in rows: the size of a dot is the share of cells with a value above zero,
        the colour their mean. "heatmap" has genes in rows and shows means only.
    layer : str, optional
        Layer with the values; by default that of the panel, or `adata.X`.
    counts : bool, optional
        The values are counts, to be normalised as in `select_panel`; by default as they were there.
    scale : bool
        Colours go from the smallest to the largest mean of each gene; otherwise they are the means.
    unlabelled : {"error", "drop"}
        What to do with cells without a type.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar takes its place beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import anndata, numpy, pandas
    >>> from matplotlib.figure import Figure
    >>> from fewest.single_cell import plot_panel
    >>> adata = anndata.AnnData(
    ...     numpy.array([[0.0, 3.0], [1.0, 2.0], [4.0, 0.0], [5.0, 0.0]]),
    ...     obs=pandas.DataFrame({"celltype": ["B", "B", "T", "T"]}, index=list("abcd")),
    ...     var=pandas.DataFrame(index=["CD3D", "MS4A1"]),
    ... )
    >>> ax = plot_panel(["CD3D", "MS4A1"], adata, "celltype", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['MS4A1', 'CD3D']
    """
    check_choice("kind", kind, _KINDS)
    genes, spoken, label = _find_content(panel, label)
    if isinstance(panel, Panel) and layer is None:
        layer, counts = panel.layer, panel.counts if counts is None else counts
    cells = read_cells(
        adata, label, genes=genes, layer=layer, counts=bool(counts), unlabelled=unlabelled
    )
    picture = _arrange(cells, spoken)
    colours = _scale(picture.means) if scale else picture.means
    what = "mean expression"
    if scale:
        what += "\n(smallest to largest of a gene)"
    if kind == "heatmap":
        return _draw_heat_map(picture, colours, what, ax)
    least = find_negative(cells.X)
    if least is not None:
        raise ValueError(
            f"{cells.name} holds negative values (the smallest is {least:.4g}), so it does not say "
            "which cells express a gene. Name a layer that is not centred, take "
            "adata.raw.to_adata(), or draw kind='heatmap'"
        )
    return _draw_dots(picture, colours, what, ax)


def _find_content(
    panel: Panel | Sequence[str], label: str | None
) -> tuple[Sequence[str], dict[str, str] | None, str]:
    """Genes, the type of each if it is known, and label."""
    if isinstance(panel, Panel):
        same = label is None or label == panel.label
        return panel.genes, panel.speaks_for if same else None, label or panel.label
    if label is None:
        raise ValueError("label must name the column of adata.obs with the cell types")
    return panel, None, label


def _arrange(cells: Cells, spoken: dict[str, str] | None) -> Picture:
    """Means and shares per type, in an order that puts what is similar together."""
    types, codes = np.unique(cells.y, return_inverse=True)
    sizes = np.bincount(codes)
    members = sparse.csr_matrix(
        (1.0 / sizes[codes], (codes, np.arange(len(codes)))), shape=(len(types), len(codes))
    )
    means = _multiply(members, cells.X)
    shares = _multiply(members, cells.X > 0)
    scaled = _scale(means)
    rows = np.arange(len(types))
    if len(types) > 2:
        rows = leaves_list(linkage(scaled, "average", optimal_ordering=True))
    rank = np.argsort(rows)
    if spoken is None:
        group = rank[means.argmax(axis=0)]
    else:
        group = rank[[types.tolist().index(spoken[gene]) for gene in cells.genes]]
    prominence = scaled[rows[group], np.arange(len(group))]
    columns = np.lexsort((-prominence, group))
    return Picture(
        types=types[rows].tolist(),
        genes=[cells.genes[column] for column in columns],
        means=means[np.ix_(rows, columns)],
        shares=shares[np.ix_(rows, columns)],
        starts=np.flatnonzero(np.diff(group[columns])) + 1,
    )


def _multiply(members: Any, X: Any) -> FloatArray:
    product = members @ X
    return product.toarray() if sparse.issparse(product) else np.asarray(product)


def _scale(means: FloatArray) -> FloatArray:
    """Every gene from zero in the type with its smallest mean to one in that with its largest."""
    low, high = means.min(axis=0), means.max(axis=0)
    return (means - low) / np.where(high > low, high - low, 1.0)


def _draw_dots(picture: Picture, colours: FloatArray, what: str, ax: Axes | None) -> Axes:
    n_types, n_genes = colours.shape
    ax = axes_or_new(ax, width=3.4 + 0.3 * n_genes, height=1.9 + 0.3 * n_types)
    rows, columns = np.indices(colours.shape)
    dots = ax.scatter(
        columns.ravel(),
        rows.ravel(),
        s=_LARGEST_DOT * picture.shares.ravel(),
        c=colours.ravel(),
        cmap="Reds",
        vmin=0.0,
        edgecolors="0.4",
        linewidths=0.4,
    )
    ax.set_xticks(range(n_genes), [short(gene) for gene in picture.genes], rotation=90)
    ax.set_yticks(range(n_types), [short(name) for name in picture.types])
    ax.set_xlim(-0.6, n_genes - 0.4)
    ax.set_ylim(n_types - 0.4, -0.6)
    for start in picture.starts:
        ax.axvline(start - 0.5, color=PALE, linewidth=0.8, zorder=0)
    handles = [
        ax.scatter([], [], s=_LARGEST_DOT * share, color=PALE, label=f"{100 * share:.0f} %")
        for share in _SHARES
    ]
    handles[-1].set_label("100 % of cells")
    add_legend_above(ax, handles)
    return add_colour_bar(ax, dots, what, shrink=0.8)


def _draw_heat_map(picture: Picture, colours: FloatArray, what: str, ax: Axes | None) -> Axes:
    n_types, n_genes = colours.shape
    ax = axes_or_new(ax, width=3.4 + 0.36 * n_types, height=1.9 + 0.24 * n_genes)
    image = ax.imshow(colours.T, cmap="viridis", aspect="auto", interpolation="nearest")
    ax.set_xticks(range(n_types), [short(name) for name in picture.types], rotation=90)
    ax.set_yticks(range(n_genes), [short(gene) for gene in picture.genes])
    for start in picture.starts:
        ax.axhline(start - 0.5, color="white", linewidth=1.5)
    return add_colour_bar(ax, image, what, shrink=0.8)
