"""Cells whose sparse matrices point outside themselves: in memory, in .h5ad and in zarr."""

import numpy as np
import pytest
from scipy import sparse

from fewest.single_cell import evaluate_panel, select_panel
from tests.single_cell.conftest import anndata, make_cells

h5py = pytest.importorskip("h5py")

WRONG = [("indices", 7, 40), ("indices", 7, -5), ("indptr", 3, 10**6), ("indptr", 0, 1)]
REFUSAL = "adata.X is no valid sparse matrix"


def refuse(adata):
    with pytest.raises(ValueError, match=REFUSAL):
        select_panel(adata, "celltype", n_genes=3, cv=None, key_added=None)
    with pytest.raises(ValueError, match=REFUSAL):
        evaluate_panel(adata, ["gene 0", "gene 1"], "celltype", leave_out=False)


@pytest.mark.parametrize(("part", "place", "value"), WRONG)
def test_in_memory(cells, part, place, value):
    getattr(cells.X, part)[place] = value
    refuse(cells)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize(("part", "place", "value"), WRONG)
def test_in_a_file(tmp_path, form, part, place, value):
    path = tmp_path / "t.h5ad"
    make_cells(form).write_h5ad(path)
    with h5py.File(path, "r+") as file:
        file["X"][part][place] = 240 if value == 40 else value
    backed = anndata.read_h5ad(path, backed="r")
    refuse(backed)
    backed.file.close()


def test_in_a_zarr_store(tmp_path):
    zarr = pytest.importorskip("zarr")
    cells = make_cells()
    cells.write_zarr(tmp_path / "t.zarr")
    store = zarr.open(tmp_path / "t.zarr", mode="r+")
    indices = np.asarray(store["X"]["indices"])
    indices[11] = 2_000_000_000
    store["X"]["indices"][:] = indices
    refuse(anndata.read_zarr(tmp_path / "t.zarr"))
