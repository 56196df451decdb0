"""Where leave-one-out misleads
===============================

The leave-one-out error of a support vector machine may be wrong in high dimension, and
:func:`~fewest.diagnostics.loo_reliability` predicts when.

The left figure shows the error on pure noise against the number of features: it should be one half,
but tends to one. The middle figure shows the same for all sample sizes. The right figure shows two
classes whose means differ by mu^2 = 1/30 per feature: above 12 samples the error tends to zero,
below to one, although a new sample would be classified correctly in either case. The curves show
the error that `loo_reliability` predicts from one data set.

In a clone, ``python -m examples.plot_leave_one_out leave_one_out.png --runs 30`` averages more data
sets.
"""

from __future__ import annotations

import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from examples._deliver import deliver
from reproductions import klement_theory_loo as loo

_SHOWN = (6, 10, 20, 40)
# Okabe and Ito's colours, which people with any colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")


def draw(noise: loo.Grid, apart: loo.Grid) -> Figure:
    figure = plt.figure(figsize=(13.5, 4.4), layout="constrained")
    lines, left, right = figure.subplots(1, 3)
    _curves(lines, noise)
    _map(left, noise, "Pure noise: tends to 1")
    image = _map(right, apart, "Classes that differ, $\\mu^2 = 1/30$")
    right.axhline(12, color="white", linewidth=2.5)
    right.axhline(12, color="black", linewidth=1, linestyle="--")
    plate = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5}
    right.text(12, 13, "critical n = 12", fontsize=9, bbox=plate)
    figure.colorbar(image, ax=right, label="leave-one-out error (shades)")
    return figure


def _curves(ax: Axes, grid: loo.Grid) -> None:
    predicted = grid.predicted_errors()
    for n, colour in zip(_SHOWN, _COLOURS, strict=True):
        row = int(np.flatnonzero(n == loo.SIZES)[0])
        ax.plot(loo.DIMENSIONS, grid.error[row], "o", color=colour, markersize=5, label=f"n = {n}")
        ax.plot(loo.DIMENSIONS, predicted[row], "-", color=colour, linewidth=1.5)
    ax.axhline(0.5, color="0.5", linewidth=1, linestyle=":")
    ax.set_xscale("log")
    ax.set_ylim(0.35, 1.02)
    ax.set(xlabel="number of features", ylabel="leave-one-out error")
    ax.set_title("Pure noise: measured (dots), predicted (lines)", fontsize=11)
    ax.legend(loc="lower right", frameon=False)


def _map(ax: Axes, grid: loo.Grid, title: str) -> object:
    image = ax.pcolormesh(
        loo.DIMENSIONS, loo.SIZES, grid.error, vmin=0, vmax=1, cmap="cividis", shading="nearest"
    )
    predicted = grid.predicted_errors()
    known = ~np.isnan(predicted).any(axis=1)
    drawn = ax.contour(
        loo.DIMENSIONS,
        loo.SIZES[known],
        predicted[known],
        levels=[0.05, 0.95],
        colors=["white", "black"],
        linewidths=1.5,
    )
    ax.clabel(drawn, fmt="%.2f", fontsize=8)
    ax.set_xscale("log")
    ax.set(xlabel="number of features", ylabel="number of samples")
    ax.set_title(f"{title}\nmeasured (shades), predicted (lines)", fontsize=11)
    return image


def main() -> None:
    parser = argparse.ArgumentParser(description="Where leave-one-out misleads.")
    parser.add_argument("file", nargs="?", help="a .png, .svg or .pdf file (default: show)")
    parser.add_argument("--runs", type=int, default=1, help="data sets per point (default: 1)")
    arguments = parser.parse_args()
    with loo.quietly():
        figure = draw(*loo.grids(arguments.runs))
    deliver(figure, arguments.file)


if __name__ == "__main__":
    main()
