"""The generators: their distributions, their promises, and what they refuse."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import linprog

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine
from fewest.datasets import (
    make_banana,
    make_gaussian,
    make_modes,
    make_robot_arm,
    make_shattered,
    make_weston,
    synthetic,
)
from fewest.diagnostics import vc_dimension_bound

GENERATORS = [
    partial(make_weston, 30, 20),
    partial(make_gaussian, 30, 20),
    partial(make_modes, 30, 40),
    partial(make_banana, 18, 12, 30),
]
NAMES = ["weston", "gaussian", "modes", "banana"]


def is_separable(X: np.ndarray, y: np.ndarray) -> bool:
    """Whether some (w, b) has y_i (x_i . w + b) >= 1 for all i: a linear program of its own."""
    rows = -y[:, None] * np.column_stack([X, np.ones(len(y))])
    found = linprog(
        np.zeros(rows.shape[1]), rows, -np.ones(len(y)), bounds=(None, None), method="highs"
    )
    return found.status == 0


def selected_features(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The hard support feature machine: solve, reweight by 1 / |w|, until the support stays."""
    problem, columns = support_feature_machine(y.astype(float)), scale_columns(X)
    features = np.arange(X.shape[1])
    result = solve(problem, columns)
    while len(result.features) < len(features):
        features = features[result.features]
        columns = columns.subset(result.features)
        result = solve(problem.with_costs(1.0 / np.abs(result.w), None), columns)
    return features


def assert_moments(values: np.ndarray, mean: float, scale: float) -> None:
    """Mean and standard deviation within five standard errors."""
    error = scale / np.sqrt(values.size)
    assert abs(values.mean() - mean) < 5 * error
    assert abs(values.std() - scale) < 5 * error


@pytest.mark.parametrize("make", GENERATORS, ids=NAMES)
class TestAnyGenerator:
    def test_types(self, make):
        X, y = make(random_state=0)
        assert X.dtype == np.float64
        assert y.dtype == np.int64
        assert X.flags.c_contiguous
        assert set(y.tolist()) == {-1, 1}

    def test_a_seed_decides_everything(self, make):
        X, y = make(random_state=3)
        X_again, y_again = make(random_state=3)
        X_other, _ = make(random_state=4)
        np.testing.assert_array_equal(X, X_again)
        np.testing.assert_array_equal(y, y_again)
        assert not np.array_equal(X, X_other)

    @pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
    def test_a_source_of_randomness_advances(self, make, source):
        shared = source(0)
        first, second = make(random_state=shared)[0], make(random_state=shared)[0]
        assert not np.array_equal(first, second)
        np.testing.assert_array_equal(first, make(random_state=source(0))[0])

    def test_without_a_seed_draws_differ(self, make):
        assert not np.array_equal(make()[0], make()[0])

    @pytest.mark.parametrize("n", [0, 10.0, "10"])
    def test_refuses_a_wrong_number_of_samples(self, make, n):
        with pytest.raises(
            ValueError, match=rf"n(_positive)? must be an integer of at least \d, not {n!r}"
        ):
            make.func(n)


class TestWeston:
    @pytest.mark.parametrize(("n", "n_positive"), [(2, 1), (20, 10), (21, 10), (100, 50)])
    def test_balance_and_shape(self, n, n_positive):
        X, y = make_weston(n, 7, random_state=0)
        assert X.shape == (n, 13)
        assert np.sum(y == 1) == n_positive

    def test_labels_are_shuffled(self):
        _, y = make_weston(100, 0, random_state=0)
        assert np.abs(y[:50].sum()) < 50

    @pytest.mark.parametrize("n", [2, 20, 100, 500])
    @pytest.mark.parametrize("seed", range(3))
    def test_separable_in_the_six_features(self, n, seed):
        X, y = make_weston(n, 3, random_state=seed)
        assert is_separable(X[:, :6], y)

    @pytest.mark.parametrize(("n", "count", "percent"), [(100, 2.6, 99.1), (500, 4.2, 96.4)])
    def test_table_1(self, n, count, percent):
        """Klement et al. (2013), 100 noise features: which points are redrawn decides n = 500."""
        runs = [selected_features(*make_weston(n, 100, random_state=r)) for r in range(100)]
        assert abs(np.mean([len(found) for found in runs]) - count) < 0.25
        assert abs(np.mean([100.0 * np.mean(found < 6) for found in runs]) - percent) < 4.0

    def test_redrawing_is_needed(self):
        X, y = make_weston(2000, 0, separable=False, random_state=0)
        assert not is_separable(X, y)

    def test_distribution(self):
        """Mixtures: mean 0.7 j or 0.3 j; second moment 1 + 0.7 j^2 or 1 + 0.3 j^2."""
        X, y = make_weston(40_000, 2, separable=False, random_state=0)
        strength = np.array([1.0, 2.0, 3.0])
        share = np.repeat([0.7, 0.3], 3)
        mean = share * np.tile(strength, 2)
        variance = 1.0 + share * (1.0 - share) * np.tile(strength, 2) ** 2
        signed = y[:, None] * X[:, :6]
        np.testing.assert_allclose(signed.mean(axis=0), mean, atol=5 * 1.7 / 200)
        np.testing.assert_allclose(signed.var(axis=0), variance, rtol=0.05)
        assert_moments(X[:, 6:], 0.0, 20.0)

    def test_the_three_features_of_a_half_come_together(self):
        X, y = make_weston(40_000, 0, separable=False, random_state=1)
        correlation = np.corrcoef((y[:, None] * X).T)
        assert correlation[1, 2] > 0.3
        assert correlation[4, 5] > 0.3
        assert correlation[2, 5] < -0.3

    def test_gives_up_in_the_end(self, monkeypatch):
        monkeypatch.setattr(synthetic, "_MAX_SWEEPS", 0)
        with pytest.raises(RuntimeError, match="10 samples are not linearly separable after 0 sw"):
            make_weston(10, 0, random_state=0)

    def test_refuses_negative_noise(self):
        with pytest.raises(ValueError, match="n_noise must be an integer of at least 0, not -1"):
            make_weston(10, -1)


