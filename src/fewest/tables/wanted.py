"""What a caller asks of a file: which columns mean what, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """The arguments of `read_table`, all but the path."""

    target: str | None
    drop: tuple[str, ...] = ()
    groups: str | None = None
    transpose: bool = False
    missing: str = "error"
    sheet: str | None = None

    @property
    def labels(self) -> list[str]:
        """Names that must be there: classes, groups, and what is left out."""
        return [name for name in (self.target, self.groups, *self.drop) if name is not None]

    @property
    def line(self) -> str:
        """What a feature is in the file."""
        return "row" if self.transpose else "column"

    @property
    def across(self) -> str:
        """What a sample is in the file."""
        return "column" if self.transpose else "row"
