"""Arguments, help and output folders."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module

import pytest

import fewest
from fewest.cli import main
from fewest.cli._parser import build_parser, subcommands
from tests.platforms import needs


@pytest.mark.parametrize("command", [[], *([name] for name in subcommands(build_parser()))])
def test_help_has_examples_and_exit_codes(capsys, command):
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert "130  interrupted" in text


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"fewest {fewest.__version__}\n"


def test_no_command_shows_the_help(run):
    ran = run()
    assert ran.code == 2
    assert "usage: fewest" in ran.err


def test_unknown_command(run):
    ran = run("slect")
    assert ran.code == 2
    assert ran.err.startswith("fewest: error: ")
    assert "See: fewest --help" in ran.err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--C", "0", "must be a number above zero, or inf; not '0'"),
        ("--C", "-1", "must be a number above zero"),
        ("--C", "nan", "must be a number above zero"),
        ("--C", "much", "must be a number above zero"),
        ("--cv", "1", "must be 2 or more, or 0 for none; not '1'"),
        ("--cv", "-5", "must be 2 or more"),
        ("--cv", "five", "must be a whole number, not 'five'"),
        ("--repeats", "0", "must be 1 or more"),
        ("--max-features", "-3", "must be 1 or more, not '-3'"),
        ("--max-features", "3-", "must be a whole number, not '3-'"),
        ("--jobs", "0", "must be 1 or more, or -1"),
        ("--seed", "-1", "must lie between 0 and"),
        ("--constraint", "none", "invalid choice"),
        ("--unknown", "x", "unrecognized arguments"),
    ],
)
def test_bad_values(refused, table, option, value, message):
    assert message in refused(table, "--target", "group", f"{option}={value}")


@pytest.mark.parametrize(
    ("command", "given", "message"),
    [
        ("select", "--permutations 99", "--permutations is for the page.\nAdd --report page.html"),
        ("select", "--report-seconds 3", "--report-seconds is for the page.\nAdd --report"),
        ("rank", "--permutations 3", "--permutations is for the page.\nAdd --report page.html"),
        ("diagnose", "--report-seconds 3", "--report-seconds is for the page.\nAdd --report"),
        ("minimum", "--extra 2", "--extra is for the sets of --all.\nGive both, or neither."),
        (
            "select",
            "--cv 0 --repeats 3",
            "--repeats is for the cross-validation.\nLeave out --cv 0",
        ),
    ],
)
def test_options_that_would_say_nothing(run, table, command, given, message):
    ran = run(command, table, "--target", "group", *given.split())
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_output_folder_that_does_not_exist(refused, table, tmp_path):
    path = tmp_path / "nowhere" / "out.json"
    message = refused(table, "--target", "group", "--json", path)
    assert f"the folder {tmp_path / 'nowhere'} does not exist" in message


def test_output_that_is_a_folder(refused, table, tmp_path):
    assert "is a folder, not a file" in refused(table, "--target", "group", "--json", tmp_path)


@needs("device files")
def test_output_that_is_a_device(refused, table):
    assert "not an ordinary file" in refused(table, "--target", "group", "--json", "/dev/null")
    assert os.path.exists("/dev/null")


def test_output_folder_is_checked_before_the_data(refused, tmp_path):
    message = refused("nothing.csv", "--json", tmp_path / "nowhere" / "out.json")
    assert "--json" in message


def test_output_that_is_the_data(refused, table):
    before = table.read_bytes()
    message = refused(table, "--target", "group", "--json", table)
    assert "would replace the data" in message
    assert table.read_bytes() == before


def test_disk_full_at_the_end(run, table, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fewest._run.files.os.fsync", full)
    ran = run("select", table, "--target", "group", "--cv", 0, "--json", tmp_path / "out.json")
    assert ran.code == 1
    assert "could not be written: No space left on device" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_interrupt(run, table, tmp_path, monkeypatch):
    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", interrupt)
    ran = run("select", table, "--target", "group", "--json", tmp_path / "out.json")
    assert ran.code == 130
    assert ran.err.endswith("fewest: interrupted\n")
    kept = json.loads((tmp_path / "out.json").read_text())  # what was found before
    assert kept["answer"] is not None
    assert [one["part"] for one in kept["left_out"]] == ["validation"]


class _Interrupted:
    """A Ctrl-C comes while the object is destroyed."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_in_a_destructor_is_not_lost(run, table, monkeypatch):
    """Python ignores what a destructor raises; numba's and LLVM's run while they compile."""
    stopped = []

    def work(*arguments, **keywords):
        one = _Interrupted()
        del one
        deadline = time.monotonic() + 2
        try:
            while time.monotonic() < deadline:
                time.sleep(0.01)
        except KeyboardInterrupt:
            stopped.append(time.monotonic() < deadline)
            raise

    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", work)
    ran = run("select", table, "--target", "group")
    assert ran.code == 130
    assert ran.err.endswith("fewest: interrupted\n")
    assert stopped == [True]


class _HalfBuilt:
    def __del__(self):
        raise AttributeError("half-built")


def test_after_an_interrupt_destructors_are_silent(run, table, monkeypatch):
    """Ctrl-C while numba compiles leaves objects of LLVM that cannot be taken down properly."""
    complaints = []

    def work(*arguments, **keywords):
        one = _HalfBuilt()
        one.itself = one
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", work)
    ran = run("select", table, "--target", "group")
    gc.collect()
    assert ran.code == 130
    assert ran.err.endswith("fewest: interrupted\n")
    assert complaints == []
    assert sys.unraisablehook == complaints.append


def test_every_command_has_a_module_that_runs_it():
    for command in subcommands(build_parser()):
        assert callable(import_module(f"fewest.cli.{command}").run)


def test_the_parser_loads_no_library():
    """--help and completion must not wait for numpy and scikit-learn."""
    code = (
        "import sys; from fewest.cli._parser import build_parser; build_parser()\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'joblib', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
