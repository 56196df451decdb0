"""The data as all commands see it, wherever it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fewest.cli.errors import InputError
from fewest.cli.wording import counted, listed, near, quoted


@dataclass(frozen=True)
class Dataset:
    """Samples in rows, one class label a sample, one name a feature.

    `origin` is how messages call it, `file` its path (None for generated data). `notes` tell what
    the reader decided on its own.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    feature_names: list[str]
    origin: str
    file: str | None
    target: str
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_names(names: Sequence[str], origin: str) -> None:
    """Two columns of the same name could not be told apart in the result."""
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        raise InputError(
            f"{origin} has {counted(len(twice), 'column name')} more than once: {listed(twice)}.\n"
            "Give every column a name of its own."
        )


def check_present(name: str, names: Sequence[str], origin: str) -> None:
    """The column must be among the names."""
    if name not in names:
        raise InputError(
            f"{origin} has no column {quoted(name)} among its {counted(len(names), 'column')}.\n"
            f"{near(name, names)}"
        )


def feature_positions(names: Sequence[str], drop: Sequence[str], origin: str) -> list[int]:
    """Where the features are among the named columns, once `drop` is left out."""
    present = set(names)
    for name in drop:
        if name not in present:
            check_present(name, names, origin)
    left_out = {*drop, ""}
    positions = [position for position, name in enumerate(names) if name not in left_out]
    if not positions:
        raise InputError(
            f"{origin} has no feature columns beside the class column and those left out.\n"
            "Features are columns of numbers: check the file, the delimiter and --drop."
        )
    return positions
