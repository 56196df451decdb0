"""What ends a run early, and with which exit code."""

from __future__ import annotations

import argparse
import errno
import re

SUCCESS = 0
FAILED = 1
BAD_INPUT = 2
NOT_SEPARABLE = 3
INTERRUPTED = 130


class CommandError(Exception):
    """Wrong usage or bad input. The message says what is wrong and what to do about it."""

    exit_code = BAD_INPUT


class InseparableError(CommandError):
    """No training error was allowed, but the classes overlap."""

    exit_code = NOT_SEPARABLE


def name_options(error: object, arguments: argparse.Namespace) -> str:
    """The message of an error with settings as one types them: `--cv 5` for cv=5."""

    def rename(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"--{name} {value}" if hasattr(arguments, name) else found.group()

    return re.sub(r"\b(\w+)=([\d.]+)", rename, str(error))


def describe_failure(error: BaseException) -> str:
    """A sentence about an error that nobody foresaw, and what to do about it."""
    said = f"{type(error).__name__}: {error}".strip().rstrip(":")
    if isinstance(error, MemoryError):
        return (
            f"the memory is not enough ({said}).\n"
            "Give fewer features or samples, use --jobs 1, or take a computer with more memory"
        )
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return (
                f"the disk is full{where}: {error.strerror}.\nMake room and run the same command "
                "again; what a --checkpoint folder holds by now is not lost"
            )
        return f"a file or stream failed{where}: {error.strerror or said}.\nSee --debug for where"
    if isinstance(error, RecursionError):
        return f"the input is nested too deeply ({said}).\nFlatten it, or see --debug for where"
    if type(error).__name__.endswith("SolverError"):  # its home takes long to import
        return (
            f"a linear program could not be solved ({said}).\nColumns that are equal up to "
            "rounding, outliers, or a huge --C are the usual reasons: remove or transform them, or "
            "lower --C"
        )
    return (
        f"something unforeseen went wrong ({said}).\nThis is a fault of fewest: please report it, "
        "with what the same command prints with --debug"
    )
