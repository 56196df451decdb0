"""What several reproductions share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.real_files import find
from reproductions.study import Measured


def seed_run(*numbers: int) -> np.random.Generator:
    """The source of randomness of one run of one cell."""
    return np.random.default_rng(np.random.SeedSequence(numbers))


def average(rows: list[dict[str, float]]) -> dict[str, Measured]:
    """Means over runs, label by label."""
    return {label: Measured.from_runs([row[label] for row in rows]) for label in rows[0]}


def load_data(name: str) -> Any:
    """The arrays of a real data set; the runner has made sure that it is there."""
    path = find(name)
    assert path is not None
    return np.load(path, allow_pickle=False)


def fit_svm(Z: np.ndarray, y: np.ndarray, C: float) -> tuple[np.ndarray, float]:
    """Weights and bias of the linear support vector machine; fast for many columns."""
    return _fit_kernel_machine(Z, y, Z @ Z.T, C)


def fit_two_norm_svm(Z: np.ndarray, y: np.ndarray, C: Any) -> tuple[np.ndarray, float]:
    """Weights and bias of the linear support vector machine with squared slacks.

    It is the hard machine with the kernel z.z' + delta / C (Klement's thesis 2013, sec. 2.3.2). `C`
    is one number, or one per sample.
    """
    ridge = np.broadcast_to(1.0 / np.asarray(C, dtype=float), len(Z))
    return _fit_kernel_machine(Z, y, Z @ Z.T + np.diag(ridge), 1e8)


def _fit_kernel_machine(
    Z: np.ndarray, y: np.ndarray, kernel: np.ndarray, C: float
) -> tuple[np.ndarray, float]:
    svm = SVC(kernel="precomputed", C=C).fit(kernel, y)
    return svm.dual_coef_[0] @ Z[svm.support_], float(svm.intercept_[0])
