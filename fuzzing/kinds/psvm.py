"""Potential Support Vector Machines against proximal gradient steps on the whole problem."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fewest._solvers.box_lasso.solve import box_lasso
from fewest._solvers.columns import wrap_columns
from fewest._solvers.result import Status
from fuzzing.data import draw_size, draw_values
from fuzzing.oracles.box_lasso import Case, proximal_objective
from fuzzing.outcome import require


def check(case: int, folder: Path) -> None:
    problem = draw(case)
    result = box_lasso(wrap_columns(problem.K), problem.y, problem.epsilon, problem.C)
    objective = problem.objective(result.alpha)
    unit = max(objective, 0.5e-4 * float(problem.y @ problem.y), 1e-300)
    # An answer that calls itself inaccurate may be so, but not by much.
    accuracy = 1e-7 if result.status is Status.OPTIMAL else 1e-5
    require(np.all(np.abs(result.alpha) <= problem.C), "weights outside the box")
    off = np.abs(problem.y - problem.K @ result.alpha - result.residual).max()
    size = np.abs(problem.K).max() * np.abs(result.alpha).sum() + np.abs(problem.y).max()
    require(off <= 1e-9 * size, f"the residual is off by {off:.1e}")
    require(
        abs(objective - result.objective) <= accuracy * unit,
        f"objective {result.objective}, from the data {objective}",
    )
    best = proximal_objective(problem, result.alpha)
    require(objective <= best + accuracy * unit, f"objective {objective}, gradient steps {best}")
    require(result.bound <= best + 1e-9 * unit, f"bound {result.bound} above {best}")
    if result.status is Status.OPTIMAL:
        gap = objective - result.bound
        require(gap <= accuracy * unit, f"optimal with a gap of {gap}, objective {objective}")


def draw(case: int) -> Case:
    """Relations of any shape, a penalty and a box; either may be missing."""
    rng = np.random.default_rng([2, case])
    n, p = draw_size(rng, 40, 80)
    K = draw_values(rng, n, p)
    norms = np.sqrt((K * K).sum(axis=0))
    K = K / np.where(norms > 0, norms, 1.0)  # what the machines make
    if rng.random() < 0.3:
        K = K * 10.0 ** rng.uniform(-4, 4, p)
    if rng.random() < 0.3:
        rank = int(rng.integers(1, min(n, p) + 1))
        K = K[:, :rank] @ rng.standard_normal((rank, p)) / rank if rank < p else K
    y = rng.standard_normal(n) * 10.0 ** rng.uniform(-3, 3)
    if rng.random() < 0.5:
        y = np.sign(y)
    largest = float(np.abs(K.T @ y).max())
    epsilon = largest * float(rng.choice([0.0, 0.001, 0.01, 0.1, 0.5, 1.5]))
    sizes = (K * K).sum(axis=0).max()
    C = float(rng.choice([0.01, 0.1, 1.0, 100.0])) * largest / sizes if sizes and largest else 1.0
    if rng.random() < 0.3:
        C = np.inf
    return Case(K, y, epsilon, C)
