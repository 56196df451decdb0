"""Entry point: arguments in, exit code out, and no traceback for what a user can put right."""

from __future__ import annotations

import _thread
import gc
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from fewest.cli._errors import BAD_INPUT, INTERRUPTED, SUCCESS, CommandError
from fewest.cli._parser import build_parser
from fewest.cli._streams import cleaning_up_when_terminated, forgiving_standard_error

# What a command computes with, if that is not the job of all that read a table.
_NEEDED = {
    "brain": "fewest.cli._brain",
    "predict": "fewest.cli._prediction",
    "completion": "fewest.cli._output",
}
_PAUSE = 0.01  # seconds until a lost Ctrl-C is sent again


def main(argv: Sequence[str] | None = None) -> int:
    """Run `fewest` with these arguments (default: those of the process).

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name.

    Returns
    -------
    int
        The exit code: 0, 2 (usage or input), 3 (not separable) or 130 (interrupted).
    """
    _survive_odd_characters()
    with forgiving_standard_error(), cleaning_up_when_terminated(), _no_lost_interrupts():
        try:
            return _dispatch(argv)
        except CommandError as error:
            print(f"fewest: error: {error}", file=sys.stderr)
            return error.exit_code
        except KeyboardInterrupt:
            sys.unraisablehook = _ignore
            print("fewest: interrupted", file=sys.stderr)
            return INTERRUPTED


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


@contextmanager
def _no_lost_interrupts() -> Iterator[None]:
    """Send a Ctrl-C again that came in a destructor or a callback, which cannot raise it.

    Compilers have many of those: numba, for instance, the first time it needs a function.
    """
    usual = sys.unraisablehook

    def send_again(lost: Any) -> None:
        if lost.exc_type is KeyboardInterrupt:  # later: the destructor has to end first
            threading.Timer(_PAUSE, interrupt).start()
        else:
            usual(lost)

    def interrupt() -> None:
        if sys.unraisablehook is send_again:  # not if another Ctrl-C has ended the command
            _thread.interrupt_main()

    sys.unraisablehook = send_again
    try:
        yield
    finally:
        if sys.unraisablehook is _ignore:
            gc.collect()
        sys.unraisablehook = usual


def _ignore(lost: Any) -> None:
    """Destructors of what an interrupt left half-built complain, to no one's use."""


def _load_libraries(command: str) -> None:
    """Import what the command needs; a Ctrl-C meanwhile takes effect afterwards.

    --help and usage errors should not wait for numpy and scikit-learn; and extension modules that
    are interrupted while they load fail with errors of all kinds.
    """
    needed = _NEEDED.get(command, "fewest.cli._job")
    if threading.current_thread() is not threading.main_thread():  # signals belong to that one
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        import_module(needed)
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
