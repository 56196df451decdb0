"""The report of `fewest brain` for a reader at a terminal."""

from __future__ import annotations

import argparse

import numpy as np

from fewest._wording import counted, cut, percent, visible
from fewest.cli._text import aligned, notes_text, time_text
from fewest.cli.brain_job import Volumes
from fewest.cli.brain_report import BrainReport, Voxel

_MOST_VOXELS = 20
_MOST_REGIONS = 15


def brain_text(report: BrainReport) -> str:
    """Selected voxels, errors, repetitions, regions, and time."""
    blocks = [
        _chosen_text(report),
        _selected_text(report),
        _errors_text(report),
        _repetitions_text(report),
        _informative_text(report),
        _regions_text(report),
    ]
    blocks += [time_text(report.seconds), notes_text(report.notes)]
    return "\n\n".join(block for block in blocks if block)


def volumes_text(volumes: Volumes, arguments: argparse.Namespace) -> str:
    """What was read: printed before the work starts."""
    labels, counts = np.unique(volumes.y, return_counts=True)
    classes = ", ".join(
        f"{cut(label, 16)} ({count})" for label, count in zip(labels, counts, strict=True)
    )
    shape = " x ".join(map(str, volumes.images.shape[:3]))
    images = visible(arguments.images[0])
    if len(arguments.images) > 1:
        images = counted(len(arguments.images), "image")
    lines = [
        f"Data      {images}: {counted(len(volumes.y), 'volume')} of {shape} voxels",
        f"Classes   {classes}",
    ]
    if volumes.groups is not None:
        lines.append(f"Groups    {len(np.unique(volumes.groups))}")
    return "\n".join(lines)


def _chosen_text(report: BrainReport) -> str:
    if report.chosen_C is None:
        return ""
    return f"Chosen C: {report.chosen_C:.4g}, by an inner cross-validation"


def _selected_text(report: BrainReport) -> str:
    data = report.data
    of_all = f"{len(report.selected)} of {counted(data.n_features, 'voxel')}"
    if data.downsampled:
        of_all += f" (downsampled from {data.n_voxels})"
    if not report.selected:
        advice = "" if report.chosen_C is not None else " Raise --C."
        return f"Selected: {of_all}\n  None: a training error is cheaper than a voxel.{advice}"
    header = ["voxel", "x mm", "y mm", "z mm"]
    favoured = [machine.positive_class for machine in report.machines]
    header += [f"weight {cut(label, 16)}" for label in favoured]
    if report.cross_validation is not None:
        header.append("folds")
    strongest = sorted(report.selected, key=lambda voxel: -max(map(abs, voxel.coefficients)))
    rows = [_voxel_row(voxel, report) for voxel in strongest[:_MOST_VOXELS]]
    more = len(strongest) - len(rows)
    note = f"\n  ... and {more} more, in the written files" if more else ""
    return f"Selected: {of_all}\n{aligned([header, *rows])}{note}"


def _voxel_row(voxel: Voxel, report: BrainReport) -> list[str]:
    row = [" ".join(map(str, voxel.index)), *(f"{at:.1f}" for at in voxel.position_mm)]
    row += [f"{weight:.4g}" for weight in voxel.coefficients]
    if report.cross_validation is not None:
        row.append(f"{voxel.folds_selected}/{len(report.cross_validation.folds)}")
    return row


def _errors_text(report: BrainReport) -> str:
    training = report.training
    lines = [
        f"Training error          {training.n_errors} of "
        f"{counted(report.data.n_volumes, 'volume')} ({percent(training.error)})"
    ]
    validation = report.cross_validation
    if validation is not None:
        sizes = [fold.n_voxels for fold in validation.folds]
        left_out = "" if report.data.n_groups is None else ", whole groups left out"
        lines += [
            f"Cross-validated error   balanced {percent(validation.balanced_error)} "
            f"(sd {percent(validation.balanced_error_sd)}); "
            f"{counted(len(sizes), 'fold')}{left_out}",
            f"  Voxels were selected anew in every fold: {np.mean(sizes):.1f} on average.",
            f"  Guessing has a balanced error of {percent(1 - 1 / len(report.data.classes))}.",
        ]
    return "\n".join(lines)


def _repetitions_text(report: BrainReport) -> str:
    if not report.repetitions:
        return ""
    sizes = ", ".join(str(repetition.n_voxels) for repetition in report.repetitions[:_MOST_VOXELS])
    more = ", ..." if len(report.repetitions) > _MOST_VOXELS else ""
    return f"Voxels of {counted(len(report.repetitions), 'repetition')}: {sizes}{more}"


def _informative_text(report: BrainReport) -> str:
    found = report.informative
    if found is None:
        return ""
    text = f"Voxels that carry information: {percent(found.estimate)} by the papers' rule"
    if found.purified_estimate is not None:
        text += f", {percent(found.purified_estimate)} without those removed by chance"
    return text


def _regions_text(report: BrainReport) -> str:
    if not report.regions:
        return ""
    # A grid with voxels at x = 0 has some in neither hemisphere.
    between = any(region.midline for region in report.regions)
    sides = ["left", "right", *(["midline"] if between else [])]
    rows = [
        [
            cut(region.name),
            *(
                f"{percent(getattr(region, f'{side}_share'))} ({getattr(region, side)})"
                for side in sides
            ),
        ]
        for region in report.regions[:_MOST_REGIONS]
    ]
    more = len(report.regions) - len(rows)
    note = f"\n  ... and {counted(more, 'region')} more, in the written files" if more else ""
    return aligned([["region", *sides], *rows]) + note
