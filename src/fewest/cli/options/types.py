"""What the values of options must be, or a message that says so."""

from __future__ import annotations

import argparse
import math

_MOST_SEEDS = 2**32


def cost(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not value > 0:  # not a number fails this too
        raise argparse.ArgumentTypeError(f"must be a number above zero, or inf; not {text!r}")
    return value


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, not {text!r}")
    return value


def threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of at least zero, not {text!r}")
    return value


def folds(text: str) -> int:
    value = _whole(text)
    if value < 0 or value == 1:
        raise argparse.ArgumentTypeError(f"must be 2 or more, or 0 for none; not {text!r}")
    return value


def at_least_one(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {text!r}")
    return value


def none_or_more(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text!r}")
    return value


def at_least_one_or_all(text: str) -> int | None:
    return None if text == "all" else at_least_one(text)


def jobs(text: str) -> int:
    value = _whole(text)
    if value < 1 and value != -1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, or -1 for all cores; not {text!r}")
    return value


def seed(text: str) -> int:
    value = _whole(text)
    if not 0 <= value < _MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"must lie between 0 and {_MOST_SEEDS - 1}, not {text!r}")
    return value


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}") from None
