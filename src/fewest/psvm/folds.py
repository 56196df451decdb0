"""All values of C and epsilon in every fold, each solve started from the nearest known solution.

Along C and epsilon the next solution is close to the last one. From fold to fold only a few
samples are exchanged (one, in leave-one-out), so that the support features of the last fold at the
same C and epsilon are as good a start: the appendix of the paper calls that priming. Whichever of
the two has the smaller objective is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fewest._estimators.validation import make_dense
from fewest._solvers.columns import Columns
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray
from fewest.psvm.kernels import kernel_matrix
from fewest.psvm.machine import PotentialMachine
from fewest.psvm.relations import unit_columns

Split = tuple[IndexArray, IndexArray]


class Score(Protocol):
    """The larger, the better: what the values of f (a column a task) of some samples are worth."""

    def __call__(self, values: FloatArray, samples: IndexArray) -> float: ...


@dataclass(frozen=True, eq=False)
class Grid:
    """Values in the order in which they are followed: epsilon falls, and for each of them C rises.

    Sparse solutions come first, and solutions only grow from there.
    """

    Cs: FloatArray
    epsilons: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.epsilons), len(self.Cs)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Arrays of shape (n_splits, n_epsilons, n_Cs), and how many solves missed the tolerance."""

    scores: FloatArray
    n_support: FloatArray
    n_doubtful: int


@dataclass(frozen=True, eq=False)
class _Fold:
    """One fold's relations; `places` are its row objects among all of them."""

    columns: Columns
    test_relations: FloatArray
    places: IndexArray


def scores_over_folds(
    machine: PotentialMachine,
    X: Any,
    targets: FloatArray,
    score: Score,
    splits: Sequence[Split],
    grid: Grid,
) -> FoldScores:
    """Score every C and epsilon in every split.

    Parameters
    ----------
    machine : PotentialMachine
        Its kernel, row objects, tolerance and `max_iter` are used.
    X : array or sparse matrix of shape (n_samples, n_features)
        Vectors or relations.
    targets : array of shape (n_tasks, n_samples)
        What is to be approximated.
    score : callable
        Takes the values of f on the test samples and their numbers.
    splits : sequence of (train, test)
        Numbers of samples.
    grid : Grid
        Values of C and epsilon.

    Returns
    -------
    FoldScores
    """
    scores = np.empty((len(splits), *grid.shape))
    n_support = np.empty_like(scores)
    n_doubtful = 0
    primed: list[FloatArray | None] = [None] * len(targets)
    for number, (train, test) in enumerate(splits):
        fold = _fold(machine, X, train, test)
        values = np.empty((len(test), *grid.shape, len(targets)))
        used = np.zeros((*grid.shape, fold.columns.n_features), dtype=bool)
        for task, target in enumerate(targets):
            mean = target[train].mean()
            old = primed[task]
            solved = followed(
                machine,
                fold.columns,
                target[train] - mean,
                grid,
                None if old is None else old[..., fold.places],
            )
            primed[task] = _remembered(old, solved.alpha, fold.places, _n_row_objects(machine, X))
            values[..., task] = np.tensordot(fold.test_relations, solved.weights, (1, 2)) + mean
            used |= solved.alpha != 0
            n_doubtful += solved.n_doubtful
        for place in np.ndindex(grid.shape):
            scores[number][place] = score(values[(slice(None), *place)], test)
        n_support[number] = used.sum(axis=-1)
    return FoldScores(scores, n_support, n_doubtful)


@dataclass(frozen=True, eq=False)
class _Followed:
    """Solutions at every epsilon and C, the weights to predict with, and what missed `tol`."""

    alpha: FloatArray
    weights: FloatArray
    n_doubtful: int


def followed(
    machine: PotentialMachine,
    columns: Columns,
    target: FloatArray,
    grid: Grid,
    primed: FloatArray | None,
) -> _Followed:
    """Solve at every epsilon and C; `primed` are the solutions of a similar problem."""
    alpha = np.empty((*grid.shape, columns.n_features))
    weights = np.empty_like(alpha)
    doubtful = 0
    for row, column in np.ndindex(grid.shape):
        epsilon, C = float(grid.epsilons[row]), float(grid.Cs[column])
        starts = [] if primed is None else [primed[row, column]]
        if column:
            starts.append(alpha[row, column - 1])
        elif row:
            starts.append(alpha[row - 1, 0])
        start = _best_start(columns, target, epsilon, C, starts)
        result = machine.solve(columns, target, epsilon, C, start)
        alpha[row, column] = result.alpha
        weights[row, column] = machine.final_weights(columns, target, result, C)
        doubtful += result.status is not Status.OPTIMAL
    return _Followed(alpha, weights, doubtful)


def _best_start(
    columns: Columns, target: FloatArray, epsilon: float, C: float, starts: list[FloatArray]
) -> FloatArray | None:
    if len(starts) < 2:
        return starts[0] if starts else None

    def objective(alpha: FloatArray) -> float:
        inside = np.clip(alpha, -C, C)
        residual = columns.combine(inside) - target
        return 0.5 * float(residual @ residual) + epsilon * float(np.abs(inside).sum())

    return min(starts, key=objective)


def _fold(machine: PotentialMachine, X: Any, train: IndexArray, test: IndexArray) -> _Fold:
    if machine.is_precomputed:
        places = train if machine.columns_are_samples else np.arange(X.shape[1])
        K, K_test = X[train][:, places], X[test][:, places]
    else:
        Z = machine.row_objects_for(X[train])
        places = train if machine.columns_are_samples else np.arange(Z.shape[0])
        arguments = machine.kernel_arguments_for(X[train])
        K = kernel_matrix(machine.kernel, X[train], Z, arguments)
        K_test = kernel_matrix(machine.kernel, X[test], Z, arguments)
    columns = unit_columns(K)
    relations = (make_dense(K_test) - columns.mean) * columns.inverse_scale
    return _Fold(columns, relations, places)


def _n_row_objects(machine: PotentialMachine, X: Any) -> int:
    if machine.is_precomputed:
        return X.shape[1]
    return X.shape[0] if machine.columns_are_samples else machine.row_objects_for(X).shape[0]


def _remembered(
    old: FloatArray | None, weights: FloatArray, places: IndexArray, n_row_objects: int
) -> FloatArray:
    """The solutions over all row objects; what this fold left out keeps its last weight."""
    full = np.zeros((*weights.shape[:2], n_row_objects)) if old is None else old
    full[..., places] = weights
    return full
