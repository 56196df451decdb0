"""How much memory a piece of work takes at its peak."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from scipy import sparse


@dataclass
class Memory:
    """`peak` is the largest number of bytes in use at a time, known afterwards."""

    peak: int = 0


@contextmanager
def traced_memory() -> Iterator[Memory]:
    """Measure what is allocated within it."""
    memory = Memory()
    tracemalloc.start()
    try:
        yield memory
        memory.peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def size_of(X) -> int:
    """Bytes of a dense or sparse matrix; those of its values and their places in float64."""
    return 12 * X.nnz if sparse.issparse(X) else X.nbytes
