"""How many features carry information, as plain values: the part `informative` of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fewest.informative import Overlap


@dataclass(frozen=True)
class Estimate:
    """A share of informative features, by one rule."""

    name: str
    rule: str
    share: float
    n_features: int


@dataclass(frozen=True)
class SigmoidFit:
    """A sigmoid through the probes' errors, and where the line through its inflexion leads."""

    bottom: float
    height: float
    position: float
    width: float
    residual: float
    crossing: float | None
    estimate: float


@dataclass(frozen=True)
class InformativeFold:
    """One fold: its first subset, and how far the selection went."""

    n_test: int
    n_subsets: int
    n_removed: int
    first_subset: list[str]
    stop_reason: str


@dataclass(frozen=True, kw_only=True)
class Informative:
    """How many features carry information, with the curves that say so."""

    estimates: list[Estimate]
    fraction: list[float]
    sizes: list[float]
    selection_error: list[float]
    probe_error: list[float] | None
    chance_lower: list[float] | None
    chance_upper: list[float] | None
    chance_level: float | None
    sigmoid: SigmoidFit | None
    restricted: SigmoidFit | None
    overlap: list[Overlap]
    folds: list[InformativeFold]
    n_folds_planned: int
    n_probed: int | None

    def share(self, name: str) -> float | None:
        """The estimate by one of the rules; None where it could not be made."""
        return next((one.share for one in self.estimates if one.name == name), None)
