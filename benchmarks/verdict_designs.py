"""Designs of data sets with known truth: groups, labels, classes, tails, noise or a signal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_INFORMATIVE = 3
N_NEW = 3000  # new samples by which the true error of a fitted machine is known


@dataclass(frozen=True)
class Design:
    """Samples of groups; without `sizes` of groups, `n` samples that are independent.

    `labels` are those of the groups (cycled); None where every group has samples of all classes.
    `between` is the standard deviation of what the samples of a group share in each feature, that
    of the rest being one.
    """

    name: str
    sizes: tuple[int, ...] = ()
    labels: tuple[int, ...] | None = (0, 1)
    n_classes: int = 2
    n: int = 0
    d: int = 40
    between: float = 1.0
    heavy: bool = False
    reversed_share: float = 0.0  # of groups in which the classes differ the other way round
    mu: float = 1.0  # the difference of the classes in informative features, where there is one

    @property
    def has_groups(self) -> bool:
        return bool(self.sizes)

    def draw(self, rng: np.random.Generator, effect: float) -> tuple[Any, Any, Any]:
        """X, y and groups (None without); the classes differ by `effect` times `mu`."""
        if not self.has_groups:
            shares = self.labels or (0, 1)
            y = np.array(shares)[np.arange(self.n) % len(shares)]
            return self._fill(rng, y, None, effect), y, None
        groups = np.repeat(np.arange(len(self.sizes)), self.sizes)
        if self.labels is None:
            y = np.concatenate([np.arange(size) % self.n_classes for size in self.sizes])
        else:
            y = np.resize(np.array(self.labels), len(self.sizes))[groups]
        return self._fill(rng, y, groups, effect), y, groups

    def draw_new(self, rng: np.random.Generator, effect: float) -> tuple[Any, Any]:
        """Many samples, each of a group that was not seen."""
        y = np.arange(N_NEW) % self.n_classes
        groups = np.arange(N_NEW) if self.has_groups else None
        return self._fill(rng, y, groups, effect), y

    def _fill(
        self, rng: np.random.Generator, y: NDArray[Any], groups: Any, effect: float
    ) -> NDArray[np.float64]:
        shape = (len(y), self.d)
        X = rng.standard_t(2, shape) if self.heavy else rng.standard_normal(shape)
        if groups is not None:
            X += self.between * rng.standard_normal((int(groups.max()) + 1, self.d))[groups]
        signs = np.ones(len(y))
        if self.reversed_share:
            signs -= 2.0 * (rng.random(int(groups.max()) + 1) < self.reversed_share)[groups]
        for label in range(self.n_classes):
            at = slice(label * N_INFORMATIVE, (label + 1) * N_INFORMATIVE)
            X[y == label, at] += effect * self.mu * signs[y == label, None]
        return X


DESIGNS = (
    Design("samples 40 x 40", n=40, mu=0.8),
    Design("samples 30 x 200", n=30, d=200),
    Design("samples 100 x 20", n=100, d=20, mu=0.6),
    Design("samples 120 x 60", n=120, d=60, mu=0.9),
    Design("samples 200 x 100", n=200, d=100, mu=0.7),
    Design("3 classes 48 x 20", n=48, labels=(0, 1, 2), n_classes=3, d=20),
    Design("classes 12 and 48", n=60, labels=(0, 1, 1, 1, 1), mu=0.8),
    Design("heavy tails 40 x 40", n=40, heavy=True, mu=1.5),
    Design("6 groups of 20", (20,) * 6, mu=1.5),
    Design("8 groups of 10", (10,) * 8, mu=1.5),
    Design("12 groups of 5", (5,) * 12, mu=1.2),
    Design("20 groups of 4", (4,) * 20),
    Design("40 groups of 2", (2,) * 40),
    Design("50 groups of 4", (4,) * 50, mu=0.9),
    Design("12 groups of 1 to 20", (1, 20, 2, 16, 3, 12, 4, 9, 5, 7, 6, 5), mu=1.2),
    Design("4 groups of 20 against 8 of 3", (20,) * 4 + (3,) * 8, (0,) * 4 + (1,) * 8, mu=1.2),
    Design("3 groups against 9", (5,) * 12, (0, 1, 1, 1), mu=1.2),
    Design("20 groups, much alike", (4,) * 20, between=3.0, mu=3.0),
    Design("3 classes, 12 groups of 5", (5,) * 12, (0, 1, 2), 3, d=20, mu=1.5),
    Design("both in 8 groups of 10", (10,) * 8, None, mu=0.8),
    Design("both in 20 groups of 4", (4,) * 20, None, mu=0.8),
    Design("both in 10 groups, reversed", (8,) * 10, None, mu=2.0, reversed_share=0.3),
    Design("both in 10 groups, much alike", (8,) * 10, None, between=3.0, mu=2.0),
    Design("3 classes in 10 groups of 6", (6,) * 10, None, 3, d=20),
)
