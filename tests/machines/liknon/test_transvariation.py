"""Transvariation: closed forms, all pairs by force, and the chapter's own algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.stats import gaussian_kde
from sklearn.metrics import roc_auc_score

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest.datasets import make_gaussian
from fewest.machines.transvariation import (
    class_differences,
    histogram_C,
    inverse_difference_C,
    t,
    t_alpha,
    t_alpha_zero,
    t_zero,
    transvariation_area,
    transvariation_C,
    transvariation_grid,
    transvariation_intensity,
    transvariation_probability,
)


def intensity_over_pairs(plus, minus, points=None):
    """(8.11) as it is written: a loop over all pairs."""
    first, second = (plus.mean(), minus.mean()) if points is None else points
    difference = first - second
    overlap = largest = 0.0
    for high in plus:
        for low in minus:
            if (high - low) * difference < 0:
                overlap += abs(high - low)
            largest += abs((high - first) - (low - second))
    return 2 * overlap / largest


def appendix_costs(Z, y, n_Cs):
    """The algorithm of the appendix for balanced classes, by loops over features and grid."""
    n = len(y)
    a = Z[y > 0].sum(axis=0) - Z[y < 0].sum(axis=0)
    own = 2 / n * np.abs(a)
    grid = np.unique([*own, *np.arange(101) * own.max() / 100])
    total = np.array([sum(max(0.0, abs(one) - n / 2 * d) for one in a) for d in grid])
    fall = total.max() - total
    grid, fall = grid[fall > 0], np.log(fall[fall > 0])
    step = (fall.max() - fall.min()) / n_Cs
    wanted = [fall.min() + step * k for k in range(1, n_Cs + 1)]
    return np.sort([*(2 / (n * np.interp(wanted, fall, grid))), 100.0])


def z_scores(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


class TestIntensity:
    @pytest.mark.parametrize("seed", range(5))
    def test_equals_all_pairs(self, seed):
        rng = np.random.default_rng(seed)
        plus, minus = rng.normal(0.7, 1, 23), rng.normal(0, 2, 31)
        assert transvariation_intensity(plus, minus) == pytest.approx(
            intensity_over_pairs(plus, minus), rel=1e-12
        )

    def test_equals_all_pairs_with_ties(self):
        plus, minus = np.array([0.0, 1, 1, 3, 3]), np.array([0.0, 0, 1, 2])
        assert transvariation_intensity(plus, minus) == pytest.approx(
            intensity_over_pairs(plus, minus)
        )

    def test_separate_classes_do_not_transvary(self):
        assert transvariation_intensity([4.0, 5.0], [1.0, 2.0, 3.0]) == 0.0
        assert transvariation_intensity([1.0], [2.0]) == 0.0

    def test_equal_means_are_the_limit(self):
        plus, minus = np.array([-1.0, 0.5, 2.0]), np.array([-2.0, 0.0, 3.5])
        assert transvariation_intensity(plus, minus) == 1.0
        for shift in (1e-7, -1e-7):
            assert transvariation_intensity(plus + shift, minus) == pytest.approx(1.0, abs=1e-6)

    def test_symmetry_shift_and_scale(self):
        rng = np.random.default_rng(0)
        plus, minus = rng.normal(1, 1, 20), rng.normal(0, 1, 15)
        value = transvariation_intensity(plus, minus)
        assert 0 < value < 1
        for one, other in [(minus, plus), (-plus, -minus), (3 * plus + 7, 3 * minus + 7)]:
            assert transvariation_intensity(one, other) == pytest.approx(value)

    @pytest.mark.parametrize("bad", [[], [[1.0, 2.0]], [np.nan, 1.0]])
    def test_bad_values(self, bad):
        with pytest.raises(ValueError, match="x_minus"):
            transvariation_intensity([1.0], bad)


class TestReference:
    @pytest.mark.parametrize("seed", range(3))
    def test_medians_and_any_points(self, seed):
        rng = np.random.default_rng(seed)
        plus, minus = rng.exponential(2, 21) - 0.5, rng.normal(0, 1, 32)
        medians = np.median(plus), np.median(minus)
        found = transvariation_intensity(plus, minus, reference="median")
        assert found == pytest.approx(intensity_over_pairs(plus, minus, medians), rel=1e-12)
        for points in ((0.3, -1.0), (-1.0, 0.3)):
            found = transvariation_intensity(plus, minus, reference=points)
            assert found == pytest.approx(intensity_over_pairs(plus, minus, points), rel=1e-12)
        means = plus.mean(), minus.mean()
        assert transvariation_intensity(plus, minus, reference=means) == pytest.approx(
            transvariation_intensity(plus, minus)
        )

    def test_equal_points(self):
        assert transvariation_intensity([1.0, 2.0], [0.0, 5.0], reference=(1.0, 1.0)) == 1.0
        assert transvariation_probability([1.0, 2.0], [0.0, 5.0], reference=(1.0, 1.0)) == 1.0

    @pytest.mark.parametrize("bad", ["mode", (1.0,), (1.0, np.nan), 3.0])
    def test_bad_reference(self, bad):
        for measure in (transvariation_intensity, transvariation_probability):
            with pytest.raises(ValueError, match="reference"):
                measure([1.0, 2.0], [0.0], reference=bad)


class TestProbability:
    @pytest.mark.parametrize("seed", range(3))
    def test_is_twice_what_the_roc_curve_misses(self, seed):
        rng = np.random.default_rng(seed)
        plus, minus = rng.integers(0, 9, 25) + 2.0, rng.integers(0, 9, 40) * 1.0  # with ties
        area = roc_auc_score(np.repeat([1, 0], [25, 40]), np.concatenate([plus, minus]))
        assert plus.mean() > minus.mean()
        for one, other in ((plus, minus), (minus, plus), (-plus, -minus)):
            assert transvariation_probability(one, other) == pytest.approx(2 * (1 - area))

    def test_the_direction_is_that_of_the_reference_points(self):
        plus, minus = np.array([0.0, 0.0, 9.0]), np.array([1.0, 1.0, 1.0])
        assert transvariation_probability(plus, minus) == pytest.approx(2 * 2 / 3)
        assert transvariation_probability(plus, minus, reference="median") == pytest.approx(2 / 3)


class TestArea:
    @pytest.mark.parametrize("bandwidth", [None, 0.5, "silverman"])
    def test_equals_the_integral(self, bandwidth):
        rng = np.random.default_rng(0)
        plus, minus = rng.normal(1.2, 1, 30), rng.normal(0, 3, 50)
        f, g = (gaussian_kde(x, bw_method=bandwidth) for x in (plus, minus))
        expected = quad(lambda x: min(f(x)[0], g(x)[0]), -30, 30, limit=500, points=[0, 1, 2])[0]
        found = transvariation_area(plus, minus, bandwidth=bandwidth)
        assert found == pytest.approx(expected, abs=1e-4)
        assert transvariation_area(minus, plus, bandwidth=bandwidth) == pytest.approx(found)

    def test_ends(self):
        x = np.linspace(0, 1, 20)
        assert transvariation_area(x, x) == pytest.approx(1.0, abs=1e-5)
        assert transvariation_area(x + 1e3, x) == pytest.approx(0.0, abs=1e-9)
        with pytest.raises(ValueError, match="single value, so it has no density"):
            transvariation_area([1.0, 1.0], x)


class TestDifferencesOfSums:
    def test_sums_of_unequal_classes(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(3.0, 2.0, (30, 5)), np.repeat([1, -1], [20, 10])
        X[:, 4] = 7.0
        Z = z_scores(X[:, :4])
        for data, standardize in ((X[:, :4], False), (Z, True)):
            expected = data[y > 0].sum(axis=0) - data[y < 0].sum(axis=0)
            found = class_differences(X, y, standardize=standardize, difference="sums")
            np.testing.assert_allclose(found[:4], expected, atol=1e-9)
            assert found[4] == 0.0
            for rule in (inverse_difference_C, transvariation_C, histogram_C):
                costs = rule(X, y, standardize=standardize, difference="sums")
                assert not np.allclose(costs[0], rule(X, y, standardize=standardize)[0])
        with pytest.raises(ValueError, match="difference must be one of 'means', 'sums'"):
            class_differences(X, y, difference="medians")

    def test_sums_are_the_appendix_for_unequal_classes(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(40, 6)) + 0.3, np.repeat([1, -1], [25, 15])
        found = transvariation_C(X, y, 12, standardize=False, difference="sums")
        np.testing.assert_allclose(found, appendix_costs(X, y, 12), rtol=1e-8)


class TestFunctions:
    def test_balanced_classes_give_the_chapters_sums(self):
        rng = np.random.default_rng(1)
        y = np.repeat([1, -1], 12)
        z = rng.normal(size=24) + y
        d = np.linspace(-2, 4, 7)
        np.testing.assert_allclose(t(d, z, y), z[y > 0].sum() - z[y < 0].sum() - 12 * d)

    def test_equal_the_sum_over_pairs(self):
        # (8.13) and (8.15), left-hand sides, for reference points p1 and p2 on the line
        rng = np.random.default_rng(2)
        y = np.repeat([1, -1], 10)
        z = rng.normal(size=20) + y
        alpha = rng.uniform(size=20)
        alpha[y < 0] *= alpha[y > 0].sum() / alpha[y < 0].sum()
        p1, p2 = 0.3, -0.4
        pairs = sum((i - p1) - (j - p2) for i in z[y > 0] for j in z[y < 0]) * 2 / 20
        scaled = sum(
            a * (i - p1) - b * (j - p2)
            for a, i in zip(alpha[y > 0], z[y > 0], strict=True)
            for b, j in zip(alpha[y < 0], z[y < 0], strict=True)
        )
        assert t(p1 - p2, z, y) == pytest.approx(pairs)
        assert t_alpha(p1 - p2, z, y, alpha) == pytest.approx(scaled * 2 / 20)

    def test_zeros(self):
        rng = np.random.default_rng(3)
        y = np.array(["a"] * 7 + ["b"] * 4)
        z = rng.normal(size=11)
        alpha = np.where(y == "a", 4.0, 7.0)
        assert t_zero(z, y) == pytest.approx(z[7:].mean() - z[:7].mean())
        assert t(t_zero(z, y), z, y) == pytest.approx(0, abs=1e-12)
        assert t_alpha_zero(z, y, alpha) == pytest.approx(t_zero(z, y))  # uniform in each class
        assert t_alpha(t_alpha_zero(z, y, alpha), z, y, alpha) == pytest.approx(0, abs=1e-12)

    def test_overlap_is_less_than_the_difference_on_a_liknon_discriminant(self):
        # (8.22), with w and alpha from the linear program
        X, y = make_gaussian(n=80, d=20, k=3, mu=0.6, random_state=0)
        Z = z_scores(X)
        result = solve(unit_margin(y.astype(float), slack_cost=np.full(80, 0.05)), scale_columns(X))
        z = Z[:, result.features] @ result.w
        overlap = t_alpha_zero(z, y, result.alpha)
        assert 0 < overlap <= t_zero(z, y)
        # all prices of selected features are +-1, so that alpha . (y z) = |w|_1
        assert overlap == pytest.approx(2 * np.abs(result.w).sum() / result.alpha.sum())

    @pytest.mark.parametrize(
        ("alpha", "message"),
        [
            ([1.0, 1.0, 1.0], "alpha has 3 samples"),
            ([1.0, 1.0, -1.0, 3.0], "zero or positive"),
            ([0.0, 0.0, 0.0, 0.0], "not all zero"),
            ([1.0, 1.0, 1.0, 0.5], "same sum in both classes"),
        ],
    )
    def test_bad_dual_variables(self, alpha, message):
        with pytest.raises(ValueError, match=message):
            t_alpha(0.0, [0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1], alpha)

    def test_bad_labels(self):
        with pytest.raises(ValueError, match="compares two classes, but y has 3"):
            t(0.0, [0.0, 1.0, 2.0], [0, 1, 2])
        with pytest.raises(ValueError, match="z has 3 samples, but y has 2"):
            t_zero([0.0, 1.0, 2.0], [0, 1])


class TestClassDifferences:
    def test_balanced_is_the_difference_of_sums(self):
        X, y = make_gaussian(n=40, d=6, k=2, mu=1.0, random_state=0)
        raw = X[y > 0].sum(axis=0) - X[y < 0].sum(axis=0)
        np.testing.assert_allclose(class_differences(X, y, standardize=False), raw, rtol=1e-9)
        np.testing.assert_allclose(class_differences(X, y), raw / X.std(axis=0), rtol=1e-9)

    def test_unbalanced_is_the_limit_of_liknon_with_balanced_weights(self):
        X, y = make_gaussian(n=60, d=15, k=3, mu=0.5, positive_fraction=0.25, random_state=1)
        limit = 1 / np.abs(class_differences(X, y)).max()
        factor = np.where(y > 0, 60 / (2 * 15), 60 / (2 * 45))
        for C, features in [(0.999 * limit, 0), (1.01 * limit, 1)]:
            result = solve(unit_margin(y.astype(float), slack_cost=C * factor), scale_columns(X))
            assert result.n_features == features

    def test_equal_means_have_no_difference(self):
        X = np.array([[1e6 + 0.1, 3.0, 5.0], [1e6 + 0.3, 1.0, 5.0]] * 6)
        y = np.repeat([0, 1], 6)
        assert class_differences(X, y).tolist() == [0.0, 0.0, 0.0]

    @pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, np.asfortranarray])
    def test_any_storage(self, kind):
        X, y = make_gaussian(n=30, d=8, random_state=0)
        np.testing.assert_allclose(class_differences(kind(X), y), class_differences(X, y))

    def test_integers_and_lists(self):
        X, y = [[0, 1], [2, 1], [4, 0], [5, 3]], ["a", "a", "b", "b"]
        np.testing.assert_allclose(class_differences(X, y, standardize=False), [7.0, 1.0])

    @pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 2]])
    def test_bad_labels(self, y):
        with pytest.raises(ValueError, match="class_differences (compares|needs)"):
            class_differences(np.eye(3), y)

    def test_bad_input(self):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            class_differences(np.eye(3), [0, 1])
        with pytest.raises(ValueError, match="NaN"):
            class_differences([[np.nan, 1.0], [1.0, 2.0]], [0, 1])


class TestTransvariationC:
    @pytest.mark.parametrize("n_Cs", [1, 7, 50])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_balanced_data_give_the_chapters_values(self, n_Cs, standardize):
        X, y = make_gaussian(n=100, d=10, k=2, mu=0.8, random_state=0)
        expected = appendix_costs(z_scores(X) if standardize else X, y, n_Cs)
        found = transvariation_C(X, y, n_Cs, standardize=standardize)
        np.testing.assert_allclose(found, expected, rtol=1e-8)

    def test_one_feature_in_closed_form(self):
        # log(N d / 2) is even from log(|a| / 100) to log |a|, on a grid of hundredths.
        X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1]
        grid = transvariation_grid(X, y, 2, standardize=False, largest=None)
        assert grid.differences.tolist() == [8.0]
        np.testing.assert_allclose(grid.distances, [0.4, 4.0], rtol=1e-12)
        np.testing.assert_allclose(grid.Cs, [1 / 8, 1 / 0.8], rtol=1e-12)

    def test_smallest_is_where_features_begin_to_enter(self):
        X, y = make_gaussian(n=50, d=30, k=2, mu=0.7, random_state=3)
        Cs = transvariation_C(X, y)
        assert len(Cs) == 51
        assert np.all(np.diff(Cs) > 0)
        assert Cs[-1] == 100.0
        assert Cs[0] == pytest.approx(1 / np.abs(class_differences(X, y)).max())
        problem = unit_margin(y.astype(float), slack_cost=np.full(50, Cs[0] * 0.999))
        assert solve(problem, scale_columns(X)).n_features == 0

    def test_chosen_points_lie_on_the_curve(self):
        X, y = make_gaussian(n=60, d=40, k=4, mu=0.5, random_state=0)
        grid = transvariation_grid(X, y, 20)
        assert grid.curve_totals[0] == pytest.approx(grid.differences.sum())
        assert grid.curve_totals[-1] == pytest.approx(0, abs=1e-9)
        assert np.all(np.diff(grid.curve_totals) <= 0)
        expected = [np.maximum(0, grid.differences - 30 * d).sum() for d in grid.distances]
        np.testing.assert_allclose(grid.totals, expected, atol=1e-9)
        np.testing.assert_allclose(1 / grid.Cs[:-1], 30 * grid.distances[::-1])

    def test_scale_shift_and_order_do_not_matter(self):
        X, y = make_gaussian(n=40, d=12, k=2, mu=0.7, random_state=5)
        Cs = transvariation_C(X, y, 10)
        order = np.random.default_rng(0).permutation(40)
        scaled = X * np.arange(1, 13) - 5.0
        for other, labels in [(scaled, y), (X[order], y[order]), (X[:, ::-1], y), (X, -y)]:
            np.testing.assert_allclose(transvariation_C(other, labels, 10), Cs, rtol=1e-8)

    def test_constant_columns_and_duplicates(self):
        X, y = make_gaussian(n=40, d=12, k=2, mu=0.7, random_state=5)
        with_constant = np.column_stack([X, np.ones(40)])
        np.testing.assert_allclose(
            transvariation_C(with_constant, y, 10), transvariation_C(X, y, 10)
        )
        twice = transvariation_C(np.column_stack([X, X]), y, 10)
        np.testing.assert_allclose(twice, transvariation_C(X, y, 10), rtol=1e-8)

    @pytest.mark.parametrize("n_Cs", [0, -3, 2.5, True])
    def test_bad_number_of_values(self, n_Cs):
        with pytest.raises(ValueError, match="n_Cs must be a whole number of at least one"):
            transvariation_C(np.eye(4), [0, 0, 1, 1], n_Cs)

    def test_no_difference_at_all(self):
        X = [[1.0], [2.0], [1.0], [2.0]]
        for rule in (transvariation_C, inverse_difference_C, histogram_C):
            with pytest.raises(ValueError, match="class means are equal in every feature"):
                rule(X, [0, 0, 1, 1])

    def test_bad_largest(self):
        with pytest.raises(ValueError, match="largest must be a positive number"):
            transvariation_C(np.eye(4), [0, 0, 1, 1], largest=0.0)


class TestSimplerRules:
    def test_inverse_differences(self):
        X = np.array([[0.0, 0, 1, 0], [0, 0, 1, 2], [2, 4, 1, 0], [2, 4, 1, 2]])
        found = inverse_difference_C(X, [0, 0, 1, 1], standardize=False)
        np.testing.assert_allclose(found, [1 / 8, 1 / 4])
        assert inverse_difference_C(X, [0, 0, 1, 1], 1, standardize=False).tolist() == [1 / 8]
        with pytest.raises(ValueError, match="n_Cs"):
            inverse_difference_C(X, [0, 0, 1, 1], 0)

    def test_modes_of_the_histogram(self):
        # class differences 1, 1, 2, 6, 6, 6 and 10: ten bins of width one; 10 is in the last.
        means = np.array([1.0, 1, 2, 6, 6, 6, 10])
        X = np.vstack([np.zeros(7), means])
        found = histogram_C(X, [0, 1], 10, standardize=False)
        np.testing.assert_allclose(found, [1 / 9.5, 1 / 6.5, 1 / 1.5])

    def test_a_plateau_is_one_mode(self):
        X = np.vstack([np.zeros(4), [1.5, 2.5, 3.5, 10.0]])
        found = histogram_C(X, [0, 1], 10, standardize=False)
        np.testing.assert_allclose(found, [1 / 9.5, 1 / 2.5])

    def test_one_bin(self):
        X = np.vstack([np.zeros(2), [2.0, 4.0]])
        assert histogram_C(X, [0, 1], 1, standardize=False).tolist() == [0.5]
        with pytest.raises(ValueError, match="n_bins"):
            histogram_C(X, [0, 1], 0)
