"""What the search for the smallest set returns, and how to check it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from fewest._types import FloatArray, IndexArray
from fewest.minimum._leaves import RuledOut, Separation


@dataclass(frozen=True)
class Step:
    """All sets of one size, and how they were ruled out.

    `n_sets` is how many there are (of columns that vary and differ), `n_tested` how many signed
    sets (from three on: nodes that stand for many) met the bit test one by one, `n_survivors` how
    many passed it, `n_settled` how many of these took a linear program or fractions, and `n_found`
    how many separate. `complete` is False where time or the number of solutions ended the step.
    """

    size: int
    n_sets: int
    n_tested: int
    n_survivors: int
    n_settled: int
    n_found: int
    complete: bool
    seconds: float


@dataclass(frozen=True, eq=False)
class MinimumResult:
    """The smallest separating sets, or how far the search came; see `minimum_features`.

    Attributes
    ----------
    size : int or None
        Number of features of the smallest known separating set. None: no set was found; if
        `certified`, none exists.
    lower_bound : int
        Proven: no set with fewer features separates the classes. One more than there are features
        if no set does.
    certified : bool
        The answer is proven: `size` equals `lower_bound`, or the classes cannot be separated.
    subsets : tuple of int arrays
        Sets of `size` columns, largest margin first.
    margins : array of float
        Their margins: half the distance of the classes' convex hulls, in standardised columns.
    n_found : int
        How many sets of this size were found, more than were asked for included.
    complete : bool
        Whether these are all there are.
    searched : tuple of Step
        What was tested and ruled out, size by size.
    seconds : float
        Wall-clock time.
    separations : tuple of Separation
        The subsets with whole-number weights that prove them.
    ruled_out : tuple of RuledOut
        The sets that passed the bit test but separate nothing, each with a Farkas vector in whole
        numbers.
    n_features : int
        Number of columns of the data.
    """

    report_kind = "minimum"  # as which `fewest.report` takes it
    size: int | None
    lower_bound: int
    certified: bool
    subsets: tuple[IndexArray, ...]
    margins: FloatArray
    n_found: int
    complete: bool
    searched: tuple[Step, ...]
    seconds: float
    n_features: int
    separations: tuple[Separation, ...] = field(repr=False)
    ruled_out: tuple[RuledOut, ...] = field(repr=False)

    def verify(self, X: Any, y: ArrayLike, *, search: bool = False) -> bool:
        """Check the proofs against the data, in exact arithmetic and without a solver.

        Every returned set is shown to separate the classes strictly, and every Farkas vector to
        rule out its set, with floats treated as exact fractions.

        Parameters
        ----------
        X, y : arrays
            The data that the result is for.
        search : bool, default=False
            Also repeat the search below `lower_bound`, with the Farkas vectors as given and no
            linear program: every set must fail on a pair of samples, in the plane, or on one of
            the vectors.

        Returns
        -------
        bool
            Whether all of it holds.
        """
        from fewest.minimum._verify import verify_result

        return verify_result(self, X, y, search=search)
