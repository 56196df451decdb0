"""A study in which something else is associated with the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest.datasets.synthetic import RandomState, check_count, make_generator

__all__ = ["make_confounded"]

_N_TOUCHED = 5  # features that show the batch; as many show the class


def make_confounded(
    n: int = 80,
    d: int = 500,
    *,
    effect: float = 0.0,
    batch_effect: float = 2.0,
    overlap: float = 0.2,
    random_state: RandomState = None,
) -> tuple[FloatArray, NDArray[Any], dict[str, NDArray[Any]]]:
    """Classes that were mostly measured in different batches.

    The first five features differ between the batches, the next five between the classes. With an
    `effect` of zero, only the batch tells the classes apart.

    Parameters
    ----------
    n : int
        Number of samples.
    d : int
        Number of features, at least ten.
    effect : float
        Difference of the classes in their five features, in standard deviations.
    batch_effect : float
        The same for the batches.
    overlap : float
        Share of samples that were measured in the other batch; 0 for none.
    random_state : int, Generator, RandomState or None
        Seed.

    Returns
    -------
    X : array of shape (n, d)
    y : array of shape (n,)
        "control" and "patient".
    covariates : dict of arrays
        "batch" (A or B) and "age", which is unrelated to the classes.

    Examples
    --------
    >>> from fewest.datasets import make_confounded
    >>> X, y, covariates = make_confounded(n=40, random_state=0)
    >>> X.shape, sorted(covariates)
    ((40, 500), ['age', 'batch'])
    """
    check_count("n", n, 4)
    check_count("d", d, 2 * _N_TOUCHED)
    if not 0 <= overlap <= 1:
        raise ValueError(f"overlap must be a number from 0 to 1; got {overlap!r}")
    rng = make_generator(random_state)
    is_patient = np.arange(n) % 2 == 1
    in_b = is_patient ^ (rng.random(n) < overlap)
    X = rng.standard_normal((n, d))
    X[:, :_N_TOUCHED] += batch_effect * in_b[:, None]
    X[:, _N_TOUCHED : 2 * _N_TOUCHED] += effect * is_patient[:, None]
    covariates = {
        "batch": np.where(in_b, "B", "A"),
        "age": np.round(rng.uniform(20.0, 80.0, n), 1),
    }
    return X, np.where(is_patient, "patient", "control"), covariates
