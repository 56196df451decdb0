"""How well k features tell two or a few classes apart: our machine and other methods, k = 1 to 20.

Run with `python -m benchmarks.panel_sizes`; `--data colon` measures on one data set, `--repeats 2`
makes it shorter, `--development` takes the data sets and folds on which settings were chosen.
Every method chooses k features in the training part of the same repeated stratified folds, from the
same standardised columns. One linear SVM (C = 1, balanced classes) is then trained on these
features; what is shown is its balanced error on the samples left out, with the standard error over
the repeats of the difference to ours.

What other methods choose is kept in benchmarks/.cache, so an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from benchmarks.many_classes_cache import keep, time_choice
from benchmarks.many_classes_data import N_FOLDS, SEED, Fold, ManyClasses
from benchmarks.many_classes_peers import Choice, Chosen, peers
from benchmarks.panel_sizes_data import DEVELOPMENT, REPEATS, SIZES, is_generated, load_all
from benchmarks.panel_sizes_peers import PEERS
from fewest import SupportFeatureMachine

OURS = "Support Feature Machine"
# Folds of another seed than those that judge.
_DEVELOPMENT_SEED = 7
Errors = dict[str, np.ndarray]  # one row per fold, one column per number of features


def by_machine(X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> Chosen:
    """The features of the machine with `max_features`; what all sizes share is computed once."""
    machine = SupportFeatureMachine(max_features=max(sizes))
    task = machine._joint_task(*machine._prepare(X, y, None))
    search = machine._search_panels(task, min(sizes))
    return {k: search.choose(k) for k in sizes}


def score(fold: Fold, features: np.ndarray) -> float:
    """Balanced error of the linear SVM on these features, for the samples left out."""
    machine = SVC(kernel="linear", class_weight="balanced")
    machine.fit(fold.X[:, features], fold.y)
    decided = machine.predict(fold.X_left_out[:, features])
    return 1.0 - float(balanced_accuracy_score(fold.y_left_out, decided))


def measure(data: ManyClasses, name: str, choose: Choice) -> tuple[np.ndarray, float]:
    """Errors of every fold and size, and the seconds per fold for all sizes."""
    errors, seconds = [], []
    for fold in data.folds():
        if name == OURS:  # its code may have changed
            chosen, duration = time_choice(choose, fold, data.sizes)
        else:
            chosen, duration = keep(name, choose, fold, data.sizes)
        errors.append([score(fold, chosen[k]) for k in data.sizes])
        seconds.append(duration)
    return np.array(errors), float(np.mean(seconds))


def compare(data: ManyClasses, methods: dict[str, Choice]) -> Errors:
    """Print the table of one data set."""
    n, d = data.X.shape
    print(f"\n{data.name}: {n} samples, {d:,} features, {data.y.max() + 1} classes")
    _print_head("s per fold")
    found = {}
    for name, choose in methods.items():
        found[name], seconds = measure(data, name, choose)
        _line(name, found[name].mean(axis=0), end=f"{seconds:>12.2f}")
    _print_difference(found)
    return found


def summarize(title: str, found: list[Errors]) -> None:
    """Print the means over data sets; errors of one repeat are averaged over its folds first."""
    if len(found) < 2:
        return
    print(f"\n{title}")
    _print_head()
    pooled = {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}
    for name, errors in pooled.items():
        _line(name, errors.mean(axis=0))
    _print_difference(pooled)


def subtract_best(found: Errors) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The best other method at each k, ours minus it, and the standard error over the repeats."""
    others = [name for name in found if name != OURS]
    means = np.array([found[name].mean(axis=0) for name in others])
    best = [others[place] for place in means.argmin(axis=0)]
    difference = np.column_stack([(found[OURS] - found[b])[:, i] for i, b in enumerate(best)])
    repeats = difference.reshape(-1, N_FOLDS, difference.shape[1]).mean(axis=1)
    error = repeats.std(axis=0, ddof=1) / np.sqrt(len(repeats)) if len(repeats) > 1 else np.nan
    return best, difference.mean(axis=0), error * np.ones(len(best))


def _print_difference(found: Errors) -> None:
    best, difference, error = subtract_best(found)
    print(f"  {'best other':<26}" + "".join(f"{name.split(',')[0]:>9}" for name in best))
    _line("ours minus it", difference, "+9.3f")
    _line("  standard error", error)


def _print_head(end: str = "") -> None:
    print(f"  {'balanced error at k =':<26}" + "".join(f"{k:>9}" for k in SIZES) + f"  {end}")


def _line(name: str, values: np.ndarray, form: str = "9.3f", end: str = "") -> None:
    print(f"  {name:<26}" + "".join(f"{value:{form}}" for value in values) + end, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="k features for two or a few classes")
    parser.add_argument("--data", action="append", help="a data set's name, or its beginning")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--development", action="store_true", help="other folds, half of the data")
    options = parser.parse_args(arguments)
    names = None if options.data is None else tuple(options.data)
    seed = SEED
    if options.development:
        names, seed = names or DEVELOPMENT, _DEVELOPMENT_SEED
    methods = {OURS: by_machine, **peers(PEERS)}
    kinds: dict[str, list[Errors]] = {"real": [], "generated": []}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for data in load_all(names, options.repeats, seed):
            kinds["generated" if is_generated(data.name) else "real"].append(compare(data, methods))
    for kind, found in kinds.items():
        summarize(f"means over {len(found)} {kind} data sets", found)
    summarize("means over all data sets", [one for found in kinds.values() for one in found])


if __name__ == "__main__":
    main()
