"""Several methods on the same folds, and the error against the number of training samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.plotting._figures import (
    CURVES,
    GREY,
    add_legend_above,
    axes_or_new,
    finish,
    name_rows,
)
from fewest.plotting._names import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.significance import LearningCurve, MethodComparison


def plot_comparison(found: MethodComparison, *, ax: Axes | None = None) -> Axes:
    """Balanced error of every method with its interval; small dots are the single folds.

    Parameters
    ----------
    found : MethodComparison
        What :func:`~fewest.significance.compare_methods` returns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import plot_comparison
    >>> from fewest.significance import compare_methods
    >>> X, y = make_gaussian(n=40, d=30, k=2, mu=1.5, random_state=0)
    >>> found = compare_methods(None, X, y, ["t-test"], random_state=0)
    >>> plot_comparison(found, ax=Figure().subplots()).get_xlabel()
    'balanced error on samples left out'
    """
    ax = axes_or_new(ax, height=1.2 + 0.36 * len(found.methods))
    ax.axvline(found.guessing, color=GREY, ls="dashed", lw=1, label="guessing")
    for row, method in enumerate(found.methods):
        if method.balanced_error is None:
            ax.text(0.01, row, "failed", color=GREY, va="center", fontsize=8)
            continue
        colour = CURVES[0] if row else CURVES[1]
        folds = np.array(method.fold_errors)
        ax.plot(folds, np.full(len(folds), row + 0.22), ".", color=GREY, ms=3, alpha=0.6)
        if method.interval is not None:
            ends = method.interval
            ax.plot([ends.low, ends.high], [row, row], "-", color=colour, lw=2)
        ax.plot(method.balanced_error, row, "o", color=colour, ms=6)
    name_rows(ax, [short(method.name) for method in found.methods])
    ax.set_xlim(left=-0.02)
    add_legend_above(ax)
    ax.set_xlabel("balanced error on samples left out")
    return ax


def plot_learning_curve(found: LearningCurve, *, ax: Axes | None = None) -> Axes:
    """Balanced error against the number of training samples, with intervals.

    A curve that falls is continued to twice the samples, within a band that shows its uncertainty.

    Parameters
    ----------
    found : LearningCurve
        What :func:`~fewest.significance.learning_curve` returns.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import plot_learning_curve
    >>> from fewest.significance import learning_curve
    >>> X, y = make_gaussian(n=40, d=30, k=2, mu=1.5, random_state=0)
    >>> found = learning_curve(None, X, y, n_repeats=1, random_state=0)
    >>> plot_learning_curve(found, ax=Figure().subplots()).get_xlabel()
    'training samples'
    """
    ax = axes_or_new(ax)
    ax.axhline(found.guessing, color=GREY, ls="dashed", lw=1, label="guessing")
    numbers = np.array([point.n_train for point in found.points])
    errors = np.array([point.error for point in found.points])
    ends = [
        (point.error, point.error)
        if point.interval is None
        else (point.interval.low, point.interval.high)
        for point in found.points
    ]
    reach = np.abs(np.array(ends).T - errors)
    dots: dict[str, Any] = {"fmt": "o", "color": CURVES[0], "ms": 5, "lw": 1.2, "capsize": 3}
    ax.errorbar(numbers, errors, reach, label="measured", **dots)
    if found.curve:
        along = [point.n_train for point in found.curve]
        low, high = ([getattr(p.interval, end) for p in found.curve] for end in ("low", "high"))
        ax.fill_between(along, low, high, color=CURVES[1], alpha=0.18, lw=0)
        drawn = [point.error for point in found.curve]
        ax.plot(along, drawn, "-", color=CURVES[1], lw=1.5, label="fitted curve")
        ax.axvline(found.n_samples, color=GREY, ls="dotted", lw=1, label="all samples")
    ax.set_ylim(bottom=-0.02)
    ax.set_xlim(left=0.0)
    add_legend_above(ax, n_columns=2)
    return finish(ax, "training samples", "balanced error")
