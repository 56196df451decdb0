"""Each class against the rest, for a reader at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fewest._wording import aligned, counted, cut, listed, percent, visible
from fewest.cli._emphasis import as_header
from fewest.report._class_content import OneClass, PerClass, SharedFeature
from fewest.report.content import Content

_LONGEST_LABEL = 24
_MOST_NAMES, _MOST_SHARED = 6, 10


def per_class_blocks(content: Content) -> list[str]:
    """A row per class, then what they have in common."""
    found = content.per_class
    if found is None:
        return []
    if any(one.minimum is not None for one in found.classes):
        title, table = "Smallest set of each class against the rest", _minimum_table(found)
        end = (
            "A class may have other smallest sets, and these may share more or fewer features "
            "(--solutions all)."
        )
    else:
        title = "Features that carry information about each class, against the rest"
        table = _informative_table(found)
        end = (
            "Counted are the features that the folds select first, as many as the estimate says; "
            "some of them\nmay be there by chance."
        )
    return [f"{title}\n{table}", f"{total_text(found)}\n{end}"]


def total_text(found: PerClass) -> str:
    """How many different features the classes take, and which ones serve several of them."""
    n_sum = sum(len(one.columns) for one in found.classes)
    text = f"Together: {counted(found.n_distinct, 'different feature')}"
    if not found.shared:
        return f"{text}; no feature serves two classes."
    shown = "; ".join(map(_shared_text, found.shared[:_MOST_SHARED]))
    more = len(found.shared) - _MOST_SHARED
    if more > 0:
        shown += f"; and {more} more"
    number = len(found.shared)
    serve = "serves" if number == 1 else "serve"
    return (
        f"{text} ({n_sum} if each class is counted alone).\n{number} {serve} several classes: "
        f"{shown}."
    )


def _shared_text(one: SharedFeature) -> str:
    return f"{cut(one.name)} ({listed(one.classes, 6)})"


def _minimum_table(found: PerClass) -> str:
    def row(one: OneClass) -> list[str]:
        known = one.minimum
        if known is None or known.size is None:
            return ["-", "", ""]
        proven = "proven" if known.certified else f"at least {known.lower_bound}"
        price = "" if known.price is None else f"{known.price:g}"
        return [str(known.size), proven, price]

    header = ["features", "", "price"]
    has_prices = any(one.minimum and one.minimum.price is not None for one in found.classes)
    if not has_prices:
        return _table(found, header[:2], lambda one: row(one)[:2], "one of the smallest sets")
    return _table(found, header, row, "one of the cheapest sets")


def _informative_table(found: PerClass) -> str:
    def row(one: OneClass) -> list[str]:
        known = one.informative
        if known is None or not known.estimates or one.reason is not None:
            return ["-", "-"]
        return [percent(known.estimates[0].share), str(known.estimates[0].n_features)]

    return _table(found, ["share", "number"], row, "selected first")


def _table(
    found: PerClass, header: Sequence[str], row: Callable[[OneClass], list[str]], last: str
) -> str:
    """Aligned columns, and names (or why there are none) at the end of the line."""
    rows = [["class", "samples", *header]]
    rows += [
        [cut(one.label, _LONGEST_LABEL), str(one.n_samples), *row(one)] for one in found.classes
    ]
    lines = aligned(rows).split("\n")
    width = max(map(len, lines))
    ends = [last, *map(_end_of_row, found.classes)]
    first, *body = [f"{line.ljust(width)}  {end}" for line, end in zip(lines, ends, strict=True)]
    return "\n".join([as_header(first), *body])


def _end_of_row(one: OneClass) -> str:
    few = "  (few samples)" if one.is_small else ""
    if one.reason is not None:
        return f"none: {visible(one.reason)}{few}"
    return (listed(one.features, _MOST_NAMES) or "none") + few
