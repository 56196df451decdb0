"""How many features carry information, and baselines to compare with."""

from fewest.informative._estimates import (
    ChanceBand,
    Purity,
    Sigmoid,
    chance_band,
    fit_sigmoid,
    purify,
)
from fewest.informative._fold_run import FoldCurves
from fewest.informative._probe import RandomSubsets, random_subset_errors
from fewest.informative._run import InformativeFeatures, informative_features
from fewest.informative._univariate import (
    Overlap,
    TMap,
    informative_share,
    overlap_curve,
    overlap_table,
    t_map,
)

__all__ = [
    "ChanceBand",
    "FoldCurves",
    "InformativeFeatures",
    "Overlap",
    "Purity",
    "RandomSubsets",
    "Sigmoid",
    "TMap",
    "chance_band",
    "fit_sigmoid",
    "informative_features",
    "informative_share",
    "overlap_curve",
    "overlap_table",
    "purify",
    "random_subset_errors",
    "t_map",
]
