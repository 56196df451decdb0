"""Samples that are copies of others: what is learnt from one is known of the other.

Few features with few values are equal in many samples by nature. Then most samples have others
that are nearly equal; samples that were copied have none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fewest._solvers.many.arrays import is_device_array
from fewest._types import IndexArray
from fewest._wording import counted

_BLOCK_BYTES = 1 << 18
_NEAR = 0.1  # samples that differ in no larger share of the features are nearly equal
_MOST_PATTERNS, _MOST_OTHERS, _MOST_COLUMNS = 100, 1_000, 1_000  # that are compared

TOO_SMALL = "an error on samples left out would be too small"
WHAT_TO_DO = "Leave copies out, or give them the same of the groups"


def find_copies(X: Any, y: NDArray[Any]) -> IndexArray:
    """For every sample the first one of its class that equals it; itself where it is no copy.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest._estimators.copies import find_copies
    >>> X = np.random.default_rng(0).standard_normal((5, 3))[[0, 1, 2, 0, 1]]
    >>> find_copies(X, np.array([0, 0, 1, 0, 1]))
    array([0, 1, 2, 0, 4])
    """
    alone = np.arange(len(y))
    is_array = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"
    if is_device_array(X) or not (is_array or getattr(X, "format", "") == "csr"):
        return alone
    keys = np.fromiter(_list_keys(X), dtype=np.int64, count=len(y))
    (_, key), (labels, codes) = (np.unique(one, return_inverse=True) for one in (keys, y))
    _, places, member = np.unique(key * len(labels) + codes, return_index=True, return_inverse=True)
    first = places[member]
    copies = np.flatnonzero(first != alone)
    for i in copies.tolist():  # samples of one key may differ
        own, other = (_take(X, [row], slice(None)) for row in (i, first[i]))
        if not np.array_equal(own, other):
            first[i] = i
    copied = np.unique(first[first != alone])
    if len(copied) and _share_near(X, copied, np.flatnonzero(first == alone)) > 0.5:
        return alone
    return first


def _list_keys(X: Any) -> Iterator[int]:
    """A number for every sample, the same for equal ones; no copy of X is made."""
    if sparse.issparse(X):
        for start, stop in pairwise(X.indptr.tolist()):
            order = np.argsort(X.indices[start:stop])
            yield hash(
                (X.indices[start:stop][order].tobytes(), X.data[start:stop][order].tobytes())
            )
        return
    n_rows = max(1, _BLOCK_BYTES // max(1, X.shape[1] * X.itemsize))
    for start in range(0, len(X), n_rows):
        for row in np.ascontiguousarray(X[start : start + n_rows]):
            yield hash(row.tobytes())


def _share_near(X: Any, copied: IndexArray, originals: IndexArray) -> float:
    """How many of the samples that have copies have others that are nearly equal, too."""
    rows = originals[_spread(len(originals), _MOST_OTHERS)]
    chosen = copied[_spread(len(copied), _MOST_PATTERNS)]
    some = _spread(X.shape[1], _MOST_COLUMNS)
    others, own = (_take(X, wanted, some) for wanted in (rows, chosen))
    varies = np.any(others != others[:1], axis=0)
    if not varies.any() or len(rows) < 3:
        return 1.0
    others, own = others[:, varies], own[:, varies]
    most = max(_NEAR, 1.0 / others.shape[1])
    n_near = 0
    for row, place in zip(own, chosen.tolist(), strict=True):
        away = np.mean(others != row, axis=1)
        n_near += bool(np.any(away[rows != place] <= most))
    return n_near / len(chosen)


def _take(X: Any, rows: Any, columns: Any) -> NDArray[Any]:
    if sparse.issparse(X):
        return np.asarray(X[rows][:, columns].toarray())
    return np.stack([X[row, columns] for row in rows])


def _spread(count: int, most: int) -> IndexArray:
    """At most so many places, from the whole range."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))


def join_copies(
    X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> tuple[int, NDArray[Any] | None]:
    """How many samples are copies of samples of other groups, and groups that keep them together.

    Without any, these are the groups that are given.
    """
    first = find_copies(X, y)
    if np.array_equal(first, np.arange(len(y))):
        return 0, groups
    own = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_apart = int(np.sum(own != own[first]))
    if not n_apart:
        return 0, groups
    size = int(own.max()) + 1
    links = sparse.coo_matrix((np.ones(len(own)), (own, own[first])), shape=(size, size))
    joined = connected_components(links, directed=False)[1][own]
    if groups is None:
        return n_apart, joined
    # Each is called as its first group.
    _, places = np.unique(joined, return_index=True)
    return n_apart, np.asarray(groups)[places][joined]


def warn_of_copies(X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> None:
    """Warn where samples are copies of others that folds do not keep together."""
    n_copies, _ = join_copies(X, y, groups)
    if n_copies:
        warnings.warn(f"{say_copies(n_copies)}: {TOO_SMALL}. {WHAT_TO_DO}", stacklevel=4)


def say_copies(n_copies: int) -> str:
    """'20 samples are copies of others', for the beginning of a sentence."""
    verb = "is a copy of another one" if n_copies == 1 else "are copies of others"
    return f"{counted(n_copies, 'sample')} {verb}"
