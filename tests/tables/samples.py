"""Small data sets and files for the tests of the reader and the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = [f"gene_{number}" for number in range(30)]


def two_classes(seed: int = 0, shift: float = 3.0) -> tuple[NDArray[Any], NDArray[Any]]:
    """40 samples, 30 features; 4 and 17 carry the class."""
    rng = np.random.default_rng(seed)
    y = np.array(["healthy", "ill"])[np.arange(40) % 2]
    X = rng.standard_normal((40, len(NAMES)))
    X[:, [4, 17]] += shift * (y == "ill")[:, None]
    return X, y


def three_classes() -> tuple[NDArray[Any], NDArray[Any]]:
    """45 samples, 30 features, labels 1, 2, 3."""
    rng = np.random.default_rng(3)
    y = np.arange(45) % 3 + 1
    X = rng.standard_normal((45, len(NAMES)))
    X[:, 5] += 4.0 * (y == 2)
    X[:, 6] += 4.0 * (y == 3)
    return X, y


def write_csv(
    path: Path,
    X: NDArray[Any],
    y: NDArray[Any],
    names: list[str] | None = None,
    *,
    delimiter: str = ",",
) -> Path:
    """Features first, the class in the last column `group`; numbers with all their digits."""
    rows = [[*(names or NAMES), "group"]]
    rows += [[*map(repr, x), str(label)] for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n", encoding="utf-8")
    return path
