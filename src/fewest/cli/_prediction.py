"""Predictions of a saved machine for a table, as plain values."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from fewest._estimators.abilities import abilities_of, feature_names_of, find_probabilities
from fewest._estimators.splits import balanced_error
from fewest._types import IndexArray
from fewest._wording import counted, cut, listed, visible
from fewest.cli._errors import CommandError
from fewest.cli._reading import read_new
from fewest.cli._waiting import read_waiting
from fewest.exceptions import ModelFileError
from fewest.model_files import load
from fewest.model_files._archive import is_model_file
from fewest.report._commands import write_command
from fewest.report._data import note_small_classes
from fewest.report.content import ClassSize, ModelErrors, ModelSummary, Predictions
from fewest.tables import Samples
from fewest.tables._labels import read_number


def load_machine(path: str, data: str | None = None, reading: Sequence[str] = ()) -> Any:
    """A machine that can predict; an error that says what to do if the file holds none.

    `data` is the other file that was named: it may be the model. It is read with the options
    `reading`.
    """
    if data is not None and _are_swapped(path, data):
        raise CommandError(
            f"{visible(data)} is the model, and {visible(path)} the data: name the model first.\n"
            f"{write_command('predict', data, [path, *reading])}"
        )
    try:
        machine = read_waiting(lambda: load(path), path)
    except (ModelFileError, ImportError) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(
            f"{visible(path)} cannot be read: {error.strerror or error}.\n"
            "Name a file that fewest select --model, brain --model or fewest.save has written."
        ) from error
    if not abilities_of(machine).classifies and not is_regressor(machine):
        raise CommandError(
            f"the {type(machine).__name__} in {visible(path)} selects features, but does not "
            "predict.\nSave a machine that does, with fewest select --model for instance."
        )
    return machine


def _are_swapped(model: str, data: str) -> bool:
    """Whether the second file is a model, and the first one is none."""
    return is_model_file(data) and not is_model_file(model)


def predict_samples(machine: Any, arguments: argparse.Namespace) -> Predictions:
    """Read the samples, predict them, and compare with the truth where it is known."""
    abilities, names = abilities_of(machine), feature_names_of(machine)
    used = np.arange(machine.n_features_in_)
    if abilities.predicts_from_support:
        used = np.flatnonzero(machine.support_)
    reading: dict[str, Any] = {"has_values": not abilities.classifies}
    if names is not None:
        kept = vars(machine)
        medians, percents = (kept.get(f"training_{what}_") for what in ("medians", "percents"))
        reading["medians"] = None if medians is None else medians[used]
        reading["percents"] = None if percents is None else names[percents].tolist()
    samples = read_new(arguments, None if names is None else names[used].tolist(), **reading)
    X = _arrange(machine, samples, used)
    scores = None
    try:
        with warnings.catch_warnings():
            # The names were compared already; X is an array without them.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            predicted = machine.predict(X)
            if abilities.has_scores:
                scores = np.asarray(machine.decision_function(X)).tolist()
            shares = find_probabilities(machine, X)
            probabilities = None if shares is None else shares.tolist()
    except ValueError as error:
        raise CommandError(f"{samples.origin}: {error}") from error
    notes = list(samples.notes)
    # Features that the machine knows but did not select need no note, other columns do.
    known = set() if names is None else set(names.tolist())
    unknown = [name for name in samples.ignored if name not in known]
    if unknown:
        notes.append(f"Ignored, because the model does not know it: {listed(unknown)}.")
    truth, errors = samples.truth, None
    if truth is not None:
        truth = _fold_case(machine, truth)
        errors, doubts = compare(machine, predicted, truth, samples.target or "")
        notes += doubts
    return Predictions(
        model=summarize_model(machine, arguments.model, machine.n_features_in_, len(used)),
        data=samples.origin,
        n_samples=len(predicted),
        ids=None if samples.ids is None else samples.ids.tolist(),
        predictions=predicted.tolist(),
        scores=scores,
        probabilities=probabilities,
        truth=None if truth is None else truth.tolist(),
        errors=errors,
        notes=notes,
    )


def _fold_case(machine: Any, truth: NDArray[Any]) -> NDArray[Any]:
    """Classes as the model writes them, if upper and lower case did not count in its training."""
    if not vars(machine).get("training_folded_case_", False):
        return truth
    written = {str(label).casefold(): str(label) for label in machine.classes_.tolist()}
    return np.array([written.get(str(one).casefold(), str(one)) for one in truth.tolist()])


def summarize_model(machine: Any, file: str, n_features: int, n_used: int) -> ModelSummary:
    """What was loaded."""
    classifies = abilities_of(machine).classifies
    return ModelSummary(
        file=visible(file),
        estimator=type(machine).__name__,
        n_features=int(n_features),
        n_used=n_used,
        classes=machine.classes_.tolist() if classifies else None,
        probabilities_are_extreme=abilities_of(machine).calibrates_selected,
    )


def _arrange(machine: Any, samples: Samples, used: IndexArray) -> NDArray[Any]:
    """The columns at the places where the machine expects them; it looks at no others."""
    n_features = machine.n_features_in_
    if feature_names_of(machine) is not None:
        X = np.zeros((len(samples.X), n_features), dtype=samples.X.dtype)
        X[:, used] = samples.X
        return X
    if samples.X.shape[1] != n_features:
        raise CommandError(
            f"{samples.origin} has {counted(samples.X.shape[1], 'feature')}, but the model was "
            f"fitted to {n_features}, and it has no names to match them by.\n"
            "Leave out other columns with --drop COLUMN, and the class with --target COLUMN."
        )
    return samples.X


def compare(
    machine: Any, predicted: NDArray[Any], truth: NDArray[Any], target: str
) -> tuple[ModelErrors, list[str]]:
    """How many predictions are wrong, and what is odd about the truth."""
    if not abilities_of(machine).classifies:
        if truth.dtype.kind not in "biuf":
            raise CommandError(
                f"the model predicts numbers, but the column {cut(target)} holds text.\n"
                "Name the column with the numbers."
            )
        return ModelErrors(
            target=target, rms_error=float(np.sqrt(np.mean((predicted - truth) ** 2)))
        ), []
    classes, notes = machine.classes_, list[str]()
    if _is_text(truth) != _is_text(classes):  # "1" in one file is 1 in another
        truth, predicted, classes = (
            np.array([str(label) for label in labels.tolist()])
            for labels in (truth, predicted, classes)
        )
        truth, notes = _match_numbers(truth, classes, target)
    known = classes.tolist()
    unknown = [label for label in np.unique(truth).tolist() if label not in known]
    labels = [label for label in [*known, *unknown] if label in truth]
    if unknown:
        shown = " or ".join(map(cut, unknown[:3]))
        notes.append(f"The model does not know {shown}: all these samples count as errors.")
    sizes = zip(*np.unique(truth, return_counts=True), strict=True)
    notes += note_small_classes([ClassSize(label, int(count)) for label, count in sizes])
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


def _match_numbers(
    truth: NDArray[Any], classes: NDArray[Any], target: str
) -> tuple[NDArray[Any], list[str]]:
    """The truth with '1.0' and 'TRUE' as the classes '1' and 'True', and a note that says so.

    No two labels become one by that.
    """
    wanted, given = (_find_spellings(labels) for labels in (classes, truth))
    changed = {
        labels[0]: wanted[key][0]
        for key, labels in given.items()
        if len(labels) == len(wanted.get(key, ())) == 1 and labels != wanted[key]
    }
    if not changed:
        return truth, []
    shown = listed([f"{label} as {known}" for label, known in changed.items()])
    note = f"Labels of {cut(target)} count as classes that the model writes differently: {shown}."
    return np.array([changed.get(label, label) for label in truth.tolist()]), [note]


def _find_spellings(labels: NDArray[Any]) -> dict[Any, list[str]]:
    """Different texts by what they mean: a number, or a text in any case."""
    found: dict[Any, list[str]] = {}
    for label in np.unique(labels).tolist():
        number = read_number(label)
        found.setdefault(label.casefold() if number is None else number, []).append(label)
    return found


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "USO"
