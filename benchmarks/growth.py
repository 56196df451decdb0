"""How the time of a fit grows: exponents in samples, features and selected features, measured.

Time is modelled as a power of one size while the others stay; the exponent is the slope of a line
through the logarithms. `--quick` takes small data.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np

from benchmarks.timing import row
from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.stores import open_store

_TURNS = 3


def time_fit(n: int, d: int, mu: float, C: float) -> tuple[float, int]:
    """Median seconds of a fit, and how many features it selects."""
    X, y = make_gaussian(n=n, d=d, k=5, mu=mu, random_state=0)
    seconds = []
    for _ in range(_TURNS):
        started = perf_counter()
        machine = SupportFeatureMachine(C=C).fit(X, y)
        seconds.append(perf_counter() - started)
    return float(np.median(seconds)), int(machine.support_.sum())


def find_slope(sizes: list[float], seconds: list[float]) -> float:
    """The exponent of a power law."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def follow(name: str, sizes: list[int], fit: Callable[[int], tuple[float, int]]) -> None:
    """One size grows, and all fits are shown."""
    found = [fit(size) for size in sizes]
    for size, (seconds, count) in zip(sizes, found, strict=True):
        row(f"  {name} = {size:,}: seconds, features", f"{seconds:.3f}, {count}")
    slope = find_slope([float(size) for size in sizes], [seconds for seconds, _ in found])
    row(f"exponent of the time in {name}", f"{slope:.2f}")


def follow_selected(n: int, d: int, shifts: list[float]) -> None:
    """The weaker the features, the more are selected."""
    found = [time_fit(n, d, mu, np.inf) for mu in shifts]
    for mu, (seconds, count) in zip(shifts, found, strict=True):
        row(f"  distance of the means {mu:.1f}: seconds, features", f"{seconds:.3f}, {count}")
    counts = [float(count) for _, count in found]
    row(
        "exponent of the time in the selected features",
        f"{find_slope(counts, [seconds for seconds, _ in found]):.2f}",
    )


def count_passes(n: int, sizes: list[int], folder: str) -> None:
    """How often a file is read, by its number of features."""
    for d in sizes:
        X, y = make_gaussian(n=n, d=d, k=5, mu=1.0, random_state=0)
        path = f"{folder}/X.npy"
        np.save(path, X.astype(np.float32))
        for name, C in (("hard", np.inf), ("soft", 1.0)):
            store = open_store(path)
            SupportFeatureMachine(C=C).fit(store, y)
            row(f"  {n:,} x {d:,} in a file, {name}: passes", f"{store.n_passes:.1f}")


def main() -> None:
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    part = 10 if parser.parse_args().quick else 1
    widths = [size // part for size in (25_000, 50_000, 100_000, 200_000, 400_000)]
    follow("the features (100 samples, hard)", widths, lambda d: time_fit(100, d, 1.0, np.inf))
    heights = [size // (2 if part > 1 else 1) for size in (50, 100, 200, 400)]
    d = 50_000 // part
    follow("the samples (hard)", heights, lambda n: time_fit(n, d, 1.0, np.inf))
    follow("the samples (soft, C = 1)", heights, lambda n: time_fit(n, d, 1.0, 1.0))
    follow_selected(200 // (2 if part > 1 else 1), 20_000 // part, [3.0, 2.0, 1.5, 1.0, 0.7])
    with tempfile.TemporaryDirectory() as folder:
        count_passes(100, widths[:3], folder)


if __name__ == "__main__":
    main()
