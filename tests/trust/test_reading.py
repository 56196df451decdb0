"""Files are read as they are meant, or refused for the true reason, and never in silence."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from decimal import Decimal

import numpy as np
import openpyxl
import pandas
import pytest

import fewest
from fewest.tables import InputError, read_samples, read_table
from fewest.tables._second import read_some
from tests.platforms import needs

START = (
    "import sys\n"
    "from fewest.cli import main\n"
    "import fewest.cli._job\n"
    "{}\n"
    "print('ready', flush=True)\n"
    "sys.exit(main(sys.argv[1:]))\n"
)
PATIENCE = 60.0  # for a loaded computer


@pytest.fixture
def cells():
    """Two classes, one feature that tells them apart, and two of noise."""
    rng = np.random.default_rng(0)
    ill = np.arange(40) % 2 == 0
    table = pandas.DataFrame(rng.standard_normal((40, 3)), columns=["g1", "g2", "g3"])
    table["g1"] += 3 * ill
    table["outcome"] = np.where(ill, "ill", "well")
    return table


def start(*arguments, first=""):
    """The command in a process of its own, its libraries loaded, which listens to Ctrl-C."""
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(first), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == "ready\n"
    return process


def read_processor_time(pid):
    """Seconds of the processor that a process has used so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# Files with the wrong reason, or none


def test_repeated_names_of_an_npz_file_are_refused(tmp_path, run):
    path = tmp_path / "twice.npz"
    np.savez(path, X=np.eye(4), y=[0, 0, 1, 1], feature_names=["a", "a", "b", "c"])
    assert "has 1 column name more than once: a." in run("select", path).says()
    assert len(set(read_table(path, None, duplicates="suffix").feature_names)) == 4


@pytest.mark.parametrize("text", ["x" * 1_000_000 + "\n1\n", "y," + "x" * 1_000_000 + "\na,1\n"])
def test_an_endless_header_is_said_to_be_one(tmp_path, run, text):
    (tmp_path / "long.csv").write_text(text)
    said = run("select", tmp_path / "long.csv", "--target", "y").says()
    assert "a cell of its first lines has more than 131,072 characters" in said
    assert "no header line" not in said


@pytest.mark.parametrize(
    ("byte", "reason"), [(b"\0", "binary data"), (b"x", "more than 131,072 characters")]
)
def test_a_gzip_bomb_is_said_to_be_no_table(tmp_path, run, byte, reason):
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(byte * 2**20)
    said = run("select", tmp_path / "bomb.csv.gz", "--target", "y").says()
    assert reason in said
    assert "no header line" not in said


def test_a_gzip_bomb_of_one_line_takes_little_memory(tmp_path, monkeypatch):
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(b"a,b" * 2**20)
    monkeypatch.setenv("FEWEST_MAX_GB", "0.05")
    with pytest.raises(InputError, match="of memory, and at most"):
        read_table(tmp_path / "bomb.csv.gz", "y")


def test_a_model_file_with_an_unknown_key_is_refused(tmp_path, cells):
    machine = fewest.SupportFeatureMachine().fit(cells[["g1", "g2", "g3"]], cells["outcome"])
    fewest.save(machine, tmp_path / "good.fewest")
    with zipfile.ZipFile(tmp_path / "good.fewest") as good:
        members = {name: good.read(name) for name in good.namelist()}
    [name] = [name for name in members if name.endswith(".json")]
    document = json.loads(members[name])
    members[name] = json.dumps({**document, "threshold": 0.9}).encode()
    with zipfile.ZipFile(tmp_path / "odd.fewest", "w") as odd:
        for one, content in members.items():
            odd.writestr(one, content)
    with pytest.raises(fewest.exceptions.ModelFileError, match="the key 'threshold', which this"):
        fewest.load(tmp_path / "odd.fewest")


# Files that take long


@needs("/proc")
@pytest.mark.parametrize("command", ["select", "predict", "--classes", "--against"])
def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path, cells, command):
    """No one waits for a writer that never comes: the other files are good."""
    good, pipe = tmp_path / "good.csv", tmp_path / "pipe.csv"
    cells.rename_axis("sample").reset_index().to_csv(good, index=False)
    os.mkfifo(pipe)
    machine = fewest.SupportFeatureMachine().fit(cells[["g1", "g2", "g3"]], cells["outcome"])
    fewest.save(machine, tmp_path / "model.fewest")
    more = ("--target", "outcome")
    process = start(
        *{
            "select": ("select", pipe, *more),
            "predict": ("predict", tmp_path / "model.fewest", pipe),
            "--classes": ("select", good, "--classes", f"{pipe}:outcome"),
            "--against": ("panel", good, *more, "--features", "g1", "--against", pipe),
        }[command]
    )
    try:
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 2
    assert "pipe.csv is no regular file" in err


