"""Timing side by side: contestants take turns, so a busy computer is busy for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any

# What this run has printed, for `benchmarks.record`.
rows: list[dict[str, str]] = []


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
    """Print one line of the benchmarks' table, and keep it in `rows`."""
    print(f"  {what:<66}{measured:>16}   {asked}", flush=True)
    rows.append({"name": what.strip(), "measured": measured, "asked": asked})
