"""Both formulations in every solver that is installed, against the engine."""

import numpy as np
import pytest

from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine
from fewest.datasets import make_gaussian
from reproductions import linear_programs
from reproductions.linear_programs import FORMULATIONS, find_solvers, formulate


@pytest.fixture(scope="module")
def data():
    X, y = make_gaussian(30, 12, 3, 0.4, separable=True, positive_fraction=0.6, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y.astype(float)


@pytest.mark.parametrize("slack_cost", [None, 0.05])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", list(linear_programs._SOLVERS))
def test_every_solver_finds_the_optimum_of_the_engine(data, name, formulation, slack_cost):
    solvers = find_solvers([name])
    if not solvers:
        pytest.skip(f"{name} is not installed")
    X, y = data
    costs = None if slack_cost is None else np.full(len(y), slack_cost)
    problem = support_feature_machine(y, form="mean_margin", slack_cost=costs)
    expected = solve(problem, wrap_columns(X)).objective
    program = formulate(X, y, formulation, slack_cost)
    x, seconds = solvers[name](program, 10.0)
    w, b = program.read(x)
    margins = y * (X @ w + b)
    errors = 0.0 if slack_cost is None else slack_cost * np.maximum(0.0, -margins).sum()
    assert np.mean(margins) == pytest.approx(1.0, abs=1e-3)
    assert np.abs(w).sum() + errors == pytest.approx(expected, rel=2e-3)
    assert seconds > 0


@pytest.mark.parametrize("slacks", [False, True])
def test_sizes_are_those_of_the_thesis(data, slacks):
    X, y = data
    n, d = X.shape
    cost = 1.0 if slacks else None
    standard, thin = (formulate(X, y, one, cost).A for one in FORMULATIONS)
    extra = n if slacks else 0
    assert standard.shape == (n, 2 * d + 1 + extra)
    assert thin.shape == (n + 2 * d, 2 * d + 1 + extra)
    assert standard.nnz == n * (2 * d + 1) + extra
    assert thin.nnz == n * (d + 1) + 4 * d + extra


def test_a_missing_solver_is_left_out_and_named(monkeypatch, capsys):
    monkeypatch.setattr(linear_programs, "find_spec", lambda module: None)
    assert find_solvers(["GLPK"]) == {}
    assert "GLPK: left out, swiglpk is not installed" in capsys.readouterr().out


def test_an_unknown_formulation_is_named(data):
    with pytest.raises(ValueError, match="formulation must be one of"):
        formulate(*data, "dense")
