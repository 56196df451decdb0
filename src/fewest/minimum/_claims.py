"""What results claim beside their proofs, checked against the data: sets, margins, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._showing import Shown
from fewest._solvers.columns import scale_columns
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import pair_classes
from fewest.minimum._clock import Clock
from fewest.minimum._leaves import Separation, Signs
from fewest.minimum._signs import measure_margin

if TYPE_CHECKING:
    from fewest.minimum._result import MinimumResult

_SAME_MARGIN = 1e-6  # relative: margins are computed in floats, possibly on another computer
NO_SMALLER = "that there is no better set (search=True does)"
HOW_MANY = "how many such sets there are"
COURSE = "what the search counted on its way, and its time"


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """Whether a result holds, and what was not checked; true or false in an `if`.

    Parameters
    ----------
    holds : bool
        Whether everything that was checked follows from the data.
    unchecked : tuple of str
        What the result claims and was not checked.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import minimum_features
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 0.5], [6.0, 0.2]]), [0, 0, 1, 1]
    >>> found = minimum_features(X, y).verify(X, y, search=True)
    >>> bool(found), found.unchecked
    (True, ('what the search counted on its way, and its time',))
    """

    holds: bool
    unchecked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.holds)

    def __str__(self) -> str:
        if not self.holds:
            return "It does not hold."
        return f"It holds. Not checked: {'; '.join(self.unchecked) or 'nothing'}."


def measure_set(
    X: FloatArray, y: IndexArray, separation: Separation, signs: Signs | None = None
) -> float:
    """Half the distance of the nearest classes' convex hulls in standardised columns.

    Samples that the set leaves wrong do not count. Zero where the hulls are too close for the
    difference to be computed, or where only one class is left.
    """
    columns = list(separation.columns)
    Z = scale_columns(X[:, columns]).take(np.arange(len(columns)))
    left = np.setdiff1d(np.arange(len(y)), separation.wrong)
    Z, pairs = Z[left], pair_classes(y[left])
    if not pairs:
        return 0.0
    if signs is not None and signs[columns].any():
        return min(measure_margin(Z[pair.rows], pair.y, signs[columns]) for pair in pairs)
    planes = [hard_margin(Z[pair.rows], pair.y) for pair in pairs]
    return min(0.0 if plane is None else float(1 / np.linalg.norm(plane[0])) for plane in planes)


def sets_are_proven(subsets: Sequence[NDArray[Any]], separations: Sequence[Separation]) -> bool:
    """Whether every set is that of its proof, has no column twice, and is named once."""
    columns = [tuple(subset.tolist()) for subset in subsets]
    return (
        columns == [one.columns for one in separations]
        and len(set(columns)) == len(columns)
        and all(list(one) == sorted(set(one)) for one in columns)
        and all(len(weights) == len(one.columns) for one in separations for weights in one.weights)
    )


def find_idle(separation: Separation) -> list[int]:
    """Columns that the proof itself does not use: the others separate without them."""
    if not separation.weights:  # all samples of a class are wrong
        return []
    return [
        column
        for place, column in enumerate(separation.columns)
        if all(weights[place] == 0 for weights in separation.weights)
    ]


def margins_are_right(
    X: FloatArray,
    y: IndexArray,
    margins: FloatArray,
    separations: Sequence[Separation],
    signs: Signs | None = None,
) -> bool:
    """Whether these are the margins of the sets without the samples that they leave wrong."""
    if np.shape(margins) != (len(separations),):
        return False
    found = [measure_set(X, y, one, signs) for one in separations]
    return bool(np.allclose(margins, found, rtol=_SAME_MARGIN, atol=1e-12))


def numbers_agree(result: MinimumResult) -> bool:
    """Whether the number of sets fits those that are listed; without a set there is none."""
    n_sets = len(result.subsets)
    if result.size is None:
        return n_sets == len(result.separations) == len(result.margins) == result.n_found == 0
    return 1 <= n_sets <= result.n_found


def list_unchecked(result: MinimumResult, *, search: bool, counted: bool) -> tuple[str, ...]:
    """What `verify` leaves open; `counted` says that all sets of this size were counted again."""
    left = []
    if not search and result.lower_bound > 0 and not len(result.inseparable):
        left.append(NO_SMALLER)
    if result.size is not None and not counted:
        left.append(HOW_MANY)
    return (*left, COURSE)


def count_again(result: MinimumResult, X: FloatArray, classes: Any, y: IndexArray) -> bool:
    """Whether a second search for all sets of this size finds as many, those listed among them."""
    from fewest.minimum._driver import Driver
    from fewest.minimum._general_errors import allow_errors

    if result.max_errors:
        everything = {"max_size": None, "n_solutions": None}
        again = allow_errors(X, y, None, 1, 0, None, result.max_errors, **everything)
    else:
        again = Driver(X, y, classes, Clock(), max_size=None, n_solutions=None).run()
    listed = {tuple(subset.tolist()) for subset in again.subsets}
    return (
        again.size == result.size
        and again.n_found == result.n_found
        and (
            len(listed) < again.n_found
            or all(tuple(subset.tolist()) in listed for subset in result.subsets)
        )
    )
