"""Liknon beside the exact two-norm path on noisy banana data: Pranckeviciene & Somorjai (2011).

Table 8.1 and figs. 8.2, 8.3 and 8.5. The chapter has one data set, in five folds. Ours are many, so
each of its numbers is compared with the mean and the spread of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fewest import LiknonCV
from fewest.datasets import make_banana
from fewest.machines.svm_path import exact_svm_path
from fewest.machines.transvariation import transvariation_C
from fewest.plotting import plot_error_ratio, plot_weight_map
from reproductions.study import Cell, Measured, Published, Study

TRUE = [28, 29]
TRAINING = (76, 84)  # samples of class -1 and of class +1
N_COSTS = 50
LARGEST_C = 100.0
THRESHOLDS = (0.05, 0.035)
_EASIER = (
    "Not found out: the five folds of the chapter are those of one data set that is easier than "
    "each of our first 30, whose means are 0.115 or more (monitoring) and 0.133 or more "
    "(validation); arcs with half or a tenth of the noise lower the validation error to 0.14 only."
)
_IDENTIFIED = "both true features identified, %"
SHOWN = 0  # the data set of the figures
# Table 8.1, fold by fold.
TABLE_8_1 = {
    "Sympath": {
        "monitoring BER": "0.1271 0.1331 0.0888 0.0860 0.1397",
        "validation BER": "0.1699 0.0826 0.1583 0.099 0.0489",
        "3nn BER, threshold 0.05": "0.0128 0.000 0.0128 0.0128 0.0385",
        "features, threshold 0.05": "3 5 4 2 23",
        "3nn BER, threshold 0.035": "0.0244 0.000 0.0489 0.0244 0.0489",
        "features, threshold 0.035": "8 14 6 9 38",
    },
    "Liknon": {
        "monitoring BER": "0.1085 0.1266 0.0942 0.099 0.1463",
        "validation BER": "0.1454 0.0850 0.1595 0.099 0.0620",
        "3nn BER": "0.0128 0.000 0.0361 0.0128 0.0244",
        "features": "6 23 3 2 9",
    },
}


@dataclass(frozen=True)
class Best:
    """The solution of smallest monitoring error of one fold, and the path it is on."""

    coef: np.ndarray
    monitoring: float
    validation: float
    near: dict[str, tuple[float, int]]
    ratios: np.ndarray
    errors: np.ndarray
    Cs: np.ndarray
    chosen: int


def solve_folds(seed: int, *, both: bool = True) -> dict[str, list[Best]]:
    """Both methods, or Liknon alone, on the five folds of one data set, X as it is."""
    X, y = make_banana(random_state=seed)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    machine = LiknonCV(
        Cs=partial(transvariation_C, n_Cs=N_COSTS, difference="sums", largest=LARGEST_C),
        cv=folds,
        n_splits=1,
        training_size=TRAINING,
        standardize=False,
        outcome="best",
        random_state=seed,
    ).fit(X, y)
    found: dict[str, list[Best]] = {"Sympath": [], "Liknon": []}
    for path, (_, validation) in zip(machine.paths_, folds, strict=True):
        known = X[path.training], y[path.training]
        seen = X[path.monitoring], y[path.monitoring]
        new = X[validation], y[validation]
        weights = np.zeros(X.shape[1])
        weights[path.discriminant.features] = path.discriminant.weights
        found["Liknon"].append(
            Best(
                weights,
                path.discriminant.monitoring_ber,
                find_error(new, path.discriminant.decision_function(new[0]) > 0),
                {"": judge_near(known, new, weights != 0)},
                path.ratios,
                path.monitoring_ber,
                path.Cs,
                path.chosen,
            )
        )
        if not both:
            continue
        whole = exact_svm_path(*known, C_max=LARGEST_C, standardize=False)
        scores = seen[0] @ whole.coefs.T + whole.intercepts
        errors = np.array([find_error(seen, one > 0) for one in scores.T])
        chosen = int(errors.argmin())
        coef, bias = whole.coefs[chosen], whole.intercepts[chosen]
        found["Sympath"].append(
            Best(
                coef,
                float(errors[chosen]),
                find_error(new, new[0] @ coef + bias > 0),
                {
                    f", threshold {size:g}": judge_near(known, new, whole.select(size)[chosen])
                    for size in THRESHOLDS
                },
                whole.ratios,
                errors,
                whole.Cs,
                chosen,
            )
        )
    return found


def find_error(samples: tuple[np.ndarray, np.ndarray], positive: np.ndarray) -> float:
    """Balanced error: the mean over both classes of the share of wrong samples."""
    return float(np.mean([np.mean(positive[samples[1] == s] != (s > 0)) for s in (-1, 1)]))


def judge_near(known: Any, new: Any, kept: np.ndarray) -> tuple[float, int]:
    """Error of three nearest neighbours on the features kept, and how many these are."""
    if not kept.any():
        return 0.5, 0
    near = KNeighborsClassifier(3).fit(known[0][:, kept], known[1])
    return find_error(new, near.predict(new[0][:, kept]) > 0), int(kept.sum())


def measure(method: str, quick: bool) -> dict[str, Measured]:
    """Every number of the table, over the folds of many data sets."""
    rows: dict[str, list[float]] = {}
    for seed in range(2 if quick else 40):
        for best in solve_folds(seed, both=method == "Sympath")[method]:
            row = {"monitoring BER": best.monitoring, "validation BER": best.validation}
            for extra, (error, count) in best.near.items():
                row |= {f"3nn BER{extra}": error, f"features{extra}": count}
            # A threshold, where no weight is zero.
            used = np.abs(best.coef) > (min(THRESHOLDS) if method == "Sympath" else 0.0)
            row[_IDENTIFIED] = 100.0 * float(used[TRUE].all())
            row["lr of the best solution"] = float(np.log10(best.ratios[best.chosen]))
            row["C of the best solution, log10"] = float(np.log10(best.Cs[best.chosen]))
            for label, value in row.items():
                rows.setdefault(label, []).append(float(value))
    found = {label: Measured.from_runs(values) for label, values in rows.items()}
    return found | {
        f"{label}, fold {fold + 1}": found[label]
        for label in TABLE_8_1[method]
        for fold in range(5)
    }


def publish(method: str) -> dict[str, Published]:
    """The mean over the five folds, and every fold as one draw."""
    numbers: dict[str, Published] = {}
    for label, text in TABLE_8_1[method].items():
        folds = [float(one) for one in text.split()]
        numbers[label] = Published(float(np.mean(folds)), 4, 5)
        for fold, (word, value) in enumerate(zip(text.split(), folds, strict=True)):
            decimals = len(word.split(".")[1]) if "." in word else 0
            numbers[f"{label}, fold {fold + 1}"] = Published(value, decimals, 1)
    return numbers


def draw_data(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Fig. 8.2: two noise features, and the two that separate the classes."""
    X, y = make_banana(random_state=SHOWN)
    figure.set_size_inches(8, 3.8)
    for ax, columns in zip(figure.subplots(1, 2), ([0, 1], TRUE), strict=True):
        for sign, marker in ((1, "s"), (-1, "x")):
            own = X[y == sign]
            ax.plot(own[:, columns[0]], own[:, columns[1]], marker, ms=4, label=f"class {sign:+d}")
        ax.set(xlabel=f"feature {columns[0] + 1}", ylabel=f"feature {columns[1] + 1}")
        ax.legend(frameon=False)


