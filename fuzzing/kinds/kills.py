"""Real processes killed at random moments: outputs whole or absent, resumed runs the same."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np

import fewest
from fuzzing.outcome import Failure, require

_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_PATIENCE = 120.0


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"kill {case}")
    data = folder / "table.npz"
    data.write_bytes(_data())
    rng.choice((_kill_select, _kill_resumed))(rng, folder, data)


def _kill_select(rng: random.Random, folder: Path, data: Path) -> None:
    """Files that were there before stay whole, and new ones are whole or absent."""
    old = rng.random() < 0.5
    outputs = {name: folder / name for name in ("result.json", "page.html", "model.fewest")}
    if old:
        for path in outputs.values():
            path.write_text("old")
    command = ["select", str(data), "--C", "1", "--cv", "3"]
    command += ["--json", str(outputs["result.json"]), "--model", str(outputs["model.fewest"])]
    if rng.random() < 0.3:
        command += ["--report", str(outputs["page.html"])]
    # Most of the time goes into imports; files are written in the last moments.
    code = _run_and_kill(rng, command, _moment(rng, _typical_seconds("select")))
    for name, path in outputs.items():
        if path.exists() and not (old and path.read_text(errors="replace") == "old"):
            _require_whole(name, path)
        elif old:
            require(path.exists(), f"{name} was there before and is gone", "lost")
    _require_clear_end(code, folder)
    finished = _run(command)
    require(finished.returncode == 0, f"afterwards: {finished.stderr[-2000:]}", "lost")
    _require_whole("result.json", outputs["result.json"])
    left = sorted(path.name for path in folder.glob(".fewest-*"))
    require(len(left) <= 2, f"left behind: {left}", "lost")


def _kill_resumed(rng: random.Random, folder: Path, data: Path) -> None:
    """A run killed once or several times gives what an undisturbed one gives."""
    kept, output = folder / "kept", folder / "result.json"
    command = ["rank", str(data), "--subsets", "40", "--checkpoint", str(kept)]
    command += ["--json", str(output), "--quiet"]
    for _ in range(rng.choice((1, 1, 2, 3))):
        _require_clear_end(
            _run_and_kill(rng, command, _moment(rng, _typical_seconds("rank"))), folder
        )
        if output.exists():
            _require_whole("result.json", output)
    finished = _run(command)
    require(finished.returncode == 0, f"does not resume: {finished.stderr[-2000:]}", "lost")
    found = _without_clock(json.loads(output.read_text()))
    require(found == _undisturbed(), "the resumed run gives another result", "lost")


def _moment(rng: random.Random, typical: float) -> float:
    """Any moment of the run; late ones, when files are written, are more likely."""
    return typical * (rng.uniform(0.0, 1.1) if rng.random() < 0.4 else rng.uniform(0.6, 1.05))


def _run_and_kill(rng: random.Random, command: list[str], seconds: float) -> int:
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(_line(command), stdout=said, stderr=said)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            chosen = rng.choice(_SIGNALS)
            process.send_signal(chosen)
        try:
            code = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failure(
                "hang", f"{chosen.name} does not end fewest {' '.join(command)}"
            ) from None
        said.seek(0)
        text = said.read().decode(errors="replace")
    # Until its own first line runs, an interrupt is Python's own affair.
    ours = ", in main\n" in text
    require("Traceback" not in text or not ours, f"{chosen.name}: {text[-3000:]}", "traceback")
    return code


def _require_clear_end(code: int, folder: Path) -> None:
    clear = (0, 1, 130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
    require(code in clear, f"exit code {code}", "crash" if code < 0 else "traceback")


def _require_whole(name: str, path: Path) -> None:
    """What a reader of the file would need."""
    try:
        content = path.read_bytes()
        if name.endswith(".json"):
            json.loads(content)
        elif name.endswith(".html"):
            assert content.rstrip().endswith(b"</html>")
        else:
            fewest.load(path)
    except (ValueError, AssertionError) as error:
        raise Failure("lost", f"{name} is not whole: {error}") from error


def _line(command: list[str]) -> list[str]:
    return [sys.executable, "-m", "fewest", *command]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _line(command), capture_output=True, text=True, check=False, timeout=_PATIENCE
    )


@cache
def _data() -> bytes:
    """A table whose repetitive selection takes about a second."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, 3000))
    X[:, :60] += 1.0 * y[:, None]
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        np.savez(file, X=X, y=np.where(y > 0, "ill", "healthy"))
        file.flush()
        return Path(file.name).read_bytes()


@cache
def _typical_seconds(name: str) -> float:
    """How long an undisturbed run takes here and now."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "table.npz"
        data.write_bytes(_data())
        command = {
            "select": ["select", str(data), "--C", "1", "--cv", "3", "--json", f"{folder}/r.json"],
            "rank": ["rank", str(data), "--subsets", "40", "--quiet", "--json", f"{folder}/r.json"],
        }[name]
        started = time.monotonic()
        finished = _run(command)
        assert finished.returncode == 0, finished.stderr
        if name == "rank":
            _KNOWN["rank"] = _without_clock(json.loads((Path(folder) / "r.json").read_text()))
        return time.monotonic() - started


_KNOWN: dict[str, object] = {}


def _undisturbed() -> object:
    _typical_seconds("rank")
    return _KNOWN["rank"]


def _without_clock(result: dict[str, object]) -> object:
    """The result but for times, file names and how the command was written."""
    for name in ("seconds", "question", "data", "created", "line"):
        result.pop(name, None)
    if isinstance(verdict := result.get("verdict"), dict):
        verdict.pop("text")  # it names the file to test
    return result
