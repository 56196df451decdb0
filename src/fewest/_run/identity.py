"""What the results of a long run depend on, as text that can be compared later."""

from __future__ import annotations

import hashlib
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
    for package in ("fewest", "highspy", "numba"):
        identity[f"the version of {package}"] = _version(package)
    return identity


def _digest_of_values(X: Any) -> str:
    digest = hashlib.blake2b(digest_size=12)
    if sparse.issparse(X):
        for part in (X.indptr, X.indices, X.data):
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()
    for first in range(0, X.shape[0], _ROWS_AT_ONCE):
        digest.update(np.ascontiguousarray(X[first : first + _ROWS_AT_ONCE]).data)
    return digest.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from a folder without installation
        return "unknown"
