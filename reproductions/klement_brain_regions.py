"""Where emotions are told apart: random voxels, regions of two pairs, and lower resolutions.

Klement's thesis (2013), sec. 6.4, figs. 6.6, 6.10, 6.12 and 6.23, on stand-ins for its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fewest.datasets import make_brain
from fewest.informative import random_subset_errors
from fewest.neuro.analyses import map_overlap, repeat_pairs, repeat_resolutions, resolutions
from reproductions.curves import keep_curve, read_curve
from reproductions.klement_brain_emotions import PAIRS, STAND_IN, make_trials
from reproductions.study import Cell, Measured, Published, Study

# Klement's thesis (2013), fig. 6.20, joy vs. sadness at levels 0 to 3.
FIG_6_20 = {"features": (4.0, 3.5, 4.7, 5.5), "error": (0.23, 0.26, 0.27, 0.34)}
_THESIS_VOXELS = (41_642, 5222, 661, 80)
_SHARE = {"regions": 0.025, "levels": 0.05}
_SLIGHT = 0.25  # of the voxels of two maps that are in both
_YES = Published(1, 0)
_LARGER = STAND_IN.replace("1,000", "4,000")


def draw_random(quick: bool) -> dict[str, float]:
    """Figure 6.6: a hard machine on random voxels, for every pair."""
    data = make_trials(300 if quick else 1000)
    sizes = [2**power for power in range(12) if 2**power < data.X.shape[1]] + [data.X.shape[1]]
    kept: dict[str, float] = {}
    means = {}
    for pair in PAIRS:
        own = np.isin(data.y, pair)
        found = random_subset_errors(
            data.X[own],
            data.y[own],
            groups=data.groups[own],
            n_features=sizes,
            n_subsets=5 if quick else 100,
            C=1e4,
            random_state=0,
        )
        name = " vs. ".join(pair)
        means[name] = found.errors.mean(axis=1)
        kept |= keep_curve(name, sizes, means[name])
    overall = {name: float(errors.mean()) for name, errors in means.items()}
    order = sorted(overall, key=lambda name: overall[name])
    row = {
        "joy vs. sadness is told apart best": order[0] == "joy vs. sadness",
        "fear vs. sadness is told apart worst": order[-1] == "fear vs. sadness",
        "anger vs. sadness is next to that": order[-2] == "anger vs. sadness",
        "single voxels are better than chance for some pair": min(
            errors[0] for errors in means.values()
        )
        < 0.45,
    }
    return {label: float(value) for label, value in row.items()} | kept


def compare_regions(quick: bool) -> dict[str, float]:
    """Figures 6.10 and 6.12: what folds agree on for a good pair and for a bad one."""
    data = make_trials(_size(quick))
    maps = []
    for first in ("joy", "fear"):
        found = repeat_pairs(
            None,
            data.X,
            data.y,
            groups=data.groups,
            conditions=[first, "sadness"],
            probe=None,
        ).parts[0]
        maps.append(found.find_consensus(_SHARE["regions"]).voxels)
    shared = map_overlap(*maps)
    return {
        "regions overlap only slightly": float(shared.dice < _SLIGHT),
        "voxels, joy vs. sadness": float(shared.n_first),
        "voxels, fear vs. sadness": float(shared.n_second),
        "voxels of both": float(shared.n_both),
        "of both by chance": shared.expected,
    } | _keep_map("regions", maps[0] + 2 * maps[1])


def follow_levels(quick: bool) -> dict[str, float]:
    """Figure 6.23, and the row of fig. 6.20: joy and sadness at lower resolutions."""
    n_levels = 1 if quick else 2
    data = make_trials(_size(quick))
    own = np.isin(data.y, ["joy", "sadness"])
    X, y, mask = data.X[own], data.y[own], _find_mask(_size(quick))
    how: dict[str, Any] = {"groups": data.groups[own], "n_levels": n_levels}
    single = resolutions(None, X, y, mask, **how)
    repeated = repeat_resolutions(None, X, y, mask, probe=None, **how)
    maps = [part.find_consensus(_SHARE["levels"]).voxels for part in repeated.parts]
    overlaps = [map_overlap(maps[0], one) for one in maps]
    performances = [level.found.pairs[0].performance for level in single.levels]
    errors = [one.error for one in performances]
    row = {
        "levels 0 and 1 share more than chance": overlaps[1].p_value < 0.05,
        "level 1 is decoded as well as level 0": errors[1] < errors[0] + 0.1,
        "the coarsest level differs most": overlaps[-1].dice <= overlaps[1].dice,
        "the coarsest level errs most": errors[-1] > max(errors[:-1]),
    }
    kept = {label: float(value) for label, value in row.items()}
    for level, one in enumerate(performances):
        kept[f"voxels, level {level}"] = float(single.levels[level].n_voxels)
        kept[f"features, level {level}"] = one.n_features
        kept[f"error, level {level}"] = one.error
        kept[f"Dice with level 0, level {level}"] = overlaps[level].dice
        kept |= _keep_map(f"level {level}", maps[level].astype(int))
    return kept


def _size(quick: bool) -> int:
    return 300 if quick else 4000


def _find_mask(n_voxels: int) -> np.ndarray:
    """Where the voxels of the generated maps are; the same for all seeds."""
    return make_brain(1, 1, n_voxels=n_voxels, strength=0.0, random_state=0).mask


def _keep_map(name: str, values: np.ndarray) -> dict[str, float]:
    """The voxels of a map as numbers of a cell, so the figure needs no computing."""
    places = np.flatnonzero(values)
    kept = {f"{name}, of voxels": float(len(values))}
    return kept | {f"{name}, voxel {place}": float(values[place]) for place in places}


def _read_map(found: Mapping[str, Measured], name: str) -> np.ndarray:
    """The map again, as a volume; zero outside the brain."""
    mask = _find_mask(round(found[f"{name}, of voxels"].value))
    values = np.zeros(int(mask.sum()), dtype=int)
    start = f"{name}, voxel "
    for label, one in found.items():
        if label.startswith(start):
            values[int(label.removeprefix(start))] = round(one.value)
    volume = np.zeros(mask.shape, dtype=int)
    volume[mask] = values
    return volume


def _paint(brain: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Light grey where there is brain; red, green, and yellow where both are."""
    image = np.where(brain[..., None], 0.85, 1.0) * np.ones(3)
    image[first] = (0.85, 0.1, 0.1)
    image[second] = (0.1, 0.6, 0.1)
    image[first & second] = (0.95, 0.85, 0.1)
    return np.swapaxes(image, 0, 1)


