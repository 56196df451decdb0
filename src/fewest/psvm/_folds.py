"""All values of C and epsilon in every fold, each solve started from the nearest known solution.

Along C and epsilon the next solution is close to the last one. From fold to fold only a few
samples are exchanged (one, in leave-one-out), so the support features of the last fold at the same
C and epsilon are as good a start: the appendix of Hochreiter and Obermayer (2004) calls that
priming. Whichever of the two has the smaller objective is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewest._estimators.rules import Rules
from fewest._estimators.splits import Split
from fewest._estimators.validation import make_dense
from fewest._solvers.columns import Columns
from fewest._solvers.result import Status
from fewest._types import FloatArray, IndexArray
from fewest.psvm._machine import PotentialMachine
from fewest.psvm._relations import price_weights, scale_relations
from fewest.psvm.kernels import compute_kernel, list_arguments

# What the values of f (one column per task) of some samples are worth; the larger, the better.
Score = Callable[[FloatArray, IndexArray], float]


@dataclass(frozen=True, eq=False)
class Grid:
    """Values in the order in which they are followed: epsilon falls, and for each of them C rises.

    Sparse solutions come first, and solutions only grow from there.
    """

    Cs: FloatArray
    epsilons: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of values of epsilon and of C."""
        return len(self.epsilons), len(self.Cs)


def score_folds(
    machine: PotentialMachine,
    X: Any,
    targets: FloatArray,
    score: Score,
    splits: Sequence[Split],
    grid: Grid,
) -> tuple[FloatArray, FloatArray, int, list[FloatArray]]:
    """Scores, numbers of support features, how many solves missed the tolerance, and values of f.

    The arrays are of shape (n_splits, n_epsilons, n_Cs); values, those of the test samples of each
    split, of shape (n_test, n_epsilons, n_Cs, n_tasks).
    `targets` has one row per task; of `machine` the kernel, the row objects, the tolerance and
    `max_iter` are used.
    """
    scores = np.empty((len(splits), *grid.shape))
    n_support = np.empty_like(scores)
    n_doubtful, judged = 0, []
    rules = machine._read_rules(X.shape[1]) if machine.is_precomputed else None
    primed: list[FloatArray | None] = [None] * len(targets)
    for number, (train, test) in enumerate(splits):
        columns, relations, places = _relate(machine, X, train, test, rules)
        values = np.empty((len(test), *grid.shape, len(targets)))
        used = np.zeros((*grid.shape, columns.n_features), dtype=bool)
        for task, target in enumerate(targets):
            mean, old = target[train].mean(), primed[task]
            start = None if old is None else old[..., places]
            alpha, weights, doubtful = follow_grid(
                machine, columns, target[train] - mean, grid, start, rules
            )
            if machine.finds_row_objects:  # others in every fold
                old = np.zeros((*grid.shape, columns.n_features))
            elif old is None:  # what a fold leaves out keeps its last weight
                n_row_objects = X.shape[0] if machine.columns_are_samples else columns.n_features
                primed[task] = old = np.zeros((*grid.shape, n_row_objects))
            old[..., places] = alpha
            values[..., task] = np.tensordot(relations, weights, (1, 2)) + mean
            used |= alpha != 0
            if rules is not None:
                used |= rules.included
            n_doubtful += doubtful
        for place in np.ndindex(grid.shape):
            scores[number][place] = score(values[(slice(None), *place)], test)
        n_support[number] = used.sum(axis=-1)
        judged.append(values)
    return scores, n_support, n_doubtful, judged


def follow_grid(
    machine: PotentialMachine,
    columns: Columns,
    target: FloatArray,
    grid: Grid,
    primed: FloatArray | None,
    rules: Rules | None = None,
) -> tuple[FloatArray, FloatArray, int]:
    """Solutions at every epsilon and C, the weights to predict with, and how many missed `tol`.

    `primed` are the solutions of similar data.
    """
    alpha = np.empty((*grid.shape, columns.n_features))
    weights = np.empty_like(alpha)
    doubtful = 0
    for row, column in np.ndindex(grid.shape):
        epsilon, C = price_weights(float(grid.epsilons[row]), rules), float(grid.Cs[column])
        starts = [] if primed is None else [primed[row, column]]
        if column:
            starts.append(alpha[row, column - 1])
        elif row:
            starts.append(alpha[row - 1, 0])
        start = _choose_start(columns, target, epsilon, C, starts)
        result = machine._solve(columns, target, epsilon, C, start)
        alpha[row, column] = result.alpha
        weights[row, column] = machine._refit_weights(columns, target, result, C)
        doubtful += result.status is not Status.OPTIMAL
    return alpha, weights, doubtful


def _choose_start(
    columns: Columns,
    target: FloatArray,
    epsilon: FloatArray | float,
    C: float,
    starts: list[FloatArray],
) -> FloatArray | None:
    if len(starts) < 2:
        return starts[0] if starts else None

    def objective(alpha: FloatArray) -> float:
        inside = np.clip(alpha, -C, C)
        residual = columns.combine(inside) - target
        return 0.5 * float(residual @ residual) + float(np.sum(epsilon * np.abs(inside)))

    return min(starts, key=objective)


def _relate(
    machine: PotentialMachine, X: Any, train: IndexArray, test: IndexArray, rules: Rules | None
) -> tuple[Columns, FloatArray, IndexArray]:
    """Columns of the training samples, relations of the test samples, and places of both."""
    if machine.is_precomputed:
        places = train if machine.columns_are_samples else np.arange(X.shape[1])
        K, K_test = X[train][:, places], X[test][:, places]
    else:
        Z = machine._find_row_objects(X[train])
        places = train if machine.columns_are_samples else np.arange(Z.shape[0])
        arguments = list_arguments(machine, X[train])
        K = compute_kernel(machine.kernel, X[train], Z, arguments)
        K_test = compute_kernel(machine.kernel, X[test], Z, arguments)
    columns = scale_relations(K, machine.scale)
    columns = columns if rules is None else rules.narrow(columns)
    relations = (make_dense(K_test) - columns.mean) * columns.inverse_scale
    return columns, relations, places
