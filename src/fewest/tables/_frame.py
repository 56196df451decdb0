"""What every reader returns: samples in rows, a name for each column, labels by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, first_and_last, listed, near, quoted
from fewest.tables._errors import InputError

if TYPE_CHECKING:
    import pandas
    from scipy import sparse

Cells: TypeAlias = "pandas.DataFrame | NDArray[Any] | sparse.csr_matrix"
Label: TypeAlias = "pandas.Series | NDArray[Any]"

NUMBER_KINDS = "biuf"
_UNNAMED = ""  # row names of R and the index of pandas: no features
_FAR_MORE = 10  # times as many rows as columns are unusual where features outnumber samples


def is_sparse(values: Any) -> bool:
    """Whether it is a matrix of scipy, which is loaded only where there may be one."""
    from scipy import sparse

    return bool(sparse.issparse(values))


@dataclass(frozen=True)
class Request:
    """What a caller wants from a file.

    `features` are those to find, in this order; None stands for all of them.
    """

    target: str | None
    drop: Sequence[str] = ()
    groups: str | None = None
    transpose: bool = False
    sheet: str | None = None
    layer: str | None = None
    features: Sequence[str] | None = None
    needs_classes: bool = True

    @property
    def labels(self) -> dict[str, str]:
        """The names of classes and groups, by the argument that gives them."""
        names = {"target": self.target, "groups": self.groups}
        return {argument: name for argument, name in names.items() if name is not None}


@dataclass(frozen=True)
class Header:
    """The names of a file's columns, rows or arrays; `line` is the word for one of them."""

    origin: str
    names: Sequence[str]
    line: str = "column"

    def require(self, name: str, argument: str, hint: str | None = None) -> None:
        """Raise an InputError if the name is not there; a hint explains it better than a list."""
        if name not in self.names:
            raise InputError(
                f"{self.origin} has no {self.line} {quoted(name)} among its "
                f"{counted(len(self.names), self.line)}.\n"
                f"{hint or near(name, self.names, self.line)}",
                argument="transpose" if hint else argument,
            )


