"""Given panels, judged as scikit-learn judges them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, f1_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest.single_cell import evaluate_panel
from tests.single_cell.conftest import make_cells

anndata = pytest.importorskip("anndata")
PANEL = ["gene 3", "gene 0", "gene 1", "gene 7"]  # nothing marks CD8 T, and gene 7 nothing at all


def predict(adata, genes, model=None, **how):
    y = adata.obs["celltype"].astype(str).to_numpy()
    model = model or make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return y, cross_val_predict(model, adata[:, genes].X.toarray(), y, **how)


def test_equals_scikit_learn(cells):
    found = evaluate_panel(cells, PANEL, "celltype")
    y, predicted = predict(cells, PANEL, cv=StratifiedKFold(5))
    report = classification_report(y, predicted, output_dict=True)
    for name in np.unique(y):
        row = found.by_type.loc[name]
        for ours, theirs in (("precision",) * 2, ("recall",) * 2, ("f1", "f1-score")):
            assert row[ours] == pytest.approx(report[name][theirs])
        assert row["cells"] == report[name]["support"]
    assert found.macro_f1 == pytest.approx(report["macro avg"]["f1-score"])
    assert np.array_equal(found.confusion.to_numpy(), confusion_matrix(y, predicted))
    assert found.genes == PANEL
    for gene in PANEL:
        rest = [name for name in PANEL if name != gene]
        without = f1_score(*predict(cells, rest, cv=StratifiedKFold(5)), average="macro")
        assert found.gains.loc[gene, "without"] == pytest.approx(without)
        assert found.gains.loc[gene, "gain"] == pytest.approx(found.macro_f1 - without)
    assert found.gains.index[-1] == "gene 7"
    assert found.gains["gain"].is_monotonic_decreasing


def test_confused_pairs_and_rivals(cells):
    found = evaluate_panel(cells, ["gene 3", "gene 0"], "celltype", leave_out=False)
    assert found.gains is None
    pairs = found.confused_pairs
    first = pairs.iloc[0]
    assert {first["one"], first["other"]} == {"CD4 T", "CD8 T"}  # no gene of theirs is in it
    counts = found.confusion
    wrong = counts.loc["CD4 T", "CD8 T"] + counts.loc["CD8 T", "CD4 T"]
    assert first["cells"] == wrong
    right = counts.loc["CD4 T", "CD4 T"] + counts.loc["CD8 T", "CD8 T"]
    assert first["share"] == pytest.approx(wrong / (wrong + right))
    assert pairs["share"].is_monotonic_decreasing
    assert found.by_type.loc["CD4 T", "confused_with"] == "CD8 T"


def test_donors_as_groups(cells):
    with pytest.warns(UserWarning, match="3 folds instead of 5"):
        found = evaluate_panel(cells, PANEL, "celltype", donor="donor", leave_out=False)
    donors = cells.obs["donor"].to_numpy()
    y, predicted = predict(cells, PANEL, cv=StratifiedGroupKFold(3), groups=donors)
    assert np.array_equal(found.confusion.to_numpy(), confusion_matrix(y, predicted))
    assert "judged on donors held out in 3 folds" in str(found)


def test_another_classifier(cells):
    model = KNeighborsClassifier(3)
    found = evaluate_panel(cells, PANEL, "celltype", classifier=model, cv=4, leave_out=False)
    y, predicted = predict(cells, PANEL, model, cv=StratifiedKFold(4))
    assert found.judgement.error == np.mean(predicted != y)


def test_backed_reads_the_genes_only(cells, tmp_path):
    expected = evaluate_panel(cells, PANEL, "celltype", leave_out=False)
    cells.write_h5ad(tmp_path / "t.h5ad")
    backed = anndata.read_h5ad(tmp_path / "t.h5ad", backed="r")
    found = evaluate_panel(backed, PANEL, "celltype", leave_out=False)
    assert np.array_equal(found.confusion.to_numpy(), expected.confusion.to_numpy())
    backed.file.close()


def test_counts_are_normalised_over_all_genes(cells):
    counts = cells.layers["counts"].toarray()
    cells.layers["normal"] = np.log1p(1e4 * counts / counts.sum(axis=1, keepdims=True))
    settings = {"leave_out": False}
    one = evaluate_panel(cells, PANEL, "celltype", layer="counts", counts=True, **settings)
    other = evaluate_panel(cells, PANEL, "celltype", layer="normal", **settings)
    assert np.array_equal(one.confusion.to_numpy(), other.confusion.to_numpy())


def test_one_gene_has_nothing_to_be_left_out():
    found = evaluate_panel(make_cells(), ["gene 3"], "lineage")
    assert found.gains is None
    assert found.macro_f1 > 0.9
