"""Many samples: speed, memory and growth of fits to overlapping classes.

`python -m benchmarks.many_samples` measures all parts, `--only growth` one of them. Contestants are
given the same standardised data; the costs at which they select a wanted number of features are
found before the clock starts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.many_samples_around import measure_peak
from benchmarks.many_samples_data import make_overlapping, make_sparse
from benchmarks.real_files import find
from benchmarks.timing import row, side_by_side
from fewest import Liknon, NotSeparableError, SupportFeatureMachine
from fewest._solvers.columns import Columns

ROOT = Path(__file__).resolve().parent.parent
GAP = 1e-7


@dataclass(frozen=True)
class Options:
    """How large, how often, and how long HiGHS may take for one full program (0: not at all)."""

    small: bool = False
    rounds: int = 3
    highs_seconds: float = 120.0

    def size(self, *shape: int) -> tuple[int, ...]:
        """The numbers of samples and features, or much smaller ones."""
        if not self.small:
            return shape
        n, *others = shape
        return (max(400, n // 100), *(max(20, one // 20) for one in others))


def find_cost(count: Callable[[float], int], wanted: int, start: float, *, most: int = 12) -> float:
    """A cost at which `count` is close to the wanted number, by bisection on a logarithmic scale.

    `start` is a cost too small to select anything. Warnings of a fit that selects nothing, or does
    not converge, are left out.
    """
    low, high, C = start, np.inf, 4.0 * start
    best, nearest = C, np.inf
    for _ in range(most):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = count(C)
        distance = abs(found - wanted)
        if distance < nearest:
            best, nearest = C, distance
        if nearest <= 0.1 * wanted:
            break
        low, high = (C, high) if found < wanted else (low, C)
        C = 4.0 * C if np.isinf(high) else float(np.sqrt(low * high))
    return best


def smallest_cost(X: Any, y: np.ndarray) -> float:
    """Below this C no feature is worth its weight: no class sum of a column reaches one."""
    share = np.where(y > 0, 1.0 / np.sum(y > 0), -1.0 / np.sum(y < 0))
    return float(0.5 / (np.abs(share @ X).max() * min(np.sum(y > 0), np.sum(y < 0))))


def make_peer(C: float) -> LinearSVC:
    return LinearSVC(penalty="l1", loss="squared_hinge", dual=False, C=C)


def count_ours(X: Any, y: np.ndarray, C: float) -> int:
    return int(Liknon(C=C).fit(X, y).support_.sum())


def count_theirs(X: Any, y: np.ndarray, C: float) -> int:
    return int(np.count_nonzero(make_peer(C).fit(X, y).coef_))


def solve_full_program(Z: np.ndarray, y: np.ndarray, C: float, seconds: float) -> OptimizeResult:
    """Liknon's program over all samples and columns in HiGHS, w = w+ - w-."""
    n, d = Z.shape
    signed = sparse.csc_array(-y[:, None] * Z)
    return linprog(
        np.concatenate([np.ones(2 * d), [0.0], np.full(n, C)]),
        A_ub=sparse.hstack(
            [signed, -signed, sparse.csc_array(-y[:, None].astype(float)), -sparse.eye_array(n)],
            format="csc",
        ),
        b_ub=np.full(n, -1.0),
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
        method="highs",
        options={"time_limit": seconds},
    )


def against_l1_svm(options: Options) -> None:
    """The same number of features from LinearSVC with a one-norm, on the same data."""
    for shape, numbers in (((20_000, 500), (10, 25)), ((20_000, 2_000), (10, 25, 60))):
        n, d = options.size(*shape)
        X, y = make_overlapping(n, d)
        start = smallest_cost(X, y)
        for wanted in numbers:
            C = find_cost(partial(count_ours, X, y), wanted, start)
            machine = Liknon(C=C)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                peer = make_peer(find_cost(partial(count_theirs, X, y), wanted, start))
                taken = side_by_side(
                    {"fit": partial(machine.fit, X, y), "l1": partial(peer.fit, X, y)},
                    options.rounds,
                )
            row(
                f"Liknon / LinearSVC L1, {n:,} x {d:,}, about {wanted} features",
                f"{taken['fit'] / taken['l1']:.2f}",
                "at most 3",
            )
            row(
                "  features selected by LinearSVC L1 and by us",
                f"{np.count_nonzero(peer.coef_)} and {machine.support_.sum()}",
            )
            report_gap(machine)
            if shape[1] == 500 and options.highs_seconds:
                beside_highs(X, y, machine, options.highs_seconds)


def report_gap(machine: Any) -> None:
    row("  relative duality gap", f"{machine.result_.gap:.1e}", f"below {GAP:.0e}")


