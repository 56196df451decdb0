"""The data as the rest of the package sees them, whatever their source."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from fewest._gaps import fill_gaps, find_medians
from fewest._showing import Shown


@dataclass(frozen=True)
class Missing:
    """How many cells had no value, and how they were treated."""

    n_cells: int
    treatment: str
    n_samples_left_out: int = 0
    features_left_out: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """Samples in rows, with one class label per sample and one name per feature.

    Parameters
    ----------
    X : array or csr matrix of shape (n_samples, n_features)
        Finite numbers, in the type of the file if all columns share it; sparse only if a full table
        would be very large.
    y : array of shape (n_samples,)
        The classes, as numbers or text.
    feature_names : list of str
        The columns of X.
    origin : str
        What messages call the source.
    file : str or None
        Its path; None for generated data.
    target : str
        What the column (or array) with the classes is called.
    dropped : list of str
        The columns that were left out on request.
    notes : list of str
        What the reader decided on its own.
    groups : array of shape (n_samples,), optional
        Which samples belong together, if asked for.
    missing : Missing, optional
        How cells without a value were treated, if there were any.
    ids : array of shape (n_samples,), optional
        What the file calls its samples, as text.
    covariates : dict of arrays
        What else is known about the samples, if asked for.
    owners : list of str
        Columns that seem to say which samples belong together (their ids repeat), and are not used.
    percents : list of str
        Features that are written as percent in the file: 12 stands for 12 %.
    raw : array of shape (n_samples, n_features), optional
        X with its missing cells, where medians of all samples fill them in X.
    """

    X: Any
    y: NDArray[Any]
    feature_names: list[str]
    origin: str
    file: str | None
    target: str
    dropped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    groups: NDArray[Any] | None = None
    missing: Missing | None = None
    ids: NDArray[Any] | None = None
    covariates: dict[str, NDArray[Any]] = field(default_factory=dict)
    owners: list[str] = field(default_factory=list)
    percents: list[str] = field(default_factory=list)
    raw: NDArray[Any] | None = None

    def take(self, rows: NDArray[Any], **changes: Any) -> Table:
        """The table with these samples only."""
        raw = None if self.raw is None else self.raw[rows]
        return replace(
            self,
            X=self.X[rows] if raw is None else fill_gaps(raw, find_medians(raw)),
            raw=raw,
            y=self.y[rows],
            groups=None if self.groups is None else self.groups[rows],
            ids=None if self.ids is None else self.ids[rows],
            covariates={name: values[rows] for name, values in self.covariates.items()},
            **changes,
        )


@dataclass(frozen=True, repr=False)
class Samples(Shown):
    """Samples in rows, to be predicted.

    Parameters
    ----------
    X : array or csr matrix of shape (n_samples, n_features)
        Finite numbers, one column per feature asked for.
    feature_names : list of str
        The columns of X.
    truth : array of shape (n_samples,) or None
        The true classes or values, if known.
    target : str or None
        What the column (or array) with the truth is called.
    origin : str
        What messages call the source.
    ignored : list of str
        The columns that were not asked for.
    notes : list of str
        What the reader decided on its own.
    ids : array of shape (n_samples,), optional
        What the file calls its samples, as text.
    """

    X: Any
    feature_names: list[str]
    truth: NDArray[Any] | None
    target: str | None
    origin: str
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ids: NDArray[Any] | None = None
