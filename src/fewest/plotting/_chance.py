"""What chance would have done, and how far the answer depends on the samples at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.validation import check_count
from fewest.plotting._figures import (
    CURVES,
    GREY,
    PALE,
    add_legend_above,
    axes_or_new,
    finish,
    mark_whole_numbers,
    open_ranking,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST_PROBABILITY = 1e-12
_BEYOND = 4


def plot_stability(
    counts: ArrayLike,
    n_folds: int,
    *,
    feature_names: Sequence[str] | None = None,
    n_features: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """In how many folds each feature was selected, the most frequent at the top.

    Parameters
    ----------
    counts : array of shape (n_features,)
        Number of folds that selected the feature; features that no fold selected are left out.
    n_folds : int
        All folds.
    feature_names : sequence of str, optional
        A name for each feature; the default is its number, from 0.
    n_features : int
        Most features to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_stability
    >>> ax = plot_stability([0, 5, 2], 5, feature_names=list("abc"), ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'c']
    """
    check_count("n_folds", n_folds)
    check_count("n_features", n_features)
    counts = np.asarray(counts)
    if counts.ndim != 1 or not np.any(counts) or np.any((counts < 0) | (counts > n_folds)):
        raise ValueError(
            f"counts must be numbers from 0 to {n_folds}, one per feature, not all zero"
        )
    most = min(n_features, int(np.count_nonzero(counts)))
    ax, shown = open_ranking(counts, feature_names, ax, most=most)
    ax.barh(range(len(shown)), counts[shown], color=CURVES[0], height=0.7)
    mark_whole_numbers(ax.xaxis)
    ax.set(xlim=(0, n_folds), xlabel=f"folds of {n_folds} that selected it")
    return ax


def plot_permutations(
    chance: ArrayLike, observed: float, *, label: str = "error", ax: Axes | None = None
) -> Axes:
    """Histogram of a statistic for permuted classes, with the one observed.

    Parameters
    ----------
    chance : array of shape (n_permutations,)
        Such as `permutation_test(machine, X, y).error.chance`; what is not finite is left out.
    observed : float
        The statistic of the true classes.
    label : str
        What it is.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_permutations
    >>> ax = plot_permutations([0.4, 0.5, 0.6, 0.5], 0.1, ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['permuted classes (4)', 'true classes: 0.1']
    """
    values = np.asarray(chance, dtype=np.float64)
    values = values[np.isfinite(values)]
    if not len(values):
        raise ValueError("chance holds no finite value: there is nothing to draw")
    ax = axes_or_new(ax, width=5.2, height=3.0)
    mark_whole_numbers(ax.yaxis)
    if np.all(values == np.round(values)) and float(observed).is_integer():  # one bar per number
        bins = np.arange(min(values.min(), observed), max(values.max(), observed) + 2) - 0.5
        mark_whole_numbers(ax.xaxis)
    else:
        bins = np.histogram_bin_edges(values, bins="auto" if len(values) > 4 else 5)
    ax.hist(values, bins=bins.tolist(), color=PALE, label=f"permuted classes ({len(values)})")
    ax.axvline(observed, color=CURVES[1], lw=2.5, label=f"true classes: {float(observed):.3g}")
    add_legend_above(ax)
    return finish(ax, label, "permutations")


def plot_separability(
    n_samples: int,
    n_features: int,
    *,
    selected: int | None = None,
    most: int | None = None,
    intercept: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Bounds on the probability that a few of many random features separate the samples.

    The probability itself is within the band (`subset_separability_bounds`); few samples and many
    features make it large.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the data.
    selected : int, optional
        The number of features that separate the classes at hand, to be marked.
    most : int, optional
        The largest number to show; by default somewhat more than the first one at which random
        data may well be separable.
    intercept : bool
        Whether hyperplanes may miss the origin, as for `subset_separability_bounds`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_separability
    >>> ax = plot_separability(38, 7129, selected=2, ax=Figure().subplots())
    >>> ax.get_xlabel()
    'features needed'
    """
    from fewest.significance import subset_separability_bounds  # heavy

    ax = axes_or_new(ax, width=5.2, height=3.4)
    limit = min(n_features, n_samples) if most is None else min(most, n_features)
    found = []
    for size in range(1, limit + 1):
        bounds = subset_separability_bounds(n_samples, n_features, size, intercept=intercept)
        found.append((size, bounds.lower, bounds.upper))
        if most is None and bounds.upper >= 1.0 and size >= (selected or 1) + _BEYOND:
            break
    sizes, lower, upper = np.maximum(found, _SMALLEST_PROBABILITY).T
    ax.fill_between(sizes, lower, upper, color=CURVES[0], alpha=0.2, linewidth=0)
    for values, name, style in ((upper, "at most", "solid"), (lower, "at least", "dashed")):
        ax.plot(sizes, values, "o", ls=style, color=CURVES[0], ms=3, label=name)
    if selected is not None:
        ax.axvline(selected, color=CURVES[1], linewidth=2.0, label=f"selected: {selected}")
    ax.axhline(0.05, color=GREY, linestyle="dotted", linewidth=1.0)
    mark_whole_numbers(ax.xaxis)
    add_legend_above(ax)
    limits = (0.5 * _SMALLEST_PROBABILITY, 2.0)
    return finish(ax, "features needed", "probability in random data", yscale="log", ylim=limits)
