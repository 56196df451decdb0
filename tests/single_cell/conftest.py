"""Generated cells with a known truth: one marker gene per type, and a gene for each lineage."""

import numpy as np
import pytest
from scipy import sparse

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")

TYPES = ("B", "CD4 T", "CD8 T", "mono")
LINEAGES = {"B": "lymphoid", "CD4 T": "lymphoid", "CD8 T": "lymphoid", "mono": "myeloid"}
MARKERS = {name: f"gene {place}" for place, name in enumerate(TYPES)}


def make_cells(form=sparse.csr_matrix, *, n_cells=240, n_genes=40, seed=0):
    """Counts: genes 0 to 3 are high in one type each, gene 4 in all lymphoid cells."""
    rng = np.random.default_rng(seed)
    types = np.array(TYPES)[np.arange(n_cells) % len(TYPES)]
    counts = rng.poisson(0.4, size=(n_cells, n_genes))
    for place, name in enumerate(TYPES):
        counts[types == name, place] += rng.poisson(9, size=np.sum(types == name))
    lymphoid = types != "mono"
    counts[lymphoid, 4] += rng.poisson(7, size=lymphoid.sum())
    values = np.log1p(counts).astype(np.float32)
    names = [f"cell {place}" for place in range(n_cells)]
    obs = {
        "celltype": pandas.Categorical(types, categories=[*TYPES, "never seen"]),
        "lineage": [LINEAGES[name] for name in types],
        "donor": [f"D{place // 4 % 3}" for place in range(n_cells)],
    }
    return anndata.AnnData(
        form(values),
        obs=pandas.DataFrame(obs, index=names),
        var=pandas.DataFrame(index=[f"gene {place}" for place in range(n_genes)]),
        layers={"counts": form(counts.astype(np.float32))},
    )


@pytest.fixture
def cells():
    return make_cells()
