"""The significance tests against formulas, and against what they must say on plain cases."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fewest.significance import (
    compare_proportions,
    cross_validated_t_test,
    paired_t_test,
    signed_rank_test,
)


def test_two_proportions_are_a_chi_squared_test():
    found = compare_proportions(30, 50, 200)
    table = [[30, 170], [50, 150]]
    chi2, pvalue, *_ = stats.chi2_contingency(table, correction=False)
    assert found.statistic[0] ** 2 == pytest.approx(chi2)
    assert found.statistic[0] < 0
    assert found.p_value[0] == pytest.approx(pvalue)


def test_benjamini_and_hochberg_step_up():
    rng = np.random.default_rng(0)
    first = rng.binomial(400, np.repeat([0.2, 0.3], [30, 10]))
    second = rng.binomial(400, np.repeat([0.2, 0.15], [30, 10]))
    found = compare_proportions(first, second, 400, rate=0.05)
    order = np.argsort(found.p_value)
    below = np.flatnonzero(found.p_value[order] <= 0.05 * np.arange(1, 41) / 40)
    rejected = set(order[: below[-1] + 1]) if len(below) else set()
    assert set(np.flatnonzero(found.adjusted <= 0.05)) == rejected
    assert found.first_better + found.second_better == len(rejected)
    assert found.second_better >= 8
    assert compare_proportions(second, first, 400).first_better == found.second_better


def test_methods_without_errors_do_not_differ():
    found = compare_proportions([0, 50], [0, 50], [10, 50])
    assert found.p_value.tolist() == [1.0, 1.0]


def test_the_t_test_by_its_formula():
    rng = np.random.default_rng(1)
    first, second = rng.uniform(size=10), rng.uniform(size=10)
    difference = first - second
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(10))
    found = paired_t_test(first, second)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    np.testing.assert_allclose(found.differences, difference)


def test_the_t_test_of_constant_differences():
    assert paired_t_test([1, 2, 3], [1, 2, 3]).p_value == 1.0
    always = paired_t_test([2, 3, 4], [1, 2, 3])
    assert always.statistic == np.inf
    assert np.isnan(always.p_value)  # nothing says how much differences vary


def test_folds_that_overlap_make_differences_less_certain():
    """Nadeau and Bengio: the variance of the mean is s^2 (1/k + n_test/n_train)."""
    difference = np.random.default_rng(2).standard_normal(10)
    plain = paired_t_test(difference, np.zeros(10))
    found = paired_t_test(difference, np.zeros(10), overlap=1 / 9)
    assert found.statistic == pytest.approx(plain.statistic / np.sqrt(1 + 10 / 9))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(found.statistic), 9))


def test_proportions_of_few_samples_are_fishers():
    found = compare_proportions([0, 3], [4, 9], [5, 20])
    assert found.p_value[0] == pytest.approx(stats.fisher_exact([[0, 4], [5, 1]]).pvalue)
    assert found.p_value[1] == pytest.approx(2 * stats.norm.sf(abs(found.statistic[1])))


def test_the_t_test_of_estimators_uses_the_same_folds():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 40)
    X = rng.standard_normal((80, 2)) + 2 * y[:, None]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    found = cross_validated_t_test(KNeighborsClassifier(), DummyClassifier(), X, y, cv=folds)
    expected = cross_val_score(KNeighborsClassifier(), X, y, cv=folds) - 0.5
    np.testing.assert_allclose(found.differences, expected)
    t = expected.mean() / expected.std(ddof=1) / np.sqrt(1 / 10 + 1 / 9)
    assert found.statistic == pytest.approx(t)
    assert found.p_value < 0.001
    assert len(cross_validated_t_test(*[KNeighborsClassifier()] * 2, X, y).differences) == 10


def test_signed_ranks():
    rng = np.random.default_rng(3)
    first, second = rng.exponential(size=30), rng.exponential(size=30) + 1.0
    found = signed_rank_test(first, second)
    assert found.p_value == stats.wilcoxon(first, second).pvalue < 0.01
    assert found.statistic < 0
    assert signed_rank_test(second, first).statistic == -found.statistic
    assert signed_rank_test([1, 2], [1, 2]).p_value == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare_proportions([1], [2], 10, rate=1.0),
            "rate must be a number",
        ),
        (lambda: compare_proportions([0.1], [2], 10), "first_errors must be whole numbers"),
        (lambda: compare_proportions([1], [11], 10), "second_errors has more errors than"),
        (lambda: compare_proportions([1, 2], [1, 2, 3], 10), "differ in length"),
        (lambda: compare_proportions([0], [0], 0), "n_tests must be at least one"),
        (
            lambda: paired_t_test([1, 2], [1, 2, 3]),
            "first and second must be lists of the same length",
        ),
        (lambda: signed_rank_test([1.0, np.nan], [1, 2]), "hold NaN or infinity"),
    ],
)
def test_bad_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()
