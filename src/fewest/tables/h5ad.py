"""AnnData files (.h5ad): X, the samples' columns in obs, the features' names in var."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import first_and_last, near, quoted, visible
from fewest.tables.errors import InputError, MissingPackageError
from fewest.tables.labels import read_labels
from fewest.tables.table import Table, check_names, check_present, feature_positions
from fewest.tables.wanted import Wanted

if TYPE_CHECKING:
    import pandas


def read_h5ad(file: Path, wanted: Wanted) -> Table:
    """Read X with classes and groups from obs; transposed, obs and var change places."""
    data = _opened(file)
    if wanted.transpose:
        data = data.T
    origin = visible(file)
    names = [str(name) for name in data.var_names]
    _check(data, names, wanted, origin)
    labels = read_labels(data.obs, list(data.obs.columns), wanted, origin)
    positions = feature_positions(names, set(wanted.drop), origin)
    X, notes = _dense(data.X, origin)
    if labels.kept is not None:
        X = X[labels.kept]
    if len(positions) < len(names):
        X, names = X[:, positions], [names[position] for position in positions]
    return Table(
        X=np.ascontiguousarray(X),
        y=labels.y,
        feature_names=names,
        origin=origin,
        file=str(file),
        target=wanted.target,
        dropped=list(wanted.drop),
        notes=[*notes, *labels.notes],
        groups=labels.groups,
    )


def h5ad_columns(
    file: Path, wanted: Wanted
) -> tuple[NDArray[Any], list[str], pandas.Series | None, list[str]]:
    """X, the names of its columns, the column of obs that is the target (if any), and notes."""
    data = _opened(file)
    if wanted.transpose:
        data = data.T
    origin = visible(file)
    names = [str(name) for name in data.var_names]
    check_names(names, origin, "feature")
    _check_columns(data, [("target", wanted.target)], wanted, origin)
    _check_features(data, names, wanted, origin)
    X, notes = _dense(data.X, origin)
    return X, names, None if wanted.target is None else data.obs[wanted.target], notes


def _opened(file: Path) -> Any:
    try:
        import anndata
    except ImportError as error:
        raise MissingPackageError(
            f'reading {visible(file)} needs anndata: pip install "fewest[h5ad]"'
        ) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old formats and repeated names, said below
            return anndata.read_h5ad(file)
    # anndata raises errors of its own and of h5py, according to the place of the damage.
    except Exception as error:
        reason = visible(str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise InputError(
            f"{visible(file)} is damaged, or not an .h5ad file ({reason}).\n"
            "Write it again with anndata's write_h5ad."
        ) from error


def _check(data: Any, names: list[str], wanted: Wanted, origin: str) -> None:
    check_names(names, origin, "feature")
    if wanted.target is None:
        where = "var" if wanted.transpose else "obs"
        raise InputError(
            f"say which column of {where} in {origin} holds the classes (target).\n"
            f"{first_and_last([str(name) for name in data.obs.columns])}",
            argument="target",
        )
    _check_columns(data, [("target", wanted.target), ("groups", wanted.groups)], wanted, origin)
    _check_features(data, names, wanted, origin)


def _check_columns(
    data: Any, named: list[tuple[str, str | None]], wanted: Wanted, origin: str
) -> None:
    """The columns of the samples that arguments name must be there."""
    columns = [str(name) for name in data.obs.columns]
    where = "var" if wanted.transpose else "obs"
    for argument, name in named:
        if name is None or name in columns:
            continue
        if name in data.var.columns:
            raise InputError(
                f"{origin} has {quoted(name)} in {'obs' if wanted.transpose else 'var'}, not in "
                f"{where}: are the samples its {'rows' if wanted.transpose else 'columns'}?\n"
                f"Then read it {'as it is' if wanted.transpose else 'transposed'}.",
                argument="transpose",
            )
        raise InputError(
            f"{where} of {origin} has no column {quoted(name)}.\n{near(name, columns)}",
            argument=argument,
        )


def _check_features(data: Any, names: list[str], wanted: Wanted, origin: str) -> None:
    check_present(wanted.drop, names, origin, "feature")
    if data.X is None:
        raise InputError(f"{origin} has no X.\nWrite the numbers to X, not to a layer only.")


def _dense(X: Any, origin: str) -> tuple[NDArray[Any], list[str]]:
    """The commands look at single columns and cells all the time, which a sparse X makes slow."""
    notes = []
    if hasattr(X, "toarray"):
        size = X.shape[0] * X.shape[1] * X.dtype.itemsize
        if size > _memory():
            raise InputError(
                f"X of {origin} is sparse, and would need {size / 2**30:.0f} GB as a full table: "
                "more than this computer has.\nKeep fewer features, those that vary most for "
                "instance."
            )
        share = X.nnz / max(1, X.shape[0] * X.shape[1])
        notes = [f"X is sparse ({100 * share:.3g} % of its cells are stored): made dense."]
        X = X.toarray()
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise InputError(
            f"X of {origin} has shape {X.shape} and type {X.dtype}.\n"
            "It must be a table of numbers with one sample a row and one feature a column."
        )
    return X.astype(np.uint8) if X.dtype == bool else X, notes


def _memory() -> float:
    """Bytes of memory in this computer; where the system does not tell, there is no limit."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return math.inf
