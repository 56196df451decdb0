"""Leave-one-out with a support vector machine, over sample size and number of features.

As in Klement's thesis (2013): two classes of pure noise (figs. 2.9 and 4.1), class means that
differ by mu^2 = 1/30 per feature (fig. 4.2), and the same with soft margins (fig. 4.3).
`loo_reliability` predicts the error from one of the data sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fewest.diagnostics import LooReliability, loo_reliability
from reproductions.study import Cell, Measured, Published, Study

SIZES = np.arange(4, 41, 2)
DIMENSIONS = np.round(np.logspace(1, 5, 13)).astype(int)
DISTANCE = 1 / 30
RUNS = 30
# Distance of the class means, and softness for samples of norm one.
SCENARIOS = {
    "noise": (0.0, np.inf),
    "classes that differ": (DISTANCE, np.inf),
    "soft, C = 1": (DISTANCE, 1.0),
    "soft, C = 0.1": (DISTANCE, 0.1),
}
_INFINITE = 0.99  # an error above this is one, in the thesis


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
    noise, y = _draw(0)
    found = []
    for distance in (0.0, DISTANCE):
        errors = np.mean([_measure_errors(run, distance, np.inf) for run in range(runs)], axis=0)
        predicted = _predictions(noise + np.sqrt(distance) / 2 * y[:, None], y)
        found.append(Grid(errors, predicted))
    return found[0], found[1]


def measure(distance: float, C: float, quick: bool) -> dict[str, Measured]:
    """Errors at every place of the grid, the border to infinite behaviour, and the critical n."""
    with quietly():
        runs = [_measure_errors(run, distance, C) for run in range(1 if quick else RUNS)]
    errors = np.array(runs)
    found = {
        f"n = {n}, d = {d}": Measured.from_runs(errors[:, row, place])
        for row, n in enumerate(SIZES)
        for place, d in enumerate(DIMENSIONS)
    }
    if np.isinf(C):
        found["mean difference from loo_reliability, d >= 1000"] = Measured(
            _compare_predictions(errors.mean(axis=0), distance)
        )
    if distance:
        found["critical n"] = Measured(critical_size(distance, C))
    else:
        border = _find_border(errors[:, SIZES == 20, :].mean(axis=0).ravel())
        found["log10 of d where the error is one, n = 20"] = Measured(border)
    return found


def _compare_predictions(errors: np.ndarray, distance: float) -> float:
    """How far the errors are from those predicted from the first data set."""
    noise, y = _draw(0)
    X = noise + np.sqrt(distance) / 2 * y[:, None]
    differences = [
        abs(errors[row, place] - loo_reliability(X[:n, :d], y[:n]).predicted_error)
        for row, n in enumerate(SIZES)
        for place, d in enumerate(DIMENSIONS)
        if n > 4 and d >= 1000
    ]
    return float(np.mean(differences))


def critical_size(distance: float, C: float) -> float:
    """The n of (1 + 1/C) / (n/2 - 1) - (1 + 1/C) / (n/2) = mu^2, for variances of one."""
    variance = 1.0 + (0.0 if np.isinf(C) else 1.0 / C)
    return 1.0 + float(np.sqrt(1.0 + 4.0 * variance / distance))


def _find_border(errors: np.ndarray) -> float:
    """Where the mean error first exceeds 0.99, on a line between two places of the grid."""
    logs = np.log10(DIMENSIONS)
    above = np.flatnonzero(errors > _INFINITE)
    if not len(above):
        return float("nan")
    if above[0] == 0:
        return float(logs[0])
    between = slice(above[0] - 1, above[0] + 1)
    return float(np.interp(_INFINITE, errors[between], logs[between]))


def _draw(run: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise, and classes that are equal at every even size."""
    noise = np.random.default_rng(run).standard_normal((SIZES[-1], DIMENSIONS[-1]))
    return noise, np.where(np.arange(SIZES[-1]) % 2, 1.0, -1.0)


