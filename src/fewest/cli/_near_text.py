"""All sets near the smallest one, as text for the terminal."""

from __future__ import annotations

from fewest._wording import PER_CHOICE, counted, cut, listed
from fewest.cli._emphasis import aligned
from fewest.report._trust_content import NearOptimal

_MOST_SETS, _MOST_FEATURES = 20, 15


def near_text(found: NearOptimal, *, has_prices: bool) -> str:
    """The sets, in how many of them each feature is, and which can replace which."""
    unit = "price" if has_prices else "size"
    more = "" if found.complete else "; there may be more"
    headline = (
        f"within {found.extra:g} of the minimum, of which no part separates the classes{more}"
    )
    if not found.certified:
        headline = "found before the time was up: parts of them may separate the classes, too"
    lines = [f"{counted(found.n_found, 'set')} {headline}."]
    shown = found.sets[:_MOST_SETS]
    rows = [
        [", ".join(map(cut, one.features)), f"{one.price:g}", f"{one.margin:.3g}"] for one in shown
    ]
    lines.append(aligned([["features", unit, "margin"], *rows]))
    if len(shown) < found.n_found:
        lines.append(f"Shown: {len(shown)}.")
    if found.is_per_choice:
        lines.append(PER_CHOICE)
    lines.append(f"In all of them: {listed(found.in_all) if found.in_all else 'no feature'}.")
    if len(found.sets) > 1:
        lines += ["", aligned([["feature", "sets", "can be replaced by"], *_count_rows(found)])]
    return "\n".join(lines)


def _count_rows(found: NearOptimal) -> list[list[str]]:
    """Each feature with the number of its sets, and those that replace it most often first."""
    partners: dict[str, list[tuple[int, str]]] = {}
    for pair in found.exchanges:
        partners.setdefault(pair.one, []).append((-pair.n_pairs, pair.other))
        partners.setdefault(pair.other, []).append((-pair.n_pairs, pair.one))
    return [
        [
            cut(one.name),
            f"{one.n_sets} of {len(found.sets)}",
            listed([name for _, name in sorted(partners.get(one.name, []))], 3) or "no other",
        ]
        for one in found.features[:_MOST_FEATURES]
    ]
