"""How much two classes overlap on a line, and the values of C that follow from it.

Transvariation measures by how much pairs of samples of two classes lie the wrong way round. Its
linear form relates a distance between the classes to the cost C of Liknon: a feature can enter the
discriminant once 1 / C is below its class difference |a_j|.

The chapter of Pranckeviciene and Somorjai assumes classes of equal size. Here the class difference
of a feature is

    a_j = N / 2 (mean of x_j in class + minus mean of x_j in class -),

which for N / 2 samples per class is the chapter's difference of sums. For other sizes it is the
difference that Liknon sees with `class_weight="balanced"`: w = 0 is then optimal exactly as long as
C <= 1 / max_j |a_j|. The chapter's difference of sums (8.21) for classes of any size, which it also
ranks features by, is ``difference="sums"``.

References
----------
Pranckeviciene, Somorjai (2011). Liknon feature selection: behind the scenes. In: Hands-On Pattern
Recognition, Challenges in Machine Learning vol. 1, ch. 8. Equation and section numbers refer to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y

from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_positive,
    encode_two_classes,
    standardize_columns,
)
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.problem import class_mean_vector
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray
from fewest.machines._overlap import (
    t,
    t_alpha,
    t_alpha_zero,
    t_zero,
    transvariation_area,
    transvariation_intensity,
    transvariation_probability,
)

__all__ = [
    "TransvariationC",
    "class_differences",
    "histogram_C",
    "inverse_difference_C",
    "t",
    "t_alpha",
    "t_alpha_zero",
    "t_zero",
    "transvariation_C",
    "transvariation_area",
    "transvariation_grid",
    "transvariation_intensity",
    "transvariation_probability",
]

# Steps of the even grid that joins the features' own distances in t_total (Na in the appendix of
# Pranckeviciene & Somorjai).
_GRID_STEPS = 100
# The appendix of Pranckeviciene & Somorjai adds this cost: the densest discriminant is always
# looked at.
LARGEST_C = 100.0
_DIFFERENCES = ("means", "sums")


@dataclass(frozen=True, repr=False)
class TransvariationC(Shown):
    """Values of C, and the curve t_total(d) = sum_j max(0, |a_j| - N d / 2) they come from.

    Attributes
    ----------
    Cs : array
        Increasing costs: 2 / (N d) for every chosen distance, and `largest`.
    distances, totals : arrays of shape (n_Cs,)
        Chosen distances d_s (increasing) and t_total there: the diamonds in fig. 8.6 of
        Pranckeviciene & Somorjai.
    curve_distances, curve_totals : arrays
        The whole curve t_total, from d = 0 to the distance at which it reaches zero.
    differences : array of shape (n_features,)
        |a_j|, the value at d = 0 of each feature's own line |a_j| - N d / 2.
    n_samples : int
        N.
    """

    Cs: FloatArray
    distances: FloatArray
    totals: FloatArray
    curve_distances: FloatArray
    curve_totals: FloatArray
    differences: FloatArray
    n_samples: int


def class_differences(
    X: Any, y: ArrayLike, *, standardize: bool = True, difference: str = "means"
) -> FloatArray:
    """Class difference a_j = N/2 (mean in class + minus mean in class -) of every feature.

    For classes of equal size this is the difference of sums of (8.21). One pass over X, no copy.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples of two classes.
    y : array of shape (n_samples,)
        Labels of two classes; the larger label is the positive class.
    standardize : bool
        Of columns with mean zero and variance one; otherwise of X as it is.
    difference : {"means", "sums"}
        "sums" is (8.21) as it stands, a_j = sum in class + minus sum in class -. For classes of
        unequal size it depends on where zero is: with ``standardize=False`` a column far from zero
        has a large difference even if its class means agree.

    Returns
    -------
    array of shape (n_features,)
        Zero for constant columns.

    Examples
    --------
    >>> from fewest.machines.transvariation import class_differences
    >>> X, y = [[1.0], [2.0], [3.0], [6.0]], [0, 1, 1, 1]
    >>> class_differences(X, y, standardize=False).round(3).tolist()  # 2 (11/3 - 1)
    [5.333]
    >>> class_differences(X, y, standardize=False, difference="sums").tolist()  # 11 - 1
    [10.0]
    """
    check_sparse(X, "X")
    X, y = check_X_y(X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric", ensure_all_finite=False)
    _, codes = encode_two_classes("class_differences", y)
    signs = np.where(codes == 1, 1.0, -1.0)
    columns = standardize_columns(X)
    return measure_differences(columns, signs, standardize=standardize, difference=difference)


def measure_differences(
    columns: Columns, signs: FloatArray, *, standardize: bool, difference: str = "means"
) -> FloatArray:
    """Class differences of standardised columns, or of the data behind them."""
    check_choice("difference", difference, _DIFFERENCES)
    n = len(signs)
    weights = signs if difference == "sums" else n / 2.0 * class_mean_vector(signs)
    found = columns.price(weights)
    # What rounding makes of equal means would otherwise count as a difference, however small.
    noise = n * n * np.finfo(np.float64).eps * (1.0 + np.abs(columns.mean) * columns.inverse_scale)
    found[np.abs(found) <= noise] = 0.0
    if not standardize:
        usable = columns.inverse_scale > 0.0
        found[usable] /= columns.inverse_scale[usable]
        found[usable] += columns.mean[usable] * weights.sum()
    return found


def transvariation_grid(
    X: Any,
    y: ArrayLike,
    n_Cs: int = 50,
    *,
    standardize: bool = True,
    difference: str = "means",
    largest: float | None = LARGEST_C,
) -> TransvariationC:
    """Costs C for Liknon from the transvariation of the features, with the curve behind them.

    Each feature has the line |a_j| - N d / 2 over the distance d; t_total(d) is the sum of their
    positive parts. As d falls from the largest class distance to zero, t_total grows, fastest where
    many features begin to count. Values even in log(t_total(0) - t_total(d)) are taken, and each of
    their distances d_s gives C_s = 2 / (N d_s) (Pranckeviciene & Somorjai, sec. 8.5.4 and
    appendix).

    Parameters
    ----------
    X, y, standardize, difference
        As for `class_differences`.
    n_Cs : int
        Number of distances.
    largest : float or None
        A cost to be added to the list, as Pranckeviciene & Somorjai add 100.

    Returns
    -------
    TransvariationC
        The costs in `Cs`, and the curves of fig. 8.6 in Pranckeviciene & Somorjai.
    """
    differences = class_differences(X, y, standardize=standardize, difference=difference)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    return find_costs(differences, n_samples, n_Cs, largest=largest)


def find_costs(
    differences: FloatArray, n: int, n_Cs: int, *, largest: float | None = LARGEST_C
) -> TransvariationC:
    """The costs and the curve behind them, from the class differences of n samples."""
    check_count("n_Cs", n_Cs)
    if largest is not None:
        check_positive("largest", largest)
    differences = np.abs(differences)
    informative = _keep_informative(differences)
    own = informative * (2.0 / n)
    even = np.linspace(0.0, own.max(), _GRID_STEPS + 1)
    d = np.unique(np.concatenate([own, even]))
    # t_total(0) - t_total(d) = sum_j min(|a_j|, N d / 2), written so that nothing cancels near 0.
    fall = _sum_capped(informative, n / 2.0 * d)
    total = informative.sum()
    log_fall = np.log(fall[1:])
    chosen = log_fall[0] + (log_fall[-1] - log_fall[0]) * np.arange(1, n_Cs + 1) / n_Cs
    distances = np.interp(chosen, log_fall, d[1:])
    distances[-1] = d[-1]  # exactly, whatever the logarithm rounds to
    Cs = 2.0 / (n * distances)
    return TransvariationC(
        Cs=np.unique(Cs if largest is None else np.append(Cs, largest)),
        distances=distances,
        totals=np.maximum(0.0, total - _sum_capped(informative, n / 2.0 * distances)),
        curve_distances=d,
        curve_totals=np.maximum(0.0, total - fall),
        differences=differences,
        n_samples=n,
    )


def transvariation_C(  # noqa: N802 (C is the field's own name)
    X: Any,
    y: ArrayLike,
    n_Cs: int = 50,
    *,
    standardize: bool = True,
    difference: str = "means",
    largest: float | None = LARGEST_C,
) -> FloatArray:
    """Increasing costs C for Liknon, from the transvariation of the features (sec. 8.5.4).

    The smallest is 1 / max_j |a_j|, up to which no feature enters for classes of equal size.
    See `transvariation_grid` for the rule, and for the curve that comes with it.

    Parameters
    ----------
    X, y, standardize, difference
        As for `class_differences`. Give the path or machine the same `standardize`.
    n_Cs : int
        Number of costs from the data.
    largest : float or None
        A cost to be added to them, as Pranckeviciene & Somorjai add 100.

    Returns
    -------
    array of shape (n_Cs + 1,), or shorter where costs coincide
        Increasing costs.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.machines.transvariation import transvariation_C
    >>> X, y = make_gaussian(n=100, d=10, k=2, mu=1.0, random_state=0)
    >>> transvariation_C(X, y, n_Cs=5).round(4)
    array([1.340e-02, 4.070e-02, 1.328e-01, 3.141e-01, 6.894e-01, 1.000e+02])
    """
    return transvariation_grid(
        X, y, n_Cs, standardize=standardize, difference=difference, largest=largest
    ).Cs


def inverse_difference_C(  # noqa: N802
    X: Any,
    y: ArrayLike,
    n_Cs: int | None = None,
    *,
    standardize: bool = True,
    difference: str = "means",
) -> FloatArray:
    """The cost C = 1 / |a_j| above which each feature may enter (first rule of 8.5.3).

    Parameters
    ----------
    X, y, standardize, difference
        As for `class_differences`.
    n_Cs : int or None
        Only the features of the `n_Cs` largest class differences.

    Returns
    -------
    array
        Increasing costs, one per feature; features without a class difference have none, and equal
        ones count once.
    """
    check_count("n_Cs", n_Cs, or_none=True)
    differences = class_differences(X, y, standardize=standardize, difference=difference)
    informative = _keep_informative(np.abs(differences))
    return np.unique(1.0 / informative)[:n_Cs]


def histogram_C(  # noqa: N802
    X: Any,
    y: ArrayLike,
    n_bins: int = 20,
    *,
    standardize: bool = True,
    difference: str = "means",
) -> FloatArray:
    """Costs C = 1 / |a| at the modes of the histogram of class differences (second rule of 8.5.3).

    A mode is a bin, or a run of equal bins, that holds more features than the bins on both sides;
    its middle is taken.

    Parameters
    ----------
    X, y, standardize, difference
        As for `class_differences`.
    n_bins : int
        Number of equal bins between zero and the largest class difference.

    Returns
    -------
    array
        Increasing costs, one per mode.
    """
    check_count("n_bins", n_bins)
    differences = class_differences(X, y, standardize=standardize, difference=difference)
    informative = _keep_informative(np.abs(differences))
    counts, edges = np.histogram(informative, bins=n_bins, range=(0.0, informative.max()))
    # Runs of equal counts, between an empty bin on either side.
    starts = np.flatnonzero(np.diff(counts, prepend=-1))
    ends = np.append(starts[1:], n_bins)
    heights = np.concatenate([[0], counts[starts], [0]])
    mode = (heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:])
    middles = (edges[starts[mode]] + edges[ends[mode]]) / 2.0
    return np.sort(1.0 / middles)


def _sum_capped(values: FloatArray, caps: FloatArray) -> FloatArray:
    """Sum of min(value, cap) over the values, for every cap."""
    values = np.sort(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    below = np.searchsorted(values, caps)
    return sums[below] + (len(values) - below) * caps


def _keep_informative(differences: FloatArray) -> FloatArray:
    informative = differences[differences > 0.0]
    if not len(informative):
        raise ValueError(
            "the class means are equal in every feature, so no C follows from their differences: "
            "give the values of C yourself"
        )
    return informative
