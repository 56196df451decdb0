"""Feature selection on data with five modes: Fisher, elimination, R2W2 and the Potential SVM.

Hochreiter & Obermayer (2004), tables 9 and 10, and the text beside them. A support vector machine
on the selected, standardised columns, with C by five-fold cross-validation, is judged on 500 test
samples.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from fewest import PotentialSelector
from fewest.datasets import make_modes
from fewest.filters import r2w2
from fewest.significance import compare_proportions
from reproductions.helpers import average
from reproductions.study import Cell, Measured, Published, Study

RUNS, N_TRAIN, N_INFORMATIVE, MODE_SIZE = 10, 100, 20, 4
COUNTS = (5, 10, 15, 20, 30)
# Errors and their standard deviations.
TABLE_9 = {
    "Fisher": ((31, 28, 26, 25, 26), (5.1, 5.3, 5.2, 5.0, 6.5)),
    "RFE": ((33, 32, 32, 31, 32), (5.1, 5.5, 3.2, 3.0, 1.4)),
    "R2W2": ((29, 28, 28, 27, 27), (4.1, 4.0, 3.5, 3.3, 4.2)),
    "P-SVM": ((28, 23, 24, 24, 26), (5.2, 4.1, 4.7, 6.2, 4.5)),
}
# Relevant features among the first 30, and how many features it takes to find all five modes.
TABLE_10 = {"Fisher": (10, 15), "RFE": (7, 23), "R2W2": (9, 18), "P-SVM": (11, 10)}


def rank_by_fisher(X: Any, y: Any) -> Any:
    """All features, by the F statistic."""
    return np.argsort(-f_classif(X, y)[0])


def rank_by_elimination(X: Any, y: Any) -> Any:
    """All features, by dropping half of them at a time, and single ones once 64 are left."""
    X = StandardScaler().fit_transform(X)
    left, ranking = np.arange(X.shape[1]), np.empty(0, dtype=int)
    while len(left):
        weights = SVC(kernel="linear").fit(X[:, left], y).coef_[0]
        order = np.argsort(-np.abs(weights))
        kept = len(left) // 2 if len(left) > 64 else len(left) - 1
        ranking = np.concatenate([left[order[kept:]], ranking])
        left = left[order[:kept]]
    return ranking


def rank_by_bound(X: Any, y: Any) -> Any:
    """All features, by the weights of R2W2."""
    return np.argsort(-r2w2(X, y))


_RANKINGS = {"Fisher": rank_by_fisher, "RFE": rank_by_elimination, "R2W2": rank_by_bound}


def select_features(method: str, X: Any, y: Any) -> dict[int, Any]:
    """The best 5, 10, 15, 20 and 30 features."""
    if method == "P-SVM":
        return {count: PotentialSelector(count).fit(X, y).ranking_[:count] for count in COUNTS}
    order = _RANKINGS[method](X, y)
    return {count: order[:count] for count in COUNTS}


def measure_error(columns: Any, X: Any, y: Any, scale: Any = 1.0) -> float:
    """Test error in percent of a support vector machine on these columns.

    `scale` multiplies them once they are standardised.
    """
    weigh = FunctionTransformer(partial(np.multiply, scale))
    model = GridSearchCV(
        make_pipeline(StandardScaler(), weigh, SVC(kernel="linear")),
        {"svc__C": [0.01, 0.1, 1, 10, 100]},
        cv=StratifiedKFold(5),
    ).fit(X[:N_TRAIN][:, columns], y[:N_TRAIN])
    return 100.0 * float(np.mean(model.predict(X[N_TRAIN:][:, columns]) != y[N_TRAIN:]))


def select_and_judge(method: str, quick: bool) -> dict[str, Measured]:
    """Errors with the features of one method."""
    rows = []
    for run in range(2 if quick else RUNS):
        X, y = make_modes(600, 2000, random_state=run)
        chosen = select_features(method, X[:N_TRAIN], y[:N_TRAIN])
        rows.append(
            {
                f"{count} features: error, %": measure_error(columns, X, y)
                for count, columns in chosen.items()
            }
        )
    return average(rows)


def judge_without_selection(quick: bool) -> dict[str, Measured]:
    """Errors with exactly the relevant features, and with all."""
    rows = []
    for run in range(2 if quick else RUNS):
        X, y = make_modes(600, 2000, random_state=run)
        rows.append(
            {
                "the 20 relevant features: error, %": measure_error(np.arange(20), X, y),
                "all 2000 features: error, %": measure_error(np.arange(2000), X, y),
            }
        )
    return average(rows)


def judge_weights(quick: bool) -> dict[str, Measured]:
    """Errors with all features, scaled by the weights of R2W2."""
    rows = []
    for run in range(2 if quick else RUNS):
        X, y = make_modes(600, 2000, random_state=run)
        # Their sum is one; with a mean of one, the same costs suit scaled and unscaled columns.
        scale = np.sqrt(r2w2(X[:N_TRAIN], y[:N_TRAIN]) * X.shape[1])
        error = measure_error(np.arange(X.shape[1]), X, y, scale)
        rows.append({"all 2000 features, scaled: error, %": error})
    return average(rows)


def count_relevant(method: str, quick: bool) -> dict[str, Measured]:
    """Relevant features among the first 30, and the rank at which the last mode is found."""
    rows = []
    for run in range(2 if quick else RUNS):
        X, y = make_modes(600, 2000, random_state=run)
        first = np.asarray(select_features(method, X[:N_TRAIN], y[:N_TRAIN])[30])
        relevant = first[first < N_INFORMATIVE]
        modes = [np.flatnonzero(first // MODE_SIZE == mode) for mode in range(5)]
        complete = all(len(places) for places in modes)
        rows.append(
            {
                "relevant among 30": float(len(relevant)),
                "modes among 30": float(sum(len(places) > 0 for places in modes)),
                "features until all modes are found": (
                    float(max(places[0] for places in modes) + 1) if complete else np.nan
                ),
            }
        )
    return average(rows)


def compare_methods(quick: bool) -> dict[str, float]:
    """In how many runs the Potential SVM is better, or worse, at a false discovery rate of 5 %."""
    runs = range(2 if quick else RUNS)
    wrong: dict[tuple[str, int], list[int]] = {}
    for run in runs:
        X, y = make_modes(600, 2000, random_state=run)
        for method in TABLE_9:
            chosen = select_features(method, X[:N_TRAIN], y[:N_TRAIN])
            for count in (10, 15, 20):
                errors = measure_error(chosen[count], X, y) / 100.0 * (len(y) - N_TRAIN)
                wrong.setdefault((method, count), []).append(round(errors))
    row: dict[str, float] = {}
    for other in ("Fisher", "RFE", "R2W2"):
        for count in (10, 15, 20):
            pair = wrong["P-SVM", count], wrong[other, count]
            found = compare_proportions(*pair, len(y) - N_TRAIN)
            row[f"{count} features: runs better than {other}"] = found.first_better
            row[f"{count} features: runs worse than {other}"] = found.second_better
    return row


STUDIES = [
    Study(
        "hochreiter_table_9",
        "Five modes among 2,000 features: test errors",
        "Hochreiter & Obermayer (2004), table 9 and sec. 3.3.2",
        [
            *(
                Cell(
                    method,
                    partial(select_and_judge, method),
                    {
                        f"{count} features: error, %": Published(error, 0, RUNS, sd=sd)
                        for count, error, sd in zip(COUNTS, errors, sds, strict=True)
                    },
                )
                for method, (errors, sds) in TABLE_9.items()
            ),
            Cell(
                "no selection",
                judge_without_selection,
                {
                    "the 20 relevant features: error, %": Published(10, 0, RUNS),
                    "all 2000 features: error, %": Published(38, 0, RUNS),
                },
            ),
            Cell(
                "R2W2 without selection",
                judge_weights,
                {"all 2000 features, scaled: error, %": Published(26, 0, RUNS)},
            ),
            Cell("P-SVM against the others", compare_methods),
        ],
        why=dict.fromkeys(
            ("Fisher", "P-SVM", "no selection"),
            "Our data are somewhat easier, also with exactly the 20 relevant features: not found "
            "out why. With b as a variance that error is 5 %, and with columns as they are 6 to "
            "7 %, not the report's 10 %.",
        ),
        notes=(
            "The generator takes the report's N(a, b) with a standard deviation b, which was "
            "chosen because it comes closer to this table: agreement here is no independent "
            "evidence for it. Columns are standardised for the support vector machine and for "
            "R2W2. The last rows count significant differences in the manner of the report (two "
            "proportions on the test samples, Benjamini-Hochberg): it calls the P-SVM better "
            "than Fisher at 10 features and better than RFE and R2W2 at 10, 15 and 20."
        ),
    ),
    Study(
        "hochreiter_table_10",
        "Five modes among 2,000 features: what is selected",
        "Hochreiter & Obermayer (2004), table 10 and sec. 3.3.2",
        [
            Cell(
                method,
                partial(count_relevant, method),
                {
                    "relevant among 30": Published(relevant, 0, 1),
                    "features until all modes are found": Published(until, 0, 1),
                },
            )
            for method, (relevant, until) in TABLE_10.items()
        ],
        notes=(
            'The report shows one "typical" trial; ours are means over ten. Trials in which 30 '
            "features do not show all modes do not count for the last number."
        ),
    ),
]
