"""All diagnostics of a data set in one readable summary."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import HeldOut
from fewest._estimators.splits import count_classes, count_independent, count_smaller
from fewest._estimators.validation import check_count, check_data, check_share
from fewest._gaps import fill_all, has_gaps
from fewest._showing import Shown
from fewest._wording import counted, percent
from fewest.diagnostics._capacity import vc_dimension_bound
from fewest.diagnostics._geometry import (
    DistanceConcentration,
    Hubness,
    Sphericity,
    distance_concentration,
    hubness,
    relative_concentration,
    sphericity,
)
from fewest.diagnostics._leave_one_out import LooReliability, loo_reliability
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance import (
    PermutationTest,
    PermutedStatistic,
    SeparabilityBounds,
    permutation_test,
    subset_separability_bounds,
)

_NORMS = (1.0, 2.0)
_NEIGHBOURS = 10
_SOFT_COST = 1.0
GEOMETRY_TITLE = "What to know about these data"
_WIDTH = 88
# Distances that vary by less than this share of their mean say little about neighbours.
_CONCENTRATED = 0.1
_SKEWED = 1.0
# P-values above this, although significant, come by chance once in a while.
_WEAK = 0.01
_ROUNDING = 1e-12

_UNTESTED = (
    "These data are described here, not tested.",
    "To test them, ask for permutations.",
)
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
        "the level is {alpha:g}. Use at least {enough}.",
    ),
    "nothing": (
        "Nothing can be concluded from these data.",
        "Classes that were assigned at random look much the same {level}. Features selected here "
        "may well have been selected by chance, however well they separate these samples. More "
        "samples, or fewer candidates chosen without looking at the classes, might help.",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """What `diagnose` found; print it for the summary.

    `conclusive` says whether the classes differ by more than chance: the p-value of the
    permutation `test` of the held-out error is at most `alpha`, and that error below the error of
    guessing; without folds, the p-value of the number of features. `separable` is whether some
    hyperplane separates the classes; if not, the test is of the soft machine with C = 1. Without
    permutations, these and `n_selected` are None, and the data are only described. `bounds`,
    `vc_dimension` and `leave_one_out` are None for more than two classes, and `leave_one_out` also
    where samples belong together (`n_independent` groups or blocks of them). `sphericity`,
    `distances` and `hubs` compare pairs of samples; with very many samples they use only some, and
    say how many.
    """

    report_kind = "diagnosis"  # as which `fewest.report` takes it
    n_samples: int
    n_features: int
    n_independent: int
    class_sizes: dict[Any, int]
    alpha: float
    conclusive: bool | None
    separable: bool | None
    n_selected: int | None
    test: PermutationTest | None
    bounds: SeparabilityBounds | None
    vc_dimension: int | None
    sphericity: Sphericity
    norms: dict[float, float]
    distances: DistanceConcentration
    hubs: Hubness
    leave_one_out: LooReliability | None

    @property
    def headline(self) -> str:
        """The conclusion in one line."""
        return _conclude(self)[0]

    @property
    def conclusion(self) -> str:
        """The conclusion in a few sentences."""
        return _conclude(self)[1]

    @property
    def evidence(self) -> list[str]:
        """What the conclusion rests on."""
        if self.test is None:
            return []
        features, error = self.test.features, self.test.error
        assert features is not None  # `diagnose` always asks for them
        if self.separable:
            cost = (
                f"To separate the {self.n_samples} samples, the Support Feature Machine takes "
                f"{features.observed:.0f} of {self.n_features:,} features"
            )
        else:
            cost = (
                "No hyperplane separates the classes without error. Features and errors of the "
                f"soft machine (C = 1) cost {features.observed:.1f} together"
            )
        lines = [
            f"{cost}; with permuted classes {_spread(features)} "
            f"({counted(self.test.n_permutations, 'permutation')}, p = {features.p_value:.2g})."
        ]
        if error is not None:
            lines.append(
                f"Balanced error in cross-validation: {percent(error.observed)}; with permuted "
                f"classes {percent(error.chance_median)} (p = {error.p_value:.2g})."
            )
        if self.separable and self.bounds is not None and self.vc_dimension is not None:
            lines.append(_describe_chance(self.bounds, self.vc_dimension, self.n_samples))
        return lines

    @property
    def geometry(self) -> list[str]:
        """What to know about the data, in sentences."""
        spread = self.distances.variation
        meaning = "."
        if spread < _CONCENTRATED:
            meaning = (
                ": all samples are nearly equally far from each other, and neighbours mean little."
            )
        lines = [*self._describe_subsample()]
        lines += [
            f"The variance spreads over about {self.sphericity.effective_dimension:,.0f} of "
            f"{self.n_features:,} directions (sphericity {self.sphericity.epsilon:.2g}).",
            f"Distances between samples vary by {spread:.0%} of their mean{meaning} Lengths vary "
            f"by {self.norms[1.0]:.0%} (sum of absolute values) and {self.norms[2.0]:.0%} "
            "(Euclidean).",
            _describe_hubs(self.hubs),
        ]
        if self.leave_one_out is not None:
            lines.append(_describe_leave_one_out(self.leave_one_out))
        elif self.n_independent < self.n_samples:
            lines.append(
                f"Do not leave out one sample at a time: the {self.n_samples} samples are of "
                f"{self.n_independent} groups, and the rest of a sample's group would be trained "
                "on. Leave out whole groups."
            )
        return lines

    def _describe_subsample(self) -> list[str]:
        """That the numbers about pairs of samples are of some samples only, where it is so."""
        n_compared = self.distances.n_samples
        if n_compared == self.n_samples:
            return []
        return [
            f"Pairs are of {n_compared:,} of the {self.n_samples:,} samples, drawn at random: "
            "directions of the variance, distances and neighbours are estimated from them."
        ]

    @property
    def summary(self) -> str:
        """All of it, in plain words."""
        blocks = [self.headline, textwrap.fill(self.conclusion, _WIDTH)]
        if self.test is not None:
            blocks.append("What it rests on\n" + _bullets(self.evidence))
        blocks.append(f"{GEOMETRY_TITLE}\n" + _bullets(self.geometry))
        return "\n\n".join(blocks)

    def __str__(self) -> str:
        return self.summary


def diagnose(
    X: Any,
    y: ArrayLike,
    *,
    n_permutations: int = 99,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    blocks: ArrayLike | None = None,
    alpha: float = 0.05,
    max_seconds: float | None = None,
    held_out: HeldOut | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Diagnosis:
    """Say in plain words whether anything can be concluded from the data, and what may mislead.

    The conclusion rests on a permutation test of the cross-validated error of the hard Support
    Feature Machine (if the classes overlap: of the soft machine), or, without folds, of the number
    of features that it needs. All other numbers explain it. They refer to standardised columns;
    those about pairs of samples are estimated from 2,000 samples if there are more, and the text
    says so.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        At least five samples.
    y : array of shape (n_samples,)
        Their classes, each with at least two samples.
    n_permutations : int
        Permutations of the labels; 0 for none, which leaves a description of the data.
    cv : int, splitter or None
        Folds of the cross-validation; fewer if the smallest class has fewer samples. None leaves
        out the error, which takes most of the time.
    groups : array of shape (n_samples,), optional
        Samples that belong together, as for `permutation_test`.
    exchange : {"within", "whole"}
        How labels are permuted if there are groups.
    blocks : array of shape (n_samples,), optional
        Samples whose labels move together, as for `permutation_test`.
    alpha : float
        Level of the test.
    max_seconds : float, optional
        Time limit for the permutations, as for `permutation_test`.
    held_out : HeldOut, optional
        A cross-validation with these folds, as for `permutation_test`; used if it is of the machine
        that is tested.
    random_state : int, RandomState instance or None
        Seed of the permutations; if `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, as in joblib.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import diagnose
    >>> X = np.random.default_rng(0).standard_normal((30, 1000))
    >>> found = diagnose(X, np.arange(30) % 2, cv=None, random_state=0)
    >>> found.conclusive
    False
    >>> print(str(found).splitlines()[0])
    Nothing can be concluded from these data.
    """
    check_count("n_permutations", n_permutations, or_zero=True)
    check_share("alpha", alpha, strictly=True)
    raw, (X, y) = X, check_data(BaseEstimator(), fill_all(X), y)
    class_sizes, _ = count_classes(y, None)
    if len(class_sizes) < 2 or min(class_sizes.values()) < 2 or len(y) < 5:
        raise ValueError(
            "diagnose needs at least two classes with two samples each, and five samples in all; "
            f"got {class_sizes}"
        )
    n, d = X.shape
    n_independent = count_independent(n, groups, blocks)
    binary = len(class_sizes) == 2
    separable = n_selected = test = bounds = vc_dimension = None
    if n_permutations:
        machine = _fit(X, y)
        separable, n_selected = bool(np.isinf(machine.C)), selection_of(machine).n_selected
        test = permutation_test(
            machine,
            raw if has_gaps(raw) else X,
            y,
            statistics="features" if cv is None else ("features", "error"),
            n_permutations=n_permutations,
            cv=cv,
            groups=groups,
            exchange=exchange,
            blocks=blocks,
            max_seconds=max_seconds,
            held_out=held_out if held_out is not None and held_out.is_of(machine) else None,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
    if binary and n_selected is not None:
        chosen = min(max(1, n_selected), d)
        n_smaller = count_smaller(y, groups, blocks)
        bounds = subset_separability_bounds(
            n_independent, d, chosen, intercept=True, n_smaller=n_smaller
        )
        vc_dimension = vc_dimension_bound(d, chosen, intercept=True)
    return Diagnosis(
        n_samples=n,
        n_features=d,
        n_independent=n_independent,
        class_sizes=class_sizes,
        alpha=alpha,
        conclusive=None if test is None else _is_conclusive(test, alpha, len(class_sizes)),
        separable=separable,
        n_selected=n_selected,
        test=test,
        bounds=bounds,
        vc_dimension=vc_dimension,
        sphericity=sphericity(X),
        norms={p: relative_concentration(X, p) for p in _NORMS},
        distances=distance_concentration(X),
        hubs=hubness(X, y, k=min(_NEIGHBOURS, n - 1)),
        # Its theory takes samples for independent.
        leave_one_out=(
            loo_reliability(X, y, standardize=True) if binary and n_independent == n else None
        ),
    )


def _find_judged(test: PermutationTest) -> tuple[PermutedStatistic, str]:
    """The statistic that the conclusion rests on, and its name."""
    if test.error is not None:
        return test.error, "the error on samples left out"
    assert test.features is not None  # `diagnose` always asks for them
    return test.features, "the number of features"


def _is_conclusive(test: PermutationTest, alpha: float, n_classes: int) -> bool:
    is_below = test.error is None or test.error.observed < 1.0 - 1.0 / n_classes
    return bool(is_below and _find_judged(test)[0].p_value <= alpha + _ROUNDING)


def _fit(X: Any, y: Any) -> SupportFeatureMachine:
    """The hard machine, or the soft one where the classes overlap."""
    try:
        return SupportFeatureMachine(C=np.inf).fit(X, y)
    except NotSeparableError:
        return SupportFeatureMachine(C=_SOFT_COST).fit(X, y)


def _conclude(found: Diagnosis) -> tuple[str, str]:
    """The conclusion: a headline, and a few sentences."""
    if found.test is None:
        return _UNTESTED
    judged, name = _find_judged(found.test)
    n, p, alpha = found.test.n_permutations, judged.p_value, found.alpha
    smallest = 1.0 / (n + 1)
    if found.conclusive and smallest > _WEAK and p <= smallest * (1.0 + 1e-9):
        verdict = "few"  # the p-value is as small as so few permutations allow
    elif found.conclusive:
        verdict = "weak" if p > _WEAK else "strong"
    else:  # even the best outcome might not have been significant
        verdict = "open" if smallest > alpha else "nothing"
    headline, text = _VERDICTS[verdict]
    return headline, text.format(
        level=f"(p = {p:.2g} for {name}, level {alpha:g})",
        labellings=counted(n, "random labelling"),
        permutations=counted(n, "permutation"),
        enough=counted(math.ceil(1.0 / alpha - 1e-9) - 1, "permutation"),
        smallest=smallest,
        p=p,
        alpha=alpha,
    )


def _spread(comparison: PermutedStatistic) -> str:
    shares = [0.05, 0.5, 0.95]
    low, middle, high = np.quantile(comparison.chance, shares, method="inverted_cdf")
    if low == high:
        return f"{middle:.3g}"
    return f"{middle:.3g}, in nine of ten cases {low:.3g} to {high:.3g}"


def _describe_chance(bounds: SeparabilityBounds, vc_dimension: int, n_samples: int) -> str:
    samples = f"{bounds.n} samples"
    if bounds.n < n_samples:
        samples = f"one sample of each of the {bounds.n} groups"
    subset = f"{bounds.d_star} of {bounds.d:,} independent random features"
    if bounds.upper >= 0.5:
        text = f"Theory cannot rule out chance: {subset} may well separate {samples}"
    else:
        probability = f"of at most {bounds.upper:.2g}"
        if bounds.upper < 1e-4:
            probability = f"below 10^{np.ceil(bounds.log_upper / np.log(10)):.0f}"
        text = (
            f"In theory, {subset} separate {samples} whose classes are shuffled by chance with a "
            f"probability {probability}"
        )
    proves = "" if bounds.n > vc_dimension else ": fitting them all proves nothing"
    return (
        f"{text}. Machines that choose so few may fit any labels of up to {vc_dimension} "
        f"samples (bound on the VC dimension), and there are {bounds.n}{proves}."
    )


def _describe_hubs(found: Hubness) -> str:
    text = f"Neighbours are spread evenly (skewness {found.skewness:.1f})"
    if found.skewness >= _SKEWED:
        text = (
            f"Some samples are neighbours of very many others (skewness {found.skewness:.1f}; "
            f"{counted(len(found.hubs), 'such sample')}"
        )
        others = "mostly neighbours of another class"
        text += ")" if found.bad_hubs is None else f", {len(found.bad_hubs)} of them {others})"
    return f"{text}; {found.bad_share:.0%} of all neighbours are of another class."


def _describe_leave_one_out(found: LooReliability) -> str:
    text = found.explanation
    if found.verdict in ("one", "pessimistic"):
        if np.isfinite(found.critical_n):
            text += f" More than {np.floor(found.critical_n):.0f} samples would correct that."
        text += " Use folds that keep the classes' shares instead."
    return text


def _bullets(lines: list[str]) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
        for line in lines
    )
