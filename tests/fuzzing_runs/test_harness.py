"""The harness itself: what it would find if it were there."""

import os
import signal
import time
from itertools import islice
from pathlib import Path

import pytest

from fuzzing import __main__ as command
from fuzzing import worker
from fuzzing.kinds import KINDS, Kind
from fuzzing.outcome import SORTS, Chance, Failure, Outcome
from fuzzing.pool import try_cases
from fuzzing.schedule import count_cases, list_cases
from fuzzing.table import Tally
from tests.platforms import needs


def test_kinds_come_in_proportion_and_in_the_same_order():
    n_cases = count_cases(KINDS, 2.0)
    listed = list(islice(list_cases(KINDS, 7), n_cases))
    assert listed == list(islice(list_cases(KINDS, 7), n_cases))
    for kind in KINDS:
        cases = [case for one, case in listed if one is kind]
        assert len(cases) == 2 * kind.share
        assert cases == list(range(7_000_000, 7_000_000 + len(cases)))


def test_shares_reach_the_aims():
    """What goes with one kill."""
    totals = {}
    for kind in KINDS:
        totals[kind.counts_as] = totals.get(kind.counts_as, 0) + kind.share
    assert totals == {
        "programs": 200,
        "minima": 95,
        "proofs": 40,
        "limits": 3,
        "P-SVMs": 20,
        "files": 200,
        "verdicts": 20,
        "kills": 1,
    }


def fails(sort):
    def check(case, folder):
        raise ERRORS[sort] if sort in ERRORS else Failure(sort, "found")

    return check


ERRORS = {"traceback": KeyError("x"), "memory": MemoryError(), "exit": SystemExit(3)}


@pytest.mark.parametrize(
    ("raised", "sort"),
    [
        ("wrong", "wrong"),
        ("lost", "lost"),
        ("late", "late"),
        ("traceback", "traceback"),
        ("memory", "memory"),
        ("exit", "traceback"),
    ],
)
def test_sorts_of_failures(monkeypatch, tmp_path, raised, sort):
    module = type("Module", (), {"check": staticmethod(fails(raised))})
    monkeypatch.setattr(worker, "import_module", lambda name: module)
    outcome = worker.try_case("programs", 5, tmp_path)
    assert outcome.sort == sort
    assert outcome.command == "python -m fuzzing --only programs --case 5"


def test_what_is_right_is_no_failure(tmp_path):
    assert worker.try_case("programs", 1, tmp_path).sort is None


@needs("POSIX signals")
def test_crashes_and_hangs_cost_one_case_each(monkeypatch, tmp_path):
    """The worker is stopped, or killed, from outside; a new one does the rest."""
    workers = _remember(monkeypatch, stopped={0, 1})
    cases = iter([(HASTY, 1), (HASTY, 2), (HASTY, 3)])
    outcomes = []
    for outcome in try_cases(cases, 1, tmp_path, lambda: False):
        outcomes.append(outcome)
        if outcome.case == 2:
            os.kill(workers[-1].process.pid, signal.SIGKILL)
    assert [outcome.sort for outcome in outcomes] == ["hang", None, "crash"]
    assert len(workers) == 4


@needs("POSIX signals")
def test_a_busy_computer_is_no_hang(monkeypatch, tmp_path):
    """What has no answer in time is tried once more."""
    workers = _remember(monkeypatch, stopped={0})
    (outcome,) = try_cases(iter([(HASTY, 1)]), 1, tmp_path, lambda: False)
    assert outcome.sort is None
    assert len(workers) == 2


HASTY = Kind("programs", "programs", 1, seconds=1.0)


def _remember(monkeypatch, stopped):
    """The workers that are made; some of them never do anything."""
    from fuzzing import pool

    real, workers = pool._Worker, []

    def make(folder):
        worker = real(folder)
        worker._spare = 300.0
        if len(workers) in stopped:
            worker._spare = 0.0
            os.kill(worker.process.pid, signal.SIGSTOP)
        workers.append(worker)
        return worker

    monkeypatch.setattr(pool, "_Worker", make)
    return workers


def test_the_table():
    tally = Tally()
    for outcome in (
        Outcome("programs", 1),
        Outcome("programs", 2, "wrong", "x"),
        Outcome("npz_file", 3, "crash", "x"),
        Outcome("kills", 4),
    ):
        tally.add(outcome)
    assert tally.n_failed == 2
    text = tally.as_text().splitlines()
    assert text[0].split() == ["kind", "cases", *SORTS]
    assert text[1].split() == ["programs", "2", "1", *"0000000"]
    assert text[-1].split() == ["all", "4", "1", "0", "0", "0", "1", "0", "0", "0"]
    assert "| all files | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |" in tally.as_markdown()


@pytest.mark.parametrize(("n_claims", "is_fault"), [(27, False), (28, True)])
def test_statistics_are_failures_where_chance_does_not_explain_them(n_claims, is_fault):
    """Of 200 cases at 5 %, 27 and fewer happen by chance but for one of a million times."""
    tally = Tally()
    for case in range(200):
        often = Chance("false claim", 0.05, case < n_claims)
        tally.add(Outcome("verdicts", case, chances=(often, Chance("miss", 0.1, False))))
    assert [one.what for one in tally.too_often] == ["false claim"] * is_fault
    assert (tally.n_failed, tally.failures["verdicts", "often"]) == (is_fault, is_fault)
    claims = tally.as_text().splitlines()[-2].split()
    assert claims[:5] == ["verdicts:", "false", "claim", "200", str(n_claims)]
    assert claims[5:] == ["at", "most", "27", "0.05"]
    if is_fault:
        said = str(tally.too_often[0])
        assert "28 of 200 cases, at most 27 by chance" in said
        assert "python -m fuzzing --only verdicts --case 0" in said


def test_exit_codes(monkeypatch, tmp_path, capsys):
    table = tmp_path / "table.md"

    def pretend(sort):
        def try_them(cases, jobs, folder, is_over):
            yield from (Outcome(kind.name, case, sort, "found") for kind, case in cases)

        monkeypatch.setattr(command, "try_cases", try_them)
        arguments = ["--seed", "3", "--rounds", "0.01", "--only", "psvm", "--jobs", "1"]
        return command.main([*arguments, "--markdown", str(table)])

    assert pretend(None) == 0
    assert "| psvm | 1 | 0 |" in table.read_text()
    assert pretend("wrong") == 1
    said = capsys.readouterr().out
    assert "seed 3" in said
    assert "wrong: python -m fuzzing --only psvm --case 3000000\nfound" in said
    assert command.main(["--only", "psvm", "--case", "3"]) == 0
    with pytest.raises(SystemExit):
        command.main(["--case", "3"])


def test_time_is_a_limit(tmp_path):
    started = time.monotonic()
    assert not list(try_cases(list_cases(KINDS, 1), 1, Path(tmp_path), lambda: True))
    assert time.monotonic() - started < 60
