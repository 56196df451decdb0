"""The methods of the command line: which options each takes, its defaults, its estimator."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fewest.cli._errors import CommandError

_ALL_BUT_PSVM = ("sfm", "sfm-cv", "weston", "liknon")
_RULES = ("--include", "--exclude", "--feature-cost")
_MORE_RULES = ("--feature-groups", "--signs")
# Options that not every method has: whose they are, and why others do not have them.
_BELONGS = {
    "--constraint": (("sfm", "sfm-cv"), ""),
    "--epsilon": (("psvm",), ""),
    "--matrix": (("psvm",), ""),
    "--refit support": (("psvm",), ""),
    "--refit margin": (_ALL_BUT_PSVM, ""),
    "--max-features": (("sfm", "weston", "liknon"), ""),
    "--certify": (("sfm",), ""),
    "--multi-class joint": (_ALL_BUT_PSVM, ""),
    "--multi-class separate": (_ALL_BUT_PSVM, ""),
    "--class-weight": (_ALL_BUT_PSVM, ", which weighs all samples alike"),
    "--no-standardize": (_ALL_BUT_PSVM, ", which scales every feature"),
    **dict.fromkeys(_MORE_RULES, (_ALL_BUT_PSVM, ", whose weights have no such rules")),
    "--grid transvariation": (("liknon",), ", whose costs mean something else"),
}


@dataclass(frozen=True)
class Method:
    """What a method is, its estimator and its defaults; C is None where the method chooses it.

    `has_margin`: it classifies with a margin of one, so errors cost more than features.
    """

    description: str
    estimator: str
    C: float | None = 1.0
    refit: str | None = None
    has_margin: bool = False


METHODS = {
    "sfm": Method("Support Feature Machine", "SupportFeatureMachine", C=2.0, refit="margin"),
    "sfm-cv": Method(
        "the same, C chosen by cross-validation", "SupportFeatureMachineCV", C=None, refit="margin"
    ),
    "weston": Method(
        "zero-norm support vector machine", "ZeroNormSVM", C=math.inf, has_margin=True
    ),
    "liknon": Method("one-norm support vector machine", "Liknon", has_margin=True),
    "psvm": Method("Potential Support Vector Machine", "PotentialSVC", C=math.inf, refit="support"),
}


def settle_method(arguments: argparse.Namespace, *, hard: bool = False) -> list[str]:
    """Fill in the defaults of the method; an error for options that it does not have.

    `hard` is for commands that allow no error and make no refit unless told otherwise. Returns
    what should be noted.
    """
    given = vars(arguments)
    if arguments.method is None:
        arguments.method = _find_method(given)
        if arguments.method == "sfm-cv" and given["multi_class"] is None:
            # One program for all classes, solved for every C in every fold, takes too long.
            arguments.multi_class = "separate"
    method, name = METHODS[arguments.method], arguments.method
    for option, is_given in {
        "--constraint": given["constraint"] is not None,
        "--epsilon": given.get("epsilon") is not None,
        "--matrix": given.get("matrix", False),
        f"--refit {given['refit']}": given["refit"] is not None,
        "--max-features": given.get("max_features") is not None,
        "--certify": bool(given.get("certify")),
        f"--multi-class {given.get('multi_class')}": given.get("multi_class") is not None,
        "--class-weight": given["class_weight"] is not None,
        "--no-standardize": not given["standardize"],
        f"--grid {given.get('grid')}": "grid" in given,
        **{rule: _is_given(given, rule) for rule in _MORE_RULES},
    }.items():
        owners, reason = _BELONGS.get(option, ((name,), ""))
        if is_given and name not in owners:
            raise CommandError(
                f"{option} belongs to --method {' or '.join(owners)}, not to {name}{reason}.\n"
                "Leave the option out."
            )
    if given.get("matrix", False) and any(_is_given(given, rule) for rule in _RULES):
        raise CommandError(
            "Rules about features do not go with --matrix, where columns are samples.\n"
            "Leave one of them out."
        )
    if given.get("max_features") is not None and given["multi_class"] == "separate":
        raise CommandError(
            "--max-features needs one program for all classes.\nLeave --multi-class separate out."
        )
    if given.get("certify"):
        _settle_proof(arguments)
    notes = []
    if method.C is None and given.get("C") is not None:
        notes.append(f"--C is ignored: --method {name} chooses C.")
        arguments.C = None
    if "C" in given and arguments.C is None and method.C is not None:
        arguments.C = math.inf if hard and name != "liknon" else method.C
    if name == "liknon" and given.get("C") == math.inf:
        raise CommandError(
            "--method liknon needs a finite --C.\n"
            "For no training error use --method weston --C inf, or --method sfm --C inf."
        )
    usual_refit = None if hard else method.refit
    arguments.refit = {None: usual_refit, "none": None}.get(arguments.refit, arguments.refit)
    if name == "psvm":
        arguments.epsilon = 1.0 if arguments.epsilon is None else arguments.epsilon
    else:
        arguments.class_weight = None if arguments.class_weight == "none" else "balanced"
    if name in _BELONGS["--constraint"][0]:
        arguments.constraint = arguments.constraint or "class_means"
    return notes


def _settle_proof(arguments: argparse.Namespace) -> None:
    """A smallest set leaves no error, and has no other size than it has."""
    if arguments.C not in (None, math.inf):
        raise CommandError(
            "--certify looks for sets that leave no training error.\nLeave out --C, or --certify; "
            "fewest minimum --max-errors allows some."
        )
    if arguments.max_features is not None:
        raise CommandError("--certify finds the number of features.\nLeave out --max-features.")
    arguments.C = math.inf


def _find_method(given: Mapping[str, Any]) -> str:
    """The method that chooses C by itself, unless an option asks for another."""
    asks = given["certify"] or given["C"] is not None or given["max_features"] is not None
    return "sfm" if asks else "sfm-cv"


def _is_given(given: Mapping[str, Any], option: str) -> bool:
    return bool(given.get(option[2:].replace("-", "_")))


def make_estimator(
    arguments: argparse.Namespace,
    rules: Mapping[str, Any] | None = None,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
    proof_seconds: float = 60.0,
) -> Any:
    """A new estimator of the method with these parameters; a bar if its fit is a long one.

    `rules` are those about features; a smallest set is looked for for `proof_seconds`.
    """
    import fewest

    kind = getattr(fewest, METHODS[arguments.method].estimator)
    C = getattr(arguments, "C", None)
    parameters = {} if C is None else {"C": C}
    if arguments.method == "psvm":
        return kind(
            **parameters,
            epsilon=arguments.epsilon,
            kernel="precomputed",
            row_objects="samples" if arguments.matrix else None,
            refit=arguments.refit == "support",
            **(rules or {}),
        )
    for name in ("class_weight", "standardize", "refit"):
        parameters[name] = getattr(arguments, name)
    if arguments.constraint is not None:
        parameters["constraint"] = arguments.constraint
    sizes = getattr(arguments, "max_features", None)
    if getattr(arguments, "multi_class", None) is not None:
        parameters["multi_class"] = arguments.multi_class
    if isinstance(sizes, list):
        search = {"random_state": arguments.seed, "n_jobs": n_jobs, "verbose": verbose}
        machine = kind(**parameters, **(rules or {}))
        return fewest.PanelSizeCV(machine, sizes=sizes, **search)
    if sizes is not None:
        parameters["max_features"] = sizes
    if getattr(arguments, "certify", False):
        parameters |= {"certify": True, "max_seconds": proof_seconds}
    if arguments.method == "sfm-cv":
        parameters["random_state"] = arguments.seed
    return kind(**parameters, **(rules or {}), n_jobs=n_jobs, verbose=verbose)
