"""Samples that two data sets share: on them, no error is that of new samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from scipy.special import gammaln
from scipy.stats import binom, poisson

from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed

# In standard deviations. Values may have been rounded, but many values are near each other: the
# last tolerances are for data where the first find nothing.
_TOLERANCES = ((1e-2, 1e-3, 1e-4, 1e-6, 1e-8), (3e-2, 1e-1))
_FINE = 1e-4
_NEIGHBOURS = 4
_LEVEL = 0.001


def count_equal(first: FloatArray, second: FloatArray) -> int:
    """How many rows of `second` are also in `first`, perhaps rounded; 0 if chance may explain it.

    Rows that are equal form a cluster. If samples are equal by nature, it is chance which of them
    are in which data set, so clusters within one are about as frequent as clusters across both:
    copies within one change nothing about that. If every column has a value of its own, so few are
    equal by chance that one row can be enough. Columns may have been standardised in either.
    """
    spread = np.minimum(first.std(axis=0), second.std(axis=0))
    varied = spread > 0.0
    if not varied.any() or min(len(first), len(second)) < 2:
        return 0
    first, second = first[:, varied], second[:, varied]
    scale = first.std(axis=0)
    own = [(one - one.mean(axis=0)) / one.std(axis=0) for one in (first, second)]
    return _count_near(first / scale, second / scale) or _count_near(*own)


def _count_near(known: FloatArray, new: FloatArray) -> int:
    """The same for rows in standard deviations."""
    rows, clusters = _join_copies(np.vstack([known, new]))
    places = np.arange(len(clusters))
    sides = places < len(known), places >= len(known)
    bound = 2.0 * max(map(max, _TOLERANCES))
    n_near = min(_NEIGHBOURS, len(rows))
    tree = KDTree(rows)
    distance, nearest = tree.query(
        rows, k=range(1, n_near + 1), p=np.inf, distance_upper_bound=bound
    )
    for tolerances in _TOLERANCES:
        found = []
        for tolerance in tolerances:
            one, other = np.nonzero(distance <= tolerance)
            links = coo_matrix((np.ones(len(one)), (one, nearest[one, other])), (len(rows),) * 2)
            joined = connected_components(links, directed=False)[1][clusters]
            of_known, of_new = (np.bincount(joined[side], minlength=len(rows)) for side in sides)
            is_across = (of_known > 0) & (of_new > 0)
            chance = _chance_across(of_known, of_new)
            if tolerance <= _FINE and max(of_known.max(), of_new.max()) == 1:
                expected = len(known) * len(new) * _share_near(known, new, tolerance)
                chance = min(chance, poisson.sf(is_across.sum() - 1, expected))
            found.append((chance, tolerance, int(of_new[is_across].sum())))
        chance, _, n_equal = min(found)
        if chance <= _LEVEL:
            return n_equal
    return 0


def _join_copies(rows: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Different rows, and for every row which of them it is."""
    seen: dict[bytes, int] = {}
    places = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in rows + 0.0])
    return rows[np.unique(places, return_index=True)[1]], places


def _chance_across(of_known: IndexArray, of_new: IndexArray) -> float:
    """How probable so many clusters across both data sets are, if their rows were shuffled."""
    sizes = of_known + of_new
    n_across = int(np.sum((of_known > 0) & (of_new > 0)))
    shares = np.ones(1)
    for size, count in zip(*np.unique(sizes[sizes > 1], return_counts=True), strict=True):
        within = sum(
            np.exp(_log_choose(int(one.sum()), size) - _log_choose(int(sizes.sum()), size))
            for one in (of_known, of_new)
        )
        shares = np.convolve(shares, binom.pmf(np.arange(count + 1), count, 1.0 - within))
    return float(shares[n_across:].sum())


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) if k <= n else -np.inf


def _share_near(known: FloatArray, new: FloatArray, tolerance: float) -> float:
    """Of pairs of different samples, if columns are independent; from pairs within data sets."""
    logarithm = 0.0
    for column in range(known.shape[1]):
        n_near = n_pairs = 1
        for values in (np.sort(known[:, column]), np.sort(new[:, column])):
            places = np.arange(len(values))
            ends = np.searchsorted(values, values + tolerance, side="right")
            n_near += int(np.sum(ends - 1 - places))
            n_pairs += len(values) * (len(values) - 1) // 2
        logarithm += np.log(n_near / n_pairs)
    return float(np.exp(logarithm))


def find_shared(first: NDArray[Any] | None, second: NDArray[Any] | None) -> list[str]:
    """Names of groups that are in both."""
    if first is None or second is None:
        return []
    known = {str(one) for one in first.tolist()}
    return [str(one) for one in np.unique(second).tolist() if str(one) in known]


def say_overlap(n_equal: int, n_samples: int, shared: list[str], n_groups: int | None) -> str:
    """What both data sets have; empty if nothing was found."""
    found = []
    if n_equal:
        found.append(f"{n_equal} of its {counted(n_samples, 'sample')}")
    if shared:
        found.append(f"{len(shared)} of its {counted(n_groups or 0, 'group')} ({listed(shared)})")
    verb = "is" if (n_equal or len(shared)) == 1 and len(found) == 1 else "are"
    return f"{' and '.join(found)} {verb} also in the first data set" if found else ""
