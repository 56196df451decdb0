"""Error estimates that scikit-learn lacks: the .632 bootstrap, and the balanced error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.utils import check_random_state

from fewest._estimators.held_out import judge_fold, judge_in_parallel
from fewest._estimators.splits import balanced_error
from fewest._estimators.validation import check_choice, check_count
from fewest._types import FloatArray, IndexArray
from fewest.significance._resample import check_samples, draw_rows, find_units

# For `scoring` in scikit-learn, where larger is better: minus the balanced error.
balanced_error_scorer = make_scorer(balanced_error, greater_is_better=False)

# Probability that a sample is in a bootstrap sample, 1 - 1/e.
_INSIDE = 0.632


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
    random_state : int, RandomState instance or None
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
    0.02 from 0.04 and 0.00
    """
    check_count("n_resamples", n_resamples)
    check_choice("error", error, ("balanced", "plain"))
    X, y, groups = check_samples(X, y, groups)
    rng = check_random_state(random_state)
    strata = [find_units(len(y), groups)]
    rate = balanced_error if error == "balanced" else zero_one_loss
    jobs = [
        (estimator, X, y, groups, *draw_rows(strata, y, rng, classes_outside=True), rate)
        for _ in range(n_resamples)
    ]
    found = judge_in_parallel(
        jobs, judge=_measure, n_jobs=n_jobs, verbose=verbose, what="bootstrap", unit="resample"
    )
    test_errors, training_errors = np.array(list(found)).T
    test, training = float(test_errors.mean()), float(training_errors.mean())
    return Bootstrap632(
        error=_INSIDE * test + (1.0 - _INSIDE) * training,
        test_error=test,
        training_error=training,
        test_errors=test_errors,
        training_errors=training_errors,
    )


def _measure(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    inside: IndexArray,
    outside: IndexArray,
    rate: Any,
) -> tuple[float, float]:
    """Errors of one machine outside and inside."""
    fold = judge_fold(estimator, X, y, groups, inside, np.concatenate([outside, inside]))
    n = len(outside)
    return rate(y[outside], fold.predicted[:n]), rate(y[inside], fold.predicted[n:])
