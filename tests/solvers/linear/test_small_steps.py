"""Three kinds of samples in small steps: programs that linprog can check take many rounds."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import partition
from fewest._solvers.linear.partition import solve_many
from fewest._solvers.result import WarmStart
from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_solved, problem_of, run
from tests.fuzzing import many
from tests.solvers.many_samples import draw_case, overlapping

solve_module = importlib.import_module("fewest._solvers.linear.solve")

SMALL_STEPS = {
    "_PER_FEATURE": 1,
    "_AT_LEAST": 5,
    "_JOIN_PER_FEATURE": 1,
    "_JOIN_AT_LEAST": 10,
    "_FIRST_FEATURES": 3,
    "_FEATURE_BATCH": 2,
    "_SUBSAMPLE": 100,
    "_FROM_HYPERPLANE": partition._NO_LIMITS,  # otherwise a poor start is given up
}


@pytest.fixture
def small_steps(monkeypatch):
    """Few samples and features at a time: what takes 10,000 samples otherwise happens with 100."""
    for name, value in SMALL_STEPS.items():
        monkeypatch.setattr(partition, name, value)
    monkeypatch.setattr(solve_module, "_ALL_SOFT_SAMPLES", 20)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [0.01, 0.3])
@pytest.mark.parametrize("start", ["random", "turned around", "far too large", "one feature"])
def test_any_hyperplane_to_start_from(small_steps, method, C, start):
    """A poor start costs rounds, and nothing else."""
    X, y = overlapping(500, 30, seed=41)
    case = Case(X, y, method, slack_cost=np.full(500, C))
    rng = np.random.default_rng(41)
    features, w, b = np.arange(30), rng.standard_normal(30), 0.3
    if start == "turned around":
        w = -np.sign(y @ X)
    elif start == "far too large":
        w = 1e3 * np.sign(y @ X)
    elif start == "one feature":
        features, w = np.array([29]), np.array([1.0])
    warm = WarmStart(features, np.empty(0, dtype=np.intp), w, b)
    result = solve_many(problem_of(case), scale_columns(X), warm=warm)
    assert result is not None
    assert result.rounds >= 3 or method != "unit_margin"  # equalities exclude some of the starts
    assert_solved(case, result, full_objective(case))


@pytest.mark.fuzz
@pytest.mark.parametrize("number", range(many(20)))
def test_random_programs_in_small_steps(small_steps, number):
    case = draw_case(number, largest=30_000)
    objective = full_objective(case)
    if 1e7 < objective < np.inf:
        pytest.skip("one digit from infeasible: the two solvers may disagree about it")
    assert_solved(case, run(case), objective)
