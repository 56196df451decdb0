"""Errors on samples left out of training, what chance would have achieved, and stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import auc, confusion_matrix, roc_curve
from sklearn.utils.multiclass import unique_labels

from fewest._estimators.validation import check_count
from fewest._types import FloatArray, IndexArray
from fewest.plotting._figures import (
    CURVES,
    GREY,
    PALE,
    STYLES,
    add_legend_above,
    axes_or_new,
    finish,
    mark_whole_numbers,
    open_ranking,
)
from fewest.plotting._names import name_classes, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST_PROBABILITY = 1e-12
_BEYOND = 4
_ROW_LETTERS, _ROW_LINES = 24, 3  # of a class beside its row
_LEGEND_LETTERS, _LEGEND_LINES = 40, 2
_MOST_POINTS = 2_000  # of a curve; more are not seen


def plot_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Confusion matrix: counts in the cells, shares of the true class as colours.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n_samples,)
        The classes, and what was predicted; use held-out predictions.
    labels : sequence, optional
        The classes to show, in this order; all by default.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_confusion
    >>> ax = plot_confusion(["a", "a", "b"], ["a", "b", "b"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    labels = unique_labels(y_true, y_pred) if labels is None else labels
    counts = confusion_matrix(y_true, y_pred, labels=labels)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    side = 1.6 + 0.55 * len(labels)
    ax = axes_or_new(ax, width=side + 0.6, height=side)
    ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    for (row, column), count in np.ndenumerate(counts):
        colour = "white" if shares[row, column] > 0.5 else "black"
        ax.text(column, row, str(count), ha="center", va="center", color=colour)
    places = range(len(labels))
    name_classes(ax, places, labels)
    ax.set_yticks(places, [wrap(label, _ROW_LETTERS, _ROW_LINES) for label in labels])
    ax.tick_params(length=0)
    ax.set(xlabel="predicted", ylabel="true class")
    ax.spines[:].set_visible(False)
    return ax


def plot_roc(
    y_true: ArrayLike,
    decision: ArrayLike,
    *,
    positive: Any,
    name: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Receiver operating characteristic of one class against the rest, with its area.

    Parameters
    ----------
    y_true : array of shape (n_samples,)
        Class labels.
    decision : array of shape (n_samples,)
        Decision values for the class `positive`; use held-out ones.
    positive : label
        The class that large values favour.
    name : str, optional
        Of the curve, in the legend; the positive class by default.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. Several curves may share it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_roc
    >>> ax = plot_roc(list("aabb"), [-2, 1, 0, 3], positive="b", ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['b: area 0.75']
    """
    y_true = np.asarray(y_true)
    hits = y_true == positive
    if hits.all() or not hits.any():
        raise ValueError(
            f"a curve needs samples of class {positive!r} and others; y_true has one kind only"
        )
    false_rate, true_rate, _ = roc_curve(hits, decision)
    ax = axes_or_new(ax, width=4.4, height=4.2)
    drawn = len(ax.get_legend_handles_labels()[1])
    if not drawn:
        ax.plot([0, 1], [0, 1], ":", color=GREY, lw=1.0)
    colour, style = CURVES[drawn % len(CURVES)], STYLES[drawn // len(CURVES) % len(STYLES)]
    area = f"area {auc(false_rate, true_rate):.2f}"
    label = wrap(f"{positive if name is None else name}: {area}", _LEGEND_LETTERS, _LEGEND_LINES)
    shown = _thin_curve(false_rate + true_rate)
    false_rate, true_rate = false_rate[shown], true_rate[shown]
    ax.plot(false_rate, true_rate, ls=style, color=colour, lw=1.8, label=label, clip_on=False)
    add_legend_above(ax, n_columns=1)
    square = {"xlim": (0.0, 1.0), "ylim": (0.0, 1.0), "aspect": "equal"}
    return finish(ax, "others predicted as the class", "class recognised", **square)


def _thin_curve(position: FloatArray) -> IndexArray:
    """Places of some thousand points, evenly along a curve, its corners at both ends included."""
    if len(position) <= _MOST_POINTS:
        return np.arange(len(position))
    even = np.linspace(position[0], position[-1], _MOST_POINTS)
    return np.unique(np.append(np.searchsorted(position, even), len(position) - 1))


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
        Largest number of features to show.
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
        Such as `permutation_test(machine, X, y).error.chance`; values that are not finite are left
        out.
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
        The number of features that separate the classes of the data, to be marked.
    most : int, optional
        The largest number to show; by default a little more than the first one at which random
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
