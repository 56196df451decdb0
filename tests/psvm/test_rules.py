"""Rules about features in the Potential Support Vector Machine, against a weighted lasso."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize
from sklearn.linear_model import Lasso

from fewest import PotentialSelector, PotentialSVC, PotentialSVCCV, PotentialSVR
from fewest._solvers.box_lasso.solve import box_lasso
from fewest._solvers.columns import wrap_columns
from fewest._solvers.result import Status
from fewest.datasets import make_gaussian


def unit_columns(X):
    centred = X - X.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


def weighted_lasso(K, y, costs):
    """Min 1/2 |K a - y|^2 + sum_j costs_j |a_j|: columns divided by their costs."""
    n = len(y)
    machine = Lasso(1.0 / n, fit_intercept=False, tol=1e-12, max_iter=100_000)
    return machine.fit(K / costs, y).coef_ / costs


@pytest.mark.parametrize("seed", range(20))
def test_the_solver_with_one_epsilon_per_column(seed):
    rng = np.random.default_rng(seed)
    K, y = rng.standard_normal((25, 40)), rng.standard_normal(25)
    costs = rng.uniform(0.5, 8.0, 40)
    wanted = weighted_lasso(K, y, costs)
    found = box_lasso(wrap_columns(K), y, costs)
    assert found.status is Status.OPTIMAL

    def objective(a):
        return 0.5 * np.sum((K @ a - y) ** 2) + costs @ np.abs(a)

    assert objective(found.alpha) == pytest.approx(objective(wanted), rel=1e-7)
    assert found.objective == pytest.approx(objective(found.alpha), rel=1e-9)
    assert found.bound <= objective(wanted) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_within_a_box(seed):
    rng = np.random.default_rng(seed)
    K, y = rng.standard_normal((20, 8)), 5.0 * rng.standard_normal(20)
    costs, C = rng.uniform(0.1, 4.0, 8), 0.4
    found = box_lasso(wrap_columns(K), y, costs, C)

    # a = p - q with 0 <= p, q <= C makes the program smooth.
    def value(pq):
        a = pq[:8] - pq[8:]
        rest = K @ a - y
        gradient = K.T @ rest
        full = 0.5 * rest @ rest + costs @ (pq[:8] + pq[8:])
        return full, np.concatenate([gradient + costs, -gradient + costs])

    wanted = minimize(
        value, np.zeros(16), jac=True, bounds=[(0, C)] * 16, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    assert found.objective == pytest.approx(wanted.fun, rel=1e-6)
    assert np.abs(found.alpha).max() <= C


def test_what_the_solver_refuses():
    K, y = wrap_columns(np.eye(3)), np.ones(3)
    with pytest.raises(ValueError, match=r"epsilon has shape \(2,\), needs \(\) or \(3,\)"):
        box_lasso(K, y, np.ones(2))
    with pytest.raises(ValueError, match="positive in all columns, or zero in all"):
        box_lasso(K, y, np.array([0.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="finite and not negative"):
        box_lasso(K, y, np.array([-1.0, 1.0, 1.0]))


@pytest.mark.parametrize("seed", range(4))
def test_machines_are_weighted_lassos(seed):
    X, y = make_gaussian(n=50, d=80, k=4, mu=0.8, random_state=seed)
    price = np.random.default_rng(seed).uniform(0.3, 5.0, 80)
    price[7] = 1.0
    rules = {"include": [7], "exclude": [0, 20], "feature_cost": price}
    kept = np.setdiff1d(np.arange(80), [0, 20])
    unit = np.quantile(price[np.setdiff1d(kept, [7])], 0.5, method="lower")
    costs = 1.5 * price / unit
    costs[7] = 1e-3 * np.delete(costs, 7).min()
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    wanted = np.zeros(80)
    wanted[kept] = weighted_lasso(unit_columns(X)[:, kept], signs - signs.mean(), costs[kept])
    machine = PotentialSVC(C=np.inf, epsilon=1.5, kernel="precomputed", tol=1e-9, **rules)
    selector = PotentialSelector(epsilon=1.5, tol=1e-9, **rules)
    regression = PotentialSVR(C=np.inf, epsilon=1.5, kernel="precomputed", tol=1e-9, **rules)
    for coef in (
        machine.fit(X, y).coef_[0],
        selector.fit(X, y).coef_[0],
        regression.fit(X, signs).coef_,
    ):
        np.testing.assert_allclose(coef, wanted, atol=1e-4)
    np.testing.assert_array_equal(selector.support_, machine.support_)
    assert selector.ranking_[0] == 7
    # The residual obeys what every column costs.
    assert np.all(np.abs(machine.moments_[0][kept]) <= costs[kept] * (1 + 1e-3))


def test_a_box_and_prices():
    X, y = make_gaussian(n=40, d=6, k=3, mu=0.8, random_state=0)
    K, signs = unit_columns(X), np.where(y > 0, 1.0, -1.0)
    machine = PotentialSVC(
        C=0.8, epsilon=0.0, kernel="precomputed", feature_cost={0: 9.0}, exclude=[5], tol=1e-10
    ).fit(X, y)
    wanted = lsq_linear(K[:, :5], signs - signs.mean(), (-0.8, 0.8)).x
    np.testing.assert_allclose(machine.coef_[0, :5], wanted, atol=1e-5)
    assert machine.coef_[0, 5] == 0.0


def test_the_search_keeps_names_and_rules():
    pandas = pytest.importorskip("pandas")
    X, y = make_gaussian(n=60, d=20, k=3, mu=0.8, random_state=0)
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(20)])
    rules = {"include": ["g9"], "exclude": ["g0"], "feature_cost": {"g1": 4.0}}
    settings = {"kernel": "precomputed", "cv": 3, "n_refined": 2}
    search = PotentialSVCCV((1.0, 10.0), (0.5, 1.0), **settings, **rules).fit(frame, y)
    assert search.support_[9]
    assert not search.support_[0]
    by_number = {"include": [9], "exclude": [0], "feature_cost": {1: 4.0}}
    same = PotentialSVCCV((1.0, 10.0), (0.5, 1.0), **settings, **by_number).fit(X, y)
    np.testing.assert_array_equal(search.coef_, same.coef_)
    # In every fold the machine is the one of the same rules.
    fold = PotentialSVC(
        C=search.best_params_["C"],
        epsilon=search.best_params_["epsilon"],
        kernel="precomputed",
        **by_number,
    )
    np.testing.assert_allclose(fold.fit(X, y).coef_, search.coef_, atol=1e-2)


def test_runs_on_subsamples():
    X, y = make_gaussian(n=80, d=30, k=3, mu=0.8, random_state=0)
    rules = {"include": [12], "exclude": [0]}
    selector = PotentialSelector(3, n_runs=6, random_state=0, **rules).fit(X, y)
    assert selector.support_.sum() == 3
    assert selector.support_[12]
    assert selector.stability_.frequency[0] == 0.0
    assert selector.ranking_[0] == 12
    more = PotentialSelector(include=np.arange(12)).fit(X, y)
    assert more.support_.sum() == 12


def test_kernels_and_samples_take_no_rules():
    X, y = make_gaussian(n=20, d=20, k=3, mu=0.8, random_state=0)
    for machine in (
        PotentialSVC(include=[1]),
        PotentialSVR(kernel="linear", exclude=[1]),
        PotentialSVC(kernel="precomputed", row_objects="samples", feature_cost=2.0),
        PotentialSVCCV(include=[1]),
    ):
        with pytest.raises(ValueError, match="only where the columns of X are features. Use kern"):
            machine.fit(X, y)
