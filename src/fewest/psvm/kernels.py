"""The matrix of relations between samples and row objects: measured, or computed by a kernel.

Nothing here needs to be positive definite, symmetric or square.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import (
    PAIRWISE_DISTANCE_FUNCTIONS,
    PAIRWISE_KERNEL_FUNCTIONS,
    euclidean_distances,
    pairwise_distances,
    pairwise_kernels,
)

from fewest._estimators.validation import is_number, make_dense
from fewest._types import FloatArray

__all__ = ["plummer_kernel", "sine_kernel"]

Kernel = str | Callable[..., Any]

# Parameters of their own that the named kernels share with the estimators' signature.
_OWN_PARAMETERS = {
    "linear": (),
    "rbf": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    "laplacian": ("gamma",),
    "plummer": ("rho", "zeta"),
    "sine": ("theta",),
}
# Distances of scikit-learn's own, under its names; "precomputed" is no distance here.
_DISTANCES = tuple(
    name
    for name in PAIRWISE_DISTANCE_FUNCTIONS
    if name not in PAIRWISE_KERNEL_FUNCTIONS and name not in ("precomputed", "nan_euclidean")
)
KERNEL_NAMES = tuple(
    dict.fromkeys((*_OWN_PARAMETERS, "precomputed", *PAIRWISE_KERNEL_FUNCTIONS, *_DISTANCES))
)


def plummer_kernel(X: Any, Z: Any, rho: float = 1.0, zeta: float = 1.0) -> FloatArray:
    """Plummer kernel, ``(|x - z| + rho) ** -zeta``.

    Parameters
    ----------
    X, Z : arrays of shape (n_samples, d) and (n_row_objects, d)
        Samples and row objects.
    rho, zeta : float
        Softening and exponent, both positive.

    Returns
    -------
    array of shape (n_samples, n_row_objects)

    Examples
    --------
    >>> from fewest.psvm.kernels import plummer_kernel
    >>> plummer_kernel([[0.0]], [[0.0], [3.0]], rho=1.0, zeta=1.0)
    array([[1.  , 0.25]])
    """
    return (euclidean_distances(X, Z) + rho) ** -zeta


def sine_kernel(X: Any, Z: Any, theta: float = 1.0, squared: bool = False) -> FloatArray:
    """Sine kernel, ``sin(theta |x - z|)``: its matrix has a zero diagonal, hence is indefinite.

    See Hochreiter & Obermayer (2004), sec. 2.4.4, who also use the squared distance,
    ``sin(theta |x - z|^2)``.

    Parameters
    ----------
    X, Z : arrays of shape (n_samples, d) and (n_row_objects, d)
        Samples and row objects.
    theta : float
        Frequency.
    squared : bool, default=False
        Use the squared distance. For an estimator with ``kernel="sine"``, pass
        ``kernel_params={"squared": True}``.

    Returns
    -------
    array of shape (n_samples, n_row_objects)

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.psvm.kernels import sine_kernel
    >>> sine_kernel([[0.0]], [[0.0], [np.pi / 2]])
    array([[0., 1.]])
    >>> sine_kernel([[0.0]], [[0.0], [2.0]], theta=np.pi / 8, squared=True)
    array([[0., 1.]])
    """
    return np.sin(theta * euclidean_distances(X, Z, squared=squared))


_OWN_FUNCTIONS: dict[str, Callable[..., FloatArray]] = {
    "plummer": plummer_kernel,
    "sine": sine_kernel,
}


def check_kernel(kernel: Any, gamma: Any, kernel_params: Any) -> None:
    """Raise unless these three parameters make sense together."""
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in KERNEL_NAMES):
        raise ValueError(
            f"kernel must be a function k(X, Z, **kernel_params) or one of "
            f"{', '.join(map(repr, KERNEL_NAMES))}; got {kernel!r}"
        )
    words = isinstance(gamma, str) and gamma in ("scale", "auto")
    if not words and not (is_number(gamma) and 0 < gamma < np.inf):
        raise ValueError(f"gamma must be 'scale', 'auto' or a positive number; got {gamma!r}")
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise ValueError(
            f"kernel_params must be None or a dict of the kernel's own arguments; "
            f"got {kernel_params!r}"
        )


def find_gamma(gamma: float | str, X: Any) -> float:
    """The number that "scale" or "auto" stand for, with scikit-learn's meaning."""
    if not isinstance(gamma, str):
        return float(gamma)
    variance = 1.0
    if gamma == "scale":
        mean = X.mean()
        square = X.multiply(X).mean() if sparse.issparse(X) else np.mean(np.square(X))
        variance = float(square - mean * mean)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def list_arguments(estimator: Any, X: Any) -> dict[str, Any]:
    """Arguments of an estimator's kernel, "scale" and "auto" turned into numbers."""
    names = _OWN_PARAMETERS.get(estimator.kernel, ()) if isinstance(estimator.kernel, str) else ()
    own = {name: getattr(estimator, name) for name in names}
    if "gamma" in own:
        own["gamma"] = find_gamma(own["gamma"], X)
    return {**own, **(estimator.kernel_params or {})}


def compute_kernel(
    kernel: Kernel, X: Any, row_objects: Any, arguments: dict[str, Any]
) -> FloatArray:
    """Relations of samples with row objects, as finite numbers.

    Parameters
    ----------
    kernel : str or callable
        A name in `KERNEL_NAMES` other than "precomputed", or a function ``k(X, Z, **arguments)``
        that returns a matrix.
    X, row_objects : arrays of shape (n_samples, d) and (n_row_objects, d)
        Samples and row objects.
    arguments : dict
        Arguments of the kernel.

    Returns
    -------
    array of shape (n_samples, n_row_objects), float64
    """
    name = repr(kernel)
    if callable(kernel):
        function, name = kernel, getattr(kernel, "__name__", name)
    elif kernel in _OWN_FUNCTIONS:
        function = _OWN_FUNCTIONS[kernel]
    elif kernel in PAIRWISE_KERNEL_FUNCTIONS:
        function = partial(pairwise_kernels, metric=kernel)
    else:
        function = partial(pairwise_distances, metric=kernel)
    with np.errstate(all="ignore"):  # whatever comes of it is looked at below
        K = function(X, row_objects, **arguments)
    try:
        K = np.asarray(make_dense(K), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the kernel {name} must return a matrix of numbers: {error}") from error
    shape = X.shape[0], row_objects.shape[0]
    if K.shape != shape:
        raise ValueError(
            f"the kernel {name} must return a matrix of shape {shape} (samples x row objects); "
            f"it returned one of shape {K.shape}. A function that takes two vectors can be wrapped "
            "in lambda X, Z: sklearn.metrics.pairwise_kernels(X, Z, metric=function)"
        )
    bad = int(K.size - np.count_nonzero(np.isfinite(K)))
    if bad:
        raise ValueError(
            f"the kernel {name} returned {bad} value(s) that are NaN or infinite: check its "
            "parameters and the range of the data"
        )
    return K
