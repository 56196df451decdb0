"""Errors of a judged panel compared with those of other panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fewest.plotting._figures import CURVES, GREY, PALE, axes_or_new, finish, name_rows
from fewest.plotting._names import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.panels import PanelReport
    from fewest.panels._errors import PanelError

_BINS = 24
_TALLEST = 0.8  # of the bars of random panels, in rows


def plot_panel_report(found: PanelReport, *, ax: Axes | None = None) -> Axes:
    """Balanced errors of a panel, of the panel without each feature, and of other panels.

    The first row is the panel as given with its interval, which the shaded band continues. Bars
    in the rows without a feature are one standard error of the difference. Where errors may be
    optimistic, because the panel may have been chosen on these samples, the axis says so.

    Parameters
    ----------
    found : PanelReport
        From `panel_report`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.panels import panel_report
    >>> from fewest.plotting import plot_panel_report
    >>> X, y = make_gaussian(n=40, d=20, k=2, mu=1.0, random_state=0)
    >>> found = panel_report(X, y, [0, 1], n_repeats=1, n_random=5, n_stand_ins=0, best=False)
    >>> ax = plot_panel_report(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['panel as given', 'without feature 0', 'without feature 1']
    """
    whole = found.as_given
    rows = [("panel as given", whole.balanced_error, *_find_ends(whole))]
    for one in found.features:
        error, reach = one.error_without, one.adds.standard_error
        rows.append((f"without {short(one.name)}", error, error - reach, error + reach))
    for name, other in (("best of this size", found.best), ("choice repeated", found.choice)):
        if other is not None:
            rows.append((name, other.errors.balanced_error, *_find_ends(other.errors)))
    names = [name for name, *_ in rows]
    if found.random is not None:
        names.append(f"{len(found.random.errors)} random ones")
    ax = axes_or_new(ax, width=6.0, height=1.2 + 0.32 * len(names))
    name_rows(ax, names)
    ax.axvspan(*_find_ends(whole), color=PALE, alpha=0.35, linewidth=0)
    ax.axvline(whole.balanced_error, color=GREY, linestyle="dotted", linewidth=1.0)
    for place, (_, error, low, high) in enumerate(rows):
        if not place:
            colour = CURVES[1]
        elif place <= len(found.features):
            colour = CURVES[0]
        else:
            colour = CURVES[2]
        ax.plot([max(0.0, low), min(1.0, high)], [place, place], color=colour, linewidth=2.0)
        ax.plot(error, place, "o", color=colour, markersize=7, clip_on=False)
    if found.random is not None:
        _draw_random(ax, found.random.errors, len(rows))
    which = "\nas given and without each feature:\n" if whole.caveat else ""
    finish(ax, f"balanced error on samples left out{which}{whole.caveat}", "")
    ax.spines["left"].set_visible(False)
    ax.set_xlim(left=-0.015 * ax.get_xlim()[1])
    return ax


def _draw_random(ax: Axes, errors: list[float], place: int) -> None:
    """A small histogram that stands on the last row."""
    counts, edges = np.histogram(errors, bins=_BINS)
    heights = _TALLEST * counts / counts.max()
    ax.bar(
        edges[:-1],
        -heights,
        width=np.diff(edges),
        bottom=place + _TALLEST / 2,
        align="edge",
        color=GREY,
    )


def _find_ends(errors: PanelError) -> tuple[float, float]:
    """Both ends of the interval; the error itself where too few groups allow none."""
    found = errors.interval
    if found is None:
        return errors.balanced_error, errors.balanced_error
    return found.low, found.high
