"""Transvariation intensity, and the values of C that follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fewest._estimators.validation import check_count
from fewest.plotting._figures import CURVES, axes_or_new, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.machines.transvariation import TransvariationC


def plot_transvariation(
    grid: TransvariationC, *, n_features: int = 100, ax: Axes | None = None
) -> Axes:
    """Total transvariation with the distances chosen for C (Pranckeviciene & Somorjai, fig. 8.6).

    Dashed: t_total(d), the sum of the positive parts of all features' lines |a_j| - N d / 2.
    Dotted: these lines. Diamonds: the chosen distances d_s, of which each gives C = 2 / (N d_s).

    Parameters
    ----------
    grid : TransvariationC
        From `fewest.machines.transvariation.transvariation_grid`.
    n_features : int
        Most lines to show, those of the largest class differences.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import plot_transvariation
    >>> from fewest.machines.transvariation import transvariation_grid
    >>> X, y = make_gaussian(n=100, d=10, k=2, mu=1.0, random_state=0)
    >>> ax = plot_transvariation(transvariation_grid(X, y, 8), ax=Figure().subplots())
    >>> len(ax.collections[0].get_segments())
    10
    """
    from fewest.machines.transvariation import TransvariationC  # heavy

    check_count("n_features", n_features)
    if not isinstance(grid, TransvariationC):
        raise TypeError(
            "grid must come from fewest.machines.transvariation.transvariation_grid; got "
            f"{type(grid).__name__}"
        )
    largest = np.sort(grid.differences[grid.differences > 0])[::-1][:n_features]
    ax = axes_or_new(ax)
    from matplotlib.collections import LineCollection

    label = f"the {len(largest)} largest features"
    if len(largest) == np.count_nonzero(grid.differences):
        label = "features"
    lines = [[(0.0, a), (2.0 * a / grid.n_samples, 0.0)] for a in largest]
    ax.add_collection(LineCollection(lines, colors=CURVES[0], ls="dotted", lw=1.0, label=label))
    ax.plot(grid.curve_distances, grid.curve_totals, "k--", lw=1.5, label="total")
    ax.plot(grid.distances, grid.totals, "D", color=CURVES[1], ms=6, label="chosen")
    ax.legend(frameon=False)
    return finish(
        ax,
        "distance d between the classes; C = 2 / (N d)",
        "transvariation intensity",
        xlim=(0.0, 1.03 * grid.curve_distances[-1]),
        ylim=(0.0, 1.05 * grid.curve_totals[0]),
    )
