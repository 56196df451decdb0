"""A simple motor task on brain maps, on stand-ins for its data.

Klement, Anders & Martinetz (2013), sec. 4; Klement's thesis (2013), sec. 6.3.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.haxby_slice import load_haxby_slice
from fewest.datasets import make_brain
from fewest.informative import (
    informative_features,
    overlap_curve,
    overlap_table,
    random_subset_errors,
    t_map,
)
from fewest.neuro.analyses import find_consensus, map_overlap
from reproductions.curves import draw_curve, keep_curve, keep_repetitions, read_curve
from reproductions.study import Cell, Published, Study

# Klement, Anders & Martinetz (2013), table 3: share of the voxels, and overlap in per cent.
TABLE_3 = {0.01: 53.0, 0.025: 64.3, 0.05: 61.6, 0.2: 67.7, 0.34: 72.7, 0.5: 77.6}
PLANTED = 0.34
_YES = Published(1, 0)


def load(source: str, quick: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maps, conditions and what is left out (participants, or runs)."""
    if source == "make_brain":
        # With effects of two standard deviations two or three voxels suffice, as in the paper.
        n_voxels = 500 if quick else 2000
        maps = make_brain(
            12, 4, n_voxels=n_voxels, informative=PLANTED, strength=2.0, random_state=4
        )
        return maps.X, maps.y, maps.groups
    data = load_haxby_slice()
    assert data is not None
    kept = np.isin(data.y, ["face", "house"])
    # Neighbours in time are alike: six volumes of a block as two averages, as in the paper's maps.
    X, y, runs = data.X[kept], data.y[kept], data.runs[kept]
    codes = np.unique(np.column_stack([runs, y == "face"]), axis=0, return_inverse=True)[1].ravel()
    half = np.zeros(len(y), dtype=int)
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        half[own[len(own) // 2 :]] = 1
    blocks = 2 * codes + half
    places = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    means = np.array([X[own].mean(axis=0) for own in places])
    first = [own[0] for own in places]
    return means, y[first], runs[first]


def repeat(source: str, quick: bool) -> dict[str, float]:
    """Repetitive selection in every fold, beside t-statistics (tables 2, 3; figs. 4 to 6)."""
    X, y, groups = load(source, quick)
    every = 10 if quick else 4
    found = informative_features(None, X, y, groups=groups, every=every, n_permutations=0)
    univariate = t_map(X, y, groups=groups)
    overlaps = overlap_table(found, univariate)
    early, late = np.array_split(overlap_curve(found, univariate, 0.34), 3)[::2]
    consensus = find_consensus(found, share=0.05)
    top = np.zeros(found.n_features)
    top[univariate.top(0.05)] = 1
    shared = map_overlap(consensus.voxels, top)
    smallest = float(np.mean([fold.sizes.min() for fold in found.folds]))
    largest = float(np.mean([fold.sizes.max() for fold in found.folds]))
    assert found.probe_error is not None
    row = {
        "overlap with the t-map above chance at all shares": all(
            one.observed > one.expected for one in overlaps
        ),
        "overlap largest for what is removed early": early.mean() > late.mean(),
        "SVM on the rest worse at the end": found.probe_error[-1] > found.probe_error[0] + 0.1,
        "consensus and t-map share more than chance": shared.p_value < 0.05,
        "smallest subset": smallest,
        "largest subset": largest,
        "informative, %": 100 * found.estimate,
        "error of the first machine": float(found.selection_error[0]),
        "SVM on all voxels": float(found.probe_error[0]),
        "consensus at 5 %, voxels": consensus.n_voxels,
        "of these in the t-map's top 5 %": shared.n_both,
    }
    kept = {label: float(value) for label, value in row.items()}
    kept |= {f"overlap at {100 * one.share:g} %": 100 * one.observed for one in overlaps}
    kept |= keep_repetitions(found)
    for share in (0.05, 0.2, 0.34):
        curve = 100 * overlap_curve(found, univariate, share)
        kept |= keep_curve(f"top {100 * share:g} %", found.fraction, curve)
    return kept


def draw_random(source: str, quick: bool) -> dict[str, float]:
    """A hard SVM on random voxels (fig. 3)."""
    X, y, groups = load(source, quick)
    sizes = [2**power for power in range(12) if 2**power <= X.shape[1]]
    n_subsets = 20 if quick else 100
    found = random_subset_errors(
        X, y, groups=groups, n_features=sizes, n_subsets=n_subsets, C=1e4, random_state=0
    )
    medians = np.median(found.errors, axis=1)
    row = {
        "single voxels are better than chance in most draws": float(found.below_chance[0] > 0.5),
        "close to zero for the most voxels": float(medians[-1] < 0.05),
    }
    row |= {f"median error of {size}": float(m) for size, m in zip(sizes, medians, strict=True)}
    for name, quantile in (("lower", 0.25), ("median", 0.5), ("upper", 0.75)):
        row |= keep_curve(f"random {name}", sizes, np.quantile(found.errors, quantile, axis=1))
    return row


_SOURCES = ("make_brain", "Haxby slice, face and house")
_FILES = ("haxby_slice_bold.nii.gz", "haxby_slice_attributes_literal.txt")
_REPEATED = (
    "overlap with the t-map above chance at all shares",
    "overlap largest for what is removed early",
    "SVM on the rest worse at the end",
    "consensus and t-map share more than chance",
)
_RANDOM = (
    "single voxels are better than chance in most draws",
    "close to zero for the most voxels",
)


def draw(figure: Any, results: Any) -> None:
    """Figures 3 and 4 and table 3, one row per source."""
    sources = [one for one in _SOURCES if f"{one}: repetitions" in results]
    figure.set_size_inches(16, 3.2 * len(sources))
    grid = figure.subplots(len(sources), 5, squeeze=False)
    for axes, source in zip(grid, sources, strict=True):
        found = results[f"{source}: repetitions"]
        random = results[f"{source}: random voxels"]
        for name, style in (("lower", ":"), ("median", "-"), ("upper", ":")):
            axes[0].semilogx(*read_curve(random, f"random {name}"), f"C0{style}", base=2)
        axes[0].set(title=f"{source}\nSVM on random voxels", xlabel="voxels", ylabel="error")
        draw_curve(axes[1], found, "sizes")
        axes[1].set(title="(a) voxels of a repetition")
        for share in ("5", "20", "34"):
            draw_curve(axes[2], found, f"top {share} %", label=f"top {share} %")
        axes[2].set(title="(b) in the t-map's top, %")
        axes[2].legend(frameon=False, fontsize=7)
        draw_curve(axes[3], found, "machine", color="C7", label="(c) machine")
        draw_curve(axes[3], found, "SVM", color="C0", label="(d) SVM on the rest")
        axes[3].axhline(0.5, color="grey", linewidth=0.8)
        estimate = found["informative, %"].value
        axes[3].axvline(estimate, color="C1", linestyle="--", label=f"estimate {estimate:.0f} %")
        axes[3].set(title="(c, d) errors")
        axes[3].legend(frameon=False, fontsize=7)
        for ax in axes[1:4]:
            ax.set_xlabel("voxels removed (%)")
        _draw_table(axes[4], found)


def _draw_table(ax: Any, found: Any) -> None:
    """Table 3: overlap against share, the paper's data beside ours."""
    shares = np.array(list(TABLE_3))
    ours = [found.get(f"overlap at {100 * share:g} %") for share in shares]
    ax.plot(100 * shares, list(TABLE_3.values()), "k.--", label="paper (its data)")
    ax.plot(
        100 * shares, [np.nan if one is None else one.value for one in ours], "C0.-", label="ours"
    )
    ax.plot(100 * shares, 100 * shares, color="grey", linewidth=0.8, label="chance")
    ax.set(title="overlap with the t-map, %", xlabel="share of the voxels (%)")
    ax.legend(frameon=False, fontsize=7)


STUDIES = [
    Study(
        "klement2013_sec4",
        "A motor task: how many voxels carry information",
        "Klement, Anders & Martinetz (2013), tables 2, 3, figs. 3 to 6; thesis, figs. 6.2 to 6.5",
        [
            cell
            for source in _SOURCES
            for cell in (
                Cell(
                    f"{source}: repetitions",
                    partial(repeat, source),
                    dict.fromkeys(_REPEATED, _YES),
                    () if source == "make_brain" else _FILES,
                ),
                Cell(
                    f"{source}: random voxels",
                    partial(draw_random, source),
                    dict.fromkeys(_RANDOM, _YES),
                    () if source == "make_brain" else _FILES,
                ),
            )
        ],
        notes=(
            "Stand-ins: the papers' maps (12 participants, 4 runs, 50,989 voxels) are not public. "
            "Ours are generated ones of the same layout with 2,000 voxels, of which 34 % are "
            "planted as informative, and faces and houses in one slice of one participant (12 "
            "runs, halves of blocks averaged). So only the shape of the results can be compared: 1 "
            "stands for a statement of the paper that holds. Its own numbers: smallest subset 2.4 "
            "voxels, largest 77.7, 34 % of the voxels informative (35 % in the thesis), and the "
            "overlaps of table 3, which the figure shows beside ours. Planted effects are all of "
            "one size, so which of these voxels have the largest t-values is chance, and the "
            "overlap at small shares is lower than in the paper. In the slice, the SVM is better "
            "than chance for as long as the classes can be separated, so the estimate there is an "
            "extrapolation."
        ),
        draw=draw,
    ),
]
