"""The data that a command works on."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fewest._estimators.copies import join_copies, say_copies
from fewest._wording import quoted, visible
from fewest.cli._errors import CommandError
from fewest.cli._waiting import read_waiting
from fewest.tables import InputError, Samples, Table, read_samples, read_table
from fewest.tables._narrow import keep_classes, oppose_rest
from fewest.tables._second import read_some
from fewest.tables._suffixes import ALWAYS_IN_BLOCKS
from fewest.tables._together import BECAUSE

_Found = TypeVar("_Found")

_OPTIONS = {
    "target": "--target COLUMN",
    "drop": "--drop COLUMN",
    "keep": "--keep COLUMN",
    "groups": "--groups COLUMN",
    "transpose": "--transpose",
    "missing": "--missing drop-samples (for gaps in features also drop-features or median)",
    "sheet": "--sheet NAME",
    "layer": "--layer NAME",
    "classes": "--classes FILE:COLUMN",
    "ids": "--ids COLUMN",
    "names": "--names COLUMN",
    "covariates": "--covariates A,B",
    "duplicates": "--duplicates",
    "fold_case": "--fold-case",
    "only": "--only A B",
    "one_vs_rest": "--one-vs-rest LABEL",
}
_AS_USUAL = {"missing": "error", "duplicates": "error"}
# What other commands need to read the same samples and features.
_FOR_ALL = tuple(name for name in _OPTIONS if name != "covariates")


def read(arguments: argparse.Namespace) -> Table:
    """The table; where an option would help, the message names it."""
    _refuse_blocks(arguments)
    with naming_options(arguments):
        table = _read(
            arguments,
            read_table,
            arguments.data,
            arguments.target,
            arguments.drop,
            getattr(arguments, "groups", None),
            transpose=arguments.transpose,
            missing=arguments.missing,
            covariates=split_names(getattr(arguments, "covariates", None)),
            keep=arguments.keep,
            fold_case=arguments.fold_case,
            **_layout(arguments),
        )
        table = narrow(table, arguments)
        if hasattr(arguments, "groups"):
            table = _keep_copies_together(table)
    rows, columns = table.X.shape
    if getattr(arguments, "matrix", False) and rows != columns:
        raise CommandError(
            f"--matrix needs as many columns as rows, but the table has {rows} rows and {columns} "
            "columns.\nLeave it out if the columns are objects of another kind."
        )
    return table


def list_reading(arguments: argparse.Namespace) -> list[str]:
    """The options that say how to read the file, as one types them, for another command.

    Covariates are left out there, so the features are the same.
    """
    dropped = [*arguments.drop, *split_names(getattr(arguments, "covariates", None))]
    given = {**vars(arguments), "drop": dropped}
    listed: list[str] = []
    for name in _FOR_ALL:
        option, value = f"--{name.replace('_', '-')}", given.get(name)
        if value is True:
            listed.append(option)
        elif name == "only" and value:
            listed += [option, *value]
        elif value and value != _AS_USUAL.get(name):
            values = value if isinstance(value, list) else [value]
            for one in values:
                listed += [f"{option}={one}"] if one.startswith("-") else [option, one]
    return listed


def narrow(table: Table, arguments: argparse.Namespace) -> Table:
    """The classes that were asked for."""
    if arguments.only:
        table = keep_classes(table, arguments.only)
    return oppose_rest(table, arguments.one_vs_rest) if arguments.one_vs_rest else table


def _refuse_blocks(arguments: argparse.Namespace) -> None:
    """Say which command reads files that this one cannot."""
    suffix = Path(arguments.data).suffix.lower()
    if suffix in ALWAYS_IN_BLOCKS:
        raise CommandError(
            f"{suffix} files are read in blocks, which `fewest select` does; `fewest "
            f"{arguments.command}` needs all of the data in memory.\nSave a table that fits there, "
            "for example as .npz or .parquet: some of the samples, or features that were chosen "
            "without a look at the classes."
        )


def read_second(
    arguments: argparse.Namespace, features: Sequence[str], percents: Sequence[str]
) -> tuple[Table, list[str]]:
    """The table of --against, with those of the features that it has; and its other columns.

    `percents` are those that the first table has in percent.
    """
    layout = _layout(arguments)
    if arguments.against_classes is not None:
        layout["classes"] = arguments.against_classes
    with naming_options(classes="--against-classes FILE:COLUMN", groups="--against-groups COLUMN"):
        table, others = _read(
            arguments,
            read_some,
            arguments.against,
            features,
            arguments.target,
            transpose=arguments.transpose,
            missing=arguments.missing,
            fold_case=arguments.fold_case,
            percents=percents,
            groups=arguments.against_groups,
            groups_if_there=arguments.groups,
            **layout,
        )
        refuse_owners(table, "See --against-groups {}.")
        return _keep_copies_together(narrow(table, arguments)), others


def _keep_copies_together(table: Table) -> Table:
    """Copies of samples are of one group, which a note says."""
    n_copies, groups = join_copies(table.X, table.y, table.groups)
    if not n_copies:
        return table
    if table.groups is None:  # of this file: another one has other samples
        groups = np.array([f"{table.origin}, {group}" for group in np.asarray(groups)])
    note = (
        f"{say_copies(n_copies)}, of the same class: they are kept together as groups are, or "
        "errors on samples left out would be too small."
    )
    return replace(table, groups=groups, notes=[*table.notes, note])


def refuse_owners(table: Table, advice: str) -> None:
    """Refuse samples that seem to belong together where nobody says whether they do."""
    if table.owners:
        name = table.owners[0]
        raise CommandError(
            f"{table.origin}: the values of {quoted(name)} repeat.\n{BECAUSE} "
            + advice.format(shlex.quote(visible(name)))
        )


def read_new(
    arguments: argparse.Namespace, features: Sequence[str] | None, **reading: Any
) -> Samples:
    """Samples to predict, with these features (None: all that are there).

    `reading` is what the model knows of the table of its training: medians and percents.
    """
    _refuse_blocks(arguments)
    with naming_options(missing="--missing drop-samples or median"):
        return _read(
            arguments,
            read_samples,
            arguments.data,
            features,
            arguments.target,
            arguments.drop,
            transpose=arguments.transpose,
            missing=arguments.missing,
            **reading,
            **_layout(arguments),
        )


def _read(
    arguments: argparse.Namespace,
    reader: Callable[..., _Found],
    file: str,
    *others: Any,
    **options: Any,
) -> _Found:
    """What this reader makes of the file; Ctrl-C ends it, however long it takes."""
    work = partial(reader, file, *others, **options)
    return read_waiting(work, file, quiet=arguments.quiet)


def split_names(text: str | None) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _layout(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options about where in which file things are."""
    names = ("sheet", "layer", "classes", "ids", "names", "duplicates")
    return {name: getattr(arguments, name) for name in names}


@contextmanager
def naming_options(arguments: argparse.Namespace | None = None, **others: str) -> Iterator[None]:
    """An error names the options that would help; `others` are called differently here.

    Of several that would help, only those are named that the command has.
    """
    options = {**_OPTIONS, **others}
    try:
        yield
    except InputError as error:
        option = f"See {options[error.argument]}." if error.argument else ""
        known = [one for one in error.choices if hasattr(arguments, one)]
        if known:
            named = shlex.quote(visible(error.column))
            option = f"See {', or '.join(f'--{one} {named}' for one in known)}."
        ends_with_list = str(error).rpartition("\n")[2].startswith("  ")
        separator = "\n" if ends_with_list else " "
        raise CommandError(f"{error}{separator}{option}".rstrip()) from error
