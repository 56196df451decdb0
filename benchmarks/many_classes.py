"""How well k features tell many classes apart: our machine and other methods.

Run with `python -m benchmarks.many_classes`; `--data khan` measures on one data set. Every method
chooses k features in the training part of the same stratified folds, from the same standardised
columns. One multinomial logistic regression, the same for all, is then trained on these features;
what is shown is its macro-F1 on the samples left out. The settings of our machine are its
defaults, those of the others the ones they recommend (see `benchmarks.many_classes_peers`).

pbmc3k and khan are looked for in $FEWEST_DATA and in ../shared/data; methods that are not installed
are skipped (`pip install -e .[compare]`). What other methods choose is kept in benchmarks/.cache.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.many_classes_cache import keep, time_choice
from benchmarks.many_classes_data import Fold, ManyClasses, load_all
from benchmarks.many_classes_peers import Choice, Chosen, peers
from fewest import SupportFeatureMachine

OURS, SEPARATE = "Support Feature Machine", "one machine per class"
# Costs at which separate machines are tried: their union grows with C, but not for ever.
_COSTS = 2.0 ** np.arange(-5, 5)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One row per fold, one column per number of features."""

    scores: np.ndarray
    counts: np.ndarray
    seconds: np.ndarray
    decisions: np.ndarray | None = None


def choose_jointly(X: np.ndarray, y: np.ndarray, k: int) -> tuple[np.ndarray, Any]:
    """At most k features of one machine for all classes, and the machine."""
    machine = SupportFeatureMachine(max_features=k).fit(X, y)
    return np.flatnonzero(machine.support_), machine


def by_union(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """One machine per class: of the first union with k features, those of largest weight."""
    orders = []
    for C in _COSTS:
        machine = SupportFeatureMachine(C=float(C), multi_class="separate").fit(X, y)
        size = np.abs(machine.coef_).max(axis=0)
        orders.append(np.argsort(-size, kind="stable")[: np.count_nonzero(size)])
        if len(orders[-1]) >= max(sizes):
            break
    largest = max(orders, key=len)
    return {k: next((one for one in orders if len(one) >= k), largest)[:k] for k in sizes}


def score(fold: Fold, features: np.ndarray) -> float:
    """Macro-F1 of the logistic regression on these features, for the samples left out."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(fold.X[:, features], fold.y)
    return rate(fold, model.predict(fold.X_left_out[:, features]))


def rate(fold: Fold, predicted: np.ndarray) -> float:
    return float(f1_score(fold.y_left_out, predicted, average="macro"))


def measure_ours(data: ManyClasses) -> Outcome:
    """The joint machine for every number of features; seconds are those of one fit."""
    rows = []
    for fold in data.folds():
        row = []
        for k in data.sizes:
            started = perf_counter()
            features, machine = choose_jointly(fold.X, fold.y, k)
            seconds = perf_counter() - started
            decision = rate(fold, machine.predict(fold.X_left_out))
            row.append((score(fold, features), len(features), seconds, decision))
        rows.append(row)
    return Outcome(*np.moveaxis(np.array(rows), 2, 0))


def measure(data: ManyClasses, name: str, choose: Choice) -> Outcome:
    """The same for a method that chooses for all numbers of features at once."""
    rows = []
    for fold in data.folds():
        if name == SEPARATE:  # ours: its code may have changed
            chosen, seconds = time_choice(choose, fold, data.sizes)
        else:
            chosen, seconds = keep(name, choose, fold, data.sizes)
        each = seconds / len(data.sizes)
        rows.append([(score(fold, chosen[k]), len(chosen[k]), each) for k in data.sizes])
    return Outcome(*np.moveaxis(np.array(rows), 2, 0))


def compare(data: ManyClasses, others: dict[str, Choice]) -> dict[str, Outcome]:
    """Print the table of one data set."""
    n, d = data.X.shape
    print(f"\n{data.name}: {n:,} samples, {d:,} features, {data.y.max() + 1} classes")
    print(f"  {'macro-F1 at k =':<28}" + "".join(f"{k:>8}" for k in data.sizes) + "   s per k")
    found = {OURS: measure_ours(data)}
    _show(OURS, found[OURS])
    for name, choose in {SEPARATE: by_union, **others}.items():
        found[name] = measure(data, name, choose)
        _show(name, found[name])
    ours = found[OURS]
    _line("features of ours", ours.counts.mean(axis=0), "8.1f")
    _line("own decision of ours", ours.decisions.mean(axis=0))
    rivals = np.array([one.scores for name, one in found.items() if name != OURS])
    difference, error = subtract_best(ours.scores, rivals)
    _line("ours minus the best other", difference, "+8.3f")
    _line("  standard error", error)
    return found


def subtract_best(scores: np.ndarray, rivals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean difference to the rival that is best at each k, and its standard error over folds."""
    best = rivals.mean(axis=1).argmax(axis=0)
    difference = scores - rivals[best, :, np.arange(len(best))].T
    return difference.mean(axis=0), difference.std(axis=0, ddof=1) / np.sqrt(len(difference))


def _show(name: str, outcome: Outcome) -> None:
    _line(name, outcome.scores.mean(axis=0), end=f"{outcome.seconds.mean():>10.2f}")


def _line(name: str, values: np.ndarray, form: str = "8.3f", end: str = "") -> None:
    print(f"  {name:<28}" + "".join(f"{value:{form}}" for value in values) + end, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="k features for many classes")
    parser.add_argument("--data", action="append", help="a data set's name, or its beginning")
    asked = parser.parse_args(arguments).data
    print("Macro-F1 of one multinomial logistic regression on k features, means over the folds")
    others = peers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for data in load_all():
            if asked is None or data.name.startswith(tuple(asked)):
                compare(data, others)


if __name__ == "__main__":
    main()
