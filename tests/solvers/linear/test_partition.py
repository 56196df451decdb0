"""Three kinds of samples: the loop around the undecided ones, and its parts."""

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear import interior, partition
from fewest._solvers.linear.partition import solve_many
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import WarmStart
from fewest._solvers.watch import Watch, watching
from fuzzing.oracles.linear import Case, dual_value, full_objective, standardise
from tests.solvers.many_samples import overlapping

METHODS = ("unit_margin", "class_means", "mean_margin")


def problem_for(method, y, cost, rhs=1.0):
    if method == "unit_margin":
        return unit_margin(y, slack_cost=cost)
    return support_feature_machine(y, form=method, slack_cost=cost).with_rhs(rhs)


def case_of(X, y, method, cost, rhs=1.0):
    return Case(X, y, method, rhs=rhs, slack_cost=cost)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [0.003, 0.03, 1.0])
def test_finds_the_optimum_by_itself(method, C):
    """Not by way of the slower generation of samples, which solves these programs as well."""
    X, y = overlapping(700, 40)
    cost = np.full(len(y), C)
    found = solve_many(problem_for(method, y, cost), scale_columns(X))
    assert found.gap < 1e-7
    assert found.objective == pytest.approx(full_objective(case_of(X, y, method, cost)), rel=1e-7)
    assert len(found.warm.samples) < len(y)


@pytest.mark.parametrize("method", METHODS)
def test_starts_from_any_hyperplane(method):
    """A hyperplane of another cost, a random one, and one that satisfies the other equality."""
    X, y = overlapping(600, 30)
    columns, cost = scale_columns(X), np.full(len(y), 0.05)
    problem = problem_for(method, y, cost)
    wanted = full_objective(case_of(X, y, method, cost))
    near = solve_many(problem.with_slack_cost(cost / 4), columns).warm
    rng = np.random.default_rng(0)
    far = WarmStart(np.arange(30), np.empty(0, dtype=np.intp), rng.standard_normal(30), 3.0)
    turned = WarmStart(near.features, near.samples, -near.w, -near.b)
    for warm in (near, far, turned):
        assert solve_many(problem, columns, warm=warm).objective == pytest.approx(wanted, rel=1e-7)


def test_a_good_hyperplane_saves_the_interior_point(monkeypatch):
    X, y = overlapping(800, 30)
    columns, cost = scale_columns(X), np.full(len(y), 0.05)
    near = solve_many(unit_margin(y, slack_cost=cost / 1.2), columns).warm
    monkeypatch.setattr(partition, "guess_vertex", lambda *_, **__: pytest.fail("not needed"))
    assert solve_many(unit_margin(y, slack_cost=cost), columns, warm=near).gap < 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_samples_without_slack(method):
    """As where the loop has divided slack costs by slacks of zero; the start satisfies them."""
    X, y = overlapping(600, 25, strength=0.8)
    columns, cost = scale_columns(X), np.full(len(y), 0.05)
    start = solve_many(problem_for(method, y, cost), columns)
    cost = np.where(start.slack > 0.0, 0.1, np.inf)
    warm = WarmStart(start.features, start.warm.samples, start.w, start.b)
    found = solve_many(problem_for(method, y, cost), columns, warm=warm)
    assert found.objective == pytest.approx(full_objective(case_of(X, y, method, cost)), rel=1e-6)
    assert found.violation < 1e-7


def test_too_few_undecided_samples_do_not_limit_the_weights(monkeypatch):
    """With one sample in the program, weights can grow for ever: more samples join."""
    X, y = overlapping(500, 10)
    monkeypatch.setattr(partition, "_PER_FEATURE", 0)
    monkeypatch.setattr(partition, "_AT_LEAST", 1)
    cost = np.full(len(y), 0.05)
    columns = scale_columns(X)
    far = WarmStart(np.arange(2), np.empty(0, dtype=np.intp), np.array([0.1, -0.1]), 0.0)
    found = solve_many(unit_margin(y, slack_cost=cost), columns, warm=far)
    assert found.objective == pytest.approx(
        full_objective(case_of(X, y, "unit_margin", cost)), rel=1e-7
    )


def test_a_subsample_finds_the_features_to_begin_with(monkeypatch):
    monkeypatch.setattr(partition, "_SUBSAMPLE", 200)
    X, y = overlapping(900, 120)
    cost = np.full(len(y), 0.02)
    for method in METHODS:
        found = solve_many(problem_for(method, y, cost), scale_columns(X))
        assert found.objective == pytest.approx(
            full_objective(case_of(X, y, method, cost)), rel=1e-7
        )


@pytest.mark.parametrize("seed", range(20))
def test_line_search_is_exact(seed):
    """Against the objective itself on a fine grid and at all its kinks."""
    rng = np.random.default_rng(seed)
    n, d = 40, 3
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = np.round(rng.standard_normal((n, d)), 1)
    cost = rng.uniform(0.1, 1.0, n)
    problem = unit_margin(y, slack_cost=cost)
    w, move = np.round(rng.standard_normal(d), 1), rng.standard_normal(d)
    margins, change = y * (X @ w), y * (X @ move)

    def value(t):
        return np.abs(w + t * move).sum() + cost @ np.maximum(0.0, 1.0 - margins - t * change)

    found = partition._search_line(problem, margins, change, w, move)
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = np.concatenate([(1.0 - margins) / change, -w / move, [0.0, 1.0]])
    kinks = kinks[(kinks >= 0.0) & (kinks <= 1.0)]
    assert value(found) == pytest.approx(min(map(value, kinks)), rel=1e-12)


