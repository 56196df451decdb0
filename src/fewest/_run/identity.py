"""What the results of a long run depend on, as text that can be compared later."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._run.versions import versions

_ROWS_AT_ONCE = 16
# These change how a result is computed, but not the result.
_IRRELEVANT = ("n_jobs", "verbose")


def identity_of(
    estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None = None
) -> dict[str, str]:
    """Data, estimator and versions by name; every value is short enough to print."""
    identity = {
        "the shape of X": " x ".join(map(str, X.shape)),
        "the type of X": f"{'sparse ' if sparse.issparse(X) else ''}{X.dtype}",
        "the values of X": _digest_of_values(X),
        "the labels": _digest(repr(y.tolist()).encode()),
        "the estimator": type(estimator).__name__,
    }
    if groups is not None:
        identity["the groups"] = _digest(repr(groups.tolist()).encode())
    for name, value in sorted(estimator.get_params().items()):
        if name.rsplit("__", 1)[-1] not in _IRRELEVANT:
            identity[f"its parameter {name}"] = repr(value)
    found = versions()
    for package in ("fewest", "highspy", "numba"):
        identity[f"the version of {package}"] = found[package] or "unknown"
    return identity


def _digest_of_values(X: Any) -> str:
    digest = hashlib.blake2b(digest_size=12)
    if sparse.issparse(X):
        parts: Iterable[Any] = (X.indptr, X.indices, X.data)
    else:  # some rows at a time, because a whole copy may be too large
        starts = range(0, X.shape[0], _ROWS_AT_ONCE)
        parts = (X[start : start + _ROWS_AT_ONCE] for start in starts)
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()
