"""The outcome of a run as plain values: printed by `text`, written by `output` as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from fewest.cli._settings import Settings
from fewest.report.content import ClassSize, Label

SCHEMA, PATH_SCHEMA, RANK_SCHEMA = "fewest.select", "fewest.path", "fewest.rank"
INFORMATIVE_SCHEMA = "fewest.informative"
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class MissingCells:
    """Cells without a value, and what --missing did about them."""

    n_cells: int
    treatment: str
    n_samples_left_out: int
    features_left_out: list[str]


@dataclass(frozen=True)
class DataSummary:
    """What was read."""

    file: str | None
    origin: str
    target: str
    n_samples: int
    n_features: int
    dtype: str
    dropped: list[str]
    classes: list[ClassSize]
    notes: list[str]
    missing: MissingCells | None = None


@dataclass(frozen=True)
class Feature:
    """A selected feature; `column` counts the features read from 0.

    `weight` is `coefficient` (for the values as they are) times the standard deviation.
    `class_means` has the order of the classes; `rest_mean` is that of all but the machine's class.
    `folds_selected` counts the cross-validation folds that selected it too.
    """

    name: str
    column: int
    weight: float
    coefficient: float
    standard_deviation: float
    class_means: list[float]
    rest_mean: float
    folds_selected: int | None


@dataclass(frozen=True)
class Certificate:
    """Proof of the first linear program, the one over all features; and how the loop ended.

    For psvm it is that of the one quadratic program, and there are no linear ones.
    `samples_inside_margin` includes those on the wrong side; None for methods without a margin.
    """

    objective: float
    lower_bound: float
    relative_gap: float
    pricing_rounds: int
    linear_programs: int
    converged: bool
    status: str
    samples_on_wrong_side: int
    samples_inside_margin: int | None = None


@dataclass(frozen=True)
class Machine:
    """A hyperplane: its class against the other one, or against the rest (None)."""

    positive_class: Label
    negative_class: Label | None
    intercept: float
    features: list[Feature]
    certificate: Certificate


@dataclass(frozen=True)
class TrainingError:
    """Errors on the samples that the machine was fitted to."""

    n_errors: int
    error: float
    balanced_error: float


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over the folds."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Fold:
    """One fold; counting starts at 1."""

    repeat: int
    fold: int
    n_train: int
    n_test: int
    error: float
    balanced_error: float
    n_features: int
    features: list[str]


@dataclass(frozen=True)
class CrossValidation:
    """Error on samples that had no part in selecting the features."""

    n_folds: int
    n_repeats: int
    error: Spread
    balanced_error: Spread
    n_features: Spread
    folds: list[Fold]


@dataclass(frozen=True)
class Seconds:
    """Wall-clock time of each part."""

    reading: float
    fitting: float
    cross_validation: float | None


@dataclass(frozen=True)
class Truth:
    """Demo only: the features that carry the class, and how many of them were selected."""

    informative: list[str]
    n_found: int
    n_others: int


@dataclass(frozen=True)
class Report:
    """All of it; `chosen_C` only where the method chose it."""

    data: DataSummary
    parameters: Settings
    selected: list[str]
    machines: list[Machine]
    training: TrainingError
    cross_validation: CrossValidation | None
    seconds: Seconds
    versions: dict[str, str | None]
    notes: list[str]
    truth: Truth | None = None
    chosen_C: float | None = None  # noqa: N815
    schema: str = field(default=SCHEMA)
    schema_version: int = field(default=SCHEMA_VERSION)


@dataclass(frozen=True)
class PathValue:
    """One value of C: the machine on all samples, and its error in cross-validation."""

    C: float
    n_features: int
    features: list[str]
    training_error: float
    training_balanced_error: float
    balanced_error: Spread | None
    folds_n_features: Spread | None


@dataclass(frozen=True)
class PathReport:
    """Outcome of `fewest path`.

    `best` is the place in `values` of the smallest cross-validated balanced error, of equal ones
    that with the fewest features.
    """

    data: DataSummary
    parameters: Settings
    grid: str
    values: list[PathValue]
    n_folds: int
    best: int | None
    seconds: Seconds
    versions: dict[str, str | None]
    notes: list[str]
    schema: str = field(default=PATH_SCHEMA)
    schema_version: int = field(default=SCHEMA_VERSION)


@dataclass(frozen=True)
class Subset:
    """The features of one repetition (counted from 1), and its machine or, for classes, machines.

    `coefficients` are for the values as they are, a list a machine; `objective` and `relative_gap`
    prove the optimum of its first linear program.
    """

    repetition: int
    size: int
    features: list[str]
    columns: list[int]
    coefficients: list[list[float]]
    intercepts: list[float]
    training_error: float
    objective: float
    relative_gap: float


@dataclass(frozen=True)
class RankReport:
    """Outcome of `fewest rank`: disjoint subsets, the smallest first."""

    data: DataSummary
    parameters: Settings
    subsets: list[Subset]
    n_remaining: int
    stop_reason: str
    seconds: Seconds
    versions: dict[str, str | None]
    notes: list[str]
    schema: str = field(default=RANK_SCHEMA)
    schema_version: int = field(default=SCHEMA_VERSION)


@dataclass(frozen=True)
class SigmoidFit:
    """A sigmoid through the probes' errors, and where the line through its inflexion meets chance.

    `crossing` is None where the curve is flat; `estimate` lies between zero and one.
    """

    bottom: float
    height: float
    position: float
    width: float
    residual: float
    crossing: float | None
    estimate: float


@dataclass(frozen=True)
class Curves:
    """Averages over the folds at shares of removed features; the band is None without one."""

    fraction: list[float]
    sizes: list[float]
    selection_error: list[float]
    probe_error: list[float]
    chance_lower: list[float] | None
    chance_upper: list[float] | None


@dataclass(frozen=True)
class OverlapRow:
    """First features of the selection and top of a t-map: both are this share of all features."""

    share: float
    observed: float
    expected: float
    p_value: float


@dataclass(frozen=True)
class FoldSummary:
    """One fold: its first subset, and how far the selection went."""

    n_test: int
    n_subsets: int
    n_removed: int
    first_subset: list[str]
    stop_reason: str


@dataclass(frozen=True)
class InformativeReport:
    """Outcome of `fewest informative`.

    `estimate` is that of the free sigmoid, `purified_estimate` the same without the features that
    were removed by chance, as the left-out samples show. `chance_estimate` is where the errors come
    down to those of permuted labels; `univariate_estimate` is from the p-values of t-tests.
    """

    data: DataSummary
    parameters: Settings
    groups: str | None
    every: int
    n_permutations: int
    n_folds: int
    n_folds_finished: int
    estimate: float
    sigmoid: SigmoidFit
    restricted: SigmoidFit
    purified_estimate: float
    chance_estimate: float | None
    univariate_estimate: float
    overlap: list[OverlapRow]
    curves: Curves
    folds: list[FoldSummary]
    seconds: Seconds
    versions: dict[str, str | None]
    notes: list[str]
    schema: str = field(default=INFORMATIVE_SCHEMA)
    schema_version: int = field(default=SCHEMA_VERSION)
