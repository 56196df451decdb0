"""Random box lassos of every shape, and what slow peers make of them."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

KINDS = ("wide", "tall", "rank-deficient", "duplicates", "scales")


@dataclass(frozen=True)
class Case:
    K: np.ndarray
    y: np.ndarray
    epsilon: float
    C: float

    def objective(self, alpha: np.ndarray) -> float:
        residual = self.y - self.K @ alpha
        return 0.5 * residual @ residual + self.epsilon * np.abs(alpha).sum()


def draw(kind: str, seed: int, *, penalty: bool, box: bool) -> Case:
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n, p = rng.integers(5, 20), rng.integers(20, 60)
    if kind == "tall" or (kind != "wide" and rng.random() < 0.5):
        n, p = p, n
    K = rng.standard_normal((n, p))
    if kind == "rank-deficient":
        rank = rng.integers(1, min(n, p))
        K = K[:, :rank] @ rng.standard_normal((rank, p))
    elif kind == "duplicates":
        K = K[:, rng.integers(p // 2, size=p)] * rng.choice([-1.0, 1.0], p)
    elif kind == "scales":
        K = K * 10.0 ** rng.uniform(-1, 1, p)
    y = rng.standard_normal(n) * 10.0 ** rng.uniform(-2, 2)
    largest = np.abs(K.T @ y).max()
    epsilon = largest * rng.choice([0.01, 0.1, 0.5]) if penalty else 0.0
    C = rng.choice([0.01, 0.1, 1.0]) * largest / (K * K).sum(axis=0).max() if box else np.inf
    return Case(K, y, float(epsilon), float(C))


def lasso_objective(case: Case) -> float:
    n = len(case.y)
    peer = Lasso(alpha=case.epsilon / n, fit_intercept=False, tol=1e-13, max_iter=10**6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last digits are rounding
        peer.fit(case.K, case.y)
    return case.objective(peer.coef_)


def bounded_objective(case: Case) -> float:
    peer = lsq_linear(case.K, case.y, (-case.C, case.C), method="bvls", tol=1e-15, max_iter=10**4)
    return case.objective(np.clip(peer.x, -case.C, case.C))


def brute_objective(case: Case) -> float:
    """Try every face: each weight zero, at a limit, or free with a sign."""
    p = case.K.shape[1]
    best = case.objective(np.zeros(p))
    places = (0, 1, -1, 2, -2) if np.isfinite(case.C) else (0, 1, -1)
    for states in itertools.product(places, repeat=p):
        state = np.array(states)
        alpha = np.where(np.abs(state) == 2, np.sign(state), 0.0)
        alpha[alpha != 0.0] *= case.C
        free = np.flatnonzero(np.abs(state) == 1)
        if len(free):
            part = case.K[:, free]
            linear = part.T @ (case.y - case.K @ alpha) - case.epsilon * state[free]
            alpha[free] = np.linalg.lstsq(part.T @ part, linear, rcond=None)[0]
        if np.all(np.abs(alpha) <= case.C):
            best = min(best, case.objective(alpha))
    return best


def proximal_objective(case: Case, start: np.ndarray, steps: int = 3000) -> float:
    """The least objective that accelerated gradient steps reach, from zero and from `start`."""
    return min(_accelerate(case, np.zeros_like(start), steps), _accelerate(case, start, 300))


def _accelerate(case: Case, start: np.ndarray, steps: int) -> float:
    """FISTA with restarts (O'Donoghue & Candes 2015)."""
    size = float(np.linalg.norm(case.K, 2) ** 2)
    best = case.objective(start)
    if not size:
        return best
    here, ahead, momentum = start, start, 1.0
    for step in range(steps):
        moved = ahead + case.K.T @ (case.y - case.K @ ahead) / size
        shrunk = np.sign(moved) * np.maximum(np.abs(moved) - case.epsilon / size, 0.0)
        after = np.clip(shrunk, -case.C, case.C)
        if (ahead - after) @ (after - here) > 0.0:
            momentum = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        change = after - here
        here, ahead, momentum = after, after + (momentum - 1.0) / faster * change, faster
        if step % 25 == 0 or step == steps - 1:
            best = min(best, case.objective(here))
            if np.abs(change).max() <= 1e-16 * max(1e-300, np.abs(here).max()):
                break
    return best
