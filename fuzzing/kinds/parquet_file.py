"""Parquet files: damaged bytes, and columns of every type that the format knows."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet

from fuzzing.mutations.raw import damage
from fuzzing.tables import NAMES, TARGET, check_file, small_table


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"parquet {case}")
    path = folder / "table.parquet"
    content = _write(rng, _odd_table(rng)) if rng.random() < 0.4 else _whole(rng.randrange(3))
    if content == _whole(0) or rng.random() < 0.5:
        content = damage(rng, content)
    path.write_bytes(content)
    check_file(path, rng, transpose=rng.random() < 0.1)


def _columns() -> dict[str, Any]:
    X, y = small_table()
    return {**dict(zip(NAMES, X.T, strict=True)), TARGET: pyarrow.array(y.tolist())}


@cache
def _whole(number: int) -> bytes:
    compression = ("none", "snappy", "zstd")[number]
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(_columns()), stream, compression=compression)
    return stream.getvalue()


def _write(rng: random.Random, table: pyarrow.Table) -> bytes:
    stream = io.BytesIO()
    if rng.random() < 0.2:
        metadata = rng.choice((b"{", b"[]", b"null", b'{"index_columns": ["gone"], "columns": []}'))
        table = table.replace_schema_metadata({b"pandas": metadata})
    if rng.random() < 0.2:
        index = rng.choice((np.arange(len(table)), [f"P{i}" for i in range(len(table))]))
        try:
            table.to_pandas(ignore_metadata=True).set_axis(index).to_parquet(stream)
            return stream.getvalue()
        except (ValueError, TypeError, pyarrow.ArrowException):
            return _whole(0)
    try:
        parquet.write_table(table, stream, compression=rng.choice(("none", "gzip", "zstd")))
    except (ValueError, TypeError, NotImplementedError, pyarrow.ArrowException):
        return _whole(0)
    return stream.getvalue()


def _odd_table(rng: random.Random) -> pyarrow.Table:
    columns = _columns()
    for _ in range(rng.choice((1, 1, 2, 4))):
        columns[rng.choice(list(columns))] = rng.choice(_KINDS)(len(columns[NAMES[0]]))
    names = list(columns)
    if rng.random() < 0.2:
        names[rng.randrange(len(names))] = rng.choice((names[0], "", "a\0b", "x" * 5000, TARGET))
    arrays = [pyarrow.array(column) for column in columns.values()]
    table = pyarrow.Table.from_arrays(arrays, names=names)
    if rng.random() < 0.1:
        table = table.slice(0, rng.choice((0, 1, 2)))
    return table


_KINDS: tuple[Callable[[int], Any], ...] = (
    lambda n: pyarrow.array([None] * n),
    lambda n: pyarrow.array([None] * n, pyarrow.float64()),
    lambda n: pyarrow.array([[1.0, 2.0]] * n),
    lambda n: pyarrow.array([{"a": 1}] * n),
    lambda n: pyarrow.array([[("k", 1)]] * n, pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    lambda n: pyarrow.array([b"\xff\x00"] * n),
    lambda n: pyarrow.array(range(n), pyarrow.decimal128(38, 10)),
    lambda n: pyarrow.array(range(n), pyarrow.timestamp("us", tz="UTC")),
    lambda n: pyarrow.array([2**62] * n, pyarrow.timestamp("s")),
    lambda n: pyarrow.array(range(n), pyarrow.date32()),
    lambda n: pyarrow.array(range(n), pyarrow.time64("ns")),
    lambda n: pyarrow.array(range(n), pyarrow.duration("ms")),
    lambda n: pyarrow.array([str(i % 2) for i in range(n)]).dictionary_encode(),
    lambda n: pyarrow.array([i % 3 for i in range(n)]).dictionary_encode(),
    lambda n: pyarrow.array([i % 2 == 0 for i in range(n)]),
    lambda n: pyarrow.array([True, None] * (n // 2)),
    lambda n: pyarrow.array([2**63 + i for i in range(n)], pyarrow.uint64()),
    lambda n: pyarrow.array([1, None] * (n // 2)),
    lambda n: pyarrow.array(np.arange(n, dtype=np.float16)),
    lambda n: pyarrow.array([np.nan, np.inf] * (n // 2)),
    lambda n: pyarrow.array([1.7e308, -1.7e308] * (n // 2)),
    lambda n: pyarrow.array(["1.5", "x"] * (n // 2)),
    lambda n: pyarrow.array(["1.5", "2"] * (n // 2)),
    lambda n: pyarrow.array(["a", None] * (n // 2)),
    lambda n: pyarrow.array(["a", ""] * (n // 2)),
    lambda n: pyarrow.array(["x" * 100_000, "y"] * (n // 2)),
)
