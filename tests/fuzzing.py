"""How many random cases a test draws: the same few, or many new ones in `make fuzz-tests`."""

from __future__ import annotations

import os

from hypothesis import settings

_FACTOR = int(os.environ.get("FEWEST_FUZZ", "1"))


def many(count: int) -> int:
    """The number of cases, times what `make fuzz-tests` asks for."""
    return count * _FACTOR


def examples(count: int) -> settings:
    """Settings of a hypothesis test; only `make fuzz-tests` draws other cases each time."""
    return settings(max_examples=many(count), deadline=None, derandomize=_FACTOR == 1)
