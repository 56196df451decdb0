"""Programs over many samples against the full program in linprog, with proofs recomputed from X."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.solve import solve
from fuzzing.oracles.linear import (
    METHODS,
    Case,
    dual_value,
    full_objective,
    primal_value,
    standardise,
)
from fuzzing.oracles.solved import (
    GAP,
    assert_infeasible,
    assert_optimal,
    assert_solved,
    price_rounding,
    problem_of,
    relative,
    run,
)
from tests.fuzzing import many
from tests.memory import traced_memory
from tests.solvers.cases import separable
from tests.solvers.many_samples import draw_case, overlapping

PER_METHOD = pytest.mark.parametrize("method", METHODS)
PER_SOFT_METHOD = pytest.mark.parametrize(
    ("method", "rhs"),
    [("unit_margin", 1.0), *((one, sign) for one in METHODS[:2] for sign in (1.0, -1.0))],
)


def assert_closed(case: Case, result) -> None:
    """The claimed gap is below 1e-7, and so is the one that follows from X and y alone."""
    Z, rounding = standardise(case.X), price_rounding(case, result)
    primal, dual = primal_value(case, Z, result), dual_value(case, Z, result)
    assert result.alpha.shape == result.slack.shape == result.dual.shape == case.y.shape
    assert result.gap <= 1e-7 + 2.0 * rounding  # large only where offsets are
    # Margins are known to a dozen digits, and each sample pays for what is missing.
    rounding += 1e-12 * np.sum(case.C[np.isfinite(case.C)])
    gap = relative(primal.objective - dual.bound, primal.objective)
    assert gap <= 1e-7 + 2.0 * rounding


def check(case: Case, **options):
    """Solve, compare with linprog, and prove it."""
    objective = full_objective(case)
    if 1e7 < objective < np.inf:
        pytest.skip("one digit from infeasible: the two solvers may disagree about it")
    result = run(case, **options)
    assert_solved(case, result, objective)
    if np.isfinite(objective):
        assert_closed(case, result)
    return result


@pytest.mark.fuzz
@pytest.mark.parametrize("number", range(many(60)))
def test_random_programs(number):
    check(draw_case(number, largest=100_000))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(60))
def test_larger_random_programs(number):
    check(draw_case(number, largest=1_000_000))


@PER_SOFT_METHOD
@pytest.mark.parametrize("C", [1e-4, 1e-2])
def test_overlap_and_many_features(method, rhs, C):
    X, y = overlapping(900, 50, seed=1)
    result = check(Case(X, y, method, rhs, slack_cost=np.full(900, C)))
    assert np.sum(result.slack > 0) > 200


@PER_SOFT_METHOD
@pytest.mark.parametrize("C", [1e-8, 1e6])
def test_smallest_and_largest_costs(method, rhs, C):
    """At the ends of what slacks may cost. Classes overlap, so the objective is as large as C."""
    X, y = overlapping(700, 20, seed=2)
    case = Case(X, y, method, rhs, slack_cost=np.full(700, C))
    result = run(case)
    objective = full_objective(case)
    assert relative(result.objective - objective, objective) <= GAP
    assert_optimal(case, result)


@PER_METHOD
def test_a_cost_per_class(method):
    """One sample in a hundred is positive, and its error costs a hundred times as much."""
    X, _ = overlapping(1500, 40, seed=3)
    y = np.where(np.arange(1500) % 100 == 0, 1.0, -1.0)
    X[:, :5] += 0.7 * y[:, None]
    cost = np.where(y > 0, 0.1, 0.001)
    result = check(Case(X, y, method, slack_cost=cost))
    assert result.n_features > 0


@PER_METHOD
def test_costs_a_million_times_apart(method):
    X, y = overlapping(900, 30, seed=4)
    cost = 10.0 ** np.random.default_rng(4).uniform(-5, 1, 900)
    check(Case(X, y, method, slack_cost=cost))


@PER_METHOD
def test_weighted_means(method):
    X, y = overlapping(800, 30, seed=5)
    weight = np.random.default_rng(5).exponential(1.0, 800) + 1e-6
    cost = 0.01 * weight
    weight = None if method == "unit_margin" else weight
    check(Case(X, y, method, slack_cost=cost, weight=weight))


@PER_METHOD
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_hard_samples_among_soft_ones(method, share):
    X, y = separable(1000, 30, seed=6)
    rng = np.random.default_rng(6)
    y = np.where(rng.random(1000) < 0.05, -y, y)
    hard = rng.random(1000) < share
    # The hard ones keep their side of the plane that separated all of them before.
    hard &= y * (X[:, 0] + X[:, 1] - X[:, 2]) > 0
    result = check(Case(X, y, method, slack_cost=np.where(hard, np.inf, 0.02)))
    assert np.isfinite(result.objective)
    assert not np.any(result.slack[hard])


@PER_METHOD
def test_every_sample_twice(method):
    """As one sample at twice the cost."""
    X, y = overlapping(500, 25, seed=7)
    cost = np.random.default_rng(7).uniform(0.001, 0.02, 500)
    once = Case(X, y, method, slack_cost=2.0 * cost)
    twice = Case(np.tile(X, (2, 1)), np.tile(y, 2), method, slack_cost=np.tile(cost, 2))
    assert check(twice).objective == pytest.approx(run(once).objective, rel=1e-6)


@PER_METHOD
def test_integers(method):
    """Few different samples: hundreds lie on any limit at once, in both classes."""
    rng = np.random.default_rng(8)
    y = np.where(np.arange(1400) % 2, 1.0, -1.0)
    X = rng.integers(0, 3, (1400, 4)) + (rng.random((1400, 4)) < 0.2 * (y[:, None] > 0))
    for C in (1e-3, 0.03):
        check(Case(X, y, method, slack_cost=np.full(1400, C)))


def test_equal_classes_leave_no_weight_to_pay_for():
    X, _ = overlapping(450, 30, seed=9)
    X, y = np.vstack([X, X]), np.repeat([1.0, -1.0], 450)
    case = Case(X, y, "unit_margin", slack_cost=np.full(900, 0.5))
    result = run(case)
    assert_optimal(case, result)
    assert result.n_features == 0
    assert result.objective == pytest.approx(450.0)  # a slack of one per sample, or of two and zero


@pytest.mark.parametrize("method", METHODS[:2])
def test_equal_classes_have_no_distance(method):
    X, _ = overlapping(450, 30, seed=9)
    X, y = np.vstack([X, X]), np.repeat([1.0, -1.0], 450)
    case = Case(X, y, method, slack_cost=np.full(900, 0.5))
    assert_infeasible(case, run(case))


def test_one_feature_in_closed_form():
    """In one dimension: the best of all weights and biases at which the slope changes."""
    rng = np.random.default_rng(10)
    y = np.where(np.arange(600) % 2, 1.0, -1.0)
    z = standardise(rng.standard_normal((600, 1)) + 0.8 * y[:, None])
    C = 0.01
    # At an optimum with w > 0 one sample of either class is on its margin: y (w z + b) = 1.
    plus, minus = np.sort(z[y > 0, 0]), np.sort(z[y < 0, 0])
    best = C * np.sum(1.0 - y * np.sign(y.sum()) if y.sum() else np.ones(600))
    for one in plus:
        w = 2.0 / (one - minus[minus < one])
        b = 1.0 - w * one
        slack = np.maximum(0.0, 1.0 - y[:, None] * (z * w + b)).sum(axis=0)
        best = min(best, float(np.min(w + C * slack, initial=np.inf)))
    result = run(Case(z, y, "unit_margin", slack_cost=np.full(600, C)))
    assert result.objective == pytest.approx(best, rel=1e-7)


@PER_METHOD
def test_the_order_of_samples_does_not_matter(method):
    X, y = overlapping(1300, 40, seed=11)
    cost = np.random.default_rng(11).uniform(0.001, 0.01, 1300)
    order = np.random.default_rng(12).permutation(1300)
    one = run(Case(X, y, method, slack_cost=cost))
    other = run(Case(X[order], y[order], method, slack_cost=cost[order]))
    assert other.objective == pytest.approx(one.objective, rel=1e-6)


@PER_METHOD
@pytest.mark.parametrize("layout", ["csr", "csc", "float32", "offset"])
def test_layouts(method, layout):
    X, y = overlapping(900, 50, seed=13)
    X = np.where(np.abs(X) < 1.0, 0.0, np.round(X, 2))
    cost = np.full(900, 0.01)
    dense = run(Case(X, y, method, slack_cost=cost))
    given = {
        "csr": sparse.csr_array,
        "csc": sparse.csc_array,
        "float32": lambda X: X.astype(np.float32),
        "offset": lambda X: X + 1e3,
    }[layout](X)
    result = check(Case(given, y, method, slack_cost=cost))
    digits = 1e-5 if layout == "float32" else 1e-6
    assert result.objective == pytest.approx(dense.objective, rel=digits)


@PER_METHOD
@pytest.mark.parametrize(("before", "after"), [(1e-3, 1e-2), (1e-2, 1e-3), (1e-7, 1e-2)])
def test_start_from_another_cost(method, before, after):
    X, y = overlapping(700, 40, seed=14)
    case = Case(X, y, method, slack_cost=np.full(700, before))
    first = run(case)
    case = case.replace(slack_cost=np.full(700, after))
    warm = check(case, warm=first.warm)
    assert warm.objective == pytest.approx(run(case).objective, rel=1e-6)


@PER_METHOD
def test_start_from_other_costs_of_features(method):
    X, y = overlapping(700, 60, seed=15)
    case = Case(X, y, method, slack_cost=np.full(700, 0.01))
    first = run(case)
    cost = np.ones(60)
    cost[first.features] = 50.0
    check(case.replace(feature_cost=cost), warm=first.warm)


@PER_METHOD
@pytest.mark.parametrize(("n", "d"), [(500, 10), (800, 150), (2000, 40)])
def test_overlapping_classes_have_no_hard_solution(method, n, d):
    X, y = overlapping(n, d, strength=0.3, seed=16)
    case = Case(X, y, method)
    assert_infeasible(case, run(case))


@PER_METHOD
def test_one_sample_on_the_wrong_side(method):
    """Almost separable: a single sample of 1,500 makes the hard program infeasible."""
    X, y = separable(1500, 20, seed=17)
    assert np.isfinite(check(Case(X, y, method)).objective)
    deep = np.argmax(y * (X[:, 0] + X[:, 1] - X[:, 2]))
    y[deep] = -y[deep]
    case = Case(X, y, method)
    assert full_objective(case) == np.inf
    assert_infeasible(case, run(case))


@PER_METHOD
def test_hard_samples_that_contradict_each_other(method):
    """The proof must not use samples that may pay."""
    X, y = overlapping(1200, 20, strength=0.2, seed=18)
    cost = np.where(np.arange(1200) % 3 == 0, np.inf, 0.1)
    case = Case(X, y, method, slack_cost=cost)
    assert full_objective(case) == np.inf
    assert_infeasible(case, run(case))


@pytest.mark.parametrize(("layout", "method"), [("csr", "unit_margin"), ("csc", "class_means")])
def test_sparse_data_stay_sparse(layout, method):
    """A fit holds a few columns, or a few samples of many columns, and never all of X."""
    n, d = 3000, 2000
    rng = np.random.default_rng(19)
    X = sparse.random_array((n, d), density=0.02, format="lil", rng=rng)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X[:, :5] = rng.random((n, 5)) < 0.2 + 0.1 * y[:, None]
    X = X.asformat(layout)
    cost = np.full(n, 3e-3)
    case = Case(X, y, method, slack_cost=cost)
    columns, problem = scale_columns(X), problem_of(case)
    with traced_memory() as memory:
        result = solve(problem, columns)
    assert_optimal(case, result)
    assert result.n_features >= 3
    assert memory.peak < n * d * 8 / 3
