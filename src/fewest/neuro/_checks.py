"""The machine is checked before any work."""

from __future__ import annotations

from typing import Any

from fewest._estimators.abilities import abilities_of, explain_no_classes


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
