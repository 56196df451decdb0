"""Brain images with a known truth, a slice of real ones, and arrays for the analyses."""

from dataclasses import dataclass

import nibabel
import numpy as np
import pytest

from fewest.datasets import make_brain

CONDITIONS = ("joy", "anger", "fear")
AFFINE = np.array([[-3.0, 0, 0, 30], [0, 3, 0, -40], [0, 0, 4, -20], [0, 0, 0, 1]])


@dataclass(frozen=True, eq=False)
class Scans:
    """A 4-D image with labels and groups, and the mask it is meant for."""

    images: nibabel.Nifti1Image
    y: np.ndarray
    groups: np.ndarray
    mask: nibabel.Nifti1Image | None = None
    brain: object = None

    @property
    def volumes(self):
        """The same as a list of 3-D images."""
        return nibabel.four_to_three(self.images)


@pytest.fixture(scope="session")
def scans():
    """Two conditions of six participants, planted regions."""
    brain = make_brain(6, 3, n_voxels=600, strength=2.0, informative=0.2, random_state=1)
    volumes = np.zeros((*brain.mask.shape, len(brain.y)))
    volumes[brain.mask] = brain.X.T
    return Scans(
        nibabel.Nifti1Image(volumes, AFFINE),
        np.where(brain.y > 0, "left", "right"),
        brain.groups,
        nibabel.Nifti1Image(brain.mask.astype(np.int8), AFFINE),
        brain,
    )


@pytest.fixture(scope="session")
def three_classes():
    """Three conditions that one voxel each tells from the rest, in three runs."""
    rng = np.random.default_rng(0)
    y = np.tile(["bird", "fish", "worm"], 12)
    volumes = rng.normal(size=(6, 5, 4, len(y)))
    for place, label in enumerate(["bird", "fish", "worm"]):
        volumes[place, 2, 1, y == label] += 8.0
    return Scans(nibabel.Nifti1Image(volumes, AFFINE), y, np.repeat([1, 2, 3], 12))


@pytest.fixture(scope="session")
def haxby(real_file):
    """Face and house volumes of the real slice, and their runs."""
    from nilearn.image import index_img

    images = real_file("haxby_slice_bold.nii.gz")
    rows = real_file("haxby_slice_attributes_literal.txt").read_text().split("\n")
    labels, runs = zip(*(row.split() for row in rows if row), strict=True)
    kept = np.isin(labels, ["face", "house"])
    return Scans(index_img(images, kept), np.array(labels)[kept], np.array(runs, dtype=int)[kept])


@dataclass(frozen=True)
class Trials:
    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    runs: np.ndarray


@pytest.fixture(scope="session")
def trials():
    """Four participants, two runs, three conditions, two trials; joy stands out in 3 voxels."""
    rng = np.random.default_rng(0)
    y = np.tile(CONDITIONS, 16)
    X = rng.standard_normal((48, 150))
    X[y == "joy", :3] += 2.0
    return Trials(X, y, np.repeat(np.arange(4), 12), np.tile(np.repeat([0, 1], 6), 4))
