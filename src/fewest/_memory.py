"""How much memory there is, and how much of it what comes from one file may take."""

from __future__ import annotations

import math
import os
from pathlib import Path

VARIABLE = "FEWEST_MAX_GB"
_SHARE = 0.5  # the work on the data needs memory too
_GROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container on Linux


class TooLargeError(ValueError):
    """What was asked for would take more memory than is allowed."""


def get_memory() -> float:
    """Bytes of memory in this computer or container; infinite if the system does not say."""
    try:
        memory: float = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = math.inf
    try:
        return min(memory, int(_GROUP_LIMIT.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return memory


def get_limit() -> float:
    """Bytes that one file may take: half of the memory, or what the environment variable says."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return _SHARE * get_memory()
    try:
        limit = float(given)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise TooLargeError(
            f"the environment variable {VARIABLE} must be a number of gigabytes above zero, such "
            f"as 8; it is {given[:40]!r}"
        )
    return limit * 2**30


def check_size(n_bytes: float, what: str) -> None:
    """Raise a TooLargeError if `what` would take more memory than one file may."""
    limit = get_limit()
    if n_bytes > limit:
        raise TooLargeError(
            f"{what} would take {show_gigabytes(n_bytes)} of memory, and at most "
            f"{show_gigabytes(limit)} are allowed (half of this computer's, or what the "
            f"environment variable {VARIABLE} says)"
        )


def show_gigabytes(n_bytes: float) -> str:
    """'1.5 GB', '250,000 GB'."""
    size = n_bytes / 2**30
    return f"{size:.2g} GB" if size < 10 else f"{size:,.0f} GB"
