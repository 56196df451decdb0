"""Errors against the number of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.plotting._figures import CURVES, GREY, axes_or_new, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.machines.panel_cv import PanelFront


def plot_panel_sizes(front: PanelFront, *, ax: Axes | None = None) -> Axes:
    """Held-out error against the number of features, with its standard error.

    Thin lines are the single splits. The diamond marks the chosen size.

    Parameters
    ----------
    front : PanelFront
        `front_` of a fitted :class:`~fewest.PanelSizeCV`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fewest import PanelFront
    >>> from fewest.plotting import plot_panel_sizes
    >>> errors = np.array([[0.2, 0.1], [0.3, 0.1]])
    >>> front = PanelFront(np.array([1, 2]), errors, 1, (np.array([4]), np.array([4, 7])))
    >>> plot_panel_sizes(front, ax=Figure().subplots()).get_xlabel()
    'number of features'
    """
    from matplotlib.ticker import MaxNLocator

    ax = axes_or_new(ax)
    for errors in front.errors:
        ax.plot(front.sizes, errors, "-", color=GREY, lw=0.6, alpha=0.4)
    mean = front.mean_errors
    spread = front.standard_errors if len(front.errors) > 1 else None
    ax.errorbar(front.sizes, mean, spread, fmt="-o", color=CURVES[0], ms=4, lw=1.5, capsize=3)
    (diamond,) = ax.plot(front.size, mean[front.chosen], "D", ms=9, zorder=3, clip_on=False)
    diamond.set(markerfacecolor="none", markeredgecolor="black", markeredgewidth=1.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=10))
    ax.set_ylim(bottom=-0.02)
    return finish(ax, "number of features", "balanced error")
