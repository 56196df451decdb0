"""What is checked before any work: the machine, one label and one group per volume."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from fewest._estimators.abilities import abilities_of
from fewest._estimators.splits import check_groups
from fewest._wording import counted


def check_machine(estimator: Any, usual: Any) -> Any:
    """The estimator, for None the usual one; a ValueError unless it selects and classifies."""
    machine = usual if estimator is None else estimator
    abilities = abilities_of(machine)
    refusal = abilities.refusal
    if not refusal and not abilities.classifies:
        refusal = f"{abilities.name} selects, but does not classify. Give a selecting classifier"
    if not refusal and abilities.columns_are_samples:
        refusal = (
            f"{abilities.name} takes columns for samples, but here they are voxels. Give one "
            "without row_objects='samples'"
        )
    if refusal:
        raise ValueError(refusal)
    return machine


def check_labels(
    y: ArrayLike, groups: ArrayLike | None, n_volumes: int
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Labels of at least two classes; groups of at least two, or None."""
    labels = check_length("y", y, n_volumes)
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class, {classes[0]!r}: volumes of at least two classes are needed"
        )
    if groups is None:
        return labels, None
    return labels, check_groups(check_length("groups", groups, n_volumes), n_volumes)


def check_length(name: str, values: ArrayLike, n_volumes: int) -> NDArray[Any]:
    """One value per volume."""
    found: NDArray[Any] = column_or_1d(values)
    if len(found) != n_volumes:
        hint = ""
        if n_volumes == 1:
            hint = ". One 3-D image is one volume: give a list of them, or a 4-D image"
        raise ValueError(
            f"{name} has {counted(len(found), 'value')}, but the images have "
            f"{counted(n_volumes, 'volume')}: give one per volume, in their order{hint}"
        )
    return found
