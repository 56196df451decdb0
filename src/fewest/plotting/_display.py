"""What the displays share: where they were drawn, and the names of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewest.plotting._labels import feature_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass
class Display:
    """`ax_` and `figure_` are those of the last `plot`."""

    ax_: Axes = field(init=False, repr=False, compare=False)
    figure_: Figure = field(init=False, repr=False, compare=False)

    def _drawn(self, ax: Axes) -> Any:
        self.ax_, self.figure_ = ax, ax.figure
        return self


def names_of_features(
    estimator: Any, feature_names: Sequence[str] | None, n_features: int
) -> list[str]:
    """Those given, those the estimator was fitted with, or the columns' numbers."""
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    return feature_labels(feature_names, n_features)
