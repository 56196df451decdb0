"""PotentialSVR and scikit-learn's SVR on the same splits, folds and grid.

Run with `python -m benchmarks.potential_regression`, or name some of the data sets.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVR

from benchmarks.real_files import find
from fewest import PotentialSVRCV
from fewest.significance import signed_rank_test

FOLDS = 4
CS = (3.0, 30.0, 300.0)
MOST_ABOVE = 1.1
# The widths and epsilons of boston_housing were chosen on splits 0 to 5.
FIRST_SPLIT = 20


@dataclass(frozen=True)
class Setting:
    """Sizes of Hochreiter & Obermayer (2004), who have more splits; the grid of both methods."""

    n_train: int
    n_splits: int
    epsilons: tuple[float, ...]
    widths: tuple[float, ...]  # of the RBF kernel, in units of sqrt(number of features)


SETS = {
    "cpu_act": Setting(1000, 1, (0.001, 0.01, 0.1), (0.5, 1.0, 2.0)),
    "abalone": Setting(3000, 1, (0.01, 0.1), (0.5, 1.0, 2.0)),
    "boston_housing": Setting(481, 20, (0.003, 0.03), (0.5, 0.7, 1.0)),
}


def regression(names: list[str] | None = None) -> None:
    print("regression with an RBF kernel, standardised columns and y: mean squared error")
    print("  (Hochreiter & Obermayer 2004, table 6)")
    print(f"  C in {CS}, epsilon and kernel width as printed, by the same {FOLDS}-fold")
    print("  cross-validation for both; target: at most 10 % above the error of SVR")
    for name in names or SETS:
        path = find(name)
        if path is None:
            continue
        with np.load(path) as file:
            _compare(name, file["X"].astype(np.float64), file["y"].astype(np.float64))


def _compare(name: str, X: np.ndarray, y: np.ndarray) -> None:
    setting = SETS[name]
    n_train, n_splits = setting.n_train, setting.n_splits
    print(f"  {name}: epsilon in {setting.epsilons}, width in {setting.widths} x sqrt(features)")
    errors, counts, seconds = np.empty((n_splits, 2)), [], np.zeros(2)
    for split in range(n_splits):
        order = np.random.default_rng(FIRST_SPLIT + split).permutation(len(y))
        train, test = order[:n_train], order[n_train:]
        inside, outside = _standardized(X[train], X[test])
        mean, sd = y[train].mean(), y[train].std()
        for place, model in enumerate((_svr(setting, X.shape[1]), _psvm(setting, X.shape[1]))):
            started = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(inside, (y[train] - mean) / sd)
            predicted = model.predict(outside) * sd + mean
            seconds[place] += perf_counter() - started
            errors[split, place] = np.mean((predicted - y[test]) ** 2)
            if n_splits == 1:
                print(f"    {type(model).__name__}: {model.best_params_}", flush=True)
        counts.append(len(model.support_features_))
    svr, psvm = errors.mean(axis=0)
    ratio = psvm / svr
    line = (
        f"  {name:<15} n = {n_train}, {n_splits} split(s): SVR {svr:.4g}, P-SVM {psvm:.4g} with "
        f"{np.mean(counts):.0f} support vectors, ratio {ratio:.3f}  "
        f"{'reached' if ratio <= MOST_ABOVE else 'NOT reached'}  "
        f"({seconds[0]:.0f} s and {seconds[1]:.0f} s)"
    )
    print(line, flush=True)
    if n_splits > 1:
        found = signed_rank_test(errors[:, 1], errors[:, 0])
        spread = errors.std(axis=0, ddof=1)
        print(
            f"    standard deviations {spread[0]:.3g} and {spread[1]:.3g}; signed-rank test of the "
            f"splits: p = {found.p_value:.3f}"
        )


def _standardized(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean, sd = train.mean(axis=0), train.std(axis=0)
    sd[sd == 0] = 1.0
    return (train - mean) / sd, (test - mean) / sd


def _gammas(setting: Setting, n_features: int) -> list[float]:
    return [1 / (2 * width**2 * n_features) for width in setting.widths]


def _folds() -> KFold:
    return KFold(FOLDS, shuffle=True, random_state=0)


def _psvm(setting: Setting, n_features: int) -> PotentialSVRCV:
    return PotentialSVRCV(
        CS,
        setting.epsilons,
        kernel_grid={"gamma": _gammas(setting, n_features)},
        cv=_folds(),
        tol=1e-2,
    )


def _svr(setting: Setting, n_features: int) -> GridSearchCV:
    grid = {"C": CS, "epsilon": setting.epsilons, "gamma": _gammas(setting, n_features)}
    return GridSearchCV(SVR(cache_size=1000), grid, scoring="neg_mean_squared_error", cv=_folds())


if __name__ == "__main__":
    regression(sys.argv[1:])
