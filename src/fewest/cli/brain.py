"""`fewest brain`: images in, a folder with maps out."""

from __future__ import annotations

import argparse

from fewest.cli import _options as options

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Select the fewest voxels of brain images that tell conditions apart, and write
maps, figures, numbers and a report into a folder. Needs nilearn: pip install "fewest[neuro]"

IMAGE is one 4-D NIfTI file (.nii, .nii.gz), several of them (one per run), or
3-D files in the order of the labels. The labels are a text file with one line
per volume, and perhaps a header line: one label per line, or a table (comma,
tab, semicolon or blanks) of which --labels-column names one column. Or they
come from --events, tables with onset, duration and trial_type as in BIDS.

What nilearn does to the volumes (--standardize, --detrend, --high-pass,
--low-pass, --confounds) it does to each run by itself."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    brain = options.new_command(
        commands,
        "brain",
        help="the fewest voxels of brain images, as maps",
        description=_DESCRIPTION,
        examples=(
            "bold.nii.gz --labels labels.txt --groups runs.txt --out found",
            "bold.nii.gz --labels attributes.txt --labels-column labels "
            "--groups-column chunks \\\n      --only face house --standardize-runs --out found",
            "run1_bold.nii.gz run2_bold.nii.gz --events run1_events.tsv run2_events.tsv \\\n"
            "      --detrend --high-pass 0.008 --standardize zscore_sample --out found "
            "--model faces.fewest",
            "maps/*.nii.gz --labels maps.csv --labels-column hand --groups-column participant \\\n"
            "      --mask brain.nii.gz --downsample 1 --atlas aal.nii.gz --out found",
        ),
    )
    _add_data(brain)
    _add_preparation(brain)
    options.add_method(brain, ("sfm", "sfm-cv", "weston", "liknon"))
    group = brain.add_group("cross-validation")
    number = "folds; 0 for none (default: leave one group out, 5 without groups)"
    group.option("--cv K", number, options.folds)
    options.add_seed(group, "decides folds and permutations")
    options.add_jobs(group)
    group.option(
        "--permute",
        "what gets a label of its own in permutations: blocks, which are events or volumes of one "
        "condition that follow each other, or single volumes (default: blocks; volumes for 3-D "
        "images)",
        choices=("blocks", "volumes"),
    )
    _add_maps(brain)
    _add_output(brain)


def _add_data(brain: options.Parser) -> None:
    group = brain.add_group("data")
    group.add_argument("images", nargs="+", metavar="IMAGE", help="the images to read")
    group.option("--labels FILE", "the condition of every volume")
    column = "its name, or its number from 1, in that file"
    group.option("--labels-column COLUMN", column)
    events = (
        "in place of --labels: a BIDS table (.tsv) of onset, duration and trial_type per image; "
        "volumes between events are left out"
    )
    group.add_argument("--events", nargs="+", default=[], metavar="FILE", help=events)
    late = "seconds from an event to the volumes that respond to it"
    group.option("--lag SECONDS", late, options.threshold, 5.0)
    group.option(
        "--groups FILE",
        "the run or participant of every volume; one is left out at a time (default: the file "
        "with the labels, if --groups-column is given; with several 4-D images, one group each)",
    )
    group.option("--groups-column COLUMN", column)
    only = "use the volumes with these labels only, face and house for instance"
    group.add_argument("--only", nargs="+", default=[], metavar="LABEL", help=only)
    mask = "image of the voxels that count (default: computed from the images by nilearn)"
    group.option("--mask FILE", mask)
    group.option(
        "--mask-strategy",
        "how nilearn computes the mask",
        default="background",
        choices=("background", "epi", "whole-brain-template", "gm-template", "wm-template"),
    )


def _add_preparation(brain: options.Parser) -> None:
    group = brain.add_group("preparation")
    group.option(
        "--smoothing MM",
        "smooth by a Gaussian of this full width at half maximum, in millimetres",
        options.cost,
    )
    group.option(
        "--standardize",
        "what nilearn does to every voxel of a run, over all of its volumes: mean zero and "
        "variance one, or percent of its mean",
        choices=("zscore_sample", "psc"),
        dest="standardize_volumes",
    )
    group.option(
        "--standardize-runs",
        "give every voxel mean zero and variance one within each group, over the volumes that are "
        "used",
    )
    group.option("--detrend", "take linear trends out of every run")
    hertz = "keep frequencies above this many Hz (0.008 is usual), run by run"
    group.option("--high-pass HZ", hertz, options.frequency)
    group.option("--low-pass HZ", "keep frequencies below this many Hz", options.frequency)
    seconds = "seconds from one volume to the next (default: by the header of the images)"
    group.option("--t-r SECONDS", seconds, options.frequency)
    options.add_confounds(group)
    halved = "halve the resolution N times by a Gaussian pyramid within the mask"
    group.option("--downsample N", halved, options.none_or_more, 0)


def _add_maps(brain: options.Parser) -> None:
    group = brain.add_group("further maps and tables")
    group.option(
        "--subsets N",
        "most disjoint subsets of voxels to find: those found are set aside, and the selection is "
        "repeated; 0 for no ranking map",
        options.none_or_more,
        10,
    )
    group.option(
        "--informative",
        "also estimate the share of voxels that carry information (two conditions; may take long)",
    )
    group.option(
        "--atlas FILE",
        "image with the number of a region in every voxel: counts the voxels found by region and "
        "hemisphere",
    )
    group.option(
        "--atlas-labels FILE",
        "names of its regions: lines with a number and a name, or names from number 1 on",
    )


def _add_output(brain: options.Parser) -> None:
    group = options.add_output(
        brain, quiet="print the cross-validated error only; no progress bar", page=False
    )
    options.add_raw(group)
    group.option(
        "--out FOLDER",
        "folder to write; it appears with all maps and numbers, figures and page follow",
        required=True,
    )
    saved = "also save the decoder to this file, for fewest predict and fewest.load"
    group.option("--model FILE", saved)
    group.option("--overwrite", "replace the folder if it holds only an earlier result")
    group.option("--no-figures", "write no figures")
    group.option(
        "--no-report",
        "make no page (report.html) with maps, the error, tests against chance and alternatives, "
        "which takes a minute or two",
    )
    options.add_page_limits(group)


def run(arguments: argparse.Namespace) -> None:
    """Read, fit, cross-validate, write the folder."""
    from fewest.cli._brain import run_brain

    run_brain(arguments)
