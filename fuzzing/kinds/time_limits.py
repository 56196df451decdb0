"""Every function with a limit of time, on data that may be too large for it, under random rules.

Processor time counts, because the computer may be busy with other things.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from fewest import (
    FeatureSelectionConcave,
    Liknon,
    SupportFeatureMachine,
    ZeroNormSVM,
    error_front,
    minimum_features,
    near_optimal_sets,
)
from fewest.diagnostics import diagnose
from fewest.panels import feature_statements, panel_report
from fewest.report import make_report
from fewest.significance import permutation_test, run_held_out
from fuzzing.data import draw_codes
from fuzzing.outcome import require
from fuzzing.rules import draw_rules

_LIMITS = (0.2, 0.5, 1.0, 1.5)
_GRACE = 2.0  # seconds of the processor after which a limit is not kept
_MOST_CALLS = 6
_NOTHING = 0.05  # seconds of compiling that explain nothing
_MOST_VALUES = 5_000_000
_ENDLESS = 10_000  # permutations or resamples: never done in time

_Call = Callable[[float], object]  # with a limit in seconds


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([15, case])
    limit = float(rng.choice(_LIMITS))
    name, call = draw(rng)
    compiling = _Compiling()
    for number in range(_MOST_CALLS):  # what is compiled or imported takes its time once
        compiling.seconds = 0.0
        with event.install_listener("numba:compile", compiling):
            late = _measure(call, limit)
        if late <= _GRACE or (number and compiling.seconds < _NOTHING):
            break
    require(late <= _GRACE, f"{name}: {late:.1f} s after its limit of {limit} s", "late")


class _Compiling(event.Listener):
    """Seconds of the processor in which numba compiled, or read what it had compiled."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._began = 0, 0.0

    def on_start(self, event: Any) -> None:
        if not self._depth:
            self._began = time.process_time()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.process_time() - self._began


def draw(rng: np.random.Generator) -> tuple[str, _Call]:
    """A function with its data and rules, mostly a search, and what it is."""
    choices = (_draw_search, _draw_search, _draw_search, _draw_machine, _draw_test)
    return choices[int(rng.integers(len(choices)))](rng)


def _measure(call: _Call, limit: float) -> float:
    """Seconds of the processor after the limit; a refusal is an end like any other.

    Compiled code may keep the timer waiting: then the limit counts in seconds of the processor.
    """
    over: list[float] = []
    timer = threading.Timer(limit, lambda: over.append(time.process_time()))
    began = time.process_time()
    timer.start()
    try:
        call(limit)
    except ValueError as error:
        require(len(str(error)) > 20, f"no sentence: {error}")
    finally:
        timer.cancel()
    ended = time.process_time()
    return ended - min([began + limit, *over])


def _draw_data(rng: np.random.Generator, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Up to so many values: few samples and many features, or the other way round."""
    n = int(10.0 ** rng.uniform(1.2, 3.8))
    d = int(10.0 ** rng.uniform(0.7, np.log10(most / n)))
    X = rng.standard_normal((n, d))
    if rng.random() < 0.3:
        X = np.rint(rng.choice([1.0, 3.0]) * X)
    elif rng.random() < 0.1:  # all columns are as good as the first
        X = np.outer(X[:, 0], np.arange(1.0, d + 1.0))
    if rng.random() < 0.15:  # ranges of the first column, but for a few samples
        n_classes = int(rng.integers(2, min(n, 10) + 1))
        y = np.argsort(np.argsort(X[:, 0])) * n_classes // n
        moved = rng.integers(0, n, int(rng.integers(30)))
        y[moved] = rng.integers(0, n_classes, len(moved))
        return X, np.unique(y, return_inverse=True)[1]
    return X, draw_codes(rng, X, int(rng.choice([2, 2, 2, 3, 5])))


def _draw_search(rng: np.random.Generator) -> tuple[str, _Call]:
    X, y = _draw_data(rng, _MOST_VALUES)
    named = min(X.shape[1], int(rng.choice([5, 40, 500])))
    rules = draw_rules(rng, named, len(np.unique(y))) if rng.random() < 0.5 else {}
    several = None if rng.random() < 0.3 else 1
    max_errors = int(max(5, len(y)) ** rng.uniform(0.0, 0.9))
    search, wanted = (
        (minimum_features, {"n_solutions": several}),
        (minimum_features, {"n_solutions": several, "max_errors": max_errors}),
        (near_optimal_sets, {"extra": float(rng.integers(3))}),
        (error_front, {"n_solutions": several, "max_features": int(4.0 ** rng.uniform(0, 2.2))}),
    )[int(rng.integers(4))]
    if search is error_front or "max_errors" in wanted:
        rules.pop("feature_groups", None)
        rules.pop("one_per_group", None)
    said = f"{search.__name__} of {X.shape}, {len(np.unique(y))} classes, {wanted}, rules {rules}"

    def call(limit: float) -> object:
        return search(X, y, max_seconds=limit, **wanted, **rules)

    return said, call


def _draw_machine(rng: np.random.Generator) -> tuple[str, _Call]:
    X, y = _draw_data(rng, _MOST_VALUES)
    kind = (SupportFeatureMachine, SupportFeatureMachine, Liknon, ZeroNormSVM)[rng.integers(4)]
    C = np.inf if rng.random() < 0.3 else float(10.0 ** rng.uniform(-2, 3))
    machine: Any = kind(C=C)
    if rng.random() < 0.15:
        machine = FeatureSelectionConcave()
    said = f"{machine} of {X.shape}, {len(np.unique(y))} classes"
    y = np.minimum(y, 1)  # the limit is one of each hyperplane

    def call(limit: float) -> object:
        return machine.set_params(max_seconds=limit).fit(X, y)

    return said, call


def _draw_test(rng: np.random.Generator) -> tuple[str, _Call]:
    """What repeats fits, each of which takes little time."""
    X, y = _draw_data(rng, 40_000)
    y = np.where(np.arange(len(y)) < 10, np.arange(len(y)) % 2, np.minimum(y, 1))
    machine = SupportFeatureMachine(C=1.0, max_seconds=0.2)
    few = list(range(min(3, X.shape[1])))

    def test(limit: float) -> object:
        return permutation_test(machine, X, y, n_permutations=_ENDLESS, cv=3, max_seconds=limit)

    def judge(limit: float) -> object:
        return diagnose(X, y, n_permutations=_ENDLESS, cv=3, max_seconds=limit)

    def state(limit: float) -> object:
        return feature_statements(machine, X, y, n_resamples=_ENDLESS, max_seconds=limit)

    def report_panel(limit: float) -> object:
        return panel_report(X, y, few, n_repeats=1, n_random=_ENDLESS, max_seconds=limit)

    def report(limit: float) -> object:
        return make_report(fitted, X, y, held_out=held_out, max_seconds=limit)

    call = (test, judge, state, report_panel, report)[int(rng.integers(5))]
    if call is report:
        held_out = run_held_out(machine, X, y, cv=3, random_state=0)
        fitted = SupportFeatureMachine(C=1.0).fit(X, y)
    return f"{call.__name__} of {X.shape}", call
