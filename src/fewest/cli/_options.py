"""What the commands share: how they are described, their groups of options, and their values."""

from __future__ import annotations

import argparse
import math
import re
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from fewest.cli._errors import CommandError
from fewest.cli._methods import METHODS

EXIT_CODES = """\
exit codes:
  0    success
  1    failed: too little memory, a full disk, or a fault of fewest
  2    wrong usage or bad input
  3    no error is allowed (--C inf, fewest minimum), but the classes overlap or touch
  130  interrupted (Ctrl-C)
"""

_DATA_FORMATS = """\
DATA is a table with one sample per row, one feature per column, and one column
with the class:
  .csv .tsv .txt   with a header line; comma, tab, semicolon or |; also as .gz;
                   also a series matrix file of GEO
  .parquet         one table
  .xlsx            a sheet with a row of names first
  .npz             arrays X (numbers) and y (classes), and if you like
                   feature_names, gene_id or gene_name
  .h5ad            AnnData: numbers in X or a layer, the class in a column of obs
Columns without a name, and columns of text that is different in every row
(ids), are left out. What was done with the file is reported below its name.
"""

# Spelled out, because the parser loads no library; a test compares them with the reader's own.
MISSING = ("error", "drop-samples", "drop-features", "median")
DUPLICATES = ("error", "mean", "max", "first", "suffix")

_MOST_SEEDS = 2**32


