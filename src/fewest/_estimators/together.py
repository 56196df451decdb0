"""Fits of one hard machine to many labellings of the same samples, which advance together.

What comes back is what single fits would have given. Where that is not certain, or the machine or
the data cannot do it, the caller fits one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from fewest._estimators.abilities import abilities_of
from fewest._solvers.columns import Columns, Matrix
from fewest._solvers.margin import hard_margin
from fewest._types import FloatArray, IndexArray

if TYPE_CHECKING:
    from fewest._solvers.many.problem import Outcome

# Values of X, times fits, from which on loading the compiled code is worth its seconds.
_WORTH_COMPILING = 1 << 29
# With more samples, single fits hold some of them only. With more features than samples, most
# labellings are separable, and few features matter.
_MANY_SAMPLES, _MOST_SAMPLES = 400, 1000


def advances_together(estimator: Any, matrix: Matrix, n_classes: int, n_fits: int) -> bool:
    """Whether so many fits to all samples, or some of them, may advance together."""
    if n_classes != 2 or not abilities_of(estimator).advances_together:
        return False
    n, d = matrix.shape
    if n > _MANY_SAMPLES and (n > _MOST_SAMPLES or d < 2 * n):
        return False
    from fewest._solvers.many.supply import has_products

    if not has_products(matrix):
        return False
    return not matrix.is_in_memory or (n_fits * n * d >= _WORTH_COMPILING and _is_this_computer())


def find_outcomes(
    estimator: Any, columns: Columns, labels: Iterable[FloatArray], n_jobs: int | None
) -> Iterator[Outcome | None]:
    """The outcome for all labels (-1, 1, or 0 for samples left out), in their order.

    None where a single fit has to decide. `n_jobs` threads share the work.
    """
    from fewest._solvers.many.advance import solve_together
    from fewest._solvers.many.crew import Crew
    from fewest._solvers.many.supply import supply_prices

    with Crew(effective_n_jobs(n_jobs)) as crew:
        prices = supply_prices(columns, crew)
        yield from solve_together(
            prices, labels, crew, tol=estimator.tol, max_iter=estimator.max_iter
        )


def find_plane(estimator: Any, outcome: Outcome, y: FloatArray) -> tuple[FloatArray, float] | None:
    """Weights and bias to predict with, for X as it was given; None where a fit would warn."""
    w, b = outcome.w, outcome.b
    if not outcome.converged or not np.isfinite(outcome.objective):
        return None
    if estimator.refit == "margin":
        block = outcome.columns.T
        plane = hard_margin(block, y)
        if plane is None:
            return None
        w, b = plane
        if np.any(y * (block @ w + b) <= 0.0):
            return None
    raw = w * outcome.inverse_scale
    return raw, float(b - raw @ outcome.mean)


def leave_out(y: FloatArray, train: IndexArray) -> FloatArray:
    """Labels of the training samples, zero for all others."""
    labels = np.zeros(len(y))
    labels[train] = y[train]
    return labels


def sign_labels(codes: NDArray[Any]) -> FloatArray:
    """-1 and 1 for the first and the second class."""
    return np.where(codes == 1, 1.0, -1.0)


def _is_this_computer() -> bool:
    """Whether joblib was told of no other computers, which would do the work one fit at a time."""
    backend, _ = get_active_backend()
    return type(backend).__module__ == "joblib._parallel_backends"
