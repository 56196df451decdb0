"""Other ways to choose k features for two or a few classes, beside those for many classes.

All see every standardised column: nobody screens more than the method itself does.
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import RFE, f_classif
from sklearn.svm import SVC

from benchmarks import many_classes_peers
from benchmarks.many_classes_peers import Choice, Chosen, by_fastcan, by_l1

# Features that are left when elimination goes on one by one.
_ONE_BY_ONE = 100
# Correlations below this count as this (the floor of mrmr_selection).
_FLOOR = 1e-3


def by_t_test(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """The largest t statistics (F, with more than two classes)."""
    order = np.argsort(-f_classif(X, y)[0], kind="stable")
    return {k: order[:k] for k in sizes}


def by_mrmr(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """F statistic divided by the mean correlation with what is chosen.

    Chooses what mrmr_selection does (a test compares them), which takes a minute for 7,000 columns.
    """
    relevance = f_classif(X, y)[0]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    order = [int(np.argmax(relevance))]
    redundancy = np.zeros(X.shape[1])
    while len(order) < min(max(sizes), X.shape[1]):
        redundancy += np.maximum(np.abs(Z.T @ Z[:, order[-1]]) / len(Z), _FLOOR)
        score = relevance / (redundancy / len(order))
        score[order] = -np.inf
        order.append(int(np.argmax(score)))
    return {k: np.array(order[:k]) for k in sizes}


def by_elimination(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Recursive elimination by a linear SVM: a tenth at a time, the last hundred one by one."""
    machine = SVC(kernel="linear")
    kept = np.arange(X.shape[1])
    while len(kept) > _ONE_BY_ONE:
        count = max(_ONE_BY_ONE, int(0.9 * len(kept)))
        drop = RFE(machine, n_features_to_select=count, step=len(kept) - count)
        kept = kept[drop.fit(X[:, kept], y).support_]
    order = kept[np.argsort(RFE(machine, n_features_to_select=1).fit(X[:, kept], y).ranking_)]
    return {k: order[:k] for k in sizes}


def by_abess(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """Best subset of each size for a logistic model, by splicing."""
    if len(np.unique(y)) > 2:
        return many_classes_peers.by_abess(X, y, sizes)
    from abess import LogisticRegression

    return {
        k: np.flatnonzero(LogisticRegression(support_size=k).fit(X, y).coef_)[:k] for k in sizes
    }


PEERS: dict[str, tuple[Choice, str]] = {
    "t-test": (by_t_test, "sklearn"),
    "mRMR": (by_mrmr, "sklearn"),
    "RFE, linear SVM": (by_elimination, "sklearn"),
    "L1 path": (by_l1, "sklearn"),
    "abess": (by_abess, "abess"),
    "fastcan": (by_fastcan, "fastcan"),
}
