"""Timing side by side: contestants take turns, so noise on the computer affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any


def side_by_side(contestants: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each contestant over `rounds` turns, after one turn to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, run in contestants.items():
            started = perf_counter()
            run()
            if turn:
                seconds[name].append(perf_counter() - started)
    return {name: median(values) for name, values in seconds.items()}


def row(what: str, measured: str, asked: str = "") -> None:
    """One line of the table that the benchmarks print."""
    print(f"  {what:<66}{measured:>16}   {asked}", flush=True)
