"""The artificial data sets of the papers: a few informative features among many of pure noise.

In all of them, N(a, b) is a normal distribution with mean a and standard deviation b. The papers do
not say whether b is a standard deviation or a variance. For features of pure noise this makes no
difference once columns are standardised. In `make_modes` it does, and the standard deviation comes
closer to the errors of Hochreiter & Obermayer (2004).

Informative features come first (in `make_banana` after 28 of noise), labels are -1 and +1, and
`random_state` is None, an int, a `numpy.random.Generator` or a `numpy.random.RandomState`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import BoolArray, FloatArray

__all__ = [
    "make_banana",
    "make_gaussian",
    "make_modes",
    "make_robot_arm",
    "make_shattered",
    "make_weston",
]

Labels = NDArray[np.int64]
RandomState = int | np.random.Generator | np.random.RandomState | None

_MAX_SWEEPS = 200
_NOISE_SCALE = 20.0
# Measured on table 1 of Klement, Anders & Martinetz (2013): softer fits (C = 1, least squares)
# redraw more points, and give too few features and too high percentages at n = 500; harder ones
# (C -> inf) give slightly too many features.
_SEPARATING_C = 100.0
_MOST_SHATTERED = 20
_N_MODES, _MODE_SIZE = 5, 4
_ARM_LENGTHS, _ARM_ANGLES = (2.0, 1.3), ((0.453, 1.932), (0.534, 3.142))
_BANANA_RADIUS, _BANANA_SPAN, _BANANA_PLACE = 5.0, 1.25 * np.pi, 28


def make_weston(
    n: int = 100,
    n_noise: int = 1000,
    *,
    separable: bool = True,
    random_state: RandomState = None,
) -> tuple[FloatArray, Labels]:
    """Six redundant informative features of unequal strength, and wide noise.

    With probability 0.7 a sample's first three features carry the class, otherwise the second
    three::

        x_j = y N(j, 1),  x_{j+3} = N(0, 1)    or    x_j = N(0, 1),  x_{j+3} = y N(j, 1)

    for j = 1, 2, 3; the other features are N(0, 20). The classes have equal size (for odd `n` they
    differ by one sample).

    Parameters
    ----------
    n : int
        Number of samples, at least 2.
    n_noise : int
        Number of noise features, in addition to the six informative ones.
    separable : bool
        Redraw samples that a linear support vector machine (C = 100) on the six informative
        features misclassifies, until it makes no error. A redrawn sample keeps its label. The
        rule of [2]_ is not printed there; this one, and its C, were chosen because they reproduce
        table 1 of [2]_, so agreement with that table is not independent of the choice.
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    X : ndarray of shape (n, 6 + n_noise)
    y : ndarray of shape (n,)
        Labels -1 and +1.

    Raises
    ------
    RuntimeError
        If the samples are still not separable after 200 sweeps.

    References
    ----------
    .. [1] Weston, Elisseeff, Schölkopf, Tipping (2003). Use of the zero-norm with linear models
       and kernel methods. JMLR 3.
    .. [2] Klement, Anders, Martinetz (2013). The support feature machine: classification with the
       least number of features and application to neuroimaging data. Neural Computation 25,
       sec. 3.2.

    Examples
    --------
    >>> from fewest.datasets import make_weston
    >>> X, y = make_weston(n=50, n_noise=100, random_state=0)
    >>> X.shape, int(sum(y))
    ((50, 106), 0)
    """
    check_count("n", n, 2)
    check_count("n_noise", n_noise, 0)
    rng = make_generator(random_state)
    n_positive = round(n / 2)
    y = _exact_labels(n_positive, n - n_positive, rng)
    X = rng.standard_normal((n, 6 + n_noise))
    X[:, 6:] *= _NOISE_SCALE

    draw = partial(_draw_weston, rng)
    remedy = "try another random_state, or pass separable=False"
    X[:, :6] = _redraw(draw, _is_misclassified, y, remedy) if separable else draw(y)
    return X, y


def make_gaussian(
    n: int = 100,
    d: int = 100,
    k: int = 5,
    mu: float = 0.3,
    *,
    positive_fraction: float = 0.5,
    separable: bool = False,
    random_state: RandomState = None,
) -> tuple[FloatArray, Labels]:
    """Two Gaussian classes whose means differ in the first `k` features.

    ::

        x_j = N(mu y, 1) for j <= k,    x_j = N(0, 1) otherwise

    Parameters
    ----------
    n : int
        Number of samples, at least 2.
    d : int
        Number of features.
    k : int
        Number of informative features, at most `d`; 0 gives pure noise.
    mu : float
        Half the distance between the class means in each informative feature.
    positive_fraction : float
        Share of the class +1. The number of its samples is exactly `round(n positive_fraction)`,
        but either class has at least one.
    separable : bool
        Redraw the informative features of samples with ``y_i sum_{j<=k} x_ij <= 0`` until none
        is left.
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels -1 and +1.

    Raises
    ------
    RuntimeError
        If some samples are still on the wrong side after 200 sweeps, as for `mu` far below zero.

    References
    ----------
    Klement, Anders, Martinetz (2013). The support feature machine. Neural Computation 25,
    sec. 3.1 (separable, `positive_fraction=0.6`) and 3.3 (not separable).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=500, d=200, k=10, mu=0.3, separable=True, random_state=0)
    >>> X.shape, bool(min(y * X[:, :10].sum(axis=1)) > 0)
    ((500, 200), True)
    """
    check_count("n", n, 2)
    check_count("d", d, 1)
    check_count("k", k, 1 if separable else 0)
    if k > d:
        raise ValueError(
            f"k = {k} informative features do not fit into d = {d}: raise d or lower k"
        )
    if not np.isfinite(mu):
        raise ValueError(f"mu must be a finite number, not {mu!r}")
    if not 0.0 < positive_fraction < 1.0:
        raise ValueError(
            f"positive_fraction must lie between 0 and 1 (exclusive), not {positive_fraction!r}"
        )
    rng = make_generator(random_state)
    n_positive = min(max(round(n * positive_fraction), 1), n - 1)
    y = _exact_labels(n_positive, n - n_positive, rng)
    X = rng.standard_normal((n, d))
    if not separable:
        X[:, :k] += mu * y[:, None]
        return X, y
    X[:, :k] = _redraw(
        lambda labels: mu * labels[:, None] + rng.standard_normal((len(labels), k)),
        lambda block, labels: labels * block.sum(axis=1) <= 0.0,
        y,
        f"mu = {mu} puts nearly all of them on the wrong side; raise it, or pass separable=False",
    )
    return X, y


def make_modes(
    n: int = 100, d: int = 2000, *, random_state: RandomState = None
) -> tuple[FloatArray, Labels]:
    """Twenty informative features in five modes; each sample has one mode.

    Labels are -1 or +1 with probability 0.5, and the mode l is one of 0, 4, 8, 12, 16 with
    probability 0.2::

        x_{l+t} = y N(2, 0.5 t),  t = 1, ..., 4

    The other features among the first twenty are N(0, 1), all further ones N(0, 20).

    Parameters
    ----------
    n : int
        Number of samples. Labels are random, so very few samples may all be of one class.
    d : int
        Number of features, at least 20.
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Labels -1 and +1.

    References
    ----------
    Hochreiter, Obermayer (2004). Classification, regression, and feature selection on matrix data.
    Technical report 2004/02, TU Berlin, sec. 3.3.2.

    Examples
    --------
    >>> from fewest.datasets import make_modes
    >>> X, y = make_modes(n=100, d=2000, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 2000), [-1, 1])
    """
    n_informative = _N_MODES * _MODE_SIZE
    check_count("n", n, 1)
    check_count("d", d, n_informative)
    rng = make_generator(random_state)
    y = 2 * rng.integers(2, size=n) - 1
    X = rng.standard_normal((n, d))
    X[:, n_informative:] *= _NOISE_SCALE
    first = _MODE_SIZE * rng.integers(_N_MODES, size=n)
    step = np.arange(_MODE_SIZE)
    shown = np.arange(n)[:, None], first[:, None] + step
    X[shown] = y[:, None] * (2.0 + 0.5 * (step + 1) * X[shown])
    return X, y


def make_robot_arm(
    n: int = 400, *, noise: float = 0.05, random_state: RandomState = None
) -> tuple[FloatArray, FloatArray]:
    """Position of the end of a robot arm with two joints: two inputs, two outputs, for regression.

    The angles are uniform, x_1 in [-1.932, -0.453] or [0.453, 1.932] and x_2 in [0.534, 3.142]::

        y_1 = 2.0 cos(x_1) + 1.3 cos(x_1 + x_2) + noise
        y_2 = 2.0 sin(x_1) + 1.3 sin(x_1 + x_2) + noise

    Parameters
    ----------
    n : int
        Number of samples.
    noise : float
        Standard deviation of the normal noise of each output, not negative.
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    X : ndarray of shape (n, 2)
        The angles.
    y : ndarray of shape (n, 2)
        The position of the end, with noise.

    References
    ----------
    D. J. C. MacKay (1992). A practical Bayesian framework for backpropagation networks. Neural
    Computation 4, 448-472. Used by Hochreiter & Obermayer (2004), table 6, with 200 samples to
    train and 200 to test.

    Examples
    --------
    >>> from fewest.datasets import make_robot_arm
    >>> X, y = make_robot_arm(400, random_state=0)
    >>> X.shape, y.shape
    ((400, 2), (400, 2))
    """
    check_count("n", n, 1)
    if not 0.0 <= noise < np.inf:
        raise ValueError(f"noise must be a finite number, not negative; got {noise!r}")
    rng = make_generator(random_state)
    upper, lower = (rng.uniform(*span, n) for span in _ARM_ANGLES)
    upper *= 2 * rng.integers(2, size=n) - 1
    first, second = _ARM_LENGTHS
    ends = [first * turn(upper) + second * turn(upper + lower) for turn in (np.cos, np.sin)]
    return np.column_stack([upper, lower]), np.column_stack(ends) + noise * rng.standard_normal(
        (n, 2)
    )


def make_banana(
    n_positive: int = 210,
    n_negative: int = 190,
    n_noise: int = 98,
    *,
    random_state: RandomState = None,
) -> tuple[FloatArray, Labels]:
    """Two interlocking arcs in two features, which no line separates, and noise.

    In the plane of the two informative features, with a uniform in [0, 1] and r = 5::

        class +1:  r (sin u, cos u) + N(0, 1),                  u = pi/8 + 5/4 pi a
        class -1:  r (sin u, cos u) - 3/4 (r, r) + N(0, 1),     u = 3/8 pi - 5/4 pi a

    All other features are N(0, 1).

    Parameters
    ----------
    n_positive, n_negative : int
        Samples of class +1 and of class -1, in random order.
    n_noise : int
        Number of noise features. The first 28 of them (or all, if there are fewer) precede the two
        informative ones, which then are columns 28 and 29 (29 and 30 in Pranckeviciene & Somorjai
        2011, where columns are counted from one).
    random_state : int, Generator, RandomState or None
        Seed or source of randomness.

    Returns
    -------
    X : ndarray of shape (n_positive + n_negative, 2 + n_noise)
    y : ndarray of shape (n_positive + n_negative,)
        Labels -1 and +1.

    References
    ----------
    Pranckeviciene, Somorjai (2011). Liknon feature selection: behind the scenes, sec. 8.2.2. The
    arcs are those of the banana set of PRTools (Duin et al., 2004).

    Examples
    --------
    >>> from fewest.datasets import make_banana
    >>> X, y = make_banana(random_state=0)
    >>> X.shape, int(sum(y))
    ((400, 100), 20)
    """
    check_count("n_positive", n_positive, 1)
    check_count("n_negative", n_negative, 1)
    check_count("n_noise", n_noise, 0)
    rng = make_generator(random_state)
    n = n_positive + n_negative
    y = _exact_labels(n_positive, n_negative, rng)
    X = rng.standard_normal((n, 2 + n_noise))
    along = _BANANA_SPAN * rng.random(n)
    angle = np.where(y > 0, np.pi / 8 + along, 3 * np.pi / 8 - along)
    arc = _BANANA_RADIUS * np.column_stack([np.sin(angle), np.cos(angle)])
    arc[y < 0] -= 0.75 * _BANANA_RADIUS
    place = min(_BANANA_PLACE, n_noise)
    X[:, place : place + 2] += arc
    return X, y


def make_shattered(n: int = 4) -> FloatArray:
    r"""Samples of which any labelling is separated by a single feature, through the origin.

    All :math:`2^{n-1}` vectors of n signs that begin with +1, as columns. Every labelling is one of
    them or its negative. So :math:`h = n = 1 + \log_2 d` samples are shattered by hyperplanes with
    one of d features, and no more can be: there are :math:`2d` such rules (Klement's thesis 2013,
    sec. 3.4 and fig. 3.4).

    Parameters
    ----------
    n : int
        Number of samples, from 1 to 20.

    Returns
    -------
    X : ndarray of shape (n, 2 ** (n - 1))
        Values -1 and +1.

    References
    ----------
    S. Klement: The Support Feature Machine: an odyssey in high-dimensional spaces. PhD thesis,
    University of Lübeck (2013).

    Examples
    --------
    >>> from fewest.datasets import make_shattered
    >>> make_shattered(3)
    array([[ 1.,  1.,  1.,  1.],
           [ 1., -1.,  1., -1.],
           [ 1.,  1., -1., -1.]])
    """
    check_count("n", n, 1)
    if n > _MOST_SHATTERED:
        raise ValueError(f"n must be at most {_MOST_SHATTERED}: there are 2^(n - 1) features")
    digits = np.arange(n)[:, None] - 1
    columns = np.arange(2 ** (n - 1))
    return np.where(digits < 0, 1.0, 1.0 - 2.0 * ((columns >> np.maximum(digits, 0)) & 1))


def _draw_weston(rng: np.random.Generator, y: Labels) -> FloatArray:
    """The six informative features of samples with the given labels."""
    block = rng.standard_normal((len(y), 6))
    first = np.where(rng.random(len(y)) < 0.7, 0, 3)
    shown = np.arange(len(y))[:, None], first[:, None] + np.arange(3)
    block[shown] = y[:, None] * (np.array([1.0, 2.0, 3.0]) + block[shown])
    return block


def _is_misclassified(block: FloatArray, y: Labels) -> BoolArray:
    from sklearn.svm import SVC

    machine = SVC(kernel="linear", C=_SEPARATING_C).fit(block, y)
    return y * machine.decision_function(block) <= 0.0


def _redraw(
    draw: Callable[[Labels], FloatArray],
    is_wrong: Callable[[FloatArray, Labels], BoolArray],
    y: Labels,
    remedy: str,
) -> FloatArray:
    """Draw a sample for each label, and draw wrong ones again until there are none."""
    block = draw(y)
    for _ in range(_MAX_SWEEPS):
        again = is_wrong(block, y)
        if not again.any():
            return block
        block[again] = draw(y[again])
    raise RuntimeError(
        f"the {len(y)} samples are not linearly separable after {_MAX_SWEEPS} sweeps in which the "
        f"misclassified ones were drawn again: {remedy}"
    )


def _exact_labels(n_positive: int, n_negative: int, rng: np.random.Generator) -> Labels:
    """That many +1 and -1 in random order."""
    return rng.permutation(np.repeat(np.array([1, -1], np.int64), [n_positive, n_negative]))


def make_generator(random_state: RandomState) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        # NumPy before 2.2 does not accept one; seeding from it advances it, as users expect.
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint32))
    return np.random.default_rng(random_state)


def check_count(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
