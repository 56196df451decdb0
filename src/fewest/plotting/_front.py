"""The front of features and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest.plotting._figures import CURVES, GREY, axes_or_new, finish, mark_whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.minimum import ErrorFront


def plot_error_front(front: ErrorFront, *, ax: Axes | None = None) -> Axes:
    """Fewest training errors for each number of features.

    Filled: proven. Open: the fewest that are known, with a grey line down to the proven bound.

    Parameters
    ----------
    front : ErrorFront
        From `fewest.error_front`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fewest import error_front
    >>> from fewest.plotting import plot_error_front
    >>> X = np.random.default_rng(0).standard_normal((20, 5))
    >>> front = error_front(X, X[:, 0] + X[:, 3] > 0, max_features=2)
    >>> ax = plot_error_front(front, ax=Figure().subplots())
    >>> ax.get_ylabel()
    'training errors'
    """
    ax = axes_or_new(ax)
    sizes = [point.size for point in front.points]
    ax.step(sizes, front.errors, where="post", color=CURVES[0], lw=1.0, alpha=0.5)
    for point in front.points:
        if not point.proven:
            ends = [point.lower_bound, point.errors]
            ax.plot([point.size, point.size], ends, "-_", color=GREY, lw=1.5, ms=8)
        fill = CURVES[0] if point.proven else "white"
        ax.plot(point.size, point.errors, "o", color=CURVES[0], mfc=fill, ms=7, zorder=3)
        ax.annotate(
            str(point.errors),
            (point.size, point.errors),
            xytext=(6, 6),
            textcoords="offset points",
        )
    mark_whole_numbers(ax.xaxis, ax.yaxis)
    ax.set_ylim(bottom=min(0, -0.04 * max(front.errors)))
    return finish(ax, "features", "training errors")
