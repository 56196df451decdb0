"""Speed of the Potential SVM's solver, the box lasso, relative to other solvers.

Every gap printed here is recomputed from the data by `certify_weights`, for all solvers.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Lasso
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import NuSVC

from benchmarks.certificates import certify_weights
from benchmarks.smo import smo
from benchmarks.timing import row, side_by_side
from fewest._solvers.box_lasso.solve import box_lasso
from fewest.psvm._relations import scale_to_unit_length

WIDE = (100, 20_000)
PAIRWISE = 2_000


def wide(n: int, d: int, seed: int = 0) -> tuple[Any, Any]:
    """Noise with five informative columns, and centred labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, :5].sum(axis=1) + rng.standard_normal(n) > 0.0, 1.0, -1.0)
    return X, y - y.mean()


def pairwise(n: int, gamma: float, seed: int = 0) -> tuple[Any, Any]:
    """RBF kernel matrix of points in ten dimensions, and noisy labels with a curved border."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 10))
    y = np.sin(2 * Z[:, 0]) + Z[:, 1] ** 2 - 1.0 + 0.3 * rng.standard_normal(n)
    return rbf_kernel(Z, gamma=gamma), np.where(y > 0.0, 1.0, -1.0)


def solve(K: Any, y: Any, epsilon: float, C: float = np.inf, tol: float = 1e-8) -> Any:
    """From the raw matrix to the certified solution: means, lengths and all passes included."""
    return box_lasso(scale_to_unit_length(K), y, epsilon, C, tol=tol)


def gap_of(K: Any, y: Any, alpha: Any, epsilon: float, C: float = np.inf) -> float:
    objective, bound = certify_weights(scale_to_unit_length(K), y, alpha, epsilon, C)
    return (objective - bound) / objective


def against_lasso() -> None:
    n, d = WIDE
    X, y = wide(n, d)
    columns = scale_to_unit_length(X)
    standardised = columns.take(np.arange(d))
    largest = np.abs(columns.price(y)).max()
    for part in (0.5, 0.2, 0.05):
        epsilon = part * largest
        ours = solve(X, y, epsilon)
        # Lasso stops at a gap of tol |y|^2; this makes it the same number as ours.
        same_gap = 1e-8 * ours.objective / (y @ y)
        peer = Lasso(
            alpha=epsilon / n, fit_intercept=False, copy_X=False, tol=same_gap, max_iter=10**6
        )
        taken = side_by_side(
            {
                "lasso": partial(peer.fit, standardised, y),
                "ours": partial(solve, X, y, epsilon),
            },
            rounds=5,
        )
        ratio = taken["lasso"] / taken["ours"]
        row(f"Lasso / box lasso, epsilon = {part} of the largest", f"{ratio:.1f}", "at least 1")
        theirs = gap_of(X, y, peer.coef_, epsilon)
        row("  seconds, ours", f"{taken['ours']:.4f}")
        row("  gap reached, Lasso and ours", f"{theirs:.0e} and {ours.gap:.0e}")
        row(
            "  features, Lasso and ours", f"{np.sum(peer.coef_ != 0)} and {np.sum(ours.alpha != 0)}"
        )


def against_nu_svc() -> None:
    for gamma in (0.1, 0.01):
        K, y = pairwise(PAIRWISE, gamma)
        centred = y - y.mean()
        epsilon = 1e-3 * np.abs(scale_to_unit_length(K).price(centred)).max()
        contestants: dict[str, Any] = {
            "nu": partial(NuSVC(nu=0.4, kernel="precomputed").fit, K, y),
            "gram": lambda K=K: K.T @ K,
        }
        settings = [(C, tol) for C in (1.0, 10.0, np.inf) for tol in (1e-3, 1e-8)]
        for C, tol in settings:
            contestants[f"{C:g} {tol:g}"] = partial(solve, K, centred, epsilon, C, tol)
        taken = side_by_side(contestants, rounds=3)
        row(f"  (NuSVC, nu = 0.4, gamma = {gamma}: seconds)", f"{taken['nu']:.4f}")
        row(f"one product K.T @ K / NuSVC, gamma = {gamma}", f"{taken['gram'] / taken['nu']:.1f}")
        for C, tol in settings:
            result = solve(K, centred, epsilon, C, tol)
            size = np.abs(result.alpha)
            ratio = taken[f"{C:g} {tol:g}"] / taken["nu"]
            what = f"box lasso, C = {C:g}, tol = {tol:g} / NuSVC, gamma = {gamma}"
            row(what, f"{ratio:.1f}", "aim: at most 3")
            free, limit = np.sum((size > 0) & (size < C)), np.sum(size >= C)
            row("  gap; weights in between, at the limit", f"{result.gap:.0e}; {free}, {limit}")


def growth_with_features() -> None:
    small, large = wide(100, 50_000), wide(100, 400_000)
    part = 0.5
    epsilons = [part * np.abs(scale_to_unit_length(X).price(y)).max() for X, y in (small, large)]
    taken = side_by_side(
        {
            "small": partial(solve, *small, epsilons[0]),
            "large": partial(solve, *large, epsilons[1]),
        },
        rounds=7,
    )
    ratio = taken["large"] / taken["small"]
    row("100 x 400,000 / 100 x 50,000, epsilon half the largest", f"{ratio:.1f}", "at most 9")


def against_smo() -> None:
    X, y = wide(100, 500)
    K, labels = pairwise(300, 0.1)
    for name, data, target, C in (
        ("100 x 500", X, y, np.inf),
        ("RBF 300 x 300", K, labels - labels.mean(), 1.0),
    ):
        columns = scale_to_unit_length(data)
        block = columns.take(np.arange(columns.n_features))
        correlation = target @ block
        epsilon = 0.05 * np.abs(correlation).max()
        tolerance = 1e-7 * np.abs(correlation).max()
        reference = partial(smo, block.T @ block, correlation, epsilon, C, tolerance, 10**6)
        taken = side_by_side(
            {"smo": reference, "ours": partial(solve, data, target, epsilon, C)}, rounds=3
        )
        ours = solve(data, target, epsilon, C).objective
        theirs, _ = certify_weights(columns, target, reference()[0], epsilon, C)
        row(f"SMO of benchmarks.smo / box lasso, {name}", f"{taken['smo'] / taken['ours']:.1f}")
        row("  relative difference of the two objectives", f"{abs(theirs / ours - 1):.0e}")


def main() -> None:
    print(
        f"Box lasso (Potential SVM): Lasso at {WIDE[0]} x {WIDE[1]} gets columns that are "
        "centred and scaled already,\nours does that itself; NuSVC at its default tolerance, "
        f"RBF matrix of {PAIRWISE} points"
    )
    against_lasso()
    against_nu_svc()
    growth_with_features()
    against_smo()


if __name__ == "__main__":
    main()
