"""Fitted machines in files: saved with the names of their features, loaded with a clear error."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from fewest._wording import visible
from fewest.cli._errors import CommandError


def save_machine(machine: Any, feature_names: Sequence[str], path: str) -> None:
    """Save a machine that was fitted to an array, with the names of its columns.

    Parameters
    ----------
    machine : estimator
        Fitted; it stays as it is.
    feature_names : sequence of str
        One name per column.
    path : str
        The file.
    """
    from fewest.model_files import save

    named = copy.copy(machine)
    named.feature_names_in_ = np.array(feature_names, dtype=object)
    try:
        save(named, path)
    except OSError as error:
        raise CommandError(
            f"--model {visible(path)} could not be written: {error.strerror or error}"
        ) from error


def load_machine(path: str) -> Any:
    """A machine that can predict; an error that says what to do if the file holds none."""
    from sklearn.base import is_regressor

    from fewest._estimators.abilities import abilities_of
    from fewest.exceptions import ModelFileError
    from fewest.model_files import load

    try:
        machine = load(path)
    except ModelFileError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(
            f"{visible(path)} cannot be read: {error.strerror or error}.\n"
            "Name a file that fewest select --model or fewest.save has written."
        ) from error
    if not abilities_of(machine).classifies and not is_regressor(machine):
        raise CommandError(
            f"the {type(machine).__name__} in {visible(path)} selects features, but does not "
            "predict.\nSave a machine that does, with fewest select --model for instance."
        )
    return machine
