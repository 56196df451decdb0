"""Figures of every result, and displays in the style of scikit-learn.

Needs matplotlib (``pip install "fewest[plot]"``), which is imported by the first figure. If an
Axes is given, `matplotlib.pyplot` and its global state are not touched.
"""

from fewest.plotting._classes import ClassWeightsDisplay, plot_class_matrix
from fewest.plotting._comparison import plot_comparison, plot_learning_curve
from fewest.plotting._displays import (
    HeatMapDisplay,
    HeldOutConfusionDisplay,
    HeldOutRocDisplay,
    PathDisplay,
    StabilityDisplay,
    WeightsDisplay,
)
from fewest.plotting._errors import (
    plot_confusion,
    plot_permutations,
    plot_roc,
    plot_separability,
    plot_stability,
)
from fewest.plotting._features import (
    plot_heat_map,
    plot_profile,
    plot_stand_ins,
    plot_strip,
    plot_subsets,
    plot_weight_map,
    plot_weights,
)
from fewest.plotting._figures import require_matplotlib
from fewest.plotting._front import plot_error_front
from fewest.plotting._informative import (
    plot_informative,
    plot_overlap,
    plot_overlap_curves,
    plot_probe_error,
    plot_random_subsets,
    plot_selection_error,
    plot_subset_sizes,
)
from fewest.plotting._near_optimal import plot_near_optimal
from fewest.plotting._panels import plot_panel_report
from fewest.plotting._path import plot_error_ratio, plot_path, plot_transvariation
from fewest.plotting._sizes import plot_panel_sizes

__all__ = [
    "ClassWeightsDisplay",
    "HeatMapDisplay",
    "HeldOutConfusionDisplay",
    "HeldOutRocDisplay",
    "PathDisplay",
    "StabilityDisplay",
    "WeightsDisplay",
    "plot_class_matrix",
    "plot_comparison",
    "plot_confusion",
    "plot_error_front",
    "plot_error_ratio",
    "plot_heat_map",
    "plot_informative",
    "plot_learning_curve",
    "plot_near_optimal",
    "plot_overlap",
    "plot_overlap_curves",
    "plot_panel_report",
    "plot_panel_sizes",
    "plot_path",
    "plot_permutations",
    "plot_probe_error",
    "plot_profile",
    "plot_random_subsets",
    "plot_roc",
    "plot_selection_error",
    "plot_separability",
    "plot_stability",
    "plot_stand_ins",
    "plot_strip",
    "plot_subset_sizes",
    "plot_subsets",
    "plot_transvariation",
    "plot_weight_map",
    "plot_weights",
    "require_matplotlib",
]
