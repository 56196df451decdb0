"""Fits to files that are larger than memory should be: peak memory, passes, and time per pass.

Each fit runs in a process of its own, so its peak is its own; /proc is read, so this is for Linux.
`--quick` takes small files. Files lie in a temporary folder, one at a time, and are removed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.out_of_core_data import WRITERS, make_labels, write_bed
from benchmarks.timing import row

_COSTS = {"hard": "inf", "soft": "1.0"}


def find_peak() -> float:
    """The largest memory of this process so far, in GB."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def fit_file(path: Path, C: float, *, in_memory: bool) -> dict[str, Any]:
    """One fit, measured; what a pass over the blocks alone takes is measured afterwards."""
    from fewest import SupportFeatureMachine
    from fewest.stores import open_store

    store = open_store(path)
    y = store.read_label("phenotype") if path.suffix == ".bed" else make_labels(len(store))
    X: Any = np.load(path) if in_memory else store
    started = perf_counter()
    machine = SupportFeatureMachine(C=C).fit(X, y)
    seconds, peak, passes = perf_counter() - started, find_peak(), store.n_passes
    first = machine.result_.steps[0]
    return {
        "seconds": seconds,
        "peak": peak,
        "passes": passes,
        "read": 0.0 if in_memory else time_reading(store),
        "support": np.flatnonzero(machine.support_).tolist(),
        "objective": first.objective,
        "gap": machine.result_.gap,
    }


def time_reading(store: Any) -> float:
    """Seconds to read all blocks once, and do nothing with them."""
    source, started = store.source, perf_counter()
    for left, right in zip(source.column_edges[:-1], source.column_edges[1:], strict=True):
        for top, bottom in zip(source.row_edges[:-1], source.row_edges[1:], strict=True):
            source.read(slice(int(top), int(bottom)), slice(int(left), int(right)))
    return perf_counter() - started


def measure(path: Path, C: str, *, in_memory: bool = False) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.out_of_core", "--fit", str(path), "--C", C]
    command += ["--in-memory"] if in_memory else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def show(name: str, found: dict[str, Any]) -> None:
    """Rows about one fit."""
    ratio = found["seconds"] / max(1e-9, found["read"] * max(1.0, found["passes"]))
    row(f"{name}: peak memory, GB", f"{found['peak']:.2f}", "below 1")
    row(f"{name}: time / reading the file once per pass", f"{ratio:.1f}", "at most 4")
    row(f"  {name}: passes over the file", f"{found['passes']:.1f}")
    row(f"  {name}: seconds, and of one reading", f"{found['seconds']:.1f}, {found['read']:.2f}")
    row(f"  {name}: features, largest gap", f"{len(found['support'])}, {found['gap']:.0e}")


def compare_files(folder: Path, n: int, d: int) -> None:
    """The same matrix in three formats, and in memory."""
    memory = {}
    for suffix, write in WRITERS.items():
        path = folder / f"X{suffix}"
        write(path, n, d)
        for name, C in _COSTS.items():
            found = measure(path, C)
            if suffix == ".npy":
                memory[name] = measure(path, C, in_memory=True)
                row(f"  {n:,} x {d:,} in memory, {name}: seconds", f"{memory[name]['seconds']:.1f}")
            show(f"{n:,} x {d:,} {suffix}, {name}", found)
            is_same = found["support"] == memory[name]["support"]
            apart = abs(found["objective"] - memory[name]["objective"])
            row(f"  {suffix}, {name}: same support as in memory", "yes" if is_same else "NO", "yes")
            row(f"  {suffix}, {name}: objectives differ by", f"{apart:.1e}")
        if suffix != ".npy":  # the others are made from it
            remove(path)
    remove(folder / "X.npy")


def compare_genotypes(folder: Path, d: int) -> None:
    """Two bits per value."""
    path = folder / "X.bed"
    write_bed(path, d)
    for name, C in _COSTS.items():
        show(f"517 x {d:,} .bed, {name}", measure(path, C))


def remove(path: Path) -> None:
    """A file, or a folder with all that is in it."""
    if path.is_dir():
        for one in path.iterdir():
            remove(one)
        path.rmdir()
    else:
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100 x 50,000 values")
    parser.add_argument("--folder", help="where the temporary folder is made")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--C", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--in-memory", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        print(json.dumps(fit_file(arguments.fit, arguments.C, in_memory=arguments.in_memory)))
        return
    n, d = (100, 50_000) if arguments.quick else (1_000, 1_000_000)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        compare_files(Path(folder), n, d)
        compare_genotypes(Path(folder), d)


if __name__ == "__main__":
    main()
