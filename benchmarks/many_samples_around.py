"""Around the linear programs, with many samples: how time and memory grow, and what types cost."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.timing import row, side_by_side
from fewest._solvers.columns import column_products, weighted_moments
from fewest._solvers.margin import hard_margin, soft_margin
from fewest.diagnostics import distance_concentration, hubness, loo_reliability, sphericity
from fewest.significance._resampling import draw_rows, find_strata

LARGEST, ROUNDS = 1_000_000, 3
SELECTED = 10


def make_samples(n: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Few selected features: classes that overlap by much, or have a gap between them."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((n, SELECTED))
    direction = np.ones(SELECTED) / np.sqrt(SELECTED)
    if gap:
        y = np.where(Z @ direction > 0, 1.0, -1.0)
        return np.asfortranarray(Z + gap / 2 * y[:, None] * direction), y
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return np.asfortranarray(Z + 0.3 * y[:, None]), y


def measure_growth(runs: dict[int, Callable[[], Any]], rounds: int) -> float:
    """Exponent of the number of samples by which time grows, from the smallest to the largest."""
    taken = side_by_side({str(n): run for n, run in runs.items()}, rounds)
    low, high = min(runs), max(runs)
    return float(np.log(taken[str(high)] / taken[str(low)]) / np.log(high / low))


def measure_peak(run: Callable[[], Any]) -> int:
    """Bytes in use at most, beyond those at the beginning."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def margins(largest: int, rounds: int) -> None:
    soft, hard = {}, {}
    for n in (largest // 100, largest):
        Z, y = make_samples(n, 0.0)
        soft[n] = partial(soft_margin, Z, y, np.ones(n))
        hard[n] = partial(hard_margin, *make_samples(n, 0.2))
    for name, runs in (("soft", soft), ("hard", hard)):
        what = f"{name} margin on {SELECTED} features"
        growth = measure_growth(runs, rounds)
        row(f"{what}: growth from {largest // 100:,} to {largest:,}", f"{growth:.2f}", "below 1.2")
        share = measure_peak(runs[largest]) / (8 * largest * SELECTED)
        row(f"  memory at {largest:,} / the features", f"{share:.2f}", "below 1")


def types_of_numbers(largest: int, rounds: int) -> None:
    rng = np.random.default_rng(1)
    n, d = largest // 10, 200
    X, v = rng.standard_normal((n, d)), rng.standard_normal(n)
    rows = sparse.random(n, 10 * d, density=0.02, random_state=0, format="csr")
    data = {"float64": X, "float32": X.astype(np.float32)}
    data |= {"csr float64": rows, "csr float32": rows.astype(np.float32)}
    data |= {"csc float64": rows.tocsc(), "csc float32": rows.tocsc().astype(np.float32)}
    contestants: dict[str, Callable[[], Any]] = {
        name: partial(column_products, one, v) for name, one in data.items()
    }
    contestants["moments"] = partial(weighted_moments, data["csr float32"])
    taken = side_by_side(contestants, rounds)
    for name, shape in (("", f"{n:,} x {d}"), ("csr ", "sparse rows"), ("csc ", "sparse columns")):
        ratio = taken[f"{name}float32"] / taken[f"{name}float64"]
        row(f"X.T @ v of float32 / of float64, {shape}", f"{ratio:.2f}", "at most 3")
    ratio = taken["moments"] / taken["csr float32"]
    row("means and variances / X.T @ v, sparse rows of float32", f"{ratio:.2f}", "at most 5")


def pairs_and_resamples(largest: int, rounds: int) -> None:
    sizes = (largest // 100, largest // 10)
    measures: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
        "sphericity": lambda X, y: sphericity(X),
        "distances": lambda X, y: distance_concentration(X),
        "hubness": hubness,
        "leave-one-out": lambda X, y: loo_reliability(X, y),
        "one bootstrap draw": lambda X, y: draw_rows(
            find_strata(y, None), y, np.random.RandomState(0)
        ),
    }
    data = {}
    for n in sizes:
        y = np.arange(n) % 2
        data[n] = np.random.default_rng(2).standard_normal((n, 50)) + 0.3 * y[:, None], y
    for name, measure in measures.items():
        growth = measure_growth({n: partial(measure, *data[n]) for n in sizes}, rounds)
        what = f"{name}: growth from {sizes[0]:,} to {sizes[1]:,} samples"
        row(what, f"{growth:.2f}", "below 1.2")


def main(largest: int = LARGEST, rounds: int = ROUNDS) -> None:
    print("Many samples, around the programs")
    margins(largest, rounds)
    types_of_numbers(largest, rounds)
    pairs_and_resamples(largest, rounds)


if __name__ == "__main__":
    main()
