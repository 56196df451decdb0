"""Images with what is known of every volume: condition, run, confounds and block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import encode_classes
from fewest._types import FloatArray, IndexArray
from fewest.neuro._checks import check_length
from fewest.neuro._confounds import read_confounds
from fewest.neuro._images import load_images

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

CONSECUTIVE = "consecutive"


class Volumes(NamedTuple):
    """The volumes that are used, one row each; `groups` and `blocks` may be None."""

    X: NDArray[Any]
    y: NDArray[Any]
    groups: NDArray[Any] | None
    blocks: NDArray[Any] | None


@dataclass(frozen=True, eq=False)
class Labelled:
    """All volumes; `used` are those with a label."""

    images: SpatialImage
    labels: NDArray[Any]
    used: NDArray[np.bool_]
    groups: NDArray[Any] | None
    confounds: FloatArray | None
    blocks: NDArray[Any] | None

    @classmethod
    def read(
        cls, imgs: Any, y: ArrayLike, groups: ArrayLike | None, confounds: Any, blocks: Any
    ) -> Labelled:
        """Everything of one length, at least two classes; a ValueError says what is not."""
        images = load_images(imgs)
        n_volumes = images.shape[3]
        labels = check_length("y", y, n_volumes)
        used = ~find_missing(labels)
        encode_classes("selecting voxels", np.array(labels[used].tolist()))
        names = None
        if groups is not None:
            names = check_groups(check_length("groups", groups, n_volumes), n_volumes)
        if isinstance(blocks, str):
            if blocks != CONSECUTIVE:
                raise ValueError(
                    f"blocks must name the block of every volume, or be {CONSECUTIVE!r}; got "
                    f"{blocks!r}"
                )
            blocks = find_blocks(labels, names)
        elif blocks is not None:
            blocks = check_length("blocks", blocks, n_volumes)
        return cls(images, labels, used, names, read_confounds(confounds, n_volumes), blocks)

    def without_unused(self) -> Labelled:
        """The volumes with a label alone, for what does not look at their neighbours."""
        from nilearn.image import index_img

        if self.used.all():
            return self
        return Labelled(
            index_img(self.images, self.used),
            self._used_labels,
            self.used[self.used],
            *(None if one is None else one[self.used] for one in self._per_volume),
        )

    def as_volumes(self, X: NDArray[Any]) -> Volumes:
        """What is known of the volumes that are used, which are the rows of X."""
        known = (None if one is None else one[self.used] for one in (self.groups, self.blocks))
        return Volumes(X, self._used_labels, *known)

    @property
    def _used_labels(self) -> NDArray[Any]:
        """Of the type that is left without those that are missing."""
        return self.labels if self.used.all() else np.array(self.labels[self.used].tolist())

    @property
    def _per_volume(self) -> tuple[NDArray[Any] | None, ...]:
        return self.groups, self.confounds, self.blocks


def find_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which volumes have no label: None, or NaN."""
    import pandas as pd

    return np.asarray(pd.isna(labels))


def find_blocks(labels: NDArray[Any], groups: NDArray[Any] | None = None) -> IndexArray:
    """Number of the block of every volume: those that follow each other with the same label.

    A block ends with its group, and where volumes without a label are in between.
    """
    keys = np.array([str(label) for label in labels.tolist()])
    starts = np.ones(len(keys), dtype=bool)
    starts[1:] = keys[1:] != keys[:-1]
    if groups is not None:
        starts[1:] |= groups[1:] != groups[:-1]
    return np.cumsum(starts) - 1
