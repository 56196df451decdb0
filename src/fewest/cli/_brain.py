"""What `fewest brain` does: images in, a folder with maps out."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fewest._run.files import atomic_write, check_new_folder, whole_folder
from fewest._run.json_text import to_json
from fewest._wording import counted, visible
from fewest.cli._brain_result import Brain, BrainContent, brain_text, volumes_text
from fewest.cli._errors import CommandError, InseparableError, refuse_place
from fewest.cli._job import list_options
from fewest.cli._labels import read_region_names
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._output import Output, require_packages, writing
from fewest.cli._volumes import Series, as_sentence, read_series
from fewest.exceptions import NotSeparableError
from fewest.model_files import save
from fewest.neuro import FewestVoxels
from fewest.neuro._checks import NO_GROUPS
from fewest.neuro._figures import write_figures
from fewest.neuro._images import require_nilearn
from fewest.neuro._tables import list_voxels
from fewest.report import Report
from fewest.report._known import name_method
from fewest.report._make import PARTS
from fewest.report._verdict import judge_content
from fewest.report._verdict_summary import add_verdict
from fewest.report.content import NOT_ASKED_FOR, NOT_FINISHED, SCHEMA, Content

# Now, so what their import warns of is not taken for a warning of the fit.
with suppress(ImportError):  # `run_brain` says what to do about it
    import nilearn.maskers
    import nilearn.plotting  # noqa: F401

_MAPS = ("coef", "support", "ranking", "consistency", "mask")
_PACKAGES = ("nilearn", "nibabel")
_ADVICE = {
    False: "Name another folder, or add --overwrite to replace an earlier result.",
    True: "Name another folder: --overwrite replaces only an earlier result.",
}
_RESULT, _REGIONS, _PAGE = "result.json", "regions.csv", "report.html"


def run_brain(arguments: argparse.Namespace) -> None:
    """Read, select, cross-validate, write the folder, report."""
    _check_arguments(arguments)
    notes = settle_method(arguments)
    estimator = make_estimator(arguments)
    output = Output.from_arguments(arguments, "model")
    decoder = _new_decoder(arguments, estimator, int(output.show_progress))
    started = time.perf_counter()
    series = read_series(arguments)
    _check_series(arguments, series)
    decoder.set_params(t_r=series.t_r)
    read = time.perf_counter()
    output.say(volumes_text(series, arguments.images))
    output.say(f"Method    {name_method(estimator)}")
    warned = [*series.notes, *_fit(decoder, series)]
    seconds = {"reading": read - started, "fitting": time.perf_counter() - read}
    waiting = [
        "maps",
        *(["model"] if arguments.model else []),
        *([] if arguments.no_figures else ["figures"]),
        *([] if arguments.no_report else ["permutation", "page"]),
    ]
    known = _find_known(arguments, decoder, [*notes, *warned])
    content = _add_brain(known, decoder, arguments, seconds, [])
    brief = "" if decoder.error_ is None else f"{decoder.error_:.4f}"
    places: list[str] = []
    with output.ending(waiting, places):
        try:
            content = _write_folder(decoder, arguments, content)
            files = content.brain.files
            output.say_later(f"\nWritten: {visible(arguments.out)}: {', '.join(files)}")
            places.append(visible(arguments.out))
            waiting.remove("maps")
        finally:  # whatever became of the folder
            output.tell(content, brain_text(content), brief, judge_content(content).text)
        if arguments.model:
            with writing(f"--model {arguments.model}"):
                save(decoder, arguments.model)
            output.say(f"Written: {visible(arguments.model)}")
            waiting.remove("model")
        if _was_interrupted(decoder):
            raise KeyboardInterrupt  # the exit code says so, after all is written
        if not arguments.no_figures:
            files += _write_later(
                output, arguments, content, files, partial(write_figures, decoder)
            )
            waiting.remove("figures")
        if not arguments.no_report:
            page = _make_page(output, arguments, decoder, [*notes, *warned])
            content = _add_brain(page.content, decoder, arguments, seconds, files)
            waiting.remove("permutation")
        try:
            if not arguments.no_report:
                files += _write_later(output, arguments, content, files, partial(_write_page, page))
                waiting.remove("page")
        finally:  # the test took longest, and stands without its page
            content = replace(content, brain=replace(content.brain, files=files))
            output.tell(content, "", brief, judge_content(content).text)


def _new_decoder(arguments: argparse.Namespace, estimator: Any, verbose: int) -> FewestVoxels:
    names = None if arguments.atlas_labels is None else read_region_names(arguments.atlas_labels)
    return FewestVoxels(
        estimator,
        mask=arguments.mask,
        smoothing_fwhm=arguments.smoothing,
        mask_strategy=arguments.mask_strategy,
        standardize="groups" if arguments.standardize_runs else arguments.standardize_volumes,
        detrend=arguments.detrend,
        low_pass=arguments.low_pass,
        high_pass=arguments.high_pass,
        downsample=arguments.downsample,
        cv=arguments.cv,
        n_subsets=arguments.subsets,
        # The band of chance is not reported, and would take most of the time.
        informative={"n_permutations": 0} if arguments.informative else False,
        atlas=arguments.atlas,
        atlas_labels=names,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        verbose=verbose,
    )


def _fit(decoder: FewestVoxels, series: Series) -> list[str]:
    """Fit the decoder; returns what it warned of."""
    known = {name: getattr(series, name) for name in ("groups", "blocks", "confounds")}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            decoder.fit(series.images, series.y, **known)
        except NotSeparableError as error:
            raise InseparableError(
                f"no hyperplane on {counted(decoder.n_features_, 'voxel')} separates the "
                "conditions without error (proven).\n"
                "Allow errors with a finite cost, for example --C 1"
            ) from error
        except (ValueError, TypeError, OSError) as error:
            raise CommandError(as_sentence(error)) from error
    advice = {as_sentence(NO_GROUPS): f"{as_sentence(NO_GROUPS)} Add --groups or --groups-column."}
    messages = dict.fromkeys(as_sentence(warning.message) for warning in caught)
    return [f"Warning: {advice.get(message, message)}" for message in messages]


def _find_known(arguments: argparse.Namespace, decoder: FewestVoxels, notes: list[str]) -> Content:
    """What the fit has found; parts of the page, if there is to be one, are not finished."""
    content = _report(arguments, decoder, notes, parts=(), figures=()).content
    if arguments.no_report:
        return content
    left_out = [
        replace(one, reason=NOT_FINISHED)
        if one.reason == NOT_ASKED_FOR and (one.part != "validation" or arguments.cv != 0)
        else one
        for one in content.left_out
    ]
    return add_verdict(replace(content, left_out=left_out))


def _make_page(
    output: Output, arguments: argparse.Namespace, decoder: FewestVoxels, notes: list[str]
) -> Report:
    """The report with all that is computed for it."""
    return _report(
        arguments,
        decoder,
        notes,
        parts=[part for part in PARTS if part != "validation" or arguments.cv != 0],
        max_seconds=arguments.report_seconds,
        n_permutations=arguments.page_permutations,
        verbose=int(output.show_progress),
    )


def _report(
    arguments: argparse.Namespace, decoder: FewestVoxels, notes: list[str], **asked: Any
) -> Report:
    try:
        return decoder.generate_report(
            origin=", ".join(arguments.images),
            command=arguments.line,
            random_state=arguments.seed,
            notes=notes,
            n_jobs=arguments.jobs,
            **asked,
        )
    except ValueError as error:
        raise CommandError(f"the report: {error}.\nLeave it out with --no-report.") from error


def _write_folder(
    decoder: FewestVoxels, arguments: argparse.Namespace, content: BrainContent
) -> BrainContent:
    """Write maps and result; returns the content that lists the files."""
    with (
        writing(arguments.out),
        whole_folder(arguments.out, replaceable=_replaceable(arguments)) as folder,
    ):
        files = [*_write_maps(decoder, folder, arguments), _RESULT]
        content = replace(content, brain=replace(content.brain, files=files))
        (folder / _RESULT).write_text(to_json(content) + "\n", encoding="utf-8")
    return content


def _write_page(page: Report, folder: Path) -> list[str]:
    (folder / _PAGE).write_text(page.html, encoding="utf-8")
    return [_PAGE]


def _write_later(
    output: Output,
    arguments: argparse.Namespace,
    content: BrainContent,
    files: list[str],
    fill: Callable[[Path], list[str]],
) -> list[str]:
    """Add the files that `fill` writes to the folder; returns their names.

    The result lists them before they are there: --overwrite replaces only what is listed.
    """
    folder = Path(arguments.out)
    with (
        writing(arguments.out),
        tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fewest-") as beside,
    ):
        names = fill(Path(beside))
        listed = replace(content, brain=replace(content.brain, files=[*files, *names]))
        atomic_write(folder / _RESULT, to_json(listed) + "\n")
        for name in names:
            os.replace(Path(beside) / name, folder / name)
    output.say(f"Written: {visible(arguments.out)}: {', '.join(names)}")
    return names


def _was_interrupted(decoder: FewestVoxels) -> bool:
    """Whether a Ctrl-C ended the repetitions, of which those before it are kept."""
    return decoder.selector_ is not None and decoder.selector_.stop_reason_ == "interrupted"


def _add_brain(
    content: Content,
    decoder: FewestVoxels,
    arguments: argparse.Namespace,
    seconds: dict[str, float],
    files: list[str],
) -> BrainContent:
    """The content of the report as that of this command."""
    regions, folds = decoder.regions_, decoder.cv_results_
    brain = Brain(
        images=list(arguments.images),
        mask=arguments.mask,
        shape=list(decoder.mask_img_.shape),
        n_voxels=decoder.n_elements_,
        voxels=list_voxels(decoder),
        left_out=None if folds is None else folds["left_out"].tolist(),
        regions=None if regions is None else list(regions.regions),
        files=files,
    )
    own = {
        "command": arguments.command,
        "versions": {**content.versions, **{name: version(name) for name in _PACKAGES}},
        "seconds": {**seconds, **content.seconds},
        "question": replace(content.question, options=list_options(arguments)),
    }
    return BrainContent(**{**vars(content), **own}, brain=brain)


def _check_arguments(arguments: argparse.Namespace) -> None:
    """What can be said before the images are read."""
    try:
        require_nilearn()
    except ImportError as error:
        raise CommandError(f"{error}") from error
    if not arguments.no_report:
        require_packages("the report", "Or leave the page out with --no-report.")
    if (arguments.labels is None) == (not arguments.events):
        raise CommandError(
            "what was shown while each volume was taken must be said once.\n"
            "Add --labels FILE with one label per volume, or --events FILE with onsets."
        )
    if arguments.no_report and (arguments.page_permutations or arguments.report_seconds):
        raise CommandError(
            "--permutations and --report-seconds are for the page.\nLeave them out, or --no-report."
        )
    if arguments.standardize_runs and arguments.standardize_volumes:
        raise CommandError("--standardize-runs and --standardize exclude each other.\nChoose one.")
    if arguments.confounds_columns and not arguments.confounds:
        raise CommandError("--confounds-columns names columns of a table.\nAdd --confounds FILE.")
    if arguments.atlas_labels is not None and arguments.atlas is None:
        raise CommandError("--atlas-labels names regions of an atlas.\nAdd --atlas.")
    try:
        check_new_folder(arguments.out, replaceable=_replaceable(arguments))
    except OSError as error:
        advice = "Name a folder inside one that exists and that you may write to."
        if isinstance(error, FileExistsError):
            advice = _ADVICE[arguments.overwrite]
        raise refuse_place(f"--out {visible(arguments.out)}: {error}.\n{advice}", error) from error


def _check_series(arguments: argparse.Namespace, series: Series) -> None:
    if arguments.standardize_runs and series.groups is None:
        raise CommandError(
            "--standardize-runs needs the run of every volume.\nAdd --groups or --groups-column."
        )


def _replaceable(arguments: argparse.Namespace) -> set[str]:
    """The files of an earlier result, as it lists them itself; nothing else may be lost."""
    if not arguments.overwrite:
        return set()
    try:
        earlier = json.loads((Path(arguments.out) / _RESULT).read_text(encoding="utf-8"))
        return set(earlier["brain"]["files"]) if earlier["schema"] == SCHEMA else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write_maps(decoder: FewestVoxels, folder: Path, arguments: argparse.Namespace) -> list[str]:
    """Maps and the table of regions; returns the names of the files."""
    import nibabel

    written = []
    for name in _MAPS:
        image = getattr(decoder, f"{name}_img_")
        if image is not None:
            nibabel.save(image, folder / f"{name}.nii.gz")
            written.append(f"{name}.nii.gz")
    if decoder.regions_ is not None:
        (folder / _REGIONS).write_text(decoder.regions_.to_csv(raw=arguments.raw), encoding="utf-8")
        written.append(_REGIONS)
    return written
