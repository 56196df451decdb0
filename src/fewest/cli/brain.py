"""`fewest brain`: images in, a folder with maps out."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fewest._run.files import check_new_folder, whole_folder
from fewest._run.json_text import to_json
from fewest._wording import listed, visible
from fewest.cli._errors import CommandError
from fewest.cli._job import USUAL_SECONDS
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import Output, require_page_packages
from fewest.cli.brain_job import Volumes, brain_report, fitted_decoder, sentence
from fewest.cli.brain_report import BRAIN_SCHEMA
from fewest.cli.brain_text import brain_text, volumes_text
from fewest.cli.labels import LabelFile, read_region_names, whole_numbers_if_possible
from fewest.report._known import name_method

if TYPE_CHECKING:
    from fewest.neuro import FewestVoxels
    from fewest.report import Report

_MAPS = ("coef", "support", "ranking", "consistency", "mask")
_RESULT = "result.json"
_REGIONS = "regions.csv"
_PAGE = "report.html"


def run(arguments: argparse.Namespace) -> None:
    """Read, select, cross-validate, write the folder, report."""
    _check_arguments(arguments)
    ignored = settle_method(arguments)
    estimator = make_estimator(arguments)
    output = Output.from_arguments(arguments)
    names = None if arguments.atlas_labels is None else read_region_names(arguments.atlas_labels)
    started = time.perf_counter()
    volumes = read_volumes(arguments)
    seconds_reading = time.perf_counter() - started
    output.say(volumes_text(volumes, arguments))
    output.say(f"Method    {name_method(estimator)}")
    started = time.perf_counter()
    decoder, notes = fitted_decoder(
        volumes, arguments, estimator, atlas_labels=names, show_progress=output.show_progress
    )
    seconds_fitting = time.perf_counter() - started
    notes = [*ignored, *notes]
    try:
        with whole_folder(arguments.out, replaceable=_replaceable(arguments)) as folder:
            files = _write_results(decoder, folder, figures=not arguments.no_figures)
            if not arguments.no_report:
                page = _page(output, arguments, decoder, volumes, notes)
                (folder / _PAGE).write_text(page.html, encoding="utf-8")
                files.append(_PAGE)
            report = brain_report(
                decoder,
                volumes,
                arguments,
                files=[*files, _RESULT],
                seconds_reading=seconds_reading,
                seconds_fitting=seconds_fitting,
                notes=notes,
            )
            (folder / _RESULT).write_text(to_json(report) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"{visible(arguments.out)} could not be written: {error.strerror or error}."
        ) from error
    validation = report.cross_validation
    brief = "" if validation is None else f"{validation.balanced_error:.4f}"
    output.deliver(report, brain_text(report), brief)
    output.say(f"\nWritten: {visible(arguments.out)}: {', '.join(report.files)}")


def _page(
    output: Output,
    arguments: argparse.Namespace,
    decoder: FewestVoxels,
    volumes: Volumes,
    notes: list[str],
) -> Report:
    try:
        return decoder.generate_report(
            volumes.images,
            volumes.y,
            volumes.groups,
            origin=", ".join(arguments.images),
            command=arguments.line,
            max_seconds=USUAL_SECONDS,
            random_state=arguments.seed,
            notes=notes,
            n_jobs=arguments.jobs,
            verbose=int(output.show_progress),
        )
    except ValueError as error:
        raise CommandError(f"the report: {error}.\nLeave it out with --no-report.") from error


def read_volumes(arguments: argparse.Namespace) -> Volumes:
    """Images with their labels and groups, restricted to the conditions asked for."""
    from nilearn.image import index_img

    from fewest.neuro._checks import checked_images

    files = arguments.images[0] if len(arguments.images) == 1 else arguments.images
    try:
        images = checked_images(files)
    except (ValueError, OSError) as error:
        raise CommandError(sentence(error)) from error
    n_volumes = images.shape[3]
    table = LabelFile.read(arguments.labels)
    y = table.column(arguments.labels_column, n_volumes, "--labels-column")
    groups = None
    if arguments.groups is not None or arguments.groups_column is not None:
        own = table if arguments.groups is None else LabelFile.read(arguments.groups)
        groups = own.column(arguments.groups_column, n_volumes, "--groups-column")
        groups = whole_numbers_if_possible(groups)
    if arguments.only:
        unknown = [label for label in arguments.only if label not in y]
        if unknown:
            raise CommandError(
                f"--only {visible(unknown[0])}: no volume has this label.\n"
                f"The labels are: {listed(np.unique(y), 12)}."
            )
        kept = np.isin(y, arguments.only)
        images = index_img(images, kept)
        y, groups = y[kept], None if groups is None else groups[kept]
    return Volumes(images, y, groups)


def _check_arguments(arguments: argparse.Namespace) -> None:
    """What can be said before the images are read."""
    from fewest.neuro._nilearn import require_nilearn

    try:
        require_nilearn()
    except ImportError as error:
        raise CommandError(f"{error}") from error
    if not arguments.no_report:
        require_page_packages("Or leave the page out with --no-report.")
    if arguments.standardize_runs and arguments.groups is None and arguments.groups_column is None:
        raise CommandError(
            "--standardize-runs needs the run of every volume.\nAdd --groups or --groups-column."
        )
    if arguments.atlas_labels is not None and arguments.atlas is None:
        raise CommandError("--atlas-labels names regions of an atlas.\nAdd --atlas.")
    _check_folder(arguments)


def _check_folder(arguments: argparse.Namespace) -> None:
    try:
        check_new_folder(arguments.out, replaceable=_replaceable(arguments))
    except FileExistsError as error:
        advice = "Name another folder, or add --overwrite to replace an earlier result."
        if arguments.overwrite:
            advice = "Name another folder: --overwrite replaces nothing but an earlier result."
        raise CommandError(f"--out {visible(arguments.out)}: {error}.\n{advice}") from error
    except OSError as error:
        raise CommandError(
            f"--out {visible(arguments.out)}: {error}.\n"
            "Name a folder inside one that exists and that you may write to."
        ) from error


def _replaceable(arguments: argparse.Namespace) -> set[str] | None:
    """The files of an earlier result, as it lists them itself; nothing else may be lost."""
    if not arguments.overwrite:
        return None
    try:
        earlier = json.loads((Path(arguments.out) / _RESULT).read_text(encoding="utf-8"))
        return set(earlier["files"]) if earlier["schema"] == BRAIN_SCHEMA else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write_results(decoder: FewestVoxels, folder: Path, *, figures: bool) -> list[str]:
    """Maps, figures and the table of regions; returns the names of the files."""
    import nibabel

    written = []
    for name in _MAPS:
        image = getattr(decoder, f"{name}_img_")
        if image is not None:
            nibabel.save(image, folder / f"{name}.nii.gz")
            written.append(f"{name}.nii.gz")
    if decoder.regions_ is not None:
        (folder / _REGIONS).write_text(decoder.regions_.to_csv(), encoding="utf-8")
        written.append(_REGIONS)
    if figures:
        from fewest.neuro.figures import write_figures

        written += write_figures(decoder, folder)
    return written
