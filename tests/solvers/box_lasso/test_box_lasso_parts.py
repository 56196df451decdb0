"""The pieces of the box lasso: pairs, descent, Newton's method, the last digits, the memory."""

import subprocess
import sys

import numpy as np
import pytest

from benchmarks.certificates import certify_weights
from fewest._solvers.box_lasso.block import Memory
from fewest._solvers.box_lasso.kernels import descend, pair_minimum
from fewest._solvers.box_lasso.newton import FIRST_SIGMA, GramProblem, newton
from fewest._solvers.box_lasso.polish import polish
from fewest._solvers.box_lasso.solve import box_lasso
from fewest._solvers.result import Status
from fewest.psvm._relations import scale_to_unit_length
from fuzzing.oracles.box_lasso import Case, brute_objective


def powers(count=30, n=200):
    """Columns t, t^2, ..., centred and of unit length, and a smooth target."""
    t = np.linspace(0.0, 1.0, n)
    target = np.sin(5.0 * t)
    return scale_to_unit_length(t[:, None] ** np.arange(1, count + 1)), target - target.mean()


def test_pairs_are_minimised_exactly():
    rng = np.random.default_rng(0)
    for _ in range(500):
        angle = rng.choice([0.0, 1e-4, 0.1, np.pi / 2, np.pi, rng.uniform(0, np.pi)])
        K = np.array([[1.0, np.cos(angle)], [0.0, np.sin(angle)]])
        y = rng.standard_normal(2)
        C = rng.choice([0.3, 1.0, 10.0, np.inf])
        case = Case(K, y, rng.choice([0.0, 0.1, 0.5]), C)
        alpha = np.array(
            pair_minimum(K[:, 0] @ K[:, 1], *(y @ K), case.epsilon, case.epsilon, C, C)
        )
        assert np.all(np.abs(alpha) <= C)
        assert case.objective(alpha) == pytest.approx(brute_objective(case), rel=1e-9, abs=1e-12)


def test_each_of_a_pair_has_its_own_penalty_and_limit():
    """Orthogonal columns: the two weights are soft thresholds of their own."""
    assert pair_minimum(0.0, 3.0, -2.0, 1.0, 0.5, 5.0, 1.0) == (2.0, -1.0)


def sweep(block, y, epsilon, partner, product, sweeps):
    alpha, residual = np.zeros(block.shape[1]), y.copy()
    penalty, cap = np.full(len(alpha), epsilon), np.full(len(alpha), np.inf)
    descend(block, residual, alpha, penalty, cap, np.array(partner), np.array(product), sweeps)
    np.testing.assert_allclose(residual, y - block @ alpha, atol=1e-12)
    return Case(block, y, epsilon, np.inf).objective(alpha)


def test_pairs_end_the_oscillation_of_parallel_columns():
    """Two columns at an angle of 0.01, and a target for which their difference matters."""
    angle = 0.01
    block = np.asfortranarray([[1.0, np.cos(angle)], [0.0, np.sin(angle)]])
    y = np.array([0.0, 1.0])
    product = float(block[:, 0] @ block[:, 1])
    best = brute_objective(Case(block, y, 1e-6, np.inf))
    assert sweep(block, y, 1e-6, [1, 0], [product, product], 1) == pytest.approx(best, rel=1e-9)
    assert sweep(block, y, 1e-6, [-1, -1], [0.0, 0.0], 100) > 10.0 * best


def test_newton_ends_where_descent_crawls():
    columns, y = powers()
    block = columns.take(np.arange(columns.n_features))
    epsilon, C = 1e-4 * np.abs(y @ block).max(), 10.0
    penalty, cap = np.full(block.shape[1], epsilon), np.full(block.shape[1], C)
    crawled, moving = np.zeros(block.shape[1]), y.copy()
    alone, none = np.full(len(cap), -1), np.zeros(len(cap))
    descend(block, moving, crawled, penalty, cap, alone, none, 1000)
    problem = GramProblem(block.T @ block, y @ block, float(y @ y), penalty, cap)
    goal = 1e-10 * float(y @ y)
    alpha, sigma, done = newton(problem, np.zeros(block.shape[1]), goal, FIRST_SIGMA)
    assert done
    assert sigma >= FIRST_SIGMA
    objective, bound = certify_weights(columns, y, alpha, epsilon, C)
    assert objective - bound <= 2.0 * goal
    crawled_objective, crawled_bound = certify_weights(columns, y, crawled, epsilon, C)
    assert crawled_objective - crawled_bound > 1e3 * goal


