"""What slow methods chose, kept between runs: by data, numbers of features and code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.many_classes_data import Fold

FOLDER = Path(__file__).resolve().parent / ".cache"
# Their versions decide what is chosen; those that are missing do not count.
_PACKAGES = ("fastcan", "scanpy", "abess", "mrmr_selection", "scikit-learn")


def keep(
    name: str, choose: Callable[..., Any], fold: Fold, sizes: tuple[int, ...]
) -> tuple[dict[int, np.ndarray], float]:
    """The features that a method chooses for each size, and its seconds when it did."""
    path = FOLDER / f"{_key(name, choose, fold, sizes)}.json"
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {int(k): np.array(v) for k, v in kept["chosen"].items()}, kept["seconds"]
    chosen, seconds = time_choice(choose, fold, sizes)
    FOLDER.mkdir(exist_ok=True)
    plain = {str(k): [int(j) for j in v] for k, v in chosen.items()}
    path.write_text(json.dumps({"chosen": plain, "seconds": seconds}), encoding="utf-8")
    return chosen, seconds


def time_choice(
    choose: Callable[..., Any], fold: Fold, sizes: tuple[int, ...]
) -> tuple[dict[int, np.ndarray], float]:
    """The same, computed now."""
    started = perf_counter()
    chosen = choose(fold.X, fold.y, sizes)
    return chosen, perf_counter() - started


def _key(name: str, choose: Callable[..., Any], fold: Fold, sizes: tuple[int, ...]) -> str:
    hashed = hashlib.sha256()
    hashed.update(Path(choose.__code__.co_filename).read_bytes())
    hashed.update(repr((name, sizes, [_version(package) for package in _PACKAGES])).encode())
    hashed.update(np.ascontiguousarray(fold.X).tobytes())
    hashed.update(np.ascontiguousarray(fold.y).tobytes())
    return hashed.hexdigest()[:24]


def _version(package: str) -> str:
    try:
        return version(package)
    except ImportError:
        return ""
