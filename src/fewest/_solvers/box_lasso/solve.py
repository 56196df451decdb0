"""Lasso with a box: the dual of the Potential Support Vector Machine.

    minimise    1/2 |K a - y|^2 + sum_j epsilon_j |a_j|    subject to    |a_j| <= C

with one epsilon for all columns, or one per column, where some cost more than others.
A working set holds the free variables and those that most want to move. On it, coordinate descent
finds the rough place and Newton's method the exact one; all other columns are only priced, with one
pass K^T r per round, which also gives the duality gap that ends the solve.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fewest._showing import Shown
from fewest._solvers.blas_threads import one_blas_thread
from fewest._solvers.box_lasso.block import Block, Memory, wish
from fewest._solvers.box_lasso.bound import gap_unit, lower_bound, objective_value, relative_gap
from fewest._solvers.columns import Columns
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray

# A round admits this many columns that are not free, or this part of those that want to move.
_FEWEST_JOINING, _PART_JOINING = 100, 8
# A round reduces the gap to this part of what it was, or to this part of what is asked for.
_PROGRESS, _SHARE = 0.03, 0.3
# After this many rounds without a gain, rounding is all that is left.
_PATIENCE = 5


@dataclass(frozen=True, eq=False, repr=False)
class BoxLassoResult(Shown):
    """Weights of the standardised columns, with objective and bound recomputed from the data.

    `gap` is (objective - bound) / objective; where the fit is nearly perfect, a ten-thousandth of
    1/2 |y|^2 takes the place of the objective below the line. `n_iter` counts passes over K.
    """

    alpha: FloatArray
    residual: FloatArray
    objective: float
    bound: float
    gap: float
    status: Status
    n_iter: int
    seconds: float


def box_lasso(
    columns: Columns,
    target: FloatArray,
    epsilon: FloatArray | float,
    C: float = np.inf,
    *,
    start: FloatArray | None = None,
    tol: float = 1e-8,
    max_iter: int = 500,
) -> BoxLassoResult:
    """Minimise 1/2 |K a - target|^2 + epsilon . |a| over |a_j| <= C to a relative gap of `tol`.

    `epsilon` is one number, or one per column: either all of them are zero, or none.
    `start` are weights of a similar program to begin with. Where the columns are centred, the
    target must be centred too.
    """
    _check(columns, target, epsilon, C, start)
    started = perf_counter()
    search = _Search(columns, target, epsilon, C, start)
    n_iter = 1
    while search.gap > tol and n_iter < max_iter and search.improve(tol):
        n_iter += 1
    if search.gap > tol:
        search.return_to_best()
    return BoxLassoResult(
        alpha=search.alpha,
        residual=search.residual,
        objective=search.objective,
        bound=search.bound,
        gap=search.gap,
        status=Status.OPTIMAL if search.gap <= tol else Status.INACCURATE,
        n_iter=n_iter,
        seconds=perf_counter() - started,
    )


def _check(
    columns: Columns,
    target: FloatArray,
    epsilon: FloatArray | float,
    C: float,
    start: FloatArray | None,
) -> None:
    if target.shape != (columns.n_samples,):
        raise ValueError(f"target has shape {target.shape}, needs ({columns.n_samples},)")
    if np.shape(epsilon) not in ((), (columns.n_features,)):
        raise ValueError(
            f"epsilon has shape {np.shape(epsilon)}, needs () or ({columns.n_features},)"
        )
    if not np.all((epsilon >= 0.0) & np.isfinite(epsilon)):
        raise ValueError(f"epsilon must be finite and not negative, got {epsilon}")
    if np.any(epsilon == 0.0) and np.any(epsilon > 0.0):
        raise ValueError("epsilon must be positive in all columns, or zero in all")
    if not C > 0.0:
        raise ValueError(f"C must be positive, got {C}")
    if start is not None and start.shape != (columns.n_features,):
        raise ValueError(f"start has shape {start.shape}, needs ({columns.n_features},)")


class _Search:
    """The weights at hand, judged against all columns, and the working set."""

    def __init__(
        self,
        columns: Columns,
        target: FloatArray,
        epsilon: FloatArray | float,
        C: float,
        start: FloatArray | None,
    ) -> None:
        self.columns, self.target, self.epsilon, self.C = columns, target, epsilon, C
        alpha = np.zeros(columns.n_features)
        residual = target.astype(np.float64)
        if start is not None:
            alpha = np.where(columns.inverse_scale != 0.0, np.clip(start, -C, C), 0.0)
            residual = target - columns.combine(alpha)
        self.work = np.empty(0, dtype=np.intp)
        self.memory = Memory()
        self._accept(alpha, residual)
        self.best_gap, self.idle = self.gap, 0
        self.lowest = self.objective, self.alpha, self.residual

    def _accept(self, alpha: FloatArray, residual: FloatArray) -> None:
        self.alpha, self.residual = alpha, residual
        self.prices = self.columns.price(residual)
        self.objective = objective_value(residual, alpha, self.epsilon)
        self.bound = lower_bound(self.target, residual, self.prices, alpha, self.epsilon, self.C)
        self.gap = relative_gap(self.objective, self.bound, self.target)

    def improve(self, tol: float) -> bool:
        """Solve on the working set and price again; False if nothing more can be gained."""
        work = self._working_set()
        if not np.array_equal(work, self.work):
            self.work = work
            block = self.columns.take(work)
            epsilon = np.broadcast_to(self.epsilon, self.columns.n_features)[work]
            self.block = Block(work, block, epsilon, self.C, self.memory)
        unit = gap_unit(self.objective, self.target)
        goal = max(_SHARE * tol, _PROGRESS * self.gap) * unit
        objective = self.objective
        alpha = self.alpha.copy()
        with one_blas_thread():
            solution, residual = self.block.solve(self.residual, alpha[work], goal)
        alpha[work] = np.clip(solution, -self.C, self.C)
        self._accept(alpha, residual)
        if self.objective < self.lowest[0]:
            self.lowest = self.objective, self.alpha, self.residual
        gained = objective - self.objective > 0.01 * tol * unit or self.gap < 0.9 * self.best_gap
        self.best_gap = min(self.gap, self.best_gap)
        self.idle = 0 if gained else self.idle + 1
        return self.idle < _PATIENCE

    def return_to_best(self) -> None:
        """The weights of the lowest objective: where digits are lost, later ones may be worse."""
        objective, alpha, residual = self.lowest
        if objective < self.objective:
            self._accept(alpha, residual)

    def _working_set(self) -> IndexArray:
        """Free variables, and those that most violate (or most nearly violate) optimality."""
        usable = self.columns.inverse_scale != 0.0
        wishes = wish(self.alpha, self.prices, self.epsilon, self.C)
        wishes[~usable] = -np.inf
        n_free = int(np.count_nonzero(np.isposinf(wishes)))
        n_asking = self.columns.n_samples
        if np.isfinite(self.C):  # then more columns than samples may be needed
            n_asking = max(n_asking, int(np.count_nonzero(wishes > 0.0)) - n_free)
        count = n_free + max(_FEWEST_JOINING, n_free, n_asking // _PART_JOINING)
        if count >= len(wishes):
            return np.flatnonzero(usable)
        return np.sort(np.argpartition(-wishes, count)[:count])