@needs("/proc")
def test_a_model_from_a_pipe_is_waited_for_aloud(tmp_path):
    """A pipe may well bring a model; if it does not, the terminal says what is waited for."""
    os.mkfifo(tmp_path / "pipe.fewest")
    soon = "import fewest.cli._waiting as waiting; waiting._NEXT = 1.0"  # as on a terminal
    process = start("predict", tmp_path / "pipe.fewest", tmp_path / "new.csv", first=soon)
    try:
        assert process.stderr.readline().startswith("Reading ")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, err) == (130, "fewest: interrupted\n")


@needs("/proc")
def test_ctrl_c_ends_the_reading_of_a_large_file(tmp_path):
    """A packed file of some hundred kilobytes, which takes many seconds to parse."""
    path = tmp_path / "large.csv.gz"
    block = "".join(f"{'ill' if at % 3 else 'well'},{at % 97}.5,{at % 7}\n" for at in range(50_000))
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("outcome,g1,g2\n")
        for _ in range(100):
            file.write(block)
    process = start("select", path, "--target", "outcome", "--C", 2)
    try:
        time.sleep(1)
        before = read_processor_time(process.pid)
        usage = os.times()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        now = os.times()
    finally:
        process.kill()
        process.wait()
    spent = now.children_user + now.children_system - usage.children_user - usage.children_system
    assert process.returncode == 130
    assert err.endswith("fewest: interrupted\n")
    assert "Traceback" not in err
    assert spent - before < 2


def test_a_file_that_takes_long_is_announced(tmp_path, cells, run, monkeypatch):
    cells.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.setattr("fewest.cli._waiting._NEXT", 0.05)
    monkeypatch.setattr("fewest.cli._waiting._LOOK", 0.02)

    def read_slowly(*arguments, **options):
        time.sleep(0.3)
        return read_table(*arguments, **options)

    monkeypatch.setattr("fewest.cli._reading.read_table", read_slowly)
    more = ("--target", "outcome", "--C", 2, "--cv", 0)
    assert "Reading " in run("select", tmp_path / "data.csv", *more).err
    assert "Reading " not in run("select", tmp_path / "data.csv", *more, "--quiet").err


def test_errors_of_the_reading_thread_are_those_of_the_command(tmp_path, run):
    (tmp_path / "text.csv").write_text("outcome,g1\na,x\nb,1\na,2\nb,3\n")
    before = set(threading.enumerate())
    said = run("select", tmp_path / "text.csv", "--target", "outcome").says()
    assert "text instead of numbers" in said
    assert not set(threading.enumerate()) - before


# Labels


@pytest.fixture
def labelled(tmp_path, cells):
    """Labels as people type them: 'ill', 'ill ' and 'Ill' are one class."""
    cells.loc[[0, 2, 4], "outcome"] = "ill "
    cells.loc[[6, 8], "outcome"] = "Ill"
    path = tmp_path / "labels.csv"
    cells.to_csv(path, index=False)
    return path


def test_blanks_and_case_of_labels_are_never_passed_over(labelled, run):
    out = run("select", labelled, "--target", "outcome", "--C", 2, "--cv", 0).out
    assert "Classes   Ill (2), ill (18), well (20)" in out
    assert "White space at the ends of 'outcome' was taken away: 'ill '." in out
    assert "'Ill', 'ill' of 'outcome' differ in upper and lower case only" in out
    assert "--fold-case" in out


def test_fold_case_makes_one_class_of_several_spellings(labelled, run):
    more = ("--target", "outcome", "--fold-case", "--C", 2, "--cv", 0)
    out = run("select", labelled, *more).out
    assert "Classes   ill (20), well (20)" in out
    assert "'Ill', 'ill' of 'outcome' count as 'ill'." in out


