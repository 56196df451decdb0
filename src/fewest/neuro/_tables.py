"""The folds of a decoder, and where its voxels are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import HeldOut
from fewest._types import FloatArray


@dataclass(frozen=True)
class Voxel:
    """A selected voxel: place on the grid (from 0), in millimetres, and one weight per class.

    `column` counts the features of the machine from 0. `coefficients` is None where the machine is
    not linear. `folds_selected` counts the folds that selected it too.
    """

    column: int
    index: list[int]
    position_mm: list[float]
    coefficients: list[float] | None
    folds_selected: int | None


def tabulate_folds(held_out: HeldOut, groups: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """One value per fold, as arrays by name."""
    left_out = [
        "" if groups is None else ", ".join(map(str, np.unique(groups[fold.test]).tolist()))
        for fold in held_out.folds
    ]
    return {
        "fold": np.arange(1, len(left_out) + 1),
        "left_out": np.array(left_out),
        "n_train": np.array([len(fold.train) for fold in held_out.folds]),
        "n_test": np.array([len(fold.test) for fold in held_out.folds]),
        "error": held_out.errors,
        "balanced_error": held_out.balanced_errors,
        "n_features": held_out.sizes,
    }


def list_voxels(decoder: Any) -> list[Voxel]:
    """The selected voxels, in the order of the columns."""
    found = selection_of(decoder.estimator_)
    columns = np.flatnonzero(found.support)
    positions = locate_voxels(decoder)
    folds = decoder.held_out_
    return [
        Voxel(
            column=int(column),
            index=decoder.grid_.places[column].tolist(),
            position_mm=positions[column].tolist(),
            coefficients=None if found.coef is None else found.coef[:, column].tolist(),
            folds_selected=None if folds is None else int(folds.selections[:, column].sum()),
        )
        for column in columns
    ]


def name_voxels(decoder: Any) -> list[str]:
    """Where every feature is, in millimetres."""
    return [f"{x:.1f}, {y:.1f}, {z:.1f} mm" for x, y, z in locate_voxels(decoder)]


def locate_voxels(decoder: Any) -> FloatArray:
    """The same as numbers, through three digits everywhere.

    17.05 must not become 17.0 in one place and 17.1 in another.
    """
    from nibabel.affines import apply_affine

    millimetres: FloatArray = apply_affine(decoder.mask_img_.affine, decoder.grid_.places)
    return millimetres.round(3) + 0.0
