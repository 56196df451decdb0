"""`fewest select --model` and `fewest predict`."""

import csv

import numpy as np
import pandas
import pytest

import fewest
from tests.model_files.models import fitted
from tests.tables.samples import NAMES, three_classes, two_classes, write_csv


@pytest.fixture
def model(run, table, tmp_path):
    path = tmp_path / "machine.fewest"
    assert run("select", table, "--target", "group", "--C", 3, "--model", path).code == 0
    return path


@pytest.fixture
def unseen(tmp_path):
    return write_csv(tmp_path / "unseen.csv", *two_classes(seed=1, shift=2.0))


@pytest.fixture
def failed(run):
    """Run `fewest predict` and return its message; nothing else may be printed."""

    def call(*arguments):
        ran = run("predict", *arguments)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.startswith("fewest: error: ")
        assert "Traceback" not in ran.err
        return ran.err

    return call


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--method", "sfm-cv"),
        ("--method", "weston"),
        ("--method", "liknon", "--C", "0.1"),
        ("--method", "psvm"),
    ],
    ids=str,
)
def test_saved_machine_predicts_like_a_fit_in_python(options, run, table, unseen, tmp_path):
    path = tmp_path / "machine.fewest"
    ran = run("select", table, "--target", "group", "--cv", 0, "--model", path, *options)
    assert ran.code == 0
    assert f"Written: {path}" in ran.out
    machine = fewest.load(path)
    assert machine.feature_names_in_.tolist() == NAMES
    X, _ = two_classes(seed=1, shift=2.0)
    frame = pandas.DataFrame(X, columns=NAMES)
    report = run("predict", path, unseen, "--json", "-").json
    assert report["predictions"] == machine.predict(frame).tolist()
    assert report["scores"] == machine.decision_function(frame).tolist()
    assert report["schema"] == "fewest.predictions"
    assert report["model"]["n_used"] == int(machine.support_.sum())


def test_terminal_shows_counts_errors_and_confusion(run, model, unseen):
    ran = run("predict", model, unseen, "--target", "group")
    assert ran.code == 0
    report = run("predict", model, unseen, "--target", "group", "--json", "-").json
    _, y = two_classes(seed=1, shift=2.0)
    wrong = int(np.sum(np.array(report["predictions"]) != y))
    assert 0 < wrong < 20
    assert report["errors"]["n_errors"] == wrong
    assert np.sum(report["errors"]["confusion"]) == 40
    assert np.trace(report["errors"]["confusion"]) == 40 - wrong
    assert f"Error     {wrong} of 40 samples" in ran.out
    caveat = "optimistic if the model was trained on these samples"
    assert f"\n          ({caveat})\n" in ran.out
    assert report["errors"]["caveat"] == caveat
    assert "group, predicted as:  healthy  ill" in ran.out
    assert "uses 2 of 30 features" in ran.out
    assert "Ignored" not in ran.out


def test_without_a_target_its_column_is_only_ignored(run, model, unseen):
    ran = run("predict", model, unseen)
    assert "Note: Ignored, because the model does not know it: group." in ran.out
    assert "Error" not in ran.out


def test_table_of_predictions(run, model, unseen, tmp_path):
    path = tmp_path / "predicted.csv"
    ran = run("predict", model, unseen, "--target", "group", "--out", path)
    assert f"Written: {path}" in ran.out
    rows = list(csv.DictReader(path.read_text().splitlines()))
    machine = fewest.load(model)
    X, y = two_classes(seed=1, shift=2.0)
    frame = pandas.DataFrame(X, columns=NAMES)
    assert [row["row"] for row in rows] == [str(number + 1) for number in range(40)]
    assert [row["predicted"] for row in rows] == machine.predict(frame).tolist()
    assert [row["truth"] for row in rows] == y.tolist()
    assert [float(row["score"]) for row in rows] == machine.decision_function(frame).tolist()