def beside_highs(X: np.ndarray, y: np.ndarray, machine: Liknon, seconds: float) -> None:
    started = perf_counter()
    full = solve_full_program(X, y, machine.C, seconds)
    taken = perf_counter() - started
    if full.status != 0:
        row("  the full program in HiGHS did not end within seconds", f"{seconds:.0f}")
        return
    ours = machine.result_.steps[0].objective
    row(
        "  relative difference from the full program's objective in HiGHS",
        f"{abs(ours / full.fun - 1.0):.1e}",
        "below 1e-06",
    )
    row("  the full program in HiGHS (seconds)", f"{taken:.1f}")


@dataclass
class Reading:
    """How many values of X were read: for products with all columns, and for single columns."""

    priced: int = 0
    taken: int = 0


@contextmanager
def count_reading() -> Iterator[Reading]:
    """Count what the solvers read, of X or of some of its samples or columns."""
    seen = Reading()
    price, take, combine = Columns.price, Columns.take, Columns.combine

    def counted_price(self: Columns, v: Any) -> Any:
        seen.priced += self.n_samples * self.n_features
        return price(self, v)

    def counted_take(self: Columns, index: Any) -> Any:
        seen.taken += self.n_samples * len(index)
        return take(self, index)

    def counted_combine(self: Columns, weights: Any) -> Any:
        taken = seen.taken + self.n_samples * np.count_nonzero(weights)
        total = combine(self, weights)
        seen.taken = taken  # it may take columns itself
        return total

    Columns.price, Columns.take = counted_price, counted_take  # type: ignore[method-assign]
    Columns.combine = counted_combine  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Columns.price, Columns.take = price, take  # type: ignore[method-assign]
        Columns.combine = combine  # type: ignore[method-assign]


