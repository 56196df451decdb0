"""Error and number of features along a path over C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._types import FloatArray
from fewest.plotting._figures import CURVES, GREY, add_legend_above, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = ("o", "s", "^", "v")
# Below, hardly one of 1, 2 and 5 is on the axis; above, they have no room.
_LEAST_DECADES, _MOST_DECADES = 0.7, 3.0


def plot_path(
    Cs: ArrayLike,
    errors: ArrayLike | Mapping[str, ArrayLike],
    *,
    n_features: ArrayLike | None = None,
    chosen: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Balanced error and features along a path over C (after Pranckeviciene & Somorjai, fig. 8.5).

    Parameters
    ----------
    Cs : array of shape (n_Cs,)
        Positive, finite costs, in any order.
    errors : array of shape (n_Cs,), or mapping from names to such arrays
        Errors between zero and one; names (up to four) go to a legend.
    n_features : array of shape (n_Cs,), optional
        Number of features, drawn in grey on an axis at the right.
    chosen : int, optional
        Place in `Cs` of the value to mark: a diamond on every error.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        That of the errors; the one of the numbers is its twin.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_path
    >>> ax = Figure().subplots()
    >>> plot_path([0.1, 1.0, 10.0], [0.5, 0.2, 0.3], chosen=1, ax=ax).get_xscale()
    'log'
    """
    Cs = np.asarray(Cs, dtype=np.float64)
    if Cs.ndim != 1 or not len(Cs):
        raise ValueError(f"Cs must be a list of at least one cost; got shape {Cs.shape}")
    if not np.all((Cs > 0) & np.isfinite(Cs)):
        raise ValueError("every value of Cs must be positive and finite")
    named = dict(errors) if isinstance(errors, Mapping) else {"error": errors}
    if not 1 <= len(named) <= len(CURVES):
        raise ValueError(f"errors must be 1 to {len(CURVES)} curves; got {len(named)}")
    curves = {name: _check_values("errors", values, len(Cs)) for name, values in named.items()}
    order = np.argsort(Cs, kind="stable")
    counts = None if n_features is None else _check_values("n_features", n_features, len(Cs))
    if chosen is not None and not 0 <= chosen < len(Cs):
        raise ValueError(f"chosen must be a place in Cs, 0 to {len(Cs) - 1}; got {chosen!r}")

    ax = axes_or_new(ax)
    ax.set_xscale("log")
    handles = []
    for (name, values), colour, marker in zip(curves.items(), CURVES, _MARKERS, strict=False):
        points = Cs[order], values[order], f"-{marker}"
        handles += ax.plot(*points, color=colour, ms=4, lw=1.5, label=name)
        if chosen is not None:
            (diamond,) = ax.plot(Cs[chosen], values[chosen], "D", ms=9, zorder=3, clip_on=False)
            diamond.set(markerfacecolor="none", markeredgecolor="black", markeredgewidth=1.5)
    highest = max(values.max() for values in curves.values())
    ax.set_ylim(-0.02 * max(highest, 0.1), 1.08 * max(highest, 0.1))
    _label_costs(ax, Cs)
    ax.set(xlabel="C", ylabel="balanced error")
    ax.spines["top"].set_visible(False)
    if counts is None:
        ax.spines["right"].set_visible(False)
    else:
        handles.append(_draw_counts(ax, Cs[order], counts[order]))
    if len(handles) > 1:
        add_legend_above(ax, handles)
    return ax


def _label_costs(ax: Axes, Cs: NDArray[Any]) -> None:
    """Plain numbers on short axes, where powers of ten are few and their multiples collide."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    decades = np.log10(Cs.max() / Cs.min())
    if decades > _MOST_DECADES:
        return
    if decades < _LEAST_DECADES:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    else:
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _draw_counts(ax: Axes, Cs: NDArray[Any], counts: NDArray[Any]) -> Any:
    """Number of features on a second axis, behind the errors."""
    from matplotlib.ticker import MaxNLocator

    twin = ax.twinx()
    (line,) = twin.plot(Cs, counts, "--", color=GREY, lw=1.5, label="features")
    twin.set_ylabel("number of features", color=GREY)
    twin.tick_params(axis="y", colors=GREY)
    twin.set_ylim(-0.02 * max(counts.max(), 1), 1.08 * max(counts.max(), 1))
    twin.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    twin.spines["top"].set_visible(False)
    ax.set_zorder(twin.get_zorder() + 1)
    ax.patch.set_visible(False)
    return line


def _check_values(name: str, values: ArrayLike, length: int) -> FloatArray:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (length,):
        raise ValueError(
            f"{name} must have one value for each of the {length} Cs; got shape {values.shape}"
        )
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise ValueError(f"{name} must be finite and not negative")
    return values
