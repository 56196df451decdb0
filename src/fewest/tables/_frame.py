"""What every reader returns: samples in rows, a name for each column, labels by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, first_and_last, listed, near, quoted
from fewest.tables._errors import InputError
from fewest.tables._written import CLASSES, LABELS, MEASUREMENT, VALUES

if TYPE_CHECKING:
    import pandas
    from scipy import sparse

    from fewest.tables._classes import ClassTable

Cells: TypeAlias = "pandas.DataFrame | NDArray[Any] | sparse.csr_matrix"
Label: TypeAlias = "pandas.Series | NDArray[Any]"

NUMBER_KINDS = "biuf"
TRANSPOSED = "Transposed: the rows of the file are the features, its columns the samples."
ALL_TEXT = "all-text"  # as a name to leave out: every column of text
_UNNAMED = ""  # row names of R and the index of pandas: no features
_FAR_MORE = 10  # times as many rows as columns are unusual where features outnumber samples


def is_sparse(values: Any) -> bool:
    """Whether it is a matrix of scipy, which is loaded only where there may be one."""
    from scipy import sparse

    return bool(sparse.issparse(values))


@dataclass(frozen=True)
class Request:
    """What a caller wants from a file.

    `features` are those to find, in this order; None stands for all of them. `classes` is a second
    file with the labels, `ids` names the column with the ids of the samples, `names` the one with
    the names of the features where the samples are columns. `has_values` says that the target holds
    values, not classes. `beside` are roles of further labels, which the file need not have.
    """

    target: str | None
    drop: Sequence[str] = ()
    groups: str | None = None
    transpose: bool = False
    sheet: str | None = None
    layer: str | None = None
    features: Sequence[str] | None = None
    needs_classes: bool = True
    classes: ClassTable | None = None
    ids: str | None = None
    names: str | None = None
    duplicates: str = "error"
    covariates: Sequence[str] = ()
    has_values: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)

    def fit_header(self, header: Sequence[str]) -> Request:
        """The request, transposed where the second file says that the columns are samples."""
        turned = self.classes is not None and self.classes.count_known(header) > 1
        return replace(self, transpose=True) if turned else self

    @property
    def drops_text(self) -> bool:
        """Whether all columns of text are to be left out."""
        return any(ALL_TEXT in map(str.strip, given.split(",")) for given in self.drop)

    @property
    def labels(self) -> dict[str, str]:
        """What is asked about samples beside features, with the argument that asks for it."""
        names = {self.target: "target", self.groups: "groups"}
        names.update(dict.fromkeys(self.covariates, "covariates"))
        return {name: argument for name, argument in names.items() if name is not None}

    @property
    def roles(self) -> dict[str, str]:
        """How to read columns of text that are no features."""
        of_target = VALUES if self.has_values else CLASSES if self.needs_classes else LABELS
        roles: dict[str | None, str] = dict.fromkeys(self.covariates, MEASUREMENT)
        if self.classes is None:  # ids in two files are compared as numbers
            roles[self.ids] = LABELS
        roles |= {self.groups: LABELS, self.target: of_target}
        return {**self.beside, **{name: role for name, role in roles.items() if name is not None}}


@dataclass(frozen=True)
class Header:
    """The names of a file's columns, rows or arrays; `line` is the word for one of them."""

    origin: str
    names: Sequence[str]
    line: str = "column"
    description: str = ""  # better than a list of the names

    def describe(self) -> str:
        """A sentence about the names that there are."""
        return self.description or first_and_last(self.names, self.line)

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

    `columns` may be features; `labels` may be classes and groups, and `ids` may name the samples;
    they are the same object if they are columns. `list_across` gives the names in the other
    direction of the file, and `across` is the word for one of them.
    """

    columns: Header
    labels: Header
    ids: Header
    list_across: Callable[[], Sequence[Any]] = list
    across: str = "row"

    def check(self, request: Request) -> None:
        """Raise an InputError if the request does not fit these names."""
        if request.duplicates == "error":
            self._refuse_repeated(request)
        if request.needs_classes and request.target is None:
            hint = self._find_hint(None, request)
            raise InputError(
                f"say which {self.labels.line} of {self.labels.origin} holds the classes (target)."
                f"\n{hint or self.labels.describe()}",
                argument="transpose" if hint else "target",
            )
        for name, argument in request.labels.items():
            if name in self.columns.names and self.columns is self.ids:
                continue
            known = name in self.labels.names
            self.labels.require(name, argument, None if known else self._find_hint(name, request))
        if (
            self.columns is self.ids
            and request.target in self.find_dropped(request)
            and not self.is_elsewhere(request.target or "")
        ):
            raise InputError(
                f"to drop {quoted(request.target)} would leave out the class "
                f"{self.columns.line} itself.",
                argument="drop",
            )
        if request.ids is not None and not request.transpose:
            self.ids.require(request.ids, "ids")
        if request.groups is not None and request.groups == request.target:
            raise InputError(
                f"{quoted(request.groups)} cannot hold the classes and the groups: name another "
                f"{self.labels.line}.",
                argument="groups",
            )
        self.find_features(request)

    def list_candidates(self, request: Request) -> list[int]:
        """Positions of all columns that may be features: no labels, and not left out."""
        left_out = {*self.find_dropped(request), *filter(None, [request.ids])}
        if self.columns is self.ids:  # a table: what has no name there is no feature
            own = [name for name in request.labels if not self.is_elsewhere(name)]
            left_out.update(own, [_UNNAMED])
        return [place for place, name in enumerate(self.columns.names) if name not in left_out]

    def is_elsewhere(self, name: str) -> bool:
        """Whether a label is not one of the columns."""
        return self.labels is not self.columns and name in self.labels.names

    def find_dropped(self, request: Request) -> set[str]:
        """The names to leave out: given as they are, in lists with commas, or as patterns."""
        known, found = set(self.columns.names), set()
        for given in request.drop:
            parts = [given] if given in known else [part.strip() for part in given.split(",")]
            for part in filter(None, parts):
                if part in known:
                    found.add(part)
                    continue
                matched = {name for name in known if fnmatchcase(name, part)}
                if not matched and part != ALL_TEXT and not self.is_elsewhere(part):
                    self.columns.require(part, "drop")
                # The labels are no features anyway: a pattern may match them.
                found |= matched - set(request.labels)
        return found

    def find_features(self, request: Request) -> list[int]:
        """Positions of the features asked for, or an InputError.

        Where names repeat and may be merged, those of one name follow each other.
        """
        names, line = self.columns.names, self.columns.line
        candidates = self.list_candidates(request)
        if request.features is None:
            return require_some(candidates, self.columns.origin)
        places: dict[str, list[int]] = {}
        for place in candidates:
            places.setdefault(names[place], []).append(place)
        lacking = [name for name in request.features if name not in places]
        if lacking:
            raise InputError(
                f"{self.columns.origin} lacks {counted(len(lacking), 'feature')} that the model "
                f"needs: {listed(lacking)}.\nAdd the {line}s, or check their names. "
                f"{first_and_last(names, line)}"
            )
        return [place for name in request.features for place in places[name]]

    def note_unnamed(self) -> list[str]:
        """A note about columns without a name, if there are any."""
        places = [at for at, name in enumerate(self.columns.names, 1) if name == _UNNAMED]
        if not places:
            return []
        return [f"Left out, because it has no name: {self.columns.line} {listed(places)}."]

    def _refuse_repeated(self, request: Request) -> None:
        """Refuse two columns with the same name: the result could not distinguish them.

        A model looks at the features that it asks for, or, without names, at places.
        """
        line = self.columns.line
        counts = Counter(self.columns.names)
        twice = [name for name, count in counts.items() if count > 1 and name != _UNNAMED]
        if not request.needs_classes:
            twice = [name for name in twice if name in (request.features or ())]
        if twice:
            raise InputError(
                f"{self.columns.origin} has {counted(len(twice), f'{line} name')} more than once: "
                f"{listed(twice)}.\nGive every {line} its own name, or choose how to treat those "
                "that share one (duplicates: mean, max, first or suffix).",
                argument="duplicates",
            )

    def _find_hint(self, name: str | None, request: Request) -> str | None:
        """A sentence if rows and columns seem to be swapped, else None."""
        across, n_columns = self.list_across(), len(self.columns.names)
        if name is not None and any(isinstance(one, str) and one == name for one in across):
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


@dataclass(frozen=True, eq=False)
class Ids:
    """One id per sample, as text; `name` is that of their column, where they are one."""

    name: str | None
    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def find_repeated(self) -> list[str]:
        """Those that several samples have."""
        return [text for text, count in Counter(self.values.tolist()).items() if count > 1]

    def take(self, rows: Any) -> Ids:
        """Those of some samples."""
        return Ids(self.name, self.values[rows])


def make_ids(name: str | None, values: Sequence[Any] | NDArray[Any] | pandas.Series) -> Ids:
    """Ids as text: without spaces around them, whole numbers without a decimal point."""
    texts = []
    for value in values:
        whole = isinstance(value, float) and value.is_integer()
        texts.append(str(int(value) if whole else value).strip())
    return Ids(name, np.array(texts, dtype=object))


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
    find_ids : callable
        What may be the ids of the samples, the most likely first.
    ids : Ids, optional
        The ids of the samples, if known.
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
    find_ids: Callable[[], list[Ids]] = list
    ids: Ids | None = None
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
