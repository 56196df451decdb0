"""The front of features and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewest.plotting._figures import CURVES, GREY, axes_or_new, finish, mark_whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.minimum import ErrorFront, PriceFront


def plot_error_front(front: ErrorFront | PriceFront, *, ax: Axes | None = None) -> Axes:
    """Fewest training errors for each number of features, or for each price.

    Filled: proven. Open: the best that is known, with a grey line to the proven bound.

    Parameters
    ----------
    front : ErrorFront or PriceFront
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
    from fewest.minimum import PriceFront  # heavy

    ax = axes_or_new(ax)
    errors = [point.errors for point in front.points]
    proven = [point.proven for point in front.points]
    if isinstance(front, PriceFront):
        prices = [point.price for point in front.points]
        return draw_front(ax, errors, proven, prices, price_bounds=_bounds_of(front))
    sizes = [point.size for point in front.points]
    return draw_front(ax, errors, proven, sizes, error_bounds=front.lower_bounds.tolist())


def _bounds_of(front: PriceFront) -> list[float]:
    return [point.price_bound for point in front.points]


def draw_front(
    ax: Axes,
    errors: Sequence[int],
    proven: Sequence[bool],
    places: Sequence[float],
    *,
    error_bounds: Sequence[int] | None = None,
    price_bounds: Sequence[float] | None = None,
) -> Axes:
    """Draw errors over numbers of features, or over prices, and bounds where they are open."""
    ax.step(places, errors, where="post", color=CURVES[0], lw=1.0, alpha=0.5)
    for k, (place, count) in enumerate(zip(places, errors, strict=True)):
        if not proven[k]:
            low = place if price_bounds is None else price_bounds[k]
            fewest = count if error_bounds is None else error_bounds[k]
            mark = "-_" if price_bounds is None else "-|"
            ax.plot([low, place], [fewest, count], mark, color=GREY, lw=1.5, ms=8)
        fill = CURVES[0] if proven[k] else "white"
        ax.plot(place, count, "o", color=CURVES[0], mfc=fill, ms=7, zorder=3)
        ax.annotate(str(count), (place, count), xytext=(6, 6), textcoords="offset points")
    if price_bounds is None:
        mark_whole_numbers(ax.xaxis, ax.yaxis)
    else:
        mark_whole_numbers(ax.yaxis)
    ax.set_ylim(bottom=min(0, -0.04 * max(errors)))
    return finish(ax, "features" if price_bounds is None else "price", "training errors")
