"""The sentences of a report: what each number means, in few words."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from fewest import _wording
from fewest._estimators.certificate import Certificate
from fewest._wording import PER_CHOICE as PER_CHOICE
from fewest.report._trust_content import SMALL_CLASS as SMALL_CLASS
from fewest.report._trust_content import (
    ConfusedPair,
    ErrorFront,
    ErrorFrontPoint,
    Label,
    Minimum,
    Separability,
    Validation,
)
from fewest.report.content import Content

# Characters that turn the reading direction of what follows them.
_TURNS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_SPELLED_OUT = ("Cc", "Cs", "Zl", "Zp")

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TINY_GAP = 1e-6
SEARCH_ENDED = "The search of this page ended there; fewest minimum goes on."
_MOST_PAIRS = 3
MOST_CURVES = 6  # ROC curves of one figure
MOST_HYPERPLANES = 30  # figures of weights
QUOTE_FIRST = (
    "Quote the first of these shares: of all, it came closest on generated data with a known "
    "answer, off by 4 percentage points where the signal was clear, and by 16 where it was weak."
)
ENDINGS = {
    "repetitions": "More subsets may follow: the report stops here.",
    "inseparable": "The features that are left do not separate the classes any more.",
    "training error": "The next subset would leave too many training errors.",
    "features used up": "Too few features are left for another subset.",
    "nothing selected": "An error is cheaper than any feature that is left.",
    "interrupted": "The search was interrupted.",
}


def safe(name: Any) -> str:
    """The name with control characters and changes of direction spelled out.

    Letters of any script and emoji stay as they are, unlike on a terminal.
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if character in _TURNS or unicodedata.category(character) in _SPELLED_OUT
        else character
        for character in str(name)
    )


def percent(share: float) -> str:
    """'6.9 %', without a line break."""
    return _wording.percent(share).replace(" ", "\u202f")


def points_apart(share: float) -> str:
    """A difference of shares in percentage points, with a minus that is as wide as a digit."""
    return _wording.signed_points(share).replace("-", "−")


def number(value: float | None) -> str:
    """Four digits, or a dash."""
    return "–" if value is None else _wording.four_digits(value).replace("-", "−")


def some_of(n_shown: int, n_all: int, what: str = "samples") -> str:
    """A sentence for a figure that does not show all; nothing where it does."""
    if n_shown == n_all:
        return ""
    return f" Shown are {n_shown:,} of {n_all:,} {what}, drawn at random within the classes."


def first_of(n_shown: int, n_all: int) -> str:
    """A sentence for a figure of the first features; nothing where it shows all."""
    return "" if n_all <= n_shown else f" Shown are the {n_shown} features of largest weight."


def panel_proof(found: Certificate) -> str:
    """What is proven about the program that selected a panel."""
    if found.relative_gap <= _TINY_GAP:
        known = "its optimum is proven"
    else:
        known = f"its optimum is proven up to {percent(found.relative_gap)}"
    return (
        "One linear program, in which a feature is paid for once however many classes it serves, "
        f"selected them: {known} over all features. That is no proof that no smaller set exists."
    )


def confused_pairs(found: Validation) -> str:
    """The pairs of classes with the largest shares of errors between them, in a sentence."""
    if not found.confused:
        return "No two classes were confused."
    judged = {one.label: one.n_judged for one in found.classes}
    pairs = [confused_pair(one, judged) for one in found.confused[:_MOST_PAIRS]]
    lead = "Confused most" if len(found.confused) > len(pairs) else "Confused"
    return f"{lead}: {'; '.join(pairs)}."


def confused_pair(
    pair: ConfusedPair, judged: Mapping[Label, int], show: Callable[[Any], str] = safe
) -> str:
    """'3 of 20 A predicted as B, and 1 of 8 the other way round', the larger share first.

    `judged` counts the samples of every class.
    """
    one = (pair.n_one_as_other, judged[pair.one], pair.one)
    other = (pair.n_other_as_one, judged[pair.other], pair.other)
    if one[0] * other[1] < other[0] * one[1]:
        one, other = other, one
    text = f"{one[0]} of {one[1]} {show(one[2])} predicted as {show(other[2])}"
    return text + (f", and {other[0]} of {other[1]} the other way round" if other[0] else "")


