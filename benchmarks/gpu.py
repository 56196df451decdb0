"""Permutations of the hard machine on a graphics processor, and what two CPU cores would take.

    PYTHONPATH=src python -m benchmarks.gpu [--quick] [--library torch] [--permutations 1000]

X is random, in single precision, and lies in the memory of the device. All first programs are
certified in double precision. Numbers are printed as they come; one library that fails does not
keep the other from being measured.
"""

from __future__ import annotations

import argparse
import os
import traceback
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.timing import row
from fewest import SupportFeatureMachine
from fewest._solvers.columns import scale_columns
from fewest._solvers.many.advance import chunk_size, solve_together
from fewest._solvers.many.arrays import is_out_of_memory
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.device import DeviceMatrix
from fewest._solvers.many.supply import supply_prices
from fewest.significance import permutation_test

# Single precision without tensor cores, in 10^12 operations per second, as the makers state it.
_PEAKS = {
    "H200": 67.0,
    "H100 PCIe": 51.0,
    "H100": 67.0,
    "A100": 19.5,
    "L40S": 91.6,
    "RTX 4090": 82.6,
}
_SQUARE = 8192  # the size of a product that shows what the device reaches at best
_ON_CPU, _FITTED = 8, 2  # permutations on two cores, and fits one by one


def main(arguments: list[str] | None = None) -> None:
    given = _parser().parse_args(arguments)
    if given.quick:
        given.samples, given.features, given.permutations = 60, 20_000, 40
    print(f"{given.permutations} permutations at {given.samples} x {given.features:,}, float32")
    found = [name for name in given.library.split(",") if _find(name) is not None]
    if not found:
        print(f"None of {given.library} has a graphics processor here.")
        if not given.quick:
            print("Nothing was measured. --quick tries the same path on array_api_strict.")
            return
        found = ["array_api_strict"]
    X, y = _draw(given.samples, given.features, given.seed)
    taken: dict[str, float] = {}
    for name in found:
        try:
            taken[name] = _measure(name, X, y, given)
        except Exception:
            print(f"\n{name} failed:")
            traceback.print_exc()
    if taken and not given.device_only:
        _compare_with_cpu(X, y, given, taken)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--features", type=int, default=1_000_000)
    parser.add_argument("--permutations", type=int, default=1000)
    parser.add_argument("--library", default="torch,cupy", help="some of torch,cupy")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device-only", action="store_true", help="leave out the two CPU cores")
    parser.add_argument("--quick", action="store_true", help="60 x 20,000 and 40 permutations")
    return parser


def _find(name: str) -> Any:
    """The library, if it is installed and has a graphics processor."""
    try:
        module = __import__(name)
        if name == "array_api_strict" or module.cuda.is_available():
            return module
    except Exception as error:  # a library without its driver has errors of its own
        print(f"{name}: {type(error).__name__}: {error}")
    return None


