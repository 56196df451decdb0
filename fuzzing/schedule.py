"""Which case comes next: the kinds in proportion to their shares, always in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fuzzing.kinds import Kind

# Cases of one seed are numbered from here on, so no two seeds share any.
_CASES_PER_SEED = 1_000_000


def list_cases(kinds: Sequence[Kind], seed: int) -> Iterator[tuple[Kind, int]]:
    """Kinds with the numbers of cases, without end.

    The order depends on shares and seed alone, and not on how long cases take: a run of so many
    rounds is the same everywhere.
    """
    due = dict.fromkeys(kinds, 0)
    next_case = dict.fromkeys(kinds, seed * _CASES_PER_SEED)
    total = sum(kind.share for kind in kinds)
    while True:
        for kind in kinds:
            due[kind] += kind.share
        chosen = max(kinds, key=due.__getitem__)
        due[chosen] -= total
        yield chosen, next_case[chosen]
        next_case[chosen] += 1


def count_cases(kinds: Sequence[Kind], rounds: float) -> int:
    """How many cases that many rounds have."""
    return max(1, round(rounds * sum(kind.share for kind in kinds)))
