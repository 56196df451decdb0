"""How often random features separate random classes
====================================================

The probability that some d* of d random features separate n samples has simple bounds (the shaded
band, :func:`~fewest.significance.subset_separability_bounds`). The dots are simulated
(:func:`~fewest.significance.simulate_separability`). Few samples are nearly always separable, so a
separation of few samples means little.

In a clone, ``python -m examples.plot_chance_separation chance.png --runs 1000`` simulates more data
sets per dot.
"""

from __future__ import annotations

import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from examples._deliver import deliver
from fewest.significance import simulate_separability, subset_separability_bounds
from reproductions.klement_theory_chance import PAIRS

_BAND, _DOTS = "#0072B2", "#D55E00"


def draw(runs: int) -> Figure:
    figure = plt.figure(figsize=(13.5, 5.6), layout="constrained")
    for ax, (d, d_star) in zip(figure.subplots(2, 5, sharey=True).ravel(), PAIRS, strict=True):
        _panel(ax, d, d_star, runs)
    for ax in figure.axes[::5]:
        ax.set_ylabel("probability")
    for ax in figure.axes[5:]:
        ax.set_xlabel("number of samples")
    figure.axes[0].legend(loc="upper right", fontsize=8, frameon=False)
    return figure


def _panel(ax: Axes, d: int, d_star: int, runs: int) -> None:
    sizes = np.arange(1, 4 * d_star + 12)
    bounds = [subset_separability_bounds(int(n), d, d_star) for n in sizes]
    lower, upper = ([getattr(one, side) for one in bounds] for side in ("lower", "upper"))
    ax.fill_between(sizes, lower, upper, color=_BAND, alpha=0.15)
    ax.plot(sizes, upper, "--", color=_BAND, linewidth=1.2, label="bounds")
    ax.plot(sizes, lower, "--", color=_BAND, linewidth=1.2)
    every = sizes[:: 2 if d_star > 1 else 1]
    shares = [
        simulate_separability(int(n), d, d_star, n_runs=runs, random_state=int(n)).share
        for n in every
    ]
    ax.plot(every, shares, "o", color=_DOTS, markersize=4, label="simulated")
    ax.set_title(f"{d_star} of {d} features", fontsize=10)


def main() -> None:
    parser = argparse.ArgumentParser(description="Probability that random features separate.")
    parser.add_argument("file", nargs="?", help="a .png, .svg or .pdf file (default: show)")
    parser.add_argument("--runs", type=int, default=100, help="data sets per point (default: 100)")
    arguments = parser.parse_args()
    figure = draw(arguments.runs)
    deliver(figure, arguments.file)


if __name__ == "__main__":
    main()