def test_groups_are_tidied_as_classes_are(tmp_path, cells):
    cells["who"] = [f"{'p' if at % 2 else 'P'}{at // 4}{' ' * (at % 3)}" for at in range(40)]
    cells.to_csv(tmp_path / "groups.csv", index=False)
    table = read_table(tmp_path / "groups.csv", "outcome", groups="who", fold_case=True)
    assert len(set(table.groups.tolist())) == 10


def test_a_model_judges_labels_as_it_was_trained(labelled, tmp_path, run):
    more = ("--target", "outcome", "--fold-case", "--C", 2, "--cv", 0)
    run("select", labelled, *more, "--model", tmp_path / "model.fewest")
    call = (labelled, "--target", "outcome")
    found = run("predict", tmp_path / "model.fewest", *call, "--json", "-")
    errors = json.loads(found.out)["errors"]
    assert errors["labels"] == ["ill", "well"]
    assert errors["error"] < 0.2
    strict = ("--target", "outcome", "--only", "ill", "well", "--C", 2, "--cv", 0)
    run("select", labelled, *strict, "--model", tmp_path / "strict.fewest")
    out = run("predict", tmp_path / "strict.fewest", *call).out
    assert "The model does not know Ill: all these samples count as errors." in out


# Labels that look like numbers


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (("2", "1", "01"), ["01", "1", "2"]),
        (("1E1", "10", "2"), ["10", "1E1", "2"]),
        (("001", "002"), ["001", "002"]),
        (("1", "0", "0.0"), ["0", "0.0", "1"]),
        (
            ("9007199254740993.0", "9007199254740992.0"),
            ["9007199254740992.0", "9007199254740993.0"],
        ),
        (("TRUE", "True"), ["TRUE", "True"]),
        (("+1", "-1"), [-1, 1]),
        (("+1", "1"), ["+1", "1"]),
        (("2", "10"), [2, 10]),
        (("1.0", "2.0"), [1.0, 2.0]),
        (("False", "True"), [False, True]),
    ],
    ids=str,
)
@pytest.mark.parametrize("layout", ["rows", "columns", "two files"])
def test_labels_are_those_that_are_written(tmp_path, cells, labels, known, layout):
    """They are numbers only where these look the same."""
    path, how = tmp_path / "data.csv", {}
    texts = [labels[at % len(labels)] for at in range(40)]
    cells["outcome"] = texts
    cells.index = [f"s{at}" for at in range(40)]
    if layout == "rows":
        cells.to_csv(path, index=False)
    elif layout == "columns":
        cells.T.to_csv(path, index_label="name")
        how["transpose"] = True
    else:
        cells.drop(columns="outcome").to_csv(path, index_label="name")
        cells[["outcome"]].to_csv(tmp_path / "classes.csv", index_label="name")
        how["classes"] = tmp_path / "classes.csv"
    table = read_table(path, None if layout == "two files" else "outcome", **how)
    assert np.unique(table.y).tolist() == known
    is_number = not isinstance(known[0], str)
    assert [str(one) for one in table.y.tolist()] == [
        text.removeprefix("+") if is_number else text for text in texts
    ]
    is_repeated = labels == ("+1", "1") or bool({"01", "1E1", "0.0"}.intersection(labels))
    is_said = any("same number is written in different ways" in one for one in table.notes)
    assert is_said == is_repeated


def test_labels_stay_whole_numbers_where_some_are_missing(tmp_path, cells):
    cells["outcome"] = ["1", "2"] * 19 + ["", "2"]
    cells.to_csv(tmp_path / "data.csv", index=False)
    table = read_table(tmp_path / "data.csv", "outcome", missing="drop-samples")
    assert [str(one) for one in np.unique(table.y).tolist()] == ["1", "2"]


@pytest.mark.parametrize("transpose", [False, True])
def test_groups_and_covariates_as_they_are_written(tmp_path, cells, transpose):
    """What has a leading zero is a code; other numbers are measurements, however written."""
    columns = {
        "site": ["1", "01", "2", "3.0"],
        "batch": ["1", "01", "2", "3"],
        "age": ["57", "57.0", "60.50", "48"],
        "share": ["57%", "12 %", "3.5%", "48%"],
    }
    cells = cells.assign(**{name: texts * 10 for name, texts in columns.items()})
    path = tmp_path / "data.csv"
    if transpose:
        cells.T.to_csv(path, index_label="name", header=[f"s{at}" for at in range(40)])
    else:
        cells.to_csv(path, index=False)
    others = ["batch", "age", "share"]
    table = read_table(path, "outcome", groups="site", covariates=others, transpose=transpose)
    assert table.groups[:4].tolist() == columns["site"]
    assert table.covariates["batch"][:4].tolist() == columns["batch"]
    assert table.covariates["age"][:4].tolist() == [57, 57, 60.5, 48]
    assert table.covariates["share"][:4].tolist() == [57, 12, 3.5, 48]