def _draw_projections(axes: Sequence[Any], volume: np.ndarray, brain: np.ndarray) -> None:
    for ax, axis, name in zip(axes, range(3), ("side", "front", "top"), strict=True):
        image = _paint(
            brain.any(axis=axis),
            np.isin(volume, (1, 3)).any(axis=axis),
            np.isin(volume, (2, 3)).any(axis=axis),
        )
        ax.imshow(image, origin="lower")
        ax.set_title(f"from the {name}", fontsize=8)
        ax.set_axis_off()


def draw_pairs(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Figure 6.6: one curve per pair."""
    figure.set_size_inches(7, 4)
    ax = figure.subplots()
    found = results["random voxels"]
    for place, pair in enumerate(PAIRS):
        name = " vs. ".join(pair)
        style = "-" if "joy" in pair else "--"
        ax.semilogx(*read_curve(found, name), style, color=f"C{place}", base=2, label=name)
    ax.axhline(0.5, color="grey", linewidth=0.8)
    ax.set(xlabel="random voxels", ylabel="mean error, one participant left out")
    ax.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_regions(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Figures 6.10 and 6.12: views through the brain, and slices."""
    figure.set_size_inches(11, 4.6)
    volume = _read_map(results["joy and fear, each vs. sadness"], "regions")
    brain = _find_mask(round(results["joy and fear, each vs. sadness"]["regions, of voxels"].value))
    grid = figure.subplots(2, 6)
    _draw_projections(grid[0, :3], volume, brain)
    for ax in grid[0, 3:]:
        ax.set_axis_off()
    names = {(0.85, 0.1, 0.1): "joy vs. sadness", (0.1, 0.6, 0.1): "fear vs. sadness"}
    names |= {(0.95, 0.85, 0.1): "both"}
    for colour, name in names.items():
        grid[0, 4].plot([], [], "s", color=colour, label=name)
    grid[0, 4].legend(frameon=False, loc="center")
    heights = np.flatnonzero(brain.any(axis=(0, 1)))
    shown = heights[np.linspace(1, len(heights) - 2, 6).astype(int)]
    for ax, z in zip(grid[1], shown, strict=True):
        here = volume[..., z]
        image = _paint(brain[..., z], np.isin(here, (1, 3)), np.isin(here, (2, 3)))
        ax.imshow(image, origin="lower")
        ax.set_title(f"slice {z}", fontsize=8)
        ax.set_axis_off()


def draw_levels(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Figure 6.23: views per level; and the numbers of fig. 6.20 for this pair."""
    found = results["joy vs. sadness"]
    levels = [level for level in range(4) if f"voxels, level {level}" in found]
    figure.set_size_inches(11, 2.2 * len(levels))
    grid = figure.subplots(len(levels), 5, squeeze=False, width_ratios=(1, 1, 1, 0.3, 1.5))
    for axes, level in zip(grid, levels, strict=True):
        brain = _find_mask(round(found[f"level {level}, of voxels"].value))
        _draw_projections(axes[:3], _read_map(found, f"level {level}"), brain)
        count, dice = (
            found[f"{what}, level {level}"].value for what in ("voxels", "Dice with level 0")
        )
        axes[3].text(0, 0.5, f"level {level}\n{count:.0f} voxels\nDice {dice:.2f}", fontsize=8)
        axes[3].set_axis_off()
    sizes = [found[f"voxels, level {level}"].value for level in levels]
    for ax, what in zip(grid[:, 4], FIG_6_20, strict=False):
        ax.semilogx(_THESIS_VOXELS, FIG_6_20[what], "k.--", label="thesis (its data)")
        ours = [found[f"{what}, level {level}"].value for level in levels]
        ax.semilogx(sizes, ours, "C0.-", label="ours")
        ax.set_xlabel("voxels of the level", fontsize=8)
        ax.set_ylim(bottom=0)
        ax.set_title("voxels needed" if what == "features" else "error", fontsize=8)
    grid[0, 4].legend(frameon=False, fontsize=7)
    for ax in grid[2:, 4]:
        ax.set_axis_off()


STUDIES = [
    Study(
        "thesis_fig_6_6",
        "Emotions from random voxels",
        "Klement's thesis (2013), fig. 6.6",
        [
            Cell(
                "random voxels",
                draw_random,
                {
                    "joy vs. sadness is told apart best": _YES,
                    "fear vs. sadness is told apart worst": _YES,
                    "anger vs. sadness is next to that": _YES,
                    "single voxels are better than chance for some pair": _YES,
                },
            )
        ],
        notes=STAND_IN
        + "Means over 100 draws of voxels (1000 in the thesis). The order of the pairs is that of "
        "their means over all numbers of voxels.",
        why={
            "random voxels: joy": (
                "The order follows what was planted: joy differs more from emotions that move many "
                "voxels of their own. The root mean square of the planted difference is 1.43 for "
                "joy vs. disgust and 1.13 for joy vs. sadness."
            ),
            "random voxels: anger": (
                "Anger moves 30 % of our voxels, so four other pairs are harder; all of them have "
                "a smaller planted difference (0.32 to 0.64) than anger vs. sadness (0.68)."
            ),
        },
        draw=draw_pairs,
    ),
    Study(
        "thesis_fig_6_10",
        "Regions of a good pair and of a bad one",
        "Klement's thesis (2013), figs. 6.10 and 6.12",
        [
            Cell(
                "joy and fear, each vs. sadness",
                compare_regions,
                {"regions overlap only slightly": _YES},
            )
        ],
        notes=_LARGER
        + "Shown are voxels among the first 2.5 % in at least half of the folds. That regions "
        "overlap slightly is taken to mean a Dice coefficient below 0.25. Above: seen through the "
        "brain, as in fig. 6.10; below: slices. The thesis names fig. 6.12 for the same comparison "
        "and says no more about it.",
        draw=draw_regions,
    ),
    Study(
        "thesis_fig_6_23",
        "Emotions at lower resolutions",
        "Klement's thesis (2013), fig. 6.23 and the row of fig. 6.20 for joy vs. sadness",
        [
            Cell(
                "joy vs. sadness",
                follow_levels,
                {
                    "levels 0 and 1 share more than chance": _YES,
                    "level 1 is decoded as well as level 0": _YES,
                    "the coarsest level differs most": _YES,
                    "the coarsest level errs most": _YES,
                },
            )
        ],
        notes=_LARGER
        + "Shown are voxels among the first 5 % in at least half of the folds; Dice is the overlap "
        "with level 0. Our level 0 has about as many voxels as the thesis' level 1.",
        why={
            "joy vs. sadness: the coarsest level errs": (
                "Joy moves 70 % of our voxels, in regions wider than coarse voxels, which average "
                "noise away. With joy in 2 % of the voxels the errors are 0.19, 0.29 and 0.35 at "
                "levels 0 to 2, as in the thesis; with 70 % they are 0.11, 0.08 and 0.05 (means of "
                "three draws)."
            )
        },
        draw=draw_levels,
    ),
]
