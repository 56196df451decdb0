"""The program for many classes at a vertex: where an interior point loses its last digits.

Ties, costs that dwarf the weights and many optima leave the interior point with a gap. Small
programs are settled by the simplex method instead, over the features at hand; prices and
certificates are computed as for the interior point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from fewest._solvers.joint.problem import JointProblem
from fewest._types import FloatArray, IndexArray

# Larger programs take longer than a gap that small is worth: entries of their matrix.
_MOST_ENTRIES = 2_000_000
# Some programs have no point that is so exact: then the usual one.
_TOLERANCES = 1e-10, 1e-7
_OPTIMAL = 0
# Weights outside the basis are zero but for this part of the largest.
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Vertex:
    """Weights of the features (biases in the last row), and what proves them."""

    W: FloatArray
    multipliers: tuple[FloatArray, FloatArray]

    def negligible(self, ratios: FloatArray) -> FloatArray:
        """Up to which part of the largest weight those of a feature are rounding."""
        return np.full(len(ratios), _ROUNDING)


def is_small(problem: JointProblem, n_features: int) -> bool:
    """Whether the simplex method takes seconds at most."""
    rows = problem.n_samples * (problem.n_classes - 1)
    return 2 * rows * (n_features + 1) <= _MOST_ENTRIES


def solve_vertex(problem: JointProblem, block: FloatArray) -> Vertex | None:
    """An optimal vertex over these features, each divided by its cost; None if there is none.

    The variables are weights, biases, sizes of the features and slacks.
    """
    K, d = problem.n_classes, block.shape[1]
    samples, rivals = np.nonzero(~problem.is_own)
    first, second = problem.pairs
    means = problem.mean_vectors.T @ block
    points = np.vstack([block[samples], means[first] - means[second]])
    own, other = np.append(problem.codes[samples], first), np.append(rivals, second)
    has_bias = np.append(np.ones(len(samples)), np.zeros(len(first)))
    margins = _margins(points, has_bias, own, other, K)
    is_soft = problem.slack_cost is not None
    slacks = sparse.eye_array(len(points), len(samples) if is_soft else 0)
    n_weights = (d + 1) * K
    sizes = sparse.kron(sparse.eye_array(d), np.ones((K, 1)))
    weights = sparse.eye_array(d * K, n_weights)
    blocks = [
        [-margins, None, -slacks],
        [weights, -sizes, None],
        [-weights, -sizes, None],
    ]
    cost = [np.zeros(n_weights), np.full(d, 2.0)]
    if problem.slack_cost is not None:
        cost.append(problem.slack_cost[samples])
    limits = np.append(np.full(len(samples), problem.margin), np.ones(len(first)))
    matrix = sparse.block_array(blocks, format="csr") if d else sparse.hstack([-margins, -slacks])
    for tolerance in _TOLERANCES:
        found = linprog(
            np.concatenate(cost),
            A_ub=matrix,
            b_ub=np.concatenate([-limits, np.zeros(2 * d * K)]),
            bounds=[(None, None)] * n_weights + [(0, None)] * (d + slacks.shape[1]),
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": tolerance,
                "dual_feasibility_tolerance": tolerance,
            },
        )
        if found.status == _OPTIMAL:
            break
    if found.status != _OPTIMAL:
        return None
    proof = np.maximum(0.0, -found.ineqlin.marginals[: len(points)])
    alpha = np.zeros((problem.n_samples, K))
    alpha[samples, rivals] = proof[: len(samples)]
    return Vertex(found.x[:n_weights].reshape(d + 1, K), (alpha, proof[len(samples) :]))


def _margins(
    points: FloatArray, has_bias: FloatArray, own: IndexArray, other: IndexArray, K: int
) -> sparse.csr_array:
    """Rows that give, from weights and biases, how far the own class is ahead of the other."""
    rows = np.column_stack([points, has_bias])
    choice = np.zeros((len(points), K))
    choice[np.arange(len(points)), own] = 1.0
    choice[np.arange(len(points)), other] = -1.0
    return sparse.csr_array((rows[:, :, None] * choice[:, None, :]).reshape(len(points), -1))
