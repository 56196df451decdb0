"""Which regions of an atlas the voxels of a map are in, counted by hemisphere."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest.neuro._checks import checked_image, same_affine
from fewest.neuro._nilearn import require_nilearn

if TYPE_CHECKING:
    import pandas
    from nibabel.spatialimages import SpatialImage

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


@dataclass(frozen=True)
class RegionTable:
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

    def listed(self, least: float = 0.01) -> RegionTable:
        """The same with small regions in one last row, "Other regions" (label -1).

        Parameters
        ----------
        least : float
            Smallest share of the voxels, in both hemispheres together, that a region is listed for.
        """
        large = [row for row in self.regions if row.total >= least * self.n_voxels]
        small = [row for row in self.regions if row not in large]
        if small:
            large.append(_counted(-1, "Other regions", self.n_voxels, *_sums(small)))
        return RegionTable(tuple(large), self.n_voxels)

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a data frame; needs pandas."""
        import pandas

        return pandas.DataFrame([asdict(region) for region in self.regions], columns=_COLUMNS)

    def to_csv(self) -> str:
        """The rows as text, with commas and a header."""
        text = io.StringIO()
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(region) for region in self.regions)
        return text.getvalue()


_COLUMNS = list(Region.__dataclass_fields__)


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
        A whole number a voxel, 0 for none; brought on the grid of the map by nearest neighbour.
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
    map_img = checked_image(map_img, "map_img")
    found = np.nan_to_num(np.asanyarray(map_img.dataobj)) != 0
    values = _on_grid_of(map_img, checked_atlas(atlas_img))
    names = _names(labels)
    side = _sides(map_img.affine, found.shape)
    n_voxels = int(found.sum())
    rows = []
    for value in np.unique(values[found]).tolist():
        inside = values == value
        counts = [int(np.sum(found & inside & (side == sign))) for sign in (-1, 1, 0)]
        name = UNASSIGNED if value == 0 else names.get(value, f"region {value}")
        rows.append(_counted(value, name, n_voxels, *counts, int(inside.sum())))
    rows.sort(key=lambda row: (row.label == 0, -row.total, row.label))
    return RegionTable(tuple(rows), n_voxels)


def _counted(label: int, name: str, n_voxels: int, *counts: int) -> Region:
    """A region with these counts (left, right, midline) and this size."""
    *sides, size = counts
    return Region(label, name, *sides, *(count / n_voxels for count in sides), size=size)


def _sums(rows: list[Region]) -> list[int]:
    return [
        sum(getattr(row, name) for row in rows) for name in ("left", "right", "midline", "size")
    ]


def checked_atlas(atlas_img: Any) -> SpatialImage:
    """A 3-D image of whole numbers."""
    image = checked_image(atlas_img, "atlas_img")
    data = np.asanyarray(image.dataobj)
    if not np.all(np.isfinite(data)) or not np.array_equal(data, np.round(data)):
        raise ValueError(
            "atlas_img must hold whole numbers, a label a voxel; got others. Take the version of "
            "the atlas with labels, not that with probabilities"
        )
    return image


def _on_grid_of(map_img: Any, atlas_img: Any) -> NDArray[np.int64]:
    from nilearn.image import resample_to_img

    data = np.asanyarray(atlas_img.dataobj)
    if atlas_img.shape != map_img.shape or not same_affine(atlas_img, map_img):
        resampled = resample_to_img(
            atlas_img, map_img, interpolation="nearest", force_resample=True, copy_header=True
        )
        data = np.asanyarray(resampled.dataobj)
    return np.round(data).astype(np.int64)


def _names(labels: Mapping[int, str] | Sequence[str] | None) -> dict[int, str]:
    if labels is None:
        return {}
    if isinstance(labels, str):
        raise TypeError("labels must be a dict or a sequence of names, not one string")
    pairs = labels.items() if isinstance(labels, Mapping) else enumerate(labels)
    return {int(value): str(name) for value, name in pairs}


def _sides(affine: NDArray[np.floating], shape: tuple[int, ...]) -> NDArray[np.int8]:
    """-1 left, +1 right, 0 between, by the x coordinate of the voxel's centre."""
    i, j, k = np.indices(shape)
    x = affine[0, 0] * i + affine[0, 1] * j + affine[0, 2] * k + affine[0, 3]
    return np.where(np.abs(x) < _MIDLINE, 0, np.sign(x)).astype(np.int8)
