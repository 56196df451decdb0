"""Errors, number of features and transvariation along C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.validation import check_count, check_list, check_not_negative
from fewest._types import FloatArray
from fewest.plotting._figures import CURVES, GREY, add_legend_above, axes_or_new, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.machines.transvariation import TransvariationC

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
    """Balanced error along a path over C, with the number of features.

    It follows fig. 8.5 of Pranckeviciene & Somorjai (2011).

    Parameters
    ----------
    Cs : array of shape (n_Cs,)
        Positive, finite costs, in any order.
    errors : array of shape (n_Cs,), or mapping from names to such arrays
        Errors between zero and one; names (up to four) are shown in a legend.
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
    Cs = check_list("Cs", Cs)
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
    if counts is not None:
        handles.append(_draw_counts(ax, Cs[order], counts[order]))
    if len(handles) > 1:
        add_legend_above(ax, handles)
    return finish(ax, "C", "balanced error")


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
    values = check_list(name, values, check_not_negative)
    if len(values) != length:
        raise ValueError(f"{name} must have {length} values, one per C; got {len(values)}")
    return values


def plot_error_ratio(
    ratios: ArrayLike,
    errors: ArrayLike,
    *,
    chosen: int | None = None,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    r"""Error along a path against lr, the logarithm of its ratio of overlap to class difference.

    .. math:: lr = \log_{10} \frac{\|w\|}{\|a\| \cos(w, a)}

    It is the upper part of fig. 8.5 of Pranckeviciene & Somorjai (2011): on this axis paths of
    different machines can be compared, although C has different meanings. To draw several paths,
    pass the same Axes again.

    Parameters
    ----------
    ratios : array of shape (n_Cs,)
        `ratios` of `LiknonPath`, of `SVMPath` or of a path of `LiknonCV`. Solutions without
        features (NaN) are left out.
    errors : array of shape (n_Cs,)
        Errors between zero and one, such as `monitoring_ber`.
    chosen : int, optional
        Place of the solution to mark with a diamond.
    label : str, optional
        Name of the path, for a legend.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_error_ratio
    >>> ratios = [float("nan"), 0.001, 0.1]
    >>> ax = plot_error_ratio(ratios, [0.5, 0.2, 0.3], chosen=1, ax=Figure().subplots())
    >>> ax.lines[0].get_xdata().tolist()
    [-3.0, -1.0]
    """
    sizes = np.asarray(ratios, dtype=np.float64)
    known = np.isfinite(sizes)
    if sizes.ndim != 1 or not known.any() or np.any(sizes[known] <= 0):
        raise ValueError("ratios must be positive numbers, or NaN for solutions without features")
    values = _check_values("errors", errors, len(sizes))
    if chosen is not None and not (0 <= chosen < len(sizes) and known[chosen]):
        raise ValueError(f"chosen must be the place of a solution with features; got {chosen!r}")
    ax = axes_or_new(ax)
    drawn = sum(line.get_marker() == "o" for line in ax.lines)  # diamonds do not count
    colour = CURVES[drawn % len(CURVES)]
    order = np.argsort(sizes[known], kind="stable")
    lr = np.log10(sizes[known])[order]
    ax.plot(lr, values[known][order], "-o", color=colour, ms=3, lw=1.2, label=label)
    if chosen is not None:
        mark: dict[str, Any] = {"mfc": "none", "mec": "black", "mew": 1.5, "zorder": 3}
        ax.plot(np.log10(sizes[chosen]), values[chosen], "D", ms=9, **mark)
    if label is not None:
        ax.legend(frameon=False)
    return finish(ax, "lr = log10 of the ratio", "balanced error")


def plot_transvariation(
    grid: TransvariationC, *, n_features: int = 100, ax: Axes | None = None
) -> Axes:
    """Total transvariation with the distances chosen for C.

    It is fig. 8.6 of Pranckeviciene & Somorjai (2011).
    Dashed: t_total(d), the sum of the positive parts of all features' lines |a_j| - N d / 2.
    Dotted: these lines. Diamonds: the chosen distances d_s, each of which gives C = 2 / (N d_s).

    Parameters
    ----------
    grid : TransvariationC
        From `fewest.machines.transvariation.transvariation_grid`.
    n_features : int
        Largest number of lines to show, those with the largest class differences.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import plot_transvariation
    >>> from fewest.machines.transvariation import transvariation_grid
    >>> X, y = make_gaussian(n=100, d=10, k=2, mu=1.0, random_state=0)
    >>> ax = plot_transvariation(transvariation_grid(X, y, 8), ax=Figure().subplots())
    >>> len(ax.collections[0].get_segments())
    10
    """
    from fewest.machines.transvariation import TransvariationC  # heavy

    check_count("n_features", n_features)
    if not isinstance(grid, TransvariationC):
        raise TypeError(
            "grid must come from fewest.machines.transvariation.transvariation_grid; got "
            f"{type(grid).__name__}"
        )
    largest = np.sort(grid.differences[grid.differences > 0])[::-1][:n_features]
    ax = axes_or_new(ax)
    from matplotlib.collections import LineCollection

    label = f"the {len(largest)} largest features"
    if len(largest) == np.count_nonzero(grid.differences):
        label = "features"
    lines = [[(0.0, a), (2.0 * a / grid.n_samples, 0.0)] for a in largest]
    ax.add_collection(LineCollection(lines, colors=CURVES[0], ls="dotted", lw=1.0, label=label))
    ax.plot(grid.curve_distances, grid.curve_totals, "k--", lw=1.5, label="total")
    ax.plot(grid.distances, grid.totals, "D", color=CURVES[1], ms=6, label="chosen")
    ax.legend(frameon=False)
    return finish(
        ax,
        "distance d between the classes; C = 2 / (N d)",
        "transvariation intensity",
        xlim=(0.0, 1.03 * grid.curve_distances[-1]),
        ylim=(0.0, 1.05 * grid.curve_totals[0]),
    )
