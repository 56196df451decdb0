"""Error and number of features on real gene expression data, everything chosen inside the folds.

Run with `python -m benchmarks.real_data`. Leukemia (all 72 samples), colon and brain_tumor come
from $FEWEST_DATA, or from ../shared/data beside the repository.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from benchmarks.real_files import find
from fewest.machines.sfm_cv import SupportFeatureMachineCV

NAMES = ("leukemia", "colon", "brain_tumor")
FOLDS = 5
REPEATS = 10
# Not a seed that any setting was chosen with.
SEED = 2026
L1_GRID = np.logspace(-2, 1, 7)
L1 = "L1 LinearSVC"


def main(names: tuple[str, ...] = NAMES, repeats: int = REPEATS) -> dict[tuple[str, str], Any]:
    """Print one table; return balanced errors, numbers of features and seconds of every fold."""
    names = tuple(name for name in names if find(name))
    contestants = _contestants()
    print(
        f"Repeated stratified {FOLDS}-fold, {repeats} repeats, same folds for all; everything\n"
        "is chosen inside. Mean over folds (+- standard deviation over repeats).\n"
        "The last lines are means over the data sets; +- is the standard error of the difference\n"
        "to L1 over the repeats.\n"
    )
    print(f"  {'data':<13}{'method':<22}{'balanced error':>18}{'features':>11}{'seconds':>10}")
    rows = {}
    for name in names:
        X, y = load(name)
        for method, make in contestants.items():
            rows[name, method] = measured = measure(make, X, y, repeats)
            errors, sizes, seconds = measured.T
            spread = errors.reshape(repeats, FOLDS).mean(axis=1).std()
            print(
                f"  {name:<13}{method:<22}{errors.mean():>10.3f} +-{spread:.3f}"
                f"{sizes.mean():>12.1f}{seconds.mean():>10.2f}",
                flush=True,
            )
    if len(names) > 1:
        print()
        for method in contestants:
            means = np.mean([rows[name, method].mean(axis=0) for name in names], axis=0)
            behind, uncertainty = _behind_l1(rows, names, method, repeats)
            print(
                f"  {'mean':<13}{method:<22}{means[0]:>10.3f}{means[1]:>20.1f}{means[2]:>10.2f}"
                f"   L1 {behind:+.3f} +-{uncertainty:.3f}",
                flush=True,
            )
    return rows


def _behind_l1(
    rows: dict[tuple[str, str], np.ndarray], names: tuple[str, ...], method: str, repeats: int
) -> tuple[float, float]:
    """Mean difference to L1 over the data sets, and its standard error over the repeats."""
    differences = np.mean(
        [
            (rows[name, method] - rows[name, L1])[:, 0].reshape(repeats, FOLDS).mean(axis=1)
            for name in names
        ],
        axis=0,
    )
    return float(differences.mean()), float(differences.std() / np.sqrt(max(1, repeats - 1)))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X and y of one data set, which must be there."""
    with np.load(find(name)) as file:
        # abess does not accept labels that are words.
        return file["X"].astype(np.float64), np.unique(file["y"], return_inverse=True)[1]


def measure(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, repeats: int) -> np.ndarray:
    """Balanced error, number of features and seconds (fit and predict), one row per fold."""
    splitter = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    rows = []
    for train, test in splitter.split(X, y):
        model = make()
        started = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            decided = model.fit(X[train], y[train]).predict(X[test])
        seconds = perf_counter() - started
        error = 1.0 - balanced_accuracy_score(y[test], decided)
        rows.append((error, _n_features(model), seconds))
    return np.array(rows)


def _contestants() -> dict[str, Callable[[], Any]]:
    contestants: dict[str, Callable[[], Any]] = {
        "SFM-CV": SupportFeatureMachineCV,
        "SFM-CV, no 1 SE": lambda: SupportFeatureMachineCV(one_standard_error=False),
        "SFM-CV, one subset": lambda: SupportFeatureMachineCV(n_subsets=1),
        "SFM-CV, error": lambda: SupportFeatureMachineCV(criterion="balanced_error"),
        L1: _l1,
        "SVC, all features": lambda: make_pipeline(
            StandardScaler(), SVC(kernel="linear", class_weight="balanced")
        ),
    }
    try:
        from abess import LogisticRegression
    except ImportError as error:
        print(f"abess is left out: it cannot be imported ({error})\n")
    else:
        contestants["abess"] = lambda: LogisticRegression(support_size=range(1, 9), ic_type="ebic")
    return contestants


def _l1() -> GridSearchCV:
    return GridSearchCV(
        make_pipeline(
            StandardScaler(),
            LinearSVC(penalty="l1", dual=False, class_weight="balanced", random_state=SEED),
        ),
        {"linearsvc__C": L1_GRID},
        scoring="balanced_accuracy",
        cv=StratifiedKFold(5),
    )


def _n_features(model: Any) -> int:
    if isinstance(model, GridSearchCV):
        model = model.best_estimator_
    if hasattr(model, "steps"):
        model = model[-1]
    return int(np.any(np.atleast_2d(np.ravel(model.coef_)), axis=0).sum())


if __name__ == "__main__":
    main()
