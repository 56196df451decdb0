"""Figures of feature profiles, paths over C, transvariation and informative features.

Needs matplotlib (``pip install "fewest[plot]"``), which is imported by the first figure. Where an
Axes is given, `matplotlib.pyplot` and its global state stay untouched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._figures import CURVES, axes_or_new, require_matplotlib
from fewest._validation import check_count
from fewest.plotting_informative import (
    plot_informative,
    plot_overlap,
    plot_overlap_curves,
    plot_probe_error,
    plot_random_subsets,
    plot_selection_error,
    plot_subset_sizes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.transvariation import TransvariationC

__all__ = [
    "plot_informative",
    "plot_overlap",
    "plot_overlap_curves",
    "plot_path",
    "plot_probe_error",
    "plot_profile",
    "plot_random_subsets",
    "plot_selection_error",
    "plot_subset_sizes",
    "plot_transvariation",
    "require_matplotlib",
]

_COUNTS = "#595959"
_MARKERS = ("o", "s", "^", "v")
_LONGEST_NAME = 24
_MOST_FOLD_LABELS = 20


def plot_profile(
    profile: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    n_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Heat map of how often each feature was chosen in each fold (fig. 8.3 of the chapter).

    The most frequent features are shown, the most frequent one at the top; features that no fold
    chose are left out.

    Parameters
    ----------
    profile : array of shape (n_folds, n_features)
        Shares between zero and one, such as `profile_` of `LiknonCV`.
    feature_names : sequence of str, optional
        A name for each column of the profile; the default is its number, from 0.
    n_features : int
        Most features to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar takes its place beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_profile
    >>> ax = Figure().subplots()
    >>> shares = [[0.0, 1.0, 0.2], [0.0, 0.8, 0.0]]
    >>> plot_profile(shares, feature_names=["a", "b", "c"], ax=ax).get_ylabel()
    'feature'
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'c']
    """
    check_count("n_features", n_features)
    shares = _profile(profile)
    names = _names(feature_names, shares.shape[1])
    frequency = shares.mean(axis=0)
    order = np.argsort(-frequency, kind="stable")
    shown = order[: min(n_features, np.count_nonzero(frequency))]
    n_folds = len(shares)

    ax = axes_or_new(ax, height=1.6 + 0.22 * len(shown), width=3.4 + 0.28 * min(n_folds, 20))
    image = ax.imshow(
        shares[:, shown].T, aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest"
    )
    step = -(-n_folds // _MOST_FOLD_LABELS)
    ax.set_xticks(range(0, n_folds, step), [str(fold + 1) for fold in range(0, n_folds, step)])
    ax.set_yticks(range(len(shown)), [_short(names[column]) for column in shown])
    ax.tick_params(length=0)
    # Thin lines between the cells.
    ax.set_xticks(np.arange(0.5, n_folds - 1), minor=True)
    ax.set_yticks(np.arange(0.5, len(shown) - 1), minor=True)
    ax.grid(which="minor", color="0.85", linewidth=0.6)
    ax.tick_params(which="minor", length=0)
    ax.set_xlabel("fold")
    ax.set_ylabel("feature")
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label("share of discriminants with the feature")
    bar.outline.set_visible(False)
    return ax


def plot_path(
    Cs: ArrayLike,
    errors: ArrayLike | Mapping[str, ArrayLike],
    *,
    n_features: ArrayLike | None = None,
    chosen: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Balanced error along a path over C, with the number of features (after fig. 8.5).

    Parameters
    ----------
    Cs : array of shape (n_values,)
        Positive, finite costs, in any order.
    errors : array of shape (n_values,), or mapping from names to such arrays
        Errors between zero and one; names (up to four) go to a legend.
    n_features : array of shape (n_values,), optional
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
    Cs = _costs(Cs)
    order = np.argsort(Cs, kind="stable")
    curves = _curves(errors, len(Cs))
    counts = None if n_features is None else _values("n_features", n_features, len(Cs))
    if chosen is not None and not 0 <= chosen < len(Cs):
        raise ValueError(f"chosen must be a place in Cs, 0 to {len(Cs) - 1}; got {chosen!r}")

    ax = axes_or_new(ax)
    ax.set_xscale("log")
    handles = []
    for (name, values), colour, marker in zip(curves.items(), CURVES, _MARKERS, strict=False):
        handles += ax.plot(
            Cs[order],
            values[order],
            color=colour,
            marker=marker,
            markersize=4,
            linewidth=1.5,
            label=name,
        )
        if chosen is not None:
            ax.plot(
                Cs[chosen],
                values[chosen],
                marker="D",
                markersize=9,
                markerfacecolor="none",
                markeredgecolor="black",
                markeredgewidth=1.5,
                linestyle="none",
                zorder=3,
                clip_on=False,
            )
    highest = max(values.max() for values in curves.values())
    ax.set_ylim(-0.02 * max(highest, 0.1), 1.08 * max(highest, 0.1))
    ax.set_xlabel("C")
    ax.set_ylabel("balanced error")
    ax.spines["top"].set_visible(False)
    if counts is None:
        ax.spines["right"].set_visible(False)
    else:
        handles.append(_draw_counts(ax, Cs[order], counts[order]))
    if len(handles) > 1:
        # Above the plot, where no curve can be behind it.
        ax.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=len(handles),
            frameon=False,
        )
    return ax


def plot_transvariation(
    grid: TransvariationC, *, n_features: int = 100, ax: Axes | None = None
) -> Axes:
    """Total transvariation with the distances chosen for C (fig. 8.6 of the chapter).

    Dashed: t_total(d), the sum of the positive parts of all features' lines |a_j| - N d / 2.
    Dotted: these lines. Diamonds: the chosen distances d_s, of which each gives C = 2 / (N d_s).

    Parameters
    ----------
    grid : TransvariationC
        From `fewest.transvariation.transvariation_grid`.
    n_features : int
        Most lines to show, those of the largest class differences.
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
    >>> from fewest.transvariation import transvariation_grid
    >>> X, y = make_gaussian(n=100, d=10, k=2, mu=1.0, random_state=0)
    >>> ax = plot_transvariation(transvariation_grid(X, y, 8), ax=Figure().subplots())
    >>> len(ax.collections[0].get_segments())
    10
    """
    check_count("n_features", n_features)
    for field in ("differences", "distances", "totals", "curve_distances", "curve_totals"):
        if not hasattr(grid, field):
            raise TypeError(
                "grid must come from fewest.transvariation.transvariation_grid; got "
                f"{type(grid).__name__}"
            )
    largest = np.sort(grid.differences[grid.differences > 0])[::-1][:n_features]
    ax = axes_or_new(ax)
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        [[(0.0, a), (2.0 * a / grid.n_samples, 0.0)] for a in largest],
        colors=CURVES[0],
        linestyles="dotted",
        linewidths=1.0,
        label="features"
        if len(largest) == np.count_nonzero(grid.differences)
        else f"the {len(largest)} largest features",
    )
    ax.add_collection(lines)
    ax.plot(
        grid.curve_distances,
        grid.curve_totals,
        color="black",
        linestyle="dashed",
        linewidth=1.5,
        label="total",
    )
    ax.plot(
        grid.distances,
        grid.totals,
        color=CURVES[1],
        marker="D",
        markersize=6,
        linestyle="none",
        label="chosen",
    )
    ax.set_xlim(0.0, 1.03 * grid.curve_distances[-1])
    ax.set_ylim(0.0, 1.05 * grid.curve_totals[0])
    ax.set_xlabel("distance d between the classes; C = 2 / (N d)")
    ax.set_ylabel("transvariation intensity")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax


