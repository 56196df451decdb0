"""Minima that may leave errors, and fronts of features and errors, against all hyperplanes."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np

from fewest import error_front, minimum_features
from fuzzing.data import stretch_values
from fuzzing.oracles.errors import fewest_errors, random_labelled
from fuzzing.outcome import require


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng(case)
    X, y = random_labelled(case)
    X = stretch_values(case, X[:, :4])
    d = X.shape[1]
    errors = {
        columns: fewest_errors(X[:, list(columns)], y)
        for size in range(d + 1)
        for columns in combinations(range(d), size)
    }
    _check_minimum(X, y, errors, int(rng.integers(1, 4)))
    _check_front(X, y, errors, int(rng.integers(1, d + 1)))


def _check_minimum(
    X: np.ndarray, y: np.ndarray, errors: dict[tuple[int, ...], int], most: int
) -> None:
    enough = [columns for columns, count in errors.items() if count <= most]
    size = min(map(len, enough), default=None)
    wanted = sorted(columns for columns in enough if len(columns) == size)
    found = minimum_features(X, y, max_errors=most, n_solutions=None)
    said = f"with {most} errors"
    require(found.certified, f"{said}: not certified")
    require(found.size == size, f"{said}: size {found.size}, by brute force {size}")
    listed = sorted(tuple(subset.tolist()) for subset in found.subsets)
    require(listed == wanted, f"{said}: sets {listed}, by brute force {wanted}")
    require(found.n_found == len(wanted), f"{said}: n_found {found.n_found}")
    require(found.verify(X, y, search=True), f"{said}: its own proof does not hold")


def _check_front(
    X: np.ndarray, y: np.ndarray, errors: dict[tuple[int, ...], int], most: int
) -> None:
    front = error_front(X, y, max_features=most, n_solutions=None)
    # A set of fewer features leaves no fewer errors than the same with more.
    wanted = [
        min(count for columns, count in errors.items() if len(columns) <= k)
        for k in range(most + 1)
    ]
    require(front.proven, "the front is not proven")
    require(front.errors.tolist() == wanted, f"front {front.errors}, by brute force {wanted}")
    require(front.verify(X, y, search=True), "the proof of the front does not hold")
    for k, point in enumerate(front.points):
        if k and wanted[k] == wanted[k - 1]:
            continue
        sets = sorted(c for c, count in errors.items() if len(c) == k and count == wanted[k])
        listed = sorted(tuple(subset.tolist()) for subset in point.subsets)
        require(listed == sets, f"{k} features: sets {listed}, by brute force {sets}")
