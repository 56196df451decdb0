"""What is found is printed and written before what follows it, and survives any end of that.

Real processes, ended by real signals while they make the page, test covariates, compare methods.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewest
from tests.platforms import needs

pytestmark = needs("POSIX signals")

PATIENCE = 300.0  # seconds on the clock of a busy computer
MOST_AFTER = 2.0  # seconds of the processor
# Sends this process a signal some time after a part of the page, or a stage, has begun.
START = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from fewest.cli import main, select
import fewest.cli._job
from fewest.report import _make
from fewest.report._plan import MOST_SECONDS
from fewest.report._report import Report
number, at, pause = signal.Signals[sys.argv[1]], sys.argv[2], float(sys.argv[3])
for part in MOST_SECONDS:  # what comes before need not take long
    MOST_SECONDS[part] = MOST_SECONDS[part] if part == at else 1.0

def press():
    time.sleep(pause)
    print(f"pressed {time.process_time()}", file=sys.stderr, flush=True)
    os.kill(os.getpid(), number)

def begin(part):
    if part == at:
        threading.Thread(target=press, daemon=True).start()

def watch(owner, name, part=None):
    made = getattr(owner, name)
    def call(*given, **settings):
        begin(given[1] if part is None else part)
        return made(*given, **settings)
    setattr(owner, name, call)

watch(_make._Parts, "find")
watch(select, "_test_covariates", "confounding")
watch(select, "compare_with_others", "comparison")
watch(select, "find_learning_curve", "learning_curve")
drawn = Report.__dict__["html"]
Report.html = property(lambda report: (begin("drawing"), drawn.__get__(report, Report))[1])
sys.exit(main(sys.argv[4:]))
"""


@dataclass(frozen=True)
class Ended:
    """What a process left behind."""

    code: int
    out: str
    err: str
    seconds_after: float  # of the processor, since the signal

    def result(self, folder: Path) -> Any:
        """The result file, which has to be whole and to say what is missing."""
        return json.loads((folder / "r.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Correlated features and labels with errors: 168 x 2,905, and a smaller table with ages."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(7)
    shared = rng.standard_normal((168, 60))
    X = shared @ (rng.normal(size=(60, 2905)) * (rng.random((60, 2905)) < 0.06))
    X += rng.standard_normal(X.shape)
    y = shared[:, :6] @ [1.2, -1.0, 0.8, 0.7, -0.6, 0.5] + 0.8 * rng.standard_normal(168) > 0
    np.savez(folder / "genes.npz", X=X, y=np.where(y ^ (rng.random(168) < 0.06), "ill", "well"))
    rows = ["ill,age," + ",".join(f"g{j}" for j in range(60))]
    rows += [
        f"{int(label)},{age}," + ",".join(f"{value:.4f}" for value in row)
        for label, age, row in zip(y, rng.integers(20, 80, 168), X[:, :60], strict=True)
    ]
    (folder / "ages.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def end_at(folder: Path, number: str, at: str, pause: float, *arguments: Any) -> Ended:
    """Run a command, and end it by a signal so long after a part has begun."""
    before = os.times()
    ran = subprocess.run(
        [sys.executable, "-c", START, number, at, str(pause), *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    pressed = re.search(r"^pressed (\S+)$", ran.stderr, re.MULTILINE)
    assert pressed, ran.stderr
    return Ended(ran.returncode, ran.stdout, ran.stderr, used - float(pressed[1]))


def select(data: Path, *more: str) -> list[Any]:
    given = ["select", data / "ages.csv", "--target", "ill", "--C", "2", "--cv", "3"]
    return [*given, "--json", "r.json", "--model", "m.fewest", *more]


PAGE = ("--report", "page.html", "--permutations", "100000")
CODES = {"SIGINT": (130,), "SIGTERM": (143, -15), "SIGKILL": (-9,)}


def check_select(ended: Ended, folder: Path, missing: str) -> None:
    """Answer, result file and model are there and whole, and say what is missing."""
    assert "Selected: " in ended.out
    assert "Cross-validated error" in ended.out
    found = ended.result(folder)
    assert found["answer"]["selected"]
    assert all(name in ended.out for name in found["answer"]["selected"])
    reasons = {one["part"]: one["reason"] for one in found["left_out"]}
    assert "not finished" in reasons[missing]
    machine = fewest.load(folder / "m.fewest")
    assert machine.support_.sum() == found["answer"]["n_selected"]
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("number", CODES)
def test_a_page_that_is_ended_loses_nothing(tmp_path: Path, data: Path, number: str) -> None:
    ended = end_at(tmp_path, number, "permutation", 0.5, *select(data, *PAGE))
    assert ended.code in CODES[number]
    check_select(ended, tmp_path, "permutation")
    assert not (tmp_path / "page.html").exists()
    if number != "SIGKILL":
        assert "not finished: the permutation test, the page" in ended.err
        assert "r.json" in ended.err


@pytest.mark.parametrize(
    ("stage", "option"),
    [
        ("confounding", ["--covariates", "age"]),
        ("comparison", ["--compare", "l1,t-test"]),
        ("learning_curve", ["--learning-curve"]),
    ],
)
def test_what_follows_may_be_killed(
    tmp_path: Path, data: Path, stage: str, option: list[str]
) -> None:
    ended = end_at(tmp_path, "SIGKILL", stage, 0.0, *select(data, *option))
    check_select(ended, tmp_path, stage)


TABLES = {
    "minimum": (["--max-errors", "40", "--max-seconds", "1"], "r.json"),
    "path": ([], "r.json"),
    "rank": (["--csv", "t.csv", "--subsets", "3"], "t.csv"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", TABLES)
def test_other_commands_lose_nothing(tmp_path: Path, data: Path, command: str) -> None:
    options, file = TABLES[command]
    given = [command, data / "ages.csv", "--target", "ill", *options, "--json", "r.json", *PAGE]
    ended = end_at(tmp_path, "SIGKILL", "permutation", 0.3, *given)
    found = ended.result(tmp_path)
    reasons = {one["part"]: one["reason"] for one in found["left_out"]}
    # The C of a path was chosen from these samples: there is no test of it.
    assert ("not finished" in reasons["permutation"]) == (command != "path")
    assert (tmp_path / file).stat().st_size
    assert "Page " in ended.out
    assert len(ended.out.split("Page ")[0].splitlines()) > 4  # the result stands before the page


@needs("/proc")
@pytest.mark.parametrize(
    "part",
    [
        "front",
        *(
            pytest.param(part, marks=pytest.mark.slow)
            for part in (
                *("alternatives", "costs", "diagnostics", "permutation"),
                *("minimum", "points", "drawing"),
            )
        ),
    ],
)
def test_ctrl_c_ends_each_part_of_a_page(tmp_path: Path, data: Path, part: str) -> None:
    """Within two seconds, also where the search for the front has only begun or is at its end."""
    given = ["select", data / "genes.npz", "--C", "2", "--cv", "3", "--json", "r.json"]
    given += ["--report", "page.html", "--permutations", "3"]
    pause = {"front": 2.0, "points": 0.0, "diagnostics": 0.0}.get(part, 0.2)
    ended = end_at(tmp_path, "SIGINT", part, pause, *given)
    assert ended.code == 130
    assert "Traceback" not in ended.err
    assert ended.seconds_after < MOST_AFTER
    assert ended.result(tmp_path)["answer"]["selected"]
    assert "Selected: " in ended.out
