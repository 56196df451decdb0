"""What the commands share: how they are described, and their groups of options."""

from __future__ import annotations

import argparse
from typing import NoReturn

from fewest.cli.errors import CommandError
from fewest.cli.options.types import cost, folds, jobs, seed, threshold

EXIT_CODES = """\
exit codes:
  0    success
  2    wrong usage or bad input
  3    no error is allowed (--C inf, fewest minimum), but the classes overlap
  130  interrupted (Ctrl-C)
"""

_DATA_FORMATS = """\
DATA is a table with one sample a row, one feature a column, and one column
with the class:
  .csv .tsv .txt   with a header line; comma, tab, semicolon or |; also as .gz
  .parquet         one table
  .xlsx            a sheet with a row of names first
  .npz             arrays X (numbers) and y (classes), and if you like
                   feature_names, gene_id or gene_name
  .h5ad            AnnData: numbers in X, the class in a column of obs
Columns without a name, and columns of text that is different in every row
(ids), are left out. What was done with the file is said below its name.
"""

# Spelled out, because the parser loads no library; a test compares it with the reader's own.
MISSING = ("error", "drop-samples", "drop-features", "median")

_METHOD_HELP = {
    "sfm": "sfm: Support Feature Machine",
    "sfm-cv": "sfm-cv: the same, C chosen by cross-validation",
    "weston": "weston: zero-norm support vector machine",
    "liknon": "liknon: one-norm support vector machine",
    "psvm": "psvm: Potential Support Vector Machine",
}


class Parser(argparse.ArgumentParser):
    """Reports usage errors like all other errors, without the long usage line."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}\nSee: {self.prog} --help")


Commands = argparse._SubParsersAction  # what parsers of commands are added to


def new_command(
    commands: Commands[Parser], name: str, *, help: str, description: str, examples: tuple[str, ...]
) -> Parser:
    """The parser of a command without options yet."""
    lines = "\n".join(f"  fewest {name} {example}".rstrip() for example in examples)
    return commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=f"examples:\n{lines}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def new_data_command(
    commands: Commands[Parser], name: str, *, help: str, description: str, examples: tuple[str, ...]
) -> Parser:
    """The parser of a command that reads a table."""
    parser = new_command(
        commands,
        name,
        help=help,
        description=f"{description}\n\n{_DATA_FORMATS}",
        examples=examples,
    )
    group = parser.add_argument_group("data")
    group.add_argument("data", metavar="DATA", help="the file to read")
    group.add_argument(
        "--target",
        metavar="COLUMN",
        help="column with the classes; for .npz the name of the array (default there: y)",
    )
    group.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="leave this column out, a patient id for instance; may be given several times",
    )
    add_layout_arguments(group)
    group.add_argument(
        "--missing",
        choices=MISSING,
        default="error",
        help="cells without a value: end with an error that says where they are, leave out their "
        "samples or their features, or fill in the median of the feature (default: error)",
    )
    return parser


def add_layout_arguments(group: argparse._ArgumentGroup) -> None:
    """Where in the file the table is."""
    group.add_argument(
        "--transpose",
        action="store_true",
        help="the samples are columns: the first column has names, and COLUMN above is a row",
    )
    group.add_argument(
        "--sheet", metavar="NAME", help="sheet of an Excel workbook (default: the first)"
    )


def add_method_arguments(
    parser: argparse.ArgumentParser, methods: tuple[str, ...]
) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("method")
    group.add_argument(
        "--method",
        choices=methods,
        default="sfm",
        help="; ".join(_METHOD_HELP[method] for method in methods) + " (default: sfm)",
    )
    if "sfm-cv" in methods:
        group.add_argument(
            "--C",
            type=cost,
            metavar="FLOAT",
            help="what one training error costs, in features; inf allows none. For liknon the cost "
            "of the hinge loss: see fewest path for values that suit the data; sfm-cv chooses C "
            "by itself; for psvm the largest weight (default: 1.0; weston and psvm: inf)",
        )
    # None stands for the default, so that an option which makes no sense can be refused.
    group.add_argument(
        "--constraint",
        choices=("class_means", "mean_margin"),
        help="sfm only: what excludes zero weights, the form of 2013 or of 2010 (default: "
        "class_means)",
    )
    if "psvm" in methods:
        group.add_argument(
            "--epsilon",
            type=threshold,
            metavar="FLOAT",
            help="psvm only: the larger, the fewer features; above the square root of the number "
            "of samples there are none (default: 1.0)",
        )
        group.add_argument(
            "--matrix",
            action="store_true",
            help="psvm only: the columns are the samples themselves, in the same order (a table "
            "of similarities or distances); folds then leave out columns with rows",
        )
    group.add_argument(
        "--class-weight",
        choices=("balanced", "none"),
        help="balanced: all classes count the same, small ones too (default: balanced; psvm has "
        "no weights)",
    )
    group.add_argument(
        "--no-standardize",
        dest="standardize",
        action="store_false",
        help="do not divide the features by their standard deviations",
    )
    group.add_argument(
        "--refit",
        choices=("margin", "support", "none") if "psvm" in methods else ("margin", "none"),
        help="classifier on the selected features: the one with the largest margin, for psvm "
        "(support) weights without epsilon, or that of the last program (default: margin for "
        "select and path with sfm, support for psvm, else none)",
    )
    return group


def add_cost_of_errors(group: argparse._ArgumentGroup) -> None:
    """C for commands whose machines are hard unless told otherwise."""
    group.add_argument(
        "--C",
        type=cost,
        metavar="FLOAT",
        help="what one training error costs, in features; inf allows none (default: inf; liknon: "
        "1.0)",
    )


def add_validation_arguments(
    parser: argparse.ArgumentParser, *, random: str = "folds", parallel: str = "folds"
) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("cross-validation")
    group.add_argument(
        "--cv", type=folds, default=5, metavar="K", help="folds; 0 for none (default: 5)"
    )
    group.add_argument(
        "--groups",
        metavar="COLUMN",
        help="column (for .npz the array) that says which samples belong together, those of one "
        "patient for instance: a fold has all of them or none; it is no feature",
    )
    group.add_argument(
        "--seed", type=seed, default=0, metavar="INT", help=f"decides the {random} (default: 0)"
    )
    group.add_argument(
        "--jobs",
        type=jobs,
        default=1,
        metavar="N",
        help=f"{parallel} computed at the same time; -1 for one a core (default: 1)",
    )
    return group


def add_output_arguments(
    parser: argparse.ArgumentParser,
    *,
    quiet: str = "print the names of the selected features only, one a line; no progress bar",
    page: bool = True,
) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        metavar="FILE",
        help="also write everything to this file; - for standard output and nothing else there",
    )
    if page:
        group.add_argument(
            "--report",
            metavar="FILE",
            help="also make one page (.html) with figures, the error, tests against chance and "
            "alternatives, or the same as numbers (.json); takes about half a minute more",
        )
    group.add_argument(
        "--quiet",
        action="store_true",
        help=quiet,
    )
    return group
