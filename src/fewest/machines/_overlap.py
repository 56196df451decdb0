"""How much two classes overlap on a line.

Transvariation measures by how much pairs of samples of two classes lie the wrong way round; its
linear form takes a whole class at once, and follows a distance between the classes.

References
----------
Pranckeviciene, Somorjai (2011). Liknon feature selection: behind the scenes. In: Hands-On Pattern
Recognition, Challenges in Machine Learning vol. 1, ch. 8. Equation and section numbers refer to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid
from scipy.stats import gaussian_kde

from fewest._estimators.validation import check_choice, encode_two_classes
from fewest._solvers.problem import class_mean_vector
from fewest._types import FloatArray

# Where and how finely densities are integrated, in widths of their kernels.
_KERNEL_WIDTHS, _POINTS_PER_WIDTH, _MOST_POINTS = 5.0, 8, 20_000


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
        Between 0 and 1 with the means; other points may give more than 1. Equal points give 1, the
        mean of the limits from either side; classes of one value each give 0 if the values
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
