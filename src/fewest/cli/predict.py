"""`fewest predict`: new samples for a saved machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fewest._wording import counted, cut, cut_apart, percent, visible
from fewest.cli import _options as options
from fewest.cli._output import Output, csv_text, write

if TYPE_CHECKING:
    from fewest.report.content import ModelSummary, Predictions

__all__ = ["add_options", "run"]

_MOST_SAMPLES = 12
_DESCRIPTION = """\
Predict new samples with a machine that fewest select --model, fewest brain
--model or fewest.save in Python has saved.

MODEL is safe to open, wherever it comes from: nothing in it is executed.
DATA is a table as for fewest select; the class need not be known. Columns are
matched by name, and only those that the model uses have to be there. A model
without names takes as many columns as it was fitted to, in the same order.

A model of fewest brain takes NIfTI images: one or several 4-D files, each of
which is one run, or 3-D files. They must be on the grid of those of the fit."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    predict = options.new_command(
        commands,
        "predict",
        help="predict new samples with a saved machine",
        description=_DESCRIPTION,
        examples=(
            "machine.fewest new.csv",
            "machine.fewest new.csv --out predicted.csv",
            "machine.fewest new.xlsx --sheet March --transpose",
            "machine.fewest test.csv --target diagnosis --json -",
            "machine.fewest expression.tsv --classes patients.csv:diagnosis",
            "machine.fewest new.csv --quiet > classes.txt",
            "faces.fewest run7_bold.nii.gz --out predicted.csv",
        ),
    )
    group = predict.add_group("data")
    group.add_argument("model", metavar="MODEL", help="the file with the machine")
    several = "the file with the samples; for a model of brain images one or more of them"
    group.add_argument("data", nargs="+", metavar="DATA", help=several)
    truth = "column (for .npz the array) with the true classes: says how many errors there are"
    group.option("--target COLUMN", truth)
    options.add_drop(group, "for models without names of features: leave this column out")
    options.add_layout(group)
    group.option(
        "--missing",
        "cells without a value: an error that says where they are, leave out their samples, or "
        "fill in the median of the feature over the training samples, which the model keeps",
        default="error",
        choices=("error", "drop-samples", "median"),
    )
    images = predict.add_group("brain images")
    images.option("--labels FILE", "the true condition of every volume, as for fewest brain")
    images.option("--labels-column COLUMN", "its name, or its number from 1, in that file")
    options.add_confounds(images)
    output = options.add_output(
        predict,
        quiet="print the predictions only, one per line",
        page=False,
        verbose=f"all samples, not only the first {_MOST_SAMPLES}",
    )
    output.option("--out FILE", "also write a table (CSV), one row per sample")
    options.add_raw(output)


def run(arguments: argparse.Namespace) -> None:
    """Load, read, predict, report."""
    from fewest.cli._text import names_text, notes_text

    output = Output.from_arguments(arguments, "out")
    found = _predict(arguments)
    output.say(_model_text(found.model, found.kind))
    output.say(f"Data      {found.data}: {_count(found, found.n_samples)}")
    blocks = [
        _counts_text(found),
        _samples_text(found, found.n_samples if arguments.verbose else _MOST_SAMPLES),
        _errors_text(found),
        notes_text(found.notes),
    ]
    text = "\n\n".join(block for block in blocks if block)
    try:
        if arguments.out:
            columns = _list_columns(found)
            rows = [columns, *zip(*columns.values(), strict=True)]
            write(arguments.out, csv_text(rows, raw=arguments.raw))
            output.say_later(f"Written: {visible(arguments.out)}")
    finally:  # also if there is no room for the table
        output.deliver(found, text, names_text(map(str, found.predictions)))


def _predict(arguments: argparse.Namespace) -> Predictions:
    """Of the kind of data that the model is for."""
    from fewest._estimators.abilities import abilities_of
    from fewest.cli._errors import CommandError
    from fewest.cli._prediction import load_machine, predict_samples
    from fewest.cli._reading import list_reading

    first, *others = arguments.data
    machine = load_machine(arguments.model, first, list_reading(arguments))
    if abilities_of(machine).reads_images:
        from fewest.cli._volume_prediction import predict_volumes

        return predict_volumes(machine, arguments)
    if others or arguments.labels or arguments.confounds:
        raise CommandError(
            f"{visible(arguments.model)} is a model of tables, and takes one: several files, "
            "--labels and --confounds are for models of brain images.\nName one table."
        )
    arguments.data = first
    return predict_samples(machine, arguments)


