"""The words of `Diagnosis`."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from fewest._wording import counted

if TYPE_CHECKING:
    from fewest.diagnostics.summary import Diagnosis
    from fewest.significance import PermutedStatistic

_WIDTH = 88
# Distances that vary by less than this share of their mean say little about neighbours.
_CONCENTRATED = 0.1
_SKEWED = 1.0
# P-values above this, although significant, come by chance once in a while.
_WEAK = 0.01


def in_words(found: Diagnosis) -> str:
    """Conclusion first, then what it rests on, then what to beware of."""
    blocks = [
        headline(found),
        _wrapped(conclusion(found)),
        "What it rests on\n" + _listed(evidence(found)),
        "What to know about these data\n" + _listed(geometry(found)),
    ]
    return "\n\n".join(blocks)


def headline(found: Diagnosis) -> str:
    if found.conclusive and _as_far_as_it_goes(found):
        return "Something can be concluded from these data, as far as so few permutations can tell."
    if found.conclusive and found.test.p_value > _WEAK:
        return "Something may be concluded from these data, but the evidence is weak."
    if found.conclusive:
        return "Something can be concluded from these data: the classes differ by more than chance."
    if _too_few_permutations(found):
        return "Nothing can be concluded yet: there were too few permutations."
    return "Nothing can be concluded from these data."


def conclusion(found: Diagnosis) -> str:
    level = f"(p = {found.test.p_value:.2g}, level {found.alpha:g})"
    if found.conclusive and _as_far_as_it_goes(found):
        return (
            f"None of {counted(found.test.n_permutations, 'random labelling')} looked like this, "
            f"and with so few the p-value cannot be smaller {level}. That holds for the data as a "
            "whole; it does not prove each selected feature."
        )
    if found.conclusive:
        seldom = "seldom" if found.test.p_value > _WEAK else "hardly"
        return (
            f"Classes that were assigned at random would {seldom} look like this {level}. That "
            "holds for the data as a whole; it does not prove each selected feature."
        )
    if _too_few_permutations(found):
        least = math.ceil(1.0 / found.alpha - 1e-9) - 1
        return (
            f"With {counted(found.test.n_permutations, 'permutation')} the p-value cannot be below "
            f"{_smallest_p_value(found):.2g} (here it is {found.test.p_value:.2g}), and the level "
            f"is {found.alpha:g}. Take at least {counted(least, 'permutation')}."
        )
    return (
        "Classes that were assigned at random look much the same "
        f"{level}. Features selected here may well have come out by chance, however well they "
        "separate the samples at hand. More samples, or fewer candidates chosen without looking "
        "at the classes, might help."
    )


def _smallest_p_value(found: Diagnosis) -> float:
    return 1.0 / (found.test.n_permutations + 1)


def _as_far_as_it_goes(found: Diagnosis) -> bool:
    """Whether the p-value is as small as so few permutations allow, and would else be weak."""
    smallest = _smallest_p_value(found)
    return smallest > _WEAK and found.test.p_value <= smallest * (1.0 + 1e-9)


def _too_few_permutations(found: Diagnosis) -> bool:
    """Whether even the best outcome would not have been significant."""
    return _smallest_p_value(found) > found.alpha


def evidence(found: Diagnosis) -> list[str]:
    features, error = found.test.features, found.test.error
    permutations = counted(found.test.n_permutations, "permutation")
    lines = []
    if found.separable:
        lines.append(
            f"To separate the {found.n_samples} samples, the Support Feature Machine takes "
            f"{features.observed:.0f} of {found.n_features:,} features; with permuted classes "
            f"{_spread(features)} (p = {features.p_value:.2g}, {permutations})."
        )
    else:
        lines.append(
            "No hyperplane separates the classes without error. Features and errors of the soft "
            f"machine (C = 1) cost {features.observed:.1f} together; with permuted classes "
            f"{_spread(features)} (p = {features.p_value:.2g}, {permutations})."
        )
    if error is not None:
        lines.append(
            f"Balanced error in cross-validation: {error.observed:.0%}; with permuted classes "
            f"{np.median(error.chance):.0%} (p = {error.p_value:.2g})."
        )
    if found.bounds is not None and found.separable:
        lines.append(_chance_line(found))
    return lines


def _spread(comparison: PermutedStatistic) -> str:
    shares = [0.05, 0.5, 0.95]
    low, middle, high = np.quantile(comparison.chance, shares, method="inverted_cdf")
    if low == high:
        return f"{middle:.3g}"
    return f"{middle:.3g}, in nine of ten cases {low:.3g} to {high:.3g}"


def _chance_line(found: Diagnosis) -> str:
    bounds = found.bounds
    subset = f"{bounds.d_star} of {bounds.d:,} independent random features"
    if bounds.upper >= 0.5:
        text = f"Theory gives no comfort: {subset} may well separate {bounds.n} samples by chance"
    elif bounds.upper < 1e-4:
        text = (
            f"In theory, {subset} separate {bounds.n} samples by chance with a probability below "
            f"10^{np.ceil(bounds.log_upper / np.log(10)):.0f}"
        )
    else:
        text = (
            f"In theory, {subset} separate {bounds.n} samples by chance with a probability of "
            f"at most {bounds.upper:.2g}"
        )
    proves = "" if bounds.n > found.vc_dimension else ": fitting them all proves nothing"
    return (
        f"{text}. Machines that choose so few may fit any labels of up to {found.vc_dimension} "
        f"samples (bound on the VC dimension), and there are {bounds.n}{proves}."
    )


def geometry(found: Diagnosis) -> list[str]:
    spread = found.distances
    effective = found.sphericity.effective_dimension
    lines = [
        f"The variance spreads over about {effective:,.0f} of {found.n_features:,} directions "
        f"(sphericity {found.sphericity.epsilon:.2g}).",
        f"Distances between samples vary by {spread.variation:.0%} of their mean"
        + (
            ": all samples are nearly equally far from each other, and neighbours mean little."
            if spread.variation < _CONCENTRATED
            else "."
        )
        + f" Lengths vary by {found.norms[1.0]:.0%} (sum of absolute values) and "
        f"{found.norms[2.0]:.0%} (Euclidean).",
        _hub_line(found),
    ]
    if found.leave_one_out is not None:
        lines.append(_leave_one_out_line(found))
    return lines


def _hub_line(found: Diagnosis) -> str:
    hubs = found.hubs
    text = (
        f"Neighbours are spread evenly (skewness {hubs.skewness:.1f})"
        if hubs.skewness < _SKEWED
        else f"Some samples are neighbours of very many others (skewness {hubs.skewness:.1f}, "
        f"{counted(len(hubs.hubs), 'hub')}, {len(hubs.bad_hubs)} of them bad)"
    )
    return f"{text}; {hubs.bad_share:.0%} of all neighbours are of another class."


def _leave_one_out_line(found: Diagnosis) -> str:
    loo = found.leave_one_out
    text = loo.explanation
    if np.isfinite(loo.critical_n) and loo.verdict in ("one", "pessimistic"):
        text += f" More than {np.floor(loo.critical_n):.0f} samples would cure that."
    if loo.verdict in ("one", "pessimistic"):
        text += " Use folds that keep the classes' shares instead."
    return text


def _listed(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
        for line in lines
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH)
