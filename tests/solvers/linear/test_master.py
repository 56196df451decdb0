"""The restricted program on HiGHS: growth, rays, and what happens when HiGHS gives up."""

import highspy
import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import Master, SolverError
from fuzzing.oracles.linear import METHODS, Case, full_objective, standardise
from fuzzing.oracles.solved import problem_of, run
from tests.solvers.cases import noise, planted

STATUS = highspy.HighsModelStatus
ALL = np.arange(20)
EVERY_PROBLEM = pytest.mark.parametrize("method", METHODS)
HARD_AND_SOFT = pytest.mark.parametrize("slack_cost", [None, np.full(20, 0.2)])


def case_of(method="unit_margin", slack_cost=None, d=30, **changes) -> Case:
    X, y = planted(20, d, shift=1.0, seed=5)
    return Case(X, y, method, slack_cost=slack_cost, **changes)


def master_of(case: Case, features, samples=ALL, samples_first=False) -> Master:
    master, block = Master(problem_of(case)), scale_columns(case.X).take(np.asarray(features))
    if samples_first:
        master.add_samples(np.asarray(samples))
    master.add_features(np.asarray(features), block)
    if not samples_first:
        master.add_samples(np.asarray(samples))
    return master


def value(case: Case, master: Master) -> float:
    """What the master's weights cost, in the test's own arithmetic."""
    solution = master.solve()
    assert solution.bounded
    margins = case.y * (standardise(case.X)[:, master.features] @ solution.w + solution.b)
    np.testing.assert_allclose(master.margins(solution), margins, atol=1e-9)
    paid = 0.0
    if case.slack_cost is not None:
        paid = case.slack_cost @ np.maximum(0.0, case.margin - margins)
    return case.c[master.features] @ np.abs(solution.w) + paid


@EVERY_PROBLEM
@HARD_AND_SOFT
@pytest.mark.parametrize("samples_first", [True, False])
def test_everything_at_once_is_the_full_program(method, slack_cost, samples_first):
    case = case_of(method, slack_cost)
    master = master_of(case, range(30), samples_first=samples_first)
    assert value(case, master) == pytest.approx(full_objective(case))


@EVERY_PROBLEM
@HARD_AND_SOFT
def test_growth_ends_where_a_cold_start_does(method, slack_cost):
    """Features and samples in turns, solved in between, so that every start but one is warm."""
    case = case_of(method, slack_cost)
    columns = scale_columns(case.X)
    master = master_of(case, [0, 1, 2], samples=range(8))
    for step in range(3):
        master.solve()
        features = np.arange(3 + 9 * step, 12 + 9 * step)
        master.add_features(features, columns.take(features))
        master.solve()
        master.add_samples(np.arange(8 + 4 * step, 12 + 4 * step))
    np.testing.assert_array_equal(np.sort(master.features), np.arange(30))
    np.testing.assert_array_equal(master.samples, ALL)
    assert value(case, master) == pytest.approx(full_objective(case))


def test_feature_costs():
    cost = np.linspace(0.5, 3.0, 30)
    case = case_of(feature_cost=cost)
    assert value(case, master_of(case, range(30))) == pytest.approx(full_objective(case))


@EVERY_PROBLEM
@HARD_AND_SOFT
def test_fewer_features_with_other_costs_are_the_program_of_these(method, slack_cost):
    """Also features that had a weight go, and what was cheap becomes expensive."""
    rng = np.random.default_rng(0)
    case = case_of(method, slack_cost)
    master, kept = master_of(case, range(30)), np.arange(30)
    for count in (22, 21, 15):
        master.solve()
        places = np.sort(rng.permutation(len(kept))[:count])
        kept = kept[places]
        costs = 10.0 ** rng.uniform(-1.0, 2.0, count)
        part = case.replace(X=case.X[:, kept], feature_cost=costs)
        master.narrow(places, problem_of(part))
        assert value(part, master) == pytest.approx(full_objective(part))


