"""The machine that selects panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import (
    abilities_of,
    certificates_of,
    explain_no_classes,
    selection_of,
)
from fewest._estimators.certificate import Certificate
from fewest._estimators.rules import find_features
from fewest._estimators.validation import check_count
from fewest._types import FloatArray
from fewest.machines.sfm import SupportFeatureMachine


def make_machine(
    estimator: Any,
    n_genes: int | None,
    max_seconds: float | None,
    verbose: int,
    rules: dict[str, Any],
) -> Any:
    """The estimator given, or the Support Feature Machine with at most so many genes."""
    if estimator is None:
        check_count("n_genes", n_genes, or_none=True)
        settings: dict[str, Any] = {"max_seconds": max_seconds, "verbose": max(0, verbose - 1)}
        return SupportFeatureMachine(max_features=n_genes, **settings, **rules)
    if n_genes is not None or max_seconds is not None or rules:
        raise ValueError(
            "n_genes, max_seconds, include, exclude and positive are those of the machine that is "
            "used if no estimator is given. Set them on the estimator"
        )
    abilities = abilities_of(estimator)
    if abilities.refusal or not abilities.classifies:
        raise ValueError(explain_no_classes(estimator))
    return estimator


def make_rules(genes: Sequence[str], include: Any, exclude: Any, positive: bool) -> dict[str, Any]:
    """Rules about genes as parameters of the machine, which sees no names."""
    rules: dict[str, Any] = {}
    for rule, listed in (("include", include), ("exclude", exclude)):
        if listed is not None:
            rules[rule] = find_features(rule, listed, genes, len(genes))
    if positive:
        rules["signs"] = 1
    return rules


def find_weights(fitted: Any, scale: FloatArray) -> FloatArray:
    """Weights of all genes, one row per type, for genes of standard deviation one.

    A gene's weights are those of the types' scores, and only their differences matter: their mean
    over the types is zero. Zero everywhere if the estimator is not linear.
    """
    found = selection_of(fitted)
    n_types = len(fitted.classes_)
    if found.coef is None:
        return np.zeros((n_types, len(scale)))
    coef = found.coef * scale
    if len(coef) == 1:
        coef = np.concatenate([-coef, coef])
    return coef - coef.mean(axis=0)


def find_certificates(fitted: Any, labels: NDArray[Any]) -> tuple[Certificate, ...]:
    """Proofs of its linear programs, each once: one program may stand for all types."""
    names = np.unique(labels)
    signs = [np.where(labels == name, 1.0, -1.0) for name in names[len(names) == 2 :]]
    return tuple(dict.fromkeys(certificates_of(fitted, np.array(signs))))
