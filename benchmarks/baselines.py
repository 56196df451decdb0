"""The machines and other methods: features used, and errors on new samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.real_files import find
from fewest import FeatureSelectionConcave, SoftDoubleMinOver, SupportFeatureMachine, ZeroNormSVM
from fewest.datasets import load_leukemia, make_gaussian
from fewest.filters import WeightedVoteClassifier, fisher_score, golub_score, relief, svm_rfe
from fewest.significance import balanced_error

KEPT = 10


def methods() -> dict[str, Any]:
    return {
        "Support Feature Machine, C = 2": SupportFeatureMachine(),
        "Support Feature Machine, hard": SupportFeatureMachine(C=np.inf),
        "Weston, hard": ZeroNormSVM(),
        "concave minimisation (FSV)": FeatureSelectionConcave(),
        f"recursive elimination to {KEPT}": make_pipeline(StandardScaler(), svm_rfe(KEPT)),
        f"weighted vote of {KEPT}": WeightedVoteClassifier(KEPT),
        f"Fisher's {KEPT} best, margin": _best(fisher_score),
        f"Golub's {KEPT} best, margin": _best(golub_score),
        f"Relief's {KEPT} best, margin": _best(relief),
        "margin on all features": make_pipeline(StandardScaler(), SoftDoubleMinOver()),
    }


def _best(score: Any) -> Any:
    return make_pipeline(StandardScaler(), SelectKBest(score, k=KEPT), SoftDoubleMinOver())


def n_used(machine: Any, d: int) -> int:
    """Number of features that the fitted machine uses."""
    for step in reversed(getattr(machine, "steps", [("", machine)])):
        if hasattr(step[1], "get_support"):
            return int(step[1].get_support().sum())
    return d


def compare(name: str, splits: list[tuple[Any, Any, Any, Any]]) -> None:
    print(f"{name}: features used, balanced error on new samples")
    for label, machine in methods().items():
        found = []
        for X, y, X_new, y_new in splits:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit(X, y)
            found.append(
                (n_used(machine, X.shape[1]), balanced_error(y_new, machine.predict(X_new)))
            )
        features, error = np.mean(found, axis=0)
        print(f"  {label:<34} {features:7.1f}   {error:.3f}", flush=True)


def generated(seed: int) -> tuple[Any, Any, Any, Any]:
    known = make_gaussian(n=80, d=2000, k=5, mu=0.7, random_state=seed)
    return *known, *make_gaussian(n=2000, d=2000, k=5, mu=0.7, random_state=1000 + seed)


def main() -> None:
    compare("80 x 2,000, 5 informative, 5 data sets", [generated(seed) for seed in range(5)])
    path = find("leukemia")
    if path is None:
        return
    data = load_leukemia(path=path)
    train = np.asarray(data.split) == "train"
    X, y = data.data.astype(float), data.target
    compare(
        "leukemia, 38 training and 34 test samples", [(X[train], y[train], X[~train], y[~train])]
    )


if __name__ == "__main__":
    main()
