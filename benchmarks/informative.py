"""Estimates of the share of informative features beside the true one, on generated brain maps."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fewest import SupportFeatureMachine
from fewest.datasets import make_brain
from fewest.informative import informative_features, informative_share, t_map

SHARES = (0.10, 0.34, 0.60)
STRENGTHS = (2.0, 1.0, 0.5)  # distance of the class means, in standard deviations of the noise
STRONG = STRENGTHS[0]
ASKED = 8.0
RULES = ("purified", "univariate", "band", "restricted", "sigmoid")


@dataclass(frozen=True)
class Outcome:
    """Estimates in percent, and how many informative features were removed."""

    truth: float
    strength: float
    sigmoid: float
    restricted: float
    band: float
    purified: float
    univariate: float
    removed_at_estimate: float  # share of the informative features that the selection has removed
    pure_at_estimate: float  # share of informative features among those that it has removed
    seconds: float


def measure(truth: float, strength: float, seed: int, arguments: argparse.Namespace) -> Outcome:
    n_voxels = arguments.voxels
    maps = make_brain(
        arguments.participants,
        n_voxels=n_voxels,
        informative=truth,
        strength=strength,
        random_state=seed,
    )
    started = perf_counter()
    found = informative_features(
        SupportFeatureMachine(C=arguments.C, refit=None),
        maps.X,
        maps.y,
        groups=maps.groups,
        every=3,
        n_permutations=20,
        n_jobs=arguments.jobs,
    )
    seconds = perf_counter() - started
    univariate = informative_share(t_map(maps.X, maps.y, groups=maps.groups).p_value)
    count = max(1, round(found.estimate * n_voxels))
    taken = [maps.informative[np.concatenate(fold.subsets)[:count]] for fold in found.folds]
    return Outcome(
        truth=100 * maps.informative.mean(),
        strength=strength,
        sigmoid=100 * found.sigmoid.estimate,
        restricted=100 * found.restricted.estimate,
        band=100 * found.band.estimate,
        purified=100 * found.purity.estimate,
        univariate=100 * univariate,
        removed_at_estimate=100 * float(np.mean([t.sum() for t in taken]) / maps.informative.sum()),
        pure_at_estimate=100 * float(np.mean([t.mean() for t in taken])),
        seconds=seconds,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voxels", type=int, default=2000)
    parser.add_argument("--participants", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--C", type=float, default=np.inf, help="of the machine; inf is the hard one"
    )
    arguments = parser.parse_args()
    print(
        f"Share of informative features in percent: {arguments.participants} participants, "
        f"2 x 4 maps, {arguments.voxels} voxels.\n"
        "sigmoid: the rule of Klement, Anders & Martinetz 2013; 0 to 0.5: its restricted form;\n"
        "band: chance by permutation;\n"
        "purified: the sigmoid's without features removed by chance, judged by left-out samples;\n"
        "t-map: from the p-values of a paired t-test; found and pure, at the sigmoid's estimate:\n"
        "informative features that are removed, and removed features that are informative."
    )
    head = "truth strength sigmoid 0_to_0.5 band purified t-map found pure seconds"
    print("".join(f"{name.replace('_', ' '):>10}" for name in head.split()))
    rows = []
    for strength in STRENGTHS:
        for truth in SHARES:
            for seed in range(arguments.seeds):
                row = measure(truth, strength, seed, arguments)
                values = vars(row).values()
                print("".join(f"{value:>10.1f}" for value in values), flush=True)
                rows.append(row)
    summarize(rows)


def summarize(rows: list[Outcome]) -> None:
    """How far each estimate is from the truth, on average and at most, at every strength."""
    print("\nEstimate minus truth, in percent of all features: mean, mean size, largest size")
    print(
        "".join(f"{name:>22}" for name in ("", *(f"strength {one:g}" for one in STRENGTHS), "all"))
    )
    for name in RULES:
        cells = []
        for strengths in (*((one,) for one in STRENGTHS), STRENGTHS):
            errors = [getattr(row, name) - row.truth for row in rows if row.strength in strengths]
            size = np.abs(errors)
            cells.append(f"{np.mean(errors):+.1f} {size.mean():.1f} {size.max():.1f}")
        print("".join(f"{cell:>22}" for cell in (name, *cells)))
    worst = max(abs(row.purified - row.truth) for row in rows if row.strength == STRONG)
    print(f"largest error at strength {STRONG:g}, purified: {worst:.1f} (target {ASKED:g})")


if __name__ == "__main__":
    main()
