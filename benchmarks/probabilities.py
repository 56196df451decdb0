"""Are probabilities right? Brier score and reliability on samples that had no part in anything.

Run with `python -m benchmarks.probabilities` (some minutes; `--quick`: generated data, once). In
every fold a machine chooses at most five features of the training samples. On these features its
own probabilities stand beside those with a temperature from inner folds that choose again
(`PanelSizeCV`), those of logistic regression, of a points score, and the share of the class for
all. A second table has every other classifier of the package, with features of its own.

Leukemia, colon and brain_tumor come from $FEWEST_DATA, or from ../shared/data beside the
repository; generated data and noise come with them. `--figure FILE` draws the reliability.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.real_data import load
from benchmarks.real_files import find
from fewest import (
    AccumulatedClassifier,
    KernelFeatureMachine,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSVC,
    PotentialSVCCV,
    RepetitiveSelector,
    SoftDoubleMinOver,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian
from fewest.filters import WeightedVoteClassifier
from fewest.panels import points_score

NAMES = ("leukemia", "colon", "brain_tumor")
SIZE = 5
# With the usual C = 2 the first program uses no feature of brain_tumor.
C = 10.0
FOLDS, REPEATS = 5, 3
SEED = 2026
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
METHODS = (
    "machine",
    "folds that choose again",
    "logistic regression",
    "points score",
    "constant",
)
OTHERS = {
    "sfm": SupportFeatureMachine(),
    "sfm-cv": SupportFeatureMachineCV(),
    "union": UnionFeatureMachine(),
    "zero-norm": ZeroNormSVM(C=1.0),
    "liknon": Liknon(C=0.1),
    "liknon-cv": LiknonCV(10, random_state=0),
    "liknon-cv, best": LiknonCV(10, outcome="best", random_state=0),
    "liknon-cv, ensemble": LiknonCV(10, outcome="ensemble", random_state=0),
    "psvc": PotentialSVC(C=np.inf, epsilon=2.0, kernel="precomputed"),
    "psvc-cv": PotentialSVCCV((np.inf,), (1.0, 2.0, 4.0), kernel="precomputed"),
    "weighted vote": WeightedVoteClassifier(),
    "accumulated": AccumulatedClassifier(
        RepetitiveSelector(SupportFeatureMachine(), n_subsets=5), n_subsets=5
    ),
    "min-over": make_pipeline(StandardScaler(), SoftDoubleMinOver()),
    "kernels": make_pipeline(StandardScaler(), KernelFeatureMachine()),
}

Data = tuple[str, Any, NDArray[np.intp]]
Risks = dict[tuple[str, str], tuple[NDArray[np.intp], NDArray[np.float64]]]


def main(
    names: tuple[str, ...] = NAMES,
    repeats: int = REPEATS,
    *,
    others: bool = True,
    figure: str | None = None,
) -> Risks:
    """Print the tables; return truth and held-out risks by data set and method."""
    print(
        f"At most {SIZE} features, chosen in each of {FOLDS} folds, {repeats} repeats. Mean over "
        "the repeats\n(+- standard deviation) of the Brier score.\n"
    )
    print(f"  {'data':<13}{'method':<25}{'Brier score':>16}{'log loss':>10}{'AUC':>8}")
    found: Risks = {}
    for name, X, y in list_data(names):
        for method, risk in zip(METHODS, predict_panels(X, y, repeats), strict=True):
            found[name, method] = y, risk
            show_scores(name, method, y, risk)
    print("\nReliability: mean risk > observed share (samples per repeat)\n")
    for method in METHODS[:-1]:
        print(f"  {method}")
        for name in dict.fromkeys(name for name, _ in found):
            print(f"    {name:<13}" + show_bins(*found[name, method]))
    if others:
        print("\nThe other classifiers, with features of their own\n")
        for name, X, y in list_data(names):
            for method, machine in OTHERS.items():
                risk = predict_machine(machine, X, y)
                found[name, method] = y, risk
                show_scores(name, method, y, risk)
    if figure is not None:
        draw(found, figure)
    return found


def list_data(names: tuple[str, ...]) -> Iterator[Data]:
    """Name, samples, and 1 for the second class."""
    for name in names:
        if find(name):
            X, y = load(name)
            yield name, X, np.unique(y, return_inverse=True)[1]
    X, y = make_gaussian(n=100, d=500, k=5, mu=0.5, random_state=0)
    yield "generated", X, (y > 0).astype(np.intp)
    noise = np.random.default_rng(0)
    yield "noise", noise.standard_normal((100, 500)), noise.integers(0, 2, 100)


def list_folds(X: Any, y: NDArray[np.intp], repeats: int) -> Iterator[Any]:
    """Number of the repeat, training and test samples."""
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED)
    for number, (train, test) in enumerate(folds.split(X, y)):
        yield number // FOLDS, train, test


def predict_panels(X: Any, y: NDArray[np.intp], repeats: int) -> NDArray[np.float64]:
    """Risks of the second class, by method, repeat and sample."""
    risks = np.full((len(METHODS), repeats, len(y)), np.nan)
    with warnings.catch_warnings(action="ignore"):
        for repeat, train, test in list_folds(X, y, repeats):
            machine = SupportFeatureMachine(C=C, max_features=SIZE).fit(X[train], y[train])
            search = PanelSizeCV(SupportFeatureMachine(C=C), sizes=[SIZE], random_state=0)
            search.fit(X[train], y[train])
            panel = np.flatnonzero(machine.get_support())
            assert np.array_equal(search.get_support(), machine.get_support())
            peer = make_pipeline(StandardScaler(), LogisticRegression())
            peer.fit(X[train][:, panel], y[train])
            score = points_score(X[train], y[train], panel, cv=2, random_state=0)
            risks[:, repeat, test] = (
                machine.predict_proba(X[test])[:, 1],
                search.predict_proba(X[test])[:, 1],
                peer.predict_proba(X[test][:, panel])[:, 1],
                score.predict_proba(X[test])[:, 1],
                np.full(len(test), np.mean(y[train])),
            )
    return risks


def predict_machine(machine: Any, X: Any, y: NDArray[np.intp]) -> NDArray[np.float64]:
    """Risks of the second class in one repeat."""
    risks = np.full((1, len(y)), np.nan)
    with warnings.catch_warnings(action="ignore"):
        for repeat, train, test in list_folds(X, y, 1):
            fitted = clone(machine).fit(X[train], y[train])
            risks[repeat, test] = fitted.predict_proba(X[test])[:, 1]
    return risks


def show_scores(name: str, method: str, y: NDArray[np.intp], risk: NDArray[np.float64]) -> None:
    """One line of a table."""
    scores = [brier_score_loss(y, one) for one in risk]
    areas = [roc_auc_score(y, one) for one in risk]
    loss = log_loss(np.tile(y, len(risk)), risk.ravel())
    print(
        f"  {name:<13}{method:<25}{np.mean(scores):>8.3f} +-{np.std(scores):.3f}"
        f"{loss:>10.3f}{np.mean(areas):>8.3f}",
        flush=True,
    )


def sort_into_bins(
    y: NDArray[np.intp], risk: NDArray[np.float64]
) -> list[tuple[float, float, float]]:
    """Mean risk, observed share, and samples per repeat of every fifth; NaN where it is empty."""
    place = np.clip(np.digitize(risk, EDGES) - 1, 0, len(EDGES) - 2)
    truth, bins = np.broadcast_to(y, risk.shape), []
    for number in range(len(EDGES) - 1):
        here = place == number
        means = (risk[here].mean(), truth[here].mean()) if here.any() else (np.nan, np.nan)
        bins.append((float(means[0]), float(means[1]), float(here.sum() / len(risk))))
    return bins


def show_bins(y: NDArray[np.intp], risk: NDArray[np.float64]) -> str:
    """'0.05 > 0.07 (20)' for every fifth of the risks; a dash where there are none."""
    cells = []
    for mean, share, count in sort_into_bins(y, risk):
        known = f"{mean:.2f} > {share:.2f}" if count else "-"
        cells.append(f"{known:>11} {f'({count:.0f})':>5}")
    return "  ".join(cells)


def draw(found: Risks, path: str) -> None:
    """Reliability curves of the panels' methods, one figure per data set."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for name, _ in found))
    page = Figure(figsize=(3.2 * len(names), 3.4), layout="constrained")
    for ax, name in zip(np.atleast_1d(page.subplots(1, len(names))), names, strict=True):
        ax.plot([0, 1], [0, 1], color="0.8", zorder=0)
        for method in METHODS[:-1]:
            bins = np.array(sort_into_bins(*found[name, method]))
            known = bins[:, 2] > 0
            ax.plot(bins[known, 0], bins[known, 1], marker="o", markersize=3, label=method)
        ax.set(title=name, xlabel="mean risk", xlim=(0, 1), ylim=(0, 1))
    page.axes[0].set_ylabel("observed share")
    page.axes[0].legend(fontsize=6)
    page.savefig(path, dpi=150)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="generated data and noise, once")
    parser.add_argument("--no-others", action="store_true", help="leave the second table out")
    parser.add_argument("--figure", metavar="FILE", help="draw the reliability")
    given = parser.parse_args()
    main(
        () if given.quick else NAMES,
        1 if given.quick else REPEATS,
        others=not given.no_others,
        figure=given.figure,
    )