def _measure_errors(run: int, distance: float, C: float) -> np.ndarray:
    """Leave-one-out errors of one data set, (sizes, dimensions); C is for samples of norm one."""
    noise, y = _draw(run)
    half = np.sqrt(distance) / 2
    errors = np.zeros((len(SIZES), len(DIMENSIONS)))
    for place, (products, sums) in enumerate(_prefixes(noise)):
        d = DIMENSIONS[place]
        kernel = (
            products + half * (np.outer(y, sums) + np.outer(sums, y)) + half**2 * d * np.outer(y, y)
        )
        if np.isfinite(C):
            kernel = kernel + np.eye(len(y)) * d / C
        for row, n in enumerate(SIZES):
            errors[row, place] = loo_error(kernel[:n, :n], y[:n])
    return errors


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


@contextmanager
def quietly() -> Iterator[None]:
    """Skip warnings, and the checks that would take most of the time of small fits."""
    with (
        sklearn.config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def draw(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Curves as in fig. 2.9, and one map per scenario as in figs. 4.1 to 4.3; white is one."""
    figure.set_size_inches(3.3 * (1 + len(results)), 3.6)
    first, *axes = figure.subplots(1, 1 + len(results))
    for n in (6, 10, 20, 40):
        errors = [results["noise"][f"n = {n}, d = {d}"].value for d in DIMENSIONS]
        first.semilogx(DIMENSIONS, errors, "o-", markersize=3, label=f"n = {n}")
    first.axhline(0.5, color="0.5", linestyle=":", linewidth=1)
    first.set(xlabel="features", ylabel="leave-one-out error", ylim=(0.3, 1.03), title="noise")
    first.legend(frameon=False)
    for ax, (name, numbers) in zip(axes, results.items(), strict=True):
        errors = [[numbers[f"n = {n}, d = {d}"].value for d in DIMENSIONS] for n in SIZES]
        image = ax.pcolormesh(
            DIMENSIONS, SIZES, errors, vmin=0, vmax=1, cmap="gray", shading="nearest"
        )
        ax.set(xscale="log", xlabel="features", title=name)
        if "critical n" in numbers:
            ax.axhline(numbers["critical n"].value, color="#D55E00", linestyle="--")
    axes[0].set_ylabel("samples")
    figure.colorbar(image, ax=axes[-1], label="leave-one-out error")


_ONE, _ZERO = Published(1.0, 1), Published(0.0, 1)
PUBLISHED = {
    "noise": {
        # "approximately d = 50000"
        "log10 of d where the error is one, n = 20": Published(4.7, 1, spread=0.15),
        **{f"n = {n}, d = 100000": _ONE for n in (4, 8, 12, 16, 20)},
    },
    "classes that differ": {
        "critical n": Published(12.0, 0),
        **{f"n = {n}, d = 100000": _ONE for n in (4, 6, 8, 10, 12)},
        **{f"n = {n}, d = 100000": _ZERO for n in (14, 16, 20, 30, 40)},
    },
}

STUDIES = [
    Study(
        "thesis_figs_4_1_to_4_3",
        "Leave-one-out with a support vector machine",
        "Klement's thesis (2013), figs. 2.9 and 4.1 to 4.3, theorems 2.5.1 and 2.5.2, sec. 4.1",
        [
            Cell(name, partial(measure, *scenario), PUBLISHED.get(name, {}))
            for name, scenario in SCENARIOS.items()
        ],
        why={
            "classes that differ: n = 12": (
                "at n = 12 both sides of the theorem's condition are equal, 1/5 - 1/6 = 1/30, so "
                "fluctuations decide: the error is between 0.4 and 0.5 for 10,000 to 100,000 "
                "features, and does not grow"
            ),
        },
        notes=(
            f"{RUNS} runs (the thesis: 100). Limits for infinitely many features are compared with "
            "our errors at 100,000. The thesis says that C = 1 and C = 0.1 behave completely "
            "differently. That is so for samples of norm one, which we take: 1/C then adds to the "
            "variance per feature, and the critical sizes (dashed) are 16.5 and 37.3. For samples "
            "as they are, 1/C stands for ten features at most, and nothing changes."
        ),
        draw=draw,
    ),
]
