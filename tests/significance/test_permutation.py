"""Permutation tests: exact p-values, groups, ties, and agreement with plain fits."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kstest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from fewest import SupportFeatureMachine, SupportFeatureMachineCV
from fewest._estimators.held_out import run_held_out
from fewest._estimators.splits import balanced_error, choose_exchange, permute_labels
from fewest.datasets import make_gaussian
from fewest.significance import permutation_test
from fewest.significance._permutation import (
    Measured,
    _keep_in_folds,
    compare_trials,
    make_measure,
)

HARD = SupportFeatureMachine(C=np.inf)


@pytest.fixture(scope="module")
def signal():
    return make_gaussian(n=30, d=200, k=2, mu=1.5, random_state=0)


def test_equals_plain_fits(signal):
    X, y = signal
    found = permutation_test(
        None, X, y, n_permutations=4, cv=3, ties="conservative", random_state=7
    )
    rng = np.random.RandomState(7)
    labellings = [y] + [rng.permutation(y) for _ in range(4)]
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    counts = [HARD.fit(X, labels).support_.sum() for labels in labellings]
    errors = [
        balanced_error(labels, cross_val_predict(HARD, X, labels, cv=folds))
        for labels in labellings
    ]
    for comparison, values in [(found.features, counts), (found.error, errors)]:
        assert comparison.observed == pytest.approx(values[0])
        np.testing.assert_allclose(comparison.chance, values[1:])
        at_least_as_good = np.sum(np.array(values[1:]) <= values[0])
        assert comparison.p_value == (1 + at_least_as_good) / 5


class CountsFits(SupportFeatureMachine):
    """A machine that counts how often any of its clones is fitted."""

    n_fits = 0

    def fit(self, X, y):
        type(self).n_fits += 1
        return super().fit(X, y)


def test_observed_error_is_handed_over(signal):
    X, y = signal
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    settings = {"statistics": "error", "n_permutations": 2, "cv": cv, "random_state": 1}
    alone = permutation_test(HARD, X, y, **settings)
    held_out = run_held_out(HARD, X, y, cv=cv)
    CountsFits.n_fits = 0
    found = permutation_test(CountsFits(C=np.inf), X, y, held_out=held_out, **settings)
    assert CountsFits.n_fits == 2 * 3  # those of the permuted classes
    assert found.error.observed == alone.error.observed == held_out.balanced_error
    np.testing.assert_array_equal(found.error.chance, alone.error.chance)


def test_held_out_must_be_of_the_same_samples(signal):
    X, y = signal
    held_out = run_held_out(HARD, X, y, cv=3, random_state=0)
    with pytest.raises(ValueError, match="other classes than y"):
        permutation_test(HARD, X, -y, n_permutations=1, held_out=held_out)
    with pytest.raises(ValueError, match="every sample exactly once"):
        permutation_test(HARD, X, y, n_permutations=1, held_out=held_out.first(2))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_max_seconds_ends_the_test_with_what_is_done(signal, n_jobs):
    X, y = signal
    settings = {"statistics": "features", "random_state": 0, "n_jobs": n_jobs}
    found = permutation_test(None, X, y, n_permutations=5000, max_seconds=1e-6, **settings)
    assert found.n_permutations == len(found.features.chance) == 1
    first = permutation_test(None, X, y, n_permutations=1, **settings)
    assert found.features.p_value == first.features.p_value
    unlimited = permutation_test(None, X, y, n_permutations=5, max_seconds=np.inf, **settings)
    assert unlimited.n_permutations == 5


def test_max_seconds_must_be_positive(signal):
    with pytest.raises(ValueError, match="max_seconds must be"):
        permutation_test(None, *signal, max_seconds=0)


def _feature_p_value(trials, ties, rng):
    return compare_trials(trials, ("features",), ties, rng).features.p_value


def test_ties_of_hand_made_values():
    rng = np.random.RandomState(0)
    features, objectives = [3, 2, 3, 3, 4], [1.0, 9.0, 0.5, 2.0, 0.1]
    trials = [Measured(f, o) for f, o in zip(features, objectives, strict=True)]
    assert _feature_p_value(trials, "conservative", rng) == 4 / 5
    assert _feature_p_value(trials, "objective", rng) == 3 / 5
    drawn = {_feature_p_value(trials, "random", rng) for _ in range(50)}
    assert drawn == {2 / 5, 3 / 5, 4 / 5}
    # Rounding makes no difference between equal programs.
    same = [Measured(3, 1.0), Measured(3, 1.0 - 1e-9)]
    assert _feature_p_value(same, "objective", rng) == 1.0


def test_both_statistics_together():
    """Each labelling's smaller p-value, ranked among those of all labellings."""
    features, errors = [2, 5, 3, 4, 6], [0.4, 0.1, 0.5, 0.3, 0.2]
    trials = [Measured(f, error=e) for f, e in zip(features, errors, strict=True)]
    # Places by features 1 4 2 3 5, by error 4 1 5 3 2; the smaller ones 1 1 2 3 2.
    found = compare_trials(trials, ("features", "error"), "conservative", None)
    assert (found.features.p_value, found.error.p_value, found.p_value) == (1 / 5, 4 / 5, 2 / 5)
    assert found.n_permutations == 4


