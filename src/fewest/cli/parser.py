"""The arguments of every command, and the help that explains them."""

from __future__ import annotations

import argparse
import math
from typing import NoReturn

from fewest import __version__
from fewest.cli.errors import CommandError

_EXIT_CODES = """\
exit codes:
  0    success
  2    wrong usage or bad input
  3    --C inf, and the classes cannot be separated without error
  130  interrupted (Ctrl-C)
"""

_MAIN_EPILOG = f"""\
examples:
  fewest demo
  fewest select expression.csv --target diagnosis
  fewest path expression.csv --target diagnosis --plot path.png
  fewest diagnose expression.csv --target diagnosis
  fewest select --help

{_EXIT_CODES}"""

_SELECT_EPILOG = f"""\
examples:
  fewest select expression.csv --target diagnosis
  fewest select expression.tsv.gz --target diagnosis --drop patient --drop age
  fewest select expression.parquet --target diagnosis --C inf --json result.json
  fewest select expression.npz --cv 10 --repeats 5 --jobs 4
  fewest select expression.csv --target diagnosis --method sfm-cv
  fewest select expression.csv --target diagnosis --method liknon --C 0.05
  fewest select expression.csv --target diagnosis --quiet > selected.txt

{_EXIT_CODES}"""

_PATH_EPILOG = f"""\
examples:
  fewest path expression.csv --target diagnosis
  fewest path expression.csv --target diagnosis --plot path.png --json path.json
  fewest path expression.csv --target diagnosis --method liknon --values 50 --cv 10

{_EXIT_CODES}"""

_DIAGNOSE_EPILOG = f"""\
examples:
  fewest diagnose expression.csv --target diagnosis
  fewest diagnose expression.npz --permutations 999 --jobs 4 --json diagnosis.json

{_EXIT_CODES}"""

_DEMO_EPILOG = f"""\
examples:
  fewest demo
  fewest demo --seed 1 --json demo.json

{_EXIT_CODES}"""

_DATA_FORMATS = """\
DATA is a table with one sample a row, one feature a column, and one column
with the class:
  .csv .tsv .txt   with a header line; comma, tab or semicolon; also as .gz
  .parquet         one table
  .npz             arrays X (numbers) and y (classes), and if you like
                   feature_names, gene_id or gene_name
"""

_SELECT_DESCRIPTION = f"""\
Select the fewest features that tell the classes apart.

{_DATA_FORMATS}"""

_PATH_DESCRIPTION = f"""\
Show what C does: the number of features, the training error and the
cross-validated error (features selected anew in every fold) against C.

{_DATA_FORMATS}"""

_DIAGNOSE_DESCRIPTION = f"""\
Say in plain words whether anything can be concluded from the data: would
classes assigned at random look the same? And what to beware of: chance,
concentration of distances, hubs, misleading leave-one-out errors.

{_DATA_FORMATS}"""

_METHOD_HELP = {
    "sfm": "sfm: Support Feature Machine",
    "sfm-cv": "sfm-cv: the same, C chosen by cross-validation",
    "weston": "weston: zero-norm support vector machine",
    "liknon": "liknon: one-norm support vector machine",
}

_MOST_SEEDS = 2**32


