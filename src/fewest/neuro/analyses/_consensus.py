"""Voxels that most folds, or most pairs of conditions, agree on.

Klement, Anders & Martinetz (2013), fig. 5, and Klement's thesis (2013), fig. 6.11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.validation import is_number
from fewest._showing import Shown
from fewest._types import BoolArray, IndexArray
from fewest._wording import aligned, counted
from fewest.informative import InformativeFeatures
from fewest.informative._univariate import share_count


@dataclass(frozen=True, eq=False, repr=False)
class Consensus(Shown):
    """Voxels that are in enough of several maps; print it for the numbers.

    Attributes
    ----------
    counts : array of shape (n_voxels,)
        In how many maps each voxel is.
    n_maps : int
        Number of maps: folds, or pairs of conditions.
    needed : int
        In how many of them a voxel has to be.
    expected : float
        Voxels that as many random maps of the same sizes agree on, on average.
    """

    counts: IndexArray
    n_maps: int
    needed: int
    expected: float

    @property
    def voxels(self) -> BoolArray:
        """Which voxels are in enough maps."""
        return self.counts >= self.needed

    @property
    def n_voxels(self) -> int:
        """How many voxels that are."""
        return int(self.voxels.sum())

    @property
    def map(self) -> IndexArray:
        """In how many maps each voxel of the consensus is, and zero for all others.

        `fewest.neuro.make_map_image` makes it an image.
        """
        return np.where(self.voxels, self.counts, 0)

    def __str__(self) -> str:
        return aligned(
            [
                ["voxels", f"{len(self.counts)}"],
                [f"in at least {self.needed} of {self.n_maps} maps", f"{self.n_voxels}"],
                ["expected of random maps", f"{self.expected:.1f}"],
            ]
        )


def find_consensus(
    found: InformativeFeatures, *, share: float = 0.025, min_folds: int | float = 0.5
) -> Consensus:
    r"""Voxels that are among the first ones found in at least half of the folds.

    With the set :math:`T_k` of the first q d of d voxels in fold k = 1, ..., K, a voxel belongs to
    the consensus if

    .. math:: \#\{k : j \in T_k\} \ge m ,

    with q = 0.025 and m = K / 2 in Klement, Anders & Martinetz (2013, fig. 5); q = 0.2 and 4 of 6
    folds in Klement's thesis (2013, fig. 6.11). Random sets have d P(B >= m) such voxels on
    average, where B is binomial with K trials and probability q. Folds share most of their samples,
    so they agree on more than that even where nothing is to be found.

    Parameters
    ----------
    found : InformativeFeatures
        Repetitive selection, fold by fold; ``probe=None`` is enough.
    share : float
        The q of the formula: which part of the voxels counts as found first.
    min_folds : int or float
        The m of the formula: a number of folds, or a part of them (above zero, at most one).

    Returns
    -------
    Consensus

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> from fewest.neuro.analyses import find_consensus
    >>> maps = make_brain(6, 3, n_voxels=300, strength=2.0, informative=0.2, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> consensus = find_consensus(found, share=0.05)
    >>> print(consensus)
      voxels                   300
      in at least 3 of 6 maps   17
      expected of random maps  0.7
    >>> print(f"{maps.informative[consensus.voxels].mean():.0%} of them are informative")
    100% of them are informative
    """
    count = share_count(share, found.n_features)
    tops = np.zeros((len(found.folds), found.n_features), dtype=bool)
    for number, fold in enumerate(found.folds):
        if fold.n_removed < count:
            raise ValueError(
                f"share={share:g} asks for the first {counted(count, 'voxel')}, but fold {number} "
                f"found only {fold.n_removed} of {found.n_features}. Take a smaller share, or a "
                "selector that goes on for longer"
            )
        tops[number, np.concatenate(fold.subsets)[:count]] = True
    return _agree(tops, "min_folds", min_folds)


def join_consensus(
    parts: Sequence[Consensus | ArrayLike], *, min_maps: int | float = 0.5
) -> Consensus:
    """Voxels that are in at least half of several maps, of pairs of conditions for instance.

    Klement's thesis (2013, fig. 6.11) keeps the voxels that the folds of at least 6 of 10 pairs of
    emotions agree on (the text says half of them). Voxels are counted as in `find_consensus`. The
    number of random maps that hold a voxel has the Poisson binomial distribution of their shares.

    Parameters
    ----------
    parts : sequence of Consensus, or of arrays of shape (n_voxels,)
        The maps; voxels that are not zero are in a map.
    min_maps : int or float
        A number of maps, or a part of them (above zero, at most one).

    Returns
    -------
    Consensus

    Examples
    --------
    >>> from fewest.neuro.analyses import join_consensus
    >>> joined = join_consensus([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]], min_maps=2)
    >>> joined.counts.tolist(), joined.voxels.tolist()
    ([3, 2, 1, 0], [True, True, False, False])
    """
    rows = [one.voxels if isinstance(one, Consensus) else np.asarray(one) != 0 for one in parts]
    if not rows:
        raise ValueError("there are no maps to join: give at least one")
    lengths = {row.shape for row in rows}
    if len(lengths) > 1 or rows[0].ndim != 1:
        raise ValueError(
            f"the maps have shapes {sorted(lengths)}: give one value per voxel, of the same voxels"
        )
    return _agree(np.array(rows), "min_maps", min_maps)


def _agree(maps: BoolArray, name: str, least: int | float) -> Consensus:
    """Count the maps, one per row, and compare with random ones."""
    needed = _count_needed(name, least, len(maps))
    chances = np.ones(1)  # that a voxel is in 0, 1, ... of the random maps so far
    for part in maps.mean(axis=1):
        chances = np.convolve(chances, [1.0 - part, part])
    expected = maps.shape[1] * float(chances[needed:].sum())
    return Consensus(maps.sum(axis=0, dtype=np.intp), len(maps), needed, expected)


def _count_needed(name: str, least: int | float, total: int) -> int:
    """A number of maps as it is; a part of them, rounded up."""
    whole = isinstance(least, (int, np.integer)) and not isinstance(least, bool)
    if whole and 1 <= least <= total:
        return int(least)
    if not whole and is_number(least) and 0.0 < least <= 1.0:
        return max(1, int(np.ceil(least * total - 1e-9)))
    raise ValueError(
        f"{name} must be a whole number from 1 to {total}, or a part above zero and at most one; "
        f"got {least!r}"
    )