def test_groups_of_a_second_table_as_they_are_written(tmp_path, cells):
    cells["site"] = ["1", "01"] * 20
    cells.to_csv(tmp_path / "second.csv", index=False)
    table, _ = read_some(tmp_path / "second.csv", ["g1"], "outcome", groups_if_there="site")
    assert table.groups.tolist() == cells["site"].tolist()


def test_labels_of_rows_that_are_named_in_another_column(tmp_path, cells):
    cells["outcome"] = ["1", "01"] * 20
    turned = cells.T.set_axis([f"s{at}" for at in range(40)], axis=1)
    turned.insert(0, "symbol", ["TP53", "MYC", "", "class"])
    turned.to_csv(tmp_path / "data.csv", index_label="probe")
    table = read_table(tmp_path / "data.csv", "class", names="symbol", transpose=True)
    assert table.y.tolist() == cells["outcome"].tolist()
    assert table.feature_names == ["TP53", "MYC", "g3"]


def test_measurements_are_refused_as_classes_however_written(tmp_path, cells):
    cells["outcome"] = [f"{57 + at / 4:.2f}" for at in range(40)]
    cells.to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(InputError, match="looks like a number, not like a class"):
        read_table(tmp_path / "data.csv", "outcome")


@pytest.mark.parametrize(
    ("trained", "written", "shown"),
    [
        ("01,1", "01,1", None),
        ("1,2", "1.0,2", "1.0 as 1"),
        ("True,False", "TRUE,FALSE", "FALSE as False"),
        ("1,2", "01,2", "01 as 1"),
    ],
)
def test_the_truth_is_compared_with_the_labels_of_the_model(
    tmp_path, cells, run, trained, written, shown
):
    ill = cells["outcome"] == "ill"
    model, new = tmp_path / "model.fewest", tmp_path / "new.csv"
    cells.assign(outcome=np.where(ill, *trained.split(","))).to_csv(new, index=False)
    run("select", new, "--target", "outcome", "--C", 2, "--cv", 0, "--model", model)
    cells.assign(outcome=np.where(ill, *written.split(","))).to_csv(new, index=False)
    found = json.loads(run("predict", model, new, "--target", "outcome", "--json", "-").out)
    assert found["errors"]["error"] < 0.2
    assert "does not know" not in " ".join(found["notes"])
    if shown is not None:
        assert f"writes differently: {shown}" in " ".join(found["notes"])


def test_two_labels_of_the_truth_never_become_one(tmp_path, cells, run):
    model, new = tmp_path / "model.fewest", tmp_path / "new.csv"
    cells["outcome"] = np.where(cells["outcome"] == "ill", "1", "2")
    cells.to_csv(new, index=False)
    run("select", new, "--target", "outcome", "--C", 2, "--cv", 0, "--model", model)
    cells.loc[[0, 2], "outcome"] = "01"
    cells.to_csv(new, index=False)
    assert "The model does not know 01" in run("predict", model, new, "--target", "outcome").out


# Numbers that are no doubles, and the cell that is to blame


def test_whole_numbers_with_very_many_digits_are_read_where_doubles_hold_them(tmp_path, cells):
    cells["g2"] = [(10 + at // 2) * 10**19 for at in range(40)]
    cells.to_csv(tmp_path / "data.csv", index=False)
    table = read_table(tmp_path / "data.csv", "outcome")
    assert table.X[:, 1].tolist() == cells["g2"].astype(float).tolist()


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (str(10**20 + 1), "which a double cannot hold"),
        ("1e400", "which is beyond the largest number of double precision"),
        ("1" + "0" * 400, "which is beyond the largest number of double precision"),
    ],
)
def test_numbers_beyond_doubles_are_said_to_be(tmp_path, cells, run, cell, reason):
    cells["g2"] = ["7", "8"] * 19 + [cell, "9"]
    cells.to_csv(tmp_path / "data.csv", index=False)
    said = run("select", tmp_path / "data.csv", "--target", "outcome").says()
    assert f"g2 of {tmp_path / 'data.csv'} has {cell[:20]}" in said
    assert reason in said
    assert "thousands" not in said


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("1.5", "1.5 is text there: change its type to a number"),
        (True, "True is a truth value among numbers"),
    ],
    ids=str,
)
def test_the_odd_cell_of_a_workbook_is_cited(tmp_path, cells, cell, reason):
    cells["g2"] = cells["g2"].astype(object)
    cells.loc[7, "g2"] = cell
    cells.to_excel(tmp_path / "data.xlsx", index=False)
    with pytest.raises(InputError, match=f"g2 \\('{cell}'\\)") as caught:
        read_table(tmp_path / "data.xlsx", "outcome")
    assert reason in str(caught.value)


