"""Data sets: the generators used in the papers, and loaders for the public data sets."""

from fewest.datasets.brain import BrainMaps, make_brain
from fewest.datasets.challenge import load_challenge
from fewest.datasets.confounded import make_confounded
from fewest.datasets.loaders import load_brain_tumor, load_colon, load_leukemia, load_madelon
from fewest.datasets.synthetic import (
    make_banana,
    make_gaussian,
    make_modes,
    make_robot_arm,
    make_shattered,
    make_weston,
)

__all__ = [
    "BrainMaps",
    "load_brain_tumor",
    "load_challenge",
    "load_colon",
    "load_leukemia",
    "load_madelon",
    "make_banana",
    "make_brain",
    "make_confounded",
    "make_gaussian",
    "make_modes",
    "make_robot_arm",
    "make_shattered",
    "make_weston",
]
