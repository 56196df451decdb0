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
