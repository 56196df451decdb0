"""What the user chose, the method and how its error is estimated; and fitting accordingly."""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fewest._estimators.splits import fit_with_groups
from fewest.cli._errors import CommandError

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = {
    "sfm": "Support Feature Machine",
    "sfm-cv": "Support Feature Machine, C chosen by cross-validation",
    "weston": "Weston's zero-norm support vector machine",
    "liknon": "Liknon, the one-norm support vector machine",
    "psvm": "Potential Support Vector Machine",
}
# Those of the estimators; the psvm selects features here, as PotentialSelector does.
_USUAL_COSTS = {"sfm": 1.0, "weston": math.inf, "liknon": 1.0, "psvm": math.inf}
_USUAL_EPSILON = 1.0
# These classify with a margin of one: a sample with slack may still be on its side.
MARGIN_METHODS = ("weston", "liknon")


@dataclass(frozen=True)
class Settings:
    """The method and its parameters, and those of the cross-validation (cv, repeats, seed, jobs).

    `C` is None where the method chooses it, `constraint` and `epsilon` where the method has none.
    `matrix` says that the columns are the samples.
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
    epsilon: float | None = None
    matrix: bool = False

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
        shared = _shared(arguments)
        if method == "psvm":
            _refuse_for_psvm(arguments)
            epsilon = _USUAL_EPSILON if arguments.epsilon is None else arguments.epsilon
            shared |= {"class_weight": None, "epsilon": epsilon, "matrix": arguments.matrix}
        elif arguments.epsilon is not None or arguments.matrix:
            option = "--matrix" if arguments.matrix else "--epsilon"
            raise CommandError(f"{option} belongs to --method psvm.\nLeave the option out.")
        return cls(
            C=None if method == "sfm-cv" else C,
            repeats=arguments.repeats,
            **shared,
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

    @classmethod
    def for_rank(cls, arguments: argparse.Namespace) -> Settings:
        """The settings of `fewest rank`: no errors and no refit unless asked for, and no folds."""
        # A copy: the page of the result has folds, and the seed that was asked for.
        own = {"cv": 0, "seed": 0, "refit": arguments.refit or "none"}
        arguments = argparse.Namespace(**{**vars(arguments), **own})
        C = arguments.C
        if C is None:
            C = 1.0 if arguments.method == "liknon" else math.inf
        if arguments.method == "liknon" and math.isinf(C):
            raise CommandError(
                "--method liknon needs a finite --C.\n"
                "For no training error use --method sfm or --method weston."
            )
        return cls(C=C, **_shared(arguments))

    @classmethod
    def for_informative(cls, arguments: argparse.Namespace) -> Settings:
        """The settings of `fewest informative`: the machine is that of `fewest rank`."""
        if arguments.cv == 0:
            raise CommandError(
                "--cv 0: without folds nothing can be tested.\nName 2 folds or more, or --groups."
            )
        folds, seed = arguments.cv or 0, arguments.seed
        return replace(cls.for_rank(arguments), cv=folds, seed=seed)

    def machine(
        self, jobs: int | None = None, C: float | None = None, *, show_progress: bool = False
    ) -> Any:
        """A new machine with these parameters (and another C); a bar if its fit is a long one."""
        C = self.C if C is None else C
        if self.method == "psvm":
            from fewest.psvm import PotentialSVC

            return PotentialSVC(
                C,
                self.epsilon,
                kernel="precomputed",
                row_objects="samples" if self.matrix else None,
                refit=self.refit == "support",
            )
        shared = {
            "class_weight": self.class_weight,
            "standardize": self.standardize,
            "refit": self.refit,
            "n_jobs": jobs,
        }
        if self.method == "weston":
            from fewest.machines.zero_norm_svm import ZeroNormSVM

            return ZeroNormSVM(C, **shared)
        if self.method == "liknon":
            from fewest.machines.liknon import Liknon

            return Liknon(C, **shared)
        if self.method == "sfm-cv":
            from fewest.machines.sfm_cv import SupportFeatureMachineCV

            return SupportFeatureMachineCV(
                constraint=self.constraint,
                random_state=self.seed,
                verbose=int(show_progress),
                **shared,
            )
        from fewest.machines.sfm import SupportFeatureMachine

        return SupportFeatureMachine(C, constraint=self.constraint, **shared)


def fit(
    machine: Any, X: NDArray[Any], y: NDArray[Any], groups: NDArray[Any] | None = None
) -> list[str]:
    """Fit, and return the warnings raised, each once: notes in the report, not stray lines.

    Machines that split the samples themselves keep groups together.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_with_groups(machine, X, y, groups)
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
    usual = {"sfm": "margin", "sfm-cv": "margin", "psvm": "support"}
    refit = arguments.refit or usual.get(method, "none")
    if refit == "support" and method != "psvm":
        raise CommandError("--refit support belongs to --method psvm.\nLeave the option out.")
    return {
        "method": method,
        "constraint": (arguments.constraint or "class_means") if support_feature_machine else None,
        "class_weight": _or_none(arguments.class_weight or "balanced"),
        "standardize": arguments.standardize,
        "refit": _or_none(refit),
        "cv": arguments.cv,
        "seed": arguments.seed,
        "jobs": arguments.jobs,
    }


def _refuse_for_psvm(arguments: argparse.Namespace) -> None:
    """Options of the other methods would have no effect."""
    for option, given in (
        ("--class-weight", arguments.class_weight is not None),
        ("--no-standardize", not arguments.standardize),
        ("--refit margin", arguments.refit == "margin"),
    ):
        if given:
            raise CommandError(
                f"{option} does not go with --method psvm, which weighs all samples alike and "
                "scales every feature.\nLeave the option out."
            )


def _or_none(choice: str) -> str | None:
    return None if choice == "none" else choice
