"""Time of `fewest select --report` beyond `fewest select`, in cross-validations.

The report uses the cross-validation that the command has run already, and must not run it again.
With `--against FOLDER`, the `src` folder of another version of this package, both versions take
turns and the difference is printed, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.timing import row
from fewest.datasets import make_gaussian

SAMPLES, FEATURES = 100, 20_000
METHOD = "sfm-cv"  # a slow fit, so that cross-validation takes most of the command's time
FOLDS = 5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", metavar="FOLDER", help="src folder of another version")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sources = {"this version": str(Path(__file__).resolve().parent.parent / "src")}
    if arguments.against:
        sources["the other version"] = arguments.against
    print(f"Report of --method {METHOD}, {SAMPLES} x {FEATURES}, {FOLDS} folds")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        X, y = make_gaussian(n=SAMPLES, d=FEATURES, k=5, mu=0.7, random_state=0)
        np.savez(data, X=X, y=y)
        seconds = _measure(sources, data, folder, arguments.rounds)
    for name in sources:
        fold_run = seconds[name, "select"] - seconds[name, "no folds"]
        beyond = seconds[name, "report"] - seconds[name, "select"]
        row(f"one cross-validation, seconds, {name}", f"{fold_run:.1f}")
        row(f"report beyond the command, seconds, {name}", f"{beyond:.1f}")
    if arguments.against:
        saved = seconds["the other version", "report"] - seconds["this version", "report"]
        fold_run = seconds["this version", "select"] - seconds["this version", "no folds"]
        row("saved by this version, in cross-validations", f"{saved / fold_run:.2f}", "about 1")


def _measure(
    sources: dict[str, str], data: Path, folder: str, rounds: int
) -> dict[tuple[str, str], float]:
    report = str(Path(folder) / "report.html")
    ways = {
        "no folds": ["--cv", "0"],
        "select": ["--cv", str(FOLDS)],
        "report": ["--cv", str(FOLDS), "--report", report],
    }
    taken: dict[tuple[str, str], list[float]] = {}
    for turn in range(rounds + 1):
        for name, source in sources.items():
            for way, options in ways.items():
                command = ["select", str(data), "--method", METHOD, "--quiet", *options]
                started = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-m", "fewest", *command],
                    env={**os.environ, "PYTHONPATH": source},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                if turn:  # the first one warms up
                    taken.setdefault((name, way), []).append(time.perf_counter() - started)
    return {key: median(values) for key, values in taken.items()}


if __name__ == "__main__":
    main()
