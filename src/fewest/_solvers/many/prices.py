"""What the prices of many problems have to supply, whether X lies in memory or on a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fewest._types import FloatArray, IndexArray


@dataclass(frozen=True, eq=False)
class Best:
    """The columns with the largest prices of one problem, in any order.

    `is_complete` says that no other column has a price above the threshold.
    """

    index: IndexArray
    is_complete: bool


class Prices(Protocol):
    """The products of all columns with many vectors, of which only the largest are kept.

    `mean` and `inverse_scale` are those of the standardised columns over all samples. Problems on
    some of the samples have scales of their own, from `measure_scales`.
    """

    n_samples: int
    n_features: int
    mean: FloatArray
    inverse_scale: FloatArray
    rough_rounds: bool  # whether prices in single precision are so much faster that they come first
    most_at_once: int  # problems whose prices should be asked for together

    def find_start(self, V: FloatArray, count: int, scales: Any = None) -> list[IndexArray]:
        """About `count` columns with large |x_j . v|, for every row v of V."""

    def find_above(
        self,
        V: FloatArray,
        thresholds: FloatArray,
        count: int,
        *,
        scales: Any = None,
        rough: bool = False,
    ) -> list[Best]:
        """Columns with |x_j . v| above the threshold, at most `count`, for every row v of V."""

    def measure_scales(self, members: FloatArray) -> Any:
        """Inverse scales of all columns over some of the samples, for every row of zeros and ones.

        They are right to six digits at least, and zero where a column is constant.
        """

    def pick_scales(self, scales: Any, places: IndexArray) -> Any:
        """The scales of some of these rows."""

    def gather(self, wanted: Sequence[IndexArray]) -> list[FloatArray]:
        """Columns of X as they are, in double precision, one per row, for every list of them."""


def inverse_of(variance: FloatArray) -> FloatArray:
    """1 / sqrt(variance), and zero where that is zero."""
    return np.divide(1.0, np.sqrt(variance), out=np.zeros_like(variance), where=variance > 0.0)
