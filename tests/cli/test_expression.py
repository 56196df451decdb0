"""From an expression table and a table about its samples to features and predictions."""

import csv

import pytest

from tests.tables.expression import IDS, TISSUES, write_expression, write_patients, write_series

pytestmark = pytest.mark.usefixtures("little_work")


@pytest.fixture
def files(tmp_path):
    return write_expression(tmp_path / "expression.tsv"), write_patients(tmp_path / "patients.csv")


@pytest.fixture
def model(run, files, tmp_path):
    expression, patients = files
    path = tmp_path / "machine.fewest"
    options = ("--names", "symbol", "--model", path)
    assert run("select", expression, "--classes", f"{patients}:tissue", *options).code == 0
    return path


def test_one_command_from_two_files_to_a_page(run, files, tmp_path):
    expression, patients = files
    ran = run(
        *("select", expression, "--classes", f"{patients}:tissue", "--names", "symbol"),
        *("--report", tmp_path / "page.html"),
    )
    assert ran.code == 0
    assert "24 samples, 12 features" in ran.out
    assert "Selected: 1 of 12 features" in ran.out
    assert "GENE5" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_one_command_from_a_series_matrix(run, tmp_path):
    series = write_series(tmp_path / "GSE1_series_matrix.txt.gz")
    assert run("select", series, "--target", "tissue", "--quiet").out == "5_at\n"
    ran = run("select", series)
    assert ran.code == 2
    assert ran.err.endswith("  Sex: m 12, f 11\nSee --target COLUMN.\n")


def test_several_columns_in_one_drop(run, files):
    expression, patients = files
    options = ("--target", "tissue", "--drop", "5_at,1?_at", "--quiet")
    ran = run("select", expression, "--classes", patients, *options)
    assert ran.code == 0
    assert "5_at" not in ran.out


def test_predictions_keep_ids_and_say_how_sure_they_are(run, model, files, tmp_path):
    expression, patients = files
    out = tmp_path / "predicted.csv"
    options = ("--names", "symbol", "--classes", f"{patients}:tissue", "--out", out)
    ran = run("predict", model, expression, *options)
    assert ran.code == 0
    assert "GSM100" in ran.out
    assert "Score: above zero liver, below zero kidney" in ran.out
    assert "Probability: of the predicted class" in ran.out
    assert "12 more samples: see --verbose, or --out FILE." in ran.out
    rows = list(csv.DictReader(out.open()))
    assert [row["sample"] for row in rows] == IDS
    assert [row["truth"] for row in rows] == TISSUES.tolist()
    for row in rows:
        shares = [float(row[f"probability {label}"]) for label in ("kidney", "liver")]
        assert sum(shares) == pytest.approx(1.0)
        assert (shares[1] > 0.5) == (row["predicted"] == "liver") == (float(row["score"]) > 0)


def test_new_samples_with_gaps(run, model, files, tmp_path):
    text = files[0].read_text().splitlines()
    cells = text[6].split("\t")
    assert cells[1] == "GENE5"
    cells[4] = ""
    text[6] = "\t".join(cells)
    gaps = tmp_path / "gaps.tsv"
    gaps.write_text("\n".join(text) + "\n")
    layout = ("--transpose", "--names", "symbol")
    ran = run("predict", model, gaps, *layout)
    assert ran.code == 2
    ran = run("predict", model, gaps, *layout, "--missing", "drop-samples", "--json", "-")
    assert ran.json["ids"] == [IDS[0], *IDS[2:]]
    assert "Left out for missing cells: 1 of 24 samples." in ran.json["notes"]
    ran = run("predict", model, gaps, *layout, "--missing", "median", "--json", "-")
    assert ran.json["ids"] == IDS
    assert any(note.startswith("Filled in: 1 missing cell") for note in ran.json["notes"])


def test_swapped_arguments_are_recognised(run, model, files):
    ran = run("predict", files[0], model)
    assert ran.code == 2
    assert f"{model} is the model, and {files[0]} the data: name the model first." in ran.err
    assert "is the model" not in run("predict", files[0], files[0]).err


def test_the_second_file_is_not_replaced(run, files):
    expression, patients = files
    ran = run("select", expression, "--classes", f"{patients}:tissue", "--json", patients)
    assert ran.code == 2
    assert "would replace the classes" in ran.err
