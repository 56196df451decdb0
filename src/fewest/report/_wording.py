"""The sentences of a report: what each number means, in few words."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from fewest import _wording
from fewest._wording import counted, four_digits
from fewest.report.content import Content, Minimum, Permutation, Separability, Validation

# Characters that turn the reading direction of what follows them.
_TURNS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_SPELLED_OUT = ("Cc", "Cs", "Zl", "Zp")

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ENDINGS = {
    "repetitions": "More subsets may follow: the report stops here.",
    "inseparable": "The features that are left do not separate the classes any more.",
    "training error": "The next subset would leave too many training errors.",
    "features used up": "Too few features are left for another subset.",
    "nothing selected": "An error is cheaper than any feature that is left.",
    "interrupted": "The search was interrupted.",
}


@dataclass(frozen=True)
class Fact:
    """A number, what it is called, and what it means."""

    name: str
    shown: str
    meaning: str


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


def number(value: float | None) -> str:
    """Four digits, or a dash."""
    return "–" if value is None else four_digits(value).replace("-", "−")


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


def facts(content: Content) -> list[Fact]:
    """The few numbers at the top of the page."""
    trust = content.trust
    found = [_selected(content)]
    if trust.validation is not None:
        found.append(_error(trust.validation))
    if trust.permutation is not None:
        found.append(_p_value(trust.permutation))
    if len(trust.minima) == 1:
        found.append(_smallest(trust.minima[0], content.said.n_selected))
    if trust.stability is not None:
        found.append(
            Fact(
                "Stability",
                f"{trust.stability.index:.2f}".replace("-", "−"),
                "How alike the selections of the folds are: 1 for the same features, 0 for "
                "features drawn at random.",
            )
        )
    return found


def _selected(content: Content) -> Fact:
    training, n_samples = content.said.training, content.data.n_samples
    meaning = f"of {content.data.n_features:,} are used; all others could be left unmeasured."
    if training is not None:
        errors = training.n_errors
        meaning += (
            f" With them {errors or 'none'} of the {n_samples} samples at hand "
            f"{'is' if errors == 1 else 'are'} on the wrong side."
        )
    return Fact("Selected features", f"{content.said.n_selected:,}", meaning)


def _error(found: Validation) -> Fact:
    interval = found.interval
    meaning = (
        f"{found.n_errors or 'None'} of {len(found.true)} samples "
        f"{'was' if found.n_errors == 1 else 'were'} wrong when left out of selection and fit. "
        f"{100 * interval.confidence:.0f} % interval: {percent(interval.low)} to "
        f"{percent(interval.high)}."
    )
    return Fact("Error on new samples", percent(found.error), meaning)


def interval_caution(found: Validation, *, grouped: bool) -> str:
    """What the interval of the error covers, and what it does not."""
    text = (
        "Wilson's interval for a share, over all held-out predictions. It takes them as "
        "independent, and does not count that other samples would have led to other features: "
        "the truth is somewhat less certain."
    )
    if grouped:
        text += " Samples of a group go together, so the interval is too narrow here."
    return text


def _p_value(found: Permutation) -> Fact:
    as_good = round(found.p_value * (found.n_permutations + 1)) - 1
    return Fact(
        "Chance",
        f"p = {found.p_value:.2g}",
        f"{as_good or 'None'} of {found.n_permutations} random labellings of the same samples did "
        "as well. The smaller p, the less it looks like chance.",
    )


def _smallest(found: Minimum, n_selected: int) -> Fact:
    return Fact("Smallest possible set", smallest_shown(found), smallest_meaning(found, n_selected))


def smallest_shown(found: Minimum) -> str:
    """A number, or what is known of it."""
    if found.size is None:
        return "none" if found.certified else "not found"
    if found.certified:
        return f"{found.size}"
    return f"{found.lower_bound} to {found.size}"


def smallest_meaning(found: Minimum, n_selected: int | None = None) -> str:
    """What is proven, in one or two sentences."""
    if found.size is None:
        return (
            "No set of features separates the classes without error; this is proven."
            if found.certified
            else "No set of features that separates the classes was found, nor a proof that there "
            "is none."
        )
    size = counted(found.size, "feature")
    if not found.certified:
        return (
            f"{size} are known to separate these samples without error, and fewer than "
            f"{found.lower_bound} never do (proven). The search ended after {found.seconds:.0f} s."
        )
    text = f"{size} can separate these samples without error, fewer cannot: proven, not estimated."
    if n_selected is not None and n_selected > found.size:
        text += " Fewer features need not be better on new samples."
    return text


def ending(reason: str | None) -> str:
    """Why there are no more subsets."""
    return _ENDINGS.get(reason or "", "")


def separability_meaning(content: Content) -> str:
    """How likely so few random features separate coin flips."""
    found = content.trust.separability
    if found is None:
        return ""
    size, before = found.n_selected, ""
    if not separates(content):
        before = (
            "The selected features leave samples on the wrong side. The theory is of sets that "
            "separate all samples, and says nothing about these. "
        )
        known = [one.size for one in content.trust.minima if one.size is not None]
        if not known:
            return before.rstrip()
        size, before = known[0], before + "Of the smallest possible set it does. "
    return before + _chance_of(size, found)


def separates(content: Content) -> bool:
    """Whether the selected features are known to leave no sample on the wrong side."""
    training = content.said.training
    return training is not None and training.n_errors == 0


def _chance_of(size: int, found: Separability) -> str:
    point = next((p for p in found.points if p.n_features == size), found.points[-1])
    what = (
        f"{point.n_features} of {found.n_features:,} independent random features separate "
        f"{found.n_samples} samples with random classes"
    )
    if point.log10_upper >= -0.3:
        return f"In theory, {what} quite possibly: a perfect fit alone proves nothing here."
    if point.log10_upper < -4:
        return f"In theory, {what} with a probability below 10^{math.ceil(point.log10_upper)}."
    return f"In theory, {what} with a probability of at most {10**point.log10_upper:.2g}."
