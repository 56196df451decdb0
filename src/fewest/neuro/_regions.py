"""Which regions of an atlas the voxels of a map are in, counted by hemisphere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._cells import protect_cell
from fewest._showing import Shown
from fewest.neuro._images import has_affine_of, load_image, require_nilearn, values_of

if TYPE_CHECKING:
    import pandas
    from nibabel.spatialimages import SpatialImage

SIDES = ("left", "right", "midline")
UNASSIGNED = "Unassigned"
_MIDLINE = 1e-3  # millimetres: a voxel centre this near to x = 0 is in neither hemisphere


@dataclass(frozen=True)
class Region:
    """A region and its voxels of the map.

    Attributes
    ----------
    label : int
        Its value in the atlas; 0 for voxels that are in no region.
    name : str
        Its name.
    left, right, midline : int
        Voxels with x below zero, above zero, and at zero (in millimetres).
    left_share, right_share, midline_share : float
        The same as shares of all voxels of the map.
    size : int
        Voxels of the region on the grid of the map, in the map or not.
    """

    label: int
    name: str
    left: int
    right: int
    midline: int
    left_share: float
    right_share: float
    midline_share: float
    size: int

    @property
    def total(self) -> int:
        """Voxels in both hemispheres and between."""
        return self.left + self.right + self.midline


@dataclass(frozen=True, repr=False)
class RegionTable(Shown):
    """Regions with at least one voxel of the map, the one with most of them first.

    Attributes
    ----------
    regions : tuple of Region
        The rows; voxels in no region are counted in the last one, "Unassigned".
    n_voxels : int
        Voxels of the map.
    """

    regions: tuple[Region, ...]
    n_voxels: int

    def merge_small(self, least: float = 0.01) -> RegionTable:
        """The same with small regions in one last row, "Other regions" (label -1).

        Parameters
        ----------
        least : float
            Smallest share of the voxels, in both hemispheres together, of a region with a row of
            its own.
        """
        large = [row for row in self.regions if row.total >= least * self.n_voxels]
        small = [row for row in self.regions if row not in large]
        if small:
            sides = [sum(getattr(row, side) for row in small) for side in SIDES]
            size = sum(row.size for row in small)
            large.append(_make_region(-1, "Other regions", sides, size, self.n_voxels))
        return RegionTable(tuple(large), self.n_voxels)

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a data frame."""
        import pandas

        return pandas.DataFrame(self.regions, columns=[field.name for field in fields(Region)])

    def to_csv(self, *, raw: bool = False) -> str:
        """The rows as text, with commas and a header.

        Parameters
        ----------
        raw : bool, default=False
            Write names as they are that spreadsheets may take for formulas; by default they get an
            apostrophe in front.

        Returns
        -------
        str
        """
        frame = self.to_frame()
        if not raw:
            frame["name"] = frame["name"].map(protect_cell)
        return frame.to_csv(index=False, lineterminator="\n")


def region_table(
    map_img: Any, atlas_img: Any, labels: Mapping[int, str] | Sequence[str] | None = None
) -> RegionTable:
    """Count the voxels of a map in every region of an atlas, by hemisphere.

    Shares refer to all voxels of the map, as in table 2 of Klement et al. (2013).

    Parameters
    ----------
    map_img : 3-D image or file
        Its voxels are those that are not zero (a support, ranking or consistency map, say).
    atlas_img : 3-D image or file
        One whole number per voxel, 0 for none; brought on the grid of the map by nearest neighbour.
        Both must be in one space whose x axis points to the right and is zero between the
        hemispheres, such as MNI space.
    labels : dict or sequence of str, optional
        Names by value; a sequence has the name of value i at place i (0 is the background), as
        nilearn's atlases have it.

    Returns
    -------
    RegionTable

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), table 2.

    Examples
    --------
    >>> import nibabel
    >>> import numpy as np
    >>> from fewest.neuro import region_table
    >>> affine = np.diag([2.0, 2.0, 2.0, 1.0])
    >>> affine[0, 3] = -3.0  # x = -3, -1, 1, 3
    >>> atlas = np.ones((4, 1, 1), dtype="int16")
    >>> found = np.array([1, 0, 1, 1], dtype="int16").reshape(4, 1, 1)
    >>> table = region_table(
    ...     nibabel.Nifti1Image(found, affine), nibabel.Nifti1Image(atlas, affine), {1: "Cortex"}
    ... )
    >>> [(row.name, row.left, row.right, round(row.right_share, 3)) for row in table.regions]
    [('Cortex', 1, 2, 0.667)]
    """
    require_nilearn()
    from nibabel.affines import apply_affine

    map_img = load_image(map_img, "map_img")
    found = np.nan_to_num(values_of(map_img)) != 0
    regions = _move_to_grid(load_atlas(atlas_img), map_img)
    x = apply_affine(map_img.affine, np.argwhere(found))[:, 0]
    side = np.where(np.abs(x) < _MIDLINE, 0, np.sign(x))
    names = _name_by_value(labels) | {0: UNASSIGNED}
    rows = []
    for value in np.unique(regions[found]).tolist():
        sides = side[regions[found] == value]
        counts = [int(np.sum(sides == sign)) for sign in (-1, 1, 0)]
        name, size = names.get(value, f"region {value}"), int(np.sum(regions == value))
        rows.append(_make_region(value, name, counts, size, len(side)))
    rows.sort(key=lambda row: (row.label == 0, -row.total, row.label))
    return RegionTable(tuple(rows), len(side))


def load_atlas(atlas_img: Any) -> SpatialImage:
    """A 3-D image of whole numbers."""
    image = load_image(atlas_img, "atlas_img")
    data = values_of(image)
    if not np.all(np.isfinite(data)) or not np.array_equal(data, np.round(data)):
        raise ValueError(
            "atlas_img must hold whole numbers, one label per voxel; got others. Take the version "
            "of the atlas with labels, not that with probabilities"
        )
    return image


def _make_region(label: int, name: str, counts: list[int], size: int, n_voxels: int) -> Region:
    """A region with these counts, in the order of SIDES."""
    numbers: dict[str, Any] = dict(zip(SIDES, counts, strict=True))
    shares = {f"{side}_share": count / n_voxels for side, count in numbers.items()}
    return Region(label, name, **numbers, **shares, size=size)


def _move_to_grid(atlas_img: Any, map_img: Any) -> NDArray[np.int64]:
    from nilearn.image import resample_to_img

    if atlas_img.shape != map_img.shape or not has_affine_of(atlas_img, map_img):
        atlas_img = resample_to_img(
            atlas_img, map_img, interpolation="nearest", force_resample=True, copy_header=True
        )
    return np.round(values_of(atlas_img)).astype(np.int64)


def _name_by_value(labels: Mapping[int, str] | Sequence[str] | None) -> dict[int, str]:
    if labels is None:
        return {}
    if isinstance(labels, str):
        raise TypeError("labels must be a dict or a sequence of names, not one string")
    pairs = labels.items() if isinstance(labels, Mapping) else enumerate(labels)
    return {int(value): str(name) for value, name in pairs}
