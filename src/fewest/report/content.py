"""The result of a command or a report as plain values: text, page and JSON are made from it.

Errors and probabilities are shares between zero and one. A part that was not computed is None or
empty; `Content.left_out` may say why. Columns, rows and places in lists count from 0.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewest._estimators.certificate import Certificate
from fewest._run.versions import versions
from fewest.report._class_content import PerClass
from fewest.report._informative_content import Informative
from fewest.report._trust_content import SMALL_CLASS, Label, Spread, Trust
from fewest.report._verdict_content import VerdictSummary

if TYPE_CHECKING:
    from fewest.panels import PanelReport, PointsScore
    from fewest.significance import LearningCurve, MethodComparison
    from fewest.tables._content import Missing

__all__ = ["SCHEMA", "SCHEMA_VERSION", "Content", "PanelContent", "Predictions"]

SCHEMA, SCHEMA_VERSION = "fewest.result", 1
NOT_ASKED_FOR = "it was not asked for"
NOT_FINISHED = "it was not finished when this was written"


@dataclass(frozen=True, kw_only=True)
class Document:
    """What every file begins with: its kind, who made it with what, and what to keep in mind."""

    schema: str
    schema_version: int = SCHEMA_VERSION
    command: str
    created: str = field(default_factory=lambda: time.strftime("%Y-%m-%d %H:%M %Z"))
    versions: dict[str, str | None] = field(default_factory=versions)
    seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ClassSize:
    """A class as the data spell it, and its number of samples; few of them say little about it."""

    label: Label
    n_samples: int
    is_small: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_small", self.n_samples < SMALL_CLASS)


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    """The samples, and what was done with the file that they came from."""

    origin: str
    file: str | None = None
    target: str | None = None
    reading: list[str] = field(default_factory=list)
    n_samples: int
    n_features: int
    dtype: str
    in_blocks: bool = False
    classes: list[ClassSize]
    single: list[Label] = field(default_factory=list)  # classes of one sample, or one group
    n_groups: int | None = None
    n_blocks: int | None = None
    kind: str = "samples"
    n_copies: int = 0  # of samples in other groups
    is_series: bool = False  # neighbours are alike, and without groups nothing keeps them together
    dropped: list[str] = field(default_factory=list)
    missing: Missing | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What was asked, and how to ask it again."""

    method: str
    estimator: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    chosen: dict[str, float] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    call: str


@dataclass(frozen=True)
class SelectedFeature:
    """A selected feature, what it weighs, and what it shows alone."""

    name: str
    column: int
    weight: float | None
    coefficient: float | None
    standard_deviation: float
    class_means: list[float]
    rest_mean: float
    single_error: float
    threshold: float
    folds_selected: int | None


@dataclass(frozen=True)
class Hyperplane:
    """One class against the other one, or against the rest."""

    positive_class: Label
    negative_class: Label | None
    intercept: float | None
    features: list[SelectedFeature]
    certificate: Certificate | None


@dataclass(frozen=True)
class PanelFeature:
    """A feature of a panel: its weight in every class, and what it shows alone.

    `weights` are shifted so that the largest and the smallest are opposite.
    """

    name: str
    column: int
    weights: list[float]
    coefficients: list[float]
    standard_deviation: float
    class_means: list[float]
    speaks_for: list[Label]
    speaks_against: list[Label]
    best_class: Label
    single_error: float
    threshold: float
    folds_selected: int | None


@dataclass(frozen=True)
class Panel:
    """One set of features, and one score per class on it; the largest score decides."""

    classes: list[Label]
    intercepts: list[float]
    features: list[PanelFeature]
    certificate: Certificate | None


@dataclass(frozen=True)
class TrainingError:
    """Errors on the samples of the fit."""

    n_errors: int
    error: float
    balanced_error: float


@dataclass(frozen=True)
class Samples:
    """Values of the first selected features, for figures; of very many samples only of some."""

    rows: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """The selection: hyperplanes, or one panel for all of several classes."""

    n_selected: int
    selected: list[str]
    hyperplanes: list[Hyperplane]
    training: TrainingError | None
    samples: Samples = field(default_factory=Samples)
    panel: Panel | None = None

    @property
    def feature_lists(self) -> list[list[SelectedFeature]] | list[list[PanelFeature]]:
        """The features of the panel, or those of every hyperplane."""
        if self.panel is not None:
            return [self.panel.features]
        return [plane.features for plane in self.hyperplanes]


