"""The working set of the box lasso: explicit columns of unit length, and the solver on them.

With columns of length one, a weight's penalty is epsilon / norm and its limit C * norm.
Coordinate descent on all columns first puts most variables where they will stay, at zero or at
a limit. Newton's method then needs the Gram matrix of only the others.
"""

from __future__ import annotations

import numpy as np

from fewest._solvers.box_lasso.kernels import descend
from fewest._solvers.box_lasso.newton import FIRST_SIGMA, GramProblem, newton
from fewest._solvers.box_lasso.polish import polish
from fewest._types import FloatArray, IndexArray

# Coordinate descent goes on in batches while it brings the number of moving variables down; it
# costs little in comparison with Newton's method on too many of them.
_SWEEPS, _MOST_SWEEPS, _FEW_MOVING, _WORTHWHILE = 5, 100, 200, 0.95
_PAIR_SWEEPS = 2
# Fractions of the goal that Newton's method is given, until it improves the weights.
_TIGHTER = (1.0, 1e-2, 1e-4)
# Least squares without a penalty leaves out directions whose singular value is below this part of
# the largest: weights along them would be so large that K a is mostly rounding.
_DEPENDENT = 1e-9
# Columns whose cosine exceeds this are moved in pairs.
_PARALLEL = 0.9


class Block:
    """Columns of unit length with their penalties and limits."""

    def __init__(
        self, index: IndexArray, columns: FloatArray, epsilon: FloatArray, C: float, memory: Memory
    ) -> None:
        self.norm = np.sqrt(np.einsum("ij,ij->j", columns, columns))
        self.norm[(self.norm == 0.0) | (np.abs(self.norm - 1.0) < 1e-14)] = 1.0
        if np.any(self.norm != 1.0):
            columns = columns / self.norm
        self.columns = columns
        self.penalty, self.cap = epsilon / self.norm, C * self.norm
        self.swept = False
        self.index, self.memory = index, memory

    def solve(
        self, residual: FloatArray, alpha: FloatArray, goal: float
    ) -> tuple[FloatArray, FloatArray]:
        """Weights and residual after reducing the block's duality gap towards `goal`.

        Not all variables of the block move: the next call sees what is left of the gap.
        """
        scaled, residual = alpha * self.norm, residual.copy()
        if np.all(self.penalty == 0.0) and np.all(np.isinf(self.cap)):
            step = np.linalg.lstsq(self.columns, residual, rcond=_DEPENDENT)[0]
            return (scaled + step) / self.norm, residual - self.columns @ step
        if not self.swept:
            self._sweep(residual, scaled)
            self.swept = True
        moving = self._find_moving(residual, scaled)
        part = self.columns
        if len(moving) < len(alpha):
            part = np.asfortranarray(part[:, moving])
        gram = self.memory.gram(self.index[moving], part)
        weights, penalty, cap = scaled[moving], self.penalty[moving], self.cap[moving]
        partner, product = _partners(gram)
        descend(part, residual, weights, penalty, cap, partner, product, _PAIR_SWEEPS)
        target = residual + part @ weights
        problem = GramProblem(gram, target @ part, float(target @ target), penalty, cap)
        scaled[moving], residual = self._newton(problem, part, target, weights, goal)
        return scaled / self.norm, residual

    def _newton(
        self,
        problem: GramProblem,
        part: FloatArray,
        target: FloatArray,
        start: FloatArray,
        goal: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Newton's method to a goal that makes the weights better than those at the start.

        Weights within a loose goal may be worse than the start, and rounds could then cycle.
        """
        at_start = target - part @ start
        before = _objective(at_start, start, problem.penalty)
        for tighter in _TIGHTER:
            weights, sigma, done = newton(problem, start, tighter * goal, self.memory.sigma)
            residual = target - part @ weights
            if not done:
                weights, residual = polish(part, residual, weights, problem.penalty, problem.cap)
            if _objective(residual, weights, problem.penalty) < before:
                self.memory.sigma = sigma
                return weights, residual
        return start, at_start

    def wish(self, alpha: FloatArray, prices: FloatArray) -> FloatArray:
        """How much every variable wants to leave its place; infinite for those in between."""
        return wish(alpha, prices, self.penalty, self.cap)

    def _sweep(self, residual: FloatArray, alpha: FloatArray) -> None:
        alone = np.full(len(alpha), -1)
        none = np.zeros(len(alpha))
        before = len(alpha) + 1
        for _ in range(_SWEEPS, _MOST_SWEEPS + 1, _SWEEPS):
            descend(self.columns, residual, alpha, self.penalty, self.cap, alone, none, _SWEEPS)
            count = int(np.count_nonzero(self.wish(alpha, residual @ self.columns) > 0.0))
            if count <= _FEW_MOVING or count > _WORTHWHILE * before:
                break
            before = count

    def _find_moving(self, residual: FloatArray, alpha: FloatArray) -> IndexArray:
        """Variables that are in between or want to leave their place, and some that nearly do."""
        wishes = self.wish(alpha, residual @ self.columns)
        count = int(np.count_nonzero(wishes > 0.0))
        count = max(_FEW_MOVING, count + count // 4)
        if count >= len(alpha):
            return np.arange(len(alpha))
        return np.sort(np.argpartition(-wishes, count)[:count])


class Memory:
    """What one block hands on to the next: inner products of columns, and Newton's sigma."""

    def __init__(self) -> None:
        self.sigma = FIRST_SIGMA
        self.index = np.empty(0, dtype=np.intp)
        self.values = np.empty((0, 0))

    def gram(self, index: IndexArray, columns: FloatArray) -> FloatArray:
        """Gram matrix of the columns with these increasing indices; only new ones take time."""
        old = np.isin(index, self.index, assume_unique=True)
        if not old.any():
            values = columns.T @ columns
        else:
            place = np.searchsorted(self.index, index[old])
            values = np.empty((len(index), len(index)))
            values[np.ix_(old, old)] = self.values[np.ix_(place, place)]
            products = columns[:, ~old].T @ columns
            values[~old] = products
            values[:, ~old] = products.T
        self.index, self.values = index, values
        return values


def wish(
    alpha: FloatArray,
    prices: FloatArray,
    penalty: FloatArray | float,
    cap: FloatArray | float,
) -> FloatArray:
    """How much a variable wants to leave zero or its limit; infinite for those in between."""
    size = np.abs(alpha)
    wishes = np.abs(prices) - penalty
    at_limit = size >= cap
    wishes = np.where(at_limit, penalty - np.sign(alpha) * prices, wishes)
    wishes[(size > 0.0) & ~at_limit] = np.inf
    return wishes


def _objective(residual: FloatArray, alpha: FloatArray, penalty: FloatArray) -> float:
    return float(0.5 * residual @ residual + penalty @ np.abs(alpha))


def _partners(gram: FloatArray) -> tuple[IndexArray, FloatArray]:
    """The most nearly parallel column of every column (-1: none), and their inner product."""
    cosine = np.abs(gram)
    np.fill_diagonal(cosine, 0.0)
    partner = cosine.argmax(axis=0)
    everyone = np.arange(len(gram))
    near = cosine[partner, everyone] > _PARALLEL
    product = np.clip(gram[partner, everyone], -1.0, 1.0)
    return np.where(near, partner, -1), product
