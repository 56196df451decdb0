"""`fewest select` on files that are read in blocks."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.cli import _blocks
from tests.stores.test_equal import draw
from tests.stores.writers import WRITERS, as_anndata, write_bed, write_npy


@pytest.fixture
def files(tmp_path):
    """A matrix with a table of classes beside it, in another order where it has ids."""
    X, y = draw()
    kinds = np.where(y > 0, "ill", "well")
    (tmp_path / "order.tsv").write_text("kind\n" + "".join(f"{kind}\n" for kind in kinds))
    lines = [f"s{row},{kind},{row % 6}\n" for row, kind in enumerate(kinds)]
    (tmp_path / "ids.csv").write_text("id,kind,batch\n" + "".join(reversed(lines)))
    return X, kinds


def selected(report):
    return {feature["column"] for feature in report["answer"]["hyperplanes"][0]["features"]}


@pytest.mark.parametrize("kind", ["npy", "h5ad", "h5ad csr", "zarr", "parquet"])
def test_same_selection_and_error_as_in_memory(kind, run, files, tmp_path, monkeypatch):
    X, y = files
    monkeypatch.setenv("FEWEST_BLOCK_MB", "0.005")
    path = WRITERS[kind](tmp_path, X, y)
    target = f"{tmp_path / 'order.tsv'}:kind" if kind == "npy" else "kind"
    settings = ("--C", 1, "--cv", 3, "--blocks", "--json", "-")
    report = run("select", path, "--target", target, *settings).json
    expected = SupportFeatureMachine(C=1.0).fit(X, y)
    assert selected(report) == set(np.flatnonzero(expected.support_))
    assert any("and not kept in memory" in note for note in report["data"]["notes"])
    np.savez(tmp_path / "X.npz", X=X, y=y)
    memory = run("select", tmp_path / "X.npz", *settings[:4], "--json", "-").json
    for key in ("balanced_error", "predicted", "confusion"):
        assert report["trust"]["validation"][key] == memory["trust"]["validation"][key]


@pytest.mark.parametrize("kind", ["npy", "h5ad"])
def test_the_advice_of_the_verdict_can_be_followed(kind, run, files, tmp_path):
    path = WRITERS[kind](tmp_path, *files)
    target = f"{tmp_path / 'order.tsv'}:kind" if kind == "npy" else "kind"
    asked = ("select", path, "--target", target, "--C", 1, "--cv", 3)
    out = run(*asked, "--blocks").out
    assert f"fewest diagnose {path}" not in out  # which would read all of it
    assert "a table of these samples that fits in memory" in out
    if kind == "h5ad":
        assert f"fewest diagnose {path}" in run(*asked).out


def test_classes_by_id(run, files, tmp_path):
    X, y = files
    as_anndata(X, y).write_h5ad(tmp_path / "X.h5ad")
    target = f"{tmp_path / 'ids.csv'}:kind"
    ran = run("select", tmp_path / "X.h5ad", "--blocks", "--target", target, "--C", 1, "--cv", 0)
    assert ran.code == 0, ran.err
    assert "matched by 'id'" in ran.out
    machine = SupportFeatureMachine(C=1.0).fit(X, y)
    assert f"Selected: {machine.support_.sum()} of 120" in ran.out


def test_classes_of_a_second_file_stay_as_they_are_written(run, files, tmp_path):
    X, y = files
    path = write_npy(tmp_path, X, y)
    labels = np.where(np.arange(len(y)) % 3 == 0, "2", np.where(y == "ill", "1", "01"))
    (tmp_path / "codes.tsv").write_text("kind\n" + "\n".join(labels) + "\n")
    ran = run("select", path, "--target", f"{tmp_path / 'codes.tsv'}:kind", "--C", 1, "--cv", 0)
    assert ran.code == 0, ran.err
    assert "Classes   01 (" in ran.out
    assert ", 1 (" in ran.out


def test_some_classes_and_a_second_file(run, files, tmp_path):
    X, y = files
    write_npy(tmp_path, X, y)
    kinds = [f"{kind}{row % 2}" for row, kind in enumerate(y)]
    (tmp_path / "four.tsv").write_text("kind\n" + "\n".join(kinds) + "\n")
    table = ("--classes", f"{tmp_path / 'four.tsv'}:kind", "--cv", 0, "--json", "-")
    report = run("select", tmp_path / "X.npy", *table, "--only", "ill0", "well0").json
    assert report["data"]["n_samples"] == sum(kind.endswith("0") for kind in kinds)
    expected = SupportFeatureMachine().fit(X[::2], y[::2])
    assert selected(report) == set(np.flatnonzero(expected.support_))
    report = run("select", tmp_path / "X.npy", *table, "--one-vs-rest", "ill0").json
    assert [one["label"] for one in report["data"]["classes"]] == ["ill0", "rest"]


def test_groups_and_models(run, files, tmp_path):
    X, y = files
    as_anndata(X, y).write_h5ad(tmp_path / "X.h5ad")
    beside = tmp_path / "ids.csv"
    model, result = tmp_path / "m.fewest", tmp_path / "r.json"
    arguments = ("--target", f"{beside}:kind", "--groups", f"{beside}:batch", "--drop", "g5")
    outputs = ("--model", model, "--json", result)
    ran = run("select", tmp_path / "X.h5ad", "--blocks", *arguments, *outputs)
    assert ran.code == 0, ran.err
    assert model.exists()
    report = json.loads(result.read_text())
    assert report["data"]["n_features"] == 119
    assert report["data"]["n_groups"] == 6


@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_covariates_as_in_memory(kind, run, tmp_path):
    X, y = draw()
    X, y = np.round(X[:, :6], 3), np.where(y > 0, "ill", "well")
    batch, age = np.arange(len(y)) // 3 % 2, np.round(np.linspace(30, 60, len(y)) + X[:, 5], 3)
    if kind == "npy":
        path = write_npy(tmp_path, X, y)
        lines = zip(y, batch, age, strict=True)
        text = "".join(f"{one}\t{two}\t{three}\n" for one, two, three in lines)
        (tmp_path / "known.tsv").write_text(f"kind\tbatch\tage\n{text}")
        given = ("--classes", tmp_path / "known.tsv", "--target", "kind", "--keep", "x1")
    else:
        pandas = pytest.importorskip("pandas")
        path = tmp_path / "X.parquet"
        frame = pandas.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
        frame.assign(kind=y, batch=batch, age=age).to_parquet(path)
        given = ("--blocks", "--target", "kind")
    settings = ("--covariates", "batch,age", "--C", 1, "--cv", 2, "--json", "-")
    report = run("select", path, *given, *settings).json
    assert report["data"]["n_features"] == 6
    np.savez(tmp_path / "all.npz", X=X, y=y, batch=batch, age=age)
    memory = run("select", tmp_path / "all.npz", *settings).json
    assert report["trust"]["confounding"] == memory["trust"]["confounding"]
    assert report["verdict"]["status"] == memory["verdict"]["status"]
    assert "The test of the covariates reads the file many times." in report["data"]["notes"]


def test_people_without_a_phenotype(run, tmp_path):
    rng = np.random.default_rng(0)
    G = rng.integers(0, 3, (30, 50)).astype(float)
    phenotypes = np.where(G[:, 7] > 0, "2", "1").astype(object)
    phenotypes[3], phenotypes[9] = "-9", "0"
    path = write_bed(tmp_path / "a.bed", G, phenotypes)
    ran = run("select", path, "--cv", 0, "--C", "inf")
    assert ran.code == 0, ran.err
    assert "Left out, because they have no class: 2 of 30 samples." in ran.out
    assert "Missing genotypes count as the mean of their variant." in ran.out
    assert "rs7" in ran.out


def test_size_decides(monkeypatch, run, files, tmp_path):
    X, y = files
    path = WRITERS["h5ad"](tmp_path, X, y)
    monkeypatch.setattr(_blocks, "_find_memory", lambda: 3 * path.stat().st_size)
    assert "and not kept in memory" in run("select", path, "--target", "kind", "--cv", 0).out
    monkeypatch.setattr(_blocks, "_find_memory", lambda: 5 * path.stat().st_size)
    assert "and not kept in memory" not in run("select", path, "--target", "kind", "--cv", 0).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--report", "r.html"], "--report needs all of the data in memory"),
        (["--transpose"], "--transpose needs all of the data in memory"),
        (["--missing", "median"], "--missing median needs all"),
        (["--method", "psvm"], "--method psvm needs all"),
        (["--ids", "n"], "--ids needs all"),
        (["--max-features", "1-3"], "--max-features with a range needs all"),
        ([], "say what holds the classes"),
        (["--target", "no.tsv:kind"], "the file no.tsv of 'no.tsv:kind' does not exist"),
        (["--target", "kind"], "has no label 'kind'"),
        (["--target", "short.tsv:kind"], "short.tsv has 1 rows for 48 samples"),
        (["--target", "gap.tsv:kind"], "has no value for 1 sample (4)"),
        (["--target", "order.tsv:kind", "--drop", "x500"], "has no feature 'x500'"),
        (["--target", "order.tsv:kind", "--keep", "x500"], "See --keep COLUMN"),
        (["--target", "order.tsv:kind", "--covariates", "age"], "has no label 'age'"),
        (["--classes", "order.tsv:kind", "--covariates", "age"], "has no column 'age'"),
    ],
    ids=str,
)
def test_errors(arguments, message, refused, files, tmp_path, monkeypatch):
    X, y = files
    write_npy(tmp_path, X, y)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.tsv").write_text("kind\nill\n")
    text = (tmp_path / "order.tsv").read_text()
    (tmp_path / "gap.tsv").write_text("n\t" + text.replace("\n", "\n1\t").removesuffix("1\t"))
    lines = (tmp_path / "gap.tsv").read_text().splitlines()
    lines[4] = "1\t"
    (tmp_path / "gap.tsv").write_text("\n".join(lines) + "\n")
    assert message in refused("X.npy", *arguments)


def test_a_damaged_block_leaves_nothing_behind(refused, files, tmp_path, monkeypatch):
    X, y = files
    X[40, 100] = np.nan
    path = write_npy(tmp_path, X, y)
    monkeypatch.setenv("FEWEST_BLOCK_MB", "0.005")
    outputs = ("--json", tmp_path / "r.json", "--model", tmp_path / "m.fewest", "--quiet")
    before = set(tmp_path.iterdir())
    error = refused(path, "--target", f"{tmp_path / 'order.tsv'}:kind", *outputs)
    assert "X contains NaN" in error
    assert "block 5 of 5" in error
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["rank", "path", "minimum", "diagnose", "informative"])
def test_other_commands_say_so(command, run, files, tmp_path):
    X, y = files
    ran = run(command, write_npy(tmp_path, X, y), "--target", "kind")
    assert ran.code == 2
    assert f"which `fewest select` does; `fewest {command}` needs all" in ran.err
