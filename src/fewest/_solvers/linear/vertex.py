"""A master program that walks from the vertex where a similar one ended; hard, with an equality.

It replaces `master.Master` where programs come in long series. Where the walk fails it raises a
`SolverError`, and the caller uses the general solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from fewest._solvers.linear.master import MasterSolution, SolverError
from fewest._solvers.linear.walk import FOUND, walk
from fewest._solvers.problem import Problem
from fewest._solvers.result import Result
from fewest._types import FloatArray, IndexArray

# Costs of features that are set aside, in turn, until all of them have left the vertex. Where the
# last one is not enough, the other features do not separate the classes, or hardly.
_PENALTIES = np.array([1.5, 15.0, 150.0, 1500.0])
STEPS_PER_SAMPLE = 30


@contextmanager
def ctrl_c() -> Iterator[None]:
    """Within it, a Ctrl-C that numba turns into another error is a Ctrl-C again."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
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
    features, block
        Which features the program may use, and their standardised columns.
    gone : array of shape (n_samples, n_gone)
        Columns set aside that are part of the vertex; they have to leave it.
    vertex : array of int
        The vertex: places of its features, counted from the first of `gone` through `block`.
    samples : array of int
        The vertex: as many samples on their limit.
    """

    def __init__(
        self,
        problem: Problem,
        features: IndexArray,
        block: FloatArray,
        gone: FloatArray,
        vertex: IndexArray,
        samples: IndexArray,
    ) -> None:
        assert problem.equality is not None
        self.problem = problem
        self.features = features
        self.samples = np.arange(problem.n_samples)
        self._n_gone = gone.shape[1]
        # One row per column: every other layout would have to be compiled for.
        self._rows = np.concatenate([gone.T, block.T])
        self._equality = problem.equality
        self._vertex, self._limit = vertex, samples
        self._level = 0

    def add_features(self, features: IndexArray, block: FloatArray) -> None:
        """Let these features in; `block` holds their standardised columns."""
        self.features = np.concatenate([self.features, features])
        self._rows = np.concatenate([self._rows, block.T])

    def solve(self) -> MasterSolution:
        """Walk to the optimum; unbounded if features that are set aside are indispensable."""
        problem = self.problem
        cost = np.concatenate([np.zeros(self._n_gone), problem.costs(self.features)])
        with ctrl_c():
            status, self._vertex, self._limit, plane, dual, self._level, _ = walk(
                np.ascontiguousarray(self._rows), problem.y, self._rows @ self._equality,
                problem.bias_coefficient,
                problem.margin, problem.rhs, cost, self._n_gone, _PENALTIES, self._level,
                self._vertex, self._limit, STEPS_PER_SAMPLE * problem.n_samples,
            )  # fmt: skip
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
