"""What the user chose, the method and how its error is estimated; and fitting accordingly."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fewest.sfm import SupportFeatureMachine


@dataclass(frozen=True)
class Settings:
    """Parameters of the machine (first five) and of the cross-validation."""

    C: float = 1.0
    constraint: str = "class_means"
    class_weight: str | None = "balanced"
    standardize: bool = True
    refit: str | None = "margin"
    cv: int = 5
    repeats: int = 1
    seed: int = 0
    jobs: int = 1

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Settings:
        """The settings of `fewest select`."""
        return cls(
            C=arguments.C,
            constraint=arguments.constraint,
            class_weight=_or_none(arguments.class_weight),
            standardize=arguments.standardize,
            refit=_or_none(arguments.refit),
            cv=arguments.cv,
            repeats=arguments.repeats,
            seed=arguments.seed,
            jobs=arguments.jobs,
        )

    def machine(self, jobs: int | None = None) -> SupportFeatureMachine:
        """A new machine with these parameters."""
        from fewest.sfm import SupportFeatureMachine

        return SupportFeatureMachine(
            self.C,
            class_weight=self.class_weight,
            constraint=self.constraint,
            standardize=self.standardize,
            refit=self.refit,
            n_jobs=jobs,
        )


def fit(machine: SupportFeatureMachine, X: NDArray[Any], y: NDArray[Any]) -> list[str]:
    """Fit, and return the warnings raised, each once: notes in the report, not stray lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(X, y)
    return list(dict.fromkeys(f"Warning: {warning.message}." for warning in caught))


def _or_none(choice: str) -> str | None:
    return None if choice == "none" else choice
