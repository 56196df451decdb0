"""How much a page computes: decided by the shape of the data, not by the clock.

The same command with the same seed gives the same page then, on a slow computer and on a busy one.
The clock ends only what takes several times as long as planned, and the page says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from joblib import effective_n_jobs

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import HeldOut
from fewest.machines.sfm import SupportFeatureMachine
from fewest.report._data import Data

# What parts of the page may take, in seconds of the computer that the estimates below are of.
TEST_SECONDS, SUBSET_SECONDS, COST_SECONDS = 60.0, 10.0, 20.0
# On the clock: parts end then, however much was planned. The test may take a multiple of what was
# announced, because permuted classes may take longer to fit than those of the data.
MOST_SECONDS = {"alternatives": 15.0, "costs": 30.0, "minimum": 30.0, "front": 10.0, "points": 10.0}
_MOST_TIMES, _AND_SECONDS = 3.0, 10.0
# Numbers of permutations that are tried: the smallest p-values are 0.01, 0.025 and 0.05.
_OF_THE_MACHINE, _OF_THE_STAND_IN = (99, 39), (99, 39, 19)
FEWEST_PERMUTATIONS = 19  # fewer can never reach p = 0.05
# Seconds of a fit of the Support Feature Machine: in all, per value of X, per pair of samples.
_START, _PER_VALUE, _PER_PAIR = 0.008, 1e-8, 1e-6
_STAND_IN_COST = 2.0  # that of `fewest select --method sfm`


@dataclass(frozen=True)
class TestPlan:
    """Which machine is tested with how many permutations, and what that takes in seconds."""

    estimator: Any
    n_permutations: int
    is_shown: bool
    seconds: float
    is_asked: bool = False

    def expect(self, held_out: HeldOut | None, data: Data) -> float:
        """Seconds on this computer, as far as the fits of the folds tell."""
        return self.seconds * measure_speed(held_out, data) / effective_n_jobs(data.n_jobs)

    def limit(self, held_out: HeldOut | None, data: Data) -> float | None:
        """Seconds after which the clock ends it; None if somebody wants all of it."""
        if self.is_asked:
            return None
        return _MOST_TIMES * self.expect(held_out, data) + _AND_SECONDS


def estimate_fit(estimator: Any, data: Data) -> float:
    """Seconds of a fit by the shape of the data: samples, features, classes, and the method.

    Measured on one core of an ordinary computer, for classes that hardly differ.
    """
    n_samples, n_features = data.X.shape
    one = _START + _PER_VALUE * n_samples * n_features + _PER_PAIR * n_samples**2
    abilities, n_classes = abilities_of(estimator), len(data.classes)
    n_programs = 1
    if n_classes > 2:  # one program for all of them grows with their pairs
        n_programs = n_classes**2 if abilities.joins_classes else n_classes
    return one * n_programs * abilities.effort


def make_stand_in() -> SupportFeatureMachine:
    """The machine that is tested where permutations of the one shown would take too long."""
    return SupportFeatureMachine(C=_STAND_IN_COST, multi_class="separate")


def plan_tests(
    estimator: Any, data: Data, n_folds: int, asked: int | None, *, by_clock: bool = False
) -> list[TestPlan]:
    """The test of a page, and the one that takes its place if it cannot be done.

    It is of the machine shown with 99 permutations of the classes, or 39, if these take no more
    than a minute by `estimate_fit`; otherwise of the stand-in with 99, 39 or 19. A machine of the
    stand-in's kind has 19 itself before that. A number that was asked for is always that of the
    machine shown. Where the clock decides, both machines are tried with the largest number.
    """
    stand_in, abilities = make_stand_in(), abilities_of(estimator)
    is_of_its_kind = abilities.effort <= abilities_of(stand_in).effort
    of_shown = _OF_THE_STAND_IN if is_of_its_kind else _OF_THE_MACHINE
    has_stand_in, plans = abilities.classifies, []
    for machine, numbers in ((estimator, of_shown), (stand_in, _OF_THE_STAND_IN)):
        is_shown = machine is estimator
        if not is_shown and not has_stand_in:
            continue
        tried = [
            _plan(machine, data, n_folds, n, is_shown=is_shown, is_asked=asked is not None)
            for n in (numbers if asked is None else (asked,))
        ]
        fits = [one for one in tried if one.seconds <= TEST_SECONDS]
        if by_clock or (asked is not None and is_shown):
            fits = tried
        plans += fits[:1]
    return plans


def _plan(
    estimator: Any, data: Data, n_folds: int, n: int, *, is_shown: bool, is_asked: bool
) -> TestPlan:
    abilities = abilities_of(estimator)
    n_fits = (n_folds if abilities.classifies else 0) + (abilities.counts_features and is_shown)
    seconds = n * max(1, n_fits) * estimate_fit(estimator, data)
    return TestPlan(estimator, n, is_shown, seconds, is_asked)


def measure_speed(held_out: HeldOut | None, data: Data) -> float:
    """How much longer than estimated a fit takes here; 1 where no fold was fitted."""
    seconds = seconds_per_fit(held_out)
    if held_out is None or not seconds or held_out.estimator is None:
        return 1.0
    return seconds / estimate_fit(held_out.estimator, data)


def seconds_per_fit(held_out: HeldOut | None) -> float:
    """What a fit took; zero where there are no folds that would tell."""
    if held_out is None:
        return 0.0
    return math.fsum(fold.seconds for fold in held_out.folds) / len(held_out.folds)


def count_folds(held_out: HeldOut | None) -> int:
    """The folds of one cross-validation; 1 where there is none."""
    return 1 if held_out is None else len(held_out.first_repeat.folds)


def say_seconds(seconds: float) -> str:
    """'20 s', '3 min', '2 h', in one or two digits."""
    if seconds < 100:
        return f"{max(1, round(seconds, -1 if seconds >= 20 else 0)):.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
