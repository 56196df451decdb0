"""Predictions of a saved machine for a table, as plain values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import abilities_of, feature_names_of
from fewest._estimators.splits import balanced_error
from fewest._types import IndexArray
from fewest._wording import counted, cut, listed
from fewest.cli._errors import CommandError
from fewest.report.content import ModelErrors, ModelSummary, Predictions
from fewest.tables import Samples


def predict_samples(machine: Any, file: str, read: Callable[..., Samples]) -> Predictions:
    """Read the samples, predict them, and compare with the truth where it is known.

    `machine` came from `file`; `read` takes the names of the features, or None for all.
    """
    samples, notes = _read(machine, read)
    X = _arrange(machine, samples)
    abilities, scores = abilities_of(machine), None
    try:
        with warnings.catch_warnings():
            # The names were compared already; X is an array without them.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            predicted = machine.predict(X)
            if abilities.has_scores:
                scores = np.asarray(machine.decision_function(X)).tolist()
    except ValueError as error:
        raise CommandError(f"{samples.origin}: {error}") from error
    truth, errors = samples.truth, None
    if truth is not None:
        errors, doubts = _compare(machine, predicted, truth, samples.target or "")
        notes += doubts
    return Predictions(
        model=ModelSummary(
            file=file,
            estimator=type(machine).__name__,
            n_features=int(machine.n_features_in_),
            n_used=len(_find_used(machine)),
            classes=machine.classes_.tolist() if abilities.classifies else None,
        ),
        data=samples.origin,
        n_samples=len(predicted),
        predictions=predicted.tolist(),
        scores=scores,
        truth=None if truth is None else truth.tolist(),
        errors=errors,
        notes=notes,
    )


def _find_used(machine: Any) -> IndexArray:
    """The columns that predictions depend on."""
    if abilities_of(machine).predicts_from_support:
        return np.flatnonzero(machine.support_)
    return np.arange(machine.n_features_in_)


def _read(machine: Any, read: Callable[..., Samples]) -> tuple[Samples, list[str]]:
    names = feature_names_of(machine)
    samples = read(None if names is None else names[_find_used(machine)].tolist())
    if names is None and samples.X.shape[1] != machine.n_features_in_:
        raise CommandError(
            f"{samples.origin} has {counted(samples.X.shape[1], 'feature')}, but the model was "
            f"fitted to {machine.n_features_in_}, and it has no names to tell them apart.\n"
            "Leave out what is no feature with --drop COLUMN, and the class with --target COLUMN."
        )
    known = set() if names is None else set(names.tolist())
    # Features that the machine did not select need no word, other columns do.
    unknown = [name for name in samples.ignored if name not in known]
    if not unknown:
        return samples, list(samples.notes)
    note = f"Ignored, because the model does not know it: {listed(unknown)}."
    return samples, [*samples.notes, note]


def _arrange(machine: Any, samples: Samples) -> NDArray[Any]:
    """The columns at the places where the machine expects them; it looks at no others."""
    if feature_names_of(machine) is None:
        return samples.X
    X = np.zeros((len(samples.X), machine.n_features_in_), dtype=samples.X.dtype)
    X[:, _find_used(machine)] = samples.X
    return X


def _compare(
    machine: Any, predicted: NDArray[Any], truth: NDArray[Any], target: str
) -> tuple[ModelErrors, list[str]]:
    if not abilities_of(machine).classifies:
        if truth.dtype.kind not in "biuf":
            raise CommandError(
                f"the model predicts numbers, but the column {cut(target)} holds text.\n"
                "Name the column with the numbers."
            )
        return ModelErrors(
            target=target, rms_error=float(np.sqrt(np.mean((predicted - truth) ** 2)))
        ), []
    classes = machine.classes_
    if _is_text(truth) != _is_text(classes):  # "1" in one file is 1 in another
        truth, predicted, classes = (
            np.array([str(label) for label in labels.tolist()])
            for labels in (truth, predicted, classes)
        )
    known = classes.tolist()
    unknown = [label for label in np.unique(truth).tolist() if label not in known]
    labels = [label for label in [*known, *unknown] if label in truth]
    notes = []
    if unknown:
        notes.append(
            f"The model knows no class {' or '.join(cut(label) for label in unknown[:3])}: all "
            "these samples count as errors."
        )
    wrong = predicted != truth
    return ModelErrors(
        target=target,
        n_errors=int(wrong.sum()),
        error=float(wrong.mean()),
        balanced_error=balanced_error(truth, predicted),
        labels=labels,
        confusion=[
            [int(np.sum((truth == label) & (predicted == guess))) for guess in known]
            for label in labels
        ],
    ), notes


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "USO"
