"""What two maps have in common, beside what chance would give them (Klement's thesis, sec. 6.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from fewest._wording import aligned


@dataclass(frozen=True)
class MapOverlap:
    """Voxels in two maps.

    Attributes
    ----------
    n_voxels : int
        Voxels that could have been in either.
    n_first, n_second, n_both : int
        Voxels of the first map, of the second, and of both.
    expected : float
        Voxels that two random maps of these sizes have in common, on average.
    p_value : float
        Probability that they have `n_both` or more in common (hypergeometric distribution).
    """

    n_voxels: int
    n_first: int
    n_second: int
    n_both: int
    expected: float
    p_value: float

    @property
    def dice(self) -> float:
        """Twice the common voxels, divided by the sum of the sizes; zero for empty maps."""
        total = self.n_first + self.n_second
        return 2 * self.n_both / total if total else 0.0

    def __str__(self) -> str:
        return aligned(
            [
                ["voxels", f"{self.n_voxels}"],
                ["first map", f"{self.n_first}"],
                ["second map", f"{self.n_second}"],
                ["both", f"{self.n_both}"],
                ["expected by chance", f"{self.expected:.1f}"],
                ["Dice coefficient", f"{self.dice:.2f}"],
                ["p (hypergeometric)", f"{self.p_value:.2g}"],
            ]
        )


def map_overlap(first: ArrayLike, second: ArrayLike, mask: ArrayLike | None = None) -> MapOverlap:
    r"""Count what two maps share, and how probable so much is for random maps of these sizes.

    With N voxels, of which the maps have n and m, random maps share k with probability

    .. math:: \binom{m}{k} \binom{N - m}{n - k} \Big/ \binom{N}{n} ,

    and n m / N on average. That takes voxels for independent. Smooth maps consist of clumps, by
    which large overlaps are more frequent than the p-value says: it is a lower limit there.

    Parameters
    ----------
    first, second : arrays of the same shape
        Maps; voxels that are not zero are in the map.
    mask : array of that shape, optional
        The voxels that count; all by default.

    Returns
    -------
    MapOverlap

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import map_overlap
    >>> first, second = np.zeros(100), np.zeros(100)
    >>> first[:10], second[5:15] = 1, 1
    >>> found = map_overlap(first, second)
    >>> found.n_both, found.expected, found.dice, f"{found.p_value:.4f}"
    (5, 1.0, 0.5, '0.0007')
    """
    maps = [_in_map(one, name) for one, name in ((first, "first"), (second, "second"))]
    if maps[0].shape != maps[1].shape:
        raise ValueError(
            f"the maps have shapes {maps[0].shape} and {maps[1].shape}: resample one of them to "
            "the grid of the other"
        )
    inside = np.ones(maps[0].shape, dtype=bool) if mask is None else np.asarray(mask) != 0
    if inside.shape != maps[0].shape:
        raise ValueError(f"mask has shape {inside.shape}, but the maps have {maps[0].shape}")
    if not inside.any():
        raise ValueError("the mask holds no voxel: nothing to compare")
    one, other = (each & inside for each in maps)
    counted = (inside, one, other, one & other)
    n_voxels, n_first, n_second, n_both = (int(each.sum()) for each in counted)
    expected = n_first * n_second / n_voxels
    p_value = float(stats.hypergeom.sf(n_both - 1, n_voxels, n_first, n_second))
    return MapOverlap(n_voxels, n_first, n_second, n_both, expected, p_value)


def _in_map(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    values = np.asarray(values)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"the {name} map holds NaN: say which voxels are in it, and put 0 there")
    return values != 0