def test_quiet_prints_predictions_only(run, model, unseen):
    lines = run("predict", model, unseen, "--quiet").out.splitlines()
    assert len(lines) == 40
    assert set(lines) == {"healthy", "ill"}


def test_features_are_found_by_name_in_any_order(run, model, unseen, tmp_path):
    """Only the selected ones have to be there; a text column is no obstacle."""
    expected = run("predict", model, unseen, "--quiet").out
    frame = pandas.read_csv(unseen)
    frame = frame[["group", "gene_17", "gene_4"]].assign(patient="p", gene_5="not measured")
    frame.to_csv(tmp_path / "few.csv", index=False)
    ran = run("predict", model, tmp_path / "few.csv", "--quiet")
    assert ran.out == expected
    frame.to_parquet(tmp_path / "few.parquet")
    assert run("predict", model, tmp_path / "few.parquet", "--quiet").out == expected


def test_workbooks_with_the_samples_as_columns(run, model, unseen, tmp_path):
    expected = run("predict", model, unseen, "--target", "group", "--json", "-").json
    frame = pandas.read_csv(unseen)
    turned = frame.T.reset_index()
    turned.columns = ["name", *(f"sample {row}" for row in range(len(frame)))]
    for sheet in ("other", "March"):
        turned.to_excel(tmp_path / "new.xlsx", sheet_name=sheet, index=False)
    options = ("--transpose", "--sheet", "March", "--target", "group", "--json", "-")
    report = run("predict", model, tmp_path / "new.xlsx", *options).json
    assert report["predictions"] == expected["predictions"]
    assert report["errors"] == expected["errors"]
    assert any("Transposed" in note for note in report["notes"])
    turned.to_csv(tmp_path / "new.csv", index=False)
    ran = run("predict", model, tmp_path / "new.csv", "--transpose", "--json", "-")
    assert ran.json["predictions"] == expected["predictions"]


def test_annotated_data(run, failed, model, unseen, tmp_path):
    anndata = pytest.importorskip("anndata")
    frame = pandas.read_csv(unseen)
    expected = run("predict", model, unseen, "--target", "group", "--json", "-").json
    data = anndata.AnnData(
        frame[NAMES].to_numpy(),
        obs=pandas.DataFrame({"group": frame["group"].to_numpy()}, index=frame.index.astype(str)),
        var=pandas.DataFrame(index=NAMES),
    )
    data.write_h5ad(tmp_path / "new.h5ad")
    report = run("predict", model, tmp_path / "new.h5ad", "--target", "group", "--json", "-").json
    assert report["predictions"] == expected["predictions"]
    assert report["errors"] == expected["errors"]
    assert run("predict", model, tmp_path / "new.h5ad", "--quiet").code == 0
    message = failed(model, tmp_path / "new.h5ad", "--target", "grup")
    assert "obs of" in message
    assert "has no column 'grup'" in message


