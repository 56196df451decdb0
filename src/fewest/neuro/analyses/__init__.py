"""Which conditions can be told apart, when, at what resolution, and by how many voxels.

Plain functions on samples x voxels, classes and groups (participants or runs). In every fold one
group is left out, the machine selects its voxels on the others, and is judged on the one.
"""

from fewest.neuro.analyses._performance import Performance
from fewest.neuro.analyses.map_overlap import MapOverlap, map_overlap
from fewest.neuro.analyses.one_vs_all import OneVsAll, averaged_rest, one_vs_all
from fewest.neuro.analyses.pairs import AllPairs, Pair, all_pairs
from fewest.neuro.analyses.permuted import PermutedPair, PermutedPairs, permuted_pairs
from fewest.neuro.analyses.resolutions import Resolution, Resolutions, resolutions
from fewest.neuro.analyses.time_slices import TimeSlices, time_slices

__all__ = [
    "AllPairs",
    "MapOverlap",
    "OneVsAll",
    "Pair",
    "Performance",
    "PermutedPair",
    "PermutedPairs",
    "Resolution",
    "Resolutions",
    "TimeSlices",
    "all_pairs",
    "averaged_rest",
    "map_overlap",
    "one_vs_all",
    "permuted_pairs",
    "resolutions",
    "time_slices",
]
