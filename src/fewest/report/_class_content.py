"""Every class against the rest, as plain values: the part `per_class` of the result."""

from __future__ import annotations

from dataclasses import dataclass

from fewest.report._informative_content import Informative
from fewest.report._trust_content import Label, Minimum
from fewest.report._verdict_content import VerdictSummary


@dataclass(frozen=True)
class SharedFeature:
    """A feature that several classes have in common."""

    name: str
    column: int
    classes: list[Label]


@dataclass(frozen=True, kw_only=True)
class OneClass:
    """One class against the rest: the features that count for it, and how they were found.

    `reason` says why there are none.
    """

    label: Label
    n_samples: int
    is_small: bool
    features: list[str]
    columns: list[int]
    reason: str | None = None
    minimum: Minimum | None = None
    informative: Informative | None = None
    verdict: VerdictSummary | None = None


@dataclass(frozen=True)
class PerClass:
    """Every class against the rest, and what the classes have in common."""

    report_kind = "per_class"  # as which `fewest.report` takes it
    classes: list[OneClass]
    n_distinct: int
    shared: list[SharedFeature]
