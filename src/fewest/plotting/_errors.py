"""Errors on samples that had no part in training: who was predicted as whom, and at which cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import auc, confusion_matrix, roc_curve
from sklearn.utils.multiclass import unique_labels

from fewest.plotting._figures import CURVES, GREY, STYLES, axes_or_new, finish, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    names = [short(label) for label in labels]
    places = range(len(names))
    ax.set_xticks(places, names)
    if len(names) > 2 and max(map(len, names)) > 4:
        ax.set_xticks(places, names, rotation=45, ha="right")
    ax.set_yticks(places, names)
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
        The class that large values speak for.
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
    label = f"{short(positive if name is None else name)}: area {auc(false_rate, true_rate):.2f}"
    ax.plot(false_rate, true_rate, ls=style, color=colour, lw=1.8, label=label, clip_on=False)
    ax.legend(frameon=False, loc="lower right")
    square = {"xlim": (0.0, 1.0), "ylim": (0.0, 1.0), "aspect": "equal"}
    return finish(ax, "others predicted as the class", "class recognised", **square)
