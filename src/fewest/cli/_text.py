"""The report for a reader at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fewest import _wording as wording
from fewest._wording import counted, cut, visible
from fewest.cli._emphasis import as_header, dim
from fewest.cli._settings import METHODS, Settings
from fewest.cli.report import (
    Certificate,
    CrossValidation,
    DataSummary,
    Feature,
    Machine,
    Report,
    Seconds,
    Spread,
)

_LONGEST_LABEL = 16
_MOST_CLASSES = 12


def data_text(data: DataSummary) -> str:
    """What was read: printed before the work starts."""
    classes = ", ".join(
        f"{cut(entry.label, _LONGEST_LABEL)} ({entry.n_samples})"
        for entry in data.classes[:_MOST_CLASSES]
    )
    if len(data.classes) > _MOST_CLASSES:
        classes += f" and {len(data.classes) - _MOST_CLASSES} more"
    lines = [
        f"Data      {data.origin}: {counted(data.n_samples, 'sample')}, "
        f"{counted(data.n_features, 'feature')}",
        f"Classes   {classes}",
    ]
    if data.dropped:
        lines.append(f"Left out  {', '.join(cut(name) for name in data.dropped)}")
    return "\n".join([*lines, *(dim(f"Note      {visible(note)}") for note in data.notes)])


def method_text(settings: Settings) -> str:
    """The method and its C, where that was given."""
    cost = "" if settings.C is None else f", C = {settings.C:g}"
    threshold = "" if settings.epsilon is None else f", epsilon = {settings.epsilon:g}"
    return f"Method    {METHODS[settings.method]}{cost}{threshold}"


def result_text(report: Report) -> str:
    """Everything after the data: features, errors, certificate, time."""
    blocks = [
        _chosen_text(report),
        *(_machine_text(machine, report) for machine in report.machines),
        _legend(report),
        _errors_text(report),
        _certificates_text(report),
    ]
    return report_text(blocks, report)


def names_text(report: Report) -> str:
    """The selected features only, one a line."""
    return "\n".join(visible(name) for name in report.selected)


def _chosen_text(report: Report) -> str:
    if report.chosen_C is None:
        return ""
    return f"Chosen C: {report.chosen_C:.4g}, by an inner cross-validation"


def _machine_text(machine: Machine, report: Report) -> str:
    number = len(machine.features)
    of_all = f"{number} of {counted(report.data.n_features, 'feature')}"
    title = f"Selected: {of_all}"
    if machine.negative_class is None:
        title = f"Class {cut(machine.positive_class)} against the rest: {of_all}"
    if not number and report.parameters.method == "psvm":
        return f"{title}\n  None: no feature is that correlated with the class. Lower --epsilon."
    if not number:
        advice = " Raise --C." if report.parameters.C is not None else ""
        return f"{title}\n  None: a training error is cheaper than a feature.{advice}"
    return f"{title}\n{_feature_table(machine, report)}"


def _feature_table(machine: Machine, report: Report) -> str:
    folds = report.cross_validation
    labels = [entry.label for entry in report.data.classes]
    if machine.negative_class is None:
        labels = [machine.positive_class, "rest"]
    header = ["feature", "weight", *(f"mean {cut(label, _LONGEST_LABEL)}" for label in labels)]
    rows = [
        [
            cut(feature.name),
            wording.four_digits(feature.weight),
            *map(wording.four_digits, _means(feature, machine, report)),
        ]
        for feature in machine.features
    ]
    if folds is not None:
        header.append("folds")
        for row, feature in zip(rows, machine.features, strict=True):
            row.append(f"{feature.folds_selected}/{len(folds.folds)}")
    return aligned([header, *rows])


def _means(feature: Feature, machine: Machine, report: Report) -> list[float]:
    if machine.negative_class is not None:
        return feature.class_means
    labels = [entry.label for entry in report.data.classes]
    return [feature.class_means[labels.index(machine.positive_class)], feature.rest_mean]


def _legend(report: Report) -> str:
    if not report.selected:
        return ""
    first = report.machines[0]
    favoured = "that class" if first.negative_class is None else cut(first.positive_class)
    lines = [
        f"Weights are for features divided by their standard deviations; above zero speaks for "
        f"{favoured}.",
        "Means are of the values in the data.",
    ]
    if report.cross_validation is not None:
        lines[-1] += " Folds: how many of them selected the feature too."
    return "\n".join(lines)


def _errors_text(report: Report) -> str:
    training = report.training
    lines = [
        f"Training error          {training.n_errors} of "
        f"{counted(report.data.n_samples, 'sample')} ({percent(training.error)})"
    ]
    if report.cross_validation is not None:
        lines.append(_validation_text(report.cross_validation, len(report.data.classes)))
    return "\n".join(lines)


def _validation_text(validation: CrossValidation, n_classes: int) -> str:
    folds = counted(validation.n_folds, "fold")
    if validation.n_repeats > 1:
        folds += f" {validation.n_repeats} times"
    return "\n".join(
        [
            f"Cross-validated error   balanced {_spread(validation.balanced_error)}, "
            f"plain {_spread(validation.error)}; {folds}",
            f"  Features were selected anew in every fold: {validation.n_features.mean:.1f} on "
            f"average.",
            f"  Guessing has a balanced error of {percent(1 - 1 / n_classes)}.",
        ]
    )


def _certificates_text(report: Report) -> str:
    program = "quadratic" if report.parameters.method == "psvm" else "first linear"
    lines = [f"Certificate of the {program} program, over all features"]
    for machine in report.machines:
        indent = "  "
        if machine.negative_class is None:
            lines.append(f"  Class {cut(machine.positive_class)} against the rest")
            indent = "    "
        lines += [f"{indent}{line}" for line in _certificate_lines(machine.certificate)]
    lines.append("  It proves this program's optimum, not that no smaller set of features exists.")
    return "\n".join(lines)


def _certificate_lines(certificate: Certificate) -> list[str]:
    wrong = certificate.samples_on_wrong_side
    side = "no training error"
    if wrong:
        side = f"{counted(wrong, 'training sample')} on the wrong side"
    if certificate.samples_inside_margin is not None:
        side += f", {certificate.samples_inside_margin} inside the margin"
    return [
        f"objective {certificate.objective:.8g}, proven lower bound {certificate.lower_bound:.8g}, "
        f"relative gap {certificate.relative_gap:.1g}",
        f"{counted(certificate.pricing_rounds, 'pricing round')}; selection: {side}",
    ]


def report_text(blocks: list[str], report: Any) -> str:
    """What a command prints at the end: its own blocks, the time it took, and notes."""
    whole = [*blocks, time_text(report.seconds), notes_text(report.notes)]
    return "\n\n".join(block for block in whole if block)


def notes_text(notes: Sequence[str]) -> str:
    """Each note in a line."""
    return dim("\n".join(f"Note: {visible(note)}" for note in notes))


def time_text(seconds: Seconds) -> str:
    """How long each part took."""
    parts = [f"reading {seconds.reading:.2f} s", f"fitting {seconds.fitting:.2f} s"]
    if seconds.cross_validation is not None:
        parts.append(f"cross-validation {seconds.cross_validation:.2f} s")
    return dim(f"Time: {', '.join(parts)}")


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """First column to the left, the others to the right; the first row is the header."""
    first, *lines = wording.aligned(rows).split("\n")
    return "\n".join([as_header(first), *lines])


def _spread(spread: Spread) -> str:
    return f"{percent(spread.mean)} (sd {percent(spread.sd)})"


def percent(share: float) -> str:
    """'12.5 %'."""
    return f"{100 * share:.1f} %"
