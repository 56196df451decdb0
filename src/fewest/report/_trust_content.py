"""Whether the answer can be trusted, as plain values: the part `trust` of the result.

Errors and probabilities are shares between zero and one. A part that was not computed is None or
empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewest._estimators.uncertainty import Interval, Labellings

if TYPE_CHECKING:
    from fewest.minimum._leaves import RuledOut
    from fewest.minimum._result import Step
    from fewest.significance import Confounding

Label = str | int | float | bool  # of a class
SMALL_CLASS = 10  # fewer samples of a class say little about its error


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation; the latter is None for a single value."""

    mean: float
    sd: float | None


@dataclass(frozen=True)
class Fold:
    """One fold of one repeat; both count from 1."""

    repeat: int
    fold: int
    n_train: int
    n_test: int
    error: float
    balanced_error: float
    n_features: int
    features: list[str]


@dataclass(frozen=True)
class FoldSpreads:
    """Means over all folds of all repeats."""

    error: Spread
    balanced_error: Spread
    n_features: Spread


@dataclass(frozen=True)
class ClassErrors:
    """Errors on the held-out samples of one class; None where no sample was judged.

    The interval is None, too, where too few groups were judged.
    """

    label: Label
    n_judged: int
    n_errors: int
    error: float | None
    interval: Interval | None
    is_small: bool


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes whose held-out samples are predicted as each other; the mean of both shares."""

    one: Label
    other: Label
    n_one_as_other: int
    n_other_as_one: int
    share: float


@dataclass(frozen=True)
class Validation:
    """Errors on samples that had no part in selecting features or in choosing parameters.

    `n_judged` samples were judged; of very many, `samples` and the three lists after it hold some.
    `balanced_error` is the one that a page shows first; `error` and its `interval` are plain
    shares of the samples. Intervals count groups where there are groups; where these are too few,
    intervals are None and `no_interval` says why. `labellings` of the groups bound what any p-value
    can be; None unless each group has one class.
    """

    n_folds: int
    n_repeats: int
    over_folds: FoldSpreads
    folds: list[Fold]
    n_errors: int
    error: float
    interval: Interval | None
    balanced_error: float
    balanced_interval: Interval | None
    no_interval: str
    labellings: Labellings | None
    confusion: list[list[int]]
    classes: list[ClassErrors]
    confused: list[ConfusedPair]
    auc: list[float] | None
    n_judged: int
    samples: list[int]
    true: list[int]
    predicted: list[int]
    decisions: list[list[float]] | None


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
    n_folds: int
    counts: list[FoldCount]


@dataclass(frozen=True)
class Comparison:
    """A statistic of the data, and its values for permuted classes; small values are good."""

    statistic: str
    observed: float
    chance: list[float]
    p_value: float

    @property
    def name(self) -> str:
        """The statistic, in words."""
        if self.statistic == "error":
            return "the balanced error on samples left out"
        return "the number of features (with errors at their price)"

    @property
    def n_as_good(self) -> int:
        """How many permutations did as well, by this statistic."""
        return round(self.p_value * (len(self.chance) + 1)) - 1


@dataclass(frozen=True)
class Permutation:
    """The permutation test of the result; each statistic has its own p-value.

    `tested` says of what, in words; `is_of_method` whether that is the method shown.
    """

    tested: str
    is_of_method: bool
    comparisons: list[Comparison]
    n_permutations: int

    @property
    def of_error(self) -> Comparison | None:
        """That of the balanced error on samples left out, by which the result is judged."""
        return self._find("error")

    @property
    def of_features(self) -> Comparison | None:
        """That of what the machine minimises: features, and errors at their price."""
        return self._find("features")

    def _find(self, statistic: str) -> Comparison | None:
        return next((one for one in self.comparisons if one.statistic == statistic), None)


@dataclass(frozen=True)
class SeparabilityPoint:
    """Bounds on the probability that some `n_features` random ones separate coin flips."""

    n_features: int
    log10_lower: float
    log10_upper: float


@dataclass(frozen=True)
class Separability:
    """Incidental separability of random data of this shape, two classes.

    `n_samples` counts those that do not depend on each other: one of each group, or of each block.
    """

    n_samples: int
    n_features: int
    n_selected: int
    points: list[SeparabilityPoint]


@dataclass(frozen=True)
class SeparatingSet:
    """A set of features that separates the classes, but for samples that may be wrong."""

    features: list[str]
    columns: list[int]
    margin: float
    wrong: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Minimum:
    """What is proven about the smallest set that separates each two classes.

    `positive_class` is None, but for machines that certify each class against the rest. Prices are
    None where all features have the same.
    """

    positive_class: Label | None
    size: int | None
    lower_bound: int
    certified: bool
    n_found: int
    complete: bool
    sets: list[SeparatingSet]
    searched: list[Step]
    verified: bool | None
    ruled_out: list[RuledOut]
    inseparable: list[list[Label]]
    seconds: float
    max_errors: int = 0
    included: list[str] = field(default_factory=list)
    price: float | None = None
    price_bound: float | None = None


@dataclass(frozen=True)
class SetWithErrors:
    """A set of features, and the samples that its best hyperplane leaves wrong."""

    features: list[str]
    columns: list[int]
    wrong: list[int]


@dataclass(frozen=True)
class ErrorFrontPoint:
    """The fewest training errors of at most `size` features.

    In a front of prices: the lowest price for so few errors. `price` and `price_bound` are None
    elsewhere, `lower_bound` is None there.
    """

    size: int
    errors: int
    lower_bound: int | None
    proven: bool
    complete: bool
    sets: list[SetWithErrors]
    seconds: float
    price: float | None = None
    price_bound: float | None = None


@dataclass(frozen=True)
class ErrorFront:
    """The fewest training errors for each number of features, or for each price.

    `included` are always in, and not counted. `proven` says that all points are, and that no
    further set of up to `max_features` features belongs to a front of prices.
    """

    points: list[ErrorFrontPoint]
    max_features: int
    included: list[str]
    has_prices: bool
    proven: bool
    floor: int
    verified: bool
    n_ruled_out: int
    seconds: float


@dataclass(frozen=True)
class NearSet:
    """A set near the smallest one, of which no part separates the classes."""

    features: list[str]
    columns: list[int]
    price: float
    margin: float


@dataclass(frozen=True)
class SetCount:
    """In how many of the sets a feature is."""

    name: str
    column: int
    n_sets: int


@dataclass(frozen=True)
class Exchange:
    """Two features that take each other's place in pairs of sets."""

    one: str
    other: str
    n_pairs: int


