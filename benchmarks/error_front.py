"""The proven front of features and training errors on real data, and el0ps beside it.

Run with `python -m benchmarks.error_front`. Leukemia (all 72 samples), colon and brain_tumor come
from $FEWEST_DATA, or from ../shared/data beside the repository. One thread (`--threads`; el0ps has
one), and the same limit of time for each front.

el0ps (Guyard et al. 2024) minimises a squared hinge loss plus lambda |w|_0, with weights up to M in
standardised columns and no intercept, and proves its optimum by branch and bound. That is another
objective: the loss stands in for the number of errors. So its hyperplanes cannot leave fewer errors
than the front says, and its proof is about the loss. It needs an MPI library, for example that of
`pip install mpich`.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from benchmarks.real_data import NAMES, load
from benchmarks.real_files import find
from benchmarks.timing import row
from fewest import ErrorFront, error_front
from fewest._wording import counted

SECONDS = 300.0
LARGEST = 3
# Bound of the weights, and lambdas as shares of the one that selects nothing.
BIG_M, SHARES = 2.0, (0.5, 0.3, 0.2, 0.12, 0.08, 0.05)
PRICES = (0.1, 0.3, 1.0)


def main(
    seconds: float = SECONDS, names: tuple[str, ...] = NAMES, threads: int = 1, verbose: int = 0
) -> None:
    """Print the front of each data set; for leukemia el0ps too."""
    small = np.random.default_rng(0).standard_normal((20, 12))
    error_front(small, np.arange(20) % 2)  # compiles
    limits = f"at most {seconds:g} s, {counted(threads, 'thread')}"
    print(f"Fewest training errors for each number of features; {limits}")
    for name in names:
        if not find(name):
            continue
        X, y = load(name)
        began = perf_counter()
        front = error_front(
            X, y, max_features=LARGEST, max_seconds=seconds, n_jobs=threads, verbose=verbose
        )
        report(f"{name}, {X.shape[0]} x {X.shape[1]}", front, perf_counter() - began)
        row("  proofs checked in exact arithmetic", str(front.verify(X, y)), "True")
        if name == "leukemia":
            compare(X, y, seconds)


def report(name: str, front: ErrorFront, seconds: float) -> None:
    """One line per number of features, then the optimum at some prices."""
    row(name, f"{seconds:.1f} s")
    for point in front.points:
        proof = "proven" if point.proven else f"at least {point.lower_bound}"
        columns = ", ".join(map(str, point.subsets[0])) or "none"
        row(f"  at most {point.size} features, columns {columns}", f"{point.errors}, {proof}")
        row("    seconds", f"{point.seconds:.1f}")
    for C in PRICES:
        best = front.optimum(C)
        proof = "proven" if best.proven else f"at least {best.lower_bound:g}"
        value = f"{best.value:g}, {proof}"
        row(f"  |w|_0 + {C:g} errors: {best.size} features, {best.errors} errors", value)


def compare(X: np.ndarray, y: np.ndarray, seconds: float) -> None:
    """Let el0ps select along lambda, and count the training errors of its hyperplanes."""
    try:
        import mpi4py.MPI  # noqa: F401  (which el0ps needs, and which may find no library)
        from el0ps.datafit import Squaredhinge
        from el0ps.penalty import Bigm
        from el0ps.solver import BnbSolver
        from el0ps.utils import compute_lmbd_max
    except (ImportError, RuntimeError):
        row("  el0ps", "not available", "pip install el0ps mpich")
        return
    A = np.asfortranarray((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0))
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    datafit, penalty = Squaredhinge(signs), Bigm(BIG_M)
    warm = np.random.default_rng(0).standard_normal((20, 12))
    few = Squaredhinge(np.where(np.arange(20) % 2, 1.0, -1.0))
    BnbSolver(time_limit=60).solve(few, Bigm(1.0), warm, 5.0)  # compiles
    largest = compute_lmbd_max(datafit, penalty, A)
    began = perf_counter()
    row("  el0ps: squared hinge, |w| <= 2, no intercept", f"{seconds:g} s in all")
    for share in SHARES:
        left = seconds - (perf_counter() - began)
        if left <= 0:
            row(f"    lambda = {share:g} of the largest", "no time left")
            continue
        solver = BnbSolver(time_limit=left)
        found = solver.solve(datafit, penalty, A, share * largest)
        size = int(np.count_nonzero(found.x))
        errors = int(np.sum(signs * (A @ found.x) <= 0))
        row(
            f"    lambda = {share:g} of the largest: {size} features, {errors} errors, "
            f"{found.status.value}",
            f"{found.solve_time:.1f} s",
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of each front")
    parser.add_argument("--names", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--verbose", type=int, default=0, help="2: say what is known so far")
    arguments = parser.parse_args()
    main(arguments.seconds, tuple(arguments.names), arguments.threads, arguments.verbose)
