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

import numpy as np
import pandas
import pytest

import fewest
from fewest.tables import InputError, read_samples, read_table
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