def test_missing_cells_cannot_be_predicted(failed, model, unseen, tmp_path):
    frame = pandas.read_csv(unseen)
    frame.loc[2, "gene_17"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    message = failed(model, tmp_path / "gaps.csv")
    assert "has 1 missing cell in 1 column and 1 row: gene_17 (row 3)" in message
    assert "Fill them in, leave out these samples, or take medians." in message
    assert message.endswith("See --missing drop-samples or median.\n")


def test_missing_features_are_named(failed, model, unseen, tmp_path):
    pandas.read_csv(unseen).drop(columns="gene_17").to_csv(tmp_path / "few.csv", index=False)
    message = failed(model, tmp_path / "few.csv")
    assert "lacks 1 feature that the model needs: gene_17." in message
    assert "Add the columns, or check their names." in message


def test_archives_of_arrays(run, failed, model, tmp_path, unseen):
    X, y = two_classes(seed=1, shift=2.0)
    path = tmp_path / "unseen.npz"
    np.savez(path, X=X, feature_names=NAMES, diagnosis=y)
    assert (
        run("predict", model, path, "--quiet").out == run("predict", model, unseen, "--quiet").out
    )
    report = run("predict", model, path, "--target", "diagnosis", "--json", "-").json
    assert report["truth"] == y.tolist()
    assert "has no array 'y'" in failed(model, path, "--target", "y")
    np.savez(path, Z=X)
    assert "has no array 'X'" in failed(model, path)


def test_three_classes(run, tmp_path):
    table = write_csv(tmp_path / "three.csv", *three_classes())
    path, out = tmp_path / "machine.fewest", tmp_path / "out.csv"
    assert run("select", table, "--target", "group", "--cv", 0, "--model", path).code == 0
    ran = run("predict", path, table, "--target", "group", "--out", out)
    assert ran.code == 0
    header = "row,predicted,truth,score 1,score 2,score 3,probability 1,probability 2,probability 3"
    assert out.read_text().startswith(f"{header}\n")


def test_classes_that_the_model_does_not_know(run, model, tmp_path):
    X, y = two_classes(seed=1)
    path = write_csv(tmp_path / "odd.csv", X, np.where(np.arange(40) < 3, "unclear", y))
    ran = run("predict", model, path, "--target", "group")
    assert "The model does not know unclear" in ran.out
    assert "  unclear" in ran.out


def test_numbers_that_are_text_elsewhere(run, tmp_path):
    X, _ = two_classes()
    y = np.arange(40) % 2 + 1
    table = write_csv(tmp_path / "numbers.csv", X, y)
    path = tmp_path / "machine.fewest"
    run("select", table, "--target", "group", "--cv", 0, "--model", path)
    np.savez(tmp_path / "text.npz", X=X, feature_names=NAMES, y=y.astype(str))
    plain = run("predict", path, table, "--target", "group", "--json", "-").json
    text = run("predict", path, tmp_path / "text.npz", "--target", "y", "--json", "-").json
    assert text["errors"]["n_errors"] == plain["errors"]["n_errors"]


def test_models_without_names_count_columns(run, failed, tmp_path):
    X, y = two_classes()
    path = tmp_path / "machine.fewest"
    machine = fewest.SupportFeatureMachine().fit(X, y)
    fewest.save(machine, path)
    table = write_csv(tmp_path / "table.csv", X, y)
    message = failed(
        path,
        write_csv(tmp_path / "more.csv", np.c_[X, X[:, 0]], y, [*NAMES, "age"]),
        "--target",
        "group",
    )
    assert "has 31 features, but the model was fitted to 30" in message
    assert "--drop COLUMN" in message
    ran = run("predict", path, table, "--target", "group", "--quiet")
    assert ran.out.split() == machine.predict(X).tolist()
    assert (
        run(
            "predict", path, tmp_path / "more.csv", "--target", "group", "--drop", "age", "--quiet"
        ).out
        == ran.out
    )


def test_regression(run, failed, tmp_path):
    X = fitted("psvr").support_row_objects_
    names = [f"x{number}" for number in range(X.shape[1])]
    fewest.save(fitted("psvr"), tmp_path / "machine.fewest")
    path = write_csv(tmp_path / "table.csv", X, X[:, 0] ** 2, names)
    ran = run("predict", tmp_path / "machine.fewest", path, "--target", "group")
    assert "Predicted values lie between" in ran.out
    assert "Root-mean-square error" in ran.out
    path = write_csv(tmp_path / "words.csv", X, np.full(len(X), "high"), names)
    message = failed(tmp_path / "machine.fewest", path, "--target", "group")
    assert "predicts numbers, but the column group holds text" in message


def test_values_are_numbers_however_written(run, tmp_path):
    X = fitted("psvr").support_row_objects_
    names = [f"x{number}" for number in range(X.shape[1])]
    fewest.save(fitted("psvr"), tmp_path / "machine.fewest")
    texts = np.array(["01.50", "7", "7.0", "1e1"])[np.arange(len(X)) % 4]
    path = write_csv(tmp_path / "table.csv", X, texts, names)
    call = ("predict", tmp_path / "machine.fewest", path, "--target", "group", "--json", "-")
    assert run(*call).json["truth"] == texts.astype(float).tolist()


def test_ids_that_are_named_are_shown_though_they_repeat(run, model, unseen, tmp_path):
    frame = pandas.read_csv(unseen)
    frame["patient"] = ["01", "1", "1"] + [f"{row:02}" for row in range(3, 40)]
    path, out = tmp_path / "ids.csv", tmp_path / "out.csv"
    frame.to_csv(path, index=False)
    said = run("predict", model, path, "--ids", "patient", "--out", out).out
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["sample"] for row in rows] == frame["patient"].tolist()
    assert "Note: Some ids of 'patient' repeat: 1." in said
    numbered = run("predict", model, path).out
    assert "row 1" in numbered
    assert "Some entries of 'patient' repeat, so samples are numbered instead" in numbered


