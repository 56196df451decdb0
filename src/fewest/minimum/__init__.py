"""The certified smallest set of features that separates all classes, and whether any set does.

Also the fewest errors for each number of features, where no small set separates two classes.
"""

from fewest.minimum._claims import Verification
from fewest.minimum._features import minimum_features
from fewest.minimum._front import ErrorFront, error_front
from fewest.minimum._near import NearOptimalSets, near_optimal_sets
from fewest.minimum._result import MinimumResult
from fewest.minimum._ruled_proofs import RuledMinimum
from fewest.minimum._separability import Separability, decide_separability

__all__ = [
    "ErrorFront",
    "MinimumResult",
    "NearOptimalSets",
    "RuledMinimum",
    "Separability",
    "Verification",
    "decide_separability",
    "error_front",
    "minimum_features",
    "near_optimal_sets",
]
