"""`fewest predict`: new samples for a saved machine."""

from __future__ import annotations

import argparse
import csv
import io
from functools import partial

from fewest._wording import counted, cut, visible
from fewest.cli._models import load_machine
from fewest.cli._output import Output, require_writable, write
from fewest.cli._reading import keep_the_data, read_new
from fewest.cli._text import aligned, percent
from fewest.cli.prediction import (
    Comparison,
    ModelSummary,
    PredictReport,
    run_prediction,
)

_MOST_CLASSES = 12


def run_predict(arguments: argparse.Namespace) -> None:
    """Load, read, predict, report."""
    results = {"json": arguments.json, "out": arguments.out}
    keep_the_data(arguments.data, **results)
    keep_the_data(arguments.model, what="the model", **results)
    output = Output.from_arguments(arguments)
    if arguments.out:
        require_writable("--out", arguments.out)
    machine = load_machine(arguments.model)
    report = run_prediction(machine, visible(arguments.model), partial(read_new, arguments))
    output.say(_model_text(report.model))
    output.say(f"Data      {report.data}: {counted(report.n_samples, 'sample')}")
    if arguments.out:
        write(arguments.out, csv_text(report))
    output.deliver(report, predict_text(report), brief_text(report))
    if arguments.out:
        output.say(f"Written: {visible(arguments.out)}")


def predict_text(report: PredictReport) -> str:
    """How often each class was predicted, errors where they are known, and notes."""
    blocks = [
        _counts_text(report),
        _errors_text(report.comparison, report.n_samples, report.model),
        "\n".join(f"Note: {visible(note)}" for note in report.notes),
    ]
    return "\n\n".join(block for block in blocks if block)


def brief_text(report: PredictReport) -> str:
    """The predictions alone."""
    return "\n".join(visible(label) for label in report.predictions)


def csv_text(report: PredictReport) -> str:
    """One row a sample: its number, the prediction, the truth if known, and the scores."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    header = ["row", "predicted"]
    if report.truth is not None:
        header.append("truth")
    scores = _score_rows(report)
    if report.scores is not None:
        classes = report.model.classes or []
        header += ["score"] if len(classes) == 2 else [f"score {label}" for label in classes]
    writer.writerow(header)
    for row, label in enumerate(report.predictions):
        truth = [] if report.truth is None else [report.truth[row]]
        writer.writerow([row + 1, label, *truth, *scores[row]])
    return content.getvalue()


def _score_rows(report: PredictReport) -> list[list[float]]:
    if report.scores is None:
        return [[] for _ in report.predictions]
    return [score if isinstance(score, list) else [score] for score in report.scores]


def _model_text(model: ModelSummary) -> str:
    used = f"{model.n_used} of {counted(model.n_features, 'feature')}"
    lines = [f"Model     {model.file}: {model.estimator}, uses {used}"]
    if model.classes is not None:
        shown = ", ".join(cut(label, 16) for label in model.classes[:_MOST_CLASSES])
        more = len(model.classes) - _MOST_CLASSES
        lines.append(f"Classes   {shown}" + (f" and {more} more" if more > 0 else ""))
    return "\n".join(lines)


def _counts_text(report: PredictReport) -> str:
    if report.model.classes is None:
        low, high = min(report.predictions), max(report.predictions)
        return f"Predicted values lie between {low:.4g} and {high:.4g}."
    rows = [
        [cut(label, 24), str(report.predictions.count(label))] for label in report.model.classes
    ]
    return aligned([["predicted", "samples"], *rows])


def _errors_text(comparison: Comparison | None, n_samples: int, model: ModelSummary) -> str:
    if comparison is None:
        return ""
    if comparison.rms_error is not None:
        return f"Root-mean-square error  {comparison.rms_error:.4g}"
    header = [f"{cut(comparison.target, 24)}, predicted as:"]
    header += [cut(label, 16) for label in model.classes]
    rows = [
        [cut(label, 24), *map(str, counts)]
        for label, counts in zip(comparison.labels, comparison.confusion, strict=True)
    ]
    return (
        f"Error     {comparison.n_errors} of {counted(n_samples, 'sample')} "
        f"({percent(comparison.error)}); balanced {percent(comparison.balanced_error)}\n\n"
        f"{aligned([header, *rows])}"
    )
