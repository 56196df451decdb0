"""Volumes in which one voxel tells two conditions apart, and the arguments that read them."""

import json
from dataclasses import dataclass
from pathlib import Path

import nibabel
import numpy as np

AFFINE = np.array([[-3.0, 0, 0, 9], [0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 1]])


@dataclass(frozen=True)
class Scan:
    """A file of 48 volumes in four runs; voxel (2, 3, 1) tells house from face, the rest is noise.

    The label and run of every volume are in a table with a header.
    """

    folder: Path
    image: Path
    table: Path
    y: np.ndarray
    runs: np.ndarray

    def arguments(self, *more):
        return [
            "brain",
            self.image,
            "--labels",
            self.table,
            "--labels-column",
            "labels",
            "--groups-column",
            "chunks",
            "--only",
            "face",
            "house",
            "--out",
            self.folder / "found",
            "--no-report",
            *more,
        ]

    @property
    def result(self):
        """What was written as JSON."""
        return json.loads((self.folder / "found" / "result.json").read_text())

    @property
    def left_behind(self):
        """Everything but the input."""
        return sorted(
            entry.name for entry in self.folder.iterdir() if entry not in (self.image, self.table)
        )


def write_scan(folder, shape=(6, 5, 4)):
    rng = np.random.default_rng(0)
    y = np.tile(["face", "rest", "house"], 16)
    runs = np.repeat([1, 2, 3, 10], 12)
    data = rng.normal(100.0, 1.0, size=(*shape, len(y)))
    data[2, 3, 1, y == "house"] += 6.0
    nibabel.save(nibabel.Nifti1Image(data, AFFINE), folder / "bold.nii.gz")
    lines = ["labels chunks", *(f"{label} {run}" for label, run in zip(y, runs, strict=True))]
    (folder / "attributes.txt").write_text("\n".join(lines) + "\n")
    return Scan(folder, folder / "bold.nii.gz", folder / "attributes.txt", y, runs)


def changed(scan, **options):
    """The arguments with other values; None leaves an option (and its values) out."""
    arguments = {
        "labels": [scan.table],
        "labels_column": ["labels"],
        "groups_column": ["chunks"],
        "only": ["face", "house"],
        "out": [scan.folder / "found"],
    } | options
    listed = ["brain", scan.image]
    for name, values in arguments.items():
        if values is not None:
            listed += [f"--{name.replace('_', '-')}", *values]
    return listed
