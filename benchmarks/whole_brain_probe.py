"""The probes of `benchmarks.whole_brain`: support vector machines on the remaining features."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from benchmarks.timing import row
from fewest._solvers.columns import Columns, scale_columns
from fewest.datasets import BrainMaps
from fewest.informative import fit_sigmoid
from fewest.informative._fold_run import count_removed, resample
from fewest.informative._probe import COSTS, Fold, kernels_of_rest, make_folds, probe

PAPER_HOURS, EVERY = 27.0, 10
ASKED_MINUTES = 15
_POINTS = 201


@dataclass(frozen=True)
class Probed:
    """Probes of one fold: features removed before each, errors, and seconds."""

    removed: Any
    errors: Any
    seconds: float
    cpu: float
    kernel_error: float  # largest difference from a kernel computed directly, relative


def probe_part(
    maps: BrainMaps, subsets_of_folds: Sequence[Sequence[Any]], *, every: int = EVERY, jobs: int = 2
) -> None:
    """Probe the first folds, whose subsets (the smallest first) are given, and print."""
    X, y, groups = maps.X, maps.y, maps.groups
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    folds = make_folds(signs, groups, None)[: len(subsets_of_folds)]
    _probe_fold(X[:, :200], signs, folds[0], [np.arange(100)], 1)  # compiles, once and for all
    started = time.perf_counter()
    found = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(_probe_fold)(X, signs, fold, subsets, every)
        for fold, subsets in zip(folds, subsets_of_folds, strict=True)
    )
    _report(found, X.shape[1], len(np.unique(groups)), time.perf_counter() - started)


def _probe_fold(X: Any, y: Any, fold: Fold, subsets: Sequence[Any], every: int) -> Probed:
    started, cpu = time.perf_counter(), time.process_time()
    trained = scale_columns(X[fold.training])
    columns = Columns(X, trained.mean, trained.inverse_scale)
    blocks = [
        np.concatenate(subsets[start : start + every]) for start in range(0, len(subsets), every)
    ]
    errors, *_ = probe(columns, blocks, y, fold, np.empty((0, len(y))), np.empty(0, dtype=np.intp))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    *_, first = kernels_of_rest(columns, blocks)
    Z = columns.take(np.concatenate(blocks))
    direct = Z @ Z.T / Z.shape[1]
    return Probed(
        removed=count_removed([len(block) for block in blocks]),
        errors=errors,
        seconds=seconds,
        cpu=cpu,
        kernel_error=float(np.abs(first - direct).max() / np.abs(direct).max()),
    )


def _report(found: Sequence[Probed], n_features: int, n_groups: int, seconds: float) -> None:
    n_probes = sum(len(fold.errors) for fold in found)
    machines = n_probes * ((n_groups - 1) * len(COSTS) + 1)
    whole = seconds * n_groups / len(found)
    row(f"probes of {len(found)} of {n_groups} folds", f"{n_probes:,}")
    row("  support vector machines they stand for (11 x 17 + 1 each)", f"{machines:,}")
    row("  wall-clock time, extended to all folds", f"{whole:.0f} s", f"< {60 * ASKED_MINUTES} s")
    row("  processor time of one probe", f"{1e3 * sum(f.cpu for f in found) / n_probes:.1f} ms")
    row("  the paper's 27 hours / that time", f"{3600 * PAPER_HOURS / whole:.0f}")
    row("  kernel, summed / computed directly: relative difference", f"{_worst(found):.0e}")
    end = min(fold.removed[-1] for fold in found) / n_features
    fraction = np.linspace(0.0, end, _POINTS)
    curve = np.mean(
        [resample(fold.removed, fold.errors, fraction, n_features) for fold in found], axis=0
    )
    sigmoid = fit_sigmoid(fraction, curve)
    row("  error on all features, and on the last ones", f"{curve[0]:.3f}, {curve[-1]:.3f}")
    row("  estimated share of informative voxels", f"{100 * sigmoid.estimate:.1f} %")


def _worst(found: Sequence[Probed]) -> float:
    return max(fold.kernel_error for fold in found)
