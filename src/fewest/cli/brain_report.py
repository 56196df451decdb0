"""The outcome of `fewest brain` as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewest._estimators.certificate import Certificate
from fewest.report.content import SCHEMA_VERSION, ClassSize, Label, TrainingError

if TYPE_CHECKING:
    from fewest.neuro.regions import Region

BRAIN_SCHEMA = "fewest.brain"


@dataclass(frozen=True)
class BrainData:
    """What was read, and what was done to it before the selection.

    `n_voxels` are those in the mask, `n_features` those that are left after downsampling.
    """

    images: list[str]
    labels: str
    groups: str | None
    only: list[str]
    mask: str | None
    smoothing_mm: float | None
    standardized_runs: bool
    downsampled: int
    shape: list[int]
    n_volumes: int
    n_groups: int | None
    n_voxels: int
    n_features: int
    classes: list[ClassSize]


@dataclass(frozen=True)
class Voxel:
    """A selected voxel: place on the grid (from 0), in millimetres, and a weight a machine.

    `folds_selected` counts the folds that selected it too.
    """

    index: list[int]
    position_mm: list[float]
    coefficients: list[float]
    folds_selected: int | None


@dataclass(frozen=True)
class BrainMachine:
    """A hyperplane: its class against the other one, or against the rest (None)."""

    positive_class: Label
    negative_class: Label | None
    intercept: float
    n_voxels: int
    certificate: Certificate


@dataclass(frozen=True)
class BrainFold:
    """One fold; counting starts at 1. `left_out` names its groups."""

    fold: int
    left_out: str
    n_train: int
    n_test: int
    error: float
    balanced_error: float
    n_voxels: int


@dataclass(frozen=True)
class BrainValidation:
    """Balanced error of all test volumes together, and the spread of that of the folds."""

    balanced_error: float
    balanced_error_sd: float
    folds: list[BrainFold]


@dataclass(frozen=True)
class Repetition:
    """A repetition, counted from 1: number of voxels, and the share of wrong training volumes."""

    repetition: int
    n_voxels: int
    training_error: float


@dataclass(frozen=True)
class InformativeVoxels:
    """Share of voxels that carry information: the papers' rule, and without those by chance."""

    estimate: float
    purified_estimate: float | None


@dataclass(frozen=True)
class BrainReport:
    """All of it; parts that were not asked for are None."""

    data: BrainData
    parameters: dict[str, Any]
    selected: list[Voxel]
    machines: list[BrainMachine]
    training: TrainingError
    cross_validation: BrainValidation | None
    repetitions: list[Repetition] | None
    stop_reason: str | None
    informative: InformativeVoxels | None
    regions: list[Region] | None
    files: list[str]
    seconds: dict[str, float]
    versions: dict[str, str | None]
    notes: list[str]
    chosen_C: float | None = None  # noqa: N815
    schema: str = field(default=BRAIN_SCHEMA)
    schema_version: int = field(default=SCHEMA_VERSION)
