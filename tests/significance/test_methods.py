"""Several methods on the same folds."""

import warnings

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from fewest import SupportFeatureMachine, minimum_features
from fewest.datasets import make_gaussian
from fewest.significance import _rivals as rivals
from fewest.significance import compare_methods, run_held_out, stability_index


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=60, d=30, k=2, mu=1.2, random_state=1)


@pytest.fixture(scope="module")
def held_out(data):
    return run_held_out(SupportFeatureMachine(), *data, random_state=0)


@pytest.fixture(scope="module")
def found(data, held_out):
    names = ["sfm", "t-test", "minimum"]
    return compare_methods(None, *data, names, held_out=held_out, random_state=0)


def splits_of(held_out):
    return [(fold.train, fold.test) for fold in held_out.folds]


def test_the_machine_comes_first_and_is_not_fitted_again(found, held_out):
    first = found.methods[0]
    assert first.name == "this machine"
    assert first.difference is None
    assert first.balanced_error == pytest.approx(held_out.balanced_error)
    assert first.fold_errors == tuple(held_out.balanced_errors)
    assert first.stability == stability_index(held_out.selections).index


def test_a_method_with_the_same_predictions(found):
    same = found.methods[1]
    assert same.predicts_alike
    assert same.difference == 0.0
    assert same.difference_interval is None


def test_errors_are_those_of_scikit_learn_on_the_same_folds(data, held_out):
    X, y = data
    found = compare_methods(None, X, y, {"bayes": GaussianNB()}, held_out=held_out)
    predicted = cross_val_predict(GaussianNB(), X, y, cv=splits_of(held_out))
    bayes = found.methods[1]
    assert bayes.description == "GaussianNB"
    assert bayes.balanced_error == pytest.approx(1 - balanced_accuracy_score(y, predicted))
    assert bayes.fold_n_features == ()  # it does not select
    assert bayes.stability is None


@pytest.mark.parametrize("size", [1, 3])
def test_differences_are_paired_by_sample_or_group(data, size):
    X, y = data
    first = y == y[0]
    place = np.where(first, np.cumsum(first), np.cumsum(~first)) - 1
    groups = None if size == 1 else 100 * first + place // size
    held_out = run_held_out(SupportFeatureMachine(), X, y, groups=groups, random_state=0)
    found = compare_methods(
        None, X, y, {"bayes": GaussianNB()}, groups=groups, held_out=held_out
    ).methods[1]
    own = cross_val_predict(GaussianNB(), X, y, cv=splits_of(held_out)) != y
    each = own.astype(float) - (held_out.in_order(held_out.predicted) != y)
    # Units of one size: their means are a plain sample, class by class.
    one, two = (each[rows].reshape(-1, size).mean(axis=1) for rows in (first, ~first))
    assert found.difference == pytest.approx((one.mean() + two.mean()) / 2)
    # One unit more in each class for either method: see `difference_interval`.
    one, two = (np.append(part, [1.0, -1.0]) for part in (one, two))
    welch = stats.ttest_ind(one, -two, equal_var=False)  # of half their sum
    middle = (one.mean() + two.mean()) / 2
    spread = np.sqrt(2.0) * abs(middle * 2 / welch.statistic) / 2  # training sets overlap
    low, high = stats.t.interval(0.95, welch.df, loc=middle, scale=spread)
    assert found.difference_interval.low == pytest.approx(low, abs=1e-9)
    assert found.difference_interval.high == pytest.approx(high, abs=1e-9)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(middle) / spread, welch.df))


def test_t_test_takes_as_many_features_as_the_machine(data, held_out, found):
    X, y = data
    (ranked,) = [one for one in found.methods if one.name == "t-test"]
    assert ranked.fold_n_features == tuple(held_out.sizes)
    for fold in held_out.folds:
        a, b = (X[fold.train][y[fold.train] == label] for label in np.unique(y))
        best = np.argsort(-np.abs(stats.ttest_ind(a, b).statistic))[:3]
        machine = rivals.RankedMachine(3).fit(X[fold.train], y[fold.train])
        assert set(np.flatnonzero(machine.support_)) == set(best)


def test_constant_features_come_last_in_the_t_test(data):
    X, y = data
    X = X.copy()
    X[:, :28] = 7.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = rivals.RankedMachine(2).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [28, 29]


def test_minimum_is_the_smallest_set_of_each_fold(data, held_out, found):
    X, y = data
    (smallest,) = [one for one in found.methods if one.name == "minimum"]
    sizes = [minimum_features(X[fold.train], y[fold.train]).size for fold in held_out.folds]
    assert smallest.fold_n_features == tuple(sizes)
    assert smallest.warnings == ()


