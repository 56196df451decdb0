"""A judged panel as text for the terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from fewest._estimators.uncertainty import Interval
from fewest._wording import aligned, counted, cut, listed, percent
from fewest.panels._carry_over import CarriedOver
from fewest.panels._errors import Difference, PanelError, bracketed
from fewest.panels._result import ChosenPanel, PanelReport, RandomPanels

_LONGEST_CLASSIFIER = 60
_WIDTH = 98
_MOST_SHIFTS = 5  # classes whose shifts have room beside each other


def report_text(found: PanelReport) -> str:
    """All parts, with a sentence on what each of them means."""
    blocks = [
        _head_text(found),
        _wrap(say_origin(found)),
        _features_text(found),
        _stand_ins_text(found),
        _others_text(found),
        str(found.statements),
        "" if found.against is None else _second_text(found.against),
        "\n".join(f"Left out: {reason}." for reason in found.left_out),
    ]
    return "\n\n".join(block for block in blocks if block)


def _wrap(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _head_text(found: PanelReport) -> str:
    folds = counted(found.n_folds, "fold")
    if found.n_repeats > 1:
        folds += f", drawn {found.n_repeats} times"
    out = "samples" if found.n_groups is None else f"{found.n_groups} groups"
    beside = "\n" if found.errors.caveat else " "
    lines = [
        f"Panel of {counted(len(found.names), 'feature')}: {listed(found.names, 10)}",
        f"Judged by {cut(found.classifier, _LONGEST_CLASSIFIER)} on {out} left out in {folds}",
        f"Balanced error {percent_of(found.errors)},{beside}"
        f"{100 * found.confidence:.0f} % interval {span(found.errors.interval)}",
    ]
    return "\n".join([*lines, _class_table(found.errors)])


def percent_of(errors: PanelError) -> str:
    """'19.6 % (optimistic if the panel was chosen on these samples)'."""
    return f"{percent(errors.balanced_error)}{bracketed(errors.caveat)}"


def say_origin(found: PanelReport) -> str:
    """What is known about where the panel comes from, and what that means for its error."""
    if found.chosen_elsewhere:
        return (
            "The panel was chosen without these samples, as was said, so its error is that of new "
            "samples."
        )
    if found.choice is None:
        return (
            "The folds judge the classifier, not the choice of the panel. If the panel was chosen "
            "on these samples, its error is too small; the error with the choice repeated in every "
            "fold needs the method that chose it. If it was chosen without them, say so."
        )
    if not found.choice.is_given:
        return (
            f"On these samples {found.choice.method} chooses other features "
            f"({listed(found.choice.features, 8)}), so its error is not that of this panel. If "
            "this panel was chosen on these samples, its error is too small; if it was chosen "
            "without them, say so."
        )
    return (
        f"In every fold {found.choice.method} chose a panel again, and the classifier was judged "
        "on that one: expect this error of new samples. The panel as given, the same in all folds, "
        f"has an error of {percent_of(found.as_given)}."
    )


def _class_table(errors: PanelError) -> str:
    rows = [["", "samples", "error", "interval", "confused with"]]
    for one in errors.classes:
        rival = "" if one.confused_with is None else cut(one.confused_with, 16)
        known = ["-", "-"]
        if one.error is not None and one.interval is not None:
            known = [percent(one.error), span(one.interval)]
        rows.append([cut(one.label, 24), str(one.n_samples), *known, rival])
    return aligned(rows)


def span(interval: Interval | None) -> str:
    """'1.5 % to 11.0 %'."""
    if interval is None:
        return "none: too few groups"
    return f"{percent(interval.low)} to {percent(interval.high)}"


def plus_minus(difference: Difference) -> str:
    """'+3.1 % +- 1.2 %'."""
    return f"{100 * difference.value:+.1f} % +- {100 * difference.standard_error:.1f} %"


def _features_text(found: PanelReport) -> str:
    rows = [["", "error without it", "it adds"]]
    rows += [
        [cut(one.name), percent(one.error_without), plus_minus(one.adds)] for one in found.features
    ]
    units = "samples" if found.n_groups is None else "groups"
    mark = "".join(f"\nBoth are {one}." for one in [found.as_given.caveat] if one)
    return (
        f"{aligned(rows)}\nit adds: how much larger the balanced error is without it, on the same "
        f"folds; +- one standard\nerror over the {units}.{mark}"
    )


def _stand_ins_text(found: PanelReport) -> str:
    rows = [["in place of", "stand-in", "correlation", "error", "costs"]]
    for one in found.features:
        rows += [
            [
                cut(one.name, 24) if not place else "",
                cut(other.name, 24),
                f"{other.correlation:+.2f}",
                percent(other.balanced_error),
                plus_minus(other.costs),
            ]
            for place, other in enumerate(one.stand_ins)
        ]
    if len(rows) == 1:
        return ""
    return (
        f"{aligned(rows)}\nThe best of a few candidates that were found on all samples: their "
        "errors are optimistic, as those\nof any panel chosen on its samples."
    )


def name_choice(found: PanelReport) -> str:
    """What the panel that a method chooses in every fold is called beside the given one."""
    if found.choice is None or found.choice.is_given:
        return "its choice repeated"
    return f"chosen by {found.choice.method}"


def _others_text(found: PanelReport) -> str:
    rows: list[list[str]] = [["balanced error", "", "interval", "panel minus this"]]
    given = found.as_given
    rows.append(["panel as given", percent(given.balanced_error), span(given.interval), ""])
    for name, other in (("best of this size", found.best), (name_choice(found), found.choice)):
        if other is not None:
            errors = other.errors
            row = [percent(errors.balanced_error), span(errors.interval)]
            rows.append([name, *row, plus_minus(other.difference)])
    lines = []
    if found.random is not None:
        rows.append(["random ones (median)", percent(found.random.median), "", ""])
        lines.append(_random_line(found.random))
    if len(rows) == 2:
        return ""
    if given.caveat:
        lines.insert(0, f"The error of the panel as given is {given.caveat}.")
    if found.best is not None:
        lines.append(_best_line(found.best, len(found.names)))
    return "\n".join([aligned(rows), *lines])


def _random_line(random: RandomPanels) -> str:
    n_panels = len(random.errors)
    n_as_good = round(random.share_as_good * (n_panels + 1)) - 1
    return (
        f"{n_as_good or 'None'} of {counted(n_panels, 'random panel')} of this size did as well "
        f"({percent(random.share_as_good)} with this one counted)."
    )


def _best_line(best: ChosenPanel, size: int) -> str:
    return _wrap(
        f"Best of this size: at most {counted(size, 'feature')}, chosen inside the folds; on all "
        f"samples {listed(best.features, 10)}."
    )


def _second_text(found: CarriedOver) -> str:
    groups = "" if found.n_groups is None else f" in {counted(found.n_groups, 'group')}"
    lines = [f"Second data set, {counted(found.n_samples, 'sample')}{groups}"]
    for missing in found.missing:
        near = f" (near: {listed(missing.near)})" if missing.near else ""
        lines.append(f"  It lacks {cut(missing.name)}{near}.")
    if found.missing:
        lines.append(f"  Classifiers were fitted to the others: {listed(found.features, 10)}.")
    judged = {
        "as fitted to the first": found.as_fitted,
        "each standardised by itself": found.rescaled,
        "trained and judged there": found.retrained,
    }
    rows = [
        ["balanced error", "", "interval", *(cut(one.label, 12) for one in found.as_fitted.classes)]
    ]
    for name, errors in judged.items():
        if errors is not None:
            by_label = {one.label: one.error for one in errors.classes}
            shares = [by_label.get(one.label) for one in found.as_fitted.classes]
            row = [percent(errors.balanced_error), span(errors.interval)]
            rows.append([name, *row, *("-" if s is None else percent(s) for s in shares)])
    lines += [aligned(rows), _shift_table(found), *found.notes]
    return "\n".join(lines)


def _shift_table(found: CarriedOver) -> str:
    labels = [one.label for one in found.as_fitted.classes]
    shown = labels if len(labels) <= _MOST_SHIFTS else []
    rows = [["shift", "all", *(cut(label, 12) for label in shown), "scale"]]
    for one in found.shifts:
        scales = [of_class.scale for of_class in one.classes if of_class.scale is not None]
        cells = [_signed(of_class.shift) for of_class in one.classes][: len(shown)]
        scale = f"{sum(scales) / len(scales):.2f}" if scales else "-"
        rows.append([cut(one.name), _signed(one.overall), *cells, scale])
    return (
        f"{aligned(rows)}\nshift: mean of a class minus that in the first data set, in standard "
        "deviations within the classes\nof the first. scale: standard deviation of a class divided "
        "by that in the first data set, mean of the classes."
    )


def _signed(value: Any) -> str:
    return "-" if value is None else f"{value:+.2f}"
