"""Column and row generation against the full linear program, on random problems."""

import importlib

import numpy as np
import pytest
from hypothesis import assume, given

from fuzzing.oracles.linear import METHODS, Case, full_objective
from fuzzing.oracles.solved import assert_solved, run
from tests.fuzzing import examples
from tests.solvers.cases import hard_cases, noise, soft_cases, weighted_cases

solve_module = importlib.import_module(
    "fewest._solvers.linear.solve"
)  # the package exports the function


def reference(case: Case) -> float:
    objective = full_objective(case)
    # Between "needs |w|_1 > 1e7 on standardised columns" and "infeasible" lies only rounding, and
    # the two solvers may draw that line in different places.
    assume(objective <= 1e7 or np.isinf(objective))
    return objective


@examples(300)
@given(hard_cases())
def test_hard_problems(case):
    assert_solved(case, run(case), reference(case))


@examples(300)
@given(soft_cases())
def test_soft_problems(case):
    assert_solved(case, run(case), reference(case))


@examples(200)
@given(weighted_cases())
def test_feature_costs(case):
    assert_solved(case, run(case), reference(case))


@pytest.mark.parametrize(
    ("generate_columns", "generate_rows"), [(True, False), (False, True), (True, True)]
)
def test_generation_on_small_problems(generate_columns, generate_rows):
    """Tiny batches, so that problems a full program can check take many rounds."""
    rounds = []

    @examples(100)
    @given(weighted_cases())
    def check(case):
        result = run(case)
        rounds.append(result.rounds)
        assert_solved(case, result, reference(case))

    with pytest.MonkeyPatch.context() as patch:
        if generate_columns:
            patch.setattr(solve_module, "_batch", lambda problem: 2)
        if generate_rows:
            patch.setattr(solve_module, "_ALL_SAMPLES", 1)
            patch.setattr(solve_module, "_ALL_SOFT_SAMPLES", 1)
            patch.setattr(solve_module, "_FIRST_SAMPLES", 4)
        check()
    assert max(rounds) >= 5


@pytest.mark.parametrize("method", METHODS)
def test_wide_noise(method):
    """The working set stays small, and no column outside it would improve the solution."""
    X, y = noise(60, 5000)
    case = Case(X, y, method)
    result = run(case)
    assert_solved(case, result, full_objective(case))
    assert len(result.warm.features) < 500


def test_costs_over_six_decades():
    """HiGHS' primal simplex ends with status Unknown here; its dual simplex does not."""
    rng = np.random.default_rng(453)
    X, y = rng.standard_normal((26, 58)), np.where(np.arange(26) % 2, 1.0, -1.0)
    C, c = 10.0 ** rng.uniform(-3, 3, 26), 10.0 ** rng.uniform(-3, 3, 58)
    case = Case(X, y, rhs=-1.0, slack_cost=C, feature_cost=c)
    assert_solved(case, run(case), full_objective(case))
