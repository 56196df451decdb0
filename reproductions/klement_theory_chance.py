"""How likely random data are separable: figs. 2.6 to 2.8 of Klement's thesis (2013)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fewest.significance import (
    separability_probability,
    simulate_separability,
    subset_separability_bounds,
)
from reproductions.study import Cell, Measured, Published, Study

# d and d*: d = 5 with every d*, and other pairs with few subsets.
PAIRS = [(5, 1), (5, 2), (5, 3), (5, 4), (5, 5), (10, 2), (10, 8), (20, 2), (50, 1), (100, 1)]
DIMENSIONS = (1, 2, 5, 10, 20, 50)


def list_sizes(d_star: int) -> range:
    """Numbers of samples from where all are separable to where hardly any are."""
    return range(2, 4 * d_star + 12, 2 if d_star > 1 else 1)


def tabulate(quick: bool) -> dict[str, float]:
    """Wendel's probability over n (fig. 2.6), and that of one feature among d (fig. 2.7)."""
    found = {}
    for d in DIMENSIONS:
        for n in range(1, 121):
            found[f"P({d}, n), n = {n}"] = separability_probability(n, d)
            found[f"P(1, {d}, n), n = {n}"] = _one_of(n, d)
        found[f"P({d}, n), n = {2 * d}"] = separability_probability(2 * d, d)
    found["P(1, 50, n), n = 4"] = _one_of(4, 50)
    return found


def _one_of(n: int, d: int) -> float:
    exact = subset_separability_bounds(n, d, 1).exact
    assert exact is not None
    return exact


def bound(n: int, d: int, d_star: int, quick: bool) -> dict[str, float]:
    """The upper bound that the papers use for real data."""
    return {"upper bound": subset_separability_bounds(n, d, d_star).upper}


def simulate(d: int, d_star: int, quick: bool) -> dict[str, Measured]:
    """Shares of separable data sets, how many lie outside the bounds, and how far from them."""
    runs = 50 if quick else 1000
    found, outside, distances = {}, 0, {"exact": 0.0, "upper": 0.0}
    for n in list_sizes(d_star):
        one = simulate_separability(n, d, d_star, n_runs=runs, random_state=n)
        share, bounds = one.share, one.bounds
        low, high = (
            bounds.lower - _spread(bounds.lower, runs),
            bounds.upper + _spread(bounds.upper, runs),
        )
        outside += not low <= share <= high
        for name in distances:
            p = getattr(bounds, name)
            if p is not None:
                distances[name] = max(distances[name], abs(share - p) - _spread(p, runs))
        found[f"n = {n}"] = Measured(share, float(np.sqrt(share * (1 - share))), runs)
    found["sizes outside the bounds"] = Measured(float(outside))
    found["largest distance from the exact value"] = Measured(distances["exact"])
    found["largest distance from the upper bound"] = Measured(distances["upper"])
    return found


def _spread(p: float, runs: int) -> float:
    """Three standard errors of a share: one of 370 is farther off by chance."""
    return 3.0 * float(np.sqrt(p * (1.0 - p) / runs))


def draw_formulas(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Both probabilities over the number of samples."""
    figure.set_size_inches(9, 3.4)
    for ax, start in zip(figure.subplots(1, 2, sharey=True), ("P(", "P(1, "), strict=True):
        for d in DIMENSIONS:
            begin = f"{start}{d}, n), n = "
            points = sorted(
                (int(label.removeprefix(begin)), one.value)
                for label, one in results["formulas"].items()
                if label.startswith(begin)
            )
            ax.plot(*zip(*points, strict=True), label=f"d = {d}")
        ax.set(xlabel="samples", title=f"${start.replace('P(', 'P_{')}d, n}}$")
    figure.axes[0].set_ylabel("probability")
    figure.axes[1].set_xlim(0, 30)
    figure.axes[0].legend(frameon=False)


def draw_simulation(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Simulated shares between the bounds, one panel per pair."""
    figure.set_size_inches(13, 5.2)
    for ax, (d, d_star) in zip(figure.subplots(2, 5, sharey=True).ravel(), PAIRS, strict=True):
        sizes = list(list_sizes(d_star))
        limits = [subset_separability_bounds(n, d, d_star) for n in sizes]
        for side in ("lower", "upper"):
            ax.plot(sizes, [getattr(one, side) for one in limits], "--", color="#0072B2")
        numbers = results.get(f"{d_star} of {d}")
        if numbers is not None:
            shares = [numbers[f"n = {n}"].value for n in sizes]
            ax.plot(sizes, shares, "o", color="#D55E00", markersize=4)
        ax.set_title(f"{d_star} of {d} features", fontsize=10)
    for ax in figure.axes[5:]:
        ax.set_xlabel("samples")


def _simulation_cell(d: int, d_star: int) -> Cell:
    published = {"sizes outside the bounds": Published(0.0, 0)}
    if d_star in (1, d):  # "empirical measurements match the bounds"
        published["largest distance from the exact value"] = Published(0.0, 2)
    if (d, d_star) == (5, 4):  # "the upper bound almost matches"
        published["largest distance from the upper bound"] = Published(0.0, 1)
    return Cell(f"{d_star} of {d}", partial(simulate, d, d_star), published)


STUDIES = [
    Study(
        "thesis_figs_2_6_and_2_7",
        "Random data that are separable: formulas",
        "Klement's thesis (2013), figs. 2.6 and 2.7, sec. 2.5.4 and 4.4; Klement & Martinetz "
        "(2010), sec. III-A",
        [
            Cell(
                "formulas",
                tabulate,
                {
                    **{f"P({d}, n), n = {2 * d}": Published(0.5, 6) for d in DIMENSIONS},
                    "P(1, 50, n), n = 4": Published(1.0, 1),
                },
            ),
            Cell(
                "2 of 7129 genes, 38 samples",
                partial(bound, 38, 7129, 2),
                {"upper bound": Published(0.0070, 4)},
            ),
            Cell(
                "3 of 5102 genes, 50 samples",
                partial(bound, 50, 5102, 3),
                {"upper bound": Published(0.048, 3)},
            ),
        ],
        draw=draw_formulas,
    ),
    Study(
        "thesis_fig_2_8",
        "Random data that are separable in a few features: simulation",
        "Klement's thesis (2013), fig. 2.8",
        [_simulation_cell(*pair) for pair in PAIRS],
        notes=(
            "The figure has no numbers, but the text says which curves lie between their bounds, "
            "and which match them: for one feature and for all, where the probability is known. "
            "Differences count beyond three standard errors of the 1000 runs."
        ),
        draw=draw_simulation,
    ),
]
