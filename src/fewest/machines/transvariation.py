"""How far two classes overlap on a line, and the values of C that follow from it.

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
from scipy.integrate import trapezoid
from scipy.stats import gaussian_kde
from sklearn.utils import check_X_y

from fewest._estimators.validation import (
    SPARSE_FORMATS,
    check_choice,
    check_count,
    check_positive,
    encode_two_classes,
    standardize_columns,
)
from fewest._solvers.columns import Columns
from fewest._solvers.problem import class_mean_vector
from fewest._types import FloatArray

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
# Where and how finely densities are integrated, in widths of their kernels.
_KERNEL_WIDTHS, _POINTS_PER_WIDTH, _MOST_POINTS = 5.0, 8, 20_000
_DIFFERENCES = ("means", "sums")


@dataclass(frozen=True)
class TransvariationC:
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


def transvariation_intensity(
    x_plus: ArrayLike, x_minus: ArrayLike, *, reference: str | tuple[float, float] = "mean"
) -> float:
    r"""Share of class overlap on a line: 0 if the classes are apart, 1 if their means agree.

    A pair of samples of the two classes transvaries if its difference has the sign opposite to the
    difference p1 - p2 of two reference points, the class means by default; |x_i - x_j| is its
    intensity. The measure (8.11) is

    .. math:: \frac{2 \sum_{(i, j) \text{ transvary}} |x_i - x_j|}
        {\sum_i \sum_j |(x_i - p_1) - (x_j - p_2)|}.

    It takes sorting, not a loop over pairs.

    Parameters
    ----------
    x_plus, x_minus : arrays of shape (n_plus,) and (n_minus,)
        Values of the two classes, for example their projections on a discriminant.
    reference : {"mean", "median"} or pair of floats
        The points p1 and p2 that the classes transvary around: their means, their medians, or any
        point for each class (sec. 8.4.1).

    Returns
    -------
    float
        With the means between 0 and 1; other points may give more than 1. Equal points give 1, the
        mean of the limits from either side; classes of one value each give 0 where the values
        differ.

    Examples
    --------
    >>> from fewest.machines.transvariation import transvariation_intensity
    >>> transvariation_intensity([2.0, 3.0], [0.0, 1.0])
    0.0
    >>> transvariation_intensity([1.0, 5.0], [0.0, 2.0])
    0.25
    >>> round(transvariation_intensity([1, 5, 6], [0, 1, 2], reference="median"), 4)
    0.1176
    """
    plus, minus, points = _order_classes(x_plus, x_minus, reference)
    if points[0] == points[1]:
        return 1.0
    overlap = _sum_excess(minus, plus)
    centred_plus, centred_minus = plus - points[0], minus - points[1]
    largest = _sum_excess(centred_minus, centred_plus) + _sum_excess(centred_plus, centred_minus)
    if overlap == 0.0 or largest == 0.0:
        return 0.0
    found = float(2.0 * overlap / largest)
    return min(1.0, found) if isinstance(reference, str) and reference == "mean" else found


def transvariation_probability(
    x_plus: ArrayLike, x_minus: ArrayLike, *, reference: str | tuple[float, float] = "mean"
) -> float:
    r"""Share of the pairs of samples that lie the wrong way round, relative to one half.

    .. math:: \frac{2}{n_+ n_-} \, \#\{(i, j): \operatorname{sign}(x_i - x_j)
        = -\operatorname{sign}(p_1 - p_2)\}

    Equal values count as half a pair. It is the transvariation probability of Gini as given by
    Montanari (2004), which Pranckeviciene & Somorjai (2011) name in sec. 8.4, and twice one minus
    the area under the ROC curve of x as a score for the class of the larger reference point.

    Parameters
    ----------
    x_plus, x_minus, reference
        As for `transvariation_intensity`; only the sign of p1 - p2 matters here.

    Returns
    -------
    float
        0 if the classes are apart; 1 if half of the pairs lie the wrong way round, or if the
        reference points agree; at most 2.

    Examples
    --------
    >>> from fewest.machines.transvariation import transvariation_probability
    >>> transvariation_probability([1.0, 5.0], [0.0, 2.0])
    0.5
    """
    plus, minus, points = _order_classes(x_plus, x_minus, reference)
    if points[0] == points[1]:
        return 1.0
    minus = np.sort(minus)
    above = len(minus) - np.searchsorted(minus, plus, side="right")
    equal = np.searchsorted(minus, plus, side="right") - np.searchsorted(minus, plus)
    return float(2.0 * np.mean((above + equal / 2.0) / len(minus)))


def transvariation_area(
    x_plus: ArrayLike, x_minus: ArrayLike, *, bandwidth: float | str | None = None
) -> float:
    r"""Area below both densities of two classes on a line: 0 if they are apart, 1 if they agree.

    .. math:: \int \min(f_+(x), f_-(x)) \, dx

    Gini's transvariation area as given by Montanari (2004), which Pranckeviciene & Somorjai (2011)
    name in sec. 8.4. The densities are estimated with Gaussian kernels
    (`scipy.stats.gaussian_kde`), and half the area is the error of the best rule for classes of
    equal frequency.

    Parameters
    ----------
    x_plus, x_minus : arrays of shape (n_plus,) and (n_minus,)
        Values of the two classes, at least two different ones in each.
    bandwidth : float, {"scott", "silverman"} or None
        Width of the kernels in standard deviations of the class, or a rule for it; None is Scott's.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from fewest.machines.transvariation import transvariation_area
    >>> x = norm.ppf((np.arange(2000) + 0.5) / 2000)  # a normal distribution, evenly
    >>> area = transvariation_area(x + 2.0, x, bandwidth=0.1)
    >>> round(area, 2), round(float(2 * norm.cdf(-1.0)), 2)
    (0.32, 0.32)
    """
    plus, minus = _check_values("x_plus", x_plus), _check_values("x_minus", x_minus)
    for name, values in (("x_plus", plus), ("x_minus", minus)):
        if np.ptp(values) == 0.0:
            raise ValueError(f"{name} has a single value, so it has no density")
    densities = [gaussian_kde(values, bw_method=bandwidth) for values in (plus, minus)]
    widths = [float(np.sqrt(density.covariance[0, 0])) for density in densities]
    low = min(plus.min(), minus.min()) - _KERNEL_WIDTHS * max(widths)
    high = max(plus.max(), minus.max()) + _KERNEL_WIDTHS * max(widths)
    steps = int(min(_MOST_POINTS, np.ceil((high - low) / min(widths) * _POINTS_PER_WIDTH)))
    points = np.linspace(low, high, steps + 1)
    lower = np.minimum(*(density(points) for density in densities))
    return float(min(1.0, trapezoid(lower, points)))


def t(d: ArrayLike, z: ArrayLike, y: ArrayLike) -> Any:
    """Transvariation intensity function t(d) = N/2 (m1 - m2) - N/2 d of a projection (8.16).

    m1 and m2 are the class means of z. Positive values belong to margins d that separate the
    classes; it falls by N/2 per unit and is zero at `t_zero`.

    Parameters
    ----------
    d : float or array
        Distance (margin) between the classes.
    z : array of shape (n_samples,)
        The samples on a line, for example ``X @ w``.
    y : array of shape (n_samples,)
        Labels of two classes; the larger label is the positive class.

    Returns
    -------
    float or array, as `d`

    Examples
    --------
    >>> from fewest.machines.transvariation import t, t_zero
    >>> z, y = [0.0, 2.0, 3.0, 5.0], [-1, -1, 1, 1]
    >>> float(t(0.0, z, y)), t_zero(z, y), float(t(3.0, z, y))
    (6.0, 3.0, 0.0)
    """
    height, slope = _find_line(z, y)
    return height - slope * np.asarray(d, dtype=np.float64)


def t_zero(z: ArrayLike, y: ArrayLike) -> float:
    """Distance at which `t` is zero: the difference of the class means on the line (8.18).

    Parameters
    ----------
    z, y : arrays of shape (n_samples,)
        Projected samples and their labels, as for `t`.

    Returns
    -------
    float
    """
    height, slope = _find_line(z, y)
    return height / slope


def t_alpha(d: ArrayLike, z: ArrayLike, y: ArrayLike, alpha: ArrayLike) -> Any:
    """The function `t` of samples scaled by dual variables: (8.17).

    t_alpha(d) = sum_i alpha_i y_i z_i - d/2 sum_i alpha_i.

    Samples outside the margin have alpha_i = 0: this is the function of the class overlap.

    Parameters
    ----------
    d : float or array
        Distance (margin) between the classes.
    z, y : arrays of shape (n_samples,)
        Projected samples and their labels, as for `t`.
    alpha : array of shape (n_samples,)
        Dual variables of a support vector machine or of Liknon: not negative, and of equal sum in
        both classes.

    Returns
    -------
    float or array, as `d`
    """
    height, slope = _find_line(z, y, alpha)
    return height - slope * np.asarray(d, dtype=np.float64)


def t_alpha_zero(z: ArrayLike, y: ArrayLike, alpha: ArrayLike) -> float:
    """Distance at which `t_alpha` is zero: the size of the class overlap on the line (8.20).

    It is the difference of the class means of z, each weighted by alpha.

    Parameters
    ----------
    z, y, alpha : arrays of shape (n_samples,)
        Projected samples, labels and dual variables, as for `t_alpha`.

    Returns
    -------
    float
    """
    height, slope = _find_line(z, y, alpha)
    return height / slope


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
    """The cost C = 1 / |a_j| from which on each feature may enter (first rule of 8.5.3).

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


