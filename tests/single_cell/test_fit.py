"""`single_cell.fit`: any estimator on X, a layer or raw; its result in the object, and applied."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import fewest
from fewest import SupportFeatureMachine, ZeroNormSVM, single_cell
from tests.single_cell.conftest import MARKERS, TYPES, anndata, make_cells

FEW = SupportFeatureMachine(max_features=4)
PAIR = SupportFeatureMachine(max_features=2)


@pytest.fixture
def cells():
    return make_cells(n_cells=120)


def test_written_to_the_object(cells):
    panel = single_cell.fit(cells, "celltype", FEW, cv=None)
    assert cells.var_names[cells.var["fewest"]].tolist() == list(MARKERS.values())
    kept = cells.uns["fewest"]
    assert kept["types"].tolist() == list(TYPES)
    assert kept["method"] == "Support Feature Machine"
    assert json.loads(kept["parameters"])["max_features"] == 4
    assert kept["params"] == {"label": "celltype", "use_raw": False, "counts": False}
    assert kept["certificates"]["relative_gap"].max() < 1e-6
    # One standard deviation of the gene, compared with the mean over the types.
    machine = SupportFeatureMachine(max_features=4).fit(cells, "celltype")
    weights = machine.standardized_coef_ - machine.standardized_coef_.mean(axis=0)
    np.testing.assert_allclose(cells.varm["fewest"], weights.T, atol=1e-6)
    np.testing.assert_allclose(cells.var["fewest_weight"], np.abs(weights).max(axis=0), atol=1e-6)
    assert panel.method == kept["method"]


def test_files_keep_it(cells, tmp_path):
    cells.obs["celltype"] = cells.obs["celltype"].cat.rename_categories({"CD4 T": "CD4+/CD25 T"})
    cells.obs.loc[cells.obs_names[:4], "celltype"] = np.nan
    with pytest.warns(UserWarning, match="no label: 4 of 120 cells"):
        single_cell.fit(cells, "celltype", FEW, cv=2, key_added="panel", donor="donor")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.var["panel"], cells.var["panel"])
    np.testing.assert_array_equal(again.varm["panel"], cells.varm["panel"])
    before, after = cells.uns["panel"], again.uns["panel"]
    assert set(after) == set(before)
    assert after["types"].tolist() == before["types"].tolist()
    assert "CD4+/CD25 T" in after["types"]
    assert after["held_out"]["balanced_error"] == before["held_out"]["balanced_error"]
    assert after["notes"].tolist() == ["Left out, because they have no label: 4 of 120 cells."]


@pytest.mark.parametrize("key", ["a/b", "", 3])
def test_names_that_files_cannot_hold(cells, key):
    with pytest.raises(ValueError, match="key_added must be a name without a slash"):
        single_cell.fit(cells, "celltype", key_added=key)


def test_layer_and_raw(cells):
    """A layer and raw with the same values give the panel of X; raw may have further genes."""
    usual = single_cell.fit(cells, "lineage", PAIR, cv=None)
    other = cells.copy()
    other.layers["log"], other.X = cells.X.copy(), other.X * 0
    layered = single_cell.fit(other, "lineage", PAIR, layer="log", cv=None)
    other.raw = cells
    other = other[:, 4:].copy()
    raw = single_cell.fit(other, "lineage", PAIR, use_raw=True, cv=None, key_added="raw")
    assert layered.genes == raw.genes == usual.genes
    np.testing.assert_array_equal(raw.weights, usual.weights)
    # Gene 3 is in raw alone: var cannot name it, uns does.
    assert other.var_names[other.var["raw"]].tolist() == ["gene 4"]
    assert set(other.uns["raw"]["genes"]) == set(usual.genes)
    assert raw.predict(other).tolist() == usual.predict(cells).tolist()


def test_layer_or_raw(cells):
    with pytest.raises(ValueError, match="leave one of them out"):
        single_cell.fit(cells, "celltype", layer="counts", use_raw=True)
    with pytest.raises(ValueError, match=r"adata.raw is empty. Leave use_raw out"):
        single_cell.fit(cells, "celltype", use_raw=True)


def test_predictions_need_names_only(cells):
    panel = single_cell.fit(cells, "celltype", FEW, cv=None)
    truth = panel.predict(cells)
    assert truth.index.tolist() == cells.obs_names.tolist()
    assert (truth.to_numpy() == cells.obs["celltype"].to_numpy()).mean() > 0.9
    shuffled = cells[:, np.random.default_rng(0).permutation(cells.n_vars)].copy()
    assert panel.predict(shuffled).tolist() == truth.tolist()
    few = cells[:, ["gene 30", *reversed(panel.genes)]].copy()
    assert panel.predict(few, key_added="predicted").tolist() == truth.tolist()
    assert few.obs["predicted"].tolist() == truth.tolist()
    with pytest.raises(ValueError, match="lacks 1 gene of 4 that are needed: gene 0"):
        panel.predict(cells[:, 1:])


def test_predictions_read_the_layer_of_the_fit(cells):
    panel = single_cell.fit(cells, "lineage", PAIR, layer="counts", counts=True, cv=None)
    truth = panel.predict(cells)
    cells.X = None
    assert panel.predict(cells).tolist() == truth.tolist()
    del cells.layers["counts"]
    with pytest.raises(ValueError, match="no layer 'counts'"):
        panel.predict(cells)


def test_estimators_of_other_packages_need_all_genes(cells):
    lasso = LogisticRegression(C=0.1, l1_ratio=1.0, solver="liblinear")
    panel = single_cell.fit(cells, "lineage", lasso, cv=None)
    shuffled = cells[:, ::-1].copy()
    assert panel.predict(shuffled).tolist() == panel.predict(cells).tolist()
    with pytest.raises(ValueError, match="lacks 1 gene of 40 that are needed: gene 39"):
        panel.predict(cells[:, :39])
    assert cells.uns["fewest"]["method"] == "LogisticRegression"


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
def test_backed_files(form, tmp_path):
    whole = make_cells(form, n_cells=120)
    whole.raw = whole
    whole.write_h5ad(tmp_path / "cells.h5ad")
    expected = single_cell.fit(whole, "lineage", PAIR, cv=None)
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    for source in ({}, {"use_raw": True}):
        panel = single_cell.fit(backed, "lineage", PAIR, cv=None, **source)
        assert panel.genes == expected.genes
        assert panel.predict(backed).tolist() == expected.predict(whole).tolist()
    backed.file.close()


def test_models_that_are_saved_find_genes_by_name(cells, tmp_path):
    panel = single_cell.fit(cells, "lineage", ZeroNormSVM(C=1.0), cv=None)
    fewest.save(panel.estimator, tmp_path / "model.fewest")
    loaded = fewest.load(tmp_path / "model.fewest")
    assert loaded.predict(cells[:, ::-1]).tolist() == panel.predict(cells).tolist()


def test_the_error_is_that_of_folds(cells):
    panel = single_cell.fit(cells, "lineage", PAIR, cv=2, random_state=0)
    same = single_cell.select_panel(cells, "lineage", estimator=PAIR, cv=2, random_state=0)
    assert panel.judgement.balanced_error == same.judgement.balanced_error
    assert cells.uns["fewest"]["held_out"]["error"] == panel.judgement.error
