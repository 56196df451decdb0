"""Repeated programs are optimal over all columns left, although few of them are looked at."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import repeat
from fewest._solvers.linear.repeat import Repeater
from fewest._solvers.result import Status
from fuzzing.oracles.linear import METHODS, Case
from fuzzing.oracles.solved import assert_infeasible, assert_optimal, problem_of, run
from tests.fuzzing import examples
from tests.solvers.cases import hard_cases, noise, planted, soft_cases

X, Y = noise(30, 3000, seed=2)


@pytest.fixture(autouse=True)
def few_columns_at_hand(monkeypatch):
    """So that small data need several looks around."""
    monkeypatch.setattr(repeat, "_FEWEST_NEAR", 60)
    monkeypatch.setattr(repeat, "_NEAR_PER_SAMPLE", 0)
    monkeypatch.setattr(repeat, "_START", 5)


def without(case, gone):
    """The case whose columns that are set aside have no variance."""
    left = case.X.copy()
    left[:, gone] = 0.0
    return case.replace(X=left)


def repetitions(case, count):
    """Solutions, each with the case it should solve."""
    repeater, problem = Repeater(scale_columns(case.X)), problem_of(case)
    gone = np.zeros(case.X.shape[1], dtype=bool)
    for _ in range(count):
        result = repeater.solve(problem)
        yield without(case, gone), result, repeater
        if not result.n_features:
            return
        gone[result.features] = True
        repeater.remove(result.features)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("slack_cost", [None, 0.02, 500.0])
def test_every_repetition_is_optimal(method, slack_cost):
    cost = None if slack_cost is None else np.full(30, slack_cost)
    for case, result, _ in repetitions(Case(X, Y, method, slack_cost=cost), 12):
        assert_optimal(case, result)
        assert result.objective == pytest.approx(run(case).objective, rel=1e-7)


def test_most_repetitions_make_no_pass_over_all_columns(monkeypatch):
    big, y = noise(30, 20_000, seed=0)
    monkeypatch.setattr(repeat, "_FEWEST_NEAR", 600)
    found = list(repetitions(Case(big, y), 40))
    assert found[-1][2].n_passes <= 15
    for case, result, _ in found[::8]:
        assert_optimal(case, result)


def test_until_the_end_with_a_proof():
    *_, (case, last, _) = repetitions(Case(X[:, :700], Y), 1000)
    assert last.status is Status.INFEASIBLE
    assert_infeasible(case, last)


def test_columns_that_are_not_at_hand_cannot_help_equal_samples():
    """The same sample in both classes: a proof from the columns at hand holds for all columns."""
    twice = X.copy()
    twice[1] = twice[0]
    assert Y[1] != Y[0]
    ((case, result, repeater),) = repetitions(Case(twice, Y, "unit_margin"), 1)
    assert_infeasible(case, result)
    assert repeater.n_passes == 1


@examples(60)
@given(case=st.one_of(hard_cases(), soft_cases()))
def test_awkward_columns(case):
    """Ties, copies, constants, offsets: optimal after every removal."""
    for left, result, _ in repetitions(case, 4):
        if result.status is Status.INFEASIBLE:
            assert_infeasible(left, result)
        else:
            assert_optimal(left, result)


def test_of_identical_columns_the_first_one_left_is_taken():
    twice = np.repeat(planted(30, 400, 1.5)[0], 2, axis=1)
    y = planted(30, 400, 1.5)[1]
    (_, first, _), (_, second, _), *_ = repetitions(Case(twice, y), 2)
    assert np.all(first.features % 2 == 0)
    np.testing.assert_array_equal(second.features, first.features + 1)


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_more_copies_of_a_column_than_are_kept_at_hand(offset):
    """With an offset their prices differ by rounding."""
    rng = np.random.default_rng(0)
    one, y = planted(30, 200, 1.5)
    copies = one[:, :3].repeat(300, axis=1) + rng.uniform(0, offset, 900)
    case = Case(np.hstack([one[:, 3:], copies]), y)
    for left, result, _ in repetitions(case, 3):
        assert_optimal(left, result)


def test_many_samples():
    big, y = planted(500, 300, 1.0)
    for case, result, _ in repetitions(Case(big, y, slack_cost=np.full(500, 0.1)), 4):
        assert_optimal(case, result)


def test_a_restored_state_goes_on_bit_by_bit():
    case = Case(X, Y)
    problem, results, records = problem_of(case), [], []
    repeater = Repeater(scale_columns(X))
    for _ in range(15):
        results.append(repeater.solve(problem))
        repeater.remove(results[-1].features)
        records.append((results[-1].features, json.dumps(repeater.state())))
    for done in (0, 1, 4, 9, 14):
        again = Repeater(scale_columns(X))
        for features, state in records[:done]:
            again.remove(features)
            again.restore(json.loads(state))
        for expected in results[done:]:
            result = again.solve(problem)
            again.remove(result.features)
            assert result.w.tobytes() == expected.w.tobytes()
            assert result.dual.tobytes() == expected.dual.tobytes()
            np.testing.assert_array_equal(result.features, expected.features)


def test_unequal_costs_are_refused():
    case = Case(X, Y, feature_cost=np.full(X.shape[1], 2.0))
    with pytest.raises(ValueError, match="must cost the same"):
        Repeater(scale_columns(X)).solve(problem_of(case))