def draw_weights(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Fig. 8.3: weights of the best solutions of the five folds."""
    found = solve_folds(SHOWN)
    figure.set_size_inches(7, 5)
    for ax, (method, folds) in zip(figure.subplots(1, 2), found.items(), strict=True):
        plot_weight_map([best.coef for best in folds], ax=ax)
        ax.set(title=method, xlabel="fold")


def draw_ratios(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Fig. 8.5: monitoring error against lr, and lr against C, in folds 2 and 5."""
    found = solve_folds(SHOWN)
    figure.set_size_inches(9, 6.5)
    axes = figure.subplots(2, 2)
    for column, fold in enumerate((1, 4)):
        for method, folds in found.items():
            best = folds[fold]
            plot_error_ratio(
                best.ratios, best.errors, chosen=best.chosen, label=method, ax=axes[0, column]
            )
            known = np.isfinite(best.ratios)
            lr = np.log10(best.ratios[known])
            colour = axes[0, column].lines[-2].get_color()  # the last one is the diamond
            axes[1, column].semilogx(best.Cs[known], lr, "-o", ms=3, color=colour, label=method)
            at = best.Cs[best.chosen], np.log10(best.ratios[best.chosen])
            axes[1, column].plot(*at, "D", ms=9, mfc="none", mec="black")
        axes[0, column].set_title(f"fold {fold + 1}")
        axes[1, column].set(xlabel="C", ylabel="lr")
        axes[1, column].legend(frameon=False)


def _cells(published: Mapping[str, Mapping[str, Published]]) -> list[Cell]:
    return [Cell(method, partial(measure, method), published[method]) for method in TABLE_8_1]


_SOURCE = "Pranckeviciene & Somorjai (2011)"
_ONE_SET = (
    "The chapter has one data set of 210 + 190 samples; ours are 40 with other seeds, and a number "
    "of the chapter agrees if it is within the spread of ours over folds."
)

STUDIES = [
    Study(
        "liknon_fig_8_2",
        "Banana data with noise",
        f"{_SOURCE}, fig. 8.2",
        _cells({method: {} for method in TABLE_8_1}),
        draw=draw_data,
        notes="The arcs are those of PRTools with its default radius and noise.",
    ),
    Study(
        "liknon_fig_8_3",
        "Weights of Liknon and of the two-norm path",
        f"{_SOURCE}, fig. 8.3 and its text: both true features have a large weight in all folds",
        _cells({method: {_IDENTIFIED: Published(100.0, 0, 5)} for method in TABLE_8_1}),
        draw=draw_weights,
        notes=_ONE_SET,
    ),
    Study(
        "liknon_table_8_1",
        "Liknon and the two-norm path on banana data",
        f"{_SOURCE}, table 8.1",
        _cells({method: publish(method) for method in TABLE_8_1}),
        why={
            f"{method}: {label}": _EASIER
            for method in TABLE_8_1
            for label in ("monitoring BER", "validation BER")
        }
        | {
            "Liknon: 3nn BER": "Not found out: no mean of our first 30 data sets is below 0.022, "
            "and neighbours trained on the Training and the Monitoring set do hardly better "
            "(0.032 on 12 data sets, against 0.034 on 10); with half the noise on the arcs the "
            "error is 0.006."
        },
        notes=f"{_ONE_SET} X is not standardised, and 3 nearest neighbours are trained on the "
        "Training set. Run times are left out.",
    ),
    Study(
        "liknon_fig_8_5",
        "Monitoring error and lr",
        f"{_SOURCE}, fig. 8.5 and its text: lr of the best solutions is in -3.2 to -2.8",
        _cells(
            {
                method: {"lr of the best solution": Published(-3.0, 1, 2, spread=0.2)}
                for method in TABLE_8_1
            }
        ),
        draw=draw_ratios,
        notes=_ONE_SET,
    ),
]