@dataclass(frozen=True)
class NearOptimal:
    """All sets near the smallest one, and which features can replace which.

    `certified` says that the smallest one is proven; else time was up, and parts of sets may
    separate. `is_per_choice`: one set stands for each choice of groups, which are paid once.
    """

    extra: float
    n_found: int
    certified: bool
    complete: bool
    is_per_choice: bool
    sets: list[NearSet]
    in_all: list[str]
    features: list[SetCount]
    exchanges: list[Exchange]


@dataclass(frozen=True)
class Diagnostics:
    """What `fewest.diagnostics.diagnose` found, in words and in numbers.

    Without permutations, `conclusive`, `test`, `separable`, `n_selected`, `bounds` and
    `vc_dimension` are None.
    """

    conclusive: bool | None
    headline: str
    conclusion: str
    evidence: list[str]
    geometry: list[str]
    summary: str
    alpha: float
    separable: bool | None
    n_selected: int | None
    test: Permutation | None
    bounds: dict[str, Any] | None
    vc_dimension: int | None
    sphericity: dict[str, Any]
    norm_variation: dict[str, float]
    distances: dict[str, Any]
    hubness: dict[str, Any]
    leave_one_out: dict[str, Any] | None


@dataclass(frozen=True)
class Trust:
    """Whether the answer can be trusted."""

    validation: Validation | None = None
    stability: Stability | None = None
    permutation: Permutation | None = None
    separability: Separability | None = None
    minima: list[Minimum] = field(default_factory=list)
    error_front: ErrorFront | None = None
    near_optimal: NearOptimal | None = None
    diagnostics: Diagnostics | None = None
    confounding: Confounding | None = None
