"""Error estimates that scikit-learn lacks: the .632 bootstrap, and the balanced error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import make_scorer
from sklearn.utils import check_consistent_length, column_or_1d

from fewest._estimators.splits import balanced_error
from fewest._estimators.validation import check_choice, check_count, check_data
from fewest._run.progress import interrupts_ignored, progress_bar
from fewest._types import FloatArray, IndexArray

__all__ = ["Bootstrap632", "balanced_error", "balanced_error_scorer", "bootstrap_632"]

# For `scoring` in scikit-learn, where larger is better: minus the balanced error.
balanced_error_scorer = make_scorer(balanced_error, greater_is_better=False)

# Probability that a sample is in a bootstrap sample, 1 - 1/e.
_INSIDE = 0.632
_MOST_DRAWS = 100


@dataclass(frozen=True, eq=False)
class Bootstrap632:
    """Outcome of `bootstrap_632`: the weighted error, its parts, and both of every resample."""

    error: float
    test_error: float
    training_error: float
    test_errors: FloatArray = field(repr=False)
    training_errors: FloatArray = field(repr=False)


def bootstrap_632(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 50,
    error: str = "balanced",
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Bootstrap632:
    r"""Estimate the error by the .632 bootstrap.

    A machine is fitted to n samples drawn with replacement; its errors on the samples that were not
    drawn, and on those that were, are weighed:

    .. math::

        0.632 \; \mathrm{err}_{\mathrm{test}} + 0.368 \; \mathrm{err}_{\mathrm{train}}

    and averaged over the resamples. The estimate varies little, but a machine without training
    errors makes it optimistic: on pure noise it shows 0.316 instead of 0.5.

    Parameters
    ----------
    estimator : classifier
        Cloned and fitted to every resample, selection of features included.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes.
    n_resamples : int
        How many.
    error : {"balanced", "plain"}
        Mean of the classes' error rates, or share of wrong samples.
    groups : array of shape (n_samples,), optional
        Draw whole groups of samples that belong together.
    random_state : int, Generator or None
        Seed of the draws.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Bootstrap632

    References
    ----------
    B. Efron: Estimating the error rate of a prediction rule: improvement on cross-validation.
    JASA 78 (1983).

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.significance import bootstrap_632
    >>> X, y = make_gaussian(n=60, d=100, k=2, mu=1.5, random_state=0)
    >>> found = bootstrap_632(SupportFeatureMachine(), X, y, n_resamples=10, random_state=0)
    >>> print(f"{found.error:.2f} from {found.test_error:.2f} and {found.training_error:.2f}")
    0.02 from 0.03 and 0.00
    """
    check_count("n_resamples", n_resamples)
    check_choice("error", error, ("balanced", "plain"))
    X, y = check_data(BaseEstimator(), X, y)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    units = np.arange(len(y))
    if groups is not None:
        check_consistent_length(y, groups)
        units = np.unique(column_or_1d(groups), return_inverse=True)[1]
    rng = np.random.default_rng(random_state)
    draws = [_draw(units, y, rng) for _ in range(n_resamples)]
    with interrupts_ignored():
        found = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_errors)(estimator, X, y, inside, outside, error) for inside, outside in draws
        )
    bar = progress_bar(found, n_resamples, verbose > 0, what="bootstrap", unit="resample")
    test_errors, training_errors = np.array(list(bar)).T
    test, training = float(test_errors.mean()), float(training_errors.mean())
    return Bootstrap632(
        error=_INSIDE * test + (1.0 - _INSIDE) * training,
        test_error=test,
        training_error=training,
        test_errors=test_errors,
        training_errors=training_errors,
    )


def _draw(
    units: IndexArray, y: NDArray[Any], rng: np.random.Generator
) -> tuple[IndexArray, IndexArray]:
    """Rows inside (some several times) and outside; every class has some of both."""
    members = [np.flatnonzero(units == unit) for unit in range(units.max() + 1)]
    labels = np.unique(y)
    for _ in range(_MOST_DRAWS):
        drawn = rng.integers(len(members), size=len(members))
        inside = np.concatenate([members[unit] for unit in drawn])
        outside = np.setdiff1d(np.arange(len(y)), inside)
        if all(len(np.unique(y[rows])) == len(labels) for rows in (inside, outside)):
            return inside, outside
    raise ValueError(
        f"{_MOST_DRAWS} bootstrap draws all lacked a class inside or outside: a class has too few "
        "samples (or groups)"
    )


def _errors(
    estimator: Any, X: Any, y: Any, inside: IndexArray, outside: IndexArray, error: str
) -> tuple[float, float]:
    machine = clone(estimator).fit(X[inside], y[inside])
    test, training = (
        balanced_error(y[rows], machine.predict(X[rows]))
        if error == "balanced"
        else float(np.mean(machine.predict(X[rows]) != y[rows]))
        for rows in (outside, inside)
    )
    return test, training
