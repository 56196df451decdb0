"""Brain tumours: genes selected on all samples, and inside the folds.

Hochreiter & Obermayer (2004), table 11. The report takes its numbers from another paper of its
authors, whose protocol it does not repeat.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from fewest import PotentialSelector
from fewest.filters import WeightedVoteClassifier, golub_score, r2w2
from fewest.psvm import find_best_threshold
from reproductions.helpers import load_data
from reproductions.study import Cell, Published, Study

N_GENES, NUS = 45, (0.2, 0.3, 0.4, 0.5)


class CentredNuSVC(NuSVC):
    """A linear nu-SVM with offset zero: every sample is also shown mirrored, in the other class."""

    def fit(self, X: Any, y: Any) -> CentredNuSVC:
        """Fit to labels False and True."""
        super().fit(np.vstack([X, -X]), np.concatenate([y, ~y]))
        return self


def load() -> tuple[Any, Any]:
    """Genes, and who survived."""
    data = load_data("brain_tumor")
    return data["X"].astype(float), data["y"] == "survived"


def measure_potential(where: str, n_runs: int, quick: bool) -> dict[str, float]:
    """Leave-one-out error with 45 genes, chosen on all samples or in every fold."""
    X, y = load()
    n_runs = min(n_runs, 2) if quick else n_runs
    selector = PotentialSelector(N_GENES, n_runs=n_runs, random_state=0, tol=1e-4)
    fixed = selector.fit(X, y).support_ if where == "all samples" else None
    scores = np.empty(len(y))
    splits = list(LeaveOneOut().split(X))[:: 20 if quick else 1]
    for train, test in splits:
        kept = selector.fit(X[train], y[train]).support_ if fixed is None else fixed
        scaler = StandardScaler().fit(X[np.ix_(train, kept)])
        model = GridSearchCV(
            CentredNuSVC(kernel="linear"), {"nu": NUS}, cv=StratifiedKFold(5), error_score=0.0
        ).fit(scaler.transform(X[np.ix_(train, kept)]), y[train])
        scores[test] = model.decision_function(scaler.transform(X[np.ix_(test, kept)]))
    known = np.concatenate([test for _, test in splits])
    scores, y = scores[known], y[known]
    return {
        "error, %": 100.0 * float(np.mean((scores > 0) != y)),
        "error with the best threshold, %": 100.0 * find_best_threshold(y, scores).error,
        "area": float(roc_auc_score(y, scores)),
    }


def measure_scaled(where: str, quick: bool) -> dict[str, float]:
    """Leave-one-out error of a hard machine on genes scaled by R2W2, on all samples or by fold."""
    X, y = load()
    fixed = r2w2(X, y) if where == "all samples" else None
    splits = list(LeaveOneOut().split(X))[:: 20 if quick else 1]
    wrong = []
    for train, test in splits:
        weight = r2w2(X[train], y[train]) if fixed is None else fixed
        scaler = StandardScaler().fit(X[train])
        Z = scaler.transform(X) * np.sqrt(weight)
        model = SVC(kernel="linear", C=1e6).fit(Z[train], y[train])
        wrong.append(model.predict(Z[test]) != y[test])
    return {"error, %": 100.0 * float(np.mean(wrong))}


def measure_baseline(name: str, quick: bool) -> dict[str, float]:
    """Leave-one-out error with the genes of the largest signal to noise, chosen in every fold."""
    X, y = load()
    n_genes = 8 if name == "neighbours" else 50
    classifier: Any = KNeighborsClassifier(5) if name == "neighbours" else WeightedVoteClassifier()
    model = make_pipeline(SelectKBest(golub_score, k=n_genes), StandardScaler(), classifier)
    predicted = cross_val_predict(model, X, y, cv=LeaveOneOut())
    return {"error, %": 100.0 * float(np.mean(predicted != y))}


_DATA = ("brain_tumor",)
_POTENTIAL = {"error, %": Published(7, 0)}

STUDIES = [
    Study(
        "hochreiter_table_11",
        "Brain tumours: leave-one-out errors",
        "Hochreiter & Obermayer (2004), table 11",
        [
            *(
                Cell(
                    f"P-SVM / nu-SVM, genes from {where}, {rule}",
                    partial(measure_potential, where, n_runs),
                    _POTENTIAL,
                    _DATA,
                )
                for where in ("all samples", "every fold")
                for rule, n_runs in (("one run", 0), ("5 runs", 5))
            ),
            *(
                Cell(
                    f"R2W2, weights from {where}",
                    partial(measure_scaled, where),
                    {"error, %": Published(25, 0)},
                    _DATA,
                )
                for where in ("all samples", "every fold")
            ),
            Cell(
                "STN / KNN",
                partial(measure_baseline, "neighbours"),
                {"error, %": Published(22, 0)},
                _DATA,
            ),
            Cell(
                "STN / voting",
                partial(measure_baseline, "voting"),
                {"error, %": Published(23, 0)},
                _DATA,
            ),
        ],
        why={
            "P-SVM / nu-SVM, genes from all": (
                "The protocol behind the report's 7 % is not in the report. That error is close to "
                "what genes from all samples give here, and far from what genes from every fold "
                "give."
            ),
            "P-SVM / nu-SVM, genes from every": (
                "Selection inside the folds costs 30 points and more: the 7 % are not what new "
                "patients could expect from genes that were found in this way."
            ),
            "R2W2, weights from all": (
                "The weights have seen the sample that is left out, and 7,128 of them fit 60 "
                "samples without error."
            ),
            "R2W2, weights from every": (
                "Not found out; no variant that we tried gives 25 %: 30 % with the 50 largest "
                "weights only, 32 % if the descent stops after 3, 10 or 20 steps, 35 % with a soft "
                "machine or without weights."
            ),
            "STN": (
                "Not found out: our copy of the data is standardised sample by sample and has all "
                "genes; 1 to 7 neighbours give 30 to 33 %, 8 to 200 voting genes 30 to 50 %."
            ),
        },
        notes=(
            "Genes that are selected once, on all 60 samples, have seen every sample that is left "
            "out afterwards: the error then says nothing about new patients. We show it beside the "
            "error with genes selected in every fold. The number of 45 genes is the report's; that "
            "it is a good number is knowledge from all samples, too. The protocol of many runs is "
            "not in the report; ours is that of `PotentialSelector(n_runs=5)`. For R2W2, a "
            "hard support vector machine on all standardised genes, times the roots of their "
            "weights. STN (signal to noise) genes are selected in every fold: 8 genes and 5 "
            "neighbours, or 50 genes that vote; the 5 and the 50 are our choice. The other two "
            "data sets of the table are not at hand."
        ),
    ),
]
