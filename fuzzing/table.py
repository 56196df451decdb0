"""What was tried and what failed, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from scipy.stats import binom

from fuzzing.kinds import KINDS
from fuzzing.outcome import SORTS, Chance, Outcome

# A statistic is a fault where chance alone goes so far in one of a million runs.
_RARE = 1e-6
_MOST_NAMED = 5


@dataclass
class Statistic:
    """What happened in some cases of a kind, and in how many of them it may."""

    kind: str
    what: str
    most: float
    n_cases: int = 0
    happened: list[int] = field(default_factory=list)

    @property
    def bound(self) -> int:
        """More than so many cases are no chance."""
        return int(binom.isf(_RARE, self.n_cases, self.most))

    @property
    def is_too_often(self) -> bool:
        return len(self.happened) > self.bound

    def __str__(self) -> str:
        """What to tell of one that is too often."""
        commands = [Outcome(self.kind, case).command for case in self.happened[:_MOST_NAMED]]
        counts = f"{len(self.happened)} of {self.n_cases} cases, at most {self.bound} by chance"
        return "\n".join([f"often: {self.kind}, {self.what}: {counts}. Some of them:", *commands])


class Tally:
    """Cases and failures by kind, and statistics over the cases of a kind."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self._failures: Counter[tuple[str, str]] = Counter()
        self._statistics: dict[tuple[str, str, float], Statistic] = {}

    def add(self, outcome: Outcome) -> None:
        self.cases[outcome.kind] += 1
        if outcome.sort is not None:
            self._failures[outcome.kind, outcome.sort] += 1
        for chance in outcome.chances:
            self._count(outcome, chance)

    def _count(self, outcome: Outcome, chance: Chance) -> None:
        key = outcome.kind, chance.what, chance.most
        statistic = self._statistics.setdefault(key, Statistic(*key))
        statistic.n_cases += 1
        if chance.happened:
            statistic.happened.append(outcome.case)

    @property
    def statistics(self) -> list[Statistic]:
        return [self._statistics[key] for key in sorted(self._statistics)]

    @property
    def too_often(self) -> list[Statistic]:
        return [statistic for statistic in self.statistics if statistic.is_too_often]

    @property
    def failures(self) -> Counter[tuple[str, str]]:
        """By kind and sort; a statistic counts as one."""
        return self._failures + Counter((one.kind, "often") for one in self.too_often)

    @property
    def n_failed(self) -> int:
        return self.failures.total()

    def rows(self) -> list[list[str]]:
        """Header, one row per kind that was tried, and one per family of kinds."""
        header = ["kind", "cases", *SORTS]
        rows = [self._row(kind.name, [kind.name]) for kind in KINDS if self.cases[kind.name]]
        families: dict[str, list[str]] = {}
        for kind in KINDS:
            families.setdefault(kind.counts_as, []).append(kind.name)
        totals = [
            self._row(f"all {family}", names)
            for family, names in families.items()
            if len(names) > 1 and any(self.cases[name] for name in names)
        ]
        return [header, *rows, *totals, self._row("all", [kind.name for kind in KINDS])]

    def _row(self, name: str, kinds: Sequence[str]) -> list[str]:
        cases, failures = sum(self.cases[kind] for kind in kinds), self.failures
        failed = [sum(failures[kind, sort] for kind in kinds) for sort in SORTS]
        return [name, f"{cases:,}", *map(str, failed)]

    def statistic_rows(self) -> list[list[str]]:
        """Header and one row per statistic; nothing without any."""
        if not self._statistics:
            return []
        header = ["statistic", "cases", "happened", "by chance", "stated"]
        rows = [
            [
                f"{one.kind}: {one.what}",
                f"{one.n_cases:,}",
                f"{len(one.happened):,}",
                f"at most {one.bound:,}",
                f"{one.most:.3g}",
            ]
            for one in self.statistics
        ]
        return [header, *rows]

    def as_text(self) -> str:
        return "\n\n".join(_as_text(rows) for rows in self._tables())

    def as_markdown(self) -> str:
        return "\n\n".join(_as_markdown(rows) for rows in self._tables())

    def _tables(self) -> list[list[list[str]]]:
        return [rows for rows in (self.rows(), self.statistic_rows()) if rows]


def _as_text(rows: list[list[str]]) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _as_markdown(rows: list[list[str]]) -> str:
    header, *others = rows
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