def test_dual_solution_is_feasible_and_tight():
    case = case_of(slack_cost=np.full(20, 0.2))
    solution = master_of(case, range(30)).solve()
    assert np.all((solution.alpha >= 0) & (solution.alpha <= 0.2 + 1e-12))
    assert solution.alpha @ case.y == pytest.approx(0.0, abs=1e-9)
    prices = np.abs((solution.alpha * case.y) @ standardise(case.X))
    assert prices.max() <= 1 + 1e-7
    np.testing.assert_allclose(prices[solution.w != 0], 1.0, atol=1e-7)


def test_samples_outside_the_program_have_no_alpha():
    case = case_of()
    solution = master_of(case, range(30), samples=[0, 1, 2, 3]).solve()
    assert np.all(solution.alpha[4:] == 0.0)
    assert solution.alpha[:4].any()


@EVERY_PROBLEM
def test_too_few_features_give_a_ray(method):
    """One noise column cannot separate: the ray prices it at zero, and is worth something."""
    X, y = noise(20, 5, seed=1)
    case = Case(X, y, method)
    master = master_of(case, [0])
    ray = master.solve()
    assert not ray.bounded
    assert np.all(ray.alpha >= -1e-12)
    assert ray.multiplier == 0.0 or method != "unit_margin"
    v = ray.alpha * y + (0.0 if case.u is None else ray.multiplier * case.u)
    worth = case.margin * ray.alpha.sum() + case.rhs * ray.multiplier
    assert worth > 0.0
    assert abs(v.sum()) <= 1e-9 * worth
    assert abs(v @ standardise(X)[:, 0]) <= 1e-9 * worth
    np.testing.assert_array_equal(ray.w, [0.0])
    assert ray.b == 0.0


def test_no_features_give_a_ray():
    master = master_of(case_of(), np.empty(0, dtype=int))
    assert not master.solve().bounded


class Fails:
    """Reports the given statuses first, and then whatever HiGHS says."""

    def __init__(self, *statuses):
        self.statuses, self.strategies = list(statuses), []
        self.run = Master._run

    def __call__(self, master, strategy):
        self.strategies.append(strategy)
        status = self.run(master, strategy)
        return self.statuses.pop(0) if self.statuses else status


def fail_with(monkeypatch, *statuses) -> Fails:
    fails = Fails(*statuses)
    monkeypatch.setattr(Master, "_run", lambda self, strategy: fails(self, strategy))
    return fails


@pytest.mark.parametrize("status", [STATUS.kUnknown, STATUS.kSolveError, STATUS.kIterationLimit])
def test_a_failure_is_retried(monkeypatch, status):
    case = case_of()
    fails = fail_with(monkeypatch, status)
    assert value(case, master_of(case, range(30))) == pytest.approx(full_objective(case))
    assert len(fails.strategies) == 2


def test_failure_after_failure_is_an_error(monkeypatch):
    fail_with(monkeypatch, *[STATUS.kIterationLimit] * 20)
    with pytest.raises(SolverError, match="the linear program ended with status kIterationLimit"):
        run(case_of())


def hide_rays(monkeypatch, times: int) -> None:
    """HiGHS may call a program unbounded and have no ray at hand."""
    original, left = highspy.Highs.getPrimalRay, [times]

    def get_ray(self):
        left[0] -= 1
        status, found, ray = original(self)
        return status, found and left[0] < 0, ray

    monkeypatch.setattr(highspy.Highs, "getPrimalRay", get_ray)


def test_a_missing_ray_is_asked_for_again(monkeypatch):
    X, y = noise(20, 5, seed=1)
    hide_rays(monkeypatch, times=1)
    assert not master_of(Case(X, y, "unit_margin"), [0]).solve().bounded


def test_a_ray_that_stays_missing_is_found_by_a_program_of_its_own(monkeypatch):
    X, y = noise(20, 5, seed=1)
    hide_rays(monkeypatch, times=20)
    assert not master_of(Case(X, y, "unit_margin"), [0]).solve().bounded
