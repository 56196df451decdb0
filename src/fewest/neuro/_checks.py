"""The machine, and what is given per volume, are checked before any work."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from fewest._estimators.abilities import abilities_of, explain_no_classes
from fewest._wording import counted

NO_GROUPS = (
    "groups are not given. Volumes that are neighbours in time are alike, so the training part of "
    "a fold holds near copies of its test volumes, and the error is too optimistic. Name the run "
    "or participant of every volume"
)


def check_machine(estimator: Any, usual: Any) -> Any:
    """The estimator, for None the usual one; a ValueError unless it selects and classifies."""
    machine = usual if estimator is None else estimator
    abilities = abilities_of(machine)
    if abilities.refusal or not abilities.classifies:
        raise ValueError(explain_no_classes(machine))
    if abilities.columns_are_samples:
        raise ValueError(
            f"{abilities.name} takes columns for samples, but here they are voxels. Give one "
            "without row_objects='samples'"
        )
    return machine


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
