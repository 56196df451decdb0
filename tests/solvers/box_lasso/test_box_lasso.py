"""The box lasso against independent solvers, and its certificate."""

import numpy as np
import pytest

from benchmarks.certificates import certify_weights
from benchmarks.smo import smo
from fewest._solvers.box_lasso.solve import box_lasso
from fewest._solvers.columns import wrap_columns
from fewest._solvers.result import Status
from fewest.psvm._relations import scale_to_unit_length
from fuzzing.oracles.box_lasso import (
    KINDS,
    Case,
    bounded_objective,
    brute_objective,
    draw,
    lasso_objective,
)


def solve(case, **options):
    return box_lasso(wrap_columns(case.K), case.y, case.epsilon, case.C, **options)


def assert_solved(case, result, reference, relative=1e-8):
    """Optimal, within the box, proven by the data, and as good as the reference."""
    assert result.status is Status.OPTIMAL
    assert np.all(np.abs(result.alpha) <= case.C)
    np.testing.assert_allclose(
        result.residual, case.y - case.K @ result.alpha, atol=1e-9 * spread(case)
    )
    objective, bound = certify_weights(
        wrap_columns(case.K), case.y, result.alpha, case.epsilon, case.C
    )
    unit = max(objective, 1e-4 * 0.5 * case.y @ case.y)
    assert (objective - bound) / unit <= relative
    assert bound <= reference + 1e-12 * unit
    assert result.objective == pytest.approx(objective, rel=1e-10, abs=1e-13 * unit)
    assert case.objective(result.alpha) == pytest.approx(
        reference, rel=relative, abs=relative * unit
    )


def spread(case):
    return np.abs(case.y).max()


@pytest.mark.parametrize("kind", KINDS)
def test_equals_lasso(kind):
    for seed in range(200):
        case = draw(kind, seed, penalty=True, box=False)
        assert_solved(case, solve(case), lasso_objective(case))


@pytest.mark.parametrize("kind", KINDS)
def test_equals_bounded_least_squares(kind):
    for seed in range(200):
        case = draw(kind, seed, penalty=False, box=True)
        assert_solved(case, solve(case), bounded_objective(case))


@pytest.mark.parametrize("kind", KINDS)
def test_equals_sequential_minimal_optimisation(kind):
    for seed in range(40):
        case = draw(kind, seed, penalty=True, box=True)
        linear = case.K.T @ case.y
        tolerance = 1e-10 * np.abs(linear).max()
        alpha, _ = smo(case.K.T @ case.K, linear, case.epsilon, case.C, tolerance, 10**6)
        assert_solved(case, solve(case), case.objective(alpha))


@pytest.mark.parametrize("kind", KINDS)
def test_equals_the_best_face(kind):
    for seed in range(8):
        case = draw(kind, seed, penalty=True, box=True)
        case = Case(case.K[:, :4], case.y, case.epsilon, case.C)
        assert_solved(case, solve(case), brute_objective(case))


@pytest.mark.parametrize("kind", KINDS)
def test_least_squares(kind):
    for seed in range(20):
        case = draw(kind, seed, penalty=False, box=False)
        alpha = np.linalg.lstsq(case.K, case.y, rcond=None)[0]
        assert_solved(case, solve(case), case.objective(alpha))


@pytest.mark.parametrize(("penalty", "box"), [(True, False), (False, True), (True, True)])
def test_any_start_leads_to_the_same_optimum(penalty, box):
    for kind in KINDS:
        case = draw(kind, 0, penalty=penalty, box=box)
        cold = solve(case)
        near = solve(Case(case.K, case.y, 1.1 * case.epsilon, 0.9 * case.C)).alpha
        far = 10.0 * spread(case) * np.random.default_rng(0).standard_normal(case.K.shape[1])
        for start in (cold.alpha, near, far):
            assert_solved(case, solve(case, start=start), cold.objective)
        again = solve(case, start=cold.alpha)
        assert again.n_iter == 1
        np.testing.assert_array_equal(again.alpha, cold.alpha)


def test_a_loose_solve_is_never_worse_than_its_start():
    rng = np.random.default_rng(0)
    for kind in KINDS:
        for seed in range(10):
            case = draw(kind, seed, penalty=True, box=True)
            optimum = solve(case).alpha
            nudge = 10.0 ** rng.uniform(-6, -1) * case.C * rng.standard_normal(len(optimum))
            start = np.clip(optimum + nudge, -case.C, case.C)
            result = solve(case, start=start, tol=1e-3)
            assert result.objective <= case.objective(start) * (1 + 1e-12)