def test_p_values_under_chance():
    """Uniform where ties are broken, and never too small where they are not."""
    rng = np.random.RandomState(3)
    p_values = {"random": [], "objective": [], "conservative": []}
    for _ in range(60):
        measure, codes = make_measure(
            HARD,
            rng.standard_normal((12, 30)),
            np.arange(12) % 2,
            statistics="features",
        )
        measured = [measure(codes)] + [measure(rng.permutation(codes)) for _ in range(9)]
        for ties, values in p_values.items():
            values.append(_feature_p_value(measured, ties, rng))
    for ties in ("random", "objective"):
        smoothed = np.array(p_values[ties]) - rng.uniform(size=60) / 10  # multiples of a tenth
        assert kstest(smoothed, "uniform").pvalue > 0.01, ties
    assert np.all(np.array(p_values["conservative"]) >= p_values["random"])
    assert np.mean(p_values["conservative"]) > 0.6


def test_signal_is_found(signal):
    found = permutation_test(None, *signal, n_permutations=19, cv=3, random_state=0)
    assert found.features.p_value == found.error.p_value == found.p_value == 0.05


def test_parallel_and_sparse_change_nothing(signal):
    X, y = signal
    settings = {"n_permutations": 5, "cv": 3, "random_state": 1}
    plain = permutation_test(None, X, y, **settings)
    for other in (
        permutation_test(None, X, y, n_jobs=2, **settings),
        permutation_test(None, sparse.csc_matrix(X), y, **settings),
    ):
        np.testing.assert_allclose(other.features.chance, plain.features.chance)
        np.testing.assert_allclose(other.error.chance, plain.error.chance)


def test_progress_bar(signal, capsys):
    permutation_test(None, *signal, statistics="features", n_permutations=1, verbose=1)
    assert "permutations" in capsys.readouterr().err


class TestGroups:
    def test_exchange_that_suits_the_groups(self):
        y = np.array([0, 1, 0, 1])
        assert choose_exchange(y, None) == "within"
        assert choose_exchange(y, np.array([1, 1, 2, 2])) == "within"
        assert choose_exchange(y, np.array([1, 2, 1, 2])) == "whole"

    def test_whole_groups_stay_in_their_parts(self):
        groups, parts = np.repeat(np.arange(8), 3), np.repeat([0, 1], 12)
        y = groups % 2
        rng = np.random.RandomState(0)
        drawn = permute_labels(y, groups, 40, rng, exchange="whole", parts=parts)
        assert len(np.unique(drawn, axis=0)) > 5
        for labels in drawn:
            assert all(len(np.unique(labels[groups == group])) == 1 for group in range(8))
            assert labels[parts == 0].sum() == labels[parts == 1].sum() == 6

    def test_labels_move_within_groups(self):
        codes = np.array([0, 1, 1, 0, 0, 1, 1, 1])
        groups = np.array(list("aaabbbcc"))
        drawn = permute_labels(codes, groups, 50, np.random.RandomState(0))
        for group in "abc":
            rows = groups == group
            assert np.all(drawn[:, rows].sum(axis=1) == codes[rows].sum())
        # 3 ways in a, 3 in b, 1 in c, each once but for the true one.
        assert len(np.unique(drawn, axis=0)) == len(drawn) == 8
        assert not np.any(np.all(drawn == codes, axis=1))
        few = permute_labels(codes, groups, 7, np.random.RandomState(0))  # too few for all
        assert len(few) == 7

    def test_labels_of_whole_groups(self):
        codes, groups = np.array([0, 0, 1, 1, 1, 0]), np.array([5, 5, 7, 7, 7, 9])
        rng = np.random.RandomState(0)
        drawn = set(map(tuple, permute_labels(codes, groups, 50, rng, exchange="whole")))
        assert drawn == {(1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1)}

    def test_fewer_folds_than_asked_for(self, signal):
        X, y = signal
        with pytest.warns(UserWarning, match="15 folds instead of 16") as warned:
            found = permutation_test(
                None, X, y, statistics="error", cv=16, n_permutations=1, random_state=0
            )
        assert len(warned) == 1
        assert np.isfinite(found.error.chance).all()

    def test_folds_keep_groups_together(self, signal):
        X, y = signal
        groups = np.repeat(np.arange(10), 3)
        found = permutation_test(None, X, y, groups=groups, n_permutations=2, cv=3, random_state=0)
        assert np.isfinite(found.error.observed)

    @pytest.mark.parametrize(
        ("groups", "exchange", "message"),
        [
            (np.arange(30), "within", "Permute the labels of whole groups with exchange='whole'"),
            (np.repeat(np.arange(3), 10), "whole", "needs groups of one class each"),
        ],
    )
    def test_wrong_exchange(self, signal, groups, exchange, message):
        with pytest.raises(ValueError, match=message):
            permutation_test(
                None, *signal, groups=groups, exchange=exchange, cv=3, n_permutations=1
            )


