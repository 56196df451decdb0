"""The content of a report, against computations of its parts by other means."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    StratifiedKFold,
    cross_val_predict,
)

from fewest import (
    Liknon,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    minimum_features,
)
from fewest.datasets import make_gaussian
from fewest.diagnostics import diagnose
from fewest.report import _front, make_report
from fewest.report._cuts import best_cut
from fewest.report._verdict import judge_content
from fewest.report._wording import percent, separability_meaning
from tests.report.conftest import reasons, two_classes


class TestErrors:
    """Selection within the folds, predictions without the sample."""

    def test_predictions_are_those_of_scikit_learn(self, data, soft):
        X, y = data
        found = make_report(soft, X, y, parts=("validation",), random_state=0)
        found = found.content.trust.validation
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        decisions = cross_val_predict(
            SupportFeatureMachine(), X, y, cv=folds, method="decision_function"
        )
        predicted = np.where(decisions > 0, "well", "ill")
        tested = np.concatenate([test for _, test in folds.split(X, y)])
        assert found.n_errors == np.sum(predicted != y)
        assert found.error == pytest.approx(np.mean(predicted != y))
        np.testing.assert_allclose(np.ravel(found.decisions), decisions[tested])
        np.testing.assert_array_equal(found.true, (y == "well")[tested])
        assert found.auc == [pytest.approx(roc_auc_score(y == "well", decisions))]

    def test_interval_is_wilsons(self, report):
        found = report.content.trust.validation
        # Training sets overlap: half as many samples count.
        n, p, z = len(found.true) / 2, found.error, 1.959963984540054
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        assert found.interval.low == pytest.approx(middle - half, abs=1e-12)
        assert found.interval.high == pytest.approx(middle + half, abs=1e-12)

    def test_confusion_counts_every_sample_once(self, report):
        found = report.content.trust.validation
        matrix = np.array(found.confusion)
        assert matrix.sum() == len(found.true) == 40
        assert matrix.sum() - np.trace(matrix) == found.n_errors
        np.testing.assert_array_equal(matrix.sum(axis=1), np.bincount(found.true))

    def test_noise_is_not_called_good(self):
        # Labels that divide nothing in these data: permuted ones do better, however rounding falls.
        rng = np.random.default_rng(6)
        X, y = rng.standard_normal((40, 500)), np.arange(40) % 2
        report = make_report(
            SupportFeatureMachine(C=np.inf).fit(X, y),
            X,
            y,
            parts=("validation", "diagnostics", "permutation"),
            n_permutations=19,
        )
        trust = report.content.trust
        assert report.content.answer.training.n_errors == 0
        assert trust.validation.error > 0.3
        assert trust.permutation.of_error.p_value > 0.05
        assert judge_content(report.content).is_better is False
        assert trust.diagnostics.test is None  # there is one test, that of the machine

    def test_groups_stay_together(self, data, soft):
        X, y = data
        groups = np.arange(40) // 4
        parts = ("validation", "permutation", "diagnostics")
        report = make_report(soft, X, y, groups=groups, parts=parts, n_permutations=19)
        assert report.content.trust.diagnostics.leave_one_out is None
        assert "Do not leave out one sample at a time: the 40 samples are of 10 gro" in report.html
        assert report.content.data.n_groups == 10
        assert "groups count, because samples of a group tend to be right or wrong" in report.html
        single = make_report(soft, X, y, parts=("validation",)).content.trust.validation
        assert report.content.trust.validation.decisions != single.decisions

    @pytest.mark.slow
    def test_same_seed_same_content(self, data, soft):
        one, two = (
            json.loads(make_report(soft, *data, random_state=3, n_permutations=19).to_json())
            for _ in range(2)
        )
        for found in (one, two):
            found.pop("created")
            found.pop("seconds")
            for minimum in found["trust"]["minima"]:
                for timed in (minimum, *minimum["searched"]):
                    timed.pop("seconds")
            front = found["trust"]["error_front"]
            for timed in (front, *front["points"]):
                timed.pop("seconds")
        assert one == two


class TestFront:
    """The fewest training errors for each number of features."""

    def test_it_is_proven_for_small_data(self, report, data):
        _, y = data
        found = report.content.trust.error_front
        assert found.points[0].errors == min(np.unique(y, return_counts=True)[1])
        assert all(point.proven for point in found.points[:3])
        assert found.verified
        assert (found.included, found.has_prices) == ([], False)
        assert found.points[1].sets[0].features[0].startswith("gene ")

    def test_it_follows_the_rules_of_the_machine(self, data):
        X, y = data
        machine = SupportFeatureMachine(C=1.0, include=[5], feature_cost={0: 4.0}).fit(X, y)
        report = make_report(machine, X, y, parts=("front",), random_state=0)
        found = report.content.trust.error_front
        assert found.included == ["feature 5"]
        assert found.has_prices
        assert all("feature 5" in point.sets[0].features for point in found.points)
        shown = " ".join(re.sub("<[^>]*>", "", report.html).split())
        assert "Always in, at no cost: feature 5; the other features add to it." in shown
        assert "What fewer training errors cost, with up to 3 features." in shown

    def test_large_data_are_refused_in_words(self, soft, data, monkeypatch):
        monkeypatch.setattr(_front, "_MOST_WORK", 10)
        report = make_report(soft, *data, parts=("front",), random_state=0)
        assert report.content.trust.error_front is None
        assert "would take too long for data of this size" in reasons(report)["front"]


class TestPoints:
    """The selected features as a card."""

    def test_the_card_is_on_the_page(self, soft, data):
        report = make_report(soft, *data, parts=("points",), random_state=0)
        names = [one.name for one in report.content.points.features]
        assert sorted(names) == sorted(report.content.said.selected)
        assert '<article class="points-card">' in report.html

    def test_many_classes_have_none(self):
        X, y = two_classes()
        y[:10] = "third"
        machine = SupportFeatureMachine().fit(X, y)
        report = make_report(machine, X, y, parts=("points",), random_state=0)
        assert report.content.points is None
        assert reasons(report)["points"] == "points are for two classes"


class TestChance:
    """p-values and bounds."""

    def test_p_value_counts_the_true_labelling(self, report):
        found = report.content.trust.permutation
        assert found.n_permutations == 19
        assert found.tested == "this method"
        error = next(one for one in found.comparisons if one.statistic == "error")
        as_good = np.sum(np.array(error.chance) <= error.observed + 1e-12)
        assert error.p_value == pytest.approx((as_good + 1) / 20)
        assert error.observed == pytest.approx(report.content.trust.validation.balanced_error)

    def test_little_time_is_said(self, data):
        X, y = data
        report = make_report(
            SupportFeatureMachineCV().fit(X, y),
            X,
            y,
            parts=("permutation",),
            max_seconds=0.01,
        )
        assert report.content.trust.permutation is None
        assert "19 permutations of the classes did not fit" in reasons(report)["permutation"]
        assert "did not fit into the time for this report (0.01 s)" in report.html

    def test_another_machine_stands_in_where_time_is_short(self, data):
        X, y = data
        diagnosis = diagnose(X, y, n_permutations=19, random_state=0)
        report = make_report(
            SupportFeatureMachineCV().fit(X, y),
            X,
            y,
            also=[diagnosis],
            parts=("diagnostics", "permutation"),
            max_seconds=0.01,
        )
        found = report.content.trust.permutation
        assert found.of_error.p_value == diagnosis.test.error.p_value
        assert "stands in" in found.tested

    def test_time_over_leaves_parts_out(self, data, soft):
        report = make_report(
            soft, *data, parts=("alternatives", "costs", "minimum"), max_seconds=1e-6
        )
        for part, what in (("alternatives", "further subsets"), ("costs", "a path over C")):
            assert f"{what} did not fit into the time" in reasons(report)[part]
        assert report.content.trust.minima[0].lower_bound >= 1

    def test_separability_is_that_of_the_selection(self, report):
        found = report.content.trust.separability
        assert found.n_selected == report.content.answer.n_selected
        uppers = [point.log10_upper for point in found.points]
        assert uppers == sorted(uppers)

    def test_minimum_is_certified_and_no_larger(self, report, data):
        (found,) = report.content.trust.minima
        assert found.certified
        assert found.size == minimum_features(*data).size <= report.content.answer.n_selected
        assert found.sets[0].columns == sorted(found.sets[0].columns)

    def test_stability_counts_folds(self, report):
        found = report.content.trust.stability
        sizes = [fold.n_features for fold in report.content.trust.validation.folds]
        assert sum(entry.n_folds for entry in found.counts) == sum(sizes)
        selected = report.content.answer.hyperplanes[0].features
        counts = {entry.column: entry.n_folds for entry in found.counts}
        assert [f.folds_selected for f in selected] == [counts.get(f.column, 0) for f in selected]


class TestAnswer:
    """Features, weights, single cuts."""

    def test_weights_rebuild_the_decisions(self, report, data):
        X, y = data
        machine = SupportFeatureMachine(C=np.inf).fit(X, y)
        (found,) = report.content.answer.hyperplanes
        scores = found.intercept + sum(f.coefficient * X[:, f.column] for f in found.features)
        np.testing.assert_allclose(scores, machine.decision_function(X))
        for feature in found.features:
            values = X[:, feature.column]
            assert feature.weight == pytest.approx(feature.coefficient * values.std())
            assert feature.class_means == [
                pytest.approx(values[y == label].mean()) for label in ("ill", "well")
            ]
        sizes = [abs(feature.weight) for feature in found.features]
        assert sizes == sorted(sizes, reverse=True)

    @pytest.mark.parametrize("seed", range(20))
    def test_best_cut_is_the_best_of_all_cuts(self, seed):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, 6, 15).astype(float)
        positive = rng.random(15) < 0.5
        positive[:2] = [True, False]

        def error(cut):
            above = values > cut
            wrong = (np.mean(~above[positive]) + np.mean(above[~positive])) / 2
            return min(wrong, 1 - wrong)

        found, threshold = best_cut(values, positive)
        cuts = np.arange(-0.5, 7.0)
        assert found == pytest.approx(min(error(cut) for cut in cuts))
        assert error(threshold) == pytest.approx(found)

    def test_a_constant_feature_has_no_cut(self):
        assert best_cut(np.full(4, 2.0), np.array([True, False, True, False])) == (0.5, 2.0)

    def test_nothing_selected(self, data):
        X, y = data
        with pytest.warns(Warning, match="no feature was selected"):
            machine = Liknon(C=1e-6).fit(X, y)
        report = make_report(machine, X, y, parts=("validation",))
        assert report.content.answer.n_selected == 0
        assert "No feature was selected: errors are cheaper" in report.html


class TestAlternatives:
    """Subsets and stand-ins."""

    def test_subsets_are_those_of_the_selector(self, report, data):
        selector = RepetitiveSelector(SupportFeatureMachine(C=np.inf), n_subsets=5).fit(*data)
        found = report.content.alternatives.subsets
        assert [subset.columns for subset in found] == [one.tolist() for one in selector.subsets_]

    def test_stand_ins_have_the_largest_correlations(self, report, data):
        X, y = data
        correlations = np.corrcoef(X.T)
        np.fill_diagonal(correlations, 0.0)
        for group in report.content.alternatives.stand_ins:
            row = correlations[group.column]
            expected = np.sort(np.abs(row))[::-1][:5]
            found = [one.correlation for one in group.closest]
            np.testing.assert_allclose(np.abs(found), expected)
            for one in group.closest:
                assert one.correlation == pytest.approx(row[one.column])
                centred = X - np.where((y == "ill")[:, None], X[y == "ill"].mean(0), 0.0)
                centred -= np.where((y == "well")[:, None], X[y == "well"].mean(0), 0.0)
                within = np.corrcoef(centred[:, group.column], centred[:, one.column])[0, 1]
                assert one.within_classes == pytest.approx(within)

    def test_named_features_are_named_once(self, report):
        columns = Counter(one.column for one in report.content.alternatives.features)
        assert max(columns.values()) == 1
        selected = [f for f in report.content.alternatives.features if "selected" in f.roles]
        assert len(selected) == report.content.answer.n_selected


def test_theory_of_separability_is_not_applied_to_a_set_that_does_not_separate():
    X, y = make_gaussian(n=60, d=40, k=1, mu=0.8, random_state=0)
    soft = make_report(SupportFeatureMachine(C=0.5).fit(X, y), X, y, n_permutations=19).content
    assert soft.answer.training.n_errors
    said = separability_meaning(soft)
    assert said.startswith("The selected features leave samples on the wrong side.")
    size = soft.trust.minima[0].size
    assert f"{size} of 40 independent random features" in said if size else "random f" not in said
    unknown = replace(soft, trust=replace(soft.trust, minima=[]))
    assert "independent random features" not in separability_meaning(unknown)


def test_certified_machine_is_permuted_without_its_proof_and_says_so(data):
    X, y = data
    machine = SupportFeatureMachine(C=np.inf, certify=True).fit(X, y)
    found = make_report(machine, X, y, n_permutations=19).content.trust.permutation
    assert "without the search for the smallest set" in found.tested


def test_page_has_the_errors_of_the_folds(report):
    errors = [fold.balanced_error for fold in report.content.trust.validation.folds]
    assert f"Balanced errors of the folds: {', '.join(map(percent, errors))}." in report.html


def test_title_claims_nothing_where_nothing_can_be_concluded(report):
    title = report.html.split("<h1>")[1].split("</h1>")[0]
    assert " tell" in title
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 60)), np.repeat(["a", "b"], 12)
    made = make_report(SupportFeatureMachine().fit(X, y), X, y, n_permutations=19)
    assert not judge_content(made.content).is_better
    title = made.html.split("<h1>")[1].split("</h1>")[0]
    assert "selected" in title
    assert "tell" not in title


def test_the_smallest_set_follows_the_rules_of_the_machine():
    X = np.random.default_rng(0).standard_normal((22, 30))
    y = X[:, 7] + X[:, 11] - X[:, 20] > 0
    rules = {"include": [7], "feature_cost": {20: 5.0}}
    machine = SupportFeatureMachine(C=np.inf, **rules).fit(X, y)
    (found,) = make_report(machine, X, y, parts=("minimum",)).content.trust.minima
    wanted = minimum_features(X, y, **rules)
    assert (found.price, found.price_bound) == (wanted.price, wanted.price_bound)
    assert found.included == [found.sets[0].features[found.sets[0].columns.index(7)]]
    assert found.certified
