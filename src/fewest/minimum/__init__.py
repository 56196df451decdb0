"""The certified smallest set of features that separates all classes, and whether any set does."""

from fewest.minimum._features import minimum_features
from fewest.minimum._near import NearOptimalSets, near_optimal_sets
from fewest.minimum._result import MinimumResult
from fewest.minimum._ruled_proofs import RuledMinimum
from fewest.minimum._separability import Separability, decide_separability

__all__ = [
    "MinimumResult",
    "NearOptimalSets",
    "RuledMinimum",
    "Separability",
    "decide_separability",
    "minimum_features",
    "near_optimal_sets",
]
