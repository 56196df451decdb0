"""NumPy archives: damaged bytes, headers that lie, arrays of other kinds and shapes."""

from __future__ import annotations

import io
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.mutations.archives import members
from fuzzing.mutations.arrays import change_arrays
from fuzzing.mutations.raw import damage
from fuzzing.tables import NAMES, TARGET, check_file, small_table


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"npz {case}")
    path = folder / "table.npz"
    match rng.randrange(5):
        case 0 | 1:
            content = damage(rng, _whole(rng.random() < 0.5))
        case 2 | 3:
            content = change_arrays(rng, dict(members(_whole(False))))
            if rng.random() < 0.3:
                content = damage(rng, content)
        case _:
            content = _save(_odd_arrays(rng), compress=rng.random() < 0.5)
    path.write_bytes(content)
    check_file(path, rng, transpose=rng.random() < 0.2)


@cache
def _whole(compress: bool) -> bytes:
    X, y = small_table()
    return _save({"X": X, TARGET: y, "feature_names": np.array(NAMES)}, compress=compress)


def _save(arrays: dict[str, Any], *, compress: bool) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(stream, **arrays)
    return stream.getvalue()


def _odd_arrays(rng: random.Random) -> dict[str, Any]:
    """Whole archives whose arrays are not what they should be."""
    X, y = small_table()
    arrays: dict[str, Any] = {"X": X, TARGET: y, "feature_names": np.array(NAMES)}
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(arrays))
        arrays[name] = _make_odd(rng, arrays[name])
    if rng.random() < 0.2:
        arrays.pop(rng.choice(list(arrays)))
    if rng.random() < 0.1:
        arrays["gene_id"] = np.arange(len(NAMES))
    return arrays


def _make_odd(rng: random.Random, values: np.ndarray) -> Any:
    if not np.size(values) or not np.ndim(values):
        return np.zeros((2, 2))
    number = values if values.dtype.kind == "f" else np.arange(len(values), dtype=float)
    spoiled = number.astype(float)
    spoiled.flat[rng.randrange(spoiled.size)] = rng.choice(
        (np.nan, np.inf, -np.inf, 1e308, 1.7e308, 5e-324)
    )
    pairs = np.zeros(values.shape, dtype=[("a", "f8"), ("b", "i4")])
    return rng.choice(
        (
            spoiled,
            number.astype(complex),
            number.astype("f2"),
            number.astype(">f8"),
            number.astype("i1"),
            number.astype("u8") * 2**40,
            number.astype("M8[s]"),
            number.astype("m8[ms]"),
            number.astype(np.longdouble),
            number.astype(bool),
            number.astype(str),
            number.astype("S3"),
            np.array([b"\xff\xfe"] * len(values)),
            values.astype(object),
            pairs,
            np.array(3.0),
            np.zeros((0,)),
            np.zeros((0, 4)),
            np.zeros((4, 0)),
            number[:1],
            number[:-1],
            number[..., None],
            np.stack([number, number]),
            np.zeros_like(number),
            np.array([""] * len(values)),
            np.array(["\0a", "a\n"] * (len(values) // 2)),
        )
    )
