"""How many bytes a Dask cluster moves: between client, scheduler and workers, all connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_COUNT = "_fewest_bytes_written"


@dataclass
class Traffic:
    """`n_bytes` is what was written to all connections, known afterwards."""

    n_bytes: int = 0


@contextmanager
def count_traffic(client: Any) -> Iterator[Traffic]:
    """Count what the client, its local scheduler and all workers send within it.

    Workers that are started or lost in the meantime are not counted.
    """
    traffic = Traffic()
    before = _read_all(client)
    yield traffic
    after = _read_all(client)
    traffic.n_bytes = sum(after[one] - before[one] for one in before.keys() & after.keys())


def _read_all(client: Any) -> dict[str, int]:
    return {"here": _read_counter(), **client.run(_read_counter)}


def _read_counter() -> int:
    """Bytes that this process has written to connections since this was first asked."""
    from distributed.comm.tcp import TCP

    if not hasattr(TCP, _COUNT):
        setattr(TCP, _COUNT, 0)
        write = TCP.write

        async def write_counted(self: Any, *args: Any, **kwargs: Any) -> int:
            n_bytes: int = await write(self, *args, **kwargs)
            setattr(TCP, _COUNT, getattr(TCP, _COUNT) + n_bytes)
            return n_bytes

        TCP.write = write_counted
    return int(getattr(TCP, _COUNT))
