"""The result of `fewest brain`: that of all commands, and a part about the brain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewest.report.content import Content

if TYPE_CHECKING:
    from fewest.neuro import Region
    from fewest.neuro._tables import Voxel


@dataclass(frozen=True)
class Brain:
    """What was read, and where the voxels are; None for what was not asked for.

    `n_voxels` are those in the mask; the features of the result are what is left of them after
    downsampling. `left_out` names the groups of every fold.
    """

    images: list[str]
    mask: str | None
    shape: list[int]
    n_voxels: int
    voxels: list[Voxel]
    left_out: list[str] | None
    regions: list[Region] | None
    files: list[str]


@dataclass(frozen=True, kw_only=True)
class BrainContent(Content):
    """The whole result."""

    brain: Brain
