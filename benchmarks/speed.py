"""Speed of `SupportFeatureMachine.fit`, relative to other solvers."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.timing import row, side_by_side
from fewest import SupportFeatureMachine

BRAIN = (88, 50_989)


def noise(n: int, d: int, seed: int = 0) -> tuple[Any, Any]:
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X, np.where(np.arange(n) % 2 == 0, 1, -1)


def full_program(Z: Any, y: Any) -> Any:
    """The first program over all columns, w = w+ - w- (Klement et al. 2013, eq. A.12)."""
    n, d = Z.shape
    difference = Z[y > 0].mean(axis=0) - Z[y < 0].mean(axis=0)
    signed = -y[:, None] * Z
    return linprog(
        np.concatenate([np.ones(2 * d), [0.0]]),
        A_ub=np.hstack([signed, -signed, -y[:, None]]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([difference, -difference, [0.0]])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * (2 * d) + [(None, None)],
        method="highs",
    )


def against_one_product() -> None:
    X, y = noise(*BRAIN)
    v = np.random.default_rng(1).standard_normal(len(y))
    for name, order, limit in (("C", "C", "below 12"), ("Fortran", "F", "at most 15")):
        data = np.asarray(X, order=order)
        taken = side_by_side(
            {
                "product": lambda data=data: data.T @ v,
                "hard": partial(SupportFeatureMachine(C=np.inf).fit, data, y),
                "soft": partial(SupportFeatureMachine(C=1.0).fit, data, y),
            },
            rounds=25,
        )
        unit = taken["product"]
        row(f"hard fit / one X.T @ v, {name} order", f"{taken['hard'] / unit:.1f}", limit)
        row(f"soft fit (C = 1) / one X.T @ v, {name} order", f"{taken['soft'] / unit:.1f}")
    row("  (one hard fit, seconds; the unit of the rows below)", f"{taken['hard']:.4f}")


def against_the_full_program() -> None:
    X, y = noise(*BRAIN)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = SupportFeatureMachine(C=np.inf)
    taken = side_by_side(
        {"fit": partial(machine.fit, X, y), "full": partial(full_program, Z, y)}, rounds=2
    )
    row(
        "full program in linprog (first of our programs only) / hard fit",
        f"{taken['full'] / taken['fit']:.0f}",
        "at least 50",
    )
    ours = machine.result_.steps[0].objective
    theirs = full_program(Z, y).fun
    row("  relative difference of the two objectives", f"{abs(ours / theirs - 1):.1e}")


def against_l1_svm() -> None:
    X, y = noise(*BRAIN)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = SupportFeatureMachine(C=np.inf)
    peer = LinearSVC(penalty="l1", dual=False)
    with warnings.catch_warnings():
        # It stops at its own limit of 1,000 iterations, which only shortens its time.
        warnings.simplefilter("ignore", ConvergenceWarning)
        taken = side_by_side({"fit": partial(machine.fit, X, y), "l1": partial(peer.fit, Z, y)}, 5)
    row(
        'LinearSVC(penalty="l1", dual=False) / hard fit',
        f"{taken['l1'] / taken['fit']:.0f}",
        "above 1",
    )
    row(
        "  features selected by LinearSVC L1 and by us",
        f"{np.count_nonzero(peer.coef_)} and {machine.support_.sum()}",
    )


def growth_with_features() -> None:
    small, large = noise(88, 50_000), noise(88, 400_000)
    machine = SupportFeatureMachine(C=np.inf)
    taken = side_by_side(
        {"small": partial(machine.fit, *small), "large": partial(machine.fit, *large)}, rounds=9
    )
    row(
        "hard fit at d = 400,000 / at d = 50,000",
        f"{taken['large'] / taken['small']:.1f}",
        "at most 9",
    )


def main() -> None:
    print(f"Speed at {BRAIN[0]} x {BRAIN[1]} float64 noise, from the call of fit to its return")
    against_one_product()
    against_the_full_program()
    against_l1_svm()
    growth_with_features()


if __name__ == "__main__":
    main()
