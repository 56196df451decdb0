"""Everything that a report says, as plain values: the page is drawn from it, the JSON is it.

Probabilities and errors are shares between zero and one. What could not be said is None, and
`Content.left_out` tells why.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Label = str | int | float | bool

SCHEMA, SCHEMA_VERSION = "fewest.report", 1


@dataclass(frozen=True)
class ClassSize:
    """A class label, as the data spells it, and its number of samples."""

    label: Label
    n_samples: int


@dataclass(frozen=True)
class Question:
    """What was asked, and all that is needed to ask it again."""

    origin: str
    target: str | None
    n_samples: int
    n_features: int
    classes: list[ClassSize]
    n_groups: int | None
    method: str
    estimator: str
    parameters: dict[str, str]
    seed: int
    command: str
    versions: dict[str, str | None]
    created: str
    seconds: float


@dataclass(frozen=True)
class SelectedFeature:
    """A feature of one machine; `column` counts from 0.

    `weight` is `coefficient` (for the values as they are) times the standard deviation.
    `single_error` is the smallest balanced error of a cut at `threshold` through this feature
    alone, on the very samples that the cut was chosen on. `folds_selected` counts the folds of the
    cross-validation that selected it too.
    """

    name: str
    column: int
    weight: float | None
    coefficient: float | None
    standard_deviation: float
    class_means: list[float]
    single_error: float
    threshold: float
    folds_selected: int | None


@dataclass(frozen=True)
class Machine:
    """A hyperplane: its class against the other one, or against the rest (None)."""

    positive_class: Label
    negative_class: Label | None
    intercept: float | None
    features: list[SelectedFeature]


@dataclass(frozen=True)
class Samples:
    """Values of the first selected features, a list a feature; classes as places in `classes`."""

    classes: list[int]
    columns: list[int]
    names: list[str]
    values: list[list[float]]


@dataclass(frozen=True)
class Answer:
    """The selection; `n_training_errors` counts samples it was fitted to."""

    n_selected: int
    machines: list[Machine]
    n_training_errors: int | None
    samples: Samples


@dataclass(frozen=True)
class Interval:
    """From `low` to `high` at a level of confidence."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class Validation:
    """Errors on samples that had no part in selecting features or in choosing parameters.

    `predicted` and `decisions` (a list a sample, an entry a machine) are those of the machine that
    was fitted without the sample; `true` and `predicted` are places in the classes. `auc` is the
    area under the ROC curve of every machine.
    """

    n_folds: int
    n_errors: int
    error: float
    interval: Interval
    balanced_error: float
    fold_balanced_errors: list[float]
    fold_sizes: list[int]
    confusion: list[list[int]]
    true: list[int]
    predicted: list[int]
    decisions: list[list[float]] | None
    auc: list[float] | None


@dataclass(frozen=True)
class FoldCount:
    """How many folds selected a feature."""

    name: str
    column: int
    n_folds: int


@dataclass(frozen=True)
class Stability:
    """How alike the selections of the folds are: one for equal sets, zero for random ones."""

    index: float
    interval: Interval
    n_folds: int
    counts: list[FoldCount]


@dataclass(frozen=True)
class Comparison:
    """A statistic of the data, and its values for permuted classes; small values are good."""

    statistic: str
    observed: float
    chance: list[float]
    p_value: float


@dataclass(frozen=True)
class Permutation:
    """A permutation test of what `tested` says; `p_value` is that of all comparisons together."""

    tested: str
    comparisons: list[Comparison]
    p_value: float
    n_permutations: int


@dataclass(frozen=True)
class SeparabilityPoint:
    """Bounds on the probability that some `n_features` random ones separate coin flips."""

    n_features: int
    log10_lower: float
    log10_upper: float


@dataclass(frozen=True)
class Separability:
    """Incidental separability of random data of this shape, two classes."""

    n_samples: int
    n_features: int
    n_selected: int
    points: list[SeparabilityPoint]


@dataclass(frozen=True)
class Minimum:
    """What is proven about the smallest set that separates a class; None where none was found."""

    positive_class: Label
    size: int | None
    lower_bound: int
    certified: bool
    n_found: int
    complete: bool
    features: list[str]
    columns: list[int]
    margin: float | None
    seconds: float


@dataclass(frozen=True)
class Diagnostics:
    """`fewest.diagnostics.diagnose` in plain words."""

    conclusive: bool
    headline: str
    conclusion: str
    evidence: list[str]
    geometry: list[str]


@dataclass(frozen=True)
class Trust:
    """Whether the answer can be trusted."""

    validation: Validation | None = None
    stability: Stability | None = None
    permutation: Permutation | None = None
    separability: Separability | None = None
    minima: list[Minimum] = field(default_factory=list)
    diagnostics: Diagnostics | None = None


@dataclass(frozen=True)
class Subset:
    """One of the disjoint subsets, in the order found; the first one is number 1."""

    number: int
    features: list[str]
    columns: list[int]
    training_error: float


@dataclass(frozen=True)
class StandIn:
    """A feature that goes with a selected one over all samples, and within the classes."""

    name: str
    column: int
    correlation: float
    within_classes: float
    single_error: float


@dataclass(frozen=True)
class StandIns:
    """The features that come closest to a selected one."""

    name: str
    column: int
    closest: list[StandIn]


@dataclass(frozen=True)
class NamedFeature:
    """A feature that this report names, and as what."""

    name: str
    column: int
    roles: list[str]
    class_means: list[float]
    single_error: float
    folds_selected: int | None


@dataclass(frozen=True)
class Alternatives:
    """What could be measured instead."""

    subsets: list[Subset]
    stop_reason: str | None
    stand_ins: list[StandIns]
    features: list[NamedFeature]


@dataclass(frozen=True)
class CostPoint:
    """The machine of one C: its number of features and its balanced errors, where known."""

    C: float
    n_features: float
    training_error: float | None
    error: float | None


@dataclass(frozen=True)
class CostCurve:
    """Error and number of features along C; `chosen` is a place in `points`."""

    points: list[CostPoint]
    chosen: int | None
    explanation: str


@dataclass(frozen=True)
class Estimate:
    """A share of informative features, by one rule."""

    rule: str
    share: float
    n_features: int


@dataclass(frozen=True)
class Informative:
    """How many features carry information, with the curves that say so."""

    estimates: list[Estimate]
    fraction: list[float]
    sizes: list[float]
    selection_error: list[float]
    probe_error: list[float] | None
    n_folds: int
    n_folds_planned: int


@dataclass(frozen=True)
class GivenFigure:
    """A figure that was handed in, a brain map for instance; its image is on the page only."""

    title: str
    sentence: str


@dataclass(frozen=True)
class LeftOut:
    """A part that is missing, and why."""

    part: str
    reason: str


@dataclass(frozen=True)
class Content:
    """The whole report."""

    title: str
    question: Question
    answer: Answer
    trust: Trust
    alternatives: Alternatives | None
    costs: CostCurve | None
    informative: Informative | None
    figures: list[GivenFigure]
    left_out: list[LeftOut]
    notes: list[str]
    schema: str = SCHEMA
    schema_version: int = SCHEMA_VERSION

    def why_not(self, part: str) -> str | None:
        """Why a part is missing, if somebody said so."""
        return next((entry.reason for entry in self.left_out if entry.part == part), None)
