"""The summary: what a reader is told about noise and about signal."""

from dataclasses import replace

import numpy as np
import pytest

from fewest.datasets import make_gaussian
from fewest.diagnostics import diagnose, loo_reliability, sphericity
from fewest.significance import permutation_test, subset_separability_bounds


def words(found):
    """The summary without its line breaks."""
    return " ".join(str(found).split())


def test_noise_says_that_nothing_can_be_concluded():
    X = np.random.default_rng(0).standard_normal((60, 10_000))
    found = diagnose(X, np.arange(60) % 2, n_permutations=19, cv=2, random_state=0)
    assert not found.conclusive
    text = words(found)
    assert text.startswith("Nothing can be concluded from these data.")
    assert "Classes that were assigned at random look much the same" in text
    assert f"takes {found.n_selected} of 10,000 features" in text
    assert "Theory cannot rule out chance" in text
    assert "fitting them all proves nothing" in text
    assert "all samples are nearly equally far from each other" in text
    assert max(map(len, str(found).splitlines())) <= 88


def test_leukemia_says_that_something_can(real_data):
    data = real_data("leukemia")
    found = diagnose(data["X"], data["y"], cv=None, random_state=0)
    assert found.conclusive
    text = words(found)
    assert text.startswith("Something can be concluded from these data")
    assert "Classes that were assigned at random would hardly look like this" in text
    assert "by chance with a probability of at most 0.00024" in text
    assert "proves nothing" not in text


def test_parts_are_those_of_the_single_functions():
    X, y = make_gaussian(n=30, d=100, k=2, mu=1.5, random_state=0)
    found = diagnose(X, y, n_permutations=9, cv=3, random_state=3)
    alone = permutation_test(None, X, y, n_permutations=9, cv=3, random_state=3)
    np.testing.assert_array_equal(found.test.features.chance, alone.features.chance)
    np.testing.assert_array_equal(found.test.error.chance, alone.error.chance)
    assert found.sphericity == sphericity(X)
    assert found.leave_one_out == loo_reliability(X, y, standardize=True)
    known = {"intercept": True, "n_smaller": 15}
    assert found.bounds == subset_separability_bounds(30, 100, found.n_selected, **known)
    assert found.class_sizes == {-1: 15, 1: 15}


def test_classes_that_overlap():
    X, y = make_gaussian(n=60, d=3, k=1, mu=1.0, random_state=0)
    found = diagnose(X, y, n_permutations=19, cv=None, random_state=0)
    assert not found.separable
    assert found.conclusive
    assert found.test.error is None
    assert str(found).startswith(
        "Something can be concluded from these data, as far as so few permutations can show."
    )
    assert "No hyperplane separates the classes without error" in words(found)
    assert "independent random features" not in words(found)


def test_three_classes():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 50)) + 3.0 * (np.arange(50) == y[:, None])
    found = diagnose(X, y, n_permutations=19, cv=None, random_state=0)
    assert found.conclusive
    assert found.bounds is found.vc_dimension is found.leave_one_out is None
    assert "Leave-one-out" not in words(found)


def test_few_samples_and_many_features_warn_of_leave_one_out():
    X = np.random.default_rng(0).standard_normal((10, 20_000))
    found = diagnose(X, np.arange(10) % 2, n_permutations=3, cv=5, random_state=0)
    assert found.leave_one_out.verdict == "one"
    assert "Use folds that keep the classes' shares instead" in words(found)


@pytest.mark.parametrize("parts", ["groups", "blocks"])
def test_nothing_is_said_of_leave_one_out_where_samples_belong_together(parts):
    """Noise of ten patients: seven samples of each are nearly the same."""
    rng = np.random.default_rng(0)
    owner = np.repeat(np.arange(10), 7)
    X = rng.standard_normal((10, 100))[owner] + 0.1 * rng.standard_normal((70, 100))
    y = owner % 2 if parts == "groups" else np.arange(70) % 2
    found = diagnose(X, y, n_permutations=0, **{parts: owner})
    assert (found.leave_one_out, found.n_independent) == (None, 10)
    assert "error of new samples" not in words(found)
    assert "the 70 samples are of 10 groups" in words(found)
    assert "Leave out whole groups." in words(found)
    alone = diagnose(X, y, n_permutations=0, **{parts: np.arange(70)})
    assert alone.leave_one_out == loo_reliability(X, y, standardize=True)


def test_folds_are_at_most_the_smallest_class():
    X, y = make_gaussian(n=12, d=30, k=1, positive_fraction=0.25, random_state=0)
    with pytest.warns(UserWarning, match="3 folds instead of 10: class 1 has only 3 samples"):
        found = diagnose(X, y, n_permutations=2, cv=10, random_state=0)
    assert np.isfinite(found.test.error.observed)


@pytest.mark.parametrize(
    ("y", "settings", "message"),
    [
        ([0] * 5 + [1], {}, "two classes with two samples each, and five samples in all; got"),
        ([0] * 6, {}, "got {0: 6}"),
        ([0, 1] * 3, {"alpha": 5}, "alpha must be a number between 0 and 1; got 5"),
        ([0, 1] * 3, {"n_permutations": -1}, "n_permutations must be a whole number"),
    ],
)
def test_bad_input(y, settings, message):
    X = np.random.default_rng(0).standard_normal((6, 4))
    with pytest.raises(ValueError, match=message):
        diagnose(X, y, **settings)


def test_max_seconds_is_that_of_the_permutations():
    X, y = make_gaussian(n=30, d=50, k=2, mu=1.5, random_state=0)
    found = diagnose(X, y, n_permutations=5000, cv=None, max_seconds=1e-6, random_state=0)
    assert found.test.n_permutations == 1


def test_too_few_permutations_are_not_called_chance():
    X, y = make_gaussian(n=40, d=50, k=2, mu=2.0, random_state=0)
    few = diagnose(X, y, n_permutations=9, cv=None, random_state=0).summary
    assert few.startswith("Nothing can be concluded yet: there were too few permutations.")
    flat = " ".join(few.split())
    assert "With 9 permutations the p-value cannot be below 0.1" in flat
    assert "Use at least 19 permutations." in flat
    assert "look much the same" not in flat
    enough = diagnose(X, y, n_permutations=19, cv=None, random_state=0).summary
    assert (
        "None of 19 random labellings looked like this, and with so few the p-value cannot be "
        in (" ".join(enough.split()))
    )
    one = diagnose(X, y, n_permutations=1, cv=None, random_state=0).summary
    assert "(1 permutation, p =" in " ".join(one.split())


def test_weak_evidence_is_called_weak():
    X, y = make_gaussian(n=40, d=50, k=2, mu=2.0, random_state=0)
    found = diagnose(X, y, n_permutations=19, cv=None, random_state=0)
    weak = replace(found, test=replace(found.test, p_value=0.03, n_permutations=99))
    assert weak.summary.startswith("Something may be concluded from these data, but the evidence")
    assert "would seldom look like this" in " ".join(weak.summary.split())


@pytest.mark.parametrize(
    ("hubs", "words"), [([3], "1 such sample, 0 of them"), ([3, 4], "2 such samples, 0 of")]
)
def test_hubs_are_counted(hubs, words):
    X, y = make_gaussian(n=20, d=10, k=1, mu=1.0, random_state=0)
    found = diagnose(X, y, n_permutations=1, cv=None, random_state=0)
    skewed = replace(found.hubs, skewness=2.0, hubs=np.array(hubs), bad_hubs=np.array([]))
    assert words in " ".join(replace(found, hubs=skewed).summary.split())