@pytest.mark.parametrize(("penalty", "box"), [(True, False), (False, True), (True, True)])
def test_order_signs_and_scale_do_not_matter(penalty, box):
    rng = np.random.default_rng(0)
    for kind in KINDS:
        case = draw(kind, 1, penalty=penalty, box=box)
        expected = solve(case).objective
        order, sign = rng.permutation(case.K.shape[1]), rng.choice([-1.0, 1.0], case.K.shape[1])
        turned = Case(case.K[:, order] * sign, case.y, case.epsilon, case.C)
        assert_solved(turned, solve(turned), expected)
        louder = Case(case.K, 1e3 * case.y, 1e3 * case.epsilon, 1e3 * case.C)
        assert_solved(louder, solve(louder), 1e6 * expected)
        larger = Case(1e3 * case.K, case.y, 1e3 * case.epsilon, 1e-3 * case.C)
        assert_solved(larger, solve(larger), expected)


def test_the_bound_holds_for_any_weights():
    rng = np.random.default_rng(0)
    for kind in KINDS:
        for penalty, box in ((True, False), (False, True), (True, True)):
            case = draw(kind, 2, penalty=penalty, box=box)
            optimum = solve(case).objective
            for size in (0.0, 0.1, 1.0, 10.0):
                alpha = size * spread(case) * rng.standard_normal(case.K.shape[1])
                alpha = np.clip(alpha, -case.C, case.C)
                objective, bound = certify_weights(
                    wrap_columns(case.K), case.y, alpha, case.epsilon, case.C
                )
                assert bound <= optimum * (1 + 1e-12) <= objective * (1 + 1e-7)


def test_weights_outside_the_box_have_no_objective():
    case = draw("wide", 0, penalty=True, box=True)
    alpha = np.full(case.K.shape[1], 2.0 * case.C)
    assert certify_weights(wrap_columns(case.K), case.y, alpha, case.epsilon, case.C)[0] == np.inf


def test_large_penalty_leaves_nothing():
    case = draw("wide", 0, penalty=True, box=True)
    largest = np.abs(case.K.T @ case.y).max()
    result = box_lasso(wrap_columns(case.K), case.y, largest * (1 + 1e-9), case.C)
    assert not result.alpha.any()
    assert result.n_iter == 1
    assert result.status is Status.OPTIMAL


def test_two_parallel_columns_by_hand():
    """Columns (1, 0) twice, y = (3, 0): a_0 + a_1 = 2 at epsilon 1, each at most C."""
    K, y = np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([3.0, 0.0])
    result = box_lasso(wrap_columns(K), y, 1.0, 1.5)
    assert result.alpha.sum() == pytest.approx(2.0, abs=1e-8)
    assert result.objective == pytest.approx(0.5 + 2.0)
    tight = box_lasso(wrap_columns(K), y, 1.0, 0.75)
    np.testing.assert_allclose(tight.alpha, [0.75, 0.75])


def test_standardised_columns_and_constant_ones():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 50)) * 10.0 ** rng.uniform(-3, 3, 50) + 7.0
    X[:, 5] = 7.0
    y = rng.standard_normal(30)
    y -= y.mean()
    K = X - X.mean(axis=0)
    K /= np.where(np.arange(50) == 5, 1.0, np.sqrt((K * K).sum(axis=0)))
    K[:, 5] = 0.0
    case = Case(K, y, 0.1, 0.5)
    for data in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        result = box_lasso(scale_to_unit_length(data), y, case.epsilon, case.C)
        assert result.alpha[5] == 0.0
        assert_solved(case, result, solve(case).objective)


def test_a_working_set_smaller_than_the_support(monkeypatch):
    import fewest._solvers.box_lasso.solve as module

    monkeypatch.setattr(module, "_FEWEST_JOINING", 2)
    monkeypatch.setattr(module, "_PART_JOINING", 10**6)
    for kind in KINDS:
        for penalty, box in ((True, False), (False, True), (True, True)):
            case = draw(kind, 4, penalty=penalty, box=box)
            with monkeypatch.context() as patch:
                patch.undo()
                reference = solve(case).objective
            assert_solved(case, solve(case), reference)


def test_too_few_rounds_are_reported():
    case = draw("wide", 0, penalty=True, box=False)
    result = solve(case, max_iter=1)
    assert result.status is Status.INACCURATE
    assert result.gap > 1e-8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be finite and not negative"),
        ({"epsilon": np.nan}, "epsilon must be finite and not negative"),
        ({"C": 0.0}, "C must be positive"),
        ({"target": np.zeros(3)}, r"target has shape \(3,\)"),
        ({"start": np.zeros(3)}, r"start has shape \(3,\)"),
    ],
)
def test_bad_input(change, message):
    arguments = {"target": np.zeros(5), "epsilon": 0.1, "C": 1.0} | change
    with pytest.raises(ValueError, match=message):
        box_lasso(wrap_columns(np.ones((5, 2))), **arguments)
