"""Curves of repetitive selection for several times, levels or pairs in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._estimators.validation import check_choice
from fewest._wording import cut
from fewest.plotting._figures import axes_or_new, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fewest.neuro.analyses import RepeatedSelections

_LABELS = {
    "sizes": "voxels of a repetition",
    "selection_error": "error of the machine",
    "probe_error": "error of an SVM on the voxels that remain",
}
_CHANCE = 0.5


def plot_repeated(
    repeated: RepeatedSelections, what: str = "sizes", *, ax: Axes | None = None
) -> Axes:
    """One curve per part against the share of voxels removed (Klement's thesis, figs. 6.17, 6.21).

    Parameters
    ----------
    repeated : RepeatedSelections
        From a function `fewest.neuro.analyses.repeat_...`.
    what : {"sizes", "selection_error", "probe_error"}
        Voxels of each repetition, the error of its machine, or the error of a support vector
        machine on the voxels that remain, with its sigmoid dashed (figs. 6.14 and 6.18).
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from fewest.neuro.analyses import repeat_time_slices
    >>> from fewest.neuro.pictures import plot_repeated
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "fear"], 20), np.repeat(np.arange(4), 10)
    >>> X = rng.standard_normal((40, 2, 60))
    >>> found = repeat_time_slices(None, X, y, groups=groups, times=["2 s", "6 s"], probe=None)
    >>> ax = plot_repeated(found, ax=Figure().subplots())
    >>> ax.get_ylabel(), ax.get_legend_handles_labels()[1]
    ('voxels of a repetition', ['2 s', '6 s'])
    """
    check_choice("what", what, tuple(_LABELS))
    if what == "probe_error" and any(part.found.probe_error is None for part in repeated.parts):
        raise ValueError("there is no probe error to draw: leave out probe=None")
    require_matplotlib()
    from matplotlib import colormaps

    ax = axes_or_new(ax)
    colours = colormaps["viridis"](np.linspace(0.0, 0.9, len(repeated.parts)))
    one_pair = len({part.name for part in repeated.parts}) == 1
    for part, colour in zip(repeated.parts, colours, strict=True):
        found: Any = part.found
        x = 100 * found.fraction
        label = _label(part, one_pair)
        ax.plot(x, getattr(found, what), color=colour, drawstyle="steps-pre", label=label)
        if what == "probe_error":
            ax.plot(x, found.restricted(found.fraction), color=colour, linestyle="dashed")
    if what == "sizes":
        ax.set_ylim(bottom=0)
    else:
        ax.axhline(_CHANCE, color="grey", linewidth=0.8)
    ax.set_xlabel("voxels removed (%)")
    ax.set_ylabel(_LABELS[what])
    ax.legend(frameon=False)
    return ax


def _label(part: Any, one_pair: bool) -> str:
    """The time or level, behind the pair where there are several."""
    if part.place is None:
        return part.name
    place = f"level {part.place}" if part.grid is not None else cut(part.place)
    return place if one_pair else f"{part.name}, {place}"
