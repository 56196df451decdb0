"""Repetitive selection, probes and their baselines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.plotting._figures import (
    CURVES,
    GREY,
    PALE,
    STYLES,
    axes_or_new,
    finish,
    require_matplotlib,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures, Overlap, RandomSubsets, Sigmoid, TMap

_SHARES = (0.025, 0.05, 0.2, 0.34)
_STEPS: dict[str, Any] = {"color": CURVES[0], "drawstyle": "steps-pre"}


def plot_informative(
    found: InformativeFeatures, univariate: TMap | None = None, *, figure: Figure | None = None
) -> Figure:
    """All curves in one figure (Klement, Anders & Martinetz 2013, fig. 4).

    (a) features of each repetition, (b) their overlap with a t-map, (c) the error of the machines
    that found them, and (d) the error of a support vector machine on the remaining features.

    Parameters
    ----------
    found : InformativeFeatures
        From `fewest.informative.informative_features`.
    univariate : TMap, optional
        From `fewest.informative.t_map`, for (b).
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.plotting import plot_informative
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> [ax.get_ylabel() for ax in plot_informative(found, figure=Figure()).axes]
    ['features', 'error']
    """
    require_matplotlib()
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure()
    draw: list[Callable[..., Axes]] = [partial(plot_subset_sizes, found)]
    if univariate is not None:
        draw.append(partial(plot_overlap_curves, found, univariate))
    draw.append(partial(plot_selection_error, found))
    if found.probe_error is not None:
        draw.append(partial(plot_probe_error, found))
    n_rows = -(-len(draw) // 2)
    figure.set_size_inches(10.0, 3.7 * n_rows)
    figure.set_layout_engine("constrained")
    for place, function in enumerate(draw):
        ax = function(ax=figure.add_subplot(n_rows, 2, place + 1))
        ax.set_title(f"({'abcd'[place]}) {ax.get_title(loc='left')}", loc="left")
    return figure


def plot_subset_sizes(found: InformativeFeatures, *, ax: Axes | None = None) -> Axes:
    """Features of each repetition against the share removed (Klement et al. 2013, fig. 4a).

    Parameters
    ----------
    found : InformativeFeatures
        From `fewest.informative.informative_features`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.plotting import plot_subset_sizes
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> plot_subset_sizes(found, ax=Figure().subplots()).get_ylabel()
    'features'
    """
    ax = axes_or_new(ax)
    ax.plot(100 * found.fraction, found.sizes, **_STEPS)
    ax.set_ylim(bottom=0)
    return _finish_curve(ax, found, "size of the subsets", "features")


def plot_overlap_curves(
    found: InformativeFeatures,
    univariate: TMap,
    shares: Sequence[float] = _SHARES,
    *,
    ax: Axes | None = None,
) -> Axes:
    """How much of each repetition is in the top of a t-map (Klement et al. 2013, fig. 4b).

    Parameters
    ----------
    found : InformativeFeatures
        From `fewest.informative.informative_features`.
    univariate : TMap
        From `fewest.informative.t_map`.
    shares : sequence of float
        Shares of all features that count as its top; four at most.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, t_map
    >>> from fewest.plotting import plot_overlap_curves
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> ax = plot_overlap_curves(found, univariate, [0.1], ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['top 10 %']
    """
    from fewest.informative import overlap_curve  # heavy

    if not 1 <= len(shares) <= len(CURVES):
        raise ValueError(f"shares must be 1 to {len(CURVES)} numbers; got {len(shares)}")
    ax = axes_or_new(ax)
    for share, colour, style in zip(sorted(shares), CURVES, STYLES, strict=False):
        y, label = 100 * overlap_curve(found, univariate, share), f"top {100 * share:g} %"
        ax.plot(100 * found.fraction, y, ls=style, color=colour, label=label)
    ax.set_ylim(0, 102)
    ax.legend(frameon=False)
    return _finish_curve(ax, found, "overlap with the t-map", "features in its top (%)")


def plot_selection_error(found: InformativeFeatures, *, ax: Axes | None = None) -> Axes:
    """Error of the machine of each repetition on left-out samples (Klement et al. 2013, fig. 4c).

    Parameters
    ----------
    found : InformativeFeatures
        From `fewest.informative.informative_features`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.plotting import plot_selection_error
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> plot_selection_error(found, ax=Figure().subplots()).get_ylabel()
    'error'
    """
    ax = axes_or_new(ax)
    ax.plot(100 * found.fraction, found.selection_error, **_STEPS)
    _draw_chance(ax, found.selection_error, found.chance)
    return _finish_curve(ax, found, "machines of the repetitions", "error")


def plot_probe_error(found: InformativeFeatures, *, ax: Axes | None = None) -> Axes:
    """Error on the remaining features, with sigmoid and estimate (Klement et al. 2013, fig. 4d).

    Dashed: the fitted sigmoid. Dash-dotted: the line through its inflexion, which reaches chance at
    the estimate, a black dot. Grey: errors for permuted labels, without the smallest and the
    largest 5 % of them.

    Parameters
    ----------
    found : InformativeFeatures
        From `fewest.informative.informative_features`, with a probe.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.plotting import plot_probe_error
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, n_permutations=0)
    >>> ax = plot_probe_error(found, ax=Figure().subplots())
    >>> ax.get_legend_handles_labels()[1]
    ['SVM on the rest', 'sigmoid']
    """
    if found.probe_error is None or found.sigmoid is None:
        raise ValueError("there is no probe error to draw: leave out probe=None")
    ax = axes_or_new(ax)
    x = 100 * found.fraction
    if found.band is not None:
        band = (x, found.band.lower, found.band.upper)
        ax.fill_between(*band, color=PALE, alpha=0.5, linewidth=0, label="chance")
    ax.plot(x, found.probe_error, label="SVM on the rest", **_STEPS)
    ax.plot(x, found.sigmoid(found.fraction), color=CURVES[1], linestyle="dashed", label="sigmoid")
    _draw_chance(ax, found.probe_error, found.chance)
    _draw_crossing(ax, found.sigmoid)
    ax.legend(frameon=False, loc="lower right")
    return _finish_curve(ax, found, "SVM on the features that remain", "error")


def plot_random_subsets(found: RandomSubsets, *, ax: Axes | None = None) -> Axes:
    """Box plot of the errors on random subsets of features.

    It is fig. 3 of Klement, Anders & Martinetz (2013).

    Parameters
    ----------
    found : RandomSubsets
        From `fewest.informative.random_subset_errors`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.informative import random_subset_errors
    >>> from fewest.plotting import plot_random_subsets
    >>> X, y = make_gaussian(n=60, d=64, k=32, mu=0.5, random_state=0)
    >>> found = random_subset_errors(X, y, n_features=[1, 8, 64], n_subsets=5)
    >>> ax = plot_random_subsets(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '8', '64']
    """
    ax = axes_or_new(ax)
    ax.boxplot(
        list(found.errors),
        tick_labels=[f"{size:,}" for size in found.n_features],
        patch_artist=True,
        boxprops={"facecolor": CURVES[0], "alpha": 0.35, "edgecolor": CURVES[0]},
        medianprops={"color": "black"},
        flierprops={"marker": ".", "markersize": 4, "markeredgecolor": GREY},
    )
    _draw_chance(ax, found.errors.ravel(), found.chance)
    if len(found.n_features) > 10:
        ax.tick_params(axis="x", rotation=45)
    return finish(ax, "features drawn at random", "cross-validated error")


def plot_overlap(rows: Sequence[Overlap], *, ax: Axes | None = None) -> Axes:
    """Observed and expected overlap with a t-map (Klement, Anders & Martinetz 2013, table 3).

    Parameters
    ----------
    rows : sequence of Overlap
        From `fewest.informative.overlap_table`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, overlap_table, t_map
    >>> from fewest.plotting import plot_overlap
    >>> maps = make_brain(3, 2, n_voxels=60, strength=2.0, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> rows = overlap_table(found, univariate, shares=[0.1])
    >>> plot_overlap(rows, ax=Figure().subplots()).get_ylabel()
    'overlap (%)'
    """
    if not rows:
        raise ValueError("there is no overlap to draw: name smaller shares")
    ax = axes_or_new(ax)
    places = np.arange(len(rows))
    for shift, name, colour in ((-0.2, "observed", CURVES[0]), (0.2, "expected", PALE)):
        values = [100 * getattr(row, name) for row in rows]
        bars = ax.bar(places + shift, values, width=0.38, color=colour, label=name)
        ax.bar_label(bars, fmt="%.1f", fontsize="small")
    ax.set_xticks(places, [f"{100 * row.share:g} %\np = {row.p_value:.2g}" for row in rows])
    ax.legend(frameon=False, loc="upper left")
    label = "features of either kind, and the largest p-value among them"
    return finish(ax, label, "overlap (%)", ylim=(0, 108))


def _draw_chance(ax: Axes, errors: Any, chance: float) -> None:
    ax.axhline(chance, ls=":", color=GREY, lw=1.0)
    ax.set_ylim(-0.01, max(chance + 0.12, 1.05 * float(np.max(errors))))


def _draw_crossing(ax: Axes, sigmoid: Sigmoid) -> None:
    """The line from where it leaves zero to chance, and the dot where it meets that."""
    if not 0.0 <= sigmoid.crossing <= 1.0:
        return
    crossing = 100 * sigmoid.crossing
    ends = np.array([max(0.0, sigmoid.crossing - sigmoid.chance / sigmoid.slope), sigmoid.crossing])
    ax.plot(100 * ends, sigmoid.line(ends), "k-.", lw=1.0)
    ax.plot(crossing, sigmoid.chance, "ko", ms=5, zorder=3)
    beside: dict[str, Any] = {"xytext": (-4, 6), "textcoords": "offset points", "ha": "right"}
    ax.annotate(f"{crossing:.0f} %", (crossing, sigmoid.chance), **beside)


def _finish_curve(ax: Axes, found: InformativeFeatures, title: str, y_label: str) -> Axes:
    ax.set_title(title, loc="left", fontsize="medium")
    return finish(ax, "features removed (%)", y_label, xlim=(0, 100 * found.fraction[-1]))
