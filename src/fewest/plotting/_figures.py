"""What the figures share: colours, names, where to draw, and how axes look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._run.versions import require_package
from fewest._types import IndexArray
from fewest.plotting._names import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's colours, which people with any colour vision can tell apart; grey instead of their
# black, which dark pages hide.
CURVES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
CLASSES = (*CURVES, "#E69F00", "#56B4E9", "#8A8A8A")
GREY, PALE = "#595959", "#BFBFBF"
STYLES = ("solid", "dashed", "dashdot", "dotted")


def feature_labels(names: Sequence[str] | None, n_features: int) -> list[str]:
    """The names as text, or the numbers of the columns."""
    if names is None:
        return [str(column) for column in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names for {n_features} features")
    return [str(name) for name in names]


def require_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib, if it is not there."""
    require_package("matplotlib", "figures", "plot")


def axes_or_new(ax: Axes | None, *, width: float = 6.4, height: float = 4.4) -> Axes:
    """The Axes, or those of a new figure of pyplot."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def finish(ax: Axes, xlabel: str, ylabel: str, **properties: Any) -> Axes:
    """Labels and other properties of the axes, and no frame above and at the right."""
    ax.set(xlabel=xlabel, ylabel=ylabel, **properties)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Names at the left, the first at the top, and no frame but the axis below."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def open_ranking(
    values: NDArray[Any], feature_names: Sequence[str] | None, ax: Axes | None, *, most: int
) -> tuple[Axes, IndexArray]:
    """Axes with one named row per feature, the largest absolute value at the top; their order."""
    names = feature_labels(feature_names, len(values))
    order = np.argsort(-np.abs(values), kind="stable")[:most]
    ax = axes_or_new(ax, width=5.0, height=0.9 + 0.26 * len(order))
    name_rows(ax, [short(names[column]) for column in order])
    return ax, order


def mark_whole_numbers(*axes: Axis) -> None:
    """No ticks between whole numbers."""
    for axis in axes:
        locator: Any = axis.get_major_locator()
        locator.set_params(integer=True)


def add_legend_above(
    ax: Axes, handles: Sequence[Any] | None = None, *, n_columns: int | None = None
) -> None:
    """A legend above the plot, where no curve can be behind it; in one line by default."""
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    above: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    ax.legend(handles=handles, ncols=n_columns or len(handles), frameon=False, **above)


def add_colour_bar(ax: Axes, image: Any, label: str, **settings: Any) -> Axes:
    """What the colours mean, beside an image without ticks and frame."""
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, **settings)
    bar.set_label(label)
    bar.outline.set_visible(False)
    return ax