class TestGaussian:
    def test_the_call_of_the_papers(self):
        X, y = make_gaussian(n=500, d=200, k=10, mu=0.3, random_state=0)
        assert X.shape == (500, 200)
        assert y.sum() == 0

    def test_distribution(self):
        X, y = make_gaussian(20_000, 6, 2, 0.3, random_state=0)
        assert_moments(y[:, None] * X[:, :2], 0.3, 1.0)
        assert_moments(X[:, 2:], 0.0, 1.0)
        assert_moments(y[:, None] * X[:, 2:], 0.0, 1.0)

    @pytest.mark.parametrize(
        ("n", "fraction", "n_positive"), [(100, 0.6, 60), (10, 0.25, 2), (5, 0.01, 1), (5, 0.99, 4)]
    )
    def test_class_sizes_are_exact(self, n, fraction, n_positive):
        _, y = make_gaussian(n, 3, 1, positive_fraction=fraction, random_state=0)
        assert np.sum(y == 1) == n_positive

    def test_labels_are_shuffled(self):
        _, y = make_gaussian(100, 3, 1, random_state=0)
        assert np.abs(y[:50].sum()) < 50

    @pytest.mark.parametrize("k", [1, 5, 20])
    def test_separable_along_the_diagonal(self, k):
        X, y = make_gaussian(200, 30, k, positive_fraction=0.6, separable=True, random_state=k)
        assert np.all(y * X[:, :k].sum(axis=1) > 0.0)
        assert is_separable(X[:, :k], y)
        assert np.sum(y == 1) == 120

    def test_one_separable_feature_is_a_truncated_normal(self):
        """Y x given y x > 0 with mean zero: half a normal, mean sqrt(2 / pi)."""
        X, y = make_gaussian(20_000, 1, 1, 0.0, separable=True, random_state=0)
        assert abs((y * X[:, 0]).mean() - np.sqrt(2.0 / np.pi)) < 5 * 0.61 / np.sqrt(20_000)

    def test_pure_noise(self):
        X, y = make_gaussian(2000, 10, 0, 5.0, random_state=0)
        assert_moments(y[:, None] * X, 0.0, 1.0)

    def test_gives_up_in_the_end(self):
        with pytest.raises(RuntimeError, match=r"mu = -9.0 puts nearly all .* raise it"):
            make_gaussian(10, 5, 5, -9.0, separable=True, random_state=0)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"d": 0}, "d must be an integer of at least 1, not 0"),
            ({"k": -1}, "k must be an integer of at least 0, not -1"),
            ({"k": 0, "separable": True}, "k must be an integer of at least 1, not 0"),
            (
                {"d": 4, "k": 5},
                "k = 5 informative features do not fit into d = 4: raise d or lower k",
            ),
            ({"mu": np.inf}, "mu must be a finite number, not inf"),
            ({"positive_fraction": 0.0}, "positive_fraction must lie between 0 and 1"),
            ({"positive_fraction": 1.0}, "positive_fraction must lie between 0 and 1"),
        ],
    )
    def test_refuses(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            make_gaussian(**arguments)


@pytest.fixture(scope="module")
def sample():
    return make_modes(40_000, 25, random_state=0)


class TestModes:
    def test_moments(self, sample):
        """Feature t of a mode: mean 0.2 * 2, second moment 0.2 (4 + t^2 / 4) + 0.8."""
        X, y = sample
        signed = y[:, None] * X[:, :20]
        t = np.tile([1.0, 2.0, 3.0, 4.0], 5)
        np.testing.assert_allclose(signed.mean(axis=0), 0.4, atol=5 * 1.5 / 200)
        np.testing.assert_allclose(
            (signed**2).mean(axis=0), 0.2 * (4.0 + t * t / 4.0) + 0.8, rtol=0.06
        )
        assert_moments(X[:, 20:], 0.0, 20.0)

    def test_modes_exclude_each_other(self, sample):
        X, y = sample
        correlation = np.corrcoef((y[:, None] * X[:, :20]).T)
        assert np.all(correlation[:4, 4:20] < 0.0)
        assert correlation[0, 1] > 0.2

    def test_labels_are_fair_coins(self, sample):
        _, y = sample
        assert_moments(y.astype(float), 0.0, 1.0)

    def test_default_shape(self):
        X, y = make_modes(random_state=0)
        assert X.shape == (100, 2000)
        assert y.shape == (100,)

    def test_refuses_too_few_features(self):
        with pytest.raises(ValueError, match="d must be an integer of at least 20, not 19"):
            make_modes(10, 19)


class TestBanana:
    def test_sizes(self):
        X, y = make_banana(random_state=0)
        assert X.shape == (400, 100)
        assert np.sum(y > 0) == 210
        assert np.sum(y < 0) == 190
        assert len(np.unique(np.sign(np.diff(y)))) == 3  # in random order

    @pytest.mark.parametrize(("n_noise", "place"), [(98, 28), (28, 28), (5, 5), (0, 0)])
    def test_place_of_the_arcs(self, n_noise, place):
        X, y = make_banana(3000, 2000, n_noise, random_state=1)
        noise = np.delete(X, [place, place + 1], axis=1)
        assert noise.shape[1] == n_noise
        if n_noise:
            assert_moments(noise, 0.0, 1.0)
        # Distance from the own arc's centre: radius 5 and unit noise, so that its square has
        # mean 25 + 2 and variance 4 * 25 + 4.
        centre = np.where(y > 0, 0.0, -3.75)
        square = np.sum((X[:, place : place + 2] - centre[:, None]) ** 2, axis=1)
        assert abs(square.mean() - 27.0) < 5 * np.sqrt(104 / 5000)

    def test_arcs_lie_within_each_other(self):
        X, y = make_banana(5000, 5000, 0, random_state=2)
        # Means of the arcs: of sin and cos over 5/4 pi, from pi/8 and back from 3/8 pi.
        length = 5 / 4 * np.pi
        for sign, start, end, shift in [(1, 1 / 8, 11 / 8, 0.0), (-1, -7 / 8, 3 / 8, -3.75)]:
            sine = 5 * (np.cos(np.pi * start) - np.cos(np.pi * end)) / length + shift
            cosine = 5 * (np.sin(np.pi * end) - np.sin(np.pi * start)) / length + shift
            np.testing.assert_allclose(X[y == sign].mean(axis=0), [sine, cosine], atol=0.3)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((0, 5, 5), "n_positive must be an integer of at least 1"),
            ((5, 0, 5), "n_negative must be an integer of at least 1"),
            ((5, 5, -1), "n_noise must be an integer of at least 0"),
        ],
    )
    def test_refusals(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            make_banana(*arguments)


def test_shattered_samples():
    """Every labelling of the samples is separated by one feature, and the bound is met."""
    for n in range(1, 7):
        X = make_shattered(n)
        assert X.shape == (n, 2 ** (n - 1))
        for code in range(2**n):
            y = 1.0 - 2.0 * ((code >> np.arange(n)) & 1)
            assert np.any(np.all(y[:, None] * X > 0, axis=0) | np.all(y[:, None] * X < 0, axis=0))
        assert vc_dimension_bound(X.shape[1], 1) == n
    np.testing.assert_array_equal(make_shattered(2), [[1, 1], [1, -1]])  # fig. 3.4 of the thesis
    with pytest.raises(ValueError, match="n must be at most 20"):
        make_shattered(21)


def test_the_robot_arm_has_two_parts_of_known_length():
    X, y = make_robot_arm(3000, noise=0.0, random_state=0)
    assert np.abs(X[:, 0]).min() >= 0.453
    assert np.abs(X[:, 0]).max() <= 1.932
    assert X[:, 1].min() >= 0.534
    assert X[:, 1].max() <= 3.142
    assert 0.45 < np.mean(X[:, 0] > 0) < 0.55
    # Law of cosines: the end is as far from the shoulder as the angle at the elbow says.
    distance = 2.0**2 + 1.3**2 + 2 * 2.0 * 1.3 * np.cos(X[:, 1])
    np.testing.assert_allclose((y**2).sum(axis=1), distance)
    # The elbow is 1.3 away from the end.
    elbow = 2.0 * np.column_stack([np.cos(X[:, 0]), np.sin(X[:, 0])])
    np.testing.assert_allclose(np.linalg.norm(y - elbow, axis=1), 1.3)
    noisy = make_robot_arm(3000, noise=0.05, random_state=0)[1]
    np.testing.assert_allclose((noisy - y).std(axis=0), 0.05, rtol=0.05)
    with pytest.raises(ValueError, match="noise must be a finite number"):
        make_robot_arm(noise=-1.0)