def test_classes_that_cannot_be_separated():
    X, y = make_gaussian(n=40, d=2, k=0, random_state=0)
    found = permutation_test(None, X, y, statistics="features", n_permutations=3, random_state=0)
    assert found.features.observed == np.inf
    assert found.features.p_value == 1.0


def test_soft_machine_counts_errors_at_their_price(signal):
    X, y = signal
    machine = SupportFeatureMachine(C=0.5)
    found = permutation_test(machine, X, y, statistics="features", n_permutations=1)
    assert found.features.observed == machine.fit(X, y).result_.zero_norm_objective


def test_other_classifiers(signal):
    lasso = LogisticRegression(solver="liblinear", l1_ratio=1.0, C=0.5)
    found = permutation_test(lasso, *signal, n_permutations=2, cv=3, random_state=0)
    assert found.features.observed == np.count_nonzero(lasso.fit(*signal).coef_)
    with pytest.raises(ValueError, match="KNeighborsClassifier does not say which features"):
        permutation_test(KNeighborsClassifier(), *signal, n_permutations=1)
    with pytest.raises(ValueError, match="ties='objective' needs a machine of this package"):
        permutation_test(lasso, *signal, ties="objective", n_permutations=1)


def test_machine_that_chooses_its_cost(signal):
    machine = SupportFeatureMachineCV(cv=3, random_state=0)
    found = permutation_test(machine, *signal, statistics="features", n_permutations=1)
    assert found.features.observed == machine.fit(*signal).support_.sum()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"estimator": SupportFeatureMachine(C=-1)}, "C must be a positive number"),
        ({"n_permutations": 0}, "n_permutations must be a whole number"),
        ({"statistics": "p"}, "statistics must be some of"),
        ({"ties": "none"}, "ties must be one of"),
        ({"cv": 1}, "cv must be at least two folds, or a splitter; got 1"),
        ({"y": np.arange(30) == 0}, "class True is too small for the split"),
        ({"exchange": "all"}, "exchange must be one of"),
        ({"y": np.ones(30)}, "a comparison with chance needs samples of at least two classes"),
    ],
)
def test_bad_input(signal, settings, message):
    X, y = signal
    with pytest.raises(ValueError, match=message):
        permutation_test(settings.pop("estimator", None), X, settings.pop("y", y), **settings)


@pytest.mark.parametrize("part", ["train", "all"])
def test_leukemia(real_data, part):
    data = real_data("leukemia")
    rows = (data["split"] == "train") | (part == "all")
    found = permutation_test(
        None, data["X"][rows], data["y"][rows], statistics="features", random_state=0
    ).features
    assert found.observed <= 3
    assert found.p_value == 0.01  # the smallest that 99 permutations can show


class NeedsGroups(SupportFeatureMachine):
    """Stands for machines that split the samples themselves: refuses to without the groups."""

    def _abilities(self):
        return replace(super()._abilities(), splits_samples=True, fits_columns=False)

    def fit(self, X, y, *, groups=None):
        assert groups is not None
        assert len(groups) == len(y)
        return super().fit(X, y)


def test_groups_reach_machines_that_split_once_more():
    X, y = make_gaussian(n=24, d=20, k=2, mu=1.0, random_state=0)
    groups = np.arange(24) // 4
    found = permutation_test(
        NeedsGroups(),
        X,
        y,
        statistics="error",
        n_permutations=3,
        cv=3,
        groups=groups,
        random_state=0,
    )
    assert found.error.observed < 0.5


def test_labels_stay_within_folds_that_are_given_as_a_list():
    """And a list that tests samples several times is taken with a warning."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), np.arange(30) % 2
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    parts = _keep_in_folds(splits, y, None)
    assert [sorted(np.flatnonzero(parts == part)) for part in range(3)] == [
        test.tolist() for _, test in splits
    ]
    assert _keep_in_folds(list(LeaveOneOut().split(X)), y, None) is None
    with pytest.warns(UserWarning, match="test samples several times"):
        assert _keep_in_folds(2 * splits, y, None) is None
