"""Leukemia: the hard machine, ten repetitions and unions of subsets.

Klement's thesis (2013), figs. 4.16 to 4.21, and Klement & Martinetz (2010), sec. III-C. AML is the
positive class.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fewest import AccumulatedClassifier, RepetitiveSelector, SupportFeatureMachine
from reproductions.helpers import load_data
from reproductions.study import Cell, Published, Study

REPETITIONS = 10
# Klement's thesis (2013), fig. 4.17, in the order found.
FIG_4_17 = {
    "hard": {
        "features": "3 1 3 4 2 3 2 3 3 3",
        "test error": "0.26 0.09 0.21 0.09 0.15 0.32 0.24 0.41 0.18 0.09",
    },
    "soft": {
        "features": "1 1 2 1 1 1 2 3 1 2",
        "training error": "0.08 0.00 0.08 0.08 0.08 0.08 0.03 0.05 0.05 0.05",
        "test error": "0.24 0.09 0.21 0.35 0.18 0.29 0.24 0.12 0.06 0.15",
    },
}
# The same, fig. 4.18: the subsets in order of size, and an SVM on the first of them.
FIG_4_18 = {
    "hard": {
        "cumulated features": "1 3 5 8 11 14 17 20 23 27",
        "SVM training error": "0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00",
        "SVM test error": "0.09 0.12 0.06 0.09 0.12 0.18 0.18 0.18 0.18 0.09",
        "SVM area": "0.97 0.97 0.99 0.99 0.99 0.99 0.98 0.99 0.98 0.99",
    },
    "soft": {
        "cumulated features": "1 2 3 4 5 6 8 10 12 15",
        "SVM training error": "0.08 0.03 0.03 0.03 0.03 0.03 0.03 0.00 0.03 0.00",
        "SVM test error": "0.21 0.15 0.12 0.12 0.06 0.06 0.06 0.06 0.06 0.09",
        "SVM area": "0.76 0.94 0.94 0.95 0.97 0.97 0.99 0.97 0.99 0.98",
    },
}


def load() -> tuple[Any, Any]:
    """Training and test samples."""
    data = load_data("leukemia")
    train = data["split"] == "train"
    X, y = data["X"].astype(float), data["y"]
    return (X[train], y[train]), (X[~train], y[~train])


def make_machine(kind: str) -> SupportFeatureMachine:
    """The machines of the thesis: the equality of 2010, and C+ n+ = C- n- with C = 1 for ALL."""
    if kind == "hard":
        return SupportFeatureMachine(C=np.inf, constraint="mean_margin", refit=None)
    costs = {"ALL": 1.0, "AML": 27 / 11}
    return SupportFeatureMachine(C=1.0, class_weight=costs, scale_samples=False, refit=None)


def repeat(kind: str, quick: bool) -> dict[str, float]:
    """Ten disjoint subsets: sizes and errors, each by its own hyperplane."""
    (X, y), (X_new, y_new) = load()
    found = RepetitiveSelector(make_machine(kind), n_subsets=REPETITIONS).fit(X, y)
    row: dict[str, float] = {}
    for place in range(REPETITIONS):
        columns, w, b = found.subsets_[place], found.coefs_[place], found.intercepts_[place]
        row[f"features, {place + 1}"] = len(columns)
        row[f"training error, {place + 1}"] = float(found.training_errors_[place])
        scores = X_new[:, columns] @ w + b
        row[f"test error, {place + 1}"] = float(np.mean((scores > 0) != (y_new == "AML")))
    genes = np.flatnonzero(found.support_)
    row["genes"] = len(genes)
    row["genes among Golub's 50"] = len(find_golub_genes(X, y) & set(genes.tolist()))
    return row


def accumulate(kind: str, quick: bool) -> dict[str, float]:
    """A support vector machine on the smallest one, two, ... ten subsets."""
    (X, y), (X_new, y_new) = load()
    selector = RepetitiveSelector(make_machine(kind), n_subsets=REPETITIONS)
    row: dict[str, float] = {}
    for count in range(1, REPETITIONS + 1):
        joined = AccumulatedClassifier(selector, n_subsets=count).fit(X, y)
        row[f"cumulated features, {count}"] = int(joined.support_.sum())
        row[f"SVM training error, {count}"] = 1.0 - joined.score(X, y)
        row[f"SVM test error, {count}"] = 1.0 - joined.score(X_new, y_new)
        area = roc_auc_score(y_new == "AML", joined.decision_function(X_new))
        row[f"SVM area, {count}"] = float(area)
    return row


def find_golub_genes(X: np.ndarray, y: np.ndarray, count: int = 25) -> set[int]:
    """The genes with the largest and the smallest values of (m+ - m-) / (s+ + s-)."""
    plus, minus = X[y == "AML"], X[y == "ALL"]
    spread = plus.std(axis=0) + minus.std(axis=0)
    difference = plus.mean(axis=0) - minus.mean(axis=0)
    score = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    order = np.argsort(score, kind="stable")
    return {*order[:count].tolist(), *order[-count:].tolist()}


def measure_2010(quick: bool) -> dict[str, float]:
    """The hard machine with the equality of 2013, and a union of ten of its subsets."""
    (X, y), (X_new, y_new) = load()
    machine = SupportFeatureMachine(C=np.inf, refit=None)
    first = machine.fit(X, y)
    found = RepetitiveSelector(machine, n_subsets=REPETITIONS).fit(X, y)
    genes = np.flatnonzero(found.support_)
    svm = make_pipeline(StandardScaler(), SVC(kernel="linear", C=1e4)).fit(X[:, genes], y)
    return {
        "genes of the first machine": int(first.support_.sum()),
        "its test error, %": 100.0 * (1.0 - first.score(X_new, y_new)),
        "genes of ten repetitions": len(genes),
        "among Golub's 50": len(find_golub_genes(X, y) & set(genes.tolist())),
        "test errors of an SVM on them": round(34 * (1.0 - svm.score(X_new[:, genes], y_new))),
    }


def measure_svm(quick: bool) -> dict[str, float]:
    """A support vector machine on all genes, hard and with C = 1."""
    (X, y), (X_new, y_new) = load()
    row = {}
    for name, C in (("hard", 1e6), ("C = 1", 1.0)):
        # Samples of norm one, as everywhere in the papers: C = 1 is soft on that scale only.
        scaler = StandardScaler().fit(X)
        norm = np.linalg.norm(scaler.transform(X), axis=1).mean()
        svm = SVC(kernel="linear", C=C).fit(scaler.transform(X) / norm, y == "AML")
        Z = scaler.transform(X_new) / norm
        row[f"{name}: test error, %"] = 100.0 * (1.0 - svm.score(Z, y_new == "AML"))
        row[f"{name}: area"] = float(roc_auc_score(y_new == "AML", svm.decision_function(Z)))
    return row


def _publish(tables: dict[str, str]) -> dict[str, Published]:
    return {
        f"{label}, {place + 1}": Published(float(number), 0 if "features" in label else 2)
        for label, numbers in tables.items()
        for place, number in enumerate(numbers.split())
    }


_DATA = ("leukemia",)
_SOFT = (
    "C = 1 for ALL and 27/11 for AML (the thesis gives the ratio of the costs, not which class has "
    "C = 1), and samples that are not scaled to norm one in the first program: any cost there from "
    "twice that of samples of norm one upwards gives the same result."
)

STUDIES = [
    Study(
        "thesis_fig_4_17",
        "Leukemia: ten repetitions",
        "Klement's thesis (2013), fig. 4.17, and the text on figs. 4.19 and 4.20",
        [
            Cell(
                kind,
                partial(repeat, kind),
                _publish(FIG_4_17[kind])
                | {
                    "genes": Published(total, 0),
                    "genes among Golub's 50": Published(shared, 0),
                },
                _DATA,
            )
            for kind, total, shared in (("hard", 27, 17), ("soft", 15, 15))
        ],
        notes=f"The hard machine has the equality of 2010 (mean margin). The soft one: {_SOFT}",
    ),
    Study(
        "thesis_fig_4_18",
        "Leukemia: a support vector machine on the subsets",
        "Klement's thesis (2013), fig. 4.18",
        [
            Cell(kind, partial(accumulate, kind), _publish(FIG_4_18[kind]), _DATA)
            for kind in ("hard", "soft")
        ],
        notes="The thesis does not give the C of its support vector machine.",
    ),
    Study(
        "klement2010_leukemia",
        "Leukemia in 2010",
        "Klement & Martinetz (2010), sec. III-C",
        [
            Cell(
                "hard machine",
                measure_2010,
                {
                    "genes of the first machine": Published(2, 0),
                    "its test error, %": Published(17.7, 1),
                    "genes of ten repetitions": Published(25, 0),
                    "among Golub's 50": Published(20, 0),
                    "test errors of an SVM on them": Published(1, 0),
                },
                _DATA,
            )
        ],
        notes="The paper repeats a soft machine with C = 1000; ours is the hard one.",
    ),
    Study(
        "thesis_leukemia_svm",
        "Leukemia: a support vector machine on all genes",
        "Klement's thesis (2013), sec. 4.4",
        [
            Cell(
                "SVM",
                measure_svm,
                {
                    "hard: test error, %": Published(8.8, 1),
                    "hard: area": Published(1.0, 2),
                    "C = 1: test error, %": Published(23.5, 1),
                    "C = 1: area": Published(0.99, 2),
                },
                _DATA,
            )
        ],
    ),
]
