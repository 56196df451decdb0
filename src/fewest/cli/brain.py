"""`fewest brain`: the fewest voxels of brain images."""

from __future__ import annotations

import argparse

from fewest.cli import _options as options

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Select the fewest voxels of brain images that tell conditions apart, and write
maps, figures, numbers and a report into a folder. Needs nilearn: pip install "fewest[neuro]"

IMAGE is one 4-D NIfTI file (.nii, .nii.gz), or several 3-D files in the order
of the labels. The labels are a text file with one line per volume, and perhaps
a header line: one label per line, or a table (comma, tab, semicolon or blanks)
of which --labels-column names one column."""


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
            "maps/*.nii.gz --labels maps.csv --labels-column hand --groups-column participant \\\n"
            "      --mask brain.nii.gz --downsample 1 --atlas aal.nii.gz --out found",
        ),
    )
    _add_data(brain)
    _add_preparation(brain)
    options.add_method_arguments(brain, ("sfm", "sfm-cv", "weston", "liknon"))
    _add_validation(brain)
    _add_maps(brain)
    _add_output(brain)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from fewest.cli._brain import run_brain

    run_brain(arguments)


def _add_data(brain: options.Parser) -> None:
    group = brain.add_argument_group("data")
    group.add_argument("images", nargs="+", metavar="IMAGE", help="the images to read")
    group.add_argument(
        "--labels", required=True, metavar="FILE", help="the condition of every volume"
    )
    group.add_argument(
        "--labels-column", metavar="COLUMN", help="its name, or its number from 1, in that file"
    )
    group.add_argument(
        "--groups",
        metavar="FILE",
        help="the run or participant of every volume; one is left out at a time (default: the "
        "file with the labels, if --groups-column is given)",
    )
    group.add_argument(
        "--groups-column", metavar="COLUMN", help="its name, or its number from 1, in that file"
    )
    group.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="LABEL",
        help="use the volumes with these labels only, face and house for instance",
    )
    group.add_argument(
        "--mask",
        metavar="FILE",
        help="image of the voxels that count (default: computed from the images by nilearn)",
    )


def _add_preparation(brain: options.Parser) -> None:
    group = brain.add_argument_group("preparation")
    group.add_argument(
        "--smoothing",
        type=options.cost,
        metavar="MM",
        help="smooth by a Gaussian of this full width at half maximum, in millimetres",
    )
    group.add_argument(
        "--standardize-runs",
        action="store_true",
        help="give every voxel mean zero and variance one within each group, over the volumes "
        "that are used",
    )
    group.add_argument(
        "--downsample",
        type=options.none_or_more,
        default=0,
        metavar="N",
        help="halve the resolution N times by a Gaussian pyramid within the mask (default: 0)",
    )


def _add_validation(brain: options.Parser) -> None:
    group = brain.add_argument_group("cross-validation")
    group.add_argument(
        "--cv",
        type=options.folds,
        metavar="K",
        help="folds; 0 for none (default: leave one group out, 5 without groups)",
    )
    options.add_seed(group, "decides folds and permutations")
    options.add_jobs(group)


def _add_maps(brain: options.Parser) -> None:
    group = brain.add_argument_group("further maps and tables")
    group.add_argument(
        "--subsets",
        type=options.none_or_more,
        default=10,
        metavar="N",
        help="most disjoint subsets of voxels to find: those found are set aside, and the "
        "selection is repeated; 0 for no ranking map (default: 10)",
    )
    group.add_argument(
        "--informative",
        action="store_true",
        help="also estimate the share of voxels that carry information (two conditions; may take "
        "long)",
    )
    group.add_argument(
        "--atlas",
        metavar="FILE",
        help="image with the number of a region in every voxel: counts the voxels found by region "
        "and hemisphere",
    )
    group.add_argument(
        "--atlas-labels",
        metavar="FILE",
        help="names of its regions: lines with a number and a name, or names from number 1 on",
    )


def _add_output(brain: options.Parser) -> None:
    group = options.add_output_arguments(
        brain, quiet="print the cross-validated error only; no progress bar", page=False
    )
    group.add_argument(
        "--out",
        required=True,
        metavar="FOLDER",
        help="folder to write; it appears when all is done, or not at all",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="replace the folder if it holds nothing but an earlier result",
    )
    group.add_argument("--no-figures", action="store_true", help="write no figures")
    group.add_argument(
        "--no-report",
        action="store_true",
        help="make no page (report.html) with maps, the error, tests against chance and "
        "alternatives, which takes up to half a minute",
    )