def _draw(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    started = perf_counter()
    rng = np.random.default_rng(seed)
    X = np.empty((n, d), dtype=np.float32)
    for values in X:
        rng.standard_normal(out=values, dtype=np.float32)
    print(f"X drawn in {perf_counter() - started:.1f} s", flush=True)
    return X, np.arange(n) % 2


def _put(name: str, X: np.ndarray) -> Any:
    module = _find(name)
    while True:
        try:
            if name == "torch":
                return module.from_numpy(X).to("cuda")
            return module.asarray(X)
        except Exception as error:
            if not is_out_of_memory(error) or X.shape[1] < 1000:
                raise
            X = np.ascontiguousarray(X[:, : X.shape[1] // 2])
            print(f"  too little memory on the device: {X.shape[1]:,} features instead", flush=True)


def _labels(y: np.ndarray, count: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.where(rng.permutation(y) == 1, 1.0, -1.0) for _ in range(count)]


def _measure(name: str, X: np.ndarray, y: np.ndarray, given: Any) -> float:
    """Seconds of all permutations together; everything else is printed."""
    data = _put(name, X)
    matrix = DeviceMatrix(data)
    print(f"\n{name} on {matrix.arrays.device_name}, {given.threads} threads for the masters")
    started = perf_counter()
    _run(DeviceMatrix(data[:, :5000]), _labels(y, 4, 1), 2)
    matrix.arrays.wait()
    print(f"  compiled and warm after {perf_counter() - started:.1f} s", flush=True)

    labels = _labels(y, given.permutations, given.seed)
    started = perf_counter()
    outcomes, prices, of_moments = _run(matrix, labels, given.threads)
    seconds = perf_counter() - started
    solved = [one for one in outcomes if one is not None]
    row(f"{len(labels)} permutations together, seconds", f"{seconds:.2f}", "below 30")
    row("  means and scales", f"{of_moments:.2f}")
    row("  device: prices, and columns that travel", f"{prices.seconds:.2f}")
    row("  masters and the rest on the host", f"{seconds - of_moments - prices.seconds:.2f}")
    row("  products with X, per permutation", f"{prices.n_products / len(labels):.2f}")
    row("  problems left to single fits", f"{len(outcomes) - len(solved)}", "few")
    row("  largest gap of a first program, in double precision", f"{_largest_gap(solved):.1e}")
    row("  features, mean", f"{np.mean([one.n_features for one in solved]):.1f}")
    _measure_peak(matrix, labels, prices)
    _compare_fits(X[:, : matrix.shape[1]], labels, outcomes)

    started = perf_counter()
    found = permutation_test(
        None,
        data,
        y,
        statistics="features",
        n_permutations=given.permutations,
        random_state=0,
        n_jobs=given.threads,
    )
    row("permutation_test, all of it, seconds", f"{perf_counter() - started:.2f}", "below 30")
    row("  its p-value (the labels mean nothing)", f"{found.features.p_value:.3f}")
    return seconds


def _run(matrix: Any, labels: list[np.ndarray], threads: int) -> tuple[list[Any], Any, float]:
    started = perf_counter()
    columns = scale_columns(matrix)
    of_moments = perf_counter() - started
    with Crew(threads) as crew:
        prices = supply_prices(columns, crew)
        return list(solve_together(prices, labels, crew)), prices, of_moments


def _largest_gap(solved: list[Any]) -> float:
    return max((one.gap for one in solved), default=np.nan)


def _measure_peak(matrix: DeviceMatrix, labels: list[np.ndarray], prices: Any) -> None:
    """How fast one product is, alone and with the best columns found."""
    arrays, n, d = matrix.arrays, *matrix.shape
    together = min(len(labels), chunk_size(prices))
    V = np.array(labels[:together]) / n
    of_device = arrays.put(V.astype(np.float32))
    width = matrix.block_width(max(together, n))

    def multiply() -> None:
        for start in range(0, d, width):
            of_device @ matrix.array[:, start : min(start + width, d)]

    work = 2e-12 * n * d * together
    alone = work / _best_time(arrays, multiply)
    rough = work / _best_time(
        arrays, lambda: prices.find_above(V, np.full(together, 1e9), 100, rough=True)
    )
    exact = work / _best_time(arrays, lambda: prices.find_above(V, np.full(together, 1e9), 100))
    row(f"one product for {together} permutations, 10^12 operations per s", f"{alone:.3g}")
    row("  with the best columns found", f"{rough:.3g}")
    row("  the same in double precision", f"{exact:.3g}")
    size = min(_SQUARE, 64 * n)
    square = arrays.put(np.ones((size, size), dtype=np.float32))
    at_best = 2e-12 * size**3 / _best_time(arrays, lambda: square @ square)
    row(f"  a product of {size:,} x {size:,} reaches", f"{at_best:.3g}")
    row("  share of that", f"{alone / at_best:.0%}")
    name = next((key for key in _PEAKS if key in arrays.device_name), None)
    if name is not None:
        row(f"  share of the peak of {name}, {_PEAKS[name]:g}", f"{alone / _PEAKS[name]:.0%}")


def _best_time(arrays: Any, work: Any, rounds: int = 5) -> float:
    times = []
    for _ in range(rounds + 1):
        arrays.wait()
        started = perf_counter()
        work()
        arrays.wait()
        times.append(perf_counter() - started)
    return min(times[1:])


def _compare_fits(X: np.ndarray, labels: list[np.ndarray], outcomes: list[Any]) -> None:
    """The same permutations by single fits in memory: features, objective and seconds."""
    started, equal = perf_counter(), 0
    known = [(y, one) for y, one in zip(labels, outcomes, strict=True) if one is not None]
    for y, outcome in known[:_FITTED]:
        alone = SupportFeatureMachine(C=np.inf).fit(X, y).result_
        same = np.array_equal(alone.features, outcome.features)
        equal += same and np.isclose(alone.steps[0].objective, outcome.objective, rtol=1e-7)
    seconds = (perf_counter() - started) / max(1, len(known[:_FITTED]))
    row("equal to a single fit on the CPU, features and objective", f"{equal} of {_FITTED}", "all")
    row("  seconds per such fit, all cores", f"{seconds:.1f}")


def _compare_with_cpu(X: np.ndarray, y: np.ndarray, given: Any, taken: dict[str, float]) -> None:
    """Two cores of this computer, with the same code and X in memory."""
    labels = _labels(y, min(_ON_CPU, given.permutations), given.seed)
    _run(np.ascontiguousarray(X[:, :5000]), labels[:2], 2)
    started = perf_counter()
    _run(X, labels, 2)
    each = (perf_counter() - started) / len(labels)
    print(f"\nTwo cores of this computer: {len(labels)} permutations run, the rest extrapolated")
    row("seconds per permutation, together on two cores", f"{each:.3f}")
    for name, seconds in taken.items():
        faster = each * given.permutations / seconds
        row(f"  {name} is faster, times (extrapolated)", f"{faster:.0f}")


if __name__ == "__main__":
    main()
