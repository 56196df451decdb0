"""What the user chose, the method and how its error is estimated; and fitting accordingly."""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fewest.cli.errors import CommandError

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = {
    "sfm": "Support Feature Machine",
    "sfm-cv": "Support Feature Machine, C chosen by cross-validation",
    "weston": "Weston's zero-norm support vector machine",
    "liknon": "Liknon, the one-norm support vector machine",
}
_USUAL_COSTS = {"sfm": 1.0, "weston": math.inf, "liknon": 1.0}  # those of the estimators
# These classify with a margin of one: a sample with slack may still be on its side.
MARGIN_METHODS = ("weston", "liknon")


@dataclass(frozen=True)
class Settings:
    """The method and its parameters (first six), and those of the cross-validation.

    `C` is None where the method chooses it, `constraint` where the method has none.
    """

    method: str = "sfm"
    C: float | None = 1.0
    constraint: str | None = "class_means"
    class_weight: str | None = "balanced"
    standardize: bool = True
    refit: str | None = "margin"
    cv: int = 5
    repeats: int = 1
    seed: int = 0
    jobs: int = 1

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Settings:
        """The settings of `fewest select`; an error for options that the method does not have."""
        method = arguments.method
        C = _USUAL_COSTS.get(method) if arguments.C is None else arguments.C
        if method == "liknon" and math.isinf(C):
            raise CommandError(
                "--method liknon needs a finite --C.\n"
                "For no training error use --method weston --C inf, or --method sfm --C inf."
            )
        return cls(
            C=None if method == "sfm-cv" else C,
            repeats=arguments.repeats,
            **_shared(arguments),
        )

    @classmethod
    def for_path(cls, arguments: argparse.Namespace) -> Settings:
        """The settings of `fewest path`, which goes through the values of C."""
        if arguments.method == "liknon" and arguments.refit == "margin":
            raise CommandError(
                "--refit margin: the path of --method liknon keeps the hyperplanes of its linear "
                "programs.\nLeave the option out."
            )
        if arguments.method != "liknon" and arguments.grid == "transvariation":
            raise CommandError(
                "--grid transvariation belongs to --method liknon: its costs mean something else "
                f"for {arguments.method}.\nLeave the option out."
            )
        return cls(C=None, **_shared(arguments))

    def machine(self, jobs: int | None = None, C: float | None = None) -> Any:
        """A new machine with these parameters (and another C)."""
        C = self.C if C is None else C
        shared = {
            "class_weight": self.class_weight,
            "standardize": self.standardize,
            "refit": self.refit,
            "n_jobs": jobs,
        }
        if self.method == "weston":
            from fewest.zero_norm_svm import ZeroNormSVM

            return ZeroNormSVM(C, **shared)
        if self.method == "liknon":
            from fewest.liknon import Liknon

            return Liknon(C, **shared)
        if self.method == "sfm-cv":
            from fewest.sfm_cv import SupportFeatureMachineCV

            return SupportFeatureMachineCV(
                constraint=self.constraint, random_state=self.seed, **shared
            )
        from fewest.sfm import SupportFeatureMachine

        return SupportFeatureMachine(C, constraint=self.constraint, **shared)


def fit(machine: Any, X: NDArray[Any], y: NDArray[Any]) -> list[str]:
    """Fit, and return the warnings raised, each once: notes in the report, not stray lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(X, y)
    return list(dict.fromkeys(f"Warning: {warning.message}." for warning in caught))


def _shared(arguments: argparse.Namespace) -> dict[str, Any]:
    """What all commands have, with defaults that depend on the method."""
    method = arguments.method
    support_feature_machine = method in ("sfm", "sfm-cv")
    if not support_feature_machine and arguments.constraint is not None:
        raise CommandError(
            f"--constraint belongs to --method sfm; {method} has no such constraint.\n"
            "Leave the option out."
        )
    refit = arguments.refit or ("margin" if support_feature_machine else "none")
    return {
        "method": method,
        "constraint": (arguments.constraint or "class_means") if support_feature_machine else None,
        "class_weight": _or_none(arguments.class_weight),
        "standardize": arguments.standardize,
        "refit": _or_none(refit),
        "cv": arguments.cv,
        "seed": arguments.seed,
        "jobs": arguments.jobs,
    }


def _or_none(choice: str) -> str | None:
    return None if choice == "none" else choice