def test_samples_of_one_name_are_numbered_unless_they_are_named(run, model, unseen, tmp_path):
    frame = pandas.read_csv(unseen)
    names = ["S1", "S1", *(f"S{row}" for row in range(2, 40))]
    frame.T.to_csv(tmp_path / "turned.csv", header=names, index_label="name")
    said = run("predict", model, tmp_path / "turned.csv", "--transpose").out
    assert "Some names of samples repeat: S1. So samples are numbered instead." in said


def test_features_of_the_model_are_not_to_be_left_out(failed, model, unseen, tmp_path):
    frame = pandas.read_csv(unseen).astype({"gene_4": object})
    for cell, reason in [
        ("high", "gene_4 ('high').\nThe model needs numbers there."),
        ("inf", "A logarithm of zero is a usual cause: correct them."),
        ("1e400", "Here and in training, divide by a common factor."),
    ]:
        frame.loc[3, "gene_4"] = cell
        frame.to_csv(tmp_path / "odd.csv", index=False)
        message = failed(model, tmp_path / "odd.csv")
        assert reason in message
        assert "drop" not in message


def test_tampered_files(failed, model, unseen, tmp_path):
    model.write_bytes(model.read_bytes().replace(b'"C": 3.0', b'"C": 4.0'))
    message = failed(model, unseen)
    assert "cannot be loaded" in message
    assert "The file is damaged or was changed" in message
    assert "cannot be loaded: it is not a complete zip archive" in failed(unseen, unseen)
    assert "cannot be read: No such file" in failed(tmp_path / "nowhere", unseen)
    fewest.save(fitted("repetitive"), model)
    assert "selects features, but does not predict" in failed(model, unseen)


def test_results_do_not_replace_what_is_read(failed, refused, model, unseen, table):
    assert "would replace the model" in failed(model, unseen, "--out", model)
    assert "would replace the data" in failed(model, unseen, "--json", unseen)
    assert "name the same file" in failed(model, unseen, "--json", "x", "--out", "x")
    assert "would replace the data" in refused(table, "--target", "group", "--model", table)
    assert "--model" in refused(table, "--target", "group", "--model", "no/such/folder/m")
    assert "--out" in failed(model, unseen, "--out", "no/such/folder/out.csv")


def test_bad_data(failed, model, unseen, tmp_path):
    assert "does not exist" in failed(model, tmp_path / "nowhere.csv")
    assert "no column 'grop'" in failed(model, unseen, "--target", "grop")
    frame = pandas.read_csv(unseen)
    frame.loc[3, "gene_4"] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    assert "1 missing cell" in failed(model, tmp_path / "holes.csv")
    (tmp_path / "sheet.xyz").write_text("a")
    assert "suffix that is not known" in failed(model, tmp_path / "sheet.xyz")
    frame.iloc[:0].to_csv(tmp_path / "empty.csv", index=False)
    assert "has a header but no rows" in failed(model, tmp_path / "empty.csv")
