"""What results claim beside their proofs, checked against the data: sets, margins, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._showing import Shown
from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import SolverError, TimeIsUpError
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import pair_classes
from fewest.minimum._clock import Clock
from fewest.minimum._data import read_names
from fewest.minimum._leaves import RuledOut, Separation, Signs, lift_columns
from fewest.minimum._signs import measure_margin

if TYPE_CHECKING:
    from fewest.minimum._result import MinimumResult

_SAME_MARGIN = 1e-6  # relative: margins are computed in floats, possibly on another computer
NO_SMALLER = "that there is no better set (search=True does)"
HOW_MANY = "how many such sets there are"
COURSE = "what the search counted on its way, and its time"
NO_OTHERS = "that there are no other sets"
NO_PART = "that no part of a set separates"
RULES = "that these are the rules you asked for"
WRONG = "whether fewer samples would have to be left out"
_NAMES = "the names of features, which these data do not have"

# The fields that each of these is about.
_FIELDS = {
    NO_SMALLER: ("lower_bound", "price_bound", "certified", "proven", "complete"),
    HOW_MANY: ("n_found", "complete"),
    COURSE: ("searched", "seconds"),
    NO_OTHERS: ("n_found", "complete", "extra"),
    NO_PART: ("subsets",),
    RULES: ("rules",),
    WRONG: ("wrong",),
    _NAMES: ("feature_names",),
}


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

    @property
    def unchecked_fields(self) -> tuple[str, ...]:
        """The names of the fields that `unchecked` is about."""
        return tuple(dict.fromkeys(name for one in self.unchecked for name in _FIELDS[one]))

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
    Z = scale_columns(lift_columns(X[:, columns])[0]).take(np.arange(len(columns)))
    left = np.setdiff1d(np.arange(len(y)), separation.wrong)
    Z, pairs = Z[left], pair_classes(y[left])
    if not pairs:
        return 0.0
    if signs is not None and signs[columns].any():
        return min(measure_margin(Z[pair.rows], pair.y, signs[columns]) for pair in pairs)
    try:
        planes = [hard_margin(Z[pair.rows], pair.y) for pair in pairs]
    except TimeIsUpError:
        raise
    except SolverError:  # values too far apart in size
        return 0.0
    return min(0.0 if plane is None else float(1 / np.linalg.norm(plane[0])) for plane in planes)


def proofs_hold(
    proofs: Iterable[Separation | RuledOut],
    X: FloatArray,
    y: NDArray[Any],
    signs: Signs | None = None,
) -> bool:
    """Whether proofs name columns and samples that exist, and hold."""
    return all(_is_about(one, X) and one.holds(X, y, signs) for one in proofs)


def _is_about(proof: Separation | RuledOut, X: FloatArray) -> bool:
    """Whether a proof names columns and samples that exist, and has a number for each."""
    if not are_places(proof.columns, X.shape[1]):
        return False
    if isinstance(proof, RuledOut):
        return are_places(proof.samples, len(X)) and are_whole(proof.shares, len(proof.samples))
    in_order = sorted(proof.wrong) == list(proof.wrong)
    return (
        in_order
        and are_places(proof.wrong, len(X))
        and all(are_whole(weights, len(proof.columns)) for weights in proof.weights)
    )


def are_places(places: Sequence[Any], stop: int) -> bool:
    """Whether these are columns, or samples, that exist, each once."""
    return are_whole(places, len(set(places))) and all(0 <= one < stop for one in places)


def are_whole(values: Sequence[Any], count: int) -> bool:
    """Whether these are so many whole numbers."""
    return len(values) == count and all(isinstance(one, int | np.integer) for one in values)


def are_counts(*values: Any) -> bool:
    """Whether these are whole numbers of things."""
    return all(isinstance(one, int | np.integer) and one >= 0 for one in values)


def names_hold(names: tuple[str, ...] | None, X: Any) -> bool:
    """Whether names, where there are any, are those of the data; data without names have none."""
    return names is None or (len(names) == np.shape(X)[1] and read_names(X) in (None, tuple(names)))


def names_inseparable(
    result: MinimumResult, everything: tuple[int, ...], classes: NDArray[Any], y: IndexArray
) -> bool:
    """Whether the pairs of classes that nothing separates are those with a proof for all columns.

    None may be named: a proof for all columns is not always recognised as one.
    """
    proven = {one.classes(y) for one in result.ruled_out if one.columns == everything}
    pairs = np.array(sorted(proven), dtype=np.intp).reshape(-1, 2)
    return not len(result.inseparable) or np.array_equal(result.inseparable, classes[pairs])


def sets_are_proven(subsets: Sequence[NDArray[Any]], separations: Sequence[Separation]) -> bool:
    """Whether every set is that of its proof, has no column twice, and is named once."""
    columns = [tuple(np.asarray(subset).tolist()) for subset in subsets]
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
    units: Sequence[int] | None = None,
) -> bool:
    """Whether these are the margins of the sets without the samples that they leave wrong.

    The largest comes first among sets of the same price, in `units`, and those not known last.
    """
    if np.shape(margins) != (len(separations),):
        return False
    ranks = np.where(np.isnan(margins), -1.0, margins)
    prices = [0] * len(margins) if units is None else units
    for place, (before, after) in enumerate(pairwise(prices)):
        if before == after and ranks[place] < ranks[place + 1]:
            return False
    # Margins for which there was no time are NaN, and claim nothing.
    known = np.flatnonzero(~np.isnan(margins))
    found = [measure_set(X, y, separations[place], signs) for place in known.tolist()]
    return bool(np.allclose(margins[known], found, rtol=_SAME_MARGIN, atol=1e-12))


def numbers_agree(result: MinimumResult) -> bool:
    """Whether the numbers fit the sets that are listed, and one another; without a set they are 0.

    No set of features separates more than all features do: a bound above them needs a proof.
    """
    n_sets, most = len(result.subsets), result.n_features
    if not are_counts(result.lower_bound, result.n_found, most, result.max_errors):
        return False
    if result.size is None:
        is_empty = n_sets == len(result.separations) == len(result.margins) == result.n_found == 0
        least = result.lower_bound
        return (
            is_empty
            and result.complete == result.certified
            and (least == most + 1 if result.certified else least <= most)
        )
    return (
        are_counts(result.size)
        and 1 <= n_sets <= result.n_found
        and result.lower_bound <= most
        and not len(result.inseparable)
    )


def list_unchecked(
    given: Any, names: Any, *, search: bool, counted: bool, wrong: bool = False
) -> tuple[str, ...]:
    """What `verify` leaves open; `names` are those of the features that the data have.

    `counted`: all sets of this kind were counted again, or there is no more than one. `wrong`: a
    set may leave more samples out than it has to.
    """
    left = {
        NO_SMALLER: not search,
        HOW_MANY: not counted,
        WRONG: wrong,
        RULES: getattr(given, "rules", None) is not None,
        _NAMES: given.feature_names is not None and names is None,
    }
    return (*(said for said, is_open in left.items() if is_open), COURSE)


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
