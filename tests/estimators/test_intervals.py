"""Intervals of errors: closed forms, limits, and what they must never do."""

import numpy as np
import pytest
from scipy.stats import binomtest, t, ttest_ind

from fewest._estimators.intervals import (
    difference_interval,
    error_interval,
    explain_no_interval,
    widen_drawn,
)


def ends(found):
    return found.low, found.high


def flags(n_wrong, n):
    return (np.arange(n) < n_wrong).astype(float)


@pytest.mark.parametrize(("n_wrong", "n"), [(0, 12), (3, 12), (12, 12), (1, 200)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_one_class_without_refits_is_wilsons(n_wrong, n, confidence):
    found = error_interval(flags(n_wrong, n), np.zeros(n), confidence=confidence, refitted=False)
    expected = binomtest(n_wrong, n).proportion_ci(confidence, method="wilson")
    assert ends(found) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_refits_count_half_the_samples():
    twice = error_interval(flags(6, 40), np.zeros(40))
    once = error_interval(flags(3, 20), np.zeros(20), refitted=False)
    assert ends(twice) == pytest.approx(ends(once), abs=1e-12)


def test_groups_that_are_samples_change_nothing():
    codes = np.arange(30) % 2
    wrong = flags(7, 30)
    assert error_interval(wrong, codes, np.arange(30)) == error_interval(wrong, codes)


def test_groups_without_errors_count_as_one_sample_each():
    groups = np.repeat(np.arange(20), 5)
    found = error_interval(np.zeros(100), groups % 2, groups)
    of_groups = error_interval(np.zeros(20), np.arange(20) % 2)
    assert ends(found) == pytest.approx(ends(of_groups), abs=1e-12)


def test_groups_that_err_as_a_whole_count_as_one_sample_each():
    groups = np.repeat(np.arange(20), 5)
    of_groups = np.isin(np.arange(20), [0, 1, 6, 11, 14]).astype(float)
    found = error_interval(of_groups[groups], groups % 2, groups)
    single = error_interval(of_groups, np.arange(20) % 2)
    # Somewhat wider: how much groups vary is estimated.
    assert found.low <= single.low
    assert single.high <= found.high <= single.high + 0.05


def test_a_group_of_both_classes_may_err_as_a_whole():
    groups = np.repeat(np.arange(10), 8)
    whole = np.isin(groups, [0, 4, 7]).astype(float)
    found = error_interval(whole, np.arange(80) % 2, groups)
    assert found.high - found.low >= 2 * 1.96 * np.sqrt(0.3 * 0.7 / 10)


def test_errors_that_do_not_gather_make_it_narrower_but_not_than_of_samples():
    groups, codes = np.repeat(np.arange(20), 5), np.repeat(np.arange(20), 5) % 2
    spread = (np.arange(100) % 5 == 0).astype(float)  # one per group
    gathered = (np.isin(groups, [0, 1, 2, 3])).astype(float)
    narrow, wide = (error_interval(one, codes, groups) for one in (spread, gathered))
    samples = error_interval(spread, codes)
    assert samples.high < narrow.high < wide.high


def test_too_few_labellings_allow_no_interval():
    groups = np.repeat(np.arange(6), 20)
    assert error_interval(np.zeros(120), groups % 2, groups) is None
    said = explain_no_interval(groups % 2, groups)
    assert "can be labelled in 20 ways only, so no p-value can be below 1/10" in said
    eight = np.repeat(np.arange(8), 10)
    assert explain_no_interval(eight % 2, eight) == ""
    assert error_interval(np.zeros(80), eight % 2, eight) is not None
    assert explain_no_interval(np.zeros(2), None) == "2 samples are too few for an interval"


def test_samples_that_were_not_judged_do_not_count():
    wrong = np.append(flags(3, 12), [np.nan] * 5)
    assert error_interval(wrong, np.zeros(17)) == error_interval(flags(3, 12), np.zeros(12))


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("n_first", [6, 3])
def test_differences_are_welchs_with_one_unit_more_for_either_method(n_first, size):
    groups = np.repeat(np.arange(12), size)
    codes = (groups >= n_first).astype(int)
    values = np.random.default_rng(n_first).integers(-1, 2, 12 * size).astype(float)
    means = values.reshape(12, size).mean(axis=1)
    one, two = (np.append(part, [1, -1]) for part in (means[:n_first], means[n_first:]))
    law = ttest_ind(one, -two, equal_var=False)  # of twice the mean of both
    centre = (one.mean() + two.mean()) / 2
    error = np.sqrt(2 * (one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two))) / 2
    found, p_value = difference_interval(values, codes, groups if size > 1 else None)
    low, high = t.interval(0.95, law.df, loc=centre, scale=error)
    assert ends(found) == pytest.approx((max(low, -1), min(high, 1)))
    assert p_value == pytest.approx(2 * t.sf(abs(centre) / error, law.df))


def test_differences_of_mixed_groups_are_those_of_the_groups():
    groups, codes = np.repeat(np.arange(12), 4), np.arange(48) % 2
    values = np.random.default_rng(0).integers(-1, 2, 48).astype(float)
    means = np.append(values.reshape(12, 4).mean(axis=1), [1, -1])
    error = np.sqrt(2 * means.var(ddof=1) / 14)
    found, p_value = difference_interval(values, codes, groups)
    assert ends(found) == pytest.approx(t.interval(0.95, 13, loc=means.mean(), scale=error))
    assert p_value == pytest.approx(2 * t.sf(abs(means.mean()) / error, 13))


def test_equal_differences_are_not_certain():
    found, p_value = difference_interval(np.ones(6), np.arange(6) % 2, None)
    assert found.low < 0.7
    assert p_value > 0.05


def test_a_bootstrap_of_few_groups_is_widened_more():
    groups = np.repeat(np.arange(8), 10)
    expected = np.sqrt(2) * t.ppf(0.975, 6) / 1.959963984540054
    assert widen_drawn(groups % 2, groups, 0.95) == pytest.approx(expected)
    assert widen_drawn(groups % 2, None, 0.95) < expected