def test_line_search_stops_before_a_sample_without_slack_is_violated():
    y = np.array([1.0, -1.0])
    problem = unit_margin(y, slack_cost=np.array([np.inf, 10.0]))
    margins, change = np.array([1.5, -2.0]), np.array([-1.0, 3.0])
    found = partition._search_line(problem, margins, change, np.zeros(1), np.array([1.0]))
    assert found == 0.5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seconds", [0.0, 0.005, 0.03])
def test_ends_in_time_with_a_proven_gap(method, seconds):
    """The bound holds for the optimum, and the objective is that of the weights."""
    X, y = overlapping(3000, 200)
    cost = np.full(len(y), 0.02)
    problem, columns = problem_for(method, y, cost), scale_columns(X)
    optimum = solve_many(problem, columns)
    with watching(Watch(seconds)):
        found = solve_many(problem, columns)
    assert found.bound <= optimum.objective * (1 + 1e-7)
    assert found.objective >= optimum.objective * (1 - 1e-7)
    margins = y * (columns.take(found.features) @ found.w + found.b)
    paid = np.abs(found.w).sum() + cost @ np.maximum(0.0, problem.margin - margins)
    assert paid == pytest.approx(found.objective, rel=1e-9)
    if problem.equality is not None:
        reached = problem.equality @ (columns.take(found.features) @ found.w + found.b)
        assert reached == pytest.approx(1.0, rel=1e-9)


def test_tells_how_far_it_is():
    X, y = overlapping(2000, 50)
    notes = []
    with watching(Watch(tell=notes.append)):
        solve_many(unit_margin(y, slack_cost=np.full(len(y), 0.02)), scale_columns(X))
    assert any("gap" in note for note in notes)
    assert any("undecided" in note for note in notes)


def test_many_samples_on_the_margin_are_proven_from_inside():
    """Sparse data: what is zero in all features of the program ties, and the dual is flat."""
    n, rng = 2000, np.random.default_rng(0)
    X = sparse.random(n, 600, density=0.02, format="csr", random_state=rng)
    score = X[:, :3] @ np.ones(3)
    y = np.where(score + 0.1 * rng.standard_normal(n) > np.median(score), 1.0, -1.0)
    cost = 0.02 * n / (2 * np.where(y > 0, np.sum(y > 0), np.sum(y < 0)))
    found = solve_many(problem_for("class_means", y, cost), scale_columns(X))
    case = case_of(X.toarray(), y, "class_means", cost)
    assert found.gap < 1e-7
    assert found.objective == pytest.approx(full_objective(case), rel=1e-7)
    assert dual_value(case, standardise(case.X), found).bound == pytest.approx(found.objective)
    assert len(found.warm.features) < 50


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("density", "seed"), [(0.05, 4), (1.0, 3)])
def test_large_vertices_are_proven_without_the_simplex_method(monkeypatch, method, density, seed):
    """Some at least: what proves too little goes on as before, and the answer is the same."""
    monkeypatch.setattr(interior, "_MANY_FEATURES", 4)
    inside, conclude = [], partition._conclude_inside

    def note(*given):
        inside.append(conclude(*given))
        return inside[-1]

    monkeypatch.setattr(partition, "_conclude_inside", note)
    rng = np.random.default_rng(seed)
    X = sparse.random(500, 60, density=density, format="csr", random_state=rng)
    X.data -= 0.4
    y = np.where(rng.random(500) < 0.4, 1.0, -1.0)
    columns, warm = scale_columns(X), None
    for C in (0.3, 1.0):
        cost = np.full(len(y), C)
        problem, case = problem_for(method, y, cost), case_of(X.toarray(), y, method, cost)
        found = solve_many(problem, columns, warm=warm)
        optimum = full_objective(case)
        assert found.gap < 1e-7
        assert found.objective == pytest.approx(optimum, rel=1e-7)
        assert found.bound <= optimum * (1 + 1e-9)
        assert dual_value(case, standardise(case.X), found).bound == pytest.approx(found.objective)
        margins = y * (columns.take(found.features) @ found.w + found.b)
        paid = np.abs(found.w).sum() + cost @ np.maximum(0.0, problem.margin - margins)
        assert paid == pytest.approx(found.objective, rel=1e-9)
        warm = found.warm
    assert any(result is not None for result in inside)


def test_a_large_vertex_that_proves_too_little_goes_to_the_simplex_method(monkeypatch):
    monkeypatch.setattr(interior, "_MANY_FEATURES", 4)
    monkeypatch.setattr(partition, "_conclude_inside", lambda *_: None)
    X, y = overlapping(500, 40)
    cost = np.full(len(y), 0.3)
    found = solve_many(unit_margin(y, slack_cost=cost), scale_columns(X))
    assert len(found.features) > 4
    assert found.objective == pytest.approx(
        full_objective(case_of(X, y, "unit_margin", cost)), rel=1e-7
    )


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.03])
def test_a_large_vertex_ends_in_time_with_a_proven_gap(monkeypatch, seconds):
    monkeypatch.setattr(interior, "_MANY_FEATURES", 4)
    X, y = overlapping(3000, 200)
    cost = np.full(len(y), 0.02)
    problem, columns = unit_margin(y, slack_cost=cost), scale_columns(X)
    optimum = full_objective(case_of(X, y, "unit_margin", cost))
    with watching(Watch(seconds)):
        found = solve_many(problem, columns)
    assert found.bound <= optimum * (1 + 1e-7)
    assert found.objective >= optimum * (1 - 1e-7)
    margins = y * (columns.take(found.features) @ found.w + found.b)
    paid = np.abs(found.w).sum() + cost @ np.maximum(0.0, problem.margin - margins)
    assert paid == pytest.approx(found.objective, rel=1e-9)
