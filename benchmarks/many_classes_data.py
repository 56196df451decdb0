"""Data with many classes: single cells, tumours, and generated code words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.real_files import find_file

N_FOLDS, SEED = 5, 2026
SIZES = (4, 8, 14, 20)
# Informative features of the generated data.
CODE_LENGTH = 12
CODED_CLASSES = (6, 12, 20)


@dataclass(frozen=True, eq=False)
class ManyClasses:
    """`sizes` are the numbers of features to choose; `informative` those that were planted."""

    name: str
    X: np.ndarray
    y: np.ndarray
    sizes: tuple[int, ...] = SIZES
    informative: np.ndarray | None = None
    repeats: int = 1
    seed: int = SEED

    def folds(self) -> Iterator[Fold]:
        """Five stratified folds, the same for everybody; again and again where samples are few."""
        splitter = RepeatedStratifiedKFold(
            n_splits=N_FOLDS, n_repeats=self.repeats, random_state=self.seed
        )
        for number, (train, test) in enumerate(splitter.split(self.X, self.y)):
            varies = np.ptp(self.X[train], axis=0) > 0
            scaler = StandardScaler().fit(self.X[train][:, varies])
            yield Fold(
                data=self.name,
                number=number,
                X=scaler.transform(self.X[train][:, varies]),
                y=self.y[train],
                X_left_out=scaler.transform(self.X[test][:, varies]),
                y_left_out=self.y[test],
                names=np.flatnonzero(varies),
            )


@dataclass(frozen=True, eq=False)
class Fold:
    """Samples to choose features from, and the others, both standardised by the former.

    Features that are constant in the former are left out; `names` are the columns of the rest.
    """

    data: str
    number: int
    X: np.ndarray
    y: np.ndarray
    X_left_out: np.ndarray
    y_left_out: np.ndarray
    names: np.ndarray


def make_codes(
    n_classes: int,
    *,
    n_per_class: int = 40,
    n_features: int = 3000,
    length: int = CODE_LENGTH,
    strength: float = 1.0,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, y and the informative columns: classes are code words of -1 and 1 in normal noise.

    Any two words differ in a quarter of their letters or more, and every letter splits the classes.
    Noise has a standard deviation of one, a letter is `strength` times +-1.
    """
    rng = np.random.default_rng(seed)
    words = _draw_words(rng, n_classes, length)
    y = np.repeat(np.arange(n_classes), n_per_class)
    informative = np.sort(rng.choice(n_features, length, replace=False))
    X = rng.standard_normal((len(y), n_features))
    X[:, informative] += strength * words[y]
    return X, y, informative


def _draw_words(rng: np.random.Generator, n_words: int, length: int) -> np.ndarray:
    """Words one by one; those too near to an earlier one are drawn again."""
    while True:
        words: list[np.ndarray] = []
        while len(words) < n_words:
            word = rng.choice([-1.0, 1.0], length)
            if all(np.sum(word != other) >= length / 4 for other in words):
                words.append(word)
        drawn = np.array(words)
        if np.all(np.ptp(drawn, axis=0) > 0):
            return drawn


def load_all() -> Iterator[ManyClasses]:
    """The data sets one by one; a line is printed for those that are absent."""
    path = find_file("pbmc3k.h5ad")
    if path is not None:
        import anndata

        cells = anndata.read_h5ad(path)
        y = np.unique(cells.obs["celltype"].astype(str), return_inverse=True)[1]
        yield ManyClasses("pbmc3k", cells.X.toarray().astype(np.float64), y)
    path = find_file("khan.npz")
    if path is not None:
        with np.load(path) as file:
            X, y = file["X"].astype(np.float64), np.unique(file["y"], return_inverse=True)[1]
        yield ManyClasses("khan", X, y, sizes=(3, *SIZES), repeats=3)
    for n_classes in CODED_CLASSES:
        X, y, informative = make_codes(n_classes)
        yield ManyClasses(f"codes, K = {n_classes}", X, y, informative=informative)
