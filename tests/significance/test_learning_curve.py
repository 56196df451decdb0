"""Would more samples help?"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import curve_fit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from fewest.datasets import make_gaussian
from fewest.significance import learning_curve, run_held_out
from fewest.significance._parts import Plan
from fewest.significance._power_law import find_slope, fit_power_laws
from fewest.significance._resampling import find_strata

SIZES = np.array([12.0, 20.0, 33.0, 55.0, 90.0])


def test_power_law_is_found_again():
    errors = np.array([0.05 + 1.2 * SIZES**-0.74, 0.9 * SIZES**-0.5, np.full(5, 0.2)])
    found = fit_power_laws(SIZES, errors)
    np.testing.assert_allclose(found.limit[:2], [0.05, 0.0], atol=1e-9)
    np.testing.assert_allclose(found.rate[:2], [0.74, 0.5])
    np.testing.assert_allclose(found.at(200.0), [0.05 + 1.2 * 200**-0.74, 0.9 * 200**-0.5, 0.2])


def test_power_law_of_noisy_errors_is_that_of_scipy():
    rng = np.random.RandomState(0)
    errors = 0.1 + 1.5 * SIZES**-0.8 + 0.005 * rng.normal(size=5)
    found = fit_power_laws(SIZES, errors[None])

    def law(n, a, b, c):
        return a + b * n**-c

    (a, b, c), _ = curve_fit(law, SIZES, errors, p0=(0.1, 1.0, 0.8), bounds=(0, [1, 50, 2]))
    own = np.sum((found.limit + found.scale * SIZES**-found.rate - errors) ** 2)
    assert own == pytest.approx(np.sum((law(SIZES, a, b, c) - errors) ** 2), rel=0.02)
    assert found.at(200.0)[0] == pytest.approx(law(200.0, a, b, c), abs=2e-3)


def test_slope_is_that_of_a_straight_line():
    errors = np.random.RandomState(1).uniform(size=(4, 5))
    expected = [np.polyfit(np.log2(SIZES), row, 1)[0] for row in errors]
    np.testing.assert_allclose(find_slope(SIZES, errors), expected)


class Known(ClassifierMixin, BaseEstimator):
    """Errs with a probability that depends on the number of training samples as it is told."""

    def __init__(self, limit=0.05, scale=1.5, rate=0.7):
        self.limit, self.scale, self.rate = limit, scale, rate

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.error_ = self.limit + self.scale * len(y) ** -self.rate
        self.seed_ = int(1e6 * abs(X).sum()) % 2**31
        return self

    def predict(self, X):
        wrong = np.random.RandomState(self.seed_).uniform(size=len(X)) < self.error_
        return self.classes_[((X[:, 0] > 0) ^ wrong).astype(int)]


def labelled(n, seed=0):
    rng = np.random.RandomState(seed)
    y = np.repeat([0, 1], n // 2)
    return np.column_stack([np.where(y, 1.0, -1.0), rng.normal(size=n)]), y


def test_a_known_curve_is_continued():
    X, y = labelled(300)
    found = learning_curve(Known(), X, y, random_state=0)
    assert found.outlook == "falls"
    for expected, n in ((found.now, 300), (found.doubled, 600)):
        truth = 0.05 + 1.5 * n**-0.7
        assert expected.n_train == n
        assert expected.interval.low < truth < expected.interval.high
        assert expected.error == pytest.approx(truth, abs=0.03)
    assert found.doubled.error < found.now.error
    assert found.verdict.startswith("With twice the samples (600), the error would be about")
    assert found.curve[-1] == found.doubled


def test_intervals_hold_the_truth_as_often_as_they_say():
    truth, held = 0.05 + 1.5 * 240**-0.7, []
    for seed in range(12):
        X, y = labelled(120, seed)
        found = learning_curve(Known(), X, y, n_repeats=3, random_state=seed)
        if found.doubled is not None:
            held.append(found.doubled.interval.low <= truth <= found.doubled.interval.high)
    assert len(held) >= 8
    assert sum(held) >= len(held) - 2


def test_twice_the_samples_of_a_real_classifier():
    X, y = make_gaussian(n=2000, d=60, k=60, mu=0.25, random_state=0)
    rows = np.random.RandomState(0).permutation(2000)
    own, twice, new = rows[:120], rows[:240], rows[240:]
    found = learning_curve(GaussianNB(), X[own], y[own], random_state=0)
    truth = 1 - GaussianNB().fit(X[twice], y[twice]).score(X[new], y[new])
    assert found.outlook == "falls"
    assert found.doubled.interval.low < truth < found.doubled.interval.high


@pytest.mark.parametrize("groups", [None, np.arange(60) // 2])
def test_noise_promises_nothing(groups):
    rng, outlooks = np.random.RandomState(0), []
    for seed in range(12):
        X, y = rng.normal(size=(60, 20)), np.repeat([0, 1], 30)
        curve = {"n_repeats": 2, "groups": groups, "random_state": seed}
        found = learning_curve(GaussianNB(), X, y, **curve)
        outlooks.append(found.outlook)
        assert found.doubled is None
        assert "would be about" not in found.verdict
    assert outlooks.count("chance") >= 9


def test_a_flat_curve_says_how_flat():
    X, y = labelled(200)
    found = learning_curve(Known(0.2, 0.0, 1.0), X, y, random_state=0)
    assert found.outlook == "flat"
    assert found.slope_interval.low < 0 < found.slope_interval.high
    assert found.verdict.startswith("The curve is flat within its uncertainty")
    assert found.law is None
    assert not found.curve


def test_a_curve_without_errors():
    X, y = labelled(60)
    found = learning_curve(Known(0.0, 0.0, 1.0), X, y, random_state=0)
    assert found.verdict.startswith("No error is left with 48 training samples")


def test_a_curve_that_rises():
    X, y = labelled(300)
    found = learning_curve(Known(0.0, 0.004, -0.8), X, y, random_state=0)
    assert found.outlook == "rises"
    assert "more samples of this kind are not expected to help" in found.verdict


def test_a_curve_that_leaves_chance_late_is_not_continued():
    X, y = labelled(120)
    found = learning_curve(Known(0.2, 260.0, 1.8), X, y, random_state=0)
    assert found.outlook == "short"
    assert "likely to help" in found.verdict
    assert found.doubled is None


def test_parts_keep_shares_and_groups_and_lie_within_each_other():
    y = np.tile(np.repeat([0, 1], [8, 4]), 10)
    groups = np.arange(120) // 4  # of one class each
    splits = [[(np.arange(0, 96), np.arange(96, 120))]]
    shares = np.array([0.25, 0.5, 1.0])
    plan = Plan(shares, splits, y, groups, np.random.RandomState(0))
    parts = [plan.parts[0, 0, size][0] for size in range(3)]
    assert [len(part) for part in parts] == [24, 48, 96]
    for small, large in pairwise(parts):
        assert set(small) <= set(large)
    for part in parts:
        assert np.mean(y[part]) == pytest.approx(1 / 3)
        for members in find_strata(groups, None):
            assert len(np.intersect1d(part, members)) in (0, 4)
    y, groups = np.array([0, 1, 1, 2, 0, 2]), np.repeat([0, 1, 2], 2)
    with pytest.raises(ValueError, match="do not hold all classes"):
        Plan(np.array([0.1, 1.0]), [[(np.arange(6), np.arange(6))]], y, groups, np.random)


class Counting(GaussianNB):
    n_fits = 0

    def fit(self, X, y):
        Counting.n_fits += 1
        return super().fit(X, y)


def test_folds_that_are_there_are_not_fitted_again():
    X, y = make_gaussian(n=60, d=5, k=2, mu=0.8, random_state=0)
    held_out = run_held_out(Counting(), X, y, random_state=0)
    Counting.n_fits = 0
    curve = {"n_sizes": 4, "n_repeats": 2, "random_state": 0}
    found = learning_curve(Counting(), X, y, held_out=held_out, **curve)
    assert Counting.n_fits == 5 * 4 * 2 - 5
    assert (found.n_folds, found.n_repeats, len(found.points)) == (5, 2, 4)
    assert found == learning_curve(GaussianNB(), X, y, held_out=held_out, **curve)


class NeedsMany(GaussianNB):
    def __init__(self, least=20):
        super().__init__()
        self.least = least

    def fit(self, X, y):
        if len(y) < self.least:
            raise ValueError("too few samples")
        return super().fit(X, y)


def test_sizes_that_fail_are_left_out():
    X, y = make_gaussian(n=60, d=5, k=2, mu=0.8, random_state=0)
    found = learning_curve(NeedsMany(), X, y, n_repeats=1, random_state=0)
    assert [round(point.n_train) for point in found.points] == [22, 32, 48]
    assert len(found.left_out) == 2
    assert found.left_out[0] == "10 training samples: 5 of 5 fits failed: too few samples"
    with pytest.raises(ValueError, match="there is no learning curve: 48 training samples"):
        learning_curve(NeedsMany(100), X, y, n_repeats=1, random_state=0)


def test_too_few_samples_and_wrong_arguments():
    X, y = make_gaussian(n=12, d=5, k=2, mu=0.8, random_state=0)
    with pytest.raises(ValueError, match="needs more samples: in a fold only 4 of a class"):
        learning_curve(GaussianNB(), X, y, cv=3)
    with pytest.raises(ValueError, match="n_sizes must be at least 3"):
        learning_curve(GaussianNB(), X, y, n_sizes=2)


def test_a_splitter_is_used_as_it_is():
    X, y = make_gaussian(n=60, d=5, k=2, mu=0.8, random_state=0)
    splits = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    order = np.random.RandomState(0).permutation(60)
    found = learning_curve(GaussianNB(), X[order], y[order], cv=splits, random_state=0)
    assert found.points[-1].n_train == 40
    assert found.n_folds == 2
