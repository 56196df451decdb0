"""What a report is about: a fitted machine, and further results that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from fewest._estimators.splits import fit_with_groups
from fewest._solvers.linear.path import ExactPath
from fewest._types import FloatArray
from fewest.diagnostics import Diagnosis
from fewest.informative import InformativeFeatures
from fewest.machines.liknon_path import LiknonPath
from fewest.machines.sfm import SupportFeatureMachine
from fewest.minimum import MinimumResult
from fewest.repetition.selector import RepetitiveSelector
from fewest.report._data import Data
from fewest.report.content import CostCurve

# How long each fold may look for its own smallest set.
_SECONDS_A_FOLD = 3.0

_RESULTS = {
    MinimumResult: "minimum",
    InformativeFeatures: "informative",
    RepetitiveSelector: "repetitive",
    Diagnosis: "diagnosis",
    ExactPath: "path",
    LiknonPath: "path",
    CostCurve: "path",
}


@dataclass(frozen=True, eq=False)
class Subject:
    """The selection, and the estimator that would make it again.

    `coef` is None for classifiers that are not linear. `stands_in` says in words why the machine is
    not the one that was given.
    """

    machine: Any
    estimator: Any
    supports: NDArray[np.bool_]
    coef: FloatArray | None
    intercept: FloatArray | None
    minimum: MinimumResult | None = None
    informative: InformativeFeatures | None = None
    repetitive: RepetitiveSelector | None = None
    diagnosis: Diagnosis | None = None
    path: Any = None
    stands_in: str | None = None

    @property
    def support(self) -> NDArray[np.bool_]:
        return self.supports.any(axis=0)

    @property
    def columns_are_samples(self) -> bool:
        """A table of similarities: a fold leaves out columns with rows."""
        return getattr(self.machine, "row_objects", None) == "samples"


def make_subject(result: Any, also: Sequence[Any], data: Data) -> Subject:
    """Sort what was given; where no machine is among it, the one that belongs to it is fitted."""
    further: dict[str, Any] = {}
    machine = None
    for given in (result, *also):
        kind = next((name for cls, name in _RESULTS.items() if isinstance(given, cls)), None)
        if kind is not None:
            further[kind] = given
        elif machine is None:
            machine = given
        else:
            raise ValueError(
                f"a report is about one machine, but {type(machine).__name__} and "
                f"{type(given).__name__} were given: make two reports"
            )
    if machine is None:
        return _of_result(further, data)
    return _of_machine(machine, None, data, further)


def _of_machine(
    machine: Any, estimator: Any, data: Data, further: dict[str, Any], stands_in: str | None = None
) -> Subject:
    supports = selected_columns(machine)
    if supports.shape[1] != data.X.shape[1]:
        raise ValueError(
            f"{type(machine).__name__} was fitted to {supports.shape[1]} features, but X has "
            f"{data.X.shape[1]}: give the X and y of the fit"
        )
    coef, intercept = _plane(machine)
    if hasattr(machine, "minima_") and data.is_binary:
        further.setdefault("minimum", machine.minima_[0])
    return Subject(
        machine=machine,
        estimator=clone(machine) if estimator is None else estimator,
        supports=supports,
        coef=coef,
        intercept=intercept,
        stands_in=stands_in,
        **further,
    )


def _of_result(further: dict[str, Any], data: Data) -> Subject:
    if "minimum" in further and further["minimum"].size is not None:
        return _of_minimum(further, data)
    estimator = getattr(further.get("repetitive"), "estimator", None)
    if estimator is None:
        separable = "diagnosis" not in further or further["diagnosis"].separable
        if "minimum" in further or isinstance(further.get("path"), LiknonPath):
            separable = False
        estimator = SupportFeatureMachine(C=np.inf if separable else 1.0)
    words = (
        "The machine is that of the first subset."
        if "repetitive" in further
        else f"No machine was given: this is the Support Feature Machine with C = {estimator.C:g}."
    )
    machine = fit_with_groups(clone(estimator), data.X, data.y, data.groups)
    return _of_machine(machine, estimator, data, further, words)


def _of_minimum(further: dict[str, Any], data: Data) -> Subject:
    """The largest margin on the smallest set; folds look for smallest sets of their own."""
    minimum = further["minimum"]
    columns = minimum.subsets[0]
    inner = SupportFeatureMachine(C=np.inf).fit(data.values(columns), data.y)
    supports = np.zeros((1, data.X.shape[1]), dtype=bool)
    supports[0, columns] = True
    coef = np.zeros((1, data.X.shape[1]))
    coef[0, columns] = inner.coef_[0]
    return Subject(
        machine=None,
        estimator=SupportFeatureMachine(C=np.inf, certify=True, max_seconds=_SECONDS_A_FOLD),
        supports=supports,
        coef=coef,
        intercept=inner.intercept_,
        stands_in="The weights are those of the largest margin on the smallest set. Every fold "
        f"looked for a smallest set of its own for at most {_SECONDS_A_FOLD:g} seconds; permuted "
        "classes and further subsets went without the proof.",
        **further,
    )


def selected_columns(machine: Any) -> NDArray[np.bool_]:
    """Selected columns of X, a row a machine."""
    if hasattr(machine, "__sklearn_tags__") and is_regressor(machine):
        raise ValueError(
            f"{type(machine).__name__} predicts numbers: a report is about classes. Give a "
            "classifier, or a selector that was fitted to classes"
        )
    if getattr(machine, "is_precomputed", True) is False:
        raise ValueError(
            f"{type(machine).__name__} with the kernel {machine.kernel!r} selects samples, not "
            "columns of X. Give one with kernel='precomputed'"
        )
    for name in ("supports_", "support_"):
        if hasattr(machine, name) and np.asarray(getattr(machine, name)).dtype == bool:
            return np.atleast_2d(getattr(machine, name))
    if hasattr(machine, "coef_"):
        return np.atleast_2d(machine.coef_) != 0
    raise ValueError(
        f"{type(machine).__name__} does not say which features it uses: give a fitted selecting "
        "classifier (with support_ or coef_), or a result of this package"
    )


def _plane(machine: Any) -> tuple[FloatArray | None, FloatArray | None]:
    """Weights and biases for the values in the data, where there are any."""
    if hasattr(machine, "linear_function"):
        return machine.linear_function()
    if not hasattr(machine, "coef_") or not hasattr(machine, "intercept_"):
        return None, None
    return np.atleast_2d(machine.coef_), np.atleast_1d(machine.intercept_)
