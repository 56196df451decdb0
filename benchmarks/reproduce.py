"""What the papers report, and the same quantities from this implementation, side by side.

Real data are looked for in $FEWEST_DATA and in ../shared/data; without them that part is skipped.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import mean

import numpy as np

from fewest import SupportFeatureMachine
from fewest.datasets import load_leukemia, make_gaussian, make_weston

# 001, table 1: number of features, and percentage of them among the six, by n and noise features.
WESTON_TABLE = {
    20: {10: (2.0, 98.5), 100: (2.0, 88.9), 1000: (2.0, 66.5)},
    50: {10: (2.3, 99.6), 100: (2.4, 98.8), 1000: (2.4, 96.7)},
    100: {10: (2.7, 99.7), 100: (2.6, 99.1), 1000: (2.6, 97.3)},
    200: {10: (3.1, 99.4), 100: (3.2, 98.5), 1000: (3.2, 96.6)},
    500: {10: (4.1, 98.8), 100: (4.2, 96.4), 1000: (4.2, 94.3)},
}
RUNS = 100


def weston_cell(n: int, n_noise: int) -> tuple[float, float]:
    counts, correct = [], []
    machine = SupportFeatureMachine(C=np.inf, refit=None)
    for run in range(RUNS):
        seed = np.random.SeedSequence([n, n_noise, run])
        X, y = make_weston(n, n_noise, random_state=np.random.default_rng(seed))
        selected = np.flatnonzero(machine.fit(X, y).support_)
        counts.append(len(selected))
        correct.append(np.mean(selected < 6))
    return mean(counts), 100 * mean(correct)


def weston() -> None:
    print(f"Weston toy, hard machine, {RUNS} runs a cell (001 table 1)")
    print("  asked: within 0.25 features and 4 points of the paper")
    print(f"  {'n':>4} {'noise':>6} {'features':>9} {'paper':>6} {'correct':>9} {'paper':>7}")
    for n, cells in WESTON_TABLE.items():
        for n_noise, (paper_count, paper_correct) in cells.items():
            count, correct = weston_cell(n, n_noise)
            close = abs(count - paper_count) <= 0.25 and abs(correct - paper_correct) <= 4.0
            print(
                f"  {n:>4} {n_noise:>6} {count:>9.2f} {paper_count:>6.1f} {correct:>8.1f}% "
                f"{paper_correct:>6.1f}%   {'within' if close else 'OUTSIDE'}",
                flush=True,
            )


def leukemia() -> None:
    folder = Path(os.environ.get("FEWEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "leukemia.npz").exists():
        print("leukemia: skipped, leukemia.npz is not in $FEWEST_DATA nor in ../shared/data")
        return
    data = load_leukemia(path=folder / "leukemia.npz")
    names = np.load(folder / "leukemia.npz")["gene_name"]
    train = np.asarray(data.split) == "train"
    X, y = data.data, data.target
    print("leukemia, 38 training samples, hard machine (003 sec. III-C: 2 genes, 17.7 % = 6 of 34)")
    for refit in (None, "margin"):
        machine = SupportFeatureMachine(C=np.inf, refit=refit).fit(X[train], y[train])
        wrong = np.sum(machine.predict(X[~train]) != y[~train])
        missed = np.sum(machine.predict(X[train]) != y[train])
        print(
            f"  refit={refit!s:>6}: {machine.support_.sum()} genes "
            f"({'; '.join(names[machine.support_])}), {wrong} of {np.sum(~train)} test samples and "
            f"{missed} of {train.sum()} training samples wrong"
        )


def soft() -> None:
    errors, shares, counts = [], [], []
    for seed in range(20):
        X, y = make_gaussian(n=500, d=200, k=10, mu=0.3, random_state=seed)
        X_test, y_test = make_gaussian(n=10_000, d=200, k=10, mu=0.3, random_state=1000 + seed)
        machine = SupportFeatureMachine(C=0.34).fit(X, y)
        selected = np.flatnonzero(machine.support_)
        errors.append(1 - machine.score(X_test, y_test))
        shares.append(np.mean(selected < 10))
        counts.append(len(selected))
    print("soft machine, C = 0.34, n = 500, d = 200, 10 informative, mu = 0.3, mean of 20 seeds")
    print(f"  test error {mean(errors):.3f} (asked: at most 0.19; Bayes: 0.171)")
    print(f"  {mean(shares):.0%} of {mean(counts):.1f} features informative (asked: 80 %)")


def limits() -> None:
    first, equal, total = 0, 0, 20
    for seed in range(total):
        X, y = make_gaussian(n=100, d=500, k=5, mu=0.4, random_state=seed)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        largest = np.argmax(np.abs(Z[y > 0].mean(axis=0) - Z[y < 0].mean(axis=0)))
        chosen = np.flatnonzero(SupportFeatureMachine(C=1e-6).fit(X, y).support_)
        first += chosen.tolist() == [largest]
        X, y = make_weston(100, 500, random_state=seed)
        hard = SupportFeatureMachine(C=np.inf, refit=None).fit(X, y)
        large = SupportFeatureMachine(C=1e6, refit=None).fit(X, y)
        equal += np.allclose(hard.coef_, large.coef_, rtol=1e-6, atol=0)
    print("limits of C (001 sec. 2.3.2)")
    print(f"  C = 1e-6: only the largest class-mean difference in {first} of {total} data sets")
    print(
        f"  C = 1e6 on separable data: the hard machine's weights in {equal} of {total} data sets"
    )


def main() -> None:
    weston()
    leukemia()
    soft()
    limits()


if __name__ == "__main__":
    main()
