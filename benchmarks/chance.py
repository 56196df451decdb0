"""What chance can do: published bounds and curves, and permutation tests.

Real data are looked for in $FEWEST_DATA and in ../shared/data; without them that part is skipped.
"""

from __future__ import annotations

import textwrap
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.stats import kstest

from benchmarks.real_files import find
from fewest.datasets import load_leukemia
from fewest.diagnostics import diagnose
from fewest.significance import PermutedStatistic, permutation_test, subset_separability_bounds

RUNS = 1000
# As in fig. 2.8 of Klement's thesis (2013): d = 5 with every d*, and other pairs with few subsets.
PAIRS = [(5, 1), (5, 2), (5, 3), (5, 4), (5, 5), (10, 2), (10, 8), (20, 2), (50, 1), (100, 1)]
DATA_SETS, PERMUTATIONS = 100, 99
NOISE_SETS = 20


def bounds() -> None:
    print("Upper bounds on the probability that random data are separable")
    print("  (Klement's thesis 2013, sec. 4.4; Klement & Martinetz 2010, sec. III-A)")
    for (d_star, d, n), paper in {(2, 7129, 38): "0.0070", (3, 5102, 50): "0.048"}.items():
        ours = subset_separability_bounds(n, d, d_star).upper
        print(f"  P({d_star}, {d}, {n}) <= {ours:.5f} (target: {paper})")
    huge = subset_separability_bounds(2000, 10**6, 20)
    print(f"  P(20, 10^6, 2000) <= exp({huge.log_upper:.1f})")


def curves() -> None:
    print(f"Share of {RUNS} random data sets that are separable in d* of d features")
    print("  (Klement's thesis 2013, fig. 2.8)")
    print("  target: within the bounds (three standard errors allowed)")
    rng = np.random.default_rng(0)
    for d, d_star in PAIRS:
        outside, shown = 0, []
        sizes = range(2, 4 * d_star + 12, 2 if d_star > 1 else 1)
        for n in sizes:
            share = np.mean([separable(rng.standard_normal((n, d)), d_star) for _ in range(RUNS)])
            limits = subset_separability_bounds(n, d, d_star)
            low, high = (
                bound + sign * 3 * np.sqrt(bound * (1 - bound) / RUNS)
                for bound, sign in ((limits.lower, -1), (limits.upper, 1))
            )
            outside += not low <= share <= high
            shown.append(f"{n}: {limits.lower:.2f} {share:.2f} {limits.upper:.2f}")
        middle = shown[len(shown) // 2]
        print(
            f"  d = {d:>3}, d* = {d_star}: {outside} of {len(shown)} sample sizes outside; "
            f"at n = {middle} (lower, share, upper)",
            flush=True,
        )


def separable(Z: np.ndarray, d_star: int) -> bool:
    """Whether all samples lie in one half-space of some d* features: labels do not matter then."""
    if d_star == 1:
        return bool(np.any(np.all(Z > 0, axis=0) | np.all(Z < 0, axis=0)))
    return any(
        in_half_space(Z[:, list(chosen)]) for chosen in combinations(range(Z.shape[1]), d_star)
    )


def in_half_space(Z: np.ndarray) -> bool:
    """Whether all rows lie in one half-space: zero is then no convex combination of them."""
    system = np.vstack([Z.T, np.ones(len(Z))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    return bool(nnls(system, target)[1] > 1e-9)


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
    bounds()
    curves()
    leukemia()
    noise()
    conclusions()


if __name__ == "__main__":
    main()
