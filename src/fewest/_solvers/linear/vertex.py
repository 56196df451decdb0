"""A master program that walks from the vertex where a similar one ended; hard, with an equality.

It replaces `master.Master` where programs come in long series. Where the walk fails it raises a
`SolverError`, and the caller uses the general solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from fewest._interrupts import is_interrupt
from fewest._solvers.linear.dual_walk import walk_away
from fewest._solvers.linear.master import MasterSolution, SolverError
from fewest._solvers.linear.walk import FAILED, FOUND, walk
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result
from fewest._types import FloatArray, IndexArray

# Where the dual walk does not arrive: costs of features that are set aside, in turn, until all of
# them have left the vertex. Where the last one is not enough, the other features do not separate
# the classes, or hardly.
_PENALTIES = np.array([1.5, 15.0, 150.0, 1500.0])
STEPS_PER_SAMPLE = 30


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Within it, a Ctrl-C that numba turns into another error is a Ctrl-C again."""
    try:
        yield
    except SystemError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def vertex_of(result: Result) -> IndexArray | None:
    """The samples on the hyperplane's limit, where they and the features make a vertex."""
    samples = np.flatnonzero(result.alpha > 0.0)
    return samples if 0 < len(samples) == result.n_features else None


class Walker:
    """Some features of a hard program, and a vertex to start from.

    Parameters
    ----------
    problem : Problem
        Without slacks, and with an equality.
    features : array of int
        Which features the program may use.
    rows : array of shape (n_gone + n_features, n_samples)
        Standardised columns, each of them a row: first those that are set aside but part of the
        vertex, and have to leave it; then those of `features`.
    vertex : array of int
        The vertex: rows of its features.
    samples : array of int
        The vertex: as many samples on their limit.
    """

    def __init__(
        self,
        problem: Problem,
        features: IndexArray,
        rows: FloatArray,
        vertex: IndexArray,
        samples: IndexArray,
    ) -> None:
        assert problem.equality is not None
        self.problem = problem
        self.features = features
        self.samples = np.arange(problem.n_samples)
        self._n_gone = len(rows) - len(features)
        # Any other order would have to be compiled for.
        self._rows = np.ascontiguousarray(rows)
        self._equality = problem.equality
        self._vertex, self._limit = vertex, samples
        self._level, self._is_new = 0, True

    def add_features(self, features: IndexArray, block: FloatArray) -> None:
        """Let these features in; `block` holds their standardised columns."""
        self.features = np.concatenate([self.features, features])
        self._rows = np.ascontiguousarray(np.concatenate([self._rows, block.T]))

    def solve(self) -> MasterSolution:
        """Walk to the optimum; unbounded if features that are set aside are indispensable."""
        problem, status = self.problem, FAILED
        cost = np.concatenate([np.ones(self._n_gone), problem.costs(self.features)])
        program = (
            self._rows, problem.y, self._rows @ self._equality,
            problem.bias_coefficient, problem.margin, problem.rhs, cost, self._n_gone,
        )  # fmt: skip
        max_steps = STEPS_PER_SAMPLE * problem.n_samples
        with ctrl_c():
            if self._n_gone and self._is_new:
                status, *found, _ = walk_away(*program, self._vertex, self._limit, max_steps)
            if status != FOUND:
                status, *found, self._level, _ = walk(
                    *program, _PENALTIES, self._level, self._vertex, self._limit, max_steps
                )
        self._is_new = False
        self._vertex, self._limit, plane, dual = found
        if status != FOUND:
            raise SolverError("the walk from the last vertex did not arrive")
        return self._solution(bool(np.all(self._vertex >= self._n_gone)), plane, dual)

    @property
    def corner(self) -> tuple[IndexArray, IndexArray]:
        """Features and samples of the vertex where the last walk ended."""
        return self.features[self._vertex - self._n_gone], self._limit

    def margins(self, solution: MasterSolution) -> FloatArray:
        """y_i (x_i . w + b) of every sample."""
        projection: FloatArray = solution.w @ self._rows[self._n_gone :]
        return self.problem.y * (projection + solution.b)

    def _solution(self, bounded: bool, plane: FloatArray, dual: FloatArray) -> MasterSolution:
        w, alpha = np.zeros(len(self.features)), np.zeros(self.problem.n_samples)
        alpha[self._limit] = dual[1:]
        if not bounded:  # the dual vector says which columns would help
            return MasterSolution(False, alpha, float(dual[0]), w, 0.0)
        w[self._vertex - self._n_gone] = plane[1:]
        return MasterSolution(True, alpha, float(dual[0]), w, float(plane[0]))
