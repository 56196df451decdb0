"""What several reproductions share."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.real_files import find
from reproductions.study import Measured


def seed_run(*numbers: int) -> np.random.Generator:
    """The source of randomness of one run of one cell."""
    return np.random.default_rng(np.random.SeedSequence(numbers))


def average(rows: list[dict[str, float]]) -> dict[str, Measured]:
    """Means over runs, label by label."""
    return {label: Measured.from_runs([row[label] for row in rows]) for label in rows[0]}


def load_data(name: str) -> Any:
    """The arrays of a real data set; the runner has made sure that it is there."""
    path = find(name)
    assert path is not None
    return np.load(path, allow_pickle=False)