def test_decimal_numbers_of_parquet(tmp_path, cells):
    cells["g2"] = [Decimal(at) / 4 for at in range(39)] + [None]
    cells["dose"] = [Decimal(at // 2) for at in range(40)]
    cells.to_parquet(tmp_path / "data.parquet")
    more = {"covariates": ["dose"], "missing": "median"}
    table = read_table(tmp_path / "data.parquet", "outcome", **more)
    assert table.X[:39, 1].tolist() == [at / 4 for at in range(39)]
    assert table.covariates["dose"].tolist() == [at // 2 for at in range(40)]
    cells["g2"] = [Decimal(2**53 + 1)] * 40
    cells.to_parquet(tmp_path / "data.parquet")
    with pytest.raises(InputError, match="which a double cannot hold"):
        read_table(tmp_path / "data.parquet", "outcome", drop=["dose"])


def test_empty_rows_above_the_names_of_a_sheet(tmp_path, cells):
    cells.to_excel(tmp_path / "data.xlsx", index=False, startrow=2)
    table = read_table(tmp_path / "data.xlsx", "outcome")
    assert table.X[:, 0] == pytest.approx(cells["g1"].to_numpy())
    assert "Left out: 2 empty rows above the names." in table.notes


# Percent


@pytest.mark.parametrize(
    "write",
    ["{:.0f}%", "{:.1f} %", "{:.1f}\u00a0%", " {:.1f}% "],
    ids=["%", " %", "nbsp", "blanks"],
)
def test_percent_is_read_as_numbers(tmp_path, cells, write):
    values = np.linspace(0, 78, 40)
    cells["tumour"] = [write.format(one) for one in values]
    cells.loc[3, "tumour"] = None
    cells.to_csv(tmp_path / "data.csv", index=False)
    table = read_table(tmp_path / "data.csv", "outcome", missing="median")
    assert table.feature_names == ["g1", "g2", "g3", "tumour"]
    known = np.delete(np.arange(40), 3)
    assert table.X[known, 3] == pytest.approx(values[known], abs=0.051)
    assert "Read as numbers of percent, 12 for 12 %: tumour." in table.notes
    assert table.percents == ["tumour"]


def test_percent_with_decimal_commas(tmp_path, cells):
    cells["tumour"] = [f"{at},5 %" for at in range(40)]
    cells.to_csv(tmp_path / "data.csv", index=False, sep=";", decimal=",")
    table = read_table(tmp_path / "data.csv", "outcome")
    assert table.X[:, 3].tolist() == [at + 0.5 for at in range(40)]


@pytest.mark.parametrize("odd", ["1,234%", "12", "n.d. %"])
def test_what_is_no_percent_is_not_guessed_nor_taken_for_an_id(tmp_path, cells, odd):
    cells["tumour"] = [f"{at}%" for at in range(40)]
    cells.loc[5, "tumour"] = odd
    cells.to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(InputError, match="text instead of numbers in 1 feature column: tumour"):
        read_table(tmp_path / "data.csv", "outcome")


@pytest.fixture
def of_percent(tmp_path, cells, run):
    """A model that needs a feature in percent, and one that has the same as a number."""
    ill = cells["outcome"] == "ill"
    share = np.where(ill, 70, 20) + np.arange(40) % 9
    models = {}
    for name, column in (("percent", [f"{one}%" for one in share]), ("number", share / 100)):
        path = tmp_path / f"{name}.csv"
        pandas.DataFrame({"share": column, "outcome": cells["outcome"]}).to_csv(path, index=False)
        models[name] = tmp_path / f"{name}.fewest"
        saved = ("--model", models[name], "--C", 2, "--cv", 0)
        assert run("select", path, "--target", "outcome", *saved).code == 0
    return models


def predict(run, model, path, column):
    pandas.DataFrame({"share": column}).to_csv(path, index=False)
    return run("predict", model, path, "--json", "-")


def test_percent_is_read_in_prediction_as_in_training(of_percent, tmp_path, run):
    new = tmp_path / "new.csv"
    found = predict(run, of_percent["percent"], new, ["71%", "22.5 %"])
    assert json.loads(found.out)["predictions"] == ["ill", "well"]
    plain = predict(run, of_percent["percent"], new, [71, 22.5])
    assert json.loads(plain.out)["predictions"] == ["ill", "well"]
    assert "In training these were written as percent" in " ".join(json.loads(plain.out)["notes"])


def test_percent_where_the_model_knows_numbers_is_refused(of_percent, tmp_path, run):
    refused = predict(run, of_percent["number"], tmp_path / "new.csv", ["71%", "22.5 %"])
    assert "has percent in share, which the model knows as plain numbers" in refused.says()
    known = predict(run, of_percent["number"], tmp_path / "new.csv", [0.71, 0.225])
    assert json.loads(known.out)["predictions"] == ["ill", "well"]


def test_samples_without_a_model_are_not_compared(tmp_path):
    pandas.DataFrame({"share": ["71%", "22.5 %"]}).to_csv(tmp_path / "new.csv", index=False)
    assert read_samples(tmp_path / "new.csv", ["share"]).X.tolist() == [[71], [22.5]]


def write_workbook(path, column, formats):
    """A sheet with a column `share` whose cells are shown in these formats."""
    outcome = ["ill", "well"] * (len(column) // 2)
    pandas.DataFrame({"share": column, "outcome": outcome}).to_excel(path, index=False)
    book = openpyxl.load_workbook(path)
    for row, one in enumerate(formats, start=2):
        book.active.cell(row, 1).number_format = one
    book.save(path)


@pytest.mark.parametrize("code", ["0%", "0.00%", "0.0 %;[Red]-0.0 %"])
def test_cells_that_are_shown_as_percent_are_percent(of_percent, tmp_path, run, code):
    new = tmp_path / "new.xlsx"
    write_workbook(new, [0.07, 0.71, 0.29, 1], [code] * 4)
    table = read_table(new, "outcome")
    assert table.X.tolist() == [[7], [71], [29], [100]]
    assert table.percents == ["share"]
    found = json.loads(run("predict", of_percent["percent"], new, "--json", "-").out)
    assert found["predictions"] == ["well", "ill", "well", "ill"]
    refused = run("predict", of_percent["number"], new).says()
    assert "has percent in share, which the model knows as plain numbers" in refused


@pytest.mark.parametrize("code", ["General", '0"%"', "0.00"])
def test_cells_that_are_not_shown_as_percent_are_numbers(tmp_path, code):
    write_workbook(tmp_path / "new.xlsx", [0.07, 0.71, 0.29, 1], [code] * 4)
    assert read_table(tmp_path / "new.xlsx", "outcome").X.tolist() == [[0.07], [0.71], [0.29], [1]]


def test_a_column_that_is_percent_in_some_cells_only_is_refused(tmp_path):
    write_workbook(tmp_path / "new.xlsx", [0.07, 0.71, 0.29, 1], ["0%", "0%", "General", "0%"])
    with pytest.raises(InputError, match="Write all cells of a column as percent, or none"):
        read_table(tmp_path / "new.xlsx", "outcome")


def test_classes_and_covariates_that_are_shown_as_percent(tmp_path):
    path = tmp_path / "data.xlsx"
    write_workbook(path, [0.25, 0.5, 0.25, 0.5], ["0%"] * 4)
    book = openpyxl.load_workbook(path)
    for row, value in enumerate(["g1", 1.5, 2.5, 4.5, 3.5], start=1):
        book.active.cell(row, 3).value = value
    book.save(path)
    table = read_table(path, "outcome", covariates=["share"])
    assert table.covariates["share"].tolist() == [25, 50, 25, 50]
    with pytest.raises(InputError, match="looks like a number.* such as 0.25, 0.5"):
        read_table(path, "share", drop=["outcome"])
