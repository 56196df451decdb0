"""What margin and capacity guarantee: fat-shattering dimension and guaranteed risk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from fewest._estimators.many_samples import MOST_COMPARED
from fewest._estimators.validation import (
    check_count,
    check_not_negative,
    check_share,
    encode_two_classes,
)
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray
from fewest.diagnostics._geometry import columns_of, gram
from fewest.exceptions import NotSeparableError

# The enclosing sphere's radius is within this share of the smallest.
_CLOSE = 1e-6
_MOST_STEPS = 100_000


@dataclass(frozen=True)
class FatShattering:
    """Bound on the fat-shattering dimension at the largest margin of the data.

    Attributes
    ----------
    bound : int
        No more samples than this can have that margin with every labelling. If it is not below
        `n_samples`, the margin guarantees nothing.
    ratio : float
        The squared radius divided by the squared margin.
    radius : float
        That of the smallest sphere around all samples.
    margin : float
        The largest margin that a hyperplane has.
    noise_margin : float
        The margin that classes of these sizes tend to have in very many features of pure noise with
        the same total variance.
    n_samples : int
        Number of samples.
    """

    bound: int
    ratio: float
    radius: float
    margin: float
    noise_margin: float
    n_samples: int


def fat_shattering_bound(X: Any, y: ArrayLike, *, standardize: bool = False) -> FatShattering:
    r"""Bound the fat-shattering dimension of hyperplanes with the margin that the data allow.

    .. math::

        \operatorname{fat}(\gamma)
        \le \min\Big( \Big\lceil \frac{R^2}{\gamma^2} \Big\rceil, d \Big) + 1

    is the largest number of samples within a sphere of radius R of which every labelling can be
    separated with the margin :math:`\gamma` (Burges 1998, theorem 6). Samples of pure noise in very
    many features sit on the corners of a simplex, where the margin between k and l of them is

    .. math::

        \gamma = \frac12 \sqrt{ s \Big( \frac1k + \frac1l \Big) }

    with the total variance s (the number of features, if these have variance one). It is smallest
    for equal classes, so all labellings of these samples have that margin, and nothing can be
    learned from it: the bound tends to their number or to one more (Klement's thesis 2013, theorem
    2.5.3).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples. More than 2,000 take memory for a copy of X, dense and in float64; fewer for a
        matrix of all their pairs.
    y : array of shape (n_samples,)
        Two classes, linearly separable.
    standardize : bool
        Standardise columns first (implicitly).

    Returns
    -------
    FatShattering

    Raises
    ------
    NotSeparableError
        If no hyperplane separates the classes.

    Notes
    -----
    The thesis has :math:`(R / \gamma)^2` (eq. 2.4, after Bartlett & Shawe-Taylor 1999), which is
    for hyperplanes through the centre of the sphere. With a bias it is too small: on the simplex of
    its theorem it is n (n - 2) / (n - 1), below the n - 1 samples that are shattered there.

    References
    ----------
    C. J. C. Burges: A tutorial on support vector machines for pattern recognition. Data Mining and
    Knowledge Discovery 2 (1998).

    P. L. Bartlett, J. Shawe-Taylor: Generalization performance of support vector machines and other
    pattern classifiers. Advances in Kernel Methods (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import fat_shattering_bound
    >>> X = np.random.default_rng(0).standard_normal((19, 100_000))
    >>> noise = fat_shattering_bound(X, np.arange(19) % 2)
    >>> noise.bound, noise.n_samples
    (20, 19)
    """
    columns = columns_of(X, standardize)
    check_consistent_length(columns.X, y)
    _, codes = encode_two_classes("fat_shattering_bound", y)
    signs = np.where(codes == 1, 1.0, -1.0)
    n = len(signs)
    if n <= MOST_COMPARED:
        centring = np.eye(n) - 1.0 / n
        products = centring @ gram(columns) @ centring
        # Samples with these inner products in no more than n coordinates.
        values, vectors = np.linalg.eigh(products)
        points, total = vectors * np.sqrt(np.maximum(values, 0.0)), float(np.trace(products))
    else:
        points = columns.take(np.arange(columns.n_features))
        points -= points.mean(axis=0)
        total = float(np.einsum("ij,ij->", points, points))
    plane = hard_margin(points, signs)
    if plane is None:
        raise NotSeparableError(
            "no hyperplane separates the classes, so there is no margin to measure"
        )
    margin = 1.0 / float(np.linalg.norm(plane[0]))
    radius = enclose(products) if n <= MOST_COMPARED else enclose_points(points)
    ratio = (radius / margin) ** 2
    variance = total / (n - 1)
    return FatShattering(
        bound=min(ceil(ratio), columns.n_features) + 1,
        ratio=ratio,
        radius=radius,
        margin=margin,
        noise_margin=0.5 * float(np.sqrt(variance * np.sum(1.0 / np.bincount(codes)))),
        n_samples=n,
    )


def enclose(products: FloatArray) -> float:
    """Radius of the smallest sphere around samples with these inner products, from above."""
    return _shrink_sphere(np.diag(products), lambda weight: products @ weight)


def enclose_points(points: FloatArray) -> float:
    """The same for samples in the rows of an array, whose inner products would be too many."""

    def multiply(weight: FloatArray) -> FloatArray:
        used = np.flatnonzero(weight)
        return np.asarray(points @ (weight[used] @ points[used]))

    return _shrink_sphere(np.einsum("ij,ij->i", points, points), multiply)


def _shrink_sphere(squares: FloatArray, multiply: Callable[[FloatArray], FloatArray]) -> float:
    """Radius from squared lengths of samples, and their inner products with a weighted sum.

    The centre is a weighted mean. Weight moves to the farthest sample, or away from the nearest one
    that has weight (Yildirim 2008), until the two bounds on the radius meet.
    """
    weight = np.zeros(len(squares))
    weight[int(np.argmax(squares))] = 1.0
    image = multiply(weight)
    for _ in range(_MOST_STEPS):
        centre = weight @ image
        distances = squares - 2.0 * image + centre
        least = weight @ squares - centre  # the squared radius is at least this
        far = int(np.argmax(distances))
        if distances[far] <= (1.0 + _CLOSE) * least:
            break
        if least <= 0.0:  # the first step
            target, step = far, 0.5
        else:
            used = np.flatnonzero(weight)
            near = int(used[np.argmin(distances[used])])
            rise, fall = distances[far] / least - 1.0, 1.0 - distances[near] / least
            target, step = far, rise / (2.0 * (1.0 + rise))
            if fall > rise:
                most = weight[near] / (1.0 - weight[near]) if weight[near] < 1.0 else np.inf
                inward = fall / (2.0 * (1.0 - fall)) if fall < 1.0 else np.inf
                target, step = near, -min(most, inward)
        weight *= 1.0 - step
        weight[target] = max(0.0, weight[target] + step)
        image = multiply(weight)
    return float(np.sqrt(distances.max()))


def guaranteed_risk(
    training_error: float,
    n: int,
    *,
    vc_dimension: int | None = None,
    log_growth: float | None = None,
    confidence: float = 0.95,
) -> float:
    r"""Bound the error of new samples by the training error and the capacity of the machine.

    With probability :math:`1 - \eta` over the n training samples, every rule of the family has

    .. math::

        R \le R_\text{emp} + \sqrt{ \frac{ \ln G(2n) - \ln (\eta / 4) }{ n } }, \qquad
        \ln G(2n) \le h \Big( \ln \frac{2n}{h} + 1 \Big),

    where G is the growth function and h the VC dimension (Vapnik 1995; the guaranteed risk of
    Klement's thesis 2013, sec. 2.2). Hence the growth function gives the smaller bound. It holds
    for any data, and therefore guarantees nothing (a bound of 1) for most small samples.

    Parameters
    ----------
    training_error : float
        Share of training samples that are misclassified.
    n : int
        Number of training samples.
    vc_dimension : int, optional
        VC dimension of the family, for instance by `vc_dimension_bound`.
    log_growth : float, optional
        Natural logarithm of the growth function at 2n, instead: `log_growth_bound(2 * n, ...)`.
    confidence : float
        :math:`1 - \eta`.

    Returns
    -------
    float
        At most one.

    References
    ----------
    V. N. Vapnik: The nature of statistical learning theory. Springer (1995).

    Examples
    --------
    One gene out of 7,129 that separates 38 samples guarantees nothing by itself, but one that
    separates 1,000 would:

    >>> from fewest.diagnostics import guaranteed_risk, log_growth_bound
    >>> for n in (38, 1000):
    ...     growth = log_growth_bound(2 * n, 7129, 1, intercept=True)
    ...     print(f"{guaranteed_risk(0.0, n, log_growth=growth):.2f}")
    0.69
    0.15
    """
    check_share("training_error", training_error)
    check_count("n", n)
    check_share("confidence", confidence, strictly=True)
    if (vc_dimension is None) == (log_growth is None):
        raise ValueError("give either vc_dimension or log_growth, the logarithm of G(2n)")
    if log_growth is None:
        check_count("vc_dimension", vc_dimension)
        assert vc_dimension is not None
        h = min(vc_dimension, 2 * n)  # G(2n) is at most 2^(2n)
        log_growth = h * (np.log(2 * n / h) + 1.0)
    check_not_negative("log_growth", log_growth)
    spread = np.sqrt((log_growth - np.log((1.0 - confidence) / 4.0)) / n)
    return min(1.0, float(training_error + spread))