class _Parser(argparse.ArgumentParser):
    """Reports usage errors like all other errors, without the long usage line."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}\nSee: {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """The parser of `fewest`, with one sub-parser a command."""
    parser = _Parser(
        prog="fewest",
        description="Find the fewest features that tell classes apart.",
        epilog=_MAIN_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"fewest {__version__}")
    commands = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    _add_select(commands)
    _add_path(commands)
    _add_diagnose(commands)
    _add_demo(commands)
    return parser


def _add_select(commands: argparse._SubParsersAction[_Parser]) -> None:
    select = commands.add_parser(
        "select",
        help="select features in your own data",
        description=_SELECT_DESCRIPTION,
        epilog=_SELECT_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_data_arguments(select)
    _add_method_arguments(select, ("sfm", "sfm-cv", "weston", "liknon"))
    validation = _add_validation_arguments(select)
    validation.add_argument(
        "--repeats",
        type=_at_least_one,
        default=1,
        metavar="R",
        help="repeat it with other folds (default: 1)",
    )
    _add_output_arguments(select)


def _add_path(commands: argparse._SubParsersAction[_Parser]) -> None:
    path = commands.add_parser(
        "path",
        help="number of features and errors against C, as a table and a figure",
        description=_PATH_DESCRIPTION,
        epilog=_PATH_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_data_arguments(path)
    group = _add_method_arguments(path, ("sfm", "liknon"))
    group.add_argument(
        "--values",
        type=_at_least_one,
        default=20,
        metavar="N",
        help="how many values of C (default: 20)",
    )
    group.add_argument(
        "--grid",
        choices=("breakpoints", "transvariation"),
        default="breakpoints",
        help="values of C: evenly (in the logarithm) from the first to the last one at which the "
        "linear program's solution changes (the default), or (liknon only) from the class "
        "differences of the features, as its authors do",
    )
    _add_validation_arguments(path)
    output = _add_output_arguments(path, quiet="print the table only; no progress bar")
    output.add_argument(
        "--plot", metavar="FILE", help="draw the table; the name ends in .png, .svg or .pdf"
    )


def _add_diagnose(commands: argparse._SubParsersAction[_Parser]) -> None:
    diagnose = commands.add_parser(
        "diagnose",
        help="whether anything can be concluded from your data, in plain words",
        description=_DIAGNOSE_DESCRIPTION,
        epilog=_DIAGNOSE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_data_arguments(diagnose)
    group = diagnose.add_argument_group("test")
    group.add_argument(
        "--permutations",
        type=_at_least_one,
        default=99,
        metavar="N",
        help="random labellings to compare with; the smallest p-value is 1/(N+1) (default: 99)",
    )
    _add_validation_arguments(diagnose, random="permutations", parallel="permutations")
    _add_output_arguments(diagnose, quiet="print the first sentence only; no progress bar")


def _add_demo(commands: argparse._SubParsersAction[_Parser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="try it on generated data: 72 samples, 7,000 features, 3 of them informative",
        description="Run the main job on generated data in which the answer is known.",
        epilog=_DEMO_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    demo.add_argument(
        "--seed",
        type=_seed,
        default=0,
        metavar="INT",
        help="another seed gives other data and other folds (default: 0)",
    )
    _add_output_arguments(demo)


def _add_data_arguments(parser: argparse.ArgumentParser) -> None:
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


def _add_method_arguments(
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
            type=_cost,
            metavar="FLOAT",
            help="what one training error costs, in features; inf allows none. For liknon the cost "
            "of the hinge loss: see fewest path for values that suit the data; sfm-cv chooses C "
            "by itself (default: 1.0; weston: inf)",
        )
    # None stands for the default, so that an option which makes no sense can be refused.
    group.add_argument(
        "--constraint",
        choices=("class_means", "mean_margin"),
        help="sfm only: what excludes zero weights, the form of 2013 or of 2010 (default: "
        "class_means)",
    )
    group.add_argument(
        "--class-weight",
        choices=("balanced", "none"),
        default="balanced",
        help="balanced: all classes count the same, small ones too (default: balanced)",
    )
    group.add_argument(
        "--no-standardize",
        dest="standardize",
        action="store_false",
        help="do not divide the features by their standard deviations",
    )
    group.add_argument(
        "--refit",
        choices=("margin", "none"),
        help="classifier on the selected features: the one with the largest margin, or that of "
        "the last linear program (default: margin for sfm, else none)",
    )
    return group


def _add_validation_arguments(
    parser: argparse.ArgumentParser, *, random: str = "folds", parallel: str = "folds"
) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("cross-validation")
    group.add_argument(
        "--cv", type=_folds, default=5, metavar="K", help="folds; 0 for none (default: 5)"
    )
    group.add_argument(
        "--seed", type=_seed, default=0, metavar="INT", help=f"decides the {random} (default: 0)"
    )
    group.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help=f"{parallel} computed at the same time; -1 for one a core (default: 1)",
    )
    return group


def _add_output_arguments(
    parser: argparse.ArgumentParser,
    *,
    quiet: str = "print the names of the selected features only, one a line; no progress bar",
) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        metavar="FILE",
        help="also write everything to this file; - for standard output and nothing else there",
    )
    group.add_argument(
        "--quiet",
        action="store_true",
        help=quiet,
    )
    return group


def _cost(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:  # not a number fails this too
        raise argparse.ArgumentTypeError(f"must be a number above zero, or inf; not {text!r}")
    return value


def _folds(text: str) -> int:
    value = _whole(text)
    if value < 0 or value == 1:
        raise argparse.ArgumentTypeError(f"must be 2 or more, or 0 for none; not {text!r}")
    return value


def _at_least_one(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {text!r}")
    return value


def _jobs(text: str) -> int:
    value = _whole(text)
    if value < 1 and value != -1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, or -1 for all cores; not {text!r}")
    return value


def _seed(text: str) -> int:
    value = _whole(text)
    if not 0 <= value < _MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"must lie between 0 and {_MOST_SEEDS - 1}, not {text!r}")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
