"""How often noise is called better than guessing, and how often 95 % intervals hold the truth.

The verdict is that of `fewest select` and the page, without a permutation test. The truth of an
interval is the error of the very machines that were fitted, on many new samples; `elsewhere` is
the machine fitted to all samples, on a second data set of the same design. Every 95 % interval
that is printed somewhere is counted; the area under the ROC curve, the share of informative
features and the stability of a cross-validation are printed without one.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom, binomtest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from benchmarks.verdict_designs import DESIGNS, Design
from fewest import SupportFeatureMachine
from fewest._estimators.uncertainty import CONFIDENCE
from fewest.panels._errors import describe_errors
from fewest.report import make_report
from fewest.report._verdict import judge_content
from fewest.significance import compare_methods, learning_curve, run_held_out
from fewest.significance._power_law import find_slope

FIRST_SEED = 50_000
LEVEL, LEAST_COVERED = 1.0 - CONFIDENCE, 0.9
DOUBT = 0.01  # as probable as this are so many false claims at the level: more are too many
CURVE_EVERY = 3  # runs; a learning curve takes most of the time
LEAST_JUDGED = 30  # fewer intervals of a quantity say little: those of all designs are judged then
N_DOUBLED = 10  # machines fitted to twice the samples, for the error to be expected of them
QUANTITIES = ("error", "balanced", "class", "difference", "curve", "slope", "doubled", "elsewhere")


class _Watched:
    """A machine that notes its errors on new samples, class by class, as soon as it is fitted."""

    new: tuple[Any, Any]
    seen: list[tuple[int, Any]]

    def fit(self, X: Any, y: Any, **settings: Any) -> Any:
        super().fit(X, y, **settings)  # type: ignore[misc]
        new_X, new_y = _Watched.new
        wrong = self.predict(new_X) != new_y  # type: ignore[attr-defined]
        errors = np.bincount(new_y, weights=wrong) / np.bincount(new_y)
        _Watched.seen.append((len(y), errors))
        return self


class WatchedMachine(_Watched, SupportFeatureMachine):
    """The machine whose verdict is counted."""


def make_machine(design: Design) -> WatchedMachine:
    """For more than two classes, the one that takes a quarter of the time."""
    return WatchedMachine(multi_class="joint" if design.n_classes == 2 else "separate")


class WatchedBayes(_Watched, GaussianNB):
    """The method that it is compared with."""


@dataclass
class Outcome:
    """One data set: whether it was called better, and which intervals hold the truth."""

    is_better: bool = False
    covered: dict[str, list[bool]] = field(default_factory=lambda: {q: [] for q in QUANTITIES})

    def note(self, quantity: str, interval: Any, truth: float) -> None:
        if interval is not None:
            self.covered[quantity].append(interval.low <= truth <= interval.high)


def run_once(design: Design, seed: int, effect: float, with_curve: bool) -> Outcome:
    """Draw a data set, judge it as the commands do, and compare with new samples."""
    rng = np.random.default_rng([seed, int(effect > 0.0)])
    X, y, groups = design.draw(rng, effect)
    _Watched.new, _Watched.seen = design.draw_new(rng, effect), []
    settings: dict[str, Any] = {"groups": groups, "random_state": seed}
    outcome = Outcome()
    with warnings.catch_warnings(action="ignore"):  # of few groups or samples per class
        estimator = make_machine(design)
        held_out = run_held_out(estimator, X, y, **settings)
        true = _take_errors().mean(axis=0)
        machine = clone(estimator).fit(X, y)
        _note_elsewhere(outcome, machine, design.draw(rng, effect), _take_errors()[0])
        page = make_report(machine, X, y, held_out=held_out, parts=(), **settings)
        outcome.is_better = judge_content(page.content).is_better is True
        found = page.content.trust.validation
        outcome.note("error", found.interval, float(true @ np.bincount(y) / len(y)))
        outcome.note("balanced", found.balanced_interval, float(true.mean()))
        for one, error in zip(found.classes, true.tolist(), strict=True):
            outcome.note("class", one.interval, error)
        compared = compare_methods(
            estimator, X, y, {"bayes": WatchedBayes()}, held_out=held_out, **settings
        )
        difference = _take_errors().mean() - true.mean()
        outcome.note("difference", compared.methods[1].difference_interval, float(difference))
        if with_curve:
            doubled = _note_curve(outcome, X, y, held_out, true, settings)
            if doubled is not None:
                outcome.note("doubled", doubled.interval, expect_of_doubled(design, effect))
    return outcome


def _note_elsewhere(outcome: Outcome, machine: Any, second: Any, true: Any) -> None:
    """The intervals of `fewest panel --against`: only the second data set is left to chance."""
    X, y, groups = second
    labels = machine.classes_.tolist()
    votes = np.eye(len(labels))[np.searchsorted(machine.classes_, machine.predict(X))]
    units = np.arange(len(y)) if groups is None else groups
    found = describe_errors(votes, y, labels, units, CONFIDENCE, refitted=False)
    _take_errors()
    outcome.note("elsewhere", found.interval, float(true.mean()))
    for one, error in zip(found.classes, true.tolist(), strict=True):
        outcome.note("elsewhere", one.interval, error)


@lru_cache
def expect_of_doubled(design: Design, effect: float) -> float:
    """The mean balanced error of machines that are fitted to twice the samples."""
    larger = replace(design, n=2 * design.n, sizes=2 * design.sizes)
    _Watched.seen.clear()
    for number in range(N_DOUBLED):
        rng = np.random.default_rng([number, 2])
        X, y, _ = larger.draw(rng, effect)
        _Watched.new = larger.draw_new(rng, effect)
        make_machine(design).fit(X, y)
    return float(_take_errors().mean())


def _note_curve(outcome: Outcome, X: Any, y: Any, held_out: Any, true: Any, settings: Any) -> Any:
    """Returns the error that the curve expects of twice the samples, if it says one."""
    try:
        found = learning_curve(
            held_out.estimator, X, y, n_sizes=3, n_repeats=2, held_out=held_out, **settings
        )
    except ValueError:  # too few groups for a curve
        return None
    numbers = np.array([point.n_train for point in found.points])
    errors: list[list[float]] = [[] for _ in found.points]
    errors[-1] = [float(true.mean())] * len(held_out.folds)
    for n_train, of_classes in _Watched.seen:
        errors[int(np.argmin(np.abs(numbers - n_train)))].append(float(of_classes.mean()))
    truth = np.array([np.mean(own) for own in errors])
    for point, error in zip(found.points, truth.tolist(), strict=True):
        outcome.note("curve", point.interval, error)
    outcome.note("slope", found.slope_interval, float(find_slope(numbers, truth[None])[0]))
    return found.doubled


def _take_errors() -> Any:
    """Errors of all machines fitted since the last call, one row per machine."""
    errors = np.array([errors for _, errors in _Watched.seen])
    _Watched.seen.clear()
    return errors


def count_claims(outcomes: list[Outcome]) -> tuple[int, int]:
    return sum(one.is_better for one in outcomes), len(outcomes)


def count_covered(outcomes: list[Outcome], quantity: str) -> tuple[int, int]:
    """Intervals that hold the truth, and all that were printed."""
    found = [one for outcome in outcomes for one in outcome.covered[quantity]]
    return sum(found), len(found)


def has_too_many(claims: int, n_runs: int) -> bool:
    """Whether so many false claims are improbable at the level."""
    return bool(binom.sf(claims - 1, n_runs, LEVEL) < DOUBT)


def find_faults(found: dict[str, tuple[list[Outcome], list[Outcome]]]) -> list[str]:
    """What does not keep its promise: in a design, and intervals over all of them."""
    faults = []
    for name, (noise, signal) in found.items():
        claims, n_runs = count_claims(noise)
        if has_too_many(claims, n_runs):
            faults.append(f"{name}: noise called better in {claims} of {n_runs} runs")
        for what, outcomes in (("noise", noise), ("signal", signal)):
            faults += _find_missed(f"{name}, {what}", outcomes, LEAST_JUDGED)
    return faults + _find_missed("all designs", _pool(found), 1)


def _find_missed(where: str, outcomes: list[Outcome], least: int) -> list[str]:
    faults = []
    for quantity in QUANTITIES:
        covered, number = count_covered(outcomes, quantity)
        if number >= least and covered < LEAST_COVERED * number:
            faults.append(f"{where}: {covered} of {number} intervals of {quantity} hold the truth")
    return faults


def _pool(found: dict[str, tuple[list[Outcome], list[Outcome]]]) -> list[Outcome]:
    return [one for pair in found.values() for outcomes in pair for one in outcomes]


def run_design(
    design: Design, n_runs: int, seed: int, n_jobs: int
) -> tuple[list[Outcome], list[Outcome]]:
    """Outcomes under noise and under a signal."""
    jobs = [
        (design, seed + number, effect, number % CURVE_EVERY == 0)
        for effect in (0.0, 1.0)
        for number in range(n_runs)
    ]
    found = list(_run_all(jobs, n_jobs))
    return found[:n_runs], found[n_runs:]


def _run_all(jobs: list[Any], n_jobs: int) -> Iterator[Outcome]:
    started, told = time.monotonic(), time.monotonic()
    runs = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(run_once)(*job) for job in jobs)
    for number, outcome in enumerate(runs, start=1):
        yield outcome
        now = time.monotonic()
        if now > told + 10.0:
            told = now
            left = (now - started) / number * (len(jobs) - number)
            print(f"  {number} of {len(jobs)} data sets, {left:.0f} s left", file=sys.stderr)


def describe(design: Design, noise: list[Outcome], signal: list[Outcome]) -> str:
    """The row of a design."""
    claims, n_runs = count_claims(noise)
    ends = binomtest(claims, n_runs).proportion_ci(CONFIDENCE, "wilson")
    said = f"{claims}/{n_runs} ({100 * ends.low:.1f}-{100 * ends.high:.1f} %)"
    cells = [f"{design.name:<30}", f"{said:<20}", f"{count_claims(signal)[0] / n_runs:6.0%}"]
    for quantity in QUANTITIES:
        shares = [_share(outcomes, quantity) for outcomes in (noise, signal)]
        cells.append(f"{'/'.join(shares):>10}")
    return " ".join(cells)


def _share(outcomes: list[Outcome], quantity: str) -> str:
    """In brackets where there are too few to judge."""
    covered, number = count_covered(outcomes, quantity)
    if not number:
        return "-"
    share = f"{100 * covered / number:.0f}"
    return share if number >= LEAST_JUDGED else f"({share})"


def describe_all(outcomes: list[Outcome]) -> str:
    """How many intervals of all designs hold the truth."""
    lines = ["", "Over all designs, noise and signal:"]
    for quantity in QUANTITIES:
        covered, number = count_covered(outcomes, quantity)
        if number:
            lines.append(f"  {quantity:<10} {covered} of {number} ({covered / number:.1%})")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300, help="per design, of noise and of signal")
    parser.add_argument("--designs", default="", help="only those whose name contains this")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="of the first run")
    arguments = parser.parse_args()
    print(
        f"False claims: noise called better, with a {CONFIDENCE:.0%} interval; at most "
        f"{LEVEL:.0%} is promised.\nFound: signals called better. Then the share (%) of "
        f"{CONFIDENCE:.0%} intervals that hold the truth, noise/signal;\n- where none is printed, "
        f"in brackets where fewer than {LEAST_JUDGED} are.\n"
        "No interval is printed for AUC, informative features and stability of folds."
    )
    header = " ".join(f"{quantity:>10}" for quantity in QUANTITIES)
    print(f"{'design':<30} {'false claims':<20} {'found':>6} {header}", flush=True)
    found = {}
    for design in DESIGNS:
        if arguments.designs in design.name:
            pair = run_design(design, arguments.runs, arguments.seed, arguments.jobs)
            found[design.name] = pair
            print(describe(design, *pair), flush=True)
    print(describe_all(_pool(found)))
    faults = find_faults(found)
    print("\n".join(["", *faults]) if faults else "\nAll as promised.")
    sys.exit(bool(faults))


if __name__ == "__main__":
    # Worker processes find functions and caches by the name of their module.
    from benchmarks import verdict

    verdict.main()
