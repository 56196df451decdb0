"""The fewest voxels that tell conditions apart: NIfTI images in, maps out. Needs nilearn."""

from fewest.neuro._maps import make_map_image
from fewest.neuro._regions import Region, RegionTable, region_table
from fewest.neuro._voxels import FewestVoxels

__all__ = ["FewestVoxels", "Region", "RegionTable", "make_map_image", "region_table"]