@pytest.mark.parametrize("C", [10.0, 1e6, np.inf])
@pytest.mark.parametrize("part", [1e-8, 1e-6, 1e-4, 1e-2])
def test_columns_that_are_nearly_dependent(C, part):
    columns, y = powers()
    epsilon = part * np.abs(columns.price(y)).max()
    result = box_lasso(columns, y, epsilon, C)
    assert result.status is Status.OPTIMAL
    objective, bound = certify_weights(columns, y, result.alpha, epsilon, C)
    assert objective - bound <= 1e-8 * max(objective, 1e-4 * 0.5 * y @ y)


def test_polish_solves_for_the_free_weights_and_keeps_to_the_box():
    rng = np.random.default_rng(0)
    block = rng.standard_normal((20, 6))
    block /= np.sqrt((block * block).sum(axis=0))
    penalty, cap = np.full(6, 0.1), np.full(6, 1.0)
    y = block @ np.array([0.5, -0.5, 3.0, 0.3, 0.0, 0.0])
    start = np.array([0.1, -0.1, 0.1, 0.1, -1e-3, 0.0])
    alpha, residual = polish(block, y - block @ start, start, penalty, cap)
    np.testing.assert_allclose(residual, y - block @ alpha, atol=1e-12)
    assert np.all(np.abs(alpha) <= cap)
    assert alpha[2] == 1.0
    free = (alpha != 0.0) & (np.abs(alpha) < cap)
    assert 0 < free.sum() < 6
    slope = residual @ block - 0.1 * np.sign(alpha)
    np.testing.assert_allclose(slope[free], 0.0, atol=1e-12)


def test_polish_leaves_weights_at_their_limits_alone():
    rng = np.random.default_rng(0)
    block, y = rng.standard_normal((20, 4)), rng.standard_normal(20)
    start = np.array([1.0, -1.0, 0.0, 1.0])
    residual = y - block @ start
    alpha, left = polish(block, residual, start, np.full(4, 0.1), np.ones(4))
    np.testing.assert_array_equal(alpha, start)
    np.testing.assert_array_equal(left, residual)


def test_polish_ends_after_some_rounds_with_weights_that_are_better():
    """One weight per round reaches zero, and there are more weights than rounds."""
    rng = np.random.default_rng(1)
    block = np.linalg.qr(rng.standard_normal((60, 40)))[0]
    penalty, cap = np.full(40, 1.0), np.full(40, np.inf)
    start = rng.uniform(0.1, 0.9, 40)  # without a target, all of them want to be zero
    alpha, residual = polish(block, -block @ start, start, penalty, cap)
    np.testing.assert_allclose(residual, -block @ alpha, atol=1e-12)
    assert 5 <= np.count_nonzero(alpha == 0.0) < 40

    def objective(weights):
        return 0.5 * np.sum((block @ weights) ** 2) + np.abs(weights).sum()

    assert objective(alpha) < objective(start)


def test_newton_gives_up_on_a_matrix_that_is_not_positive():
    """As rounding may leave it: no error, and no claim that the goal is reached."""
    problem = GramProblem(
        gram=np.array([[1.0, 2.0], [2.0, 1.0]]),
        correlation=np.array([1.0, 1.0]),
        target_square=1.0,
        penalty=np.full(2, 1e-3),
        cap=np.full(2, np.inf),
    )
    alpha, _, done = newton(problem, np.zeros(2), 1e-12, 1e6)
    assert np.all(np.isfinite(alpha))
    assert not done


@pytest.mark.parametrize("C", [0.05, np.inf])
def test_more_variables_than_newton_is_given_at_once(C):
    """Hundreds of weights move: only some of the columns are looked at, and the gap closes."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((700, 3))
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    columns = scale_to_unit_length(np.exp(-2.0 * squares))
    y = np.where(points[:, 0] * points[:, 1] > 0, 1.0, -1.0) + 0.5 * rng.standard_normal(700)
    y -= y.mean()
    result = box_lasso(columns, y, 1e-3 * np.abs(columns.price(y)).max(), C)
    assert result.status is Status.OPTIMAL
    assert np.count_nonzero(result.alpha) > 200


def test_remembered_inner_products_are_right():
    rng = np.random.default_rng(0)
    block = rng.standard_normal((30, 40))
    memory = Memory()
    for size in (10, 10, 25, 5, 40, 40, 0, 7):
        index = np.sort(rng.choice(40, size, replace=False))
        gram = memory.gram(index, block[:, index])
        np.testing.assert_allclose(gram, block[:, index].T @ block[:, index], atol=1e-12)


def test_compiled_code_is_loaded_only_where_it_is_needed():
    code = "import sys, fewest, fewest.machines.sfm; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
