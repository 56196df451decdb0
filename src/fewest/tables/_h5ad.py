"""AnnData files (.h5ad): X, columns about the samples in obs, names of the features in var."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._wording import visible
from fewest.tables._errors import DamagedFileError, InputError, MissingPackageError
from fewest.tables._frame import Frame, Header, Names, Request, require_matrix


def read_h5ad(file: Path, request: Request) -> Frame:
    """Read X, with labels from obs; if transposed, obs and var are swapped."""
    data, origin = _open(file), visible(file)
    samples, features = "obs", "var"
    if request.transpose:
        data, samples, features = data.T, features, samples
    if data.X is None:
        raise InputError(f"{origin} has no X.\nWrite the numbers to X, not to a layer only.")
    names = Names(
        columns=Header(origin, [str(name) for name in data.var_names], "feature"),
        labels=Header(f"{samples} of {origin}", [str(name) for name in data.obs.columns]),
        list_across=lambda: list(data.var.columns),
        across=f"column of {features}",
    )
    names.check(request)  # before X is made dense
    X, notes = _make_dense(data.X, origin)
    return Frame(names, np.ascontiguousarray(X), data.obs.__getitem__, notes)


def _open(file: Path) -> Any:
    try:
        import anndata
    except ImportError as error:
        raise MissingPackageError(file, "anndata", "h5ad") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old formats, and repeated names, which we refuse
            return anndata.read_h5ad(file)
    # anndata raises its own errors or those of h5py, depending on where the damage is.
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        advice = "Write it again with anndata's write_h5ad."
        raise DamagedFileError(file, "an .h5ad file", reason, advice) from error


def _make_dense(X: Any, origin: str) -> tuple[NDArray[Any], list[str]]:
    """X as a dense array: commands often read single columns and cells, which is slow if sparse."""
    if not hasattr(X, "toarray"):
        return require_matrix(np.asarray(X), origin), []
    n_cells = math.prod(X.shape)
    size = n_cells * X.dtype.itemsize
    if size > _get_memory():
        raise InputError(
            f"X of {origin} is sparse, and would need {size / 2**30:.0f} GB as a full table: more "
            "than this computer has.\nKeep fewer features, for instance those that vary most."
        )
    share = X.nnz / max(1, n_cells)
    note = f"X is sparse ({100 * share:.3g} % of its cells are stored): made dense."
    return require_matrix(X.toarray(), origin), [note]


def _get_memory() -> float:
    """Bytes of memory in this computer; infinite if the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return math.inf