def _number(requirement: str, is_valid: Callable[[Any], bool], kind: type = float) -> Any:
    """What turns the text of an option into a number, or says what it must be."""

    def convert(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            if kind is int:
                raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
            value = math.nan
        if not is_valid(value):
            raise argparse.ArgumentTypeError(f"{requirement} not {text!r}")
        return value

    return convert


cost = _number("must be a number above zero, or inf;", lambda value: value > 0)
frequency = _number("must be a number above zero,", lambda value: 0 < value < math.inf)
share = _number("must be a number from 0 to 1,", lambda value: 0 <= value <= 1)
threshold = _number("must be a number of at least zero,", lambda value: 0 <= value < math.inf)
folds = _number("must be 2 or more, or 0 for none;", lambda value: value == 0 or value >= 2, int)
seconds = _number("must be a number above zero,", lambda value: 0 < value < math.inf)
at_least_one = _number("must be 1 or more,", lambda value: value >= 1, int)
none_or_more = _number("must be 0 or more,", lambda value: value >= 0, int)
jobs = _number("must be 1 or more, or -1 for all cores;", lambda n: n >= 1 or n == -1, int)
seed = _number(
    f"must lie between 0 and {_MOST_SEEDS - 1},", lambda value: 0 <= value < _MOST_SEEDS, int
)


def at_least_one_or_all(text: str) -> int | None:
    """A number, or None for "all"."""
    return None if text == "all" else at_least_one(text)


def link_pattern(text: str) -> str:
    """The pattern of the addresses of pages about features."""
    from fewest.report._links import read_links

    try:
        return read_links(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("links ")) from None


def size_or_range(text: str) -> int | list[int]:
    """A number of features, or a range of them: 20, 1-20."""
    first, _, last = text.partition("-")
    if not (first and last):  # -3 is a number, too, if none that is allowed
        return int(at_least_one(text))
    smallest, largest = at_least_one(first), at_least_one(last)
    if smallest > largest:
        raise argparse.ArgumentTypeError(f"must go upwards, as 1-20 does, not {text!r}")
    return list(range(smallest, largest + 1))


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Lines end neither within the name of an option nor between it and its value."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        text = re.sub(r"\s+", " ", text.strip())
        glued = re.sub(r"(--[\w-]+) (?=\S)", "\\1\u00a0", text)
        lines = textwrap.wrap(glued, width, break_on_hyphens=False)
        return [line.replace("\u00a0", " ") for line in lines]


class Group(argparse._ArgumentGroup):
    """Options under one title."""

    def option(
        self,
        option: str,
        help: str,
        type: Callable[[str], Any] | None = None,
        default: Any = None,
        **settings: Any,
    ) -> None:
        """An option as one types it: "--cv K" takes a value, "--quiet" does not.

        A default is named at the end of the help. `settings` are those of `add_argument`.
        """
        name, _, metavar = option.partition(" ")
        if metavar:
            settings |= {"metavar": metavar, "type": type}
        elif "choices" not in settings:
            settings.setdefault("action", "store_true")
        if default is not None:
            settings["default"] = default
            help += "" if default == [] else f" (default: {default})"
        self.add_argument(name, help=help, **settings)


class Parser(argparse.ArgumentParser):
    """Reports usage errors like all other errors, without the long usage line."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}\nSee: {self.prog} --help")

    def add_group(self, title: str) -> Group:
        """A new title, with no options yet."""
        group = Group(self, title)
        self._action_groups.append(group)
        return group


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # what parsers are added to


def new_command(
    commands: Commands,
    name: str,
    *,
    help: str,
    description: str,
    examples: tuple[str, ...],
    reads_table: bool = False,
    also_reads: str = "",
) -> Parser:
    """The parser of a command; without options yet, unless it reads a table.

    `also_reads` describes further kinds of files.
    """
    lines = "\n".join(f"  fewest {name} {example}".rstrip() for example in examples)
    parser = commands.add_parser(
        name,
        help=help,
        description=f"{description}\n\n{_DATA_FORMATS}{also_reads}" if reads_table else description,
        epilog=f"examples:\n{lines}\n\n{EXIT_CODES}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--debug", action="store_true", help="after an error, show where in the program it came up"
    )
    if reads_table:
        _add_table(parser)
    return parser


def _add_table(parser: Parser) -> None:
    group = parser.add_group("data")
    group.add_argument("data", metavar="DATA", help="the file to read")
    target = "column with the classes; for .npz the name of the array (default there: y)"
    group.option("--target COLUMN", target)
    only = "the classes to tell apart; samples of all other classes are left out"
    group.add_argument("--only", nargs="+", default=[], metavar="LABEL", help=only)
    group.option("--one-vs-rest LABEL", "two classes: this one, and all others together")
    case = "classes that differ in upper and lower case only are one: Ill and ill"
    group.option("--fold-case", case)
    add_drop(
        group,
        "leave out these columns: a name, a list with commas, a pattern such as 'qc_*', or "
        "all-text for every column with text",
    )
    kept = "a feature although it looks like a row number, an id or a date"
    group.option("--keep COLUMN", kept, action="append", default=[])
    add_layout(group)
    group.option(
        "--missing",
        "cells without a value: end with an error that says where they are, leave out their "
        "samples or their features, or fill in the median of the feature",
        default="error",
        choices=MISSING,
    )


def add_drop(group: Group, help: str) -> None:
    """Columns to leave out."""
    help += "; may be given several times"
    group.add_argument("--drop", action="append", default=[], metavar="COLUMN", help=help)


def add_layout(group: Group) -> None:
    """Where in the file the table is."""
    group.option(
        "--classes FILE[:SHEET][:COLUMN]",
        "a second table with the classes (and groups), whose rows are found by the ids of the "
        "samples, in any order; where these are columns of DATA, it is read transposed",
    )
    ids = "column with the ids of the samples (default: the first with a text of its own per row)"
    group.option("--ids COLUMN", ids)
    transposed = "the samples are columns: the first column has names, and COLUMN above is a row"
    group.option("--transpose", transposed)
    named = "where the samples are columns: column with the names of the features (default: first)"
    group.option("--names COLUMN", named)
    group.option(
        "--duplicates",
        "features that share a name: an error, their mean, the largest value per sample, the first "
        "of them, or numbers after their names",
        default="error",
        choices=DUPLICATES,
    )
    group.option("--sheet NAME", "sheet of an Excel workbook (default: the first)")
    group.option("--layer NAME", "layer of an .h5ad file (default: X)")


def add_method(
    parser: Parser, methods: tuple[str, ...], *, hard: bool = False, chooses: bool = False
) -> Group:
    """The method and its parameters; None stands for a default that depends on the method.

    `hard`: no training error is allowed unless C is given. `chooses`: the default is the method
    that chooses C by itself, unless an option asks for another.
    """
    group = parser.add_group("method")
    described = "; ".join(f"{method}: {METHODS[method].description}" for method in methods)
    if chooses:
        described += " (default: sfm-cv; sfm with --C, --max-features or --certify)"
        group.option("--method", described, choices=methods)
    else:
        group.option("--method", described, default="sfm", choices=methods)
    cost_of_errors = "what a training error costs, in features; inf allows none"
    if hard:
        group.option("--C FLOAT", f"{cost_of_errors} (default: inf; liknon: 1.0)", cost)
    elif "sfm-cv" in methods:
        group.option(
            "--C FLOAT",
            f"{cost_of_errors}. For liknon the cost of the hinge loss: see fewest path for values "
            "that suit the data; sfm-cv chooses C by itself; for psvm the largest weight (default: "
            "sfm 2.0; liknon 1.0; weston and psvm inf)",
            cost,
        )
    group.option(
        "--constraint",
        "sfm only: what excludes zero weights, the form of 2013 or of 2010 (default: class_means)",
        choices=("class_means", "mean_margin"),
    )
    if "psvm" in methods:
        group.option(
            "--epsilon FLOAT",
            "psvm only: the larger, the fewer features; above the square root of the number of "
            "samples there are none (default: 1.0)",
            threshold,
        )
        group.option(
            "--matrix",
            "psvm only: the columns are the samples themselves, in the same order (a table of "
            "similarities or distances); folds then leave out columns with rows",
        )
    group.option(
        "--class-weight",
        "balanced: all classes count the same, small ones too (default: balanced; psvm has no "
        "weights)",
        choices=("balanced", "none"),
    )
    unscaled = "do not divide the features by their standard deviations"
    group.option("--no-standardize", unscaled, dest="standardize", action="store_false")
    group.option(
        "--refit",
        "classifier on the selected features: the one with the largest margin, for psvm (support) "
        "weights without epsilon, or that of the last program (default: margin for select and "
        "path with sfm, support for psvm, else none)",
        choices=("margin", "support", "none") if "psvm" in methods else ("margin", "none"),
    )
    return group


def add_confounds(group: Group) -> None:
    """What else varied while volumes were taken."""
    tables = (
        "table (.tsv, or .csv) of what nilearn takes out of every voxel, motion for instance: one "
        "row per volume; one table for all images, or one per image"
    )
    group.add_argument("--confounds", nargs="+", default=[], metavar="FILE", help=tables)
    columns = "those of its columns to use, by name (default: all)"
    group.add_argument("--confounds-columns", nargs="+", default=[], metavar="NAME", help=columns)


def add_panel(group: Group) -> None:
    """How many features at most, and how more than two classes share them."""
    group.option(
        "--max-features K",
        "at most K features for all classes together, or a range such as 1-20, of which "
        "cross-validation chooses the smallest that is about as good as the best; not with sfm-cv "
        "and psvm (default: no limit)",
        size_or_range,
    )
    group.option(
        "--multi-class",
        "more than two classes: one panel of features for all of them, or one selection per class "
        "against the rest (default: joint, but separate if no method is named; psvm has the latter "
        "only)",
        choices=("joint", "separate"),
    )


def add_per_class(group: Group, what: str, end: str = "") -> None:
    """Each class against the rest, beside all of them together."""
    group.option(
        "--per-class",
        f"more than two classes: also {what} of each class against the rest, and say how many "
        f"different features that takes and which ones several classes share{end}",
    )


def add_seed(group: Group, decides: str) -> None:
    """The seed, and what it decides."""
    group.option("--seed INT", decides, seed, 0)


def add_jobs(
    group: Group,
    what: str = "folds computed at the same time; -1 for one per core",
    default: int = 1,
) -> None:
    """How many of what at the same time."""
    group.option("--jobs N", what, jobs, default)


def add_checkpoint(group: Group) -> None:
    """A folder for what is finished."""
    kept = "keep every finished repetition there; the same command goes on where it was stopped"
    group.option("--checkpoint FOLDER", kept)


def add_groups(group: Group, what: str = "a fold has all of them or none") -> None:
    """Which samples belong together."""
    group.option(
        "--groups COLUMN",
        "column (for .npz the array) that says which samples belong together, those of one "
        f"patient for instance: {what}; it is not used as a feature",
    )


def add_validation(parser: Parser, *, of_what: str = "folds") -> Group:
    """Folds, groups, seed and jobs; `of_what` is random and can be computed in parallel."""
    group = parser.add_group("cross-validation")
    group.option("--cv K", "folds; 0 for none", folds, 5)
    add_groups(group)
    add_seed(group, f"decides the {of_what}")
    add_jobs(group, f"{of_what} computed at the same time; -1 for one per core")
    return group


def add_raw(group: Group) -> None:
    """Names in text tables as they are."""
    group.option(
        "--raw",
        "write names that begin with = + - @ or a tab as they are; by default they get an "
        "apostrophe in front, because spreadsheets would run them as formulas (fewest takes it "
        "away when it reads such a table)",
    )


def add_page_limits(group: Group, *, has_test: bool = False) -> None:
    """How much is computed for a page, where the shape of the data is not to decide."""
    if not has_test:
        group.option(
            "--permutations N",
            "random labellings for the page, of the method itself, however long they take "
            "(default: 99 or fewer, by the size of the data, and the same on every computer)",
            at_least_one,
            dest="page_permutations",
        )
    group.option(
        "--report-seconds S",
        "time for what is computed for the page, which is drawn after that: what fits into it "
        "depends on the speed of the computer, so the same command may give another p-value "
        "(default: no such limit)",
        seconds,
    )


def add_output(
    parser: Parser,
    *,
    quiet: str = "print the names of the selected features only, one per line; no progress bar",
    page: bool | str = True,
    plot: str | None = None,
    has_test: bool = False,
    verbose: str | None = None,
) -> Group:
    """Where the result goes.

    `plot` says what can be drawn, `page` what a page shows, and `verbose` what else can be printed.
    `has_test`: the command has permutations of its own.
    """
    group = parser.add_group("output")
    to_file = "also write everything to this file; - for standard output and nothing else there"
    group.option("--json FILE", to_file)
    if page:
        usual = (
            "also make one page (.html) with figures, the error, tests against chance and "
            "alternatives, or the same as numbers (.json); takes a minute or two more, and says "
            "before how long"
        )
        group.option("--report FILE", page if isinstance(page, str) else usual)
        group.option(
            "--links PATTERN",
            "names of features on the page of --report lead to pages about them: ncbi, ensembl, "
            "uniprot, or an address with {name} in it (default: no links)",
            link_pattern,
        )
    if page is True:
        add_page_limits(group, has_test=has_test)
    if plot is not None:
        group.option("--plot FILE", f"draw {plot}; the name ends in .png, .svg or .pdf")
    group.option("--quiet", quiet)
    if verbose is not None:
        group.option("--verbose", f"also print {verbose}")
    return group
