"""Many problems that advance together, against the same ones solved one by one, and the full LP."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.many.advance import solve_together
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.host import HostPrices
from fewest._solvers.problem import support_feature_machine
from fewest._solvers.result import Status
from fuzzing.oracles.linear import Case, full_objective
from tests.fuzzing import many
from tests.solvers.cases import KINDS, draw_labels, draw_values, spoil


def draw_problem(seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Data of any kind, and labellings of all samples, or without some of them."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 61)), int(rng.integers(5, 301))
    X = draw_values(rng, KINDS[seed % len(KINDS)], n, d)
    if seed % 3 == 0:
        X = spoil(rng, X)
    if seed % 5 == 0:
        X = X + np.rint(10.0 ** rng.uniform(0, 6, d))
    labels = []
    for number in range(6):
        y = draw_labels(rng, n)
        if number % 2:
            y[rng.permutation(n)[: n // 5]] = 0.0
        if abs(y.sum()) < np.count_nonzero(y):  # both classes
            labels.append(y)
    X[:, 0] += rng.uniform(0, 2) * labels[0]
    return X, labels


def solve_all(X: np.ndarray, labels: list[np.ndarray], threads: int = 1, **settings):
    columns = scale_columns(X)
    with Crew(threads) as crew:
        return list(solve_together(HostPrices(columns, crew), labels, crew, **settings))


def solve_alone(X: np.ndarray, y: np.ndarray, **settings):
    rows = np.flatnonzero(y)
    problem = support_feature_machine(y[rows])
    return minimize_zero_norm(problem, scale_columns(X[rows]), **settings)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(many(60)))
def test_outcomes_equal_those_of_single_programs(seed):
    X, labels = draw_problem(seed)
    for y, outcome in zip(labels, solve_all(X, labels), strict=True):
        if outcome is None:  # said to be doubtful: nothing is claimed
            continue
        alone = solve_alone(X, y)
        if np.isinf(outcome.objective):
            assert alone.status is Status.INFEASIBLE
            continue
        assert alone.status is Status.OPTIMAL
        assert outcome.objective == pytest.approx(alone.steps[0].objective, rel=1e-9)
        np.testing.assert_array_equal(outcome.features, alone.features)
        np.testing.assert_allclose(outcome.w, alone.w, rtol=1e-5, atol=1e-9)
        assert outcome.b == pytest.approx(alone.b, rel=1e-5, abs=1e-7)
        assert outcome.n_programs == len(alone.steps)
        assert outcome.gap <= 1e-7


@pytest.mark.parametrize("seed", range(many(12)))
def test_first_programs_equal_the_full_linear_program(seed):
    X, labels = draw_problem(1000 + seed)
    for y, outcome in zip(labels, solve_all(X, labels), strict=True):
        if outcome is None:
            continue
        rows = np.flatnonzero(y)
        wanted = full_objective(Case(X[rows], y[rows]))
        assert outcome.objective == pytest.approx(wanted, rel=1e-7)


def test_continuous_data_leave_nothing_to_others():
    """Where optima are unique, all are found together: separable labellings, and overlapping."""
    rng = np.random.default_rng(0)
    for n, d in ((30, 400), (40, 15)):
        X = rng.standard_normal((n, d))
        labels = [rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0)) for _ in range(40)]
        outcomes = solve_all(X, labels)
        assert all(outcome is not None for outcome in outcomes)
        assert np.isinf(outcomes[0].objective) == (d < n / 2)
        assert outcomes[0].n_features == (np.inf if d < n / 2 else len(outcomes[0].features))


def test_ties_are_left_to_others():
    """Two equal columns: which of them is taken is not for this code to say."""
    X, labels = draw_problem(4)
    X = np.hstack([X, X])
    assert all(outcome is None or np.isinf(outcome.objective) for outcome in solve_all(X, labels))


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_type_order_and_threads_do_not_matter(dtype, order):
    rng = np.random.default_rng(1)
    X = np.rint(1000 * rng.standard_normal((25, 300))).astype(dtype, order=order)
    labels = [rng.permutation(np.where(np.arange(25) % 3 == 0, 1.0, -1.0)) for _ in range(9)]
    labels += [np.where(np.arange(25) < 5, 0.0, y) for y in labels]
    wanted = solve_all(np.ascontiguousarray(X, dtype=np.float64), labels)
    found = solve_all(X, labels, threads=2)
    for one, other in zip(wanted, found, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one.features, other.features)
            assert one.objective == pytest.approx(other.objective, rel=1e-12)


@pytest.mark.parametrize("max_iter", [1, 2, 20])
def test_the_loop_ends_where_it_is_told_to(max_iter):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 200)), np.where(np.arange(30) % 2, 1.0, -1.0)
    (outcome,) = solve_all(X, [y], max_iter=max_iter)
    alone = solve_alone(X, y, max_iter=max_iter)
    np.testing.assert_array_equal(outcome.features, alone.features)
    assert outcome.n_programs == len(alone.steps) <= max_iter


def test_many_samples_end_the_loop_by_the_objective():
    """With more than 400 samples the loop ends earlier, here as in single programs."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((420, 3000)), np.where(np.arange(420) % 2, 1.0, -1.0)
    (outcome,) = solve_all(X, [y])
    alone = solve_alone(X, y)
    np.testing.assert_array_equal(outcome.features, alone.features)
    assert outcome.n_programs == len(alone.steps)


def test_columns_that_are_constant_in_some_samples():
    """A column that varies in the samples left out only is of no use to the others."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 60)), np.where(np.arange(30) % 2, 1.0, -1.0)
    y[:6] = 0.0
    X[:, :20] = 7.1
    X[:6, :20] += rng.standard_normal((6, 20))
    X[6:, 20] = 1e6 * (y[6:] > 0) * rng.standard_normal(24)  # far from its mean over all samples
    (outcome,) = solve_all(X, [y])
    alone = solve_alone(X, y)
    np.testing.assert_array_equal(outcome.features, alone.features)
    assert outcome.features.min() >= 20
