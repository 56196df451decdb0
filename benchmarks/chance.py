"""What chance can do: permutation tests on noise and on real data.

Real data are looked for in $FEWEST_DATA and in ../shared/data; without them that part is skipped.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from scipy.stats import kstest

from benchmarks.real_files import find
from fewest.datasets import load_leukemia
from fewest.diagnostics import diagnose
from fewest.significance import PermutedStatistic, permutation_test

DATA_SETS, PERMUTATIONS = 100, 99
NOISE_SETS = 20


def noise() -> None:
    print(
        f"Permutation test of the number of features on noise, 40 x 20,000: {DATA_SETS} data sets, "
        f"{PERMUTATIONS} permutations each"
    )
    p_values = {"random": [], "objective": [], "conservative": []}
    for seed in range(DATA_SETS):
        X = np.random.default_rng(seed).standard_normal((40, 20_000))
        y = np.arange(40) % 2
        for ties in ("random", "objective"):
            found = permutation_test(
                None,
                X,
                y,
                statistics="features",
                n_permutations=PERMUTATIONS,
                ties=ties,
                random_state=1000 + seed,
            ).features
            p_values[ties].append(found.p_value)
        at_least_as_good = int(np.sum(found.chance <= found.observed))
        p_values["conservative"].append((1 + at_least_as_good) / (1 + PERMUTATIONS))
    for ties, values in p_values.items():
        uniform = kstest(values, "uniform").pvalue
        small = np.mean(np.array(values) <= 0.05)
        asked = " (target: above 0.01)" if ties == "random" else ""
        print(
            f"  ties {ties:>12}: Kolmogorov-Smirnov p = {uniform:.3f}{asked}; "
            f"{small:.0%} of the p-values are at most 0.05"
        )


def leukemia_data() -> Any:
    path = find("leukemia")
    return None if path is None else load_leukemia(path=path)


def leukemia() -> None:
    data = leukemia_data()
    if data is None:
        return
    train = np.asarray(data.split) == "train"
    for name, rows in {"38 training samples": train, "all 72 samples": np.full(72, True)}.items():
        X, y = data.data[rows], data.target[rows]
        print(f"leukemia, {name} (target: p <= 0.01)")
        for ties in ("objective", "conservative"):
            test = permutation_test(
                None, X, y, statistics="features", n_permutations=999, ties=ties, random_state=0
            )
            _print(f"features, ties {ties}", test.features)
        test = permutation_test(None, X, y, statistics="error", n_permutations=199, random_state=0)
        _print("cross-validated error", test.error)


def _print(what: str, found: PermutedStatistic) -> None:
    print(
        f"  {what}: {found.observed:.3g}, permuted labels {found.chance_median:.3g} (median; "
        f"{found.chance.min():.3g} at best), p = {found.p_value:.3f}",
        flush=True,
    )


def conclusions() -> None:
    verdicts = []
    for seed in range(NOISE_SETS):
        X = np.random.default_rng(seed).standard_normal((60, 10_000))
        found = diagnose(X, np.arange(60) % 2, cv=None if seed else 5, random_state=seed)
        verdicts.append(found.conclusive)
        if seed == 0:
            print("diagnose on noise, 60 x 10,000 (expected: nothing can be concluded)")
            print(textwrap.indent(str(found), "  "))
    print(
        f"diagnose finds something in {sum(verdicts)} of {NOISE_SETS} such data sets "
        f"(level 5 %: {NOISE_SETS / 20:g} expected)"
    )
    data = leukemia_data()
    if data is not None:
        print("diagnose on leukemia, 72 samples (expected: something can be concluded)")
        print(textwrap.indent(str(diagnose(data.data, data.target, random_state=0)), "  "))


def main() -> None:
    leukemia()
    noise()
    conclusions()


if __name__ == "__main__":
    main()
