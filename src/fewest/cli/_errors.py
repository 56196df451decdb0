"""What ends a run early, and with which exit code."""

from __future__ import annotations

SUCCESS = 0
BAD_INPUT = 2
NOT_SEPARABLE = 3
INTERRUPTED = 130


class CommandError(Exception):
    """Wrong usage or bad input. The message says what is wrong and what to do about it."""

    exit_code = BAD_INPUT


class InseparableError(CommandError):
    """No training error was allowed, but the classes overlap."""

    exit_code = NOT_SEPARABLE