def _count(found: Predictions, number: int, more: str = "") -> str:
    """A number of samples, or of volumes."""
    from fewest.report._nouns import rename

    return rename(counted(number, f"{more}sample"), found.kind)


def _list_columns(found: Predictions) -> dict[str, list[Any]]:
    """Of every sample its number and id, the prediction, the truth if known, and how sure it is."""
    columns: dict[str, list[Any]] = {"row": list(range(1, found.n_samples + 1))}
    if found.ids is not None:
        columns[found.kind.removesuffix("s")] = found.ids
    columns["predicted"] = found.predictions
    if found.truth is not None:
        columns["truth"] = found.truth
    labels = found.model.classes or []
    if found.scores is not None and len(labels) == 2:
        columns["score"] = found.scores
    elif found.scores is not None:
        columns |= _one_per_class("score", labels, found.scores)
    if found.probabilities is not None:
        columns |= _one_per_class("probability", labels, found.probabilities)
    return columns


def _one_per_class(
    word: str, labels: Sequence[Any], values: list[list[float]]
) -> Iterable[tuple[str, list[float]]]:
    names = [f"{word} {label}" for label in labels]
    return zip(names, map(list, zip(*values, strict=True)), strict=True)


def _samples_text(found: Predictions, most: int) -> str:
    """The first samples with their predictions, and what the score means."""
    from fewest.cli._emphasis import aligned

    names = found.ids or [f"row {row}" for row in range(1, found.n_samples + 1)]
    labels = found.model.classes
    word = found.kind.removesuffix("s")
    rows = [[word, "predicted"]]
    rows += [
        [cut(name, 24), _short(one)] for name, one in zip(names, found.predictions, strict=True)
    ]
    del rows[most + 1 :]
    text = ""
    if found.probabilities is not None and labels is not None:
        rows[0].append("probability")
        for row, shares, one in zip(rows[1:], found.probabilities, found.predictions, strict=False):
            row.append(f"{shares[labels.index(one)]:.2f}")
        text = "Probability: of the predicted class, calibrated on those left out of the fit."
        if found.model.probabilities_are_extreme:
            text = (
                "Probability: of the predicted class; too close to 0 or 1, because it was "
                "calibrated on\nsamples that took part in selecting the features."
            )
    if found.scores is not None and labels is not None and len(labels) == 2:
        rows[0].append("score")
        for row, score in zip(rows[1:], found.scores, strict=False):
            row.append(f"{score:.3f}")
        text += (
            f"\nScore: above zero {cut(labels[1], 24)}, below zero {cut(labels[0], 24)}; the "
            f"further from zero, the clearer. Between -1 and 1 a {word} is inside the margin."
        )
    more = found.n_samples - most
    if more > 0:
        text += f"\n{_count(found, more, 'more ')}: see --verbose, or --out FILE."
    return f"{aligned(rows)}\n{text.strip()}".strip("\n")


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else cut(value, 24)


def _model_text(model: ModelSummary, kind: str) -> str:
    from fewest.cli._text import shorten
    from fewest.report._nouns import rename

    used = rename(f"{model.n_used} of {counted(model.n_features, 'feature')}", kind)
    lines = [f"Model     {model.file}: {model.estimator}, uses {used}"]
    if model.classes is not None:
        lines.append(f"Classes   {shorten(cut_apart(model.classes, 16))}")
    return "\n".join(lines)


def _counts_text(found: Predictions) -> str:
    from fewest.cli._emphasis import aligned

    if found.model.classes is None:
        low, high = min(found.predictions), max(found.predictions)
        return f"Predicted values lie between {low:.4g} and {high:.4g}."
    rows = [[cut(label, 24), str(found.predictions.count(label))] for label in found.model.classes]
    return aligned([["predicted", found.kind], *rows])


def _errors_text(found: Predictions) -> str:
    from fewest.cli._emphasis import aligned

    errors = found.errors
    if errors is None:
        return ""
    if errors.rms_error is not None:
        return f"Root-mean-square error  {errors.rms_error:.4g} ({errors.caveat})"
    header = [f"{cut(errors.target, 24)}, predicted as:"]
    header += cut_apart(found.model.classes or [], 16)
    rows = [
        [cut(label, 24), *map(str, counts)]
        for label, counts in zip(errors.labels or [], errors.confusion or [], strict=True)
    ]
    return (
        f"Error     {errors.n_errors} of {_count(found, found.n_samples)} "
        f"({percent(errors.error or 0.0)}); balanced {percent(errors.balanced_error or 0.0)}\n"
        f"          ({errors.caveat})\n\n"
        f"{aligned([header, *rows])}"
    )
