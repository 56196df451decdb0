"""What the figures share: colours, and where to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people with any colour vision can tell apart.
CURVES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
CLASSES = (*CURVES, "#E69F00", "#56B4E9", "#000000")
GREY, PALE = "#595959", "#BFBFBF"


def require_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib, if it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'figures need matplotlib, which is not installed: pip install "fewest[plot]"'
        ) from error


def axes_or_new(ax: Axes | None, *, width: float = 6.4, height: float = 4.4) -> Axes:
    """The Axes, or those of a new figure of pyplot."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax
