"""Measured matrices: cat cortex and proteins, by the Potential SVM and the nu-SVM.

Hochreiter & Obermayer (2004), tables 2, 3 and 7, and fig. 8. Each class is told from the rest; an
object that is left out is left out of the rows and of the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.svm import NuSVC

from fewest import PotentialSVCCV
from reproductions.helpers import average, load_data
from reproductions.study import Cell, Measured, Published, Study

# Numbers of the classes and their names, in the order of the tables.
CAT, PROTEIN = ("V", "A", "SS", "FL"), ("H-alpha", "H-beta", "M", "GH")
# The small epsilon that keeps solutions unique; the report gives no number.
CAT_EPSILON, PROTEIN_EPSILON = 0.1, 0.01
TABLE_2 = {
    ("nu-SVM", 0.05): (4.6, 3.1, 3.1, 1.5),
    ("nu-SVM", 0.1): (4.6, 3.1, 6.1, 1.5),
    ("nu-SVM", 0.2): (6.1, 1.5, 3.1, 3.1),
    ("P-SVM", 0.6): (3.1, 1.5, 6.1, 3.1),
    ("P-SVM", 0.7): (3.1, 3.1, 4.6, 1.5),
    ("P-SVM", 0.8): (3.1, 3.1, 4.6, 1.5),
}
CAT_COUNTS = (28, 19, 33, 35)
TABLE_3 = {
    ("nu-SVM", 0.05): (1.3, 4.0, 0.5, 0.5),
    ("nu-SVM", 0.1): (1.8, 4.5, 0.5, 0.9),
    ("nu-SVM", 0.2): (2.2, 8.9, 0.5, 0.9),
    ("P-SVM", 300.0): (0.4, 3.5, 0.0, 0.4),
    ("P-SVM", 400.0): (0.4, 3.1, 0.0, 0.9),
    ("P-SVM", 500.0): (0.4, 3.5, 0.0, 1.3),
}
# Errors and support features at each epsilon.
TABLE_7 = {
    0.2: ((1.3, 4.9, 0.9, 1.3), (203, 203, 203, 203)),
    1.0: ((2.6, 5.3, 1.3, 4.4), (41, 110, 28, 41)),
    10.0: ((3.5, 8.8, 1.8, 13.3), (10, 26, 5, 7)),
    20.0: ((3.5, 8.4, 4.0, 13.3), (5, 12, 4, 5)),
}


def load_cat() -> tuple[Any, Any]:
    """Connection strengths, with 4 on the diagonal, and the numbers of the systems."""
    data = load_data("cat_cortex")
    return 4.0 - data["D"], data["y"]


def load_protein() -> tuple[Any, Any]:
    """Distances, and the numbers of the families."""
    data = load_data("protein")
    return data["D"], data["y"]


def measure_cat(method: str, value: float, quick: bool) -> dict[str, float]:
    """Leave-one-out errors in percent, one class against the rest."""
    K, y = load_cat()
    splits = list(LeaveOneOut().split(K))
    row: dict[str, float] = {}
    for code, name in enumerate(CAT, start=1):
        error, count = _judge(
            method, K, y == code, splits, value, CAT_EPSILON, "unit length", tol=1e-4
        )
        row[f"{name}: error, %"] = error
        if method == "P-SVM":
            row[f"{name}: support features"] = count
    return row


def measure_protein(
    method: str, value: float, epsilon: float, quick: bool, *, per_class: bool, refit: bool = False
) -> dict[str, Measured]:
    """Errors in percent of ten folds, over several random divisions into folds."""
    D, y = load_protein()
    rows = []
    for run in range(2 if quick else 10):
        splits = list(StratifiedKFold(10, shuffle=True, random_state=run).split(D, y))
        row: dict[str, float] = {}
        counts: dict[str, float] = {}
        for code, name in enumerate(PROTEIN, start=1):
            error, count = _judge(
                method, D, y == code, splits, value, epsilon, "unit variance", tol=1e-2, refit=refit
            )
            row[f"{name}: error, %"] = error
            counts[f"{name}: support features"] = count
        mean = {"support features": float(np.mean(list(counts.values())))}
        rows.append(row | (counts if per_class else mean))
    return average(rows)


def _judge(
    method: str,
    K: Any,
    y: Any,
    splits: Iterable[tuple[Any, Any]],
    value: float,
    epsilon: float,
    scale: str,
    tol: float,
    refit: bool = False,
) -> tuple[float, float]:
    """Error in percent over all test samples, and the mean number of support features."""
    if method == "P-SVM":
        search = PotentialSVCCV(
            [value],
            [epsilon],
            kernel="precomputed",
            row_objects="samples",
            scale=scale,
            refit=refit,
            cv=splits,
            tol=tol,
        ).fit(K, y)
        return 100.0 * (1.0 - search.best_score_), float(search.cv_results_["mean_n_support"][0])
    wrong = 0
    for train, test in splits:
        # The rows of the matrix as vectors.
        model = NuSVC(nu=value, kernel="linear").fit(K[np.ix_(train, train)], y[train])
        wrong += int(np.sum(model.predict(K[np.ix_(test, train)]) != y[test]))
    # The nu-SVM needs the relations with all samples of the training set.
    return 100.0 * wrong / len(y), float(len(train))


def measure_spectrum(quick: bool) -> dict[str, float]:
    """Eigenvalues of the connectivity matrix, the largest first."""
    values = np.linalg.eigvalsh(load_cat()[0])[::-1]
    row = {"negative eigenvalues": float(np.sum(values < 0))}
    return row | {f"eigenvalue {place}": float(one) for place, one in enumerate(values, start=1)}


def draw_spectrum(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """The scree plot."""
    row = results["cat cortex"]
    values = [one.value for label, one in row.items() if label.startswith("eigenvalue")]
    axes = figure.subplots()
    axes.bar(np.arange(1, len(values) + 1), values, width=0.8, color="0.35")
    axes.axhline(0.0, color="0.0", linewidth=0.8)
    axes.set(xlabel="eigenvalue, by size", ylabel="value", title="Cat cortex, 65 areas")


def _publish_cat(method: str, errors: tuple[float, ...]) -> dict[str, Published]:
    # 4 of 65 are 6.15 %: the report does not round 6.1 up.
    rows = {
        f"{name}: error, %": Published(error, 1, spread=0.01)
        for name, error in zip(CAT, errors, strict=True)
    }
    if method == "P-SVM":
        rows |= {
            f"{name}: support features": Published(count, 0)
            for name, count in zip(CAT, CAT_COUNTS, strict=True)
        }
    return rows


def _publish_protein(errors: tuple[float, ...]) -> dict[str, Published]:
    return {
        f"{name}: error, %": Published(error, 1, runs=1)
        for name, error in zip(PROTEIN, errors, strict=True)
    }


_COUNT = "The number depends on epsilon, which the report does not give: 118 at 0.1."

STUDIES = [
    Study(
        "hochreiter_table_2",
        "Cat cortex: leave-one-out errors",
        "Hochreiter & Obermayer (2004), table 2 and sec. 3.1.2",
        [
            Cell(
                f"{method}, {value}",
                partial(measure_cat, method, value),
                _publish_cat(method, errors),
                ("cat_cortex",),
            )
            for (method, value), errors in TABLE_2.items()
        ],
        why={
            "nu-SVM": (
                "Not found out: standardised columns, or columns of the left-out area kept, give "
                "other numbers, but not these."
            ),
            "P-SVM": (
                "The report does not give epsilon, and a sample more or less is 1.5 %. Tried: "
                "epsilon from 0.001 to 1, columns of left-out areas kept, and unit variance, where "
                "C = 0.6 does not bind and 5 to 29 % are wrong. None gives all numbers; those of "
                "support features are near at epsilon 0.3 for V and SS, at 0.5 for A, at 0.1 for "
                "FL."
            ),
        },
        notes=(
            f"The report gives no epsilon; ours is {CAT_EPSILON}. Its C of 0.6 to 0.8 is taken for "
            "columns of unit length. The nu-SVM takes the rows of the matrix as vectors, as they "
            "are. The report does not say which C its numbers of support features belong to. One "
            "sample is 1.5 %."
        ),
    ),
    Study(
        "hochreiter_fig_8",
        "Cat cortex: eigenvalues of the connectivity matrix",
        "Hochreiter & Obermayer (2004), fig. 8",
        [Cell("cat cortex", measure_spectrum, {}, ("cat_cortex",))],
        draw=draw_spectrum,
    ),
    Study(
        "hochreiter_table_3",
        "Proteins: errors of ten-fold cross-validation",
        "Hochreiter & Obermayer (2004), table 3 and sec. 3.1.3",
        [
            Cell(
                f"{method}, {value}",
                partial(measure_protein, method, value, PROTEIN_EPSILON, per_class=False),
                _publish_protein(errors)
                | ({"support features": Published(180, 0, runs=1)} if method == "P-SVM" else {}),
                ("protein",),
            )
            for (method, value), errors in TABLE_3.items()
        ],
        why={
            "nu-SVM": (
                "Not found out: the folds are not the report's, but three proteins of family M are "
                "wrong in all of our ten divisions, and one in the report's."
            ),
            "P-SVM": (
                "The report's errors depend on C from 300 to 500, ours do not: no weight is as "
                "large, at unit variance or at unit length. So its matrix, or its accuracy, "
                "differs."
            ),
            "P-SVM, 300.0: support": _COUNT,
            "P-SVM, 400.0: support": _COUNT,
            "P-SVM, 500.0: support": _COUNT,
        },
        notes=(
            "Columns of unit variance, as in the report (eq. 20). It gives no epsilon for this "
            f"table; of 0.1 and 0.01, {PROTEIN_EPSILON} comes closer to its number of support "
            "features. Ours are means over ten random divisions into "
            "folds. One sample is 0.4 %."
        ),
    ),
    Study(
        "hochreiter_table_7",
        "Proteins: fewer support features by a larger epsilon",
        "Hochreiter & Obermayer (2004), table 7",
        [
            Cell(
                f"epsilon {epsilon:g}",
                partial(measure_protein, "P-SVM", 100.0, epsilon, per_class=True),
                _publish_protein(errors)
                | {
                    f"{name}: support features": Published(count, 0, runs=1)
                    for name, count in zip(PROTEIN, counts, strict=True)
                },
                ("protein",),
            )
            for epsilon, (errors, counts) in TABLE_7.items()
        ]
        + [
            Cell(
                f"epsilon 70, {name}",
                partial(measure_protein, "P-SVM", 100.0, 70.0, per_class=True, refit=refit),
                {},
                ("protein",),
            )
            for name, refit in (("plain", False), ("refit", True))
        ],
        why={
            "epsilon": (
                "Not found out: no epsilon gives the report's numbers of support features in all "
                "four tasks at once, so its matrix must differ from ours. Squared distances come "
                "closer (at epsilon 20: 9, 7, 7 and 15 support features); unit length and "
                "exp(-D^2 / 20) do not. All 203 objects as support features, at epsilon 0.2, are "
                "not an optimum of our program."
            )
        },
        notes=(
            "C = 100 and columns of unit variance, as in the report. Ours are means over ten "
            "random divisions into folds. The last rows show what `refit` is for: at an epsilon "
            "that leaves few features, weights without shrinkage."
        ),
    ),
]
