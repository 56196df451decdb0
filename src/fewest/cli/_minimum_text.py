"""The certified minimum for a reader at a terminal."""

from __future__ import annotations

from typing import Any, cast

from fewest._wording import counted, cut, listed
from fewest.cli._emphasis import aligned
from fewest.cli._near_text import near_text
from fewest.report._trust_content import ErrorFrontPoint, Minimum
from fewest.report.content import Content

_MOST_SETS = 20
_MARGIN = (
    "Margin: from the boundary to the closest sample, in standard deviations; the larger, the "
    "clearer."
)


def minimum_blocks(content: Content, *, verbose: bool) -> list[str]:
    """The smallest sets and what was checked; how they were searched for, if that is wanted."""
    # In the result of a machine the smallest set stands beside the answer, on the page.
    if content.answer is not None or not content.trust.minima:
        return []
    (found,) = content.trust.minima
    n_classes, near = len(content.data.classes), content.trust.near_optimal
    if found.size is None:
        return [_inseparable_text(found)]
    return [
        _smallest_text(found, n_classes),
        _sets_text(found) if near is None else near_text(near, has_prices=found.price is not None),
        _search_table(found) if verbose else "",
        _proof_text(found, verbose=verbose),
    ]


def _inseparable_text(found: Minimum) -> str:
    """All classes together, where only some of them can be separated from the rest."""
    if not found.inseparable:
        return (
            "All classes together: no set that separates every two of them was found in time. "
            "Raise --max-seconds."
        )
    pairs = [f"{cut(one)} and {cut(other)}" for one, other in found.inseparable]
    return f"All classes together: no set of features separates {listed(pairs)} (proven)."


def _smallest_text(found: Minimum, n_classes: int) -> str:
    size = counted(found.size or 0, "feature")
    if found.included:
        size += f" besides {listed(found.included)}"
    if n_classes > 2:
        size += f" for every two of the {n_classes} classes"
    if found.max_errors:
        size += f" with at most {counted(found.max_errors, 'error')}"
    if found.price is not None:
        return _cheapest_text(found, size)
    if found.certified:
        meaning = ": no smaller set does it." if found.size else ""
        return f"Smallest set: {size}, certified{meaning}"
    return (
        f"Smallest set known: {size}; proven: at least {found.lower_bound}. "
        "The search ended before the rest was decided."
    )


def _cheapest_text(found: Minimum, size: str) -> str:
    if found.certified:
        return f"Cheapest set: price {found.price:g} ({size}), certified: no cheaper set does it."
    return (
        f"Cheapest set known: price {found.price:g} ({size}); proven: at least "
        f"{found.price_bound:g}. The search ended before the rest was decided."
    )


def _sets_text(found: Minimum) -> str:
    shown = found.sets[:_MOST_SETS]
    rows = [[", ".join(map(cut, one.features)) or "none", f"{one.margin:.3g}"] for one in shown]
    header = ["features", "margin"]
    if found.max_errors:
        header.append("wrong samples, counted from 1")
        for row, one in zip(rows, shown, strict=True):
            row.append(", ".join(str(sample + 1) for sample in one.wrong) or "none")
    alike = "of this size" if found.price is None else "of this price"
    known = f"{counted(found.n_found, 'set')} {alike}"
    how_many = f"There {'is' if found.n_found == 1 else 'are'} exactly {known}."
    if not found.complete:
        how_many = f"Found: {known}; there may be more (see --solutions)."
    if len(shown) < found.n_found:
        how_many += f" Shown: {len(shown)}."
    return f"{aligned([header, *rows])}\n{how_many}\n{_MARGIN}"


def _search_table(found: Minimum) -> str:
    has_prices = found.price is not None
    counted_by = "price up to" if has_prices else "size"
    header = [counted_by, "sets", "bit tests", "passed", "linear programs", "separate", ""]
    rows = []
    for step in found.searched:
        counts = (step.n_sets, step.n_tested, step.n_survivors, step.n_settled, step.n_found)
        numbers = [f"{count:,}" for count in counts]
        limit = f"{cast(Any, step).price:.6g}" if has_prices else str(step.size)
        rows.append([limit, *numbers, "" if step.complete else "ended early"])
    return aligned([header, *rows])


def _proof_text(found: Minimum, *, verbose: bool) -> str:
    what = "separate the classes"
    if found.max_errors:
        what = f"leave no more than {counted(found.max_errors, 'sample')} wrong"
    if found.verified and not verbose:
        return f"Checked in exact arithmetic: these features {what}."
    checked = "hold" if found.verified else "DO NOT HOLD"
    return (
        f"Proofs that the sets above {what}, and {len(found.ruled_out)} that others "
        f"do not, {checked} in exact arithmetic"
    )


def _say_proof(point: ErrorFrontPoint) -> str:
    if point.proven:
        return "proven"
    if point.price_bound is not None:
        return f"proven: price at least {point.price_bound:g}"
    return f"proven: at least {point.lower_bound}"


def front_blocks(content: Content, *, verbose: bool) -> list[str]:
    """The fewest errors for each number of features."""
    found = content.trust.error_front
    if found is None:
        return []
    counted_by = "price" if found.has_prices else "features"
    rows = [[counted_by, "errors", "", "a set that leaves so few"]]
    for point in found.points:
        names = ", ".join(map(cut, point.sets[0].features)) or "none"
        place = f"{point.price:g}" if found.has_prices else f"at most {point.size}"
        rows.append([place, str(point.errors), _say_proof(point), names])
    checked = "hold" if found.verified else "DO NOT HOLD"
    title = "Fewest training errors for each number of features"
    if found.has_prices:
        most = counted(found.max_features, "feature")
        title = f"Lowest price for each number of training errors, up to {most}"
    if found.included:
        title += f", besides {listed(found.included)}"
    if found.has_prices and not found.proven:
        title += "\nThe search ended before all of it was decided."
    proofs = (
        f"Proofs of these errors, and {found.n_ruled_out} vectors that rule out others, "
        f"{checked} in exact arithmetic"
    )
    if found.verified and not verbose:
        proofs = "Checked in exact arithmetic: these sets leave so few errors."
    return [f"{title}\n{aligned(rows)}", proofs]
