"""AnnData in the place of X: every selecting estimator of the package takes it."""

import numpy as np
import pytest
from scipy import sparse

from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSelector,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest.filters import RankingSelector, WeightedVoteClassifier
from tests.single_cell.conftest import anndata, make_cells


@pytest.fixture
def cells():
    return make_cells(n_cells=120)


ESTIMATORS = [
    SupportFeatureMachine(),
    UnionFeatureMachine(),
    ZeroNormSVM(),
    Liknon(),
    FeatureSelectionConcave(),
    SupportFeatureMachineCV(Cs=[1.0], cv=2),
    PanelSizeCV(sizes=[1, 2], cv=2),
    LiknonCV(Cs=[0.01, 0.1], cv=3, n_splits=2, random_state=0),
    RepetitiveSelector(SupportFeatureMachine(), n_subsets=2),
    AccumulatedClassifier(RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)),
    PotentialSelector(n_features=3),
    RankingSelector(),
    WeightedVoteClassifier(n_features=4),
]


@pytest.mark.parametrize("machine", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_as_with_arrays(machine, cells):
    """The same genes and predictions as from the matrix; genes may change their order later."""
    machine.fit(cells.X, cells.obs["lineage"].to_numpy())
    support = machine.support_
    predict = getattr(machine, "predict", None)
    expected = None if predict is None else predict(cells.X)
    chosen = machine.transform(cells.X)
    machine.fit(cells, "lineage")
    np.testing.assert_array_equal(machine.support_, support)
    assert machine.get_feature_names_out().tolist() == cells.var_names[support].tolist()
    turned = cells[:, ::-1].copy()
    np.testing.assert_array_equal(machine.transform(turned).toarray(), chosen.toarray())
    if expected is not None:
        np.testing.assert_array_equal(machine.predict(turned), expected)


def test_probabilities_and_scores(cells):
    machine = SupportFeatureMachineCV(Cs=[1.0], cv=2).fit(cells, "lineage")
    turned = cells[:, ::-1].copy()
    np.testing.assert_array_equal(machine.predict_proba(turned), machine.predict_proba(cells))
    np.testing.assert_array_equal(
        machine.decision_function(turned), machine.decision_function(cells)
    )


def test_labels_may_be_given(cells):
    named = SupportFeatureMachine().fit(cells, "lineage")
    given = SupportFeatureMachine().fit(cells, cells.obs["lineage"])
    np.testing.assert_array_equal(given.coef_, named.coef_)
    assert given.feature_names_in_.tolist() == cells.var_names.tolist()


def test_cells_without_a_label_are_left_out(cells):
    whole = SupportFeatureMachine().fit(cells[6:].copy(), "lineage")
    cells.obs.loc[cells.obs_names[:6], "lineage"] = np.nan
    with pytest.warns(UserWarning, match="because they have no label: 6 of 120 cells"):
        machine = SupportFeatureMachine().fit(cells, "lineage")
    np.testing.assert_array_equal(machine.coef_, whole.coef_)
    assert machine.classes_.tolist() == whole.classes_.tolist()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("cell_type", "adata.obs has no column 'cell_type'. Did you mean 'celltype'?"),
        (None, "name the column of adata.obs that holds the classes"),
    ],
)
def test_columns_that_are_not_there(cells, column, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message follows)
        SupportFeatureMachine().fit(cells, column)
    assert message in str(caught.value)


def test_what_is_missing_is_said(cells):
    machine = SupportFeatureMachine().fit(cells, "celltype")
    genes = machine.get_feature_names_out().tolist()
    needed = cells[:, [*reversed(genes), "gene 20"]].copy()
    np.testing.assert_array_equal(machine.predict(needed), machine.predict(cells))
    lacking = cells[:, [name for name in cells.var_names if name != genes[0]]]
    with pytest.raises(ValueError, match=f"lacks 1 gene of {len(genes)} that are needed"):
        machine.predict(lacking)
    nameless = SupportFeatureMachine().fit(cells.X, cells.obs["lineage"])
    np.testing.assert_array_equal(nameless.predict(cells), nameless.predict(cells.X))
    with pytest.raises(ValueError, match="was fitted to 40 features without names"):
        nameless.predict(cells[:, 1:])


def test_values_that_are_not_finite_name_their_genes(cells):
    cells.X[3, 7] = np.nan
    with pytest.raises(ValueError, match="in 1 gene: gene 7"):
        SupportFeatureMachine().fit(cells, "celltype")


def test_sparse_and_backed_values_stay_sparse(tmp_path, monkeypatch):
    cells = make_cells(n_cells=60, n_genes=2000)
    expected = SupportFeatureMachine().fit(cells, "lineage")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    make_dense = sparse.csr_matrix.toarray

    def refuse(matrix, *arguments, **keywords):
        assert matrix.shape[1] < 1000, "the whole matrix was made dense"
        return make_dense(matrix, *arguments, **keywords)

    monkeypatch.setattr(sparse.csr_matrix, "toarray", refuse)
    machine = SupportFeatureMachine().fit(backed, "lineage")
    np.testing.assert_array_equal(machine.coef_, expected.coef_)
    np.testing.assert_array_equal(machine.predict(backed), expected.predict(cells))
    backed.file.close()
