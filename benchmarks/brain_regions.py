"""How many selected and ranked voxels are in planted regions, compared with chance."""

from __future__ import annotations

import argparse

import numpy as np

from fewest import RepetitiveSelector, SupportFeatureMachineCV
from fewest.datasets import BrainMaps, make_brain
from fewest.informative import t_map
from fewest.neuro.analyses import all_pairs, map_overlap

STRENGTHS = (2.0, 1.0, 0.5, 0.25, 0.0)  # distance of the class means, in noise's deviations
PLANTED = 0.05
SHARES = (0.01, 0.025, 0.05)
LEVEL = 0.001


def ranked(maps: BrainMaps, count: int) -> np.ndarray:
    """At least `count` voxels, in the order in which repetitive selection finds them."""
    n_subsets = 10
    while True:
        selector = RepetitiveSelector(n_subsets=n_subsets).fit(maps.X, maps.y)
        if selector.support_.sum() >= count or selector.stop_reason_ != "repetitions":
            return np.concatenate(selector.subsets_)
        n_subsets *= 2


def members(voxels: np.ndarray, n_voxels: int) -> np.ndarray:
    inside = np.zeros(n_voxels, dtype=bool)
    inside[voxels] = True
    return inside


def row(name: str, chosen: np.ndarray, truth: np.ndarray) -> float:
    found = map_overlap(chosen, truth)
    print(
        f"  {name:<34}{found.n_first:>8}{found.n_both:>10}{found.expected:>10.1f}"
        f"{found.dice:>7.2f}{found.p_value:>10.1g}",
        flush=True,
    )
    return found.p_value


def measure(strength: float, n_voxels: int, seed: int, jobs: int) -> list[float]:
    # With a strength near zero there are regions to compare with, but nothing to find.
    maps = make_brain(
        n_voxels=n_voxels, informative=PLANTED, strength=max(strength, 1e-9), random_state=seed
    )
    truth = maps.informative
    found = all_pairs(
        SupportFeatureMachineCV(), maps.X, maps.y, groups=maps.groups, n_jobs=jobs
    ).pairs[0]
    print(f"strength {strength:g} (leave one participant out: {found.performance})")
    p_values = [row("in the machine of some fold", found.performance.selected_in > 0, truth)]
    order = ranked(maps, round(max(SHARES) * n_voxels))
    univariate = t_map(maps.X, maps.y, groups=maps.groups)
    for share in SHARES:
        count = round(share * n_voxels)
        p_values.append(
            row(f"first {100 * share:g} % of the ranking", members(order[:count], n_voxels), truth)
        )
        row(f"top {100 * share:g} % of the t-map", members(univariate.top(share), n_voxels), truth)
    return p_values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voxels", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    print(
        f"12 participants, 2 x 4 maps, {arguments.voxels} voxels, {100 * PLANTED:g} % of them in "
        "planted regions; p: so large an overlap by chance (hypergeometric)"
    )
    head = ("voxels", "in truth", "by chance", "Dice", "p")
    print(f"{'':<36}{head[0]:>8}{head[1]:>10}{head[2]:>10}{head[3]:>7}{head[4]:>10}")
    for strength in STRENGTHS:
        p_values = measure(strength, arguments.voxels, arguments.seed, arguments.jobs)
        small = sum(p <= LEVEL for p in p_values)
        asked = "none, as nothing is planted" if strength == 0 else "all, where strong"
        print(
            f"  p <= {LEVEL:g} in {small} of {len(p_values)} maps of this package (target: {asked})"
        )


if __name__ == "__main__":
    main()