def _draw_counts(ax: Axes, Cs: NDArray[Any], counts: NDArray[Any]) -> Any:
    """Number of features on a second axis, behind the errors."""
    from matplotlib.ticker import MaxNLocator

    twin = ax.twinx()
    (line,) = twin.plot(
        Cs, counts, color=_COUNTS, linestyle="dashed", linewidth=1.5, label="features"
    )
    twin.set_ylabel("number of features", color=_COUNTS)
    twin.tick_params(axis="y", colors=_COUNTS)
    twin.set_ylim(-0.02 * max(counts.max(), 1), 1.08 * max(counts.max(), 1))
    twin.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    twin.spines["top"].set_visible(False)
    ax.set_zorder(twin.get_zorder() + 1)
    ax.patch.set_visible(False)
    return line


def _profile(profile: ArrayLike) -> NDArray[np.float64]:
    shares = np.asarray(profile, dtype=np.float64)
    if shares.ndim != 2 or not shares.size:
        raise ValueError(
            f"profile must have one row a fold and one column a feature; got shape {shares.shape}"
        )
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError("profile must hold shares between zero and one")
    if not shares.any():
        raise ValueError("profile is zero everywhere: no fold chose any feature")
    return shares


def _names(names: Sequence[str] | None, n_features: int) -> list[str]:
    if names is None:
        return [str(column) for column in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names for {n_features} features")
    return [str(name) for name in names]


def _short(name: str) -> str:
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return name.replace("$", r"\$")  # else matplotlib takes it for a formula


def _costs(Cs: ArrayLike) -> NDArray[np.float64]:
    Cs = np.asarray(Cs, dtype=np.float64)
    if Cs.ndim != 1 or not len(Cs):
        raise ValueError(f"Cs must be a list of at least one cost; got shape {Cs.shape}")
    if not np.all((Cs > 0) & np.isfinite(Cs)):
        raise ValueError("every value of Cs must be positive and finite")
    return Cs


def _curves(errors: Any, length: int) -> dict[str, NDArray[np.float64]]:
    named = dict(errors) if isinstance(errors, Mapping) else {"error": errors}
    if not 1 <= len(named) <= len(CURVES):
        raise ValueError(f"errors must be 1 to {len(CURVES)} curves; got {len(named)}")
    return {name: _values("errors", values, length) for name, values in named.items()}


def _values(name: str, values: ArrayLike, length: int) -> NDArray[np.float64]:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (length,):
        raise ValueError(
            f"{name} must have one value for each of the {length} Cs; got shape {values.shape}"
        )
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise ValueError(f"{name} must be finite and not negative")
    return values
