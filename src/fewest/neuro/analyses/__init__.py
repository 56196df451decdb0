"""Which conditions can be told apart, when, at what resolution, and by how many voxels.

Plain functions on samples x voxels, classes and groups (participants or runs). In every fold one
group is left out, the machine selects its voxels on the others, and is judged on that one.
"""

from fewest.neuro.analyses._consensus import Consensus, find_consensus, join_consensus
from fewest.neuro.analyses._map_overlap import MapOverlap, map_overlap
from fewest.neuro.analyses._one_vs_all import OneVsAll, average_rest, one_vs_all
from fewest.neuro.analyses._pairs import (
    AllPairs,
    Pair,
    PermutedPair,
    PermutedPairs,
    all_pairs,
    permuted_pairs,
)
from fewest.neuro.analyses._performance import Performance
from fewest.neuro.analyses._repeated import (
    RepeatedSelection,
    RepeatedSelections,
    repeat_one_vs_all,
    repeat_pairs,
    repeat_resolutions,
    repeat_time_slices,
)
from fewest.neuro.analyses._series import (
    Resolution,
    Resolutions,
    TimeSlices,
    resolutions,
    time_slices,
)

__all__ = [
    "AllPairs",
    "Consensus",
    "MapOverlap",
    "OneVsAll",
    "Pair",
    "Performance",
    "PermutedPair",
    "PermutedPairs",
    "RepeatedSelection",
    "RepeatedSelections",
    "Resolution",
    "Resolutions",
    "TimeSlices",
    "all_pairs",
    "average_rest",
    "find_consensus",
    "join_consensus",
    "map_overlap",
    "one_vs_all",
    "permuted_pairs",
    "repeat_one_vs_all",
    "repeat_pairs",
    "repeat_resolutions",
    "repeat_time_slices",
    "resolutions",
    "time_slices",
]
