"""The certified minimum: the time of pair scans, and the results on real data.

`make bench` runs the pair scans on noise. `python -m benchmarks.minimum` (a part of
`make compare`) also searches leukemia, colon and brain_tumor, from $FEWEST_DATA or from
../shared/data beside the repository.
"""

from __future__ import annotations

import argparse
from time import perf_counter, process_time

import numpy as np

from benchmarks.real_data import load
from benchmarks.real_files import find
from benchmarks.speed import noise
from benchmarks.timing import row
from fewest import SupportFeatureMachine, minimum_features
from fewest.minimum import MinimumResult

SECONDS = 300.0
PAIRS = ((72, 7_129, "below 2 s"), (88, 50_989, "below 60 s"))


def pairs_against_the_clock() -> None:
    """Time the pair scans on noise, which has the most pairs to test and none that separates."""
    print("All pairs of features, two threads (wall-clock; processor time in brackets)")
    minimum_features(*noise(20, 50), max_size=2, n_jobs=2)  # compiles
    for n, d, asked in PAIRS:
        X, y = noise(n, d)
        began = process_time()
        result = minimum_features(X, y, max_size=2, n_jobs=2)
        processor = process_time() - began
        step = result.searched[1]
        row(
            f"{n} x {d}: {step.n_tested:,} signed pairs, bit sets included",
            f"{step.seconds:.2f} s",
            asked,
        )
        row("  the whole call, with the upper bound", f"{result.seconds:.2f} s ({processor:.2f})")


def answers(seconds: float) -> None:
    """Print what is certified on the real data, and how long that takes."""
    print("\nSmallest separating sets")
    if not all(find(name) for name in ("leukemia", "colon", "brain_tumor")):
        return
    with np.load(find("leukemia")) as file:
        train = file["split"] == "train"
        names = file["gene_name"]
    X, y = load("leukemia")
    few = report("leukemia, 38 samples", X[train], y[train], seconds, None, "1 (Zyxin)")
    row("  the feature", ", ".join(str(names[subset[0]]) for subset in few.subsets), "Zyxin")
    report("leukemia, 72 samples", X, y, seconds, None, "2; 62 pairs")
    X, y = load("colon")
    report("colon, one set", X, y, seconds, 1, "3, 4 or 5")
    everything = report("colon, all sets", X, y, seconds, None)
    began = perf_counter()
    holds = everything.verify(X, y, search=True)
    row("  proof checked, search repeated", f"{holds}, {perf_counter() - began:.1f} s")
    report("brain_tumor, one set", *load("brain_tumor"), seconds, 1, "at least 3")


def report(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    seconds: float,
    n_solutions: int | None,
    asked: str = "",
) -> MinimumResult:
    own = int(SupportFeatureMachine(C=np.inf).fit(X, y).support_.sum())
    began = process_time()
    result = minimum_features(X, y, max_seconds=seconds, n_solutions=n_solutions, n_jobs=2)
    processor = process_time() - began
    proof = "certified" if result.certified else f"at least {result.lower_bound}"
    row(f"{name} (Support Feature Machine: {own})", f"{result.size}, {proof}", asked)
    found = f"{result.n_found}" + ("" if result.complete else " or more")
    row("  sets of that size", found)
    row("  seconds (processor time)", f"{result.seconds:.1f} ({processor:.1f})")
    for step in result.searched:
        done = "" if step.complete else ", not to the end"
        print(
            f"    size {step.size}: {step.n_sets:,} sets, {step.n_tested:,} bit tests, "
            f"{step.n_survivors:,} passed, {step.n_settled:,} linear programs, "
            f"{step.n_found} separate{done}"
        )
    row("  proofs checked in exact arithmetic", str(result.verify(X, y)), "True")
    return result


def main() -> None:
    pairs_against_the_clock()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of each search")
    arguments = parser.parse_args()
    main()
    answers(arguments.seconds)
