"""Ten repetitions on the leukemia data, compared with published results.

These are figs. 4.17, 4.18 and 4.21 of Klement's thesis (2013), and sec. III-C of Klement &
Martinetz (2010).

Run with `python -m benchmarks.leukemia_repetitive`. The data are looked for in $FEWEST_DATA and in
../shared/data. AML is the positive class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.real_files import find
from benchmarks.timing import row
from fewest import AccumulatedClassifier, RepetitiveSelector, SupportFeatureMachine

# Klement's thesis (2013): rows of fig. 4.17, in the order found, and of fig. 4.18, in order of
# size.
PAPER: dict[str, dict[str, list[float]]] = {
    "hard": {
        "features": [3, 1, 3, 4, 2, 3, 2, 3, 3, 3],
        "test error": [0.26, 0.09, 0.21, 0.09, 0.15, 0.32, 0.24, 0.41, 0.18, 0.09],
        "cumulated": [1, 3, 5, 8, 11, 14, 17, 20, 23, 27],
        "SVM training": [0.00] * 10,
        "SVM test": [0.09, 0.12, 0.06, 0.09, 0.12, 0.18, 0.18, 0.18, 0.18, 0.09],
        "SVM AUC": [0.97, 0.97, 0.99, 0.99, 0.99, 0.99, 0.98, 0.99, 0.98, 0.99],
    },
    "soft": {
        "features": [1, 1, 2, 1, 1, 1, 2, 3, 1, 2],
        "training error": [0.08, 0.00, 0.08, 0.08, 0.08, 0.08, 0.03, 0.05, 0.05, 0.05],
        "test error": [0.24, 0.09, 0.21, 0.35, 0.18, 0.29, 0.24, 0.12, 0.06, 0.15],
        "cumulated": [1, 2, 3, 4, 5, 6, 8, 10, 12, 15],
        "SVM training": [0.08, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.00, 0.03, 0.00],
        "SVM test": [0.21, 0.15, 0.12, 0.12, 0.06, 0.06, 0.06, 0.06, 0.06, 0.09],
        "SVM AUC": [0.76, 0.94, 0.94, 0.95, 0.97, 0.97, 0.99, 0.97, 0.99, 0.98],
    },
}
REPETITIONS = 10


def load() -> Any:
    path = find("leukemia")
    return None if path is None else np.load(path)


def machines() -> dict[str, SupportFeatureMachine]:
    """Hard, and soft with C+ = 1 and C- = n+ / n-; the hyperplanes of the programs themselves."""
    return {
        "hard": SupportFeatureMachine(C=np.inf, refit=None),
        "soft": SupportFeatureMachine(C=1.0, class_weight={"AML": 1.0, "ALL": 11 / 27}, refit=None),
    }


def golub_genes(X: Any, y: Any, count: int = 25) -> set[int]:
    """The genes with the largest and the smallest values of (m+ - m-) / (s+ + s-)."""
    plus, minus = X[y == "AML"].astype(float), X[y == "ALL"].astype(float)
    spread = plus.std(axis=0) + minus.std(axis=0)
    difference = plus.mean(axis=0) - minus.mean(axis=0)
    score = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    order = np.argsort(score, kind="stable")
    return {*order[:count].tolist(), *order[-count:].tolist()}


def table(
    known: Any, new: Any, machine: SupportFeatureMachine
) -> tuple[Any, dict[str, list[float]]]:
    """The selector, and its rows of figs. 4.17 and 4.18 of Klement's thesis (2013)."""
    selector = RepetitiveSelector(machine, n_subsets=REPETITIONS).fit(*known)
    sign = np.where(new[1] == "AML", 1, -1)
    errors = [
        float(np.mean(np.sign(new[0][:, subset] @ coef + intercept) != sign))
        for subset, coef, intercept in zip(
            selector.subsets_, selector.coefs_, selector.intercepts_, strict=True
        )
    ]
    rows: dict[str, list[float]] = {
        "features": selector.sizes_.tolist(),
        "training error": selector.training_errors_.tolist(),
        "test error": errors,
        "cumulated": np.cumsum(selector.sizes_[selector.ranking_]).tolist(),
        "SVM training": [],
        "SVM test": [],
        "SVM AUC": [],
    }
    for count in range(1, REPETITIONS + 1):
        joined = AccumulatedClassifier(
            RepetitiveSelector(machine, n_subsets=REPETITIONS), n_subsets=count
        ).fit(*known)
        rows["SVM training"].append(1 - joined.score(*known))
        rows["SVM test"].append(1 - joined.score(*new))
        rows["SVM AUC"].append(roc_auc_score(new[1] == "AML", joined.decision_function(new[0])))
    return selector, rows


def show(kind: str, ours: dict[str, list[float]]) -> None:
    print(f"\n{kind} machine, thesis figs. 4.17 (in the order found) and 4.18 (in order of size)")
    for name, paper in PAPER[kind].items():
        form = "{:5.0f}" if name in ("features", "cumulated") else "{:5.2f}"
        for whose, values in (("paper", paper), ("ours", ours[name])):
            print(f"  {name if whose == 'paper' else '':<16}{whose:>6}", *map(form.format, values))


def best_accuracy(rows: dict[str, list[float]], most: int = 6) -> float:
    pairs = zip(rows["cumulated"], rows["SVM test"], strict=True)
    return max((1 - error for count, error in pairs if count <= most), default=np.nan)


def main() -> None:
    data = load()
    if data is None:
        return
    train = data["split"] == "train"
    known, new = (data["X"][train], data["y"][train]), (data["X"][~train], data["y"][~train])
    golub = golub_genes(*known)
    print("leukemia, ten repetitions: 38 training samples, 34 test samples, 7,129 genes")
    print("  thesis: Klement 2013; 2010: Klement & Martinetz 2010, sec. III-C; greedy union:")
    print("  Klement, Anders & Martinetz 2013, sec. 5")
    for kind, machine in machines().items():
        selector, rows = table(known, new, machine)
        show(kind, rows)
        genes = np.flatnonzero(selector.support_)
        asked = {"hard": "thesis: 17 of 27; 2010: 20 of 25", "soft": "thesis: 15 of 15"}[kind]
        row("genes among Golub's 50", f"{len(golub & set(genes.tolist()))} of {len(genes)}", asked)
        best = best_accuracy(rows)
        row("best accuracy at six genes or fewer", f"{best:.0%}", "thesis, fig. 4.21: 94 % with 5")
        if kind == "hard":
            svm = make_pipeline(StandardScaler(), SVC(kernel="linear", C=1e4))
            wrong = np.sum(
                svm.fit(known[0][:, genes], known[1]).predict(new[0][:, genes]) != new[1]
            )
            row(
                "SVM (C = 10,000) on all of them, test errors",
                f"{wrong} of 34",
                "2010: 1; at most 2",
            )
    greedy = AccumulatedClassifier(
        RepetitiveSelector(machines()["hard"], n_subsets=REPETITIONS), greedy=True
    ).fit(*known)
    row(
        "greedy union of hard subsets: genes, test errors",
        f"{greedy.support_.sum()}, {round(34 * (1 - greedy.score(*new)))}",
    )


if __name__ == "__main__":
    main()
