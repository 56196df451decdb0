"""What can go wrong with a case, by sort."""

from __future__ import annotations

from dataclasses import dataclass

# A wrong answer; a statistic over all cases that chance does not explain; an end long after the
# limit of time; an error that no user should see; the end of the process; no end at all; more
# memory than allowed; outputs or results that a kill destroyed.
SORTS = ("wrong", "often", "late", "traceback", "crash", "hang", "memory", "lost")


class Failure(Exception):  # noqa: N818 (it is a finding, and no error of the harness)
    """A case that shows a fault of the library."""

    def __init__(self, sort: str, message: str) -> None:
        super().__init__(message)
        self.sort = sort


def require(condition: object, message: str, sort: str = "wrong") -> None:
    """Raise a Failure unless the condition holds."""
    if not condition:
        raise Failure(sort, message)


@dataclass(frozen=True)
class Chance:
    """What may happen in some cases, as long as it does not in a larger share of them than `most`.

    One case shows nothing; all cases with the same `what` and `most` are counted together.
    """

    what: str
    most: float
    happened: bool


@dataclass(frozen=True)
class Outcome:
    """One case that was tried; `sort` is None if nothing went wrong."""

    kind: str
    case: int
    sort: str | None = None
    message: str = ""
    chances: tuple[Chance, ...] = ()

    @property
    def command(self) -> str:
        """What repeats the case."""
        return f"python -m fuzzing --only {self.kind} --case {self.case}"
