"""Entry point: arguments in, exit code out, and no traceback for what a user can put right."""

from __future__ import annotations

import atexit
import gc
import os
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from fewest._interrupts import ignore_interrupts, is_interrupt, no_lost_interrupts
from fewest.cli._errors import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    SUCCESS,
    CommandError,
    describe_failure,
)
from fewest.cli._parser import build_parser
from fewest.cli._streams import (
    cleaning_up_when_terminated,
    forgiving_standard_error,
    raise_termination,
)

# What a command computes with, if that is not the job of all that read a table.
_NEEDED = {
    "brain": "fewest.cli._brain",
    "predict": "fewest.cli._prediction",
    "completion": "fewest.cli._output",
}
# Libraries of these that take long to load, in the order in which one needs the other.
_ALWAYS_LARGE = ("numpy", "scipy.stats", "sklearn.base")
_USUALLY_LARGE = (*_ALWAYS_LARGE, "numba")
_LARGE = {
    "brain": (*_USUALLY_LARGE, "nilearn.maskers", "nilearn.plotting", "fewest.neuro"),
    "predict": _ALWAYS_LARGE,
    "completion": (),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and explain its errors; returns the exit code."""
    _survive_odd_characters()
    given = sys.argv[1:] if argv is None else argv
    interrupted: list[int] = []
    if argv is None:  # the process ends with the command, after all that others have to do then
        atexit.register(_leave, interrupted)
    with forgiving_standard_error(), cleaning_up_when_terminated(), no_lost_interrupts():
        try:
            return _dispatch(argv)
        except SystemExit:  # after --help and --version
            raise
        except BaseException as error:
            raise_termination()  # compiled code may have turned it into something else
            code = _explain(error)
            if "--debug" in given:
                traceback.print_exc()
        if code == INTERRUPTED:  # destructors of what is half-built complain, to no one's use
            sys.unraisablehook = _ignore
            gc.collect()
            interrupted.append(code)
        return code


def _leave(interrupted: list[int]) -> None:
    """End at once after a Ctrl-C: compiled threads that it left running would abort otherwise."""
    if interrupted:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(interrupted[0])


def _explain(error: BaseException) -> int:
    """Say what went wrong; returns the exit code."""
    if is_interrupt(error):
        ignore_interrupts()
        print("fewest: interrupted", file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, CommandError):
        print(f"fewest: error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"fewest: error: {describe_failure(error)}", file=sys.stderr)
    return FAILED


def _dispatch(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        of_what = parser.prog if arguments.command is None else f"fewest {arguments.command}"
        raise CommandError(f"unrecognized arguments: {' '.join(unknown)}\nSee: {of_what} --help")
    arguments.line = shlex.join(["fewest", *(sys.argv[1:] if argv is None else argv)])
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    _load_libraries(arguments.command)
    import_module(f"fewest.cli.{arguments.command}").run(arguments)
    return SUCCESS


def _survive_odd_characters() -> None:
    """Terminals that cannot show a character get it escaped instead of a crash."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _ignore(lost: Any) -> None:
    """What a destructor could not raise is left unsaid."""


def _load_libraries(command: str) -> None:
    """Import what the command needs; --help and usage errors should not wait for it.

    Libraries that take long come one by one, because a Ctrl-C has to wait for each.
    """
    if threading.current_thread() is not threading.main_thread():  # signals belong to that one
        return
    for library in _LARGE.get(command, _USUALLY_LARGE):
        with suppress(ImportError):  # what needs it says what to do
            _load(library)
    _load(_NEEDED.get(command, "fewest.cli._job"))


def _load(name: str) -> None:
    """Import a module; a Ctrl-C meanwhile takes effect afterwards.

    Extension modules that are interrupted while they load fail with errors of all kinds.
    """
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        import_module(name)
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
