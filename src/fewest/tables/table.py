"""The data as everything else sees it, wherever it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from fewest._wording import counted, listed, near, quoted
from fewest.tables.errors import InputError


@dataclass(frozen=True)
class Missing:
    """How many cells had no value, and what was done about them."""

    n_cells: int
    treatment: str
    n_samples_left_out: int = 0
    features_left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Samples in rows, one class label a sample, one name a feature.

    `origin` is how messages call it, `file` its path (None for generated data). `notes` tell what
    the reader decided on its own. `groups` says which samples belong together, where asked for;
    `missing` what was done about cells without a value, where there were any.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    feature_names: list[str]
    origin: str
    file: str | None
    target: str
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    groups: NDArray[Any] | None = None
    missing: Missing | None = None


@dataclass(frozen=True)
class Samples:
    """Samples in rows. `truth` is None where the classes are not known.

    `ignored` are the columns that nobody asked for; `notes` tell what the reader decided.
    """

    X: NDArray[Any]
    feature_names: list[str]
    truth: NDArray[Any] | None
    target: str | None
    origin: str
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_names(names: Sequence[str], origin: str, line: str = "column") -> None:
    """Two columns (or rows) of the same name could not be told apart in the result."""
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        raise InputError(
            f"{origin} has {counted(len(twice), f'{line} name')} more than once: {listed(twice)}.\n"
            f"Give every {line} a name of its own."
        )


def check_present(
    wanted: Iterable[str], names: Sequence[str], origin: str, line: str = "column"
) -> None:
    """The wanted columns must be among the names."""
    present = set(names)
    for name in wanted:
        if name not in present:
            raise InputError(
                f"{origin} has no {line} {quoted(name)} among its "
                f"{counted(len(names), line)}.\n{near(name, names, line)}"
            )


def feature_positions(names: Sequence[str], left_out: Collection[str], origin: str) -> list[int]:
    """Where the features are: all columns but those left out."""
    positions = [position for position, name in enumerate(names) if name not in left_out]
    if not positions:
        raise InputError(
            f"{origin} has no feature columns beside the class column and those left out.\n"
            "Features are columns of numbers: check the file, the delimiter and what is left out.",
            argument="drop",
        )
    return positions
