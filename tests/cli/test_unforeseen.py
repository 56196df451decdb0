"""What nobody foresaw: a sentence, an exit code, and a traceback only with --debug."""

from __future__ import annotations

import contextlib
import errno
import json
import re
import signal
import time

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest._solvers.linear.master import SolverError
from fewest._solvers.watch import current_watch
from tests.platforms import needs

FAILURES = {
    "memory": (MemoryError("Unable to allocate 9 PiB"), "memory is not enough.*9 PiB.*fewer"),
    "full disk": (OSError(errno.ENOSPC, "No space left", "kept/results.log"), "disk is full.*kept"),
    "stream": (OSError(errno.EIO, "Input/output error"), "Input/output error.*--debug"),
    "nesting": (RecursionError("maximum depth"), "nested too deeply.*maximum depth"),
    "solver": (SolverError("given up"), "equal up to rounding.*lower --C"),
    "fault": (TypeError("no len()"), r"unforeseen.*TypeError: no len\(\).*report it.*--debug"),
}


NOT_FINISHED = "fewest: not finished: the cross-validation. What was found before is above"


def fail_with(monkeypatch, error):
    def fail(*arguments, **keywords):
        raise error

    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", fail)


@pytest.mark.parametrize("kind", FAILURES)
def test_a_sentence_and_an_exit_code(run, table, tmp_path, monkeypatch, kind):
    error, message = FAILURES[kind]
    fail_with(monkeypatch, error)
    ran = run("select", table, "--target", "group", "--json", tmp_path / "out.json")
    assert ran.code == 1
    lost, _, last = ran.err.partition("\n")
    assert lost.startswith(NOT_FINISHED)
    assert last.startswith("fewest: error: ")
    assert "Traceback" not in ran.err
    with_spaces = " ".join(ran.err.split())
    assert re.search(message, with_spaces), with_spaces
    assert json.loads((tmp_path / "out.json").read_text())["answer"]["selected"]


def test_debug_shows_where(run, table, monkeypatch):
    fail_with(monkeypatch, TypeError("no len()"))
    ran = run("select", table, "--target", "group", "--debug")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "run_held_out" in ran.err or "fail" in ran.err


def test_a_solver_that_gives_up_is_a_value_error(monkeypatch):
    def give_up(*arguments, **keywords):
        raise SolverError("given up")

    monkeypatch.setattr("fewest.machines.sfm.minimize_zero_norm", give_up)
    with pytest.raises(ValueError, match="equal up to rounding.*lower C"):
        SupportFeatureMachine().fit(np.eye(6), [0, 1] * 3)


def test_consequences_of_ctrl_c_are_ctrl_c(run, table, monkeypatch):
    # Compiled code turns it into a SystemError, and cleaning up may fail after it.
    def fail(*arguments, **keywords):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", fail)
    ran = run("select", table, "--target", "group")
    assert (ran.code, ran.err) == (130, f"{NOT_FINISHED}.\nfewest: interrupted\n")


def test_a_ctrl_c_that_somebody_swallowed_ends_the_next_round(run, table, monkeypatch):

    def swallow(*arguments, **keywords):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not current_watch().is_over
        raise AssertionError("the interrupt is lost")

    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", swallow)
    ran = run("select", table, "--target", "group")
    assert (ran.code, ran.err) == (130, f"{NOT_FINISHED}.\nfewest: interrupted\n")


@needs("POSIX signals")
@pytest.mark.parametrize("how", ["disguised", "lost"])
def test_a_request_to_end_is_neither_disguised_nor_lost(run, table, monkeypatch, how):
    """Compilers turn SIGTERM into errors of their own, and destructors lose it."""

    class Loses:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    def fail(*arguments, **keywords):
        if how == "disguised":
            try:
                signal.raise_signal(signal.SIGTERM)
            except SystemExit as error:
                raise RuntimeError("no compiled object yet") from error
        Loses()
        time.sleep(60.0)  # ended by the request that is sent again

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    monkeypatch.setattr("fewest._estimators.held_out.run_held_out", fail)
    try:
        with pytest.raises(SystemExit) as ended:
            run("select", table, "--target", "group")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 128 + signal.SIGTERM


def test_a_full_disk_under_a_checkpoint(run, table, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fewest._run.checkpoint.os.fsync", full)
    kept = tmp_path / "kept"
    command = ["rank", table, "--target", "group", "--checkpoint", kept]
    ran = run(*command)
    assert ran.code == 1
    assert "No space left on device" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.undo()
    again = run(*command)  # with room again, the same command goes on
    assert again.code == 0
