"""Liknon: the program itself, its dual, and paths over C."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.preprocessing import StandardScaler

from fewest import Liknon
from fewest.datasets import make_gaussian
from fewest.machines.liknon_path import exact_liknon_path, liknon_path


def full_program(Z, y, cost):
    """(8.4) as it stands, with u, v, a free bias, and slacks."""
    n, d = Z.shape
    signed = -y[:, None] * Z
    done = linprog(
        np.concatenate([np.ones(2 * d), [0.0], cost]),
        A_ub=np.hstack([signed, -signed, -y[:, None], -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
    )
    return done.fun


@pytest.mark.parametrize("standardize", [True, False])
def test_objective_of_the_full_program(standardize):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(4, 40)), int(rng.integers(1, 60))
        X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-2, 2)
        y = np.where(np.arange(n) % 2 == 0, 1, -1)
        C = 10.0 ** rng.uniform(-2, 1)
        machine = Liknon(C=C, standardize=standardize).fit(X, y)
        Z = StandardScaler().fit_transform(X) if standardize else X
        scale = X.std(axis=0) if standardize else 1.0
        w = machine.coef_[0] * scale
        hinge = np.maximum(0, 1 - y * machine.decision_function(X))
        expected = full_program(Z, y, np.full(n, C))
        assert np.abs(w).sum() + C * hinge.sum() == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("standardize", [True, False])
def test_dual_variables_and_standard_discriminant(standardize):
    X, y = make_gaussian(n=60, d=200, k=3, mu=0.8, random_state=0)
    X *= 3.0
    C = 0.05 if standardize else 0.02
    machine = Liknon(C=C, standardize=standardize).fit(X, y)
    alpha = machine.dual_coef_[0]
    assert alpha.min() >= 0
    assert alpha.max() <= C * (1 + 1e-9)
    assert y @ alpha == pytest.approx(0, abs=1e-9)
    Z = StandardScaler().fit_transform(X) if standardize else X
    e = Z.T @ (alpha * y)
    np.testing.assert_allclose(machine.standard_discriminant_[0], e, atol=1e-7)
    np.testing.assert_allclose(np.abs(e[machine.support_]), 1.0, atol=1e-7)
    np.testing.assert_array_equal(
        np.sign(e[machine.support_]), np.sign(machine.coef_[0, machine.support_])
    )
    assert np.abs(e).max() <= 1 + 1e-7
    np.testing.assert_array_equal(machine.support_samples_[0], np.flatnonzero(alpha))
    assert machine.n_iter_ == 1


@pytest.mark.parametrize("standardize", [True, False])
def test_optimality_conditions_hold_and_are_broken_by_tampering(standardize):
    X, y = make_gaussian(n=60, d=200, k=3, mu=0.8, random_state=0)
    machine = Liknon(C=0.05, standardize=standardize).fit(X, y)
    assert machine.check_optimality(X, y).largest < 1e-8
    assert machine.check_optimality(sparse.csr_matrix(X), y).largest < 1e-8
    other = X.copy()
    other[0] += 1.0
    assert machine.check_optimality(other, y).largest > 1e-3
    with pytest.raises(ValueError, match="data of the last fit"):
        machine.check_optimality(X[:-1], y[:-1])


def test_no_feature_below_the_largest_class_difference():
    # Balanced classes: w = 0 exactly as long as C |a_f| <= 1 for every feature (8.30).
    X, y = make_gaussian(n=50, d=100, k=2, mu=0.6, random_state=1)
    Z = StandardScaler().fit_transform(X)
    first = 1 / np.abs(Z[y > 0].sum(axis=0) - Z[y < 0].sum(axis=0)).max()
    path = exact_liknon_path(X, y, C_min=first / 10, C_max=2 * first)
    assert path.results[0].n_features == 0
    assert path.breakpoints[0] == pytest.approx(first, rel=1e-6)
    with pytest.warns(UserWarning, match="no feature was selected"):
        Liknon(C=0.9 * first).fit(X, y)


@pytest.mark.parametrize("standardize", [True, False])
def test_path_equals_single_fits(standardize):
    X, y = make_gaussian(n=60, d=300, k=5, mu=0.5, random_state=2)
    Cs = np.geomspace(0.01, 1, 8)
    path = liknon_path(X, y, Cs, standardize=standardize)
    assert path.gaps.max() <= 1e-7
    scale = X.std(axis=0) if standardize else 1.0
    Z = StandardScaler().fit_transform(X) if standardize else X - X.mean(axis=0)
    a = Z[y > 0].sum(axis=0) - Z[y < 0].sum(axis=0)
    for place, C in enumerate(Cs):
        single = Liknon(C=C, standardize=standardize).fit(X, y)
        w = single.coef_[0] * scale
        hinge = np.maximum(0, 1 - y * single.decision_function(X)).sum()
        assert path.objectives[place] == pytest.approx(np.abs(w).sum() + C * hinge, rel=1e-7)
        w = path.coefs[place] * scale
        if w.any():
            cosine = w @ a / np.linalg.norm(w) / np.linalg.norm(a)
            ratio = np.linalg.norm(w) / (np.linalg.norm(a) * cosine)
            assert path.ratios[place] == pytest.approx(ratio)
            assert path.one_norm_ratios[place] == pytest.approx(np.abs(w).sum() / (w @ a))
            e = np.sign(w)
            assert path.standard_ratios[place] == pytest.approx(np.count_nonzero(w) / (e @ a))
            assert path.mean_alphas[place] == pytest.approx(single.dual_coef_.mean(), rel=1e-4)
        else:
            assert np.isnan(path.ratios[place])
            assert np.isnan(path.one_norm_ratios[place])
            assert np.isnan(path.standard_ratios[place])


class TestRatios:
    """What C bounds: |w|_1 / (a . w), on any scale and for classes of any size."""

    @pytest.mark.parametrize("standardize", [True, False])
    @pytest.mark.parametrize("positive", [0.3, 0.5])
    @pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
    def test_the_one_norm_ratio_is_bounded(self, scale, positive, standardize):
        X, y = make_gaussian(n=60, d=50, k=5, mu=0.5, positive_fraction=positive, random_state=3)
        Cs = np.geomspace(0.02, 20, 10) / (1.0 if standardize else scale)
        path = liknon_path(scale * X, y, Cs, standardize=standardize)
        found = path.n_features > 0
        assert found.any()
        assert np.all(path.one_norm_ratios[found] <= path.mean_alphas[found] * (1 + 1e-6))
        assert np.all(path.mean_alphas <= path.Cs * (1 + 1e-9))

    def test_the_ratio_of_the_chapter_is_not(self):
        # (8.23) compares a two-norm with C: in a small unit of the columns it exceeds C.
        X, y = make_gaussian(n=60, d=50, k=5, mu=0.5, random_state=4)
        Cs = np.geomspace(0.05, 20, 10)
        unit = liknon_path(X, y, Cs, standardize=False)
        small = liknon_path(X / 100, y, 100 * Cs, standardize=False)
        assert np.all(unit.ratios < Cs)
        np.testing.assert_allclose(small.ratios, 1e4 * unit.ratios, rtol=1e-5)
        assert np.any(small.ratios > small.Cs)

    def test_the_bound_on_the_standard_discriminant(self):
        # (8.26): true where one feature is selected, not for any number of them.
        X, y = make_gaussian(n=60, d=50, k=5, mu=0.5, random_state=4)
        path = liknon_path(X, y, np.geomspace(0.02, 20, 60), standardize=False)
        single = path.n_features == 1
        assert single.any()
        assert np.all(path.standard_ratios[single] <= path.mean_alphas[single] * (1 + 1e-6))
        assert np.any(path.standard_ratios > 1.01 * path.mean_alphas)


@pytest.mark.parametrize("max_jump", [1, 4])
def test_values_are_inserted_where_features_jump(max_jump):
    X, y = make_gaussian(n=60, d=300, k=5, mu=0.5, random_state=2)
    Cs = [10.0, 0.01, 0.3]
    path = liknon_path(X, y, Cs, max_jump=max_jump)
    assert np.isin(Cs, path.Cs).all()
    steps = path.Cs[1:] / path.Cs[:-1]
    assert np.all(steps > 1)
    jumps = np.abs(np.diff(path.n_features))
    assert np.all((jumps <= max_jump) | (steps <= 1.01))
    assert np.diff(liknon_path(X, y, sorted(Cs)).n_features).max() > max_jump
    same = liknon_path(X, y, path.Cs)
    np.testing.assert_allclose(path.objectives, same.objectives, rtol=1e-7)
    np.testing.assert_allclose(path.coefs, same.coefs, atol=1e-6)
    with pytest.raises(ValueError, match="max_jump must be"):
        liknon_path(X, y, Cs, max_jump=0)


@pytest.mark.parametrize(
    ("Cs", "message"),
    [
        ([], "one or more numbers"),
        ([1.0, 0.0], "each of Cs must be"),
        ([np.inf], "each of Cs must be"),
    ],
)
def test_costs_that_are_none(Cs, message):
    X, y = make_gaussian(n=20, d=5, random_state=0)
    with pytest.raises(ValueError, match=message):
        liknon_path(X, y, Cs)


def test_ends_of_the_exact_path():
    X, y = make_gaussian(n=20, d=5, random_state=0)
    with pytest.raises(ValueError, match="below C_max"):
        exact_liknon_path(X, y, C_min=1.0, C_max=0.5)
    with pytest.raises(ValueError, match="exactly two classes"):
        liknon_path(X, np.arange(20) % 3, [1.0])
    with pytest.raises(ValueError, match="C must be a positive number"):
        Liknon(C=np.inf).fit(X, y)
