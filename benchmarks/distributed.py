"""A Dask cluster on this computer: what a second worker gains, a lost one costs, and what travels.

`python -m benchmarks.distributed` fits 200 samples of 2,000,000 features, in chunks on disk
(1.6 GB), by one worker process, by two, and by two of which one is killed; then it counts the bytes
that 19 permutations of 9.6 MB move between two workers. `--quick` is the same, much smaller.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from joblib import Parallel, delayed

from benchmarks.timing import row
from benchmarks.traffic import count_traffic
from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.significance import permutation_test
from fewest.significance._permutation import make_measure
from fewest.stores._dask import DaskMatrix

N_SAMPLES, N_INFORMATIVE, SHIFT = 200, 12, 0.7


@dataclass(frozen=True)
class Size:
    """Chunks on disk, their width, and the data of the permutations."""

    n_chunks: int = 100
    width: int = 20_000
    n_permutations: int = 19
    permuted: tuple[int, int] = (60, 20_000)


QUICK = Size(n_chunks=8, width=2_000, n_permutations=5, permuted=(40, 3_000))


@dataclass(frozen=True)
class Fitted:
    """One fit: how long it took, what it found, and the bytes moved where they were counted."""

    seconds: float
    features: list[int]
    objective: float
    n_bytes: int


@contextmanager
def start(n_workers: int) -> Iterator[Any]:
    """A client of so many worker processes with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(n_workers)
        yield client


def write_chunk(folder: Path, number: int, width: int, y: Any) -> None:
    """One chunk of noise; the first chunk begins with the informative features."""
    rng = np.random.default_rng(number)
    values = rng.standard_normal((len(y), width), dtype=np.float32)
    if number == 0:
        values[:, :N_INFORMATIVE] += SHIFT * np.where(y > 0, 1.0, -1.0)[:, None]
    np.save(folder / f"{number}.npy", values)


def open_chunks(folder: Path, size: Size) -> Any:
    """The chunks as a Dask array; workers read them."""
    import dask
    import dask.array as da

    shape = (N_SAMPLES, size.width)
    read = dask.delayed(np.load, pure=True)
    parts = [
        da.from_delayed(read(folder / f"{number}.npy"), shape, dtype=np.float32)
        for number in range(size.n_chunks)
    ]
    return da.concatenate(parts, axis=1)


def fit(client: Any, X: Any, y: Any) -> Fitted:
    """Fit, after every worker has imported what it needs."""
    client.run(_import_all)
    with count_traffic(client) as traffic:
        started = perf_counter()
        machine = SupportFeatureMachine(C=1.0).fit(X, y)
        seconds = perf_counter() - started
    features = np.flatnonzero(machine.support_).tolist()
    return Fitted(seconds, features, float(machine.result_.steps[0].objective), traffic.n_bytes)


def _import_all() -> None:
    import fewest.stores._chunks  # noqa: F401


@contextmanager
def losing_a_worker(client: Any) -> Iterator[None]:
    """One worker process is killed when the first prices are asked for."""
    products, killed = DaskMatrix.products, []

    def kill_first(self: DaskMatrix, V: Any) -> Any:
        if not killed:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)
        return products(self, V)

    DaskMatrix.products = kill_first  # type: ignore[method-assign]
    try:
        yield
    finally:
        DaskMatrix.products = products  # type: ignore[method-assign]
    if not killed:
        raise RuntimeError("no worker was killed: the fit asked for no prices")


def compare_workers(size: Size, folder: Path) -> None:
    """One worker, two, and two of which one is lost."""
    y = np.arange(N_SAMPLES) % 2
    for number in range(size.n_chunks):
        write_chunk(folder, number, size.width, y)
    X = open_chunks(folder, size)
    print(f"\n{N_SAMPLES} x {X.shape[1]:,} float32, {size.n_chunks} chunks on disk", flush=True)
    with start(1) as client:
        one = fit(client, X, y)
    with start(2) as client:
        two = fit(client, X, y)
    with start(2) as client, losing_a_worker(client):
        lost = fit(client, X, y)
    row("one worker: seconds", f"{one.seconds:.1f}")
    row("two workers: seconds", f"{two.seconds:.1f}")
    row("two workers: times faster", f"{one.seconds / two.seconds:.2f}", "above 1")
    row("two workers, one killed: seconds", f"{lost.seconds:.1f}")
    row("X: MB", f"{X.nbytes / 1e6:.1f}")
    row("moved by the fit of two workers: MB", f"{two.n_bytes / 1e6:.1f}", "far below X")
    row("features: one, two, two with one killed", str([len(f.features) for f in (one, two, lost)]))
    same = one.features == two.features == lost.features
    row("the same features", str(same), "True")
    spread = np.ptp([one.objective, two.objective, lost.objective]) / one.objective
    row("relative difference of the objectives", f"{spread:.0e}", "0")


def count_permutations(size: Size) -> None:
    """Bytes moved by permutations, as they are sent here and as joblib alone would send them."""
    n, d = size.permuted
    X, y = make_gaussian(n=n, d=d, k=3, mu=0.8, random_state=0)
    print(
        f"\n{size.n_permutations} permutations of {n} x {d:,}, {X.nbytes / 1e6:.1f} MB, two workers"
    )
    machine = SupportFeatureMachine(C=1.0)
    settings: dict[str, Any] = {"statistics": "features", "random_state": 0}
    serial = permutation_test(machine, X, y, n_permutations=size.n_permutations, **settings)
    measure, codes = make_measure(machine, X, y, **settings)
    with start(2) as client, joblib.parallel_config(backend="dask"):
        client.run(_import_all)
        with count_traffic(client) as ours:
            found = permutation_test(machine, X, y, n_permutations=size.n_permutations, **settings)
        with count_traffic(client) as plain:
            Parallel()(delayed(measure)(codes) for _ in range(size.n_permutations + 1))
    row("moved: MB", f"{ours.n_bytes / 1e6:.1f}", "about three times X")
    row("moved if joblib sends each permutation its X: MB", f"{plain.n_bytes / 1e6:.1f}")
    same = np.array_equal(found.features.chance, serial.features.chance)
    row("the same values as without a cluster", str(same), "True")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="much smaller data, to try it")
    parser.add_argument("--folder", help="where the chunks are written (1.6 GB) and removed again")
    arguments = parser.parse_args()
    size = QUICK if arguments.quick else Size()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        compare_workers(size, Path(folder))
    count_permutations(size)


if __name__ == "__main__":
    main()
