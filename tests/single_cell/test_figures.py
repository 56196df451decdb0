"""What the dots and colours show, recomputed; and in which order."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest.single_cell import plot_panel, select_panel
from fewest.single_cell._figures import _LARGEST_DOT
from tests.single_cell.conftest import MARKERS, make_cells

GENES = [*MARKERS.values(), "gene 4"]


def names_of(labels):
    return [label.get_text() for label in labels]


def by_hand(adata, types, genes):
    """Means and shares of cells above zero, types in rows."""
    frame = adata[:, genes].to_df()
    groups = frame.groupby(adata.obs["celltype"].astype(str).to_numpy())
    means, shares = groups.mean(), (frame > 0).groupby(adata.obs["celltype"].astype(str)).mean()
    return means.loc[types].to_numpy(), shares.loc[types].to_numpy()


@pytest.mark.parametrize("form", [None, np.asarray])
def test_dots(form):
    adata = make_cells() if form is None else make_cells(form)
    ax = plot_panel(GENES, adata, "celltype", scale=False, ax=Figure().subplots())
    types, genes = names_of(ax.get_yticklabels()), names_of(ax.get_xticklabels())
    means, shares = by_hand(adata, types, genes)
    dots = ax.collections[0]
    assert np.asarray(dots.get_array()).reshape(means.shape) == pytest.approx(means, abs=1e-6)
    assert np.asarray(dots.get_sizes()).reshape(means.shape) == pytest.approx(_LARGEST_DOT * shares)
    places = np.asarray(dots.get_offsets())
    assert places[0].tolist() == [0, 0]
    assert places[1].tolist() == [1, 0]


def test_heat_map_and_scale(cells):
    ax = plot_panel(GENES, cells, "celltype", kind="heatmap", ax=Figure().subplots())
    types, genes = names_of(ax.get_xticklabels()), names_of(ax.get_yticklabels())
    means = by_hand(cells, types, genes)[0].T
    low, high = means.min(axis=1, keepdims=True), means.max(axis=1, keepdims=True)
    assert np.asarray(ax.images[0].get_array()) == pytest.approx((means - low) / (high - low))


def test_genes_stand_with_their_type(cells):
    ax = plot_panel(list(MARKERS.values()), cells, "celltype", ax=Figure().subplots())
    types, genes = names_of(ax.get_yticklabels()), names_of(ax.get_xticklabels())
    assert genes == [MARKERS[name] for name in types]


def test_of_a_panel(cells):
    panel = select_panel(cells, "celltype", n_genes=4, cv=None, layer="counts", counts=True)
    ax = plot_panel(panel, cells, scale=False, ax=Figure().subplots())
    assert np.asarray(ax.collections[0].get_array()).max() > 5  # not the counts' own logarithms
    assert np.asarray(ax.collections[0].get_array()).max() < np.log1p(1e4)
    types, genes = names_of(ax.get_yticklabels()), names_of(ax.get_xticklabels())
    assert sorted(genes) == sorted(panel.genes)
    spoken = [types.index(panel.speaks_for[gene]) for gene in genes]
    assert spoken == sorted(spoken)
    assert plot_panel(panel, cells, "lineage", ax=Figure().subplots()).get_yticks().size == 2


def test_errors(cells):
    with pytest.raises(ValueError, match="label must name the column"):
        plot_panel(GENES, cells)
    with pytest.raises(ValueError, match="kind must be one of 'dots', 'heatmap'"):
        plot_panel(GENES, cells, "celltype", kind="violin")
    cells.X = cells.X.toarray() - 1.0
    with pytest.raises(ValueError, match="holds negative values .* adata.raw.to_adata()"):
        plot_panel(GENES, cells, "celltype")
    assert plot_panel(GENES, cells, "celltype", kind="heatmap", ax=Figure().subplots())
