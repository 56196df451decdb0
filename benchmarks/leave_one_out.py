"""Leave-one-out with a hard-margin support vector machine, over sample size and dimension.

As in Klement's thesis (2013): two classes of pure noise (figs. 2.9 and 4.1), and class means that
differ by mu^2 = 1/30 per feature (fig. 4.2). `loo_reliability` predicts the error from one of the
data sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fewest.diagnostics import LooReliability, loo_reliability

SIZES = np.arange(4, 41, 2)
DIMENSIONS = np.round(np.logspace(1, 5, 13)).astype(int)
DISTANCE = 1 / 30
RUNS = 30


@dataclass(frozen=True)
class Grid:
    """Mean errors over the runs, and predictions from the first one; (sizes, dimensions)."""

    error: np.ndarray
    predicted: list[list[LooReliability | None]]

    def predicted_errors(self) -> np.ndarray:
        return np.array(
            [
                [np.nan if one is None else one.predicted_error for one in row]
                for row in self.predicted
            ]
        )


def grids(runs: int = RUNS) -> tuple[Grid, Grid]:
    """Noise, and classes that differ, from the same random numbers."""
    shape = len(SIZES), len(DIMENSIONS)
    errors = np.zeros((2, runs, *shape))
    predicted: list[list[list[LooReliability | None]]] = [[], []]
    y = np.where(np.arange(SIZES[-1]) % 2, 1.0, -1.0)  # equal classes at every even size
    half = np.sqrt(DISTANCE) / 2
    for run in range(runs):
        noise = np.random.default_rng(run).standard_normal((SIZES[-1], DIMENSIONS[-1]))
        for place, (products, sums) in enumerate(_prefixes(noise)):
            d = DIMENSIONS[place]
            moved = (
                products
                + half * (np.outer(y, sums) + np.outer(sums, y))
                + half**2 * d * np.outer(y, y)
            )
            for row, n in enumerate(SIZES):
                for which, kernel in enumerate((products, moved)):
                    errors[which, run, row, place] = loo_error(kernel[:n, :n], y[:n])
        if run == 0:
            for which in (0, 1):
                predicted[which] = _predictions(noise + which * half * y[:, None], y)
    means = errors.mean(axis=1)
    return Grid(means[0], predicted[0]), Grid(means[1], predicted[1])


def loo_error(kernel: np.ndarray, y: np.ndarray) -> float:
    """Share of samples that a machine trained without them misclassifies."""
    n = len(y)
    others = np.array([np.delete(np.arange(n), i) for i in range(n)])
    # If all samples are support vectors, the machine is the solution of linear equations.
    signs = y[others]
    system = np.zeros((n, n, n))
    system[:, :-1, :-1] = (
        signs[:, :, None] * signs[:, None] * kernel[others[:, :, None], others[:, None]]
    )
    system[:, -1, :-1] = system[:, :-1, -1] = signs
    target = np.ones((n, n, 1))
    target[:, -1] = 0.0
    wrong = 0
    try:
        solved = np.linalg.solve(system, target)[:, :, 0]
    except np.linalg.LinAlgError:
        solved = np.full((n, n), -1.0)
    for i in range(n):
        if np.all(solved[i, :-1] >= 0.0):
            score = kernel[i, others[i]] @ (solved[i, :-1] * signs[i]) + solved[i, -1]
        else:
            score = _by_libsvm(kernel, y, others[i], i)
        wrong += y[i] * score <= 0.0
    return wrong / n


def _by_libsvm(kernel: np.ndarray, y: np.ndarray, others: np.ndarray, i: int) -> float:
    machine = SVC(kernel="precomputed", C=1e3, max_iter=20_000)
    machine.fit(kernel[np.ix_(others, others)], y[others])
    return float(machine.decision_function(kernel[None, i, others])[0])


def _prefixes(noise: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Inner products and sums over the first d features, for every d."""
    products, sums, start, found = 0.0, 0.0, 0, []
    for d in DIMENSIONS:
        block = noise[:, start:d]
        products, sums, start = products + block @ block.T, sums + block.sum(axis=1), d
        found.append((products, sums))
    return found


def _predictions(X: np.ndarray, y: np.ndarray) -> list[list[LooReliability | None]]:
    return [
        [loo_reliability(X[:n, :d], y[:n]) if n > 4 else None for d in DIMENSIONS] for n in SIZES
    ]


def report(name: str, grid: Grid, shown: tuple[int, ...]) -> None:
    print(f"{name}: measured (predicted from one data set), {RUNS} runs")
    print("     n | " + "  ".join(f"{f'd = {d}':>13}" for d in DIMENSIONS[::3]))
    ours = grid.predicted_errors()
    for n in shown:
        row = int(np.flatnonzero(n == SIZES)[0])
        cells = [
            f"{a:5.2f} ({b:5.2f})"
            for a, b in zip(grid.error[row, ::3], ours[row, ::3], strict=True)
        ]
        print(f"  {n:>4} | " + "  ".join(f"{cell:>13}" for cell in cells))
    difference = np.abs(grid.error - ours)[:, DIMENSIONS >= 1000]
    print(f"  mean absolute difference where d >= 1000: {np.nanmean(difference):.3f}")


@contextmanager
def quietly() -> Iterator[None]:
    """Skip warnings, and the checks that would take most of the time of small fits."""
    with (
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def main() -> None:
    with quietly():
        noise, apart = grids()
    print("Klement's thesis (2013), figs. 2.9, 4.1 and 4.2")
    report("Pure noise (target: the error tends to 1)", noise, (6, 10, 20, 30, 40))
    print(f"  at n = 20 and d = 100,000: {noise.error[SIZES == 20, -1][0]:.3f}")
    report(
        "mu^2 = 1/30 (target: the error tends to 1 below n = 12, to 0 above)",
        apart,
        (6, 8, 10, 12, 14, 16, 20, 40),
    )
    print("  loo_reliability at d = 100,000 (target: critical n = 12)")
    for row, n in enumerate(SIZES):
        found = apart.predicted[row][-1]
        if found is not None and n <= 20:
            print(
                f"    n = {n:>2}: measured {apart.error[row, -1]:.2f}; "
                f"limit {found.limit_error:.0f}, verdict {found.verdict}, "
                f"critical n {found.critical_n:.1f}"
            )


if __name__ == "__main__":
    main()
