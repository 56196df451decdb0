"""The fewest voxels that tell conditions apart: NIfTI images in, maps out. Needs nilearn."""

from fewest.neuro._events import VolumeLabels, label_volumes
from fewest.neuro._first_level import FirstLevelMaps, estimate_maps
from fewest.neuro._maps import make_map_image
from fewest.neuro._regions import Region, RegionTable, region_table
from fewest.neuro._voxels import FewestVoxels

__all__ = [
    "FewestVoxels",
    "FirstLevelMaps",
    "Region",
    "RegionTable",
    "VolumeLabels",
    "estimate_maps",
    "label_volumes",
    "make_map_image",
    "region_table",
]
