"""Panels with a known truth, their errors recomputed, and what is written to the object."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict

from fewest import SupportFeatureMachine
from fewest.single_cell import select_panel
from tests.memory import traced_memory
from tests.single_cell.conftest import LINEAGES, MARKERS, TYPES, make_cells

anndata = pytest.importorskip("anndata")


def test_finds_the_markers(cells):
    panel = select_panel(cells, "celltype", n_genes=4)
    assert panel.types == sorted(TYPES)
    assert set(panel.genes) <= {*MARKERS.values(), "gene 4"}
    assert len(panel.genes) <= 4
    assert panel.judgement.macro_f1 > 0.95
    assert panel.gap < 1e-6
    for gene, name in panel.speaks_for.items():
        if gene != "gene 4":
            assert MARKERS[name] == gene


def test_error_is_that_of_cross_validation_with_selection(cells):
    panel = select_panel(cells, "celltype", n_genes=3)
    y = cells.obs["celltype"].astype(str).to_numpy()
    expected = cross_val_predict(clone(panel.estimator), cells.X, y, cv=StratifiedKFold(5))
    assert panel.judgement.error == np.mean(expected != y)
    assert panel.judgement.macro_f1 == pytest.approx(f1_score(y, expected, average="macro"))


def test_folds_leave_whole_donors_out(cells):
    with pytest.warns(UserWarning, match="3 folds instead of 5"):
        panel = select_panel(cells, "celltype", n_genes=3, donor="donor")
    y, donors = (cells.obs[name].astype(str).to_numpy() for name in ("celltype", "donor"))
    for fold in panel.judgement.held_out.folds:
        assert not set(donors[fold.train]) & set(donors[fold.test])
    expected = cross_val_predict(
        clone(panel.estimator), cells.X, y, groups=donors, cv=StratifiedGroupKFold(3)
    )
    assert panel.judgement.error == np.mean(expected != y)
    table = panel.judgement.by_donor
    assert table.index.tolist() == ["D0", "D1", "D2"]
    for donor in table.index:
        inside = donors == donor
        assert table.loc[donor, "cells"] == inside.sum()
        assert table.loc[donor, "error"] == pytest.approx(np.mean(expected[inside] != y[inside]))


def test_donor_effects_make_the_honest_error_larger():
    """A gene that marks types within donors only looks good unless whole donors are left out."""
    adata = make_cells(np.asarray, n_genes=20)
    rng = np.random.default_rng(0)
    adata.X = rng.normal(size=adata.shape).astype(np.float32)
    donors = adata.obs["donor"].astype("category").cat.codes.to_numpy()
    codes = adata.obs["celltype"].cat.codes.to_numpy()
    # Genes 3d to 3d + 3 tell types apart for donor d, in an order of its own.
    for donor in range(3):
        inside = donors == donor
        for code in range(4):
            place = (code + donor) % 4
            adata.X[inside & (codes == code), place] += 6.0
    by_cells = select_panel(adata, "celltype", n_genes=8)
    with pytest.warns(UserWarning, match="3 folds"):
        by_donors = select_panel(adata, "celltype", n_genes=8, donor="donor")
    assert by_donors.judgement.error > by_cells.judgement.error + 0.1


@pytest.mark.parametrize("form", [sparse.csc_matrix, np.asarray, sparse.csr_array])
def test_dense_and_sparse_give_the_same(form):
    if form is sparse.csr_array:
        pytest.importorskip("anndata", minversion="0.11")  # earlier ones take matrices only
    one, other = (
        select_panel(make_cells(kind), "celltype", n_genes=3, cv=2)
        for kind in (sparse.csr_matrix, form)
    )
    assert one.genes == other.genes
    assert one.weights.to_numpy() == pytest.approx(other.weights.to_numpy(), abs=1e-4)
    assert one.judgement.error == other.judgement.error


def test_views_and_parts(cells):
    part = cells[cells.obs["donor"] != "D2"]
    with pytest.warns(Warning, match="view"):
        panel = select_panel(part, "celltype", n_genes=3, cv=None)
    assert panel.genes == select_panel(part.copy(), "celltype", n_genes=3, cv=None).genes
    assert "fewest" in part.var
    assert "fewest" not in cells.var


def test_counts_are_normalised_as_by_hand(cells):
    counts = cells.layers["counts"].toarray()
    by_hand = np.log1p(1e4 * counts / counts.sum(axis=1, keepdims=True))
    cells.layers["normal"] = by_hand.astype(np.float32)
    before = cells.layers["counts"].copy()
    for kind in (sparse.csr_matrix, sparse.csc_matrix, np.asarray):
        cells.layers["counts"] = kind(counts)
        panel = select_panel(cells, "celltype", n_genes=3, layer="counts", counts=True, cv=None)
        other = select_panel(cells, "celltype", n_genes=3, layer="normal", cv=None)
        assert panel.genes == other.genes
        assert panel.weights.to_numpy() == pytest.approx(other.weights.to_numpy(), abs=1e-3)
        found = cells.layers["counts"]
        assert np.array_equal(
            found.toarray() if sparse.issparse(found) else found, before.toarray()
        )


def test_counts_are_normalised_as_by_scanpy(cells):
    scanpy = pytest.importorskip("scanpy")
    normal = cells.copy()
    normal.X = normal.layers["counts"].copy()
    scanpy.pp.normalize_total(normal, target_sum=1e4)
    scanpy.pp.log1p(normal)
    panel = select_panel(cells, "celltype", n_genes=3, layer="counts", counts=True, cv=None)
    other = select_panel(normal, "celltype", n_genes=3, cv=None)
    assert panel.genes == other.genes
    assert panel.weights.to_numpy() == pytest.approx(other.weights.to_numpy(), abs=1e-3)


def test_written_and_read_again(cells, tmp_path):
    cells.obs["celltype"] = cells.obs["celltype"].astype(str).replace({"CD4 T": "T/CD4+ é"})
    panel = select_panel(cells, "celltype", n_genes=4, cv=2)
    cells.write_h5ad(tmp_path / "t.h5ad")
    again = anndata.read_h5ad(tmp_path / "t.h5ad")
    assert set(again.var_names[again.var["fewest"]]) == set(panel.genes)
    places = again.var_names.get_indexer(panel.genes)
    assert again.varm["fewest"][places] == pytest.approx(panel.weights.to_numpy())
    assert not np.delete(again.varm["fewest"], places, axis=0).any()
    kept = again.uns["fewest"]
    assert kept["genes"].tolist() == panel.genes
    assert kept["types"].tolist() == panel.types
    assert kept["params"] == {"label": "celltype", "use_raw": False, "counts": False}
    assert kept["held_out"]["macro_f1"] == panel.judgement.macro_f1
    assert np.array_equal(kept["held_out"]["confusion"], panel.judgement.confusion.to_numpy())
    assert kept["certificates"]["relative_gap"].max() == panel.gap


def test_another_name_or_nothing_is_written(cells):
    select_panel(cells, "celltype", n_genes=3, cv=None, key_added="small")
    assert "held_out" not in cells.uns["small"]
    before = cells.copy()
    select_panel(cells, "celltype", n_genes=4, cv=None, key_added=None)
    assert list(cells.var) == list(before.var) == ["small", "small_weight"]
    assert list(cells.uns) == ["small"]


def test_backed(cells, tmp_path):
    expected = select_panel(cells, "celltype", n_genes=3, cv=2, key_added=None)
    for number, form in enumerate((sparse.csr_matrix, sparse.csc_matrix, np.asarray)):
        file = tmp_path / f"{number}.h5ad"
        make_cells(form).write_h5ad(file)
        backed = anndata.read_h5ad(file, backed="r")
        panel = select_panel(backed, "celltype", n_genes=3, cv=2)
        assert panel.genes == expected.genes
        assert panel.judgement.error == expected.judgement.error
        assert panel.notes[0].startswith("adata.X was read from its file")
        assert "sparse matrix" in panel.notes[0]
        assert "fewest" in backed.var
        with pytest.raises(ValueError, match="view of a backed file.*adata.to_memory()"):
            select_panel(backed[:200], "celltype")
        assert select_panel(backed[:200], "celltype", cv=None, key_added=None).genes
        backed.file.close()


def test_backed_and_too_large(cells, tmp_path, monkeypatch):
    cells.write_h5ad(tmp_path / "t.h5ad")
    backed = anndata.read_h5ad(tmp_path / "t.h5ad", backed="r")
    monkeypatch.setattr("fewest._anndata.values.get_memory", lambda: 9000)
    with pytest.raises(ValueError, match="more than this computer has. Keep fewer genes"):
        select_panel(backed, "celltype")
    backed.file.close()


def test_dense_files_are_read_in_blocks(tmp_path, monkeypatch):
    adata = make_cells(np.asarray)
    expected = select_panel(adata, "celltype", n_genes=3, cv=None, key_added=None)
    full = select_panel(make_cells(lambda X: X + 1.0), "celltype", n_genes=3, cv=None)
    monkeypatch.setattr("fewest._anndata.values._BLOCK_BYTES", 5000)
    for name, values in (("zeros", adata.X), ("full", adata.X + 1.0)):
        copy = adata.copy()
        copy.X = values
        copy.write_h5ad(tmp_path / f"{name}.h5ad")
        backed = anndata.read_h5ad(tmp_path / f"{name}.h5ad", backed="r")
        panel = select_panel(backed, "celltype", n_genes=3, cv=None)
        assert panel.genes == (expected if name == "zeros" else full).genes
        assert ("in 8 blocks, as a sparse" if name == "zeros" else "dense array") in panel.notes[0]
        backed.file.close()


def test_sparse_values_are_never_made_dense():
    rng = np.random.default_rng(0)
    X = sparse.random(3000, 4000, 0.01, format="csr", dtype=np.float32, random_state=0)
    types = np.arange(3000) % 3
    marks = sparse.csr_matrix(
        (rng.uniform(2, 4, 3000).astype(np.float32), (np.arange(3000), types)), shape=X.shape
    )
    adata = anndata.AnnData((X + marks).tocsr())
    adata.obs["celltype"] = np.array(["a", "b", "c"])[types]
    with traced_memory() as memory:
        panel = select_panel(adata, "celltype", n_genes=3, cv=2)
    assert panel.judgement.error < 0.02
    assert memory.peak < 3000 * 4000 * 4 / 2  # half of what one dense copy would take


def test_two_types(cells):
    panel = select_panel(cells, "lineage", n_genes=2, cv=2)
    assert panel.types == ["lymphoid", "myeloid"]
    assert panel.weights.to_numpy().sum(axis=1) == pytest.approx(0.0)
    assert panel.speaks_for.get("gene 4", "lymphoid") == "lymphoid"
    assert panel.speaks_for.get("gene 3", "myeloid") == "myeloid"
    assert panel.judgement.error < 0.05


def test_another_estimator(cells):
    machine = SupportFeatureMachine(C=0.5)
    panel = select_panel(cells, "celltype", estimator=machine, cv=None)
    expected = clone(machine).fit(cells.X, cells.obs["celltype"].astype(str).to_numpy())
    assert set(panel.genes) == set(cells.var_names[expected.support_])
    assert not hasattr(machine, "support_")


def test_printed(cells):
    text = str(select_panel(cells, "celltype", n_genes=4, cv=2))
    assert text.startswith(("3 genes for 4 types", "4 genes for 4 types"))
    assert "on cells held out in 2 folds: error" in text
    assert str(select_panel(cells, "celltype", n_genes=4, cv=None)).count("\n") == 0


def test_hierarchy(cells):
    panel = select_panel(cells, "celltype", n_genes=[1, 3], hierarchy="lineage", cv=2)
    assert panel.types == sorted(TYPES)
    top = {gene for gene, names in panel.needed_by.items() if "all cells" in names}
    below = {gene for gene, names in panel.needed_by.items() if "lymphoid" in names}
    assert top < {"gene 3", "gene 4"}
    assert below <= {"gene 0", "gene 1", "gene 2"}
    assert top | below == set(panel.genes) == set(panel.needed_by)
    assert cells.uns["fewest"]["needed_by"].tolist().count("all cells") == len(top)
    assert panel.judgement.error < 0.05


def test_hierarchy_is_what_its_machines_say(cells):
    """Predictions and certificates from machines fitted by hand."""
    panel = select_panel(cells, "celltype", n_genes=3, hierarchy=["lineage"], cv=None)
    y = cells.obs["celltype"].astype(str).to_numpy()
    broad = np.array([LINEAGES[name] for name in y])
    machine = clone(panel.estimator.machines[0])
    top = clone(machine).fit(cells.X, broad)
    lymphoid = broad == "lymphoid"
    below = clone(machine).fit(cells.X[lymphoid], y[lymphoid])
    expected = np.where(top.predict(cells.X) == "myeloid", "mono", below.predict(cells.X))
    assert np.array_equal(panel.estimator.predict(cells.X), expected)
    assert set(panel.genes) == set(cells.var_names[top.support_ | below.support_])


def test_types_of_a_hierarchy_must_be_nested(cells):
    with pytest.raises(
        ValueError, match=r"has 1 type with cells of several .* lies in 'B' \(60 cel"
    ):
        select_panel(cells, "lineage", hierarchy="celltype")
    with pytest.raises(ValueError, match="n_genes has 3 values, but there are 2 levels"):
        select_panel(cells, "celltype", hierarchy="lineage", n_genes=[1, 2, 3])
    with pytest.raises(ValueError, match="no column 'linage'"):
        select_panel(cells, "celltype", hierarchy=["linage"])


@pytest.mark.slow
def test_pbmc3k(real_file):
    adata = anndata.read_h5ad(real_file("pbmc3k.h5ad"))
    panel = select_panel(adata, "celltype", n_genes=8, cv=2)
    assert len(panel.genes) <= 8
    assert panel.judgement.macro_f1 > 0.8
    assert "Megakaryocytes" in panel.speaks_for.values()


def test_genes_in_and_out(cells):
    panel = select_panel(
        cells, "celltype", n_genes=5, cv=None, include=["gene 20"], exclude=["gene 0"]
    )
    assert "gene 20" in panel.genes
    assert "gene 0" not in panel.genes
    with pytest.raises(ValueError, match="exclude names 'gene 99', which is not a feature of X"):
        select_panel(cells, "celltype", exclude=["gene 99"])
    with pytest.raises(ValueError, match="Set them on the estimator"):
        select_panel(cells, "celltype", positive=True, estimator=SupportFeatureMachine())


def test_positive_markers_only(cells):
    absent = cells.obs["celltype"].to_numpy() == "B"
    values = cells.X.toarray()
    values[:, 5] = np.where(absent, 0.0, 3.0)  # tells B from all others, by its absence
    cells.X = values
    both = select_panel(cells, "celltype", n_genes=3, cv=None)
    assert "gene 5" in both.genes
    markers = select_panel(cells, "celltype", n_genes=3, cv=None, positive=True)
    assert "gene 5" not in markers.genes
    assert len(markers.genes) == 3
