"""Methods on the same folds, and the learning curve, for a reader at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fewest._wording import counted, cut, percent, signed_points, visible
from fewest.cli._emphasis import aligned

if TYPE_CHECKING:
    from fewest._estimators.uncertainty import Interval
    from fewest.report.content import Content
    from fewest.significance import ComparedMethod


def comparison_blocks(content: Content) -> list[str]:
    """One line per method, and what to keep in mind; nothing if none was asked for."""
    found = content.comparison
    if found is None:
        return []
    first, *_ = found.methods
    header = [
        "method",
        "features",
        "balanced error",
        "interval",
        f"minus {cut(first.name)}",
        "interval",
        "stability",
    ]
    rows = [_row(one) for one in found.methods]
    n_folds = found.n_folds * found.n_repeats
    failed = [
        f"{visible(one.name)} failed in {one.n_failed} of {counted(n_folds, 'fold')}: "
        f"{visible(one.failures[0].text)}."
        for one in found.methods
        if one.failures
    ]
    warned = [
        f"{visible(one.name)}, {counted(note.n_folds, 'fold')}: {visible(note.text)}."
        for one in found.methods[1:]
        for note in one.warnings
    ]
    level = f"{100 * found.confidence:g} %"
    return [
        f"Other methods on the same folds\n\n{aligned([header, *rows])}",
        "\n".join(
            [
                *failed,
                *warned,
                f"Differences are in percentage points, paired by sample ({level} intervals, wider "
                "because training\nsets overlap); one that includes 0 shows no "
                f"difference.{_explain_same(found.methods)}",
                *_explain_repeats(found.n_repeats),
                found.caution,
            ]
        ),
    ]


def learning_blocks(content: Content) -> list[str]:
    """Errors by number of training samples, below what follows from them."""
    found = content.learning_curve
    if found is None:
        return []
    header = ["training samples", "balanced error", "interval", "features"]
    rows = [
        [
            f"{point.n_train:.0f}",
            percent(point.error),
            _shares(point.interval),
            "-" if point.n_features is None else f"{point.n_features:.1f}",
        ]
        for point in found.points
    ]
    repeats = (
        f"Means over {counted(found.n_repeats, 'repeat')} with other folds and parts of the "
        "samples: the last line may differ from the error above."
    )
    left_out = [f"Left out: {visible(text)}." for text in found.left_out]
    table = "\n".join([aligned([header, *rows]), repeats, *left_out])
    return [f"Would more samples help?\n\n{found.verdict}\n\n{table}"]


def _explain_same(methods: tuple[ComparedMethod, ...]) -> str:
    if not any(one.predicts_alike for one in methods):
        return ""
    return " Same: it erred on the very same samples."


def _explain_repeats(n_repeats: int) -> list[str]:
    if n_repeats == 1:
        return []
    return [
        f"Errors are means over all {n_repeats} repeats; the one at the top is of the first repeat."
    ]


def _row(one: ComparedMethod) -> list[str]:
    if one.balanced_error is None:
        return [cut(one.name), "failed", *["-"] * 5]
    between = one.difference_interval
    return [
        cut(one.name),
        "-" if one.n_features is None else f"{one.n_features:.1f}",
        percent(one.balanced_error),
        _shares(one.interval),
        "-" if one.difference is None else signed_points(one.difference),
        _points(between) if between is not None else "same" if one.predicts_alike else "-",
        "-" if one.stability is None else f"{one.stability:.2f}",
    ]


def _points(interval: Interval) -> str:
    return f"{signed_points(interval.low)} to {signed_points(interval.high)}"


def _shares(interval: Interval | None) -> str:
    if interval is None:  # too few groups
        return "-"
    return f"{percent(interval.low)} to {percent(interval.high)}"
