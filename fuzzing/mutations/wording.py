"""Tables that say the same in other words: what is read from them is known."""

from __future__ import annotations

import random

Lines = list[list[str]]


def as_percent(rng: random.Random, lines: Lines) -> None:
    """One column of features in percent."""
    place = rng.randrange(1, len(lines[0]) - 1)
    for line in lines[1:]:
        line[place] += rng.choice(("%", "%", " %"))


def with_blanks(rng: random.Random, lines: Lines) -> None:
    """White space around some labels and values."""
    for line in lines[1:]:
        if rng.random() < 0.3:
            line[-1] = rng.choice((" {}", "{} ", "  {} ")).format(line[-1])
        if rng.random() < 0.1:
            place = rng.randrange(1, len(line))
            line[place] = f" {line[place]}"


def written_otherwise(rng: random.Random, lines: Lines) -> None:
    """Quotes that are not needed, and numbers with an exponent."""
    for line in lines[1:]:
        place = rng.randrange(1, len(line) - 1)
        line[place] = rng.choice((f'"{line[place]}"', f"{line[place]}e0"))


def with_case(rng: random.Random, lines: Lines) -> None:
    """Some labels in upper case, fewer than half of each class."""
    for line in rng.sample(lines[1:], 2):
        line[-1] = line[-1].upper()


def with_repeated_ids(rng: random.Random, lines: Lines) -> None:
    """Several samples of each patient."""
    n_patients = rng.randrange(3, len(lines) // 2)
    for number, line in enumerate(lines[1:]):
        line[0] = f"P{number % n_patients}"


def with_gaps(rng: random.Random, lines: Lines) -> None:
    """Values that are missing, one at most in a sample."""
    for line in rng.sample(lines[1:], 5):
        line[rng.randrange(1, len(line) - 1)] = rng.choice(("", "NA", "nan"))