def test_one_norm_machine_chooses_C_inside_and_respects_groups(data, monkeypatch):
    X, y = data
    groups = np.arange(len(y)) // 2
    seen = []
    original = rivals.split_folds

    def spy(*args, **settings):
        seen.extend(original(*args, **settings))
        return seen

    monkeypatch.setattr(rivals, "split_folds", spy)
    rng = np.random.RandomState(0)
    order = rng.permutation(len(y))
    machine = rivals.OneNormMachine(random_state=0).fit(X[order], y[order], groups=groups)
    assert 0 < machine.support_.sum() < X.shape[1]
    assert all(not set(groups[train]) & set(groups[test]) for train, test in seen)
    again = rivals.OneNormMachine(random_state=0).fit(sparse.csr_array(X), y)
    assert again.predict(sparse.csr_array(X)).shape == y.shape


def test_methods_that_fail_are_listed_and_the_others_go_on():
    X, y = make_gaussian(n=40, d=3, k=1, mu=0.2, random_state=0)  # overlapping classes
    found = compare_methods(None, X, y, ["minimum", "t-test"], random_state=0)
    failed, ranked = found.methods[1:]
    assert failed.balanced_error is None
    assert failed.n_failed == 5
    assert "no set of features separates the classes without error (proven)" in (
        failed.failures[0].text
    )
    assert ranked.balanced_error is not None
    assert found.chosen_error is not None


class FailsOnce(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        if 0 not in X[:, 0]:
            raise RuntimeError("solver gave up")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_method_that_fails_in_one_fold_has_no_error():
    X, y = make_gaussian(n=40, d=5, k=1, mu=1.0, random_state=0)
    X[:, 0] = np.arange(40)
    found = compare_methods(None, X, y, {"once": FailsOnce()}, random_state=0)
    once = found.methods[1]
    assert once.balanced_error is None
    assert [(note.text, note.n_folds) for note in once.failures] == [("solver gave up", 1)]
    assert found.chosen_error is None
    assert found.caution.endswith("smallest of several.")


class Guesses(ClassifierMixin, BaseEstimator):
    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        rng = np.random.RandomState(self.seed + int(X[0, 0]))
        return self.classes_[rng.randint(2, size=len(X))]


def test_the_best_of_many_guesses_is_no_better_than_guessing():
    y = np.repeat([0, 1], 30)
    X = np.random.RandomState(0).permutation(60).astype(float)[:, None]
    others = {f"guess {seed}": Guesses(1000 * seed) for seed in range(1, 30)}
    found = compare_methods(Guesses(), X, y, others, random_state=0)
    best = min(one.balanced_error for one in found.methods)
    assert best < 0.42
    assert found.chosen_error > best + 0.05
    assert "optimistic" in found.caution
    assert f"{100 * found.chosen_error:.1f} %" in found.caution


def test_the_same_seed_gives_the_same_table(data):
    run = {"others": ["l1", "t-test"], "random_state": 3, "cv": 2}
    assert compare_methods(None, *data, **run) == compare_methods(None, *data, **run, n_jobs=2)


def test_all_names_are_known(data):
    X, y = data
    found = compare_methods(None, X[::2], y[::2], cv=2, random_state=0)
    assert [one.name for one in found.methods[1:]] == list(rivals.RIVALS)
    assert all(one.balanced_error is not None for one in found.methods)


def test_a_search_that_ends_early_says_so_and_depends_on_no_clock(monkeypatch):
    X, y = make_gaussian(n=60, d=300, k=3, mu=0.5, random_state=0)
    monkeypatch.setattr(rivals, "_MOST_LOOKS", 20)
    with pytest.warns(UserWarning, match="not proven to be a smallest one"):
        first = rivals.SmallestSetMachine().fit(X, y)
    # A clock on which hours pass between two looks.
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("fewest.minimum._clock.perf_counter", lambda: float(next(hours)))
    with pytest.warns(UserWarning, match="not proven"):
        again = rivals.SmallestSetMachine().fit(X, y)
    assert np.array_equal(first.support_, again.support_)


def test_more_than_two_classes():
    rng = np.random.RandomState(0)
    y = np.repeat(["a", "b", "c"], 14)
    X = rng.normal(size=(42, 12))
    X[:, 0] += 4.0 * (y == "b")
    X[:, 1] += 4.0 * (y == "c")
    found = compare_methods(None, X, y, ["l1", "t-test", "minimum"], cv=2, random_state=0)
    assert found.guessing == pytest.approx(2 / 3)
    assert all(one.balanced_error < 0.3 for one in found.methods), found.methods


def test_wrong_arguments(data):
    with pytest.raises(ValueError, match="others must be some of sfm, sfm-cv, .*; got 'lasso'"):
        compare_methods(None, *data, ["lasso"])
    with pytest.raises(ValueError, match="others must be names"):
        compare_methods(None, *data, "sfm")
    X, y = data
    other = run_held_out(GaussianNB(), X, y[::-1])
    with pytest.raises(ValueError, match="other samples"):
        compare_methods(None, X, y, ["sfm"], held_out=other)
