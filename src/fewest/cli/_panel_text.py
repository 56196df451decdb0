"""One panel of features for many classes, and the errors of every class, at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from fewest._estimators.uncertainty import CONFIDENCE, Interval
from fewest._wording import counted, cut, cut_apart, four_digits, percent
from fewest.cli._emphasis import aligned
from fewest.report._trust_content import ClassErrors, Validation
from fewest.report._wording import confused_pair
from fewest.report.content import Content, Panel, PanelFeature

_LONGEST_LABEL = 16
_MOST_NAMED = 2  # classes that a feature speaks for
_MOST_MEANS = 5  # classes whose means have room beside the weights
_MOST_FEATURES = 40
_MOST_CLASSES = 12
_MOST_PAIRS = 3


def no_feature_text(content: Content) -> str:
    """Why nothing was selected, and what to do about it."""
    advice = "" if content.question.chosen else " Raise --C."
    return f"  None: a training error is cheaper than a feature.{advice}"


def panel_text(content: Content, panel: Panel) -> str:
    """The features with the classes that they speak for."""
    n_classes, number = len(panel.classes), len(panel.features)
    title = (
        f"Selected: {number} of {counted(content.data.n_features, 'feature')}, for {n_classes} "
        "classes together"
    )
    if not number:
        return f"{title}\n{no_feature_text(content)}"
    validation = content.trust.validation
    short = dict(zip(panel.classes, cut_apart(panel.classes, _LONGEST_LABEL), strict=True))
    shown = panel.features[:_MOST_FEATURES]
    names = cut_apart([feature.name for feature in shown])
    header = ["feature", "weight", "speaks for", "against"]
    if n_classes <= _MOST_MEANS:
        header += [f"mean {label}" for label in short.values()]
    if validation is not None:
        header.append("folds")

    def row(name: str, feature: PanelFeature) -> list[str]:
        cells = [name, four_digits(max(feature.weights))]
        cells += [_some([short[one] for one in feature.speaks_for])]
        cells += [_some([short[one] for one in feature.speaks_against])]
        if n_classes <= _MOST_MEANS:
            cells += map(four_digits, feature.class_means)
        if validation is not None:
            cells.append(f"{feature.folds_selected}/{len(validation.folds)}")
        return cells

    lines = [title, aligned([header, *map(row, names, shown)])]
    if number > _MOST_FEATURES:
        lines.append(f"  and {number - _MOST_FEATURES} more: see --json and --report")
    lines += ["", _legend(n_classes, has_folds=validation is not None)]
    return "\n".join(lines)


def _some(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:_MOST_NAMED])
    more = len(labels) - _MOST_NAMED
    return f"{shown} +{more}" if more > 0 else shown


def _legend(n_classes: int, *, has_folds: bool) -> str:
    lines = [
        "A feature speaks for the classes in which its weight is at least half its largest one, "
        "and against",
        "those in which it is as far below zero. Weights are for features divided by their "
        "standard deviations.",
    ]
    more = "Means are of the values in the data." if n_classes <= _MOST_MEANS else ""
    if has_folds:
        more += " Folds: how many of them selected the feature too."
    return "\n".join([*lines, more.strip()]).rstrip()


def class_text(content: Content) -> str:
    """Held-out errors of every class, and the pairs that are confused most; many classes only."""
    found = content.trust.validation
    if found is None or len(found.classes) < 3:
        return ""
    shown = list(found.classes)
    if len(shown) > _MOST_CLASSES:
        shown = sorted(shown, key=lambda one: -(one.error or 0.0))[:_MOST_CLASSES]
    title = f"Cross-validated errors class by class{_of_first_repeat(found)}"
    interval = f"{100 * CONFIDENCE:g} % interval"
    table = aligned(
        [
            ["class", "samples", "errors", "error", interval, ""],
            *map(_class_row, shown),
            [
                "all together",
                str(found.n_judged),
                str(found.n_errors),
                percent(found.error),
                _ends(found.interval),
                "",
            ],
        ]
    )
    lines = [title, table]
    if len(found.classes) > len(shown):
        more = len(found.classes) - len(shown)
        lines.append(f"  and {more} more with smaller errors: see --json and --report")
    return "\n".join([*lines, *_confused_lines(found)])


def _of_first_repeat(found: Validation) -> str:
    return ", the first repeat" if found.n_repeats > 1 else ""


def _class_row(one: ClassErrors) -> list[str]:
    error, interval = "-" if one.error is None else percent(one.error), _ends(one.interval)
    flag = "few samples" if one.is_small else ""
    return [cut(one.label), str(one.n_judged), str(one.n_errors), error, interval, flag]


def _ends(interval: Interval | None) -> str:
    return "-" if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"


def _confused_lines(found: Validation) -> list[str]:
    if not found.confused:
        return ["No two classes were confused."]
    judged = {one.label: one.n_judged for one in found.classes}
    shown = found.confused[:_MOST_PAIRS]
    title = "Confused most" if len(found.confused) > len(shown) else "Confused"
    return [f"{title}:", *(f"  {confused_pair(pair, judged, cut)}" for pair in shown)]
