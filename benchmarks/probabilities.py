"""Are probabilities right? Brier score and reliability on samples that had no part in anything.

Run with `python -m benchmarks.probabilities` (a minute). In every fold a machine chooses at
most five features of the training samples. On these features its own probabilities stand beside
those of logistic regression and of a points score. Leukemia, colon and brain_tumor come from
$FEWEST_DATA, or from ../shared/data beside the repository; generated data come with them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.real_data import load
from benchmarks.real_files import find
from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.panels import points_score

NAMES = ("leukemia", "colon", "brain_tumor")
SIZE = 5
# With the usual C = 2 the first program uses no feature of brain_tumor.
C = 10.0
FOLDS, REPEATS = 5, 3
SEED = 2026
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
METHODS = ("machine", "logistic regression", "points score")


def main(names: tuple[str, ...] = NAMES, repeats: int = REPEATS) -> dict[tuple[str, str], Any]:
    """Print two tables; return truth and held-out risks by data set and method."""
    print(
        f"At most {SIZE} features, chosen in each of {FOLDS} folds, {repeats} repeats. Mean over "
        "the repeats\n(+- standard deviation) of the Brier score; the constant risk is the share "
        "of the second class.\n"
    )
    print(
        f"  {'data':<13}{'method':<22}{'Brier score':>16}{'constant':>10}{'log loss':>10}{'AUC':>8}"
    )
    found = {}
    for name, X, y in list_data(names):
        risks = predict(X, y, repeats)
        constant = np.mean(y) * (1.0 - np.mean(y))
        for method, risk in zip(METHODS, risks, strict=True):
            found[name, method] = y, risk
            scores = [brier_score_loss(y, one) for one in risk]
            truth = np.tile(y, repeats)
            print(
                f"  {name:<13}{method:<22}{np.mean(scores):>8.3f} +-{np.std(scores):.3f}"
                f"{constant:>10.3f}{log_loss(truth, risk.ravel()):>10.3f}"
                f"{np.mean([roc_auc_score(y, one) for one in risk]):>8.3f}",
                flush=True,
            )
    print("\nReliability: mean risk > observed share (samples per repeat)\n")
    for method in METHODS:
        cells = [
            f"{name:<13}" + show_bins(*found[name, method]) for name, of in found if of == method
        ]
        print(f"  {method}")
        print("\n".join(f"    {cell}" for cell in cells))
    return found


def list_data(names: tuple[str, ...]) -> Iterator[tuple[str, Any, NDArray[np.intp]]]:
    """Name, samples, and 1 for the second class."""
    for name in names:
        if find(name):
            X, y = load(name)
            yield name, X, np.unique(y, return_inverse=True)[1]
    X, y = make_gaussian(n=100, d=500, k=5, mu=0.5, random_state=0)
    yield "generated", X, (y > 0).astype(np.intp)
    noise = np.random.default_rng(0)
    yield "noise", noise.standard_normal((100, 500)), noise.integers(0, 2, 100)


def predict(X: Any, y: NDArray[np.intp], repeats: int) -> NDArray[np.float64]:
    """Risks of the second class, by method, repeat and sample."""
    risks = np.full((len(METHODS), repeats, len(y)), np.nan)
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    with warnings.catch_warnings(action="ignore"):
        for number, (train, test) in enumerate(folds.split(X, y)):
            machine = SupportFeatureMachine(C=C, max_features=SIZE).fit(X[train], y[train])
            panel = np.flatnonzero(machine.get_support())
            peer = make_pipeline(StandardScaler(), LogisticRegression())
            peer.fit(X[train][:, panel], y[train])
            score = points_score(X[train], y[train], panel, cv=2, random_state=0)
            risks[:, number // FOLDS, test] = (
                machine.predict_proba(X[test])[:, 1],
                peer.predict_proba(X[test][:, panel])[:, 1],
                score.predict_proba(X[test])[:, 1],
            )
    return risks


def show_bins(y: NDArray[np.intp], risk: NDArray[np.float64]) -> str:
    """'0.05 > 0.07 (20)' for every fifth of the risks; a dash where there are none."""
    place = np.clip(np.digitize(risk, EDGES) - 1, 0, len(EDGES) - 2)
    truth, cells = np.broadcast_to(y, risk.shape), []
    for number in range(len(EDGES) - 1):
        here = place == number
        known = f"{risk[here].mean():.2f} > {truth[here].mean():.2f}" if here.any() else "-"
        cells.append(f"{known:>11} {f'({here.sum() / len(risk):.0f})':>5}")
    return "  ".join(cells)


if __name__ == "__main__":
    main()
