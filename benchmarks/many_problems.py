"""Permutations of the hard machine that advance together, against the same fits one by one.

    python -m benchmarks.many_problems [--quick] [--permutations 999] [--threads 1]

Both sides run in the same process with the same threads, in turns of some permutations each, so a
busy computer is busy for both. All values are compared: features, objectives and errors.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import row
from fewest import SupportFeatureMachine
from fewest.significance._measure import Measure, Measured
from fewest.significance._together import measure_in_parallel

SHAPE = (88, 50_989)
_TURNS = 9  # parts of the permutations, each measured both ways


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--permutations", type=int, default=999)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="40 x 5,000 and 45 permutations")
    given = parser.parse_args(arguments)
    n, d = (40, 5000) if given.quick else SHAPE
    count = 45 if given.quick else given.permutations
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, d)), np.arange(n) % 2
    X[:, :5] += 0.7 * y[:, None]
    labels = [rng.permutation(y) for _ in range(count)]
    print(f"{count} permutations at {n} x {d:,}, {given.threads} thread(s)", flush=True)
    with threadpool_limits(given.threads):
        compare(X, y, labels, ("features",), given.threads, "number of features")
        compare(X, y, labels, ("features", "error"), given.threads, "features, error in 5 folds")


def compare(
    X: np.ndarray,
    y: np.ndarray,
    labels: list[np.ndarray],
    statistics: tuple[str, ...],
    threads: int,
    what: str,
) -> None:
    measure = Measure(SupportFeatureMachine(C=np.inf), X, np.unique(y), statistics, 5, 0, None)
    _together(measure, labels[:2], threads)  # load what is compiled
    seconds = {"alone": 0.0, "together": 0.0}
    found: dict[str, list[Measured]] = {"alone": [], "together": []}
    for turn in range(_TURNS):
        part = labels[turn::_TURNS]
        for name, run in (("alone", _alone), ("together", _together)):
            started = perf_counter()
            found[name] += run(measure, part, threads)
            seconds[name] += perf_counter() - started
    each = {name: 1e3 * value / len(labels) for name, value in seconds.items()}
    row(
        f"one by one / together, {what}",
        f"{seconds['alone'] / seconds['together']:.1f}",
        "at least 4",
    )
    row(
        "  (ms per permutation, one by one and together)",
        "{alone:.1f} {together:.1f}".format(**each),
    )
    equal = sum(map(_are_equal, found["alone"], found["together"]))
    row("  permutations with equal values", f"{equal} of {len(labels)}", "all")


def _alone(measure: Measure, labels: list[np.ndarray], threads: int) -> list[Measured]:
    """What `permutation_test` does for machines that do not advance together."""
    if threads == 1:
        return [measure(one) for one in labels]
    from fewest._estimators.held_out import judge_in_parallel

    return list(judge_in_parallel([(one,) for one in labels], judge=measure, n_jobs=threads))


def _together(measure: Measure, labels: list[np.ndarray], threads: int) -> list[Measured]:
    from fewest._estimators import together

    worth = together._WORTH_COMPILING
    together._WORTH_COMPILING = 0  # parts of a test are smaller than what it decides by
    try:
        return list(measure_in_parallel(measure, [(one,) for one in labels], threads))
    finally:
        together._WORTH_COMPILING = worth


def _are_equal(one: Measured, other: Measured) -> bool:
    objectives = np.isclose(one.objective, other.objective, rtol=1e-7, equal_nan=True)
    pairs = ((one.features, other.features), (one.error, other.error))
    return bool(objectives) and all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


if __name__ == "__main__":
    main()
