"""Speed of the permutation test and of Relief, relative to straightforward implementations."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.timing import row, side_by_side
from fewest import SupportFeatureMachine
from fewest.filters import relief
from fewest.significance import permutation_test


def permutations_against_fits() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 20_000)), np.arange(40) % 2
    labellings = [y] + [rng.permutation(y) for _ in range(19)]
    machine = SupportFeatureMachine(C=np.inf)
    taken = side_by_side(
        {
            "test": partial(
                permutation_test, machine, X, y, statistics="features", n_permutations=19
            ),
            "fits": lambda: [machine.fit(X, labels) for labels in labellings],
        },
        rounds=5,
    )
    row(
        "20 plain fits / permutation test with 19 permutations, 40 x 20,000",
        f"{taken['fits'] / taken['test']:.2f}",
        "above 1",
    )


def relief_against_numpy() -> None:
    X = np.random.default_rng(0).standard_normal((100, 10_000))
    y = np.arange(100) % 2
    taken = side_by_side(
        {"relief": partial(relief, X, y), "numpy": partial(_relief_in_numpy, X, y)}, rounds=5
    )
    row(
        "Relief with cdist and numpy / relief, 100 x 10,000",
        f"{taken['numpy'] / taken['relief']:.2f}",
        "above 1",
    )


def _relief_in_numpy(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    distances = cdist(Z, Z, "cityblock")
    np.fill_diagonal(distances, np.inf)
    same = y[:, None] == y
    hits = np.where(same, distances, np.inf).argmin(axis=1)
    misses = np.where(same, np.inf, distances).argmin(axis=1)
    return (np.abs(Z - Z[misses]) - np.abs(Z - Z[hits])).mean(axis=0)


def main() -> None:
    print("Permutation test and Relief")
    permutations_against_fits()
    relief_against_numpy()


if __name__ == "__main__":
    main()
