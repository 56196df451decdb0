"""The words of `Diagnosis`."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from fewest._wording import counted

if TYPE_CHECKING:
    from fewest.diagnostics._geometry import Hubness
    from fewest.diagnostics._leave_one_out import LooReliability
    from fewest.diagnostics._summary import Diagnosis
    from fewest.significance import PermutedStatistic, SeparabilityBounds

_WIDTH = 88
# Distances that vary by less than this share of their mean say little about neighbours.
_CONCENTRATED = 0.1
_SKEWED = 1.0
# P-values above this, although significant, come by chance once in a while.
_WEAK = 0.01

_AS_A_WHOLE = "That holds for the data as a whole; it does not prove each selected feature."
_VERDICTS = {
    "few": (
        "Something can be concluded from these data, as far as so few permutations can show.",
        "None of {labellings} looked like this, and with so few the p-value cannot be smaller "
        f"{{level}}. {_AS_A_WHOLE}",
    ),
    "weak": (
        "Something may be concluded from these data, but the evidence is weak.",
        "Classes that were assigned at random would seldom look like this {level}. " + _AS_A_WHOLE,
    ),
    "strong": (
        "Something can be concluded from these data: the classes differ by more than chance.",
        "Classes that were assigned at random would hardly look like this {level}. " + _AS_A_WHOLE,
    ),
    "open": (
        "Nothing can be concluded yet: there were too few permutations.",
        "With {permutations} the p-value cannot be below {smallest:.2g} (here it is {p:.2g}), and "
        "the level is {alpha:g}. Take at least {enough}.",
    ),
    "nothing": (
        "Nothing can be concluded from these data.",
        "Classes that were assigned at random look much the same {level}. Features selected here "
        "may well have come out by chance, however well they separate the samples at hand. More "
        "samples, or fewer candidates chosen without looking at the classes, might help.",
    ),
}


def summarize(found: Diagnosis) -> str:
    """Conclusion first, then what it rests on, then what to beware of."""
    blocks = [
        found.headline,
        textwrap.fill(found.conclusion, _WIDTH),
        "What it rests on\n" + _bullets(found.evidence),
        "What to know about these data\n" + _bullets(found.geometry),
    ]
    return "\n\n".join(blocks)


def conclude(found: Diagnosis) -> tuple[str, str]:
    """The conclusion: a headline, and a few sentences."""
    n, p, alpha = found.test.n_permutations, found.test.p_value, found.alpha
    smallest = 1.0 / (n + 1)
    if found.conclusive and smallest > _WEAK and p <= smallest * (1.0 + 1e-9):
        verdict = "few"  # the p-value is as small as so few permutations allow
    elif found.conclusive:
        verdict = "weak" if p > _WEAK else "strong"
    else:  # even the best outcome might not have been significant
        verdict = "open" if smallest > alpha else "nothing"
    headline, text = _VERDICTS[verdict]
    return headline, text.format(
        level=f"(p = {p:.2g}, level {alpha:g})",
        labellings=counted(n, "random labelling"),
        permutations=counted(n, "permutation"),
        enough=counted(math.ceil(1.0 / alpha - 1e-9) - 1, "permutation"),
        smallest=smallest,
        p=p,
        alpha=alpha,
    )


def list_evidence(found: Diagnosis) -> list[str]:
    """What the conclusion rests on."""
    features, error = found.test.features, found.test.error
    assert features is not None  # `diagnose` always asks for them
    if found.separable:
        cost = (
            f"To separate the {found.n_samples} samples, the Support Feature Machine takes "
            f"{features.observed:.0f} of {found.n_features:,} features"
        )
    else:
        cost = (
            "No hyperplane separates the classes without error. Features and errors of the soft "
            f"machine (C = 1) cost {features.observed:.1f} together"
        )
    lines = [
        f"{cost}; with permuted classes {_spread(features)} (p = {features.p_value:.2g}, "
        f"{counted(found.test.n_permutations, 'permutation')})."
    ]
    if error is not None:
        lines.append(
            f"Balanced error in cross-validation: {error.observed:.0%}; with permuted classes "
            f"{error.chance_median:.0%} (p = {error.p_value:.2g})."
        )
    if found.separable and found.bounds is not None and found.vc_dimension is not None:
        lines.append(_describe_chance(found.bounds, found.vc_dimension))
    return lines


def _spread(comparison: PermutedStatistic) -> str:
    shares = [0.05, 0.5, 0.95]
    low, middle, high = np.quantile(comparison.chance, shares, method="inverted_cdf")
    if low == high:
        return f"{middle:.3g}"
    return f"{middle:.3g}, in nine of ten cases {low:.3g} to {high:.3g}"


def _describe_chance(bounds: SeparabilityBounds, vc_dimension: int) -> str:
    subset = f"{bounds.d_star} of {bounds.d:,} independent random features"
    if bounds.upper >= 0.5:
        text = f"Theory gives no comfort: {subset} may well separate {bounds.n} samples by chance"
    else:
        probability = f"of at most {bounds.upper:.2g}"
        if bounds.upper < 1e-4:
            probability = f"below 10^{np.ceil(bounds.log_upper / np.log(10)):.0f}"
        text = (
            f"In theory, {subset} separate {bounds.n} samples by chance with a probability "
            f"{probability}"
        )
    proves = "" if bounds.n > vc_dimension else ": fitting them all proves nothing"
    return (
        f"{text}. Machines that choose so few may fit any labels of up to {vc_dimension} "
        f"samples (bound on the VC dimension), and there are {bounds.n}{proves}."
    )


def list_geometry(found: Diagnosis) -> list[str]:
    """What to know about the data."""
    spread = found.distances.variation
    meaning = "."
    if spread < _CONCENTRATED:
        meaning = (
            ": all samples are nearly equally far from each other, and neighbours mean little."
        )
    lines = [
        f"The variance spreads over about {found.sphericity.effective_dimension:,.0f} of "
        f"{found.n_features:,} directions (sphericity {found.sphericity.epsilon:.2g}).",
        f"Distances between samples vary by {spread:.0%} of their mean{meaning} Lengths vary by "
        f"{found.norms[1.0]:.0%} (sum of absolute values) and {found.norms[2.0]:.0%} (Euclidean).",
        _describe_hubs(found.hubs),
    ]
    if found.leave_one_out is not None:
        lines.append(_describe_leave_one_out(found.leave_one_out))
    return lines


def _describe_hubs(found: Hubness) -> str:
    text = f"Neighbours are spread evenly (skewness {found.skewness:.1f})"
    if found.skewness >= _SKEWED:
        text = (
            f"Some samples are neighbours of very many others (skewness {found.skewness:.1f}, "
            f"{counted(len(found.hubs), 'hub')}"
        )
        text += ")" if found.bad_hubs is None else f", {len(found.bad_hubs)} of them bad)"
    return f"{text}; {found.bad_share:.0%} of all neighbours are of another class."


def _describe_leave_one_out(found: LooReliability) -> str:
    text = found.explanation
    if found.verdict in ("one", "pessimistic"):
        if np.isfinite(found.critical_n):
            text += f" More than {np.floor(found.critical_n):.0f} samples would cure that."
        text += " Use folds that keep the classes' shares instead."
    return text


def _bullets(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
        for line in lines
    )
