"""Choosing C by itself: what is chosen, what it costs, what it must not see, what it refuses."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)

from fewest import NotSeparableError, SupportFeatureMachine
from fewest._estimators.splits import split_folds
from fewest._estimators.validation import standardize_columns
from fewest.datasets import make_gaussian
from fewest.machines._choice import Judgement, Trial, measure_log_losses
from fewest.machines._sfm_costs import follow_costs
from fewest.machines.sfm_cv import SupportFeatureMachineCV
from fewest.machines.union import UnionFeatureMachine


@pytest.fixture(scope="module")
def gaussian():
    return make_gaussian(n=80, d=400, k=4, mu=1.0, random_state=1)


@pytest.fixture(scope="module")
def fitted(gaussian):
    return SupportFeatureMachineCV(n_subsets=2).fit(*gaussian)


def three_classes(n=90, d=60, seed=3):
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b", "c"], n // 3)
    X = rng.standard_normal((n, d))
    for place, label in enumerate("abc"):
        X[y == label, place] += 3.0
    return X, y


def fold_machines(model, X, y, test):
    """What a given held-out part lets the machine select, for every C."""
    train = np.setdiff1d(np.arange(len(y)), test)
    machine = SupportFeatureMachine()
    machine.classes_, codes = np.unique(y, return_inverse=True)
    task = machine._class_tasks(standardize_columns(X[train]), codes[train])[0]
    return follow_costs(machine, task, np.asarray(model.Cs), model.n_subsets, [])


class TestChoice:
    @pytest.mark.parametrize("criterion", ["log_loss", "balanced_error"])
    def test_informative_features_are_found(self, criterion):
        X, y = make_gaussian(n=200, d=1000, k=3, mu=1.0, random_state=1)
        machine = SupportFeatureMachineCV(criterion=criterion).fit(X, y)
        assert np.flatnonzero(machine.support_).tolist() == [0, 1, 2]

    def test_scores_are_those_of_the_machine_trained_on_each_split(self, gaussian):
        X, y = gaussian
        Cs = [0.3, 1.0, 4.0, np.inf]
        machine = SupportFeatureMachineCV(Cs, cv=4, n_subsets=1).fit(X, y)
        for place, C in enumerate(Cs):
            for k, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
                alone = SupportFeatureMachine(C).fit(X[train], y[train])
                score = balanced_accuracy_score(y[test], alone.predict(X[test]))
                assert machine.cv_results_[f"split{k}_test_score"][place] == pytest.approx(score)

    def test_union_scores_are_those_of_the_union_machine(self, gaussian, fitted):
        X, y = gaussian
        results = fitted.cv_results_
        place = int(np.flatnonzero(results["param_n_subsets"] == 2)[0])
        for k, (train, test) in enumerate(StratifiedKFold(5).split(X, y)):
            alone = UnionFeatureMachine(**results["params"][place]).fit(X[train], y[train])
            score = balanced_accuracy_score(y[test], alone.predict(X[test]))
            assert results[f"split{k}_test_score"][place] == pytest.approx(score)

    def test_final_machine_is_that_of_the_chosen_parameters(self, gaussian, fitted):
        X, y = gaussian
        chosen = fitted.cv_results_["params"][fitted.best_index_]
        assert fitted.n_subsets_ == chosen["n_subsets"]
        # Five folds: a machine on all samples has a quarter more of them.
        assert pytest.approx(0.8 * chosen["C"]) == fitted.C_
        again = clone(fitted.best_estimator_).fit(X, y)
        np.testing.assert_array_equal(again.coef_, fitted.coef_)
        np.testing.assert_array_equal(fitted.predict(X), fitted.best_estimator_.predict(X))
        assert fitted.best_score_ == fitted.cv_results_["mean_test_score"][fitted.best_index_]

    @pytest.mark.parametrize("criterion", ["log_loss", "balanced_error"])
    def test_one_standard_error_takes_the_fewest_features_of_the_good_ones(
        self, gaussian, criterion
    ):
        fitted = SupportFeatureMachineCV(criterion=criterion).fit(*gaussian)
        results, n = fitted.cv_results_, fitted.n_splits_
        name, sign = ("log_loss", 1.0) if criterion == "log_loss" else ("score", -1.0)
        loss = sign * np.array([results[f"split{k}_test_{name}"] for k in range(n)])
        behind = loss - loss[:, [np.argmin(loss.mean(axis=0))]]
        good = behind.mean(axis=0) <= behind.std(axis=0, ddof=1) / np.sqrt(n) + 1e-12
        assert good[fitted.best_index_]
        fewest = results["mean_n_features"][good].min()
        assert results["mean_n_features"][fitted.best_index_] == pytest.approx(fewest)

    @pytest.mark.parametrize(
        ("criterion", "rank"),
        [("log_loss", "rank_test_log_loss"), ("balanced_error", "rank_test_score")],
    )
    def test_without_it_the_best_candidate_is_taken(self, gaussian, criterion, rank):
        settings = {"criterion": criterion, "one_standard_error": False}
        machine = SupportFeatureMachineCV(**settings).fit(*gaussian)
        assert machine.cv_results_[rank][machine.best_index_] == 1

    def test_the_loss_is_the_balanced_logistic_loss_of_held_out_decisions(self, gaussian):
        X, y = gaussian
        train, test = np.arange(60), np.arange(60, 80)
        machine = SupportFeatureMachineCV([2.0], cv=[(train, test)], n_subsets=1).fit(X, y)
        held_out = SupportFeatureMachine(C=2.0).fit(X[train], y[train]).decision_function(X[test])
        weight = np.where(y[test] > 0, 0.5 / np.sum(y[test] > 0), 0.5 / np.sum(y[test] <= 0))
        margins = np.where(y[test] > 0, 1.0, -1.0) * held_out
        factors = np.geomspace(1.0, 100.0, 2000)
        expected = min(weight @ np.log1p(np.exp(-factor * margins)) for factor in factors)
        found = machine.cv_results_["split0_test_log_loss"][0]
        assert found == pytest.approx(expected, rel=1e-4)

    def test_the_loss_of_overconfident_decisions_is_not_softened(self):
        sure = Trial(np.array([[9.0], [-9.0], [9.0], [9.0]]), 1)
        careful = Trial(0.1 * sure.decisions, 1)
        judged = [Judgement(np.array([1, 0, 1, 0]), [sure, careful], [])]
        losses = measure_log_losses(judged)[0]
        # One of four on the wrong side: the best factor for the careful one has odds of three.
        assert losses[0] == pytest.approx(np.logaddexp(0, 9.0) / 4, rel=1e-2)
        assert losses[1] == pytest.approx(-(3 * np.log(3 / 4) + np.log(1 / 4)) / 4, rel=1e-4)

    def test_results_have_scikit_learns_form(self, fitted):
        results = fitted.cv_results_
        splits = np.array([results[f"split{k}_test_score"] for k in range(fitted.n_splits_)])
        np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
        np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
        assert len({len(values) for values in results.values()}) == 1
        assert results["rank_test_score"].min() == 1

    def test_the_path_gives_candidates_in_increasing_order_ending_hard(self, gaussian):
        machine = SupportFeatureMachineCV(n_Cs=8, n_subsets=1).fit(*gaussian)
        Cs = machine.cv_results_["param_C"]
        assert len(Cs) <= 8
        assert np.all(np.diff(Cs) > 0)
        assert np.isinf(Cs[-1])
        soft = SupportFeatureMachineCV(n_Cs=8, include_hard=False).fit(*gaussian)
        assert np.all(np.isfinite(soft.cv_results_["param_C"]))

    def test_a_machine_without_features_is_not_preferred(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((60, 30)), np.repeat([0, 1], [45, 15])
        settings = {"constraint": "mean_margin", "class_weight": None}
        machine = SupportFeatureMachineCV([1e-4, 2.0], **settings).fit(X, y)
        assert machine.cv_results_["mean_n_features"][0] == 0
        assert machine.support_.any()

    def test_no_hard_candidate_where_classes_overlap(self):
        X, y = make_gaussian(n=200, d=5, k=5, mu=0.3, random_state=0)
        machine = SupportFeatureMachineCV(n_Cs=5).fit(X, y)
        assert np.all(np.isfinite(machine.cv_results_["param_C"]))

    def test_a_given_hard_machine_that_fails_in_a_split_is_not_chosen(self):
        X, y = make_gaussian(n=200, d=5, k=5, mu=0.3, random_state=0)
        machine = SupportFeatureMachineCV([np.inf, 1.0], n_subsets=1).fit(X, y)
        assert np.isnan(machine.cv_results_["mean_test_score"][0])
        assert machine.cv_results_["rank_test_score"].tolist() == [2, 1]
        assert pytest.approx(0.8) == machine.C_

    def test_only_the_hard_machine_and_overlap_is_an_error(self):
        X, y = make_gaussian(n=200, d=5, k=5, mu=0.3, random_state=0)
        with pytest.raises(NotSeparableError, match="no candidate C could be trained in every"):
            SupportFeatureMachineCV([np.inf]).fit(X, y)

    def test_three_classes(self):
        X, y = three_classes()
        machine = SupportFeatureMachineCV(n_Cs=6, n_subsets=2).fit(X, y)
        assert machine.coef_.shape == (3, 60)
        assert machine.support_[:3].all()
        assert machine.best_score_ > 0.9
        assert machine.score(X, y) > 0.9

    def test_sparse_equals_dense(self, gaussian):
        X, y = gaussian
        X = np.where(np.abs(X) > 0.5, X, 0.0)
        dense = SupportFeatureMachineCV(n_Cs=5).fit(X, y)
        thin = SupportFeatureMachineCV(n_Cs=5).fit(sparse.csr_matrix(X), y)
        np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-8)

    def test_same_answer_every_time(self, gaussian, fitted):
        again = clone(fitted).fit(*gaussian)
        np.testing.assert_array_equal(again.coef_, fitted.coef_)
        parallel = clone(fitted).set_params(n_jobs=2).fit(*gaussian)
        np.testing.assert_array_equal(parallel.coef_, fitted.coef_)
        one, two = (
            SupportFeatureMachineCV(n_Cs=3, random_state=5).fit(*gaussian) for _ in range(2)
        )
        np.testing.assert_array_equal(
            one.cv_results_["split0_test_score"], two.cv_results_["split0_test_score"]
        )

    def test_verbose_tells_the_choice(self, gaussian, capsys):
        SupportFeatureMachineCV([1.0], cv=2, n_subsets=1, verbose=2).fit(*gaussian)
        assert "[SupportFeatureMachineCV] C = 1, 1 subset(s): balanced" in capsys.readouterr().out

    def test_verbose_draws_a_bar_on_standard_error(self, gaussian, capsys):
        pytest.importorskip("tqdm")
        SupportFeatureMachineCV([1.0], cv=2, n_subsets=1, verbose=1).fit(*gaussian)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "choice of C:   0%" in captured.err


class TestUnion:
    def test_subsets_are_disjoint_and_in_order(self, gaussian):
        X, y = gaussian
        machine = UnionFeatureMachine(C=2.0, n_subsets=3).fit(X, y)
        subsets = machine.subsets_[0]
        assert len(subsets) == 3
        union = np.concatenate(subsets)
        assert len(np.unique(union)) == len(union)
        np.testing.assert_array_equal(np.sort(union), np.flatnonzero(machine.support_))
        alone = SupportFeatureMachine(C=2.0).fit(X, y)
        np.testing.assert_array_equal(subsets[0], np.flatnonzero(alone.support_))
        rest = np.delete(X, subsets[0], axis=1)
        second = SupportFeatureMachine(C=2.0).fit(rest, y)
        kept = np.delete(np.arange(X.shape[1]), subsets[0])
        np.testing.assert_array_equal(subsets[1], kept[second.support_])

    def test_hard_union_separates_and_ends_where_features_run_out(self):
        X, y = make_gaussian(n=30, d=12, k=12, mu=1.0, random_state=2)
        machine = UnionFeatureMachine(C=np.inf, n_subsets=50).fit(X, y)
        assert 1 <= len(machine.subsets_[0]) < 50
        assert machine.score(X, y) == 1.0

    def test_refit_is_needed(self, gaussian):
        alone = SupportFeatureMachineCV([1.0], n_subsets=2, refit=None).fit(*gaussian)
        assert alone.cv_results_["param_n_subsets"].tolist() == [1]
        with pytest.raises(ValueError, match="refit must be one of 'margin'; got None"):
            UnionFeatureMachine(refit=None).fit(*gaussian)
        with pytest.raises(ValueError, match="n_subsets must be a whole number"):
            UnionFeatureMachine(n_subsets=0).fit(*gaussian)


class TestHonesty:
    def test_labels_of_a_held_out_fold_do_not_change_what_the_others_select(self, gaussian):
        X, y = gaussian
        test = np.arange(0, len(y), 4)
        shuffled = y.copy()
        shuffled[test] = np.random.default_rng(0).permutation(y[test])
        assert not np.array_equal(shuffled, y)
        model = SupportFeatureMachineCV([0.3, 1.0, np.inf], n_subsets=2)
        before, after = (fold_machines(model, X, labels, test) for labels in (y, shuffled))
        for one, two in zip(before, after, strict=True):
            for first, second in zip(one, two, strict=True):
                np.testing.assert_array_equal(first.result.features, second.result.features)
                np.testing.assert_array_equal(first.w, second.w)

    def test_other_values_in_a_held_out_fold_do_not_change_what_the_others_select(self, gaussian):
        """The same through `fit`: the sizes found in the split that holds them out."""
        X, y = gaussian
        folds = np.where(np.arange(len(y)) % 4 == 0, 0, -1)
        settings = {"cv": PredefinedSplit(folds), "one_standard_error": False}
        other = X.copy()
        other[folds == 0] = np.random.default_rng(0).standard_normal((np.sum(folds == 0), 400))
        before, after = (
            SupportFeatureMachineCV([0.3, 1.0, np.inf], **settings).fit(values, y)
            for values in (X, other)
        )
        np.testing.assert_array_equal(
            before.cv_results_["mean_n_features"], after.cv_results_["mean_n_features"]
        )

    @pytest.mark.slow
    def test_noise_is_at_chance(self):
        scores = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            X, y = rng.standard_normal((40, 2000)), np.repeat([0, 1], 20)
            model = SupportFeatureMachineCV(n_Cs=6, n_subsets=2)
            scores.extend(cross_val_score(model, X, y, cv=5, scoring="balanced_accuracy"))
        assert np.mean(scores) == pytest.approx(0.5, abs=0.12)

    def test_groups_stay_together(self, gaussian):
        y = gaussian[1]
        groups = np.arange(len(y)) // 4
        for cv in (5, GroupKFold(4), LeaveOneGroupOut()):
            if isinstance(cv, LeaveOneGroupOut):
                groups = groups % 3
            for train, test in split_folds(cv, y, groups):
                assert not set(groups[train]) & set(groups[test])

    def test_copies_of_samples_flatter_only_where_groups_are_not_named(self):
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((20, 500)), np.repeat([0, 1], 10)
        X, y, groups = np.vstack([X, X, X]), np.tile(y, 3), np.tile(np.arange(20), 3)
        settings = {"one_standard_error": False, "n_Cs": 6, "random_state": 0}
        blind = SupportFeatureMachineCV(**settings).fit(X, y)
        told = SupportFeatureMachineCV(**settings).fit(X, y, groups=groups)
        assert blind.best_score_ > 0.9
        assert told.best_score_ < blind.best_score_ - 0.1


class TestErrors:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"Cs": []}, "Cs must be a list of one or more numbers"),
            ({"Cs": [1.0, 0.0]}, "each of Cs must be a positive number, or np.inf"),
            ({"Cs": [1.0, np.nan]}, "each of Cs must be a positive number"),
            ({"n_Cs": 0}, "n_Cs must be a whole number of at least one"),
            ({"n_subsets": 0}, "n_subsets must be a whole number of at least one"),
            ({"criterion": "auc"}, "criterion must be one of 'log_loss', 'balanced_error'"),
            ({"one_standard_error": "yes"}, "one_standard_error must be True or False"),
            ({"include_hard": 2}, "include_hard must be True or False"),
            ({"cv": 1}, "cv must be at least two folds, or a splitter; got 1"),
            ({"cv": []}, "cv yields no split"),
            ({"tol": -1.0}, "tol must be a positive number"),
        ],
    )
    def test_parameters(self, gaussian, settings, message):
        with pytest.raises(ValueError, match=message):
            SupportFeatureMachineCV(**settings).fit(*gaussian)

    def test_class_of_one_sample(self):
        X = np.random.default_rng(0).standard_normal((10, 5))
        y = ["a"] + ["b"] * 9
        with pytest.raises(
            ValueError, match="class 'a' is too small for the split: it has a single sam"
        ):
            SupportFeatureMachineCV().fit(X, y)

    def test_folds_are_no_more_than_the_smallest_class(self, gaussian):
        X, y = gaussian
        kept = np.concatenate([np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)])
        assert SupportFeatureMachineCV([1.0]).fit(X[kept], y[kept]).n_splits_ == 3

    def test_class_missing_from_a_training_part(self, gaussian):
        X, y = gaussian
        plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        with pytest.raises(ValueError, match="no sample of it in the training part of split 0"):
            SupportFeatureMachineCV(cv=[(minus, plus)]).fit(X, y)

    def test_groups(self, gaussian):
        X, y = gaussian
        with pytest.raises(ValueError, match="groups must name a group for each of the 80 samples"):
            SupportFeatureMachineCV().fit(X, y, groups=[1, 2])
        with pytest.raises(ValueError, match="at least two different groups"):
            SupportFeatureMachineCV().fit(X, y, groups=np.zeros(len(y)))
        with pytest.raises(ValueError, match="it has a single group"):
            SupportFeatureMachineCV().fit(X, y, groups=(y > 0).astype(int))

    def test_weights_are_not_taken_as_groups(self, gaussian):
        X, y = gaussian
        with pytest.raises(TypeError, match="positional argument"):
            SupportFeatureMachineCV().fit(X, y, np.ones(len(y)))

    def test_one_class(self):
        with pytest.raises(ValueError, match="only one class: 1"):
            SupportFeatureMachineCV().fit(np.eye(4), [1, 1, 1, 1])


def test_any_splitter(gaussian):
    cv = StratifiedShuffleSplit(3, test_size=0.3, random_state=0)
    assert SupportFeatureMachineCV([1.0], cv=cv).fit(*gaussian).n_splits_ == 3