@dataclass(frozen=True)
class Names:
    """Everything that can be checked before a long file is read.

    `columns` may be features; `labels` may be classes and groups, and are the same object if they
    are columns. `list_across` gives the names in the other direction of the file, and `across` is
    the word for one of them. Even if names `may_repeat`, a feature that is asked for by name may
    not.
    """

    columns: Header
    labels: Header
    list_across: Callable[[], Sequence[Any]] = list
    across: str = "row"
    may_repeat: bool = False

    def check(self, request: Request) -> None:
        """Raise an InputError if the request does not fit these names."""
        self._refuse_repeated(request.features or ())
        if request.needs_classes and request.target is None:
            hint = self._find_hint(None, request)
            raise InputError(
                f"say which {self.labels.line} of {self.labels.origin} holds the classes (target)."
                f"\n{hint or first_and_last(self.labels.names, self.labels.line)}",
                argument="transpose" if hint else "target",
            )
        for argument, name in request.labels.items():
            known = name in self.labels.names
            self.labels.require(name, argument, None if known else self._find_hint(name, request))
        for name in request.drop:
            self.columns.require(name, "drop")
            if name == request.target and self.labels is self.columns:
                raise InputError(
                    f"to drop {quoted(name)} would leave out the class {self.columns.line} itself.",
                    argument="drop",
                )
        if request.groups is not None and request.groups == request.target:
            raise InputError(
                f"{quoted(request.groups)} cannot hold the classes and the groups: name another "
                f"{self.labels.line}.",
                argument="groups",
            )
        self.find_features(request)

    def list_candidates(self, request: Request) -> list[int]:
        """Positions of all columns that may be features: no labels, and not left out."""
        left_out = set(request.drop)
        if self.labels is self.columns:
            left_out.update(request.labels.values(), [_UNNAMED])
        return [place for place, name in enumerate(self.columns.names) if name not in left_out]

    def find_features(self, request: Request) -> list[int]:
        """Positions of the features asked for, or an InputError."""
        names, line = self.columns.names, self.columns.line
        candidates = self.list_candidates(request)
        if request.features is None:
            return require_some(candidates, self.columns.origin)
        places = {names[place]: place for place in candidates}
        lacking = [name for name in request.features if name not in places]
        if lacking:
            raise InputError(
                f"{self.columns.origin} lacks {counted(len(lacking), 'feature')} that the model "
                f"needs: {listed(lacking)}.\nAdd the {line}s, or check their names. "
                f"{first_and_last(names, line)}"
            )
        return [places[name] for name in request.features]

    def note_unnamed(self) -> list[str]:
        """A note about columns without a name, if there are any."""
        places = [at for at, name in enumerate(self.columns.names, 1) if name == _UNNAMED]
        if not places:
            return []
        return [f"Left out, because it has no name: {self.columns.line} {listed(places)}."]

    def _refuse_repeated(self, asked: Sequence[str]) -> None:
        """Refuse two columns with the same name: the result could not distinguish them."""
        line = self.columns.line
        counts = Counter(self.columns.names)
        twice = [name for name, count in counts.items() if count > 1 and name != _UNNAMED]
        if self.may_repeat:
            twice = [name for name in twice if name in asked]
        if twice:
            raise InputError(
                f"{self.columns.origin} has {counted(len(twice), f'{line} name')} more than once: "
                f"{listed(twice)}.\nGive every {line} a name of its own."
            )

    def _find_hint(self, name: str | None, request: Request) -> str | None:
        """A sentence if rows and columns seem to be swapped, else None."""
        across, n_columns = self.list_across(), len(self.columns.names)
        if name is not None and name in across:
            found = f"But a {self.across} has that name, {quoted(name)}:"
            if request.transpose:
                return f"{found} do not transpose the file."
            return f"{found} are the samples the columns? Then read it transposed."
        if not request.transpose and is_far_more(len(across), n_columns) and _are_names(across):
            return (
                f"It has {len(across)} rows with names, and {n_columns} columns: if the samples "
                "are the columns, read it transposed."
            )
        return None


@dataclass(frozen=True)
class Frame:
    """A file with one sample per row, before the meaning of its columns is known.

    Parameters
    ----------
    names : Names
        What the columns and the labels are called.
    cells : data frame, array or csr matrix
        One row per sample, one column per name.
    get_label : callable
        The column (or array) of that name, with one entry per sample.
    notes : list of str
        What the user should know about how the file was read.
    default_target : str, optional
        The name of the classes unless the caller gives another.
    other_sheets : str
        A sentence about sheets that were not read; the data may be in one of them.
    """

    names: Names
    cells: Cells
    get_label: Callable[[str], Label]
    notes: list[str] = field(default_factory=list)
    default_target: str | None = None
    other_sheets: str = ""

    @property
    def origin(self) -> str:
        """What messages call the file."""
        return self.names.columns.origin


def require_some(positions: list[int], origin: str) -> list[int]:
    """The positions of features, or an InputError if there are none."""
    if not positions:
        raise InputError(
            f"{origin} has no feature columns beside the class column and those left out.\n"
            "Features are columns of numbers: check the file, the delimiter and what is left out.",
            argument="drop",
        )
    return positions


def require_matrix(X: Any, origin: str) -> Any:
    """X with booleans as numbers, or an InputError if it is not a table of numbers."""
    if X.ndim != 2 or X.dtype.kind not in NUMBER_KINDS or 0 in X.shape:
        raise InputError(
            f"X of {origin} has shape {X.shape} and type {X.dtype}.\n"
            "It must be a table of numbers with one row per sample and one column per feature."
        )
    return X.astype(np.uint8) if X.dtype == bool else X


def is_far_more(n_rows: int, n_columns: int) -> bool:
    """Whether there are so many more rows that rows and columns may be swapped."""
    return n_rows >= _FAR_MORE * n_columns


def _are_names(cells: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in cells) and len(set(cells)) == len(cells)
