"""Speed of Liknon, its path and the choice of C, relative to other solvers."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.timing import row, side_by_side
from fewest import Liknon, SupportFeatureMachine, SupportFeatureMachineCV
from fewest.datasets import make_gaussian
from fewest.machines.liknon_path import liknon_path
from fewest.machines.transvariation import transvariation_C


def path_against_one_solve() -> None:
    X, y = make_gaussian(n=300, d=20_000, k=10, mu=0.3, random_state=0)
    Cs = transvariation_C(X, y, 50)
    taken = side_by_side(
        {
            "path": partial(liknon_path, X, y, Cs),
            "one": partial(Liknon(C=float(Cs[-1])).fit, X, y),
        },
        rounds=5,
    )
    row(
        "path of 50 values at 300 x 20,000 / one solve at the largest C",
        f"{taken['path'] / taken['one']:.1f}",
        "at most 6",
    )


def against_l1_svm(n: int, d: int, C: float) -> None:
    """Compare with LinearSVC at the C at which it selects about as many features."""
    X, y = make_gaussian(n=n, d=d, k=10, mu=0.3, random_state=0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = Liknon(C=C).fit(X, y)
    wanted = int(machine.support_.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = _with_features(Z, y, wanted)
        taken = side_by_side(
            {"fit": partial(machine.fit, X, y), "l1": partial(peer.fit, Z, y)}, rounds=5
        )
    row(
        f"LinearSVC L1 ({np.count_nonzero(peer.coef_)} features) / Liknon ({wanted}), {n} x {d}",
        f"{taken['l1'] / taken['fit']:.1f}",
        "above 1",
    )


def _with_features(Z: Any, y: Any, wanted: int) -> LinearSVC:
    low, high = 1e-5, 10.0
    best = None
    for _ in range(12):
        C = float(np.sqrt(low * high))
        peer = LinearSVC(penalty="l1", dual=False, C=C).fit(Z, y)
        count = np.count_nonzero(peer.coef_)
        if best is None or abs(count - wanted) < abs(np.count_nonzero(best.coef_) - wanted):
            best = peer
        if count < wanted:
            low = C
        else:
            high = C
    return best


def against_the_full_program() -> None:
    X, y = make_gaussian(n=2000, d=5000, k=10, mu=0.3, random_state=0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = Liknon(C=0.003)
    theirs = []
    taken = side_by_side(
        {
            "fit": partial(machine.fit, X, y),
            "full": lambda: theirs.append(_full_objective(Z, y, 0.003)),
        },
        rounds=1,
    )
    row(
        "full program in linprog / Liknon, 2,000 x 5,000 (samples generated)",
        f"{taken['full'] / taken['fit']:.0f}",
        "at least 10",
    )
    ours = machine.result_.steps[0].objective
    row("  relative difference of the objectives", f"{abs(ours / theirs[0] - 1):.1e}")


def _full_objective(Z: Any, y: Any, C: float) -> float:
    n, d = Z.shape
    signed = -y[:, None] * Z
    return linprog(
        np.concatenate([np.ones(2 * d), [0.0], np.full(n, C)]),
        A_ub=np.hstack([signed, -signed, -y[:, None], -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
        method="highs",
    ).fun


def search_against_one_fit() -> None:
    """Time of choosing C, 5 folds x 10 candidates, relative to one fit with a given C."""
    X, y = make_gaussian(n=88, d=50_989, k=5, mu=0.7, random_state=0)
    taken = side_by_side(
        {
            "one": partial(SupportFeatureMachine(C=1.0).fit, X, y),
            "all": partial(SupportFeatureMachineCV().fit, X, y),
            "single": partial(SupportFeatureMachineCV(n_subsets=1).fit, X, y),
        },
        rounds=3,
    )
    name = "SupportFeatureMachineCV"
    row(f"{name}, one subset (5 x 5 fits) / one fit", f"{taken['single'] / taken['one']:.1f}")
    row(f"{name}, two subsets (5 x 10 fits) / one fit", f"{taken['all'] / taken['one']:.1f}")


def main() -> None:
    print("Speed of Liknon, and of choosing C")
    search_against_one_fit()
    path_against_one_solve()
    against_l1_svm(88, 50_989, C=0.05)
    against_l1_svm(400, 20_000, C=0.02)
    against_l1_svm(400, 20_000, C=0.05)  # nearly as many features as samples: no sparse answer
    against_the_full_program()


if __name__ == "__main__":
    main()
