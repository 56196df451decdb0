"""The certified minimum of two and of many classes against all subsets, in whole numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fewest import minimum_features
from fuzzing.data import stretch_values
from fuzzing.oracles.fractions import list_inseparable, separates_all
from fuzzing.oracles.subsets import brute_force, random_classes, random_problem
from fuzzing.outcome import require


def check(case: int, folder: Path) -> None:
    X, y = draw(case)
    size, subsets = brute_force(X, y, separates_all)
    found = minimum_features(X, y, n_solutions=None)
    require(found.certified, "not certified")
    require(found.size == size, f"size {found.size}, by brute force {size}")
    bound = X.shape[1] + 1 if size is None else size
    require(found.lower_bound == bound, f"lower bound {found.lower_bound}, wanted {bound}")
    listed = [tuple(subset.tolist()) for subset in found.subsets]
    require(len(listed) == len(set(listed)), f"a set is listed twice: {listed}")
    require(sorted(listed) == subsets, f"sets {sorted(listed)}, by brute force {subsets}")
    require(found.n_found == len(subsets), f"n_found {found.n_found}, there are {len(subsets)}")
    pairs = [tuple(pair) for pair in found.inseparable.tolist()]
    wanted = list(list_inseparable(X, y))
    require(pairs == wanted, f"inseparable {pairs}, by brute force {wanted}")
    require(found.verify(X, y, search=True), "its own proof does not hold")
    one = minimum_features(X, y)
    require((one.size, one.certified) == (size, True), f"alone: size {one.size}")
    require({tuple(s.tolist()) for s in one.subsets} <= set(subsets), "alone: another set")


def draw(case: int) -> tuple[np.ndarray, np.ndarray]:
    """Few columns; half of the data sets have many classes, some near-copies, extreme values."""
    rng = np.random.default_rng([4, case])
    X, y = random_problem(case) if rng.random() < 0.5 else random_classes(case)
    X = X[:, :8]
    if rng.random() < 0.3:
        X = np.round(X * 4) / rng.choice([1.0, 10.0, 3.0])
    if X.shape[1] > 2 and rng.random() < 0.2:
        X[:, 2] = X[:, 0] * (1.0 + rng.choice([1e-15, 1e-9]) * rng.standard_normal(len(X)))
    if rng.random() < 0.3:
        X = X * 2.0 ** rng.integers(-26, 27, X.shape[1])
    return stretch_values(case, X), y
