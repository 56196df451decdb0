"""Predictions of a saved decoder for new images, as plain values."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from fewest._estimators.abilities import selection_of
from fewest._wording import counted, visible
from fewest.cli._errors import CommandError
from fewest.cli._labels import LabelFile
from fewest.cli._prediction import compare, summarize_model
from fewest.cli._volumes import (
    as_sentence,
    name_runs,
    name_volumes,
    read_confounds_option,
    read_images,
    saying,
)
from fewest.neuro import FewestVoxels
from fewest.report.content import Predictions

# Options of tables, and what they are where nobody gave them.
_OF_TABLES: dict[str, Any] = {
    "target": None,
    "drop": [],
    "classes": None,
    "ids": None,
    "sheet": None,
}


def predict_volumes(decoder: FewestVoxels, arguments: argparse.Namespace) -> Predictions:
    """Read the images, predict their volumes, and compare with the truth where it is known."""
    for name, usual in _OF_TABLES.items():
        if getattr(arguments, name) != usual:
            raise CommandError(
                f"--{name} is about tables, but {visible(arguments.model)} reads brain images.\n"
                "Their true classes are given by --labels FILE."
            )
    files = arguments.data
    images, sizes = read_images(files)
    truth = None
    if arguments.labels is not None:
        table = LabelFile.read(arguments.labels)
        truth = table.column(arguments.labels_column, sum(sizes), "--labels-column")
    confounds = read_confounds_option(arguments, sum(sizes))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        X = saying(decoder._new_matrix, images, name_runs(sizes), confounds)
    notes = [f"Warning: {as_sentence(one.message)}" for one in caught]
    predicted = decoder.estimator_.predict(X)
    shares = decoder._find_shares(X) if hasattr(decoder, "predict_proba") else None
    errors = None
    if truth is not None:
        errors, doubts = compare(decoder, predicted, truth, visible(arguments.labels))
        notes += doubts
    n_used = selection_of(decoder.estimator_).n_selected
    return Predictions(
        kind="volumes",
        model=summarize_model(decoder, arguments.model, decoder.n_features_, n_used),
        data=visible(files[0]) if len(files) == 1 else counted(len(files), "image"),
        n_samples=len(predicted),
        ids=name_volumes(files, sizes),
        predictions=predicted.tolist(),
        scores=_find_scores(decoder, X),
        probabilities=None if shares is None else shares.tolist(),
        truth=None if truth is None else truth.tolist(),
        errors=errors,
        notes=notes,
    )


def _find_scores(decoder: FewestVoxels, X: Any) -> Any:
    if not hasattr(decoder.estimator_, "decision_function"):
        return None
    return np.asarray(decoder.estimator_.decision_function(X)).tolist()
