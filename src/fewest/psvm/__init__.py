"""The Potential Support Vector Machine: classification, regression and selection on matrix data."""

from fewest.psvm.estimators import PotentialSVC, PotentialSVR
from fewest.psvm.path import potential_path
from fewest.psvm.search import PotentialSVCCV, PotentialSVRCV
from fewest.psvm.selector import PotentialSelector

__all__ = [
    "PotentialSVC",
    "PotentialSVCCV",
    "PotentialSVR",
    "PotentialSVRCV",
    "PotentialSelector",
    "potential_path",
]