@dataclass(frozen=True)
class Subset:
    """One of the disjoint subsets, with the hyperplanes fitted to it."""

    number: int
    features: list[str]
    columns: list[int]
    coefficients: list[list[float]]
    intercepts: list[float]
    training_error: float
    objective: float | None
    relative_gap: float | None


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
    """A feature that the result names, and as what."""

    name: str
    column: int
    roles: list[str]
    class_means: list[float]
    single_error: float
    folds_selected: int | None


@dataclass(frozen=True)
class Alternatives:
    """What could be measured instead."""

    subsets: list[Subset] = field(default_factory=list)
    ranking: list[int] = field(default_factory=list)
    n_remaining: int | None = None
    stop_reason: str | None = None
    stand_ins: list[StandIns] = field(default_factory=list)
    features: list[NamedFeature] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class CostPoint:
    """One value of C: the machine on all samples, and those of the folds, where known."""

    C: float
    n_features: int | None = None
    features: list[str] | None = None
    training_error: float | None = None
    training_balanced_error: float | None = None
    balanced_error: Spread | None = None
    fold_n_features: Spread | None = None


@dataclass(frozen=True)
class CostCurve:
    """Errors and number of features along C."""

    report_kind = "path"  # as which `make_report` takes it
    points: list[CostPoint]
    chosen: int | None
    n_folds: int | None
    explanation: str


@dataclass(frozen=True)
class SizePoint:
    """A panel of one size: its features with all samples, and its errors in the splits."""

    n_features: int
    features: list[str]
    balanced_error: Spread
    split_errors: list[float]


@dataclass(frozen=True)
class SizeCurve:
    """Errors against the number of features; `chosen` is a place in the points."""

    points: list[SizePoint]
    chosen: int
    n_splits: int
    explanation: str


@dataclass(frozen=True)
class Truth:
    """Generated data only: the features that carry the class, and how many were selected."""

    informative: list[str]
    n_found: int
    n_others: int


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


@dataclass(frozen=True, kw_only=True)
class Content(Document):
    """The whole result."""

    schema: str = SCHEMA
    title: str = "The fewest features that tell the classes apart"
    verdict: VerdictSummary | None = None
    data: DataSummary
    question: Question
    answer: Answer | None = None
    trust: Trust = field(default_factory=Trust)
    alternatives: Alternatives | None = None
    costs: CostCurve | None = None
    sizes: SizeCurve | None = None
    points: PointsScore | None = None
    informative: Informative | None = None
    comparison: MethodComparison | None = None
    learning_curve: LearningCurve | None = None
    per_class: PerClass | None = None
    truth: Truth | None = None
    figures: list[GivenFigure] = field(default_factory=list)
    links: str | None = None
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def said(self) -> Answer:
        """The answer; an error for results without one, which cannot be shown on a page."""
        if self.answer is None:
            raise ValueError("this result has no answer, only parts that belong to one")
        return self.answer

    def why_not(self, part: str) -> str | None:
        """Why a part is missing, if somebody said so."""
        return next((entry.reason for entry in self.left_out if entry.part == part), None)


@dataclass(frozen=True)
class ModelSummary:
    """What was loaded; `classes` are None for a regression."""

    file: str
    estimator: str
    n_features: int
    n_used: int
    classes: list[Label] | None
    # Calibrated on samples that took part in selecting the features: too far from one half.
    probabilities_are_extreme: bool = False


@dataclass(frozen=True, kw_only=True)
class ModelErrors:
    """Predictions against the truth; a regression has a root-mean-square error only.

    A model does not keep its samples, so whether these are others is for the user to say.
    """

    target: str
    n_errors: int | None = None
    error: float | None = None
    balanced_error: float | None = None
    labels: list[Label] | None = None
    confusion: list[list[int]] | None = None
    rms_error: float | None = None
    caveat: str = "optimistic if the model was trained on these samples"


@dataclass(frozen=True, kw_only=True)
class Predictions(Document):
    """Predictions of a saved machine for new samples."""

    schema: str = "fewest.predictions"
    command: str = "predict"
    kind: str = "samples"
    model: ModelSummary
    data: str
    n_samples: int
    ids: list[str] | None
    predictions: list[Label]
    scores: list[Any] | None
    probabilities: list[list[float]] | None
    truth: list[Label] | None
    errors: ModelErrors | None


@dataclass(frozen=True, kw_only=True)
class PanelContent(Document):
    """A judged panel, and the files that it was judged on."""

    schema: str = "fewest.panel"
    command: str = "panel"
    verdict: VerdictSummary
    data: DataSummary
    second: str | None
    options: dict[str, Any]
    call: str
    panel: PanelReport
    points: PointsScore | None = None
