"""What was tried and what failed, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fuzzing.kinds import KINDS
from fuzzing.outcome import SORTS, Outcome


class Tally:
    """Cases and failures by kind."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self.failures: Counter[tuple[str, str]] = Counter()

    def add(self, outcome: Outcome) -> None:
        self.cases[outcome.kind] += 1
        if outcome.sort is not None:
            self.failures[outcome.kind, outcome.sort] += 1

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
        cases = sum(self.cases[kind] for kind in kinds)
        failed = [sum(self.failures[kind, sort] for kind in kinds) for sort in SORTS]
        return [name, f"{cases:,}", *map(str, failed)]

    def as_text(self) -> str:
        rows = self.rows()
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )

    def as_markdown(self) -> str:
        header, *rows = self.rows()
        lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
