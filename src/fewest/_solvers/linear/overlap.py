"""A proof that many samples cannot be separated, without a single linear program.

The squares of the slacks, without any price for features, are smallest where

    alpha_i = max(0, m - y_i (x_i . w + b)),   sum_i alpha_i y_i x_i + lambda a = 0,

and likewise for the bias. Unless all slacks vanish there, this alpha >= 0 with lambda is a proof
that no hyperplane satisfies all constraints: every column has a price of zero, and the value
m sum(alpha) + s lambda = sum_i alpha_i^2 is positive. Newton's method finds the minimum in a few
steps, because it is exact once the violated samples are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from fewest._solvers.certify import dual_bound, dual_point, price_ratios
from fewest._solvers.columns import Columns
from fewest._solvers.linear.judge import HOPELESS
from fewest._solvers.linear.master import NO_SOLUTION_YET, TimeIsUpError
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result, Status, WarmStart
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# With more features than this, the matrix of Newton's method is too large.
_MOST_FEATURES = 3000
_MAX_STEPS = 30
_ROWS = 4096
# Relative size of what keeps the matrix invertible; the gradient, and so the proof, are exact.
_RIDGE = 1e-12


def prove_overlap(problem: Problem, columns: Columns) -> Result | None:
    """The proof that a hard program is infeasible; None if there is none, or it is not found."""
    started = perf_counter()
    features = np.flatnonzero(columns.inverse_scale)
    if not 0 < len(features) <= min(_MOST_FEATURES, problem.n_samples - 2):
        return None
    squares = _SquaredSlacks(problem, columns, features)
    steps = 0
    while steps < _MAX_STEPS and not squares.is_smallest():
        steps += 1
        try:
            squares.step()
        except LinAlgError:
            return None
        if not squares.alpha.any():
            return None  # separated
    point = dual_point(problem, squares.alpha, squares.multiplier)
    ratios = price_ratios(problem, columns, point.v)
    if dual_bound(problem, point, float(ratios.max())) <= HOPELESS:
        return None
    nothing = np.empty(0, dtype=np.intp)
    return Result(
        features=nothing,
        w=np.empty(0),
        b=0.0,
        slack=np.zeros(problem.n_samples),
        alpha=point.alpha,
        multiplier=point.multiplier,
        dual=point.v,
        objective=np.inf,
        bound=np.inf,
        violation=0.0,
        status=Status.INFEASIBLE,
        rounds=steps,
        seconds=perf_counter() - started,
        warm=WarmStart(nothing, nothing),
    )


class _SquaredSlacks:
    """The sum of squared slacks as a function of the hyperplane, and Newton's steps on it.

    The last entry of all vectors over features stands for the bias.
    """

    def __init__(self, problem: Problem, columns: Columns, features: IndexArray) -> None:
        self._problem, self._columns, self._features = problem, columns, features
        size = len(features) + 1
        self._border = np.zeros(size)
        for rows, block in self._blocks():
            if problem.equality is not None:
                self._border += (problem.y[rows] * problem.equality[rows]) @ block
        self._plane = np.zeros(size)
        self._margins = np.zeros(problem.n_samples)
        if problem.equality is not None:
            self._plane = self._border * (
                problem.rhs / max(float(self._border @ self._border), 1e-300)
            )
            self._margins = self._multiply(self._plane)
        self._counted = np.zeros(problem.n_samples, dtype=bool)
        self._matrix = np.zeros((size, size))
        self.multiplier = 0.0

    @property
    def alpha(self) -> FloatArray:
        return np.maximum(0.0, self._problem.margin - self._margins)

    def _blocks(self, chosen: IndexArray | None = None) -> Iterator[tuple[IndexArray, FloatArray]]:
        """Samples with their sign, some at a time, with the bias beside the features."""
        rows = np.arange(self._problem.n_samples) if chosen is None else chosen
        for start in range(0, len(rows), _ROWS):
            if current_watch().is_over:
                raise TimeIsUpError(NO_SOLUTION_YET)
            part = rows[start : start + _ROWS]
            block = np.ones((len(part), len(self._features) + 1))
            block[:, :-1] = self._columns.take_rows(part, self._features)
            block *= self._problem.y[part, None]
            yield part, block

    def _multiply(self, plane: FloatArray) -> FloatArray:
        margins = np.empty(self._problem.n_samples)
        for rows, block in self._blocks():
            margins[rows] = block @ plane
        return margins

    def is_smallest(self) -> bool:
        """Whether all prices vanish beside the value of the proof."""
        alpha = self.alpha
        self._gradient = self._price(alpha)
        left = np.abs(self._gradient + self.multiplier * self._border).max()
        return bool(left * HOPELESS <= 0.1 * (alpha @ alpha))

    def step(self) -> None:
        """One of Newton's steps; it leads to the minimum if no sample changes sides on the way."""
        self._count(self.alpha > 0.0)
        diagonal = np.diagonal(self._matrix)
        matrix = self._matrix + np.diag(np.full(len(diagonal), _RIDGE * diagonal.max()))
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        move = cho_solve(factor, self._gradient, check_finite=False)
        if self._problem.equality is not None:
            along = cho_solve(factor, self._border, check_finite=False)
            missing = self._problem.rhs - self._border @ (self._plane + move)
            self.multiplier = float(missing / (self._border @ along))
            move += self.multiplier * along
        change = self._multiply(move)
        length = self._search(change)
        self._plane = self._plane + length * move
        self._margins = self._margins + length * change

    def _price(self, alpha: FloatArray) -> FloatArray:
        prices = self._columns.price(alpha * self._problem.y)[self._features]
        return np.append(prices, alpha @ self._problem.y)

    def _count(self, violated: NDArray[np.bool_]) -> None:
        """The matrix of the violated samples: only those that changed are added or taken away."""
        if np.count_nonzero(violated != self._counted) > np.count_nonzero(violated):
            self._matrix[:] = 0.0
            self._counted[:] = False
        for sign, changed in ((1.0, violated & ~self._counted), (-1.0, self._counted & ~violated)):
            for _, block in self._blocks(np.flatnonzero(changed)):
                self._matrix += sign * (block.T @ block)
        self._counted = violated

    def _search(self, change: FloatArray) -> float:
        """A step that leads down: the whole one, or the best on the way, found by halving."""
        shortfall = self._problem.margin - self._margins

        def slope(length: float) -> float:
            return -float(np.maximum(0.0, shortfall - length * change) @ change)

        if slope(1.0) <= 1e-9 * abs(slope(0.0)):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = (low + high) / 2.0
            low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
        return low
