"""Warnings of the libraries as notes in the report, instead of lines between the output."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """A list that holds, after the block, every different warning raised in it."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(f"Warning: {warning.message}." for warning in caught)
