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

_FULL_OR_FAILING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CommandError(Exception):
    """Wrong usage or bad input. The message says what is wrong and what to do about it."""

    exit_code = BAD_INPUT


class WritingError(CommandError):
    """The disk is full or fails, which no other arguments would mend."""

    exit_code = FAILED


class InseparableError(CommandError):
    """No training error was allowed, but the classes overlap."""

    exit_code = NOT_SEPARABLE


def refuse_writing(what: str, error: OSError) -> CommandError:
    """The error for something that could not be written."""
    said = f"{what} could not be written: {error.strerror or error}."
    if not _is_full_or_failing(error):
        return CommandError(said)
    return WritingError(f"{said}\nMake room on the disk, or name another place.")


def refuse_place(message: str, error: Exception) -> CommandError:
    """The error for a file or folder that cannot be used: it is wrong, or its disk is full."""
    return (WritingError if _is_full_or_failing(error) else CommandError)(message)


def _is_full_or_failing(error: BaseException | None) -> bool:
    """Whether an error, or what it follows from, is one of the disk or stream."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL_OR_FAILING:
            return True
        error = error.__cause__
    return False


def name_options(error: object, arguments: argparse.Namespace) -> str:
    """The message of an error with settings as one types them: `--max-size 5` for max_size=5."""

    def rename(found: re.Match[str]) -> str:
        name, word, number = found.groups()
        option = f"--{name.replace('_', '-')} {word or number}"
        return option if hasattr(arguments, name) else found.group()

    return re.sub(r"\b(\w+)=(?:'(\w+)'|([\d.]+))", rename, str(error))


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