def _order_classes(
    x_plus: ArrayLike, x_minus: ArrayLike, reference: str | tuple[float, float]
) -> tuple[FloatArray, FloatArray, tuple[float, float]]:
    """Both classes and their reference points, that of the larger point first."""
    plus, minus = _check_values("x_plus", x_plus), _check_values("x_minus", x_minus)
    if isinstance(reference, str):
        check_choice("reference", reference, ("mean", "median"))
        middle = np.mean if reference == "mean" else np.median
        points = float(middle(plus)), float(middle(minus))
    else:
        given = _check_values("reference", reference)
        if len(given) != 2:
            raise ValueError(
                "reference must be 'mean', 'median', or one point for each of the two classes; "
                f"got {reference!r}"
            )
        points = float(given[0]), float(given[1])
    if points[0] < points[1]:
        return minus, plus, (points[1], points[0])
    return plus, minus, points


def _sum_excess(high: FloatArray, low: FloatArray) -> float:
    """Sum of max(0, h - l) over all pairs."""
    low = np.sort(low)
    sums = np.concatenate([[0.0], np.cumsum(low)])
    below = np.searchsorted(low, high)
    return float(np.sum(below * high - sums[below]))


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


def _check_values(name: str, x: ArrayLike) -> FloatArray:
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 1 or not len(x):
        raise ValueError(f"{name} must be a list of at least one number; got shape {x.shape}")
    if not np.all(np.isfinite(x)):
        raise ValueError(f"{name} holds values that are not finite")
    return x


def _find_line(z: ArrayLike, y: ArrayLike, alpha: ArrayLike | None = None) -> tuple[float, float]:
    """Height at zero, and slope, of the line over d; equal weights in each class without alpha."""
    z = _check_values("z", z)
    _, codes = encode_two_classes("transvariation", y)
    signs = np.where(codes == 1, 1.0, -1.0)
    equal = len(signs) / 2.0 * np.abs(class_mean_vector(signs))
    alpha = equal if alpha is None else _check_values("alpha", alpha)
    for name, values in (("z", z), ("alpha", alpha)):
        if len(values) != len(signs):
            raise ValueError(f"{name} has {len(values)} samples, but y has {len(signs)}")
    total = alpha.sum()
    if np.any(alpha < 0) or not total > 0 or abs(alpha @ signs) > 1e-6 * total:
        raise ValueError(
            "alpha must be dual variables: zero or positive, not all zero, and of the same sum in "
            f"both classes; got {alpha[signs > 0].sum():.6g} and {alpha[signs < 0].sum():.6g}"
        )
    return float((alpha * signs) @ z), float(total / 2.0)
