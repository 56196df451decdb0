"""What the command makes of the reader: notes, refusals, and the option that would help."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest
from scipy import sparse

from fewest.cli._options import DUPLICATES, MISSING
from fewest.tables._missing import TREATMENTS
from fewest.tables._repeated import WAYS
from tests.tables.samples import NAMES, two_classes, write_csv


@pytest.fixture
def frame():
    X, y = two_classes()
    return pandas.DataFrame(X, columns=NAMES).assign(group=y)


def test_missing_file(refused, tmp_path):
    message = refused(tmp_path / "nothing.csv", "--target", "group")
    assert "does not exist" in message
    assert "See --" not in message


def test_without_pandas(refused, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert 'needs pandas: pip install "fewest[cli]"' in refused(table, "--target", "group")


def test_target_not_given(refused, table):
    message = refused(table)
    assert "the last one is: group. See --target COLUMN." in message


def test_target_not_in_npz(refused, tmp_path):
    np.savez(tmp_path / "table.npz", X=np.eye(2), labels=[0, 1])
    message = refused(tmp_path / "table.npz")
    assert "holds the classes (target).\nThe arrays are: X, labels. See --target COLUMN." in message


def test_drop_of_the_target(refused, table):
    message = refused(table, "--target", "group", "--drop", "group")
    assert "would leave out the class column itself. See --drop COLUMN." in message


@pytest.mark.parametrize(
    ("value", "message"),
    [(np.inf, "1 infinite value"), ("?", "(drop 'gene_3')")],
)
def test_cells_that_are_no_numbers(refused, tmp_path, frame, value, message):
    frame["gene_3"] = [value, *frame["gene_3"][1:]]
    frame.to_csv(tmp_path / "table.csv", index=False)
    shown = refused(tmp_path / "table.csv", "--target", "group")
    assert message in shown
    assert shown.endswith("See --drop COLUMN.\n")


def test_no_features(refused, tmp_path, frame):
    frame[["group"]].to_csv(tmp_path / "table.csv", index=False)
    message = refused(tmp_path / "table.csv", "--target", "group")
    assert "what is left out. See --drop COLUMN." in message


def test_constant_features(run, tmp_path):
    path = write_csv(tmp_path / "flat.csv", np.ones((4, 2)), np.array(list("abab")), ["u", "v"])
    ran = run("select", path, "--target", "group")
    assert ran.code == 2
    assert "are constant" in ran.err


def test_column_without_a_name_is_left_out_and_noted(run, tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    frame.to_csv(tmp_path / "index.csv")
    ran = run("select", tmp_path / "index.csv", "--target", "group", "--cv", 0)
    assert "Left out, because it has no name: column 1" in ran.out
    assert "40 samples, 30 features" in ran.out


def test_a_running_number_is_no_feature(run, tmp_path):
    X, y = two_classes()
    order = np.argsort(y, kind="stable")  # sorted by class, it would be the answer
    X, y = X[order], y[order]
    X[:, 0] = np.arange(1, 41)
    path = write_csv(tmp_path / "numbered.csv", X, y, ["patient", *NAMES[1:]])
    ran = run("select", path, "--target", "group", "--cv", 0)
    assert "because it only counts the rows (to keep it, name it in keep): patient." in ran.out
    assert "40 samples, 29 features" in ran.out
    ran = run("select", path, "--target", "group", "--cv", 0, "--keep", "patient")
    assert "40 samples, 30 features" in ran.out


@pytest.mark.usefixtures("without_pandas")
def test_npz_needs_no_pandas(run, tmp_path):
    X, y = two_classes()
    np.savez(tmp_path / "table.npz", X=X, y=y, feature_names=NAMES)
    assert run("select", tmp_path / "table.npz").code == 0


@pytest.fixture
def holes(tmp_path, frame):
    """A file without a value in one cell of gene_3."""
    frame.loc[6, "gene_3"] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    return tmp_path / "holes.csv"


def test_missing_cell_is_refused_with_the_options(refused, holes):
    message = refused(holes, "--target", "group")
    assert "has 1 missing cell in 1 column and 1 row: gene_3 (row 7)" in message
    assert message.endswith(
        "See --missing drop-samples (for gaps in features also drop-features or median).\n"
    )


@pytest.mark.parametrize(
    ("treatment", "shape", "note"),
    [
        ("drop-samples", (39, 30), "Left out for missing cells: 1 of 40 samples."),
        ("drop-features", (40, 29), "Left out for missing cells: 1 feature, gene_3."),
        ("median", (40, 30), "Filled in: 1 missing cell in 1 feature"),
    ],
)
def test_what_was_done_about_missing_cells_is_said(run, holes, treatment, shape, note):
    options = ("--target", "group", "--cv", 0, "--missing", treatment)
    ran = run("select", holes, *options)
    assert f"{shape[0]} samples, {shape[1]} features" in ran.out
    assert note in ran.out
    data = run("select", holes, *options, "--json", "-").json["data"]
    assert (data["n_samples"], data["n_features"]) == shape
    assert (data["missing"]["n_cells"], data["missing"]["treatment"]) == (1, treatment)
    assert any(entry.startswith(note) for entry in data["notes"])


def test_samples_as_columns(run, refused, tmp_path, frame):
    turned = frame.T.reset_index()
    turned.columns = ["gene", *(f"S{sample}" for sample in range(40))]
    turned.to_csv(tmp_path / "turned.csv", index=False)
    message = refused(tmp_path / "turned.csv", "--target", "group")
    assert message.endswith("Then read it transposed. See --transpose.\n")
    options = ("--target", "group", "--json", "-")
    found = run("select", tmp_path / "turned.csv", *options, "--transpose").json
    frame.to_csv(tmp_path / "table.csv", index=False)
    usual = run("select", tmp_path / "table.csv", *options).json
    assert found["answer"]["selected"] == usual["answer"]["selected"]
    assert found["trust"] == usual["trust"]
    assert "Transposed: the rows of the file are the features" in found["data"]["notes"][0]


def test_sheet(run, refused, tmp_path, frame):
    path = tmp_path / "book.xlsx"
    with pandas.ExcelWriter(path) as writer:
        pandas.DataFrame({"remark": ["none"]}).to_excel(writer, sheet_name="About", index=False)
        frame.to_excel(writer, sheet_name="Genes", index=False)
    ran = run("select", path, "--target", "group", "--C", 3, "--cv", 0, "--sheet", "Genes")
    assert "gene_17" in ran.out
    message = refused(path, "--target", "group", "--sheet", "Gene")
    assert message.endswith("Did you mean 'Genes'? See --sheet NAME.\n")


def test_h5ad(run, tmp_path, frame):
    anndata = pytest.importorskip("anndata")
    obs = frame[["group"]].set_index(frame.index.astype(str))
    data = anndata.AnnData(frame[NAMES].to_numpy(), obs=obs, var=pandas.DataFrame(index=NAMES))
    data.write_h5ad(tmp_path / "cells.h5ad")
    ran = run("select", tmp_path / "cells.h5ad", "--target", "group", "--C", 3)
    assert "gene_17" in ran.out


def test_h5ad_layer(run, refused, tmp_path, frame):
    anndata = pytest.importorskip("anndata")
    obs = frame[["group"]].set_index(frame.index.astype(str))
    values = frame[NAMES].to_numpy()
    noise = np.random.default_rng(0).normal(size=values.shape)
    layers, var = {"true": values}, pandas.DataFrame(index=NAMES)
    data = anndata.AnnData(noise, obs=obs, var=var, layers=layers)
    data.write_h5ad(tmp_path / "cells.h5ad")
    options = ("--target", "group", "--C", 3, "--cv", 0)
    assert "gene_17" in run("select", tmp_path / "cells.h5ad", *options, "--layer", "true").out
    message = refused(tmp_path / "cells.h5ad", "--target", "group", "--layer", "tru")
    assert message.endswith("Did you mean 'true'? See --layer NAME.\n")


def test_h5ad_that_stays_sparse(run, tmp_path, frame, monkeypatch):
    """The same result, report included, as with a full table."""
    anndata = pytest.importorskip("anndata")
    obs = frame[["group"]].set_index(frame.index.astype(str))
    values = sparse.csr_matrix(frame[NAMES].to_numpy())
    data = anndata.AnnData(values, obs=obs, var=pandas.DataFrame(index=NAMES))
    data.write_h5ad(tmp_path / "cells.h5ad")
    command = ("select", tmp_path / "cells.h5ad", "--target", "group", "--C", 3, "--json", "-")
    dense = run(*command).json
    monkeypatch.setattr("fewest.tables._matrix._LARGE", 1000)
    kept = run(*command, "--report", tmp_path / "page.html").json
    assert "stays so" in kept["data"]["notes"][0]
    assert kept["answer"]["selected"] == dense["answer"]["selected"]
    for name in ("n_errors", "true", "predicted"):
        assert kept["trust"]["validation"][name] == dense["trust"]["validation"][name]
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_treatments_of_missing_cells_are_those_of_the_reader():
    assert tuple(TREATMENTS) == MISSING
    assert WAYS == DUPLICATES