def passes_over_the_data(options: Options) -> None:
    n, d = options.size(200_000, 200)
    X, y = make_overlapping(n, d, n_informative=15)
    part = slice(0, max(400, n // 10))
    C = find_cost(partial(count_ours, X[part], y[part]), 10, smallest_cost(X[part], y[part]))
    machine = Liknon(C=C * len(y[part]) / n)
    v = np.random.default_rng(1).standard_normal(n)
    with count_reading() as seen:
        machine.fit(X, y)
    taken = side_by_side(
        {"product": lambda: X.T @ v, "fit": partial(machine.fit, X, y)}, options.rounds
    )
    row(f"features selected by Liknon at {n:,} x {d:,}", f"{machine.support_.sum()}")
    row("  of X read for products, in one fit / X", f"{seen.priced / X.size:.1f}")
    row("  of X read as single columns, in one fit / X", f"{seen.taken / X.size:.1f}")
    row(
        f"passes over X in one fit / one pass X.T @ v, {n:,} x {d:,}",
        f"{(seen.priced + seen.taken) / X.size:.1f}",
        "at most 60",
    )
    row(f"Liknon / one X.T @ v, {n:,} x {d:,}", f"{taken['fit'] / taken['product']:.1f}")
    report_gap(machine)


def growth_with_samples(options: Options) -> None:
    """The same distribution and the same cost of a share of errors, with more and more samples."""
    largest, d = options.size(1_000_000, 100)
    sizes = np.rint(np.geomspace(largest / 100, largest, 5)).astype(int)
    X, y = make_overlapping(largest, d, n_informative=15)
    first = slice(0, sizes[0])
    cost = find_cost(partial(count_ours, X[first], y[first]), 10, smallest_cost(X[first], y[first]))
    seconds = []
    for n in sizes:
        machine, taken = Liknon(C=cost * sizes[0] / n), []
        turns = 1 if n == largest else options.rounds
        for _ in range(turns):
            started = perf_counter()
            machine.fit(X[:n], y[:n])
            taken.append(perf_counter() - started)
        seconds.append(median(taken))
        row(
            f"  seconds of Liknon at {n:,} x {d}, {machine.support_.sum()} features",
            f"{seconds[-1]:.2f}",
            "at most 120" if n == 1_000_000 else "",
        )
        report_gap(machine)
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    row(
        f"growth of the time like n to the power of, n from {sizes[0]:,} to {largest:,}",
        f"{exponent:.2f}",
        "at most 1.2",
    )
    row(
        f"Liknon at {largest:,} samples / at {sizes[0]:,}, per sample",
        f"{seconds[-1] / seconds[0] / (largest / sizes[0]):.2f}",
        "at most 2.5",
    )


# The sparse data have as many values as the middle one of the dense data.
_SPARSE_SHAPE, _DENSITY = (12_500, 20_000), 0.01


def soft_machine(options: Options) -> None:
    """The soft Support Feature Machine at C = 1: its own growth, memory, and time on sparse data.

    Seconds are those of the processor: other work of the computer matters less.
    """
    largest, d = options.size(100_000, 50)
    sizes = (largest // 4, largest // 2, largest)
    machine = SupportFeatureMachine(C=1.0)
    X, y = make_overlapping(largest, d)
    data = {"planted": (X, y), "noise": (X, np.random.default_rng(1).integers(0, 2, largest))}
    for name, (X, y) in data.items():
        machine.fit(X[:600], y[:600])
        seconds = {n: take_seconds(machine, X[:n], y[:n], options.rounds) for n in sizes}
        exponent = np.polyfit(np.log(sizes), np.log(list(seconds.values())), 1)[0]
        what = f"soft SFM, {name}, {sizes[0]:,} to {largest:,} x {d}"
        row(f"{what}: time like n to the power of", f"{exponent:.2f}", "at most 1.1")
        row("  the largest: seconds of the processor", f"{seconds[largest]:.2f}")
        for n in (sizes[0], largest):
            share = measure_peak(partial(machine.fit, X[:n], y[:n])) / X[:n].nbytes
            row(f"  peak memory in addition to X at {n:,} / X", f"{share:.2f}", "at most 2")
        report_gap(machine)
    n, width = options.size(*_SPARSE_SHAPE)
    rows, counted = make_sparse(n, width, density=_DENSITY)
    X, y = make_overlapping(rows.nnz // d, d)
    dense = take_seconds(machine, X, y, options.rounds)
    few = rows[:, np.arange(0, width, width // 20)].sum(axis=1)  # zero for most samples: they tie
    for name, labels in {"counts": counted, "few columns": few > np.median(few)}.items():
        ratio = take_seconds(machine, rows, labels, options.rounds) / dense
        what = f"soft SFM, {name}, sparse {n:,} x {width:,} at {_DENSITY:.0%}"
        row(f"{what} / dense {len(y):,} x {d}", f"{ratio:.1f}", "at most 10")
        report_gap(machine)
    rng = np.random.default_rng(1)
    dense = take_seconds(machine, X, rng.integers(0, 2, len(y)), options.rounds)
    started = process_time()
    machine.fit(rows, rng.integers(0, 2, n))
    seconds = process_time() - started
    what = f"soft SFM, noise, sparse {n:,} x {width:,} at {_DENSITY:.0%}"
    row(f"{what} / dense noise {len(y):,} x {d}", f"{seconds / dense:.1f}", "at most 10")
    row("  seconds of the processor, and features", f"{seconds:.0f}, {machine.support_.sum():,}")
    report_gap(machine)


def take_seconds(machine: Any, X: Any, y: np.ndarray, rounds: int) -> float:
    """Median seconds of the processor for a fit, after one to warm up."""
    machine.fit(X, y)
    taken = []
    for _ in range(rounds):
        started = process_time()
        machine.fit(X, y)
        taken.append(process_time() - started)
    return median(taken)


_SPARSE = """
import sys
from time import perf_counter
import numpy as np
from fewest import SupportFeatureMachine
from benchmarks.many_samples_data import count_bytes, make_sparse

def peak():  # getrusage would report the peak of the parent process, if that was larger
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024

n, d = {n}, {d}
SupportFeatureMachine(C=1.0).fit(*make_sparse(300, 100))  # loads all libraries
before = peak()
X, y = make_sparse(n, d)
made = peak()
v = np.random.default_rng(1).standard_normal(n)
started = perf_counter()
for _ in range(3):
    X.T @ v
product = (perf_counter() - started) / 3
started = perf_counter()
machine = SupportFeatureMachine(C={C}).fit(X, y)
seconds = perf_counter() - started
size = count_bytes(X)
print(seconds, product, (peak() - before) / size, (made - before) / size,
      machine.result_.n_features_first, machine.result_.n_features, machine.result_.gap)
"""
# What a slack of one per sample costs in the first program, all together: some twenty features.
_SPARSE_COST = 30.0


def sparse_data(options: Options) -> None:
    """The soft Support Feature Machine on sparse data, in a process of its own."""
    n, d = options.size(100_000, 30_000)
    code = _SPARSE.format(n=n, d=d, C=_SPARSE_COST * np.sqrt(d) / n)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, product, peak, made, first, last, gap = map(float, done.stdout.split())
    what = f"sparse {n:,} x {d:,} at 2 %, soft SFM"
    row(f"{what}: seconds", f"{seconds:.1f}")
    row(f"{what} / one X.T @ v", f"{seconds / product:.0f}")
    row(f"{what}: peak memory with X / X", f"{peak:.2f}", "below 3")
    row("  making X alone, peak memory in units of X", f"{made:.2f}")
    row("  features after the first program and in the end", f"{first:.0f} and {last:.0f}")
    row("  relative duality gap", f"{gap:.1e}", f"below {GAP:.0e}")


def without_a_hyperplane(options: Options) -> None:
    """The hard machine on classes that overlap: how long until it has proven that they do."""
    n, d = options.size(10_000, 1_000)
    X, y = make_overlapping(n, d)

    def fail() -> None:
        try:
            SupportFeatureMachine(C=np.inf).fit(X, y)
        except NotSeparableError as error:
            if "proven" not in str(error):
                raise
            return
        raise AssertionError("these classes cannot be separated")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few = make_peer(find_cost(partial(count_theirs, X, y), 25, smallest_cost(X, y)))
        taken = side_by_side(
            {"fail": fail, "l1": partial(make_peer(1.0).fit, X, y), "few": partial(few.fit, X, y)},
            options.rounds,
        )
    what = f"proof of overlap, {n:,} x {d:,}"
    row(f"{what} / LinearSVC L1, C = 1", f"{taken['fail'] / taken['l1']:.2f}", "at most 10")
    row(f"{what} / LinearSVC L1, 25 features", f"{taken['fail'] / taken['few']:.2f}")


def many_features_at_once(options: Options) -> None:
    """Madelon at a large C: most columns have a weight."""
    path = find("madelon")
    if path is None:
        return
    data = np.load(path)
    X, y = data["X"].astype(float), data["y"]
    if options.small:
        X, y = X[:500, :100], y[:500]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = Liknon(C=1.0)
    peer = make_peer(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        taken = side_by_side(
            {"fit": partial(machine.fit, Z, y), "l1": partial(peer.fit, Z, y)}, rounds=1
        )
    row(f"madelon {len(y):,} x {X.shape[1]}, Liknon at C = 1: seconds", f"{taken['fit']:.1f}")
    row("madelon, Liknon / LinearSVC L1, both at C = 1", f"{taken['fit'] / taken['l1']:.2f}")
    row(
        "  features selected by LinearSVC L1 and by us",
        f"{np.count_nonzero(peer.coef_)} and {machine.support_.sum()}",
    )
    row("  objective", f"{machine.result_.steps[0].objective:.6f}")
    report_gap(machine)


def a_large_cost(options: Options) -> None:
    """A few hundred samples and a large C, beside the full first program in linprog."""
    n, d = (200, 43) if options.small else (595, 129)
    Z, y = make_overlapping(n, d, n_informative=15)
    C = 266.0
    machine = SupportFeatureMachine(C=C)
    cost = C * np.where(y > 0, n / (2 * np.sum(y > 0)), n / (2 * np.sum(y < 0))) / np.sqrt(d)
    full = partial(solve_soft_program, Z, y, cost)
    taken = side_by_side({"fit": partial(machine.fit, Z, y), "full": full}, rounds=1)
    row(
        f"soft SFM, C = 266, {n} x {d} / full first program in linprog",
        f"{taken['fit'] / taken['full']:.2f}",
        "aim: at most 3",
    )
    rhs = machine.result_.rhs
    theirs = solve_soft_program(Z, y, cost, rhs).fun
    ours = machine.result_.steps[0].objective
    row("  relative difference of the two objectives", f"{abs(ours / theirs - 1.0):.1e}")
    report_gap(machine)


def solve_soft_program(
    Z: np.ndarray, y: np.ndarray, cost: np.ndarray, rhs: float = 1.0
) -> OptimizeResult:
    """The machine's first program: no margin, class means one apart, slacks at a cost each."""
    n, d = Z.shape
    difference = Z[y > 0].mean(axis=0) - Z[y < 0].mean(axis=0)
    signed = -y[:, None] * Z
    return linprog(
        np.concatenate([np.ones(2 * d), [0.0], cost]),
        A_ub=np.hstack([signed, -signed, -y[:, None], -np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([difference, -difference, np.zeros(n + 1)])[None],
        b_eq=[rhs],
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
        method="highs",
    )


PARTS: dict[str, Callable[[Options], None]] = {
    "l1": against_l1_svm,
    "passes": passes_over_the_data,
    "growth": growth_with_samples,
    "soft": soft_machine,
    "sparse": sparse_data,
    "hard": without_a_hyperplane,
    "madelon": many_features_at_once,
    "cost": a_large_cost,
}


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_samples", description=__doc__)
    parser.add_argument("--small", action="store_true", help="tiny data, to see that it runs")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part, or several")
    parser.add_argument(
        "--highs-seconds",
        type=float,
        default=120.0,
        help="most seconds for one full program in HiGHS; 0 leaves these out (default: 120)",
    )
    given = parser.parse_args(arguments)
    rounds = 1 if given.small else 3
    options = Options(given.small, rounds, given.highs_seconds)
    print("Many samples of two overlapping classes, from the call of fit to its return")
    for name in given.only or PARTS:
        PARTS[name](options)


if __name__ == "__main__":
    main(sys.argv[1:])
