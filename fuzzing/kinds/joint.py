"""Programs for many classes at once against the full program, with the bound from the data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fewest._solvers.columns import scale_columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.joint.solve import JointResult, solve_joint
from fewest._solvers.result import Status
from fuzzing.data import as_stored, draw_codes, draw_size, draw_values
from fuzzing.oracles.joint import joint_bound, joint_optimum
from fuzzing.oracles.linear import UndecidedError, are_known, standardise
from fuzzing.outcome import require

_ACCURACY = 1e-6
_LARGEST = 1e6  # beyond, two solvers may draw the line of what is feasible differently


def check(case: int, folder: Path) -> None:
    X, problem = draw(case)
    if not are_known(X):
        return
    Z = standardise(X)
    prices = np.ones(Z.shape[1]) if problem.feature_cost is None else problem.feature_cost
    try:
        peer = joint_optimum(
            Z,
            problem.codes,
            problem.slack_cost,
            prices,
            means_apart=problem.means_apart,
            weight=problem.sample_weight,
        )
    except UndecidedError:
        return
    wanted, result = peer.value, solve_joint(problem, scale_columns(X))
    if np.isinf(wanted):
        is_claimed = result.status is Status.OPTIMAL and result.objective <= _LARGEST
        require(not is_claimed, f"{result.objective}, but it is infeasible")
        return
    if wanted > _LARGEST or not peer.is_certain:
        return
    require(result.status is not Status.INFEASIBLE, f"infeasible; linprog finds {wanted}")
    # An answer that calls itself inaccurate may be so, but not by much; one that says itself that
    # it violates constraints, or that lies below its own bound, claims that bound only.
    is_accurate = result.status is Status.OPTIMAL
    accuracy = _ACCURACY if is_accurate else 10 * _ACCURACY
    is_sound = result.violation <= _ACCURACY and result.objective >= (1 - accuracy) * result.bound
    is_claimed = is_accurate or is_sound
    unit = max(1.0, abs(wanted))
    if is_claimed:
        _check_weights(Z, problem, prices, result, accuracy * unit)
    if _agree(result, wanted, accuracy, is_claimed):
        return
    # Where multipliers are huge, the peer takes its tolerance for feasible: a proof refutes it.
    proven = _find_proof(Z, problem, prices, result)
    says = f"{result.objective} and bound {result.bound}, linprog {wanted}, in fractions {proven}"
    require(_agree(result, proven, accuracy, is_claimed), says)


def _agree(result: JointResult, best: float, accuracy: float, is_claimed: bool) -> bool:
    """Whether the objective, if it is claimed, and the bound may be those of this optimum."""
    unit = max(1.0, abs(best))
    is_near = abs(result.objective - best) <= accuracy * unit
    return (is_near or not is_claimed) and result.bound <= best + _ACCURACY * unit


def _find_proof(
    Z: np.ndarray, problem: JointProblem, prices: np.ndarray, result: JointResult
) -> float:
    """What weak duality says from the data."""
    lowest = min(result.alpha.min(), np.min(result.apart, initial=0.0))
    require(lowest >= 0.0, f"a multiplier of {lowest}")
    require(np.all(result.alpha <= problem.bounds[:, None]), "a multiplier above its cost")
    return joint_bound(
        Z,
        problem.codes,
        prices,
        result.alpha,
        result.apart,
        result.b,
        means_apart=problem.means_apart,
        weight=problem.sample_weight,
    )


def _check_weights(
    Z: np.ndarray, problem: JointProblem, prices: np.ndarray, result: JointResult, most: float
) -> None:
    """The objective again, from the weights and the data."""
    W = np.zeros((Z.shape[1], problem.n_classes))
    W[result.features] = result.W
    scores = Z @ W + result.b
    rows = np.arange(len(Z))
    margins = scores[rows, problem.codes][:, None] - scores
    slack = np.where(problem.is_own, 0.0, np.maximum(0.0, problem.margin - margins))
    paid = prices @ np.ptp(W, axis=1)
    if problem.slack_cost is None:
        require(slack.max() <= 1e-6, f"a margin is violated by {slack.max():.1e}")
    else:
        paid += problem.slack_cost @ slack.sum(axis=1)
    off = abs(paid - result.objective)
    require(off <= most, f"objective {result.objective}, from its weights {paid}")


def draw(case: int) -> tuple[np.ndarray, JointProblem]:
    rng = np.random.default_rng([3, case])
    n_classes = int(rng.integers(2, 7))
    n, d = draw_size(rng, 50, 40)
    n = max(n, n_classes)
    X = draw_values(rng, n, d)
    codes = draw_codes(rng, X, n_classes)
    cost = None if rng.random() < 0.3 else 10.0 ** rng.uniform(-5, 4) * rng.uniform(0.5, 2.0, n)
    means_apart = rng.random() < 0.5
    problem = JointProblem(
        codes,
        cost,
        feature_cost=rng.uniform(0.2, 5.0, d) if rng.random() < 0.4 else None,
        means_apart=means_apart,
        sample_weight=rng.uniform(0.2, 2.0, n) if means_apart and rng.random() < 0.2 else None,
    )
    return as_stored(rng, X), problem
