"""What is wrong with an AnnData object is said before any work, and what to do about it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from fewest.single_cell import evaluate_panel, plot_panel, select_panel
from tests.single_cell.conftest import make_cells

pandas = pytest.importorskip("pandas")


def refuse(adata, *arguments, kind=ValueError, **keywords):
    """The message with which all three functions refuse; `genes` are for two of them."""
    with pytest.raises(kind) as caught:
        select_panel(adata, *arguments, **keywords)
    genes = ["gene 0", "gene 1"]
    with pytest.raises(kind) as evaluated:
        evaluate_panel(adata, genes, *arguments, **keywords)
    assert str(evaluated.value) == str(caught.value)
    if "donor" not in keywords:
        with pytest.raises(kind) as drawn:
            plot_panel(genes, adata, *arguments, **keywords)
        assert str(drawn.value) == str(caught.value)
    assert "fewest" not in getattr(adata, "uns", {})
    return str(caught.value)


def test_a_file_name_is_no_object():
    message = refuse("atlas.h5ad", "celltype", kind=TypeError)
    assert "not str" in message
    assert "anndata.read_h5ad(file, backed='r')" in message


def test_column_that_does_not_exist(cells):
    assert "no column 'cell_type'. Did you mean 'celltype'?" in refuse(cells, "cell_type")
    assert "no column 'patient'" in refuse(cells, "celltype", donor="patient")


def test_layer_that_does_not_exist(cells):
    message = refuse(cells, "celltype", layer="count")
    assert message == "adata has no layer 'count' among its 1. Did you mean 'counts'?"
    del cells.layers["counts"]
    assert "There are no layers: leave it out" in refuse(cells, "celltype", layer="count")


def test_no_values_at_all(cells):
    cells.X = None
    assert refuse(cells, "celltype") == "adata.X is empty. Name a layer: counts"
    assert select_panel(cells, "celltype", layer="counts", cv=None).genes


def test_genes_twice(cells):
    cells.var_names = ["gene 0", "gene 0", *cells.var_names[2:]]
    message = refuse(cells, "celltype")
    assert "has 1 gene name more than once: gene 0." in message
    assert "adata.var_names_make_unique()" in message


def test_cells_without_a_type(cells):
    whole = select_panel(cells[5:].copy(), "celltype", n_genes=3, cv=2)
    cells.obs.loc[cells.obs_names[:5], "celltype"] = np.nan
    message = refuse(cells, "celltype")
    assert "5 of 240 cells have no value in adata.obs['celltype']" in message
    assert "unlabelled='drop'" in message
    panel = select_panel(cells, "celltype", n_genes=3, cv=2, unlabelled="drop")
    assert panel.notes == ("Left out, because they have no label: 5 of 240 cells.",)
    assert panel.genes == whole.genes
    assert panel.judgement.error == whole.judgement.error
    with pytest.raises(ValueError, match="unlabelled must be one of 'error', 'drop'"):
        select_panel(cells, "celltype", unlabelled="keep")


def test_no_cell_with_a_type(cells):
    cells.obs["celltype"] = np.nan
    assert "no cell has a value" in refuse(cells, "celltype", unlabelled="drop")


def test_cells_without_a_donor(cells):
    cells.obs.loc[cells.obs_names[:3], "donor"] = None
    assert "3 of 240 cells have no value in adata.obs['donor']" in refuse(
        cells, "celltype", donor="donor"
    )
    panel = select_panel(cells, "celltype", donor="donor", unlabelled="drop", n_genes=3, cv=2)
    assert len(panel.notes) == 1


def test_a_type_with_one_cell(cells):
    labels = cells.obs["celltype"].astype(str).to_numpy()
    labels[0] = "lonely"
    cells.obs["celltype"] = labels
    message = refuse(cells, "celltype")
    assert "1 type of adata.obs['celltype'] has a single cell: lonely." in message
    assert "adata[adata.obs['celltype'] != 'lonely']" in message
    labels[1] = "alone"
    cells.obs["celltype"] = labels
    assert "2 types of adata.obs['celltype'] have a single cell: alone, lonely" in refuse(
        cells, "celltype"
    )


def test_one_type_only(cells):
    cells.obs["celltype"] = "B"
    assert "holds only one class: 'B'" in refuse(cells, "celltype")


def test_a_measurement_is_no_type(cells):
    cells.obs["total"] = np.linspace(0.1, 7.3, cells.n_obs)
    assert "looks like a number, not like a class" in refuse(cells, "total")


def test_whole_numbers_are_types(cells):
    """As floats, which pandas makes of whole numbers where some are missing."""
    codes = cells.obs["celltype"].cat.codes.astype(float)
    cells.obs["number"] = np.where(np.arange(cells.n_obs) < 2, np.nan, codes)
    panel = select_panel(cells, "number", unlabelled="drop", cv=None)
    assert panel.types == ["0", "1", "2", "3"]


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite(form, bad):
    adata = make_cells(np.asarray)
    values = adata.X.copy()
    values[7, 0] = values[9, 1] = values[11, 1] = bad
    adata.X = form(values)
    assert refuse(adata, "celltype") == (
        "adata.X holds 3 values that are NaN or infinite, in 2 genes: gene 0, gene 1. Leave these "
        "genes out, or correct the values"
    )


def test_text_instead_of_numbers(cells):
    cells.layers["words"] = np.full(cells.shape, "many", dtype=object)
    assert "numbers are needed" in refuse(cells, "celltype", layer="words")


@pytest.mark.parametrize("form", [sparse.csr_matrix, np.asarray])
def test_negative_counts(form):
    adata = make_cells(np.asarray)
    adata.layers["scaled"] = form(adata.X - 1.5)
    message = refuse(adata, "celltype", layer="scaled", counts=True)
    assert "layer 'scaled' holds negative values (the smallest is -1.5)" in message
    assert "counts=False" in message


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
def test_counts_that_are_not_whole(form):
    message = refuse(make_cells(form), "celltype", counts=True)
    assert "not whole numbers, such as 2.303, but counts=True" in message  # log(10)


def test_donors(cells):
    assert "cannot be the types and the donors" in refuse(cells, "donor", donor="donor")
    cells.obs["one"] = "D0"
    assert "names one donor only, 'D0'" in refuse(cells, "celltype", donor="one")
    cells.obs["site"] = np.where(cells.obs["celltype"] == "B", "X", cells.obs["donor"])
    message = refuse(cells, "celltype", donor="site")
    assert "has cells of one donor only" in message
    assert message.count("B") == 1
    # Without folds donors do not matter.
    assert select_panel(cells, "celltype", donor="site", cv=None).judgement is None


@pytest.mark.parametrize(
    ("genes", "message"),
    [
        (["gene 0", "gene 99"], "lacks 1 gene of 2: gene 99. Did you mean"),
        ([], "at least one gene"),
        ("gene 0", "must be a list of names; got the text 'gene 0'"),
        (["gene 0", "gene 1", "gene 0"], "named more than once: gene 0"),
    ],
)
def test_genes_that_are_not_there(cells, genes, message):
    with pytest.raises(ValueError, match=message):
        evaluate_panel(cells, genes, "celltype")
    with pytest.raises(ValueError, match=message):
        plot_panel(genes, cells, "celltype")


def test_estimators_that_do_not_fit(cells):
    from sklearn.feature_selection import SelectKBest
    from sklearn.linear_model import Ridge, SGDClassifier

    with pytest.raises(ValueError, match="does not classify"):
        select_panel(cells, "celltype", estimator=SelectKBest())
    with pytest.raises(ValueError, match="Set them on the estimator"):
        select_panel(cells, "celltype", n_genes=3, estimator=SGDClassifier())
    with pytest.raises(ValueError, match="classifier must be a classifier"):
        evaluate_panel(cells, ["gene 0"], "celltype", classifier=Ridge())
    with pytest.raises(ValueError, match="n_genes must be a whole number of at least one"):
        select_panel(cells, "celltype", n_genes=0)


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_import_does_not_load_anndata():
    code = "import sys; from fewest.single_cell import select_panel, plot_panel\n"
    done = run(code + "print({'anndata', 'matplotlib', 'scanpy'} & set(sys.modules))")
    assert done.stdout == "set()\n", done.stderr


def test_without_anndata():
    code = (
        "import sys\nsys.modules['anndata'] = None\n"
        "from fewest.single_cell import evaluate_panel, select_panel\n"
        "for call in (lambda: select_panel(1, 'x'), lambda: evaluate_panel(1, ['g'], 'x')):\n"
        "    try:\n"
        "        call()\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = run(code)
    assert done.stdout.count('need anndata, which is not installed: pip install "fewest[') == 2
