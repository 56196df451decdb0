"""The Potential Support Vector Machine: classification, regression and selection on matrix data."""

from fewest.psvm.epsilon import choose_epsilon
from fewest.psvm.estimators import PotentialSVC, PotentialSVR
from fewest.psvm.path import potential_path
from fewest.psvm.search import PotentialSVCCV, PotentialSVRCV
from fewest.psvm.selector import PotentialSelector
from fewest.psvm.spectrum import SingularMaps, clip_spectrum, find_singular_maps, flip_spectrum
from fewest.psvm.threshold import BestThreshold, find_best_threshold

__all__ = [
    "BestThreshold",
    "PotentialSVC",
    "PotentialSVCCV",
    "PotentialSVR",
    "PotentialSVRCV",
    "PotentialSelector",
    "SingularMaps",
    "choose_epsilon",
    "clip_spectrum",
    "find_best_threshold",
    "find_singular_maps",
    "flip_spectrum",
    "potential_path",
]
