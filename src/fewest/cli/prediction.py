"""Predictions of a saved machine for a table, as plain values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.splits import balanced_error
from fewest._wording import counted, cut, listed
from fewest.cli._errors import CommandError
from fewest.cli.report import SCHEMA_VERSION, Label
from fewest.tables import Samples

# They look at the selected features only.
_SPARING = (
    "AccumulatedClassifier",
    "FeatureSelectionConcave",
    "Liknon",
    "LiknonCV",
    "SupportFeatureMachine",
    "SupportFeatureMachineCV",
    "UnionFeatureMachine",
    "WeightedVoteClassifier",
    "ZeroNormSVM",
)


@dataclass(frozen=True)
class ModelSummary:
    """What was loaded; classes are None for a regression."""

    file: str
    estimator: str
    n_features: int
    n_used: int
    classes: list[Label] | None


@dataclass(frozen=True)
class Comparison:
    """Predictions against the truth.

    `confusion` has a row for every true label and a column for every class of the model. A
    regression has a root-mean-square error only.
    """

    target: str
    n_errors: int | None = None
    error: float | None = None
    balanced_error: float | None = None
    labels: list[Label] | None = None
    confusion: list[list[int]] | None = None
    rms_error: float | None = None


@dataclass(frozen=True)
class PredictReport:
    """Outcome of `fewest predict`.

    `scores` are values of the decision function: a number a sample, which speaks for the second
    class if it is above zero, or one a class. None for machines without it.
    """

    model: ModelSummary
    data: str
    n_samples: int
    predictions: list[Label]
    scores: list[Any] | None
    truth: list[Label] | None
    comparison: Comparison | None
    notes: list[str]
    schema: str = field(default="fewest.predict")
    schema_version: int = field(default=SCHEMA_VERSION)


def _summary(machine: Any, file: str) -> ModelSummary:
    """What the first line of the output tells."""
    classes = getattr(machine, "classes_", None)
    return ModelSummary(
        file=file,
        estimator=type(machine).__name__,
        n_features=int(machine.n_features_in_),
        n_used=len(_used(machine)),
        classes=None if classes is None else classes.tolist(),
    )


def run_prediction(machine: Any, file: str, read: Callable[..., Samples]) -> PredictReport:
    """Read the samples, predict them, and compare with the truth where it is known.

    Parameters
    ----------
    machine : estimator
        Fitted, with `predict`.
    file : str
        Where the machine came from.
    read : callable
        Reads the samples, given the names of the features (or None).

    Returns
    -------
    PredictReport
        All results as plain values.
    """
    samples, notes = _read(machine, read)
    X = _arranged(machine, samples)
    try:
        with warnings.catch_warnings():
            # The names were compared already; X is an array without them.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            predicted = machine.predict(X)
            scores = _scores(machine, X)
    except ValueError as error:
        raise CommandError(f"{samples.origin}: {error}") from error
    comparison = None
    if samples.truth is not None:
        comparison, doubts = _compared(machine, predicted, samples)
        notes += doubts
    return PredictReport(
        model=_summary(machine, file),
        data=samples.origin,
        n_samples=len(predicted),
        predictions=predicted.tolist(),
        scores=None if scores is None else scores.tolist(),
        truth=None if samples.truth is None else samples.truth.tolist(),
        comparison=comparison,
        notes=notes,
    )


def _used(machine: Any) -> NDArray[np.intp]:
    """The columns that predictions depend on."""
    sparing = type(machine).__name__ in _SPARING
    if sparing or getattr(machine, "is_precomputed", False):
        return np.flatnonzero(machine.support_)
    return np.arange(machine.n_features_in_)


def _read(machine: Any, read: Callable[..., Samples]) -> tuple[Samples, list[str]]:
    names = getattr(machine, "feature_names_in_", None)
    wanted = None if names is None else names[_used(machine)].tolist()
    samples = read(wanted)
    if names is None and samples.X.shape[1] != machine.n_features_in_:
        raise CommandError(
            f"{samples.origin} has {counted(samples.X.shape[1], 'feature')}, but the model was "
            f"fitted to {machine.n_features_in_}, and it has no names to tell them apart.\n"
            "Leave out what is no feature with --drop COLUMN, and the class with --target COLUMN."
        )
    known = set() if names is None else set(names.tolist())
    unknown = [name for name in samples.ignored if name not in known]
    return samples, samples.notes + _note_unknown(unknown)


def _note_unknown(columns: list[str]) -> list[str]:
    """Features that the machine did not select need no word, other columns do."""
    if not columns:
        return []
    return [f"Ignored, because the model does not know it: {listed(columns)}."]


def _arranged(machine: Any, samples: Samples) -> NDArray[Any]:
    """The columns at the places where the machine expects them; it looks at no others."""
    if not hasattr(machine, "feature_names_in_"):
        return samples.X
    X = np.zeros((len(samples.X), machine.n_features_in_), dtype=samples.X.dtype)
    X[:, _used(machine)] = samples.X
    return X


def _scores(machine: Any, X: NDArray[Any]) -> NDArray[np.float64] | None:
    try:
        return np.asarray(machine.decision_function(X))
    except AttributeError:  # nearest neighbours, for instance, have none
        return None


def _compared(
    machine: Any, predicted: NDArray[Any], samples: Samples
) -> tuple[Comparison, list[str]]:
    truth, target = samples.truth, samples.target
    if not hasattr(machine, "classes_"):
        if truth.dtype.kind not in "biuf":
            raise CommandError(
                f"the model predicts numbers, but the column {cut(target)} holds text.\n"
                "Name the column with the numbers."
            )
        return Comparison(target, rms_error=float(np.sqrt(np.mean((predicted - truth) ** 2)))), []
    classes = machine.classes_
    if _is_text(truth) != _is_text(classes):  # "1" in one file is 1 in another
        truth, predicted, classes = (_as_text(labels) for labels in (truth, predicted, classes))
    known = classes.tolist()
    unknown = [label for label in np.unique(truth).tolist() if label not in known]
    labels = [label for label in [*known, *unknown] if label in truth]
    confusion = [
        [int(np.sum((truth == label) & (predicted == guess))) for guess in known]
        for label in labels
    ]
    notes = []
    if unknown:
        notes.append(
            f"The model knows no class {' or '.join(cut(label) for label in unknown[:3])}: all "
            "these samples count as errors."
        )
    wrong = predicted != truth
    return Comparison(
        target=target,
        n_errors=int(wrong.sum()),
        error=float(wrong.mean()),
        balanced_error=balanced_error(truth, predicted),
        labels=labels,
        confusion=confusion,
    ), notes


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "USO"


def _as_text(labels: NDArray[Any]) -> NDArray[Any]:
    return np.array([str(label) for label in labels.tolist()])
