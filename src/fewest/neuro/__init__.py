"""The fewest voxels that tell conditions apart: NIfTI images in, maps out. Needs nilearn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.neuro.regions import Region, RegionTable, region_table
    from fewest.neuro.voxels import FewestVoxels

__all__ = ["FewestVoxels", "Region", "RegionTable", "region_table"]

# Imported on first use, as in `fewest`.
_HOMES = {
    "FewestVoxels": "fewest.neuro.voxels",
    "Region": "fewest.neuro.regions",
    "RegionTable": "fewest.neuro.regions",
    "region_table": "fewest.neuro.regions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest.neuro' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
