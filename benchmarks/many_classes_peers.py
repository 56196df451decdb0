"""Other ways to choose k features for many classes, each with the settings that it recommends.

All are given the same standardised columns and return the columns that they choose, for several k.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

Chosen = dict[int, np.ndarray]
Choice = Callable[[np.ndarray, np.ndarray, tuple[int, ...]], Chosen]


def by_fastcan(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Greedy, by canonical correlations with the classes (one column per class but the first)."""
    from fastcan import FastCan

    classes = (y[:, None] == np.unique(y)[1:]).astype(np.float64)
    order = FastCan(max(sizes), verbose=0).fit(X, classes).indices_
    return {k: order[:k] for k in sizes}


def by_wilcoxon(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Ranking by scanpy of every class against the rest; the classes' lists take turns."""
    import pandas as pd
    import scanpy
    from anndata import AnnData

    labels = pd.Categorical([f"{label:04d}" for label in y])
    table = AnnData(X.astype(np.float32), obs=pd.DataFrame({"class": labels}, index=_names(len(y))))
    table.var_names = _names(X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scanpy.tl.rank_genes_groups(
            table, "class", method="wilcoxon", n_genes=max(sizes), use_raw=False
        )
    ranked = table.uns["rank_genes_groups"]
    order: list[int] = []
    for names, scores in zip(ranked["names"], ranked["scores"], strict=True):
        # In each turn the class with the clearest feature comes first.
        turn = np.argsort(-np.array(list(scores)), kind="stable")
        order += [int(names[position]) for position in turn]
    first = np.array(list(dict.fromkeys(order)))
    return {k: first[:k] for k in sizes}


def by_abess(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Best subset of each size for a multinomial model, by splicing."""
    from abess import MultinomialRegression

    found = {}
    for k in sizes:
        model = MultinomialRegression(support_size=k).fit(X, y)
        found[k] = np.flatnonzero(np.any(model.coef_ != 0, axis=1))
    return found


def by_mrmr(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """F statistic divided by the mean correlation with what is chosen (mrmr_selection)."""
    import pandas as pd
    from mrmr import mrmr_classif

    table = pd.DataFrame(X, columns=np.arange(X.shape[1]))
    order = np.array(mrmr_classif(table, pd.Series(y), K=max(sizes), n_jobs=1, show_progress=False))
    return {k: order[:k] for k in sizes}


def by_l1(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Multinomial with one-norm: the smallest C with k features or more, and their k largest."""
    path = _L1Path(X, y)
    low, found = path.smallest_cost(), {}
    for k in sorted(sizes):
        found[k], low = _find_cost(path.largest_first, k, low)
    return found


class _L1Path:
    """scikit-learn's multinomial model with one-norm at one C after the other.

    It is fitted to the features that have entered so far; those whose gradient is too large for a
    weight of zero join, until there are none. The result is that of a fit to all features.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self._X, self._y = X, y
        self._indicator = (y[:, None] == np.unique(y)).astype(np.float64)
        self._working = np.zeros(0, dtype=int)

    def smallest_cost(self) -> float:
        """Below this C all weights are zero."""
        rest = self._indicator - self._indicator.mean(axis=0)
        gradient = np.abs(self._X.T @ rest).max(axis=1)
        self._working = np.argsort(-gradient)[:20]
        return float(1.0 / gradient.max())

    def largest_first(self, C: float) -> np.ndarray:
        """The features with a weight, by the size of the largest one."""
        while True:
            used = self._X[:, self._working]
            model = LogisticRegression(
                l1_ratio=1.0, C=C, solver="saga", tol=1e-4, max_iter=2000, random_state=0
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(used, self._y)
            gradient = np.abs(self._X.T @ (self._indicator - model.predict_proba(used))).max(axis=1)
            gradient[self._working] = 0.0
            joining = np.flatnonzero(gradient > 1.01 / C)
            if len(joining) == 0:
                size = np.abs(model.coef_).max(axis=0)
                order = np.argsort(-size, kind="stable")[: np.count_nonzero(size)]
                return self._working[order]
            joining = joining[np.argsort(-gradient[joining])[:20]]
            self._working = np.concatenate([self._working, joining])


def _find_cost(
    largest_first: Callable[[float], np.ndarray], k: int, low: float
) -> tuple[np.ndarray, float]:
    """The chosen features and their C: upwards until there are k features, then bisection."""
    high, best = low, largest_first(low)
    while len(best) < k:
        low, high = high, 1.3 * high
        best = largest_first(high)
    for _ in range(6):
        if len(best) == k:
            break
        C = float(np.sqrt(low * high))
        order = largest_first(C)
        if len(order) >= k:
            high, best = C, order
        else:
            low = C
    return best[:k], high


def _names(count: int) -> list[str]:
    return [str(number) for number in range(count)]


_PEERS: dict[str, tuple[Choice, str]] = {
    "fastcan": (by_fastcan, "fastcan"),
    "Wilcoxon per class": (by_wilcoxon, "scanpy"),
    "abess, multinomial": (by_abess, "abess"),
    "mRMR": (by_mrmr, "mrmr"),
    "L1 multinomial": (by_l1, "sklearn"),
}


def peers(known: dict[str, tuple[Choice, str]] = _PEERS) -> dict[str, Choice]:
    """Those that are installed; a line is printed for each of the others."""
    found = {}
    for name, (choose, package) in known.items():
        if find_spec(package) is None:
            print(f"{name}: skipped, {package} is not installed")
        else:
            found[name] = choose
    return found