def parameter(value: Any) -> str:
    """A parameter of an estimator: numbers in few digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def typeset(text: str) -> str:
    """Powers of ten as one writes them, and no line break within `p = 0.01`."""
    text = text.replace(" = ", "\u00a0=\u00a0")
    return re.sub(
        r"10\^(-?\d+)", lambda found: "10" + found.group(1).translate(_SUPERSCRIPTS), text
    )


def correlation(value: float) -> str:
    """Two digits after the point, with a minus that is as wide as a digit."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def separability_meaning(content: Content) -> str:
    """How likely so few random features separate coin flips."""
    found = content.trust.separability
    if found is None:
        return ""
    size, before = found.n_selected, ""
    if not separates(content):
        before = (
            "The selected features leave samples on the wrong side. The theory applies only to "
            "sets that separate all samples, not to these. "
        )
        known = [one.size for one in content.trust.minima if one.size is not None]
        if not known:
            return before.rstrip()
        size, before = known[0], before + "It does apply to the smallest possible set. "
    return before + _chance_of(size, found, content.data.n_samples)


def compare_sizes(content: Content, n_selected: int | None, found: Minimum) -> str:
    """Why the selection has another number of features than the smallest separating set."""
    if n_selected is None or found.size is None or found.price is not None:
        return ""
    training, size = content.said.training, found.size + len(found.included)
    n_errors = 0 if training is None else training.n_errors
    if n_selected < size and n_errors > found.max_errors:
        wrong = _wording.counted(n_errors, "training sample")
        return f" The selection has fewer, {n_selected}, because it leaves {wrong} wrong."
    if n_selected > size:
        return (
            f" The selection has more, {n_selected}: the method does not search for the smallest "
            "set, and fewer features need not be better on new samples."
        )
    return ""


def say_front(front: ErrorFront, binary: bool) -> str:
    """What the front of features and errors is, and how much of it is proven."""
    wrong = "" if binary else " A sample counts as wrong if any two classes leave it wrong."
    if front.has_prices:
        what = (
            f"What fewer training errors cost, with up to {front.max_features} features. A price "
            "that is proven is the lowest of all sets with so few errors."
        )
    else:
        what = (
            "How many training samples the best hyperplane on so many features leaves wrong. "
            "Proven means that no other set of features leaves fewer."
        )
    end = (
        ""
        if front.proven
        else " The search of this page ended there; what it left open is only bounded."
    )
    return f"{what}{wrong}{end} Errors on new samples are larger."


def say_proof(point: ErrorFrontPoint) -> str:
    """Whether a point of the front is proven, or what is."""
    if point.proven:
        return "proven"
    if point.price_bound is not None:
        return f"bounded: price at least {point.price_bound:g}"
    return f"bounded: at least {point.lower_bound}"


def separates(content: Content) -> bool:
    """Whether the selected features are known to leave no sample on the wrong side."""
    training = content.said.training
    return training is not None and training.n_errors == 0


def _chance_of(size: int, found: Separability, n_samples: int) -> str:
    samples = f"{found.n_samples} samples"
    if found.n_samples < n_samples:
        samples = f"one sample of each of {found.n_samples} groups"
    point = next((p for p in found.points if p.n_features == size), found.points[-1])
    what = (
        f"{point.n_features} of {found.n_features:,} independent random features separate "
        f"{samples} with shuffled classes"
    )
    if point.log10_upper >= -0.3:
        return f"In theory, {what} quite possibly: a perfect fit alone proves nothing here."
    if point.log10_upper < -4:
        return f"In theory, {what} with a probability below 10^{math.ceil(point.log10_upper)}."
    return f"In theory, {what} with a probability of at most {10**point.log10_upper:.2g}."
