"""Covariates beside the features."""

from dataclasses import replace

import numpy as np
import pandas
import pytest
from scipy.stats import chi2_contingency, f_oneway, kstest

from fewest import Liknon, SupportFeatureMachine
from fewest.datasets import make_confounded
from fewest.significance import confounding, permutation_test, run_held_out
from fewest.significance._confounding import _explain
from fewest.significance._covariates import make_strata, read_covariates
from tests.fuzzing import many


def check(X, y, covariates, **options):
    return confounding(
        SupportFeatureMachine(C=1.0),
        X,
        y,
        covariates,
        **{"n_permutations": 39, "random_state": 0, **options},
    )


def test_classes_that_differ_by_batch_only():
    found = check(*make_confounded(n=80, d=200, effect=0.0, random_state=1))
    assert found.error < 0.35  # the features seem to tell the classes apart
    batch, age = found.covariates
    assert batch.p_value == pytest.approx(0.001)
    assert batch.error < 0.3
    assert batch.features_error < 0.15
    assert age.p_value > 0.05
    assert found.suspects == ("batch",)
    assert found.p_value > 0.05
    assert "do not tell the classes apart better than chance among samples that are alike" in (
        found.verdict
    )
    assert found.verdict.endswith("What they show may be batch.")


def test_classes_that_differ_beyond_the_batch():
    found = check(*make_confounded(n=80, d=200, effect=1.5, random_state=2))
    assert found.p_value == pytest.approx(0.025)
    assert not found.is_explained
    assert "alike in batch and age, too (p = 0.025). But batch is associated with the classes" in (
        found.verdict
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_machine_without_features_shows_nothing(seed):
    """Folds that are balanced by the true classes only are unfair to other labels."""
    rng = np.random.default_rng([seed, 5])
    X, y = rng.standard_normal((40, 30)), np.arange(40) % 2
    sex = {"sex": np.where(rng.permutation(40) % 2, "M", "F")}
    machine, seeds = Liknon(C=0.05), {"random_state": 3}
    held_out = run_held_out(machine, X, y, **seeds)
    assert held_out.balanced_error == 0.5
    folds = [(fold.train, fold.test) for fold in held_out.folds]
    other = run_held_out(machine, X, y, cv=folds)
    for known in (None, held_out, other):
        found = confounding(machine, X, y, sex, held_out=known, n_permutations=19, **seeds)
        assert found.p_value == 1.0
        assert "do not tell the classes apart better than chance" in found.verdict
    test = permutation_test(machine, X, y, statistics="error", cv=folds, n_permutations=19, **seeds)
    assert test.p_value > 0.5


def test_an_error_of_guessing_shows_nothing_whatever_its_p_value():
    found = check(*make_confounded(n=80, d=200, effect=1.5, random_state=2))
    assert not found.is_explained
    assert replace(found, error=0.5).is_explained


def test_covariates_without_any_association():
    X, y, covariates = make_confounded(n=80, d=200, effect=1.5, overlap=0.5, random_state=3)
    found = check(X, y, {"age": covariates["age"]})
    assert found.suspects == ()
    assert found.verdict.endswith("and none of these is associated with the classes.")


def test_classes_that_are_the_batches():
    X, y, covariates = make_confounded(n=60, d=100, overlap=0.0, random_state=0)
    found = check(X, y, pandas.DataFrame({"batch": covariates["batch"]}))
    assert found.p_value is None
    assert found.n_mixed == 0
    assert found.is_explained
    assert "The classes cannot be distinguished from batch" in found.verdict


def test_a_cross_validation_that_is_there_is_used():
    X, y, covariates = make_confounded(n=40, d=50, random_state=0)
    machine = SupportFeatureMachine(C=1.0)
    held_out = run_held_out(machine, X, y, random_state=4)
    found = confounding(
        machine, X, y, covariates, held_out=held_out, n_permutations=9, random_state=0
    )
    assert found.error == held_out.balanced_error


def test_association_orders_labellings_as_the_usual_statistics_do():
    rng = np.random.default_rng(0)
    labellings = [rng.permutation(np.repeat([0, 1, 2], 12)) for _ in range(30)]
    [category] = read_covariates({"site": rng.choice(["a", "b", "c"], 36)}, 36)
    [number] = read_covariates({"age": rng.standard_normal(36)}, 36)
    table = [
        [[np.sum((category.codes == k) & (codes == j)) for k in range(3)] for j in range(3)]
        for codes in labellings
    ]
    ours = [_explain(number.encode(), codes) for codes in labellings]
    usual = [
        f_oneway(*(number.values[codes == k] for k in range(3))).statistic for codes in labellings
    ]
    assert np.argsort(ours).tolist() == np.argsort(usual).tolist()
    # Two categories: the same order as chi-square.
    two = read_covariates({"site": np.where(category.codes == 0, "a", "b")}, 36)[0]
    merged = [np.array([[row[0], row[1] + row[2]] for row in one]) for one in table]
    ours = [_explain(two.encode(), codes) for codes in labellings]
    usual = [chi2_contingency(one).statistic for one in merged]
    np.testing.assert_allclose(ours, usual, rtol=1e-9)


def test_strata_hold_alike_samples():
    rng = np.random.default_rng(1)
    known = read_covariates(
        {"age": rng.uniform(20, 80, 200), "sex": rng.choice(["m", "f"], 200)}, 200
    )
    strata = make_strata(known)
    for stratum in np.unique(strata):
        rows = strata == stratum
        assert len(set(known[1].values[rows])) == 1
    assert len(np.unique(strata)) == 200 // 16 * 2  # eight samples on average, in each sex


def draw_plates(seed):
    """Twelve numbered plates that the features and, nearly, the labels follow: odd or even."""
    rng = np.random.default_rng(seed)
    plate = np.repeat(np.arange(12), 8)
    y = (plate % 2) ^ (rng.random(96) < 0.1)
    return rng.standard_normal((96, 20)) + 2 * rng.standard_normal((12, 20))[plate], y, plate


@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_many_samples_share_are_names_of_plates(seed):
    X, y, plate = draw_plates(seed)
    names = np.array([f"plate {number:02d}" for number in plate])  # sorted as the numbers are
    found, named = (check(X, y, {"plate": one}) for one in (plate, names))
    assert found.is_explained
    assert found.n_strata == 12
    assert (found.p_value, found.n_strata) == (named.p_value, named.n_strata)


def test_numbers_that_few_share_or_that_are_not_whole_are_measurements():
    rng = np.random.default_rng(0)
    ages, halves = rng.integers(20, 80, 96), np.repeat(np.arange(12) + 0.5, 8)
    assert all(one.is_number for one in read_covariates({"age": ages, "half": halves}, 96))


def test_labels_move_within_strata_only():
    strata = np.repeat([0, 1], 20)
    y = np.concatenate([np.repeat([0, 1], [15, 5]), np.repeat([0, 1], [4, 16])])
    X = y[:, None] + np.random.default_rng(0).standard_normal((40, 30))
    from fewest._estimators.splits import permute_labels

    for labels in permute_labels(y, None, 20, np.random.RandomState(0), parts=strata):
        assert [labels[strata == part].sum() for part in (0, 1)] == [5, 16]
    found = permutation_test(
        None, X, y, strata=strata, statistics="features", n_permutations=19, random_state=0
    )
    assert found.features.p_value <= 0.2
    with pytest.raises(ValueError, match="every stratum holds a single class"):
        permutation_test(None, X, y, strata=y, statistics="features", n_permutations=9)
    with pytest.raises(ValueError, match="a stratum for each of the 40 samples; got 3"):
        permutation_test(None, X, y, strata=[1, 2, 3], statistics="features")


def test_strata_and_groups_together():
    rng = np.random.RandomState(0)
    from fewest._estimators.splits import permute_labels

    groups, strata = np.repeat(np.arange(10), 4), np.tile([0, 0, 1, 1], 10)
    y = np.tile([0, 1, 0, 1], 10)
    for labels in permute_labels(y, groups, 10, rng, parts=strata):
        assert np.all(labels.reshape(10, 2, 2).sum(axis=2) == 1)
    whole = np.repeat(np.arange(2), 20)
    y = np.repeat(np.arange(10) % 2, 4)
    for labels in permute_labels(y, groups, 10, rng, exchange="whole", parts=whole):
        assert labels[:20].sum() == y[:20].sum()
    with pytest.raises(ValueError, match="a group lies in several strata"):
        permute_labels(y, groups, 10, rng, exchange="whole", parts=strata)


@pytest.mark.fuzz
def test_p_values_are_uniform_where_only_the_batch_differs():
    """Labels drawn anew within batches: the test keeps its level although batches differ."""
    rng = np.random.default_rng(7)
    found = []
    for seed in range(many(30)):
        X, y, covariates = make_confounded(n=40, d=20, random_state=seed)
        for batch in ("A", "B"):
            rows = np.flatnonzero(covariates["batch"] == batch)
            y[rows] = rng.permutation(y[rows])
        one = permutation_test(
            SupportFeatureMachine(C=1.0),
            X,
            y,
            statistics="features",
            strata=covariates["batch"],
            n_permutations=19,
            random_state=seed,
        )
        found.append(one.features.p_value - rng.uniform(0, 0.05))  # spread over its steps
    assert kstest(found, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("covariates", "part"),
    [
        ({}, "at least one covariate"),
        ({"age": [1.0, 2.0]}, "one value for each of the 40 samples"),
        ({"age": [np.nan, *range(39)]}, "age has no value for 1 sample"),
        ({"site": [None, *"ab" * 19, "a"]}, "site has no value for 1 sample"),
        ({"site": ["a"] * 40}, "is the same for all samples"),
        ({"who": [f"p{i}" for i in range(40)]}, "it looks like an id"),
        ({"age": [np.inf, *range(39)]}, "age has infinite values"),
    ],
)
def test_bad_covariates(covariates, part):
    X, y, _ = make_confounded(n=40, d=20, random_state=0)
    with pytest.raises(ValueError, match=part):
        check(X, y, covariates)


def test_generated_study():
    with pytest.raises(ValueError, match="overlap"):
        make_confounded(overlap=2.0)
    X, y, covariates = make_confounded(n=400, d=10, effect=1.0, overlap=0.25, random_state=0)
    other = (covariates["batch"] == "B") != (y == "patient")
    assert 0.15 < other.mean() < 0.35
    assert X.shape == (400, 10)
