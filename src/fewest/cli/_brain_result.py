"""The result of `fewest brain`: that of all commands with a part about the brain, and its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewest._wording import counted, cut, percent, visible
from fewest.cli._emphasis import aligned
from fewest.cli._text import (
    chosen_text,
    errors_text,
    notes_text,
    shorten,
    time_text,
)
from fewest.cli._volumes import Series
from fewest.neuro import Region
from fewest.neuro._tables import Voxel
from fewest.report.content import Content

_MOST_VOXELS = 20
_MOST_REGIONS = 15


@dataclass(frozen=True)
class Brain:
    """What was read, and where the voxels are; None for what was not asked for.

    `n_voxels` are those in the mask; the features of the result are what is left of them after
    downsampling. `left_out` names the groups of every fold.
    """

    images: list[str]
    mask: str | None
    shape: list[int]
    n_voxels: int
    voxels: list[Voxel]
    left_out: list[str] | None
    regions: list[Region] | None
    files: list[str]


@dataclass(frozen=True, kw_only=True)
class BrainContent(Content):
    """The whole result."""

    brain: Brain


def volumes_text(series: Series, files: Sequence[str]) -> str:
    """What was read: printed before the work starts."""
    used, groups = series.used, series.groups
    labels, counts = np.unique(series.y[used].astype(str), return_counts=True)
    classes = [f"{cut(label, 16)} ({count})" for label, count in zip(labels, counts, strict=True)]
    shape = " x ".join(map(str, series.images.shape[:3]))
    origin = visible(files[0]) if len(files) == 1 else counted(len(files), "image")
    lines = [
        f"Data      {origin}: {counted(int(used.sum()), 'volume')} of {shape} voxels",
        f"Classes   {shorten(classes)}",
    ]
    if not used.all():
        left_out = counted(int((~used).sum()), "volume")
        lines[0] += f"; {left_out} of other conditions, or between them, left out"
    if groups is not None:
        lines.append(f"Groups    {len(np.unique(groups[used]))}")
    return "\n".join(lines)


def brain_text(content: BrainContent) -> str:
    """Selected voxels, errors, repetitions, regions, and time."""
    blocks = [
        chosen_text(content),
        _selected_text(content),
        errors_text(content, of_voxels=True),
        _repetitions_text(content),
        _informative_text(content),
        _regions_text(content.brain.regions or []),
        time_text(content.seconds),
        notes_text(content.notes),
    ]
    return "\n\n".join(block for block in blocks if block)


def _selected_text(content: BrainContent) -> str:
    brain = content.brain
    answer = content.answer
    classes = [] if answer is None else [plane.positive_class for plane in answer.hyperplanes]
    if answer is not None and answer.panel is not None:
        classes = answer.panel.classes
    of_all = f"{len(brain.voxels)} of {counted(content.data.n_features, 'voxel')}"
    if brain.n_voxels != content.data.n_features:
        of_all += f" (downsampled from {brain.n_voxels})"
    if not brain.voxels:
        advice = "" if content.question.chosen else " Raise --C."
        return f"Selected: {of_all}\n  None: a training error is cheaper than a voxel.{advice}"
    header = ["voxel", "x mm", "y mm", "z mm"]
    header += [f"coefficient {cut(one, 16)}" for one in classes]
    strongest = sorted(brain.voxels, key=lambda voxel: -max(map(abs, voxel.coefficients or [0.0])))
    rows = [
        [
            " ".join(map(str, voxel.index)),
            *(f"{at:.1f}" for at in voxel.position_mm),
            *(f"{weight:.4g}" for weight in voxel.coefficients or []),
        ]
        for voxel in strongest[:_MOST_VOXELS]
    ]
    if brain.left_out is not None:
        header.append("folds")
        for row, voxel in zip(rows, strongest, strict=False):
            row.append(f"{voxel.folds_selected}/{len(brain.left_out)}")
    table = aligned([header, *rows])
    return f"Selected: {of_all}\n{table}{_more(len(strongest) - len(rows))}"


def _repetitions_text(content: BrainContent) -> str:
    if content.alternatives is None or not content.question.options["subsets"]:
        return ""
    sizes = [len(subset.columns) for subset in content.alternatives.subsets]
    shown = ", ".join(map(str, sizes[:_MOST_VOXELS])) + ", ..." * (len(sizes) > _MOST_VOXELS)
    return f"Voxels of {counted(len(sizes), 'repetition')}: {shown}"


def _informative_text(content: BrainContent) -> str:
    if content.informative is None:
        return ""
    rows = [[one.rule, percent(one.share)] for one in content.informative.estimates]
    return aligned([["voxels that carry information", "share"], *rows])


def _regions_text(regions: Sequence[Region]) -> str:
    if not regions:
        return ""
    # A grid with voxels at x = 0 has some in neither hemisphere.
    sides = ["left", "right", *(["midline"] if any(one.midline for one in regions) else [])]
    rows = [["region", *sides]]
    for region in regions[:_MOST_REGIONS]:
        counts = [(getattr(region, f"{side}_share"), getattr(region, side)) for side in sides]
        rows.append([cut(region.name), *(f"{percent(part)} ({count})" for part, count in counts)])
    return aligned(rows) + _more(len(regions) - _MOST_REGIONS)


def _more(number: int) -> str:
    return f"\n  ... and {number} more, in the written files" if number > 0 else ""
