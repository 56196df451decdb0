"""LiknonCV: honest folds, reproducible splits, three outcomes, and clear refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest._estimators.splits import split_balanced
from fewest.datasets import make_banana, make_gaussian
from fewest.machines.liknon_cv import LiknonCV
from fewest.machines.liknon_path import liknon_path
from fewest.machines.transvariation import class_differences, histogram_C, transvariation_C

OUTCOMES = ["profile", "best", "ensemble"]


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=90, d=40, k=3, mu=1.0, positive_fraction=0.4, random_state=0)


def ber(y, predicted):
    return np.mean([np.mean(predicted[y == label] != label) for label in np.unique(y)])


def same(one, other, fold):
    """Whether everything that was chosen for a fold agrees."""
    own = slice(fold * one.n_splits, (fold + 1) * one.n_splits)
    return all(
        np.array_equal(a, b)
        for a, b in [
            (one.profile_[fold], other.profile_[fold]),
            (one.fold_supports_[fold], other.fold_supports_[fold]),
            (one.C_[fold], other.C_[fold]),
            (one.monitoring_ber_[fold], other.monitoring_ber_[fold]),
            *(
                (a.weights, b.weights)
                for a, b in zip(one.estimators_[own], other.estimators_[own], strict=True)
            ),
        ]
    )


class TestHonesty:
    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_validation_samples_do_not_touch_the_selection(self, data, outcome):
        X, y = data
        rng = np.random.default_rng(0)
        folds = PredefinedSplit(rng.permutation(np.arange(90) % 3))
        machine = LiknonCV(8, cv=folds, n_splits=2, outcome=outcome, prefilter=0.5, random_state=0)
        machine.fit(X, y)
        for fold, (_, validation) in enumerate(folds.split()):
            changed_X, changed_y = X.copy(), y.copy()
            changed_y[validation] = rng.permutation(y[validation])
            changed_X[validation] = rng.normal(size=(len(validation), 40))
            changed = LiknonCV(**machine.get_params()).fit(changed_X, changed_y)
            assert same(machine, changed, fold)
            assert changed.validation_ber_[fold] != machine.validation_ber_[fold]

    @pytest.mark.slow
    def test_noise_has_an_error_of_one_half(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(200, 300)), np.arange(200) % 2
        machine = LiknonCV(5, n_splits=3, random_state=0).fit(X, y)
        assert machine.monitoring_ber_.mean() < 0.5  # it was minimised
        assert abs(machine.validation_ber_.mean() - 0.5) < 0.1

    def test_sets_are_disjoint_and_balanced(self, data):
        X, y = data
        machine = LiknonCV(3, cv=KFold(4, shuffle=True, random_state=0), n_splits=2).fit(X, y)
        folds = list(machine.cv.split(X))
        assert [(path.fold, path.split) for path in machine.paths_] == [
            (fold, split) for fold in range(4) for split in range(2)
        ]
        for path in machine.paths_:
            development, validation = folds[path.fold]
            used = np.concatenate([path.training, path.monitoring])
            assert sorted(used) == sorted(development)
            assert not set(used) & set(validation)
            assert y[path.training].sum() == 0
            assert len(path.training) == 2 * (
                min(np.sum(y[development] == s) for s in (1, -1)) // 2
            )

    @pytest.mark.parametrize(("size", "sizes"), [(12, (12, 12)), ((9, 15), (9, 15))])
    def test_sizes_of_the_training_set(self, data, size, sizes):
        X, y = data
        machine = LiknonCV(3, cv=3, n_splits=2, training_size=size, random_state=0).fit(X, y)
        folds = np.array([path.fold for path in machine.paths_])
        assert folds.tolist() == [0, 0, 1, 1, 2, 2]
        for path in machine.paths_:
            assert tuple(np.sum(y[path.training] == label) for label in (-1, 1)) == sizes
            assert not set(path.training) & set(path.monitoring)
            assert len(path.training) + len(path.monitoring) == 60

    def test_sizes_with_groups_are_the_most(self):
        X, y = make_gaussian(n=120, d=15, k=3, mu=1.0, random_state=1)
        groups = np.random.default_rng(0).integers(24, size=120)
        machine = LiknonCV(3, cv=3, n_splits=1, training_size=5, random_state=0)
        for path in machine.fit(X, y, groups=groups).paths_:
            assert sorted(y[path.training]) == [-1] * 5 + [1] * 5
            assert not set(groups[path.training]) & set(groups[path.monitoring])

    def test_sizes_that_cannot_be(self, data):
        X, y = data
        for size in (0, 2.5, (3,), (3, 0), "half"):
            with pytest.raises(ValueError, match="training_size must be None"):
                LiknonCV(3, training_size=size).fit(X, y)
        with pytest.raises(ValueError, match="36 samples, but 36 . 24 of the two classes"):
            LiknonCV(3, cv=3, training_size=(30, 36)).fit(X, np.repeat([0, 1], [54, 36]))

    def test_groups_are_never_split(self):
        X, y = make_gaussian(n=120, d=15, k=3, mu=1.0, random_state=1)
        groups = np.random.default_rng(0).integers(24, size=120)
        for cv in (3, GroupKFold(3)):
            machine = LiknonCV(4, cv=cv, n_splits=3, random_state=0).fit(X, y, groups=groups)
            for path in machine.paths_:
                training, monitoring = set(groups[path.training]), set(groups[path.monitoring])
                assert not training & monitoring
                outside = set(groups) - training - monitoring
                assert outside
                assert y[path.training].sum() == 0

    def test_validation_error_by_hand(self, data):
        X, y = data
        folds = list(KFold(3, shuffle=True, random_state=1).split(X))
        for outcome in OUTCOMES:
            machine = LiknonCV(
                6, cv=folds, n_splits=3, outcome=outcome, threshold=0.6, random_state=0
            ).fit(X, y)
            for fold, (development, validation) in enumerate(folds):
                found = machine.estimators_[3 * fold : 3 * fold + 3]
                scores = np.array([one.decision_function(X[validation]) for one in found])
                if outcome == "best":
                    best = min(found, key=lambda one: (one.monitoring_ber, one.n_features))
                    predicted = np.sign(best.decision_function(X[validation]))
                elif outcome == "ensemble":
                    predicted = np.sign(np.sign(scores).sum(axis=0))
                else:
                    kept = machine.profile_[fold] > 0.5
                    near = KNeighborsClassifier(3).fit(X[development][:, kept], y[development])
                    predicted = near.predict(X[validation][:, kept])
                assert machine.validation_ber_[fold] == pytest.approx(ber(y[validation], predicted))


class TestChoice:
    def test_the_best_of_the_path_is_taken(self, data):
        X, y = data
        rule = partial(transvariation_C, n_Cs=12)
        machine = LiknonCV(Cs=rule, cv=2, n_splits=2, random_state=0).fit(X, y)
        for path in machine.paths_:
            Cs = transvariation_C(X[path.training], y[path.training], 12)
            np.testing.assert_allclose(path.Cs, Cs)
            solved = liknon_path(X[path.training], y[path.training], Cs)
            scores = X[path.monitoring] @ solved.coefs.T + solved.intercepts
            errors = [ber(y[path.monitoring], np.where(row > 0, 1, -1)) for row in scores.T]
            np.testing.assert_allclose(path.monitoring_ber, errors)
            candidates = [
                (round(errors[k], 9), path.n_features[k], path.Cs[k])
                for k in range(len(Cs))
                if path.n_features[k]
            ]
            chosen = path.discriminant
            assert (chosen.monitoring_ber, chosen.n_features, chosen.C) == pytest.approx(
                min(candidates)
            )

    @pytest.mark.parametrize("d", [20, 200])
    def test_features_of_wide_data_enter_one_by_one(self, d):
        X, y = make_gaussian(n=90, d=d, k=3, mu=0.5, random_state=0)
        machine = LiknonCV(12, cv=2, n_splits=1, random_state=0).fit(X, y)
        for path in machine.paths_:
            rule = transvariation_C(X[path.training], y[path.training], 12)
            if d < len(path.training):
                np.testing.assert_array_equal(path.Cs, rule)
                continue
            assert np.isin(rule, path.Cs).all()
            jumps = np.abs(np.diff(path.n_features)) > 1
            assert np.all(path.Cs[1:][jumps] <= 1.01 * path.Cs[:-1][jumps])
            alone = liknon_path(X[path.training], y[path.training], rule).n_features
            assert len(np.unique(path.n_features)) > 2 * len(np.unique(alone))

    def test_the_classifier_as_monitor(self, data):
        X, y = data
        machine = LiknonCV(6, cv=2, n_splits=1, monitor="classifier", random_state=0).fit(X, y)
        for path in machine.paths_:
            solved = liknon_path(X[path.training], y[path.training], path.Cs)
            for error, weights in zip(path.monitoring_ber, solved.coefs, strict=True):
                kept = weights != 0
                expected = 0.5
                if kept.any():
                    near = KNeighborsClassifier(3).fit(X[path.training][:, kept], y[path.training])
                    predicted = near.predict(X[path.monitoring][:, kept])
                    expected = ber(y[path.monitoring], predicted)
                assert error == pytest.approx(expected)
            assert (
                path.discriminant.monitoring_ber == path.monitoring_ber[path.n_features > 0].min()
            )

    def test_a_split_may_find_nothing(self):
        # The classes agree in most samples: some Training sets have equal class means.
        X = np.tile([[1.0], [2.0]], (8, 1))
        y = np.repeat([0, 1], 8)
        X[-1] = 9.0
        machine = LiknonCV(3, cv=2, n_splits=20, threshold=0.01, random_state=0).fit(X, y)
        found = [one.n_features for one in machine.estimators_]
        assert min(found) == 0
        assert max(found) == 1
        empty = machine.estimators_[found.index(0)]
        assert np.ptp(empty.decision_function(X)) == 0.0

    def test_profile_counts_the_discriminants(self, data):
        X, y = data
        machine = LiknonCV(6, cv=3, n_splits=4, random_state=0).fit(X, y)
        counts = np.zeros((3, 40))
        for place, found in enumerate(machine.estimators_):
            counts[place // 4, found.features] += 1
        np.testing.assert_allclose(machine.profile_, counts / 4)
        np.testing.assert_allclose(machine.frequency_, counts.sum(axis=0) / 12)
        assert machine.C_.shape == machine.monitoring_ber_.shape == (3, 4)
        assert machine.validation_ber_.shape == (3,)

    def test_threshold(self, data):
        X, y = data
        machine = LiknonCV(6, cv=5, n_splits=1, threshold=0.6, random_state=0).fit(X, y)
        np.testing.assert_array_equal(machine.support_, machine.profile_.sum(axis=0) >= 3)
        chosen = LiknonCV(6, cv=5, random_state=0).fit(X, y)
        kept = chosen.frequency_ >= chosen.threshold_ - 1e-9
        np.testing.assert_array_equal(chosen.support_, kept)

    def test_prefilter_keeps_the_largest_class_differences(self, data):
        X, y = data
        for prefilter in (4, 0.1):
            machine = LiknonCV(6, cv=2, n_splits=2, prefilter=prefilter, random_state=0).fit(X, y)
            for path in machine.paths_:
                size = np.abs(class_differences(X[path.training], y[path.training]))
                assert set(path.discriminant.features) <= set(np.argsort(-size)[:4])

    def test_given_costs(self, data):
        X, y = data
        machine = LiknonCV(Cs=[0.5, 0.05, 0.5], cv=2, random_state=0).fit(X, y)
        assert machine.paths_[0].Cs.tolist() == [0.05, 0.5]
        assert set(machine.C_.ravel()) <= {0.05, 0.5}
        rule = partial(histogram_C, n_bins=5)
        machine = LiknonCV(Cs=rule, cv=2, random_state=0).fit(X, y)
        training = machine.paths_[0].training
        np.testing.assert_allclose(machine.paths_[0].Cs, rule(X[training], y[training]))

    def test_any_classifier(self, data):
        X, y = data
        classifier = make_pipeline(StandardScaler(), LogisticRegression())
        machine = LiknonCV(5, cv=2, classifier=classifier, random_state=0).fit(X, y)
        assert machine.decision_function(X).shape == (90,)
        assert machine.predict_proba(X).shape == (90, 2)
        assert not hasattr(classifier, "classes_")  # a clone was fitted

    def test_banana(self):
        X, y = make_banana(random_state=0)
        machine = LiknonCV(15, n_splits=3, random_state=0).fit(X, y)
        assert machine.fold_supports_[:, 28:30].all()
        assert machine.support_[28:30].all()
        assert machine.support_.sum() < 10
        assert machine.validation_ber_.mean() < 0.05


class TestMachine:
    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_reproducible_whatever_n_jobs(self, data, outcome):
        X, y = data
        settings = {"n_Cs": 5, "cv": 3, "n_splits": 2, "outcome": outcome}
        one = LiknonCV(**settings, random_state=3).fit(X, y)
        other = LiknonCV(**settings, random_state=3, n_jobs=2).fit(X, y)
        assert all(same(one, other, fold) for fold in range(3))
        np.testing.assert_array_equal(one.validation_ber_, other.validation_ber_)
        np.testing.assert_array_equal(one.predict(X), other.predict(X))
        different = LiknonCV(**settings, random_state=4).fit(X, y)
        assert not np.array_equal(one.paths_[0].training, different.paths_[0].training)

    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_only_the_support_matters(self, data, outcome):
        X, y = data
        machine = LiknonCV(5, cv=2, outcome=outcome, random_state=0).fit(X, y)
        scrambled = np.where(machine.support_, X, 1e3)
        np.testing.assert_array_equal(machine.predict(scrambled), machine.predict(X))
        assert machine.transform(X).shape == (90, machine.support_.sum())
        assert machine.score(X, y) > 0.8

    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_sparse_is_dense(self, data, outcome):
        X, y = data
        X = np.where(np.abs(X) > 0.5, X, 0.0)
        settings = {"n_Cs": 5, "cv": 2, "outcome": outcome, "random_state": 0}
        dense = LiknonCV(**settings).fit(X, y)
        for kind in (sparse.csr_matrix, sparse.csc_matrix):
            machine = LiknonCV(**settings).fit(kind(X), y)
            np.testing.assert_array_equal(machine.support_, dense.support_)
            np.testing.assert_array_equal(machine.predict(kind(X)), dense.predict(X))

    def test_scale_does_not_matter_to_standardised_columns(self, data):
        X, y = data
        settings = {"n_Cs": 5, "cv": 3, "outcome": "ensemble", "random_state": 0}
        one = LiknonCV(**settings).fit(X, y)
        other = LiknonCV(**settings).fit(X * 2.0 ** np.arange(-20, 20), y)
        np.testing.assert_array_equal(one.profile_, other.profile_)
        np.testing.assert_allclose(one.C_, other.C_)

    def test_best_discriminant_is_linear(self, data):
        X, y = data
        machine = LiknonCV(5, cv=2, outcome="best", random_state=0).fit(X, y)
        scores = X @ machine.coef_[0] + machine.intercept_
        np.testing.assert_allclose(machine.decision_function(X), scores)
        np.testing.assert_array_equal(machine.coef_[0] != 0, machine.support_)
        risk = 1.0 / (1.0 + np.exp(-scores / machine.temperature_))
        np.testing.assert_allclose(machine.predict_proba(X)[:, 1], risk)

    def test_votes(self, data):
        X, y = data
        machine = LiknonCV(5, cv=3, n_splits=1, outcome="ensemble", random_state=0).fit(X, y)
        votes = machine.decision_function(X)
        assert set(np.round(votes * 3)) <= {-3, -1, 1, 3}

    def test_names_and_labels(self, data):
        X, y = data
        labels = np.where(y > 0, "ill", "healthy")
        machine = LiknonCV(5, cv=2, random_state=0).fit(X, labels)
        assert set(machine.predict(X)) == {"ill", "healthy"}
        assert machine.classes_.tolist() == ["healthy", "ill"]

    def test_progress_bar(self, data, capsys):
        pytest.importorskip("tqdm")
        LiknonCV(2, cv=2, verbose=1, random_state=0).fit(*data)
        assert "Liknon paths" in capsys.readouterr().err


class TestRefusals:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"n_Cs": 0}, "n_Cs must be a whole number"),
            ({"n_splits": 0}, "n_splits must be a whole number"),
            ({"Cs": []}, "Cs must be a list of one or more numbers"),
            ({"Cs": [0.1, 0.0]}, "each of Cs must be a positive number; got 0.0"),
            ({"Cs": [0.1, np.inf]}, "each of Cs must be a positive number"),
            ({"Cs": [np.nan]}, "each of Cs must be a positive number"),
            ({"Cs": [1e-6]}, "no feature entered any discriminant, with C up to 1e-06"),
            ({"Cs": lambda X, y, standardize: []}, "Cs must be a list of one or more numbers"),
            ({"outcome": "mean"}, "outcome must be one of 'profile', 'best', 'ensemble'"),
            ({"monitor": "me"}, "monitor must be one of 'discriminant', 'classifier'"),
            ({"threshold": 0.0}, "threshold must be 'auto', or above 0 and at most 1"),
            ({"threshold": "half"}, "threshold must be 'auto'"),
            ({"prefilter": 0}, "prefilter must be None, a whole number"),
            ({"prefilter": 1.5}, "prefilter must be None, a whole number"),
            ({"prefilter": True}, "prefilter must be None, a whole number"),
            ({"cv": 1}, "cv must be at least two folds"),
        ],
    )
    def test_parameters(self, data, settings, message):
        with pytest.raises(ValueError, match=message):
            LiknonCV(**settings).fit(*data)

    def test_more_classes(self):
        with pytest.raises(ValueError, match="y has 3.*OneVsRestClassifier"):
            LiknonCV().fit(np.eye(30), np.arange(30) % 3)

    def test_a_class_too_small_for_the_split(self):
        X = np.random.default_rng(0).normal(size=(20, 3))
        y = np.repeat([0, 1], [18, 2])
        with pytest.raises(
            ValueError, match="a class has a single sample.*Training and a Monitoring"
        ):
            LiknonCV(cv=2).fit(X, y)
        folds = [(np.arange(10), np.arange(10, 20))]
        with pytest.raises(ValueError, match="no sample of it in the training part of split 0"):
            LiknonCV(cv=folds).fit(X, y)

    def test_too_few_groups(self):
        X = np.random.default_rng(0).normal(size=(20, 3))
        y = np.arange(20) % 2
        with pytest.raises(ValueError, match="a class has a single group"):
            LiknonCV(cv=2).fit(X, y, groups=np.repeat([0, 1], 10))
        with pytest.raises(ValueError, match="groups must name a group for each of the 20 samples"):
            LiknonCV().fit(X, y, groups=[1, 2])

    def test_groups_that_cannot_be_halved(self):
        # two groups a class, but one of them has both: some half lacks a class in every split
        codes, groups = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
        with pytest.raises(ValueError, match="more groups are needed"):
            split_balanced(codes, groups, np.random.RandomState(0))
