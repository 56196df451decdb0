"""Sets of features near the minimum, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fewest.plotting._figures import GREY, PALE, add_colour_bar, axes_or_new
from fewest.plotting._names import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.minimum import NearOptimalSets


def plot_near_optimal(
    found: NearOptimalSets,
    *,
    most_sets: int = 40,
    most_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Which of the sets near the minimum has which features, one set per column.

    The colour is the margin of the set. Sets of the same price are next to each other, the cheapest
    at the left; features of many sets are at the top.

    Parameters
    ----------
    found : NearOptimalSets
        From `fewest.near_optimal_sets`.
    most_sets, most_features : int
        How many to draw: the first sets, as long as all of their features can be shown.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fewest import near_optimal_sets
    >>> from fewest.plotting import plot_near_optimal
    >>> X = np.random.default_rng(0).standard_normal((20, 30))
    >>> found = near_optimal_sets(X, X[:, 7] + X[:, 11] > 0)
    >>> ax = plot_near_optimal(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['7', '19']
    """
    if not found.subsets:
        raise ValueError("there is no set to draw: no features separate the classes")
    first = found.membership[:most_sets]
    n_used = np.count_nonzero(np.logical_or.accumulate(first, axis=0), axis=1)
    n_sets = max(1, int(np.count_nonzero(n_used <= most_features)))
    counts = first[:n_sets].sum(axis=0)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    shown = found.membership[:n_sets][:, order]
    ax = axes_or_new(ax, width=2.6 + 0.17 * n_sets, height=1.6 + 0.22 * len(order))
    for column in range(n_sets):
        rows = np.flatnonzero(shown[column])
        if len(rows):
            ax.plot([column] * 2, [rows[0], rows[-1]], color=PALE, linewidth=1.2, zorder=1)
    places, rows = np.nonzero(shown)
    size = float(np.clip(1800 / max(n_sets, len(order)), 12, 60))
    marks = ax.scatter(
        places, rows, c=found.margins[places], s=size, cmap="viridis", zorder=2, linewidths=0
    )
    marks.set_clim(0.0, float(found.margins[:n_sets].max()) or 1.0)
    ax.set_yticks(range(len(order)), [short(found.name(int(found.features[k]))) for k in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    ax.set_xlim(-0.7, n_sets - 0.3)
    _mark_prices(ax, np.round(found.prices[:n_sets], 9))
    ax.set_xlabel(_say_how_many(found, n_sets))
    shrink = max(0.4, min(1.0, 6 / len(order)))
    return add_colour_bar(ax, marks, "margin (standard deviations)", shrink=shrink)


def _mark_prices(ax: Axes, prices: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """A line between sets of different prices, and the price above each part that has room."""
    starts = np.flatnonzero(np.diff(prices, prepend=np.nan) != 0)
    ends = np.append(starts[1:], len(prices))
    for start in starts[1:]:
        ax.axvline(start - 0.5, color=GREY, linewidth=0.8, linestyle="dashed", zorder=0)
    middles = (starts + ends - 1) / 2
    ax.set_xticks(middles, [f"{prices[start]:g}" for start in starts])


def _say_how_many(found: NearOptimalSets, n_sets: int) -> str:
    parts = ["price of the set" if found.minimum.has_prices else "features of the set"]
    if n_sets < found.n_found or not found.complete:
        known = f"{found.n_found}" + ("" if found.complete else " or more")
        parts.append(f"{n_sets} of {known} sets")
    return "; ".join(parts)
