"""What could stand in for the selected features: other subsets, and correlated features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fewest.plotting._figures import CURVES, axes_or_new, finish, mark_whole_numbers, open_ranking
from fewest.plotting._labels import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_subsets(subsets: Sequence[Sequence[Any]], *, ax: Axes | None = None) -> Axes:
    """Sizes of the disjoint subsets of a repetitive selection, in the order they were found.

    Parameters
    ----------
    subsets : sequence of sequences
        The features of every repetition, such as `subsets_` of `RepetitiveSelector`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_subsets
    >>> ax = plot_subsets([[4, 7], [1, 2, 9]], ax=Figure().subplots())
    >>> [int(bar.get_height()) for bar in ax.patches]
    [2, 3]
    """
    if not len(subsets):
        raise ValueError("there is no subset to draw")
    sizes = [len(subset) for subset in subsets]
    ax = axes_or_new(ax, width=5.2, height=3.0)
    ax.bar(range(1, len(sizes) + 1), sizes, color=CURVES[0], width=0.8)
    mark_whole_numbers(ax.xaxis, ax.yaxis)
    return finish(ax, "repetition", "features")


def plot_stand_ins(
    correlations: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    name: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Correlations of a selected feature with others, the strongest at the top.

    Parameters
    ----------
    correlations : array of shape (n_features,)
        Between minus one and one.
    feature_names : sequence of str, optional
        Of the other features; the default is their numbers, from 0.
    name : str, optional
        Of the selected feature.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_stand_ins
    >>> ax = plot_stand_ins([0.3, -0.9], ["a", "b"], name="zyxin", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    correlations = np.asarray(correlations, dtype=np.float64)
    if correlations.ndim != 1 or not len(correlations):
        raise ValueError("correlations must be a list of at least one number")
    if not np.all(np.abs(correlations) <= 1.0 + 1e-9):
        raise ValueError("correlations must lie between minus one and one")
    ax, order = open_ranking(correlations, feature_names, ax, most=len(correlations))
    places = range(len(order))
    ax.hlines(places, 0.0, correlations[order], color=CURVES[0], linewidth=1.5)
    ax.plot(correlations[order], places, "o", color=CURVES[0], markersize=5, clip_on=False)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_xlim(min(-0.02, 1.05 * correlations.min()), max(0.02, 1.05 * correlations.max(), 1.0))
    ax.set_xlabel("correlation" if name is None else f"correlation with {short(name)}")
    return ax
