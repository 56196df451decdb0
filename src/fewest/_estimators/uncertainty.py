"""What is known of an error, as plain values without numpy: contents of results hold them."""

from __future__ import annotations

from dataclasses import dataclass

# One level for intervals, verdicts and tests: what an interval leaves open is claimed nowhere.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Labellings:
    """In how many ways the groups could have got the classes that they have.

    `n_different` takes ways as one that only swap classes of equally many groups, because the
    errors are the same: one in so many is the smallest p-value there can be. `are_alike` says that
    groups of all classes have about as many samples: else their labels do not change places freely,
    because errors of small groups vary more.
    """

    n_groups: int
    n_labellings: int
    n_different: int
    are_alike: bool

    @property
    def ways(self) -> tuple[int, int]:
        return self.n_labellings, self.n_different

    @property
    def smallest_p(self) -> float:
        return 1.0 / self.n_different
