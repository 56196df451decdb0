"""Panels beside each other: the same samples, folds and classifier for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import Fold, judge_in_parallel
from fewest._estimators.in_time import in_time
from fewest._estimators.splits import Split
from fewest._estimators.validation import encode_classes, make_dense, standardize_columns
from fewest._gaps import fill_all
from fewest._run.budget import Budget, take_in_time
from fewest._solvers.columns import Columns
from fewest._types import FloatArray, IndexArray
from fewest.panels._errors import (
    FOUND_HERE,
    Difference,
    PanelError,
    average_classes,
    compare_errors,
    describe_errors,
    measure_wrong,
)
from fewest.panels._folds import (
    Predictions,
    choose_on_all,
    count_votes,
    judge_choice,
    judge_columns,
    predict_columns,
)
from fewest.panels._given_others import measure_given_others
from fewest.panels._result import ChosenPanel, JudgedFeature, RandomPanels, StandIn
from fewest.panels._stand_ins import correlate_column, find_candidates

_CANDIDATES = 10  # that are judged in the place of every feature
_FEWEST_RANDOM = 19  # fewer say nothing about a share of 5 %
_TIE = 1e-9


@dataclass(eq=False)
class Study:
    """A panel, and everything that other panels are judged by as well.

    What it has found it keeps for the next report about this panel; `spent` are the seconds of the
    limit that earlier reports took.
    """

    model: Any
    X: Any
    y: NDArray[Any]
    groups: NDArray[Any] | None
    names: list[str]
    panel: IndexArray
    splits: list[Split]
    confidence: float
    n_jobs: int | None
    verbose: int
    given_others: tuple[list[float | None], int] | None = None
    spent: float = 0.0

    def __post_init__(self) -> None:
        self.classes, self.codes = encode_classes("a panel", self.y)
        together = np.arange(len(self.y)) if self.groups is None else self.groups
        self.units = np.unique(together, return_inverse=True)[1]
        folds = judge_columns(self.model, self.X, self.y, self.groups, self.panel, self.splits)
        self.votes = count_votes(_list_predictions(folds), self.classes, len(self.y))
        self.wrong = measure_wrong(self.votes, self.codes)
        self.warnings = list(dict.fromkeys(text for fold in folds for text in fold.warnings))

    @cached_property
    def filled(self) -> Any:
        """X for fits to all samples."""
        return fill_all(self.X)

    @cached_property
    def columns(self) -> Columns:
        """All columns, standardised on use."""
        return standardize_columns(self.filled)

    @property
    def usable(self) -> IndexArray:
        """Columns that vary."""
        return np.flatnonzero(self.columns.inverse_scale > 0.0)

    @property
    def own_error(self) -> float:
        """Balanced error of the panel."""
        return average_classes(self.wrong, self.codes)

    def describe(self, votes: FloatArray, caveat: str = "") -> PanelError:
        """Errors of all classes."""
        labels = self.classes.tolist()
        return describe_errors(
            votes, self.codes, labels, self.units, self.confidence, caveat=caveat
        )

    def compare(self, one: FloatArray, other: FloatArray) -> Difference:
        """The first balanced error minus the second."""
        return compare_errors(one, other, self.codes, self.units)

    def judge(self, panels: Sequence[IndexArray], budget: Budget, what: str) -> list[FloatArray]:
        """Share of wrong predictions of every sample, panel by panel, until time is over."""
        jobs = [
            (self.model, self.X, self.y, self.groups, panel, self.splits, self.classes)
            for panel in panels
        ]
        progress: dict[str, Any] = {"verbose": self.verbose, "what": what, "unit": "panel"}
        found = judge_in_parallel(jobs, judge=_measure_panel, n_jobs=self.n_jobs, **progress)
        return list(take_in_time(found, budget))

    @cached_property
    def values(self) -> FloatArray:
        """The features of the panel, without gaps."""
        return np.asarray(make_dense(self.filled[:, self.panel]), dtype=np.float64)

    @cached_property
    def without(self) -> list[FloatArray]:
        """The same without each feature; this takes no longer than it must."""
        parts = [np.delete(self.panel, place) for place in range(len(self.panel))]
        return self.judge(parts, Budget(None), "panels without a feature")

    def compare_given_others(
        self, n_permutations: int, rng: np.random.RandomState, budget: Budget
    ) -> tuple[list[float | None], int]:
        """p-values of all features, and the permutations behind each, until time is over."""
        if self.given_others is None:
            places = range(len(self.panel))
            settings: Any = {"n_permutations": n_permutations, "rng": rng, "budget": budget}
            self.given_others = measure_given_others(
                self.values, self.codes, self.groups, places, **settings
            )
        return self.given_others


def _list_predictions(folds: Sequence[Fold]) -> list[Predictions]:
    return [(fold.test, fold.predicted) for fold in folds]


def _measure_panel(
    model: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    columns: IndexArray,
    splits: Sequence[Split],
    classes: NDArray[Any],
) -> FloatArray:
    """Share of wrong predictions of every sample: little to keep of many panels."""
    votes = count_votes(predict_columns(model, X, y, groups, columns, splits), classes, len(y))
    return measure_wrong(votes, np.searchsorted(classes, y))


def describe_features(
    study: Study, without: Sequence[FloatArray], caveat: str, stand_ins: Sequence[list[StandIn]]
) -> list[JudgedFeature]:
    """What each feature adds, in the order of the panel."""
    return [
        JudgedFeature(
            study.names[column],
            column,
            average_classes(wrong, study.codes),
            study.compare(wrong, study.wrong),
            caveat,
            others,
        )
        for column, wrong, others in zip(study.panel.tolist(), without, stand_ins, strict=True)
    ]


def find_stand_ins(study: Study, n_stand_ins: int, budget: Budget) -> list[list[StandIn]]:
    """The best few of some candidates in the place of each feature, or an OutOfTimeError."""
    n_candidates = max(_CANDIDATES, 2 * n_stand_ins)
    candidates = [
        find_candidates(study.columns, study.codes, study.panel, place, n_candidates)
        for place in range(len(study.panel))
    ]
    pairs = [(place, other) for place, found in enumerate(candidates) for other in found.tolist()]
    panels = []
    for place, other in pairs:
        panels.append(study.panel.copy())
        panels[-1][place] = other
    judged = study.judge(panels, budget, "stand-ins") if budget.left else []
    if len(judged) < len(pairs):
        raise budget.refuse("stand-ins", "this panel")
    stand_ins: list[list[StandIn]] = [[] for _ in study.panel]
    for place, column in enumerate(study.panel.tolist()):
        correlation = correlate_column(study.columns, column)
        found = [
            StandIn(
                study.names[other],
                other,
                float(correlation[other]),
                average_classes(wrong, study.codes),
                study.compare(wrong, study.wrong),
                FOUND_HERE,
            )
            for (at, other), wrong in zip(pairs, judged, strict=True)
            if at == place
        ]
        found.sort(key=lambda one: (one.balanced_error, -abs(one.correlation)))
        stand_ins[place] = found[:n_stand_ins]
    return stand_ins


def draw_random_panels(
    study: Study, n_random: int, rng: np.random.RandomState, budget: Budget
) -> RandomPanels:
    """Random panels of the same size; an OutOfTimeError if time allows too few of them."""
    size = len(study.panel)
    panels = [rng.choice(study.usable, size, replace=False) for _ in range(n_random)]
    judged = study.judge(panels, budget, "random panels") if budget.left else []
    if len(judged) < min(n_random, _FEWEST_RANDOM):
        raise budget.refuse(f"{min(n_random, _FEWEST_RANDOM)} random panels", "this panel")
    errors = [average_classes(wrong, study.codes) for wrong in judged]
    n_as_good = int(np.sum(np.array(errors) <= study.own_error + _TIE))
    share = (1 + n_as_good) / (1 + len(errors))
    return RandomPanels(errors, float(np.median(errors)), share)


def judge_chooser(study: Study, chooser: Any, budget: Budget, what: str) -> ChosenPanel:
    """Let a selector choose in every fold, and judge what it chose; or an OutOfTimeError."""
    with in_time(budget, what, "this panel"):
        return _judge_chooser(study, chooser, what)


def _judge_chooser(study: Study, chooser: Any, what: str) -> ChosenPanel:
    chosen = choose_on_all(chooser, study.filled, study.y, study.groups)
    shared = (chooser, study.model, study.X, study.y, study.groups)
    progress: dict[str, Any] = {"verbose": study.verbose, "what": what}
    jobs = [(*shared, split) for split in study.splits]
    found = list(judge_in_parallel(jobs, judge=judge_choice, n_jobs=study.n_jobs, **progress))
    predicted = _list_predictions([fold for fold, _ in found])
    votes = count_votes(predicted, study.classes, len(study.y))
    supports = np.array([support for _, support in found])
    return ChosenPanel(
        method=abilities_of(chooser).name,
        errors=study.describe(votes),
        difference=study.compare(study.wrong, measure_wrong(votes, study.codes)),
        features=[study.names[column] for column in chosen],
        is_given=set(chosen.tolist()) == set(np.asarray(study.panel).tolist()),
        sizes=supports.sum(axis=1).tolist(),
        folds_with=supports[:, study.panel].sum(axis=0).tolist(),
    )
