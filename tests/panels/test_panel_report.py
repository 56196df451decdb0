"""Panels, judged as plain loops over scikit-learn judge them."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, recall_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import SupportFeatureMachine
from fewest._estimators.intervals import error_interval
from fewest._estimators.validation import standardize_columns
from fewest.panels import panel_report
from fewest.panels._errors import compare_errors
from fewest.panels._folds import draw_splits
from fewest.panels._stand_ins import find_candidates
from fewest.report._verdict import judge_panel

QUICK = {"n_random": 0, "n_stand_ins": 0, "best": False, "n_repeats": 1, "random_state": 0}
FOLDS = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def make_data(n=60, d=6, seed=0, n_classes=3):
    """Column 0 tells class 0 from the rest, column 1 class 1, and the others nothing."""
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[np.arange(n) % n_classes]
    X = rng.standard_normal((n, d))
    X[y == "a", 0] += 2.0
    X[y == "b", 1] += 2.0
    return X, y


def usual_classifier():
    return make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000, class_weight="balanced")
    )


def predict_folds(X, y, columns, *, selector=None, model=None):
    """True and predicted classes of all folds together: the plain loop."""
    true, predicted = [], []
    for train, test in FOLDS.split(X, y):
        inside = columns
        if selector is not None:
            inside = clone(selector).fit(X[train], y[train]).get_support(indices=True)
        fitted = clone(model or usual_classifier()).fit(X[np.ix_(train, inside)], y[train])
        true.append(y[test])
        predicted.append(fitted.predict(X[np.ix_(test, inside)]))
    return np.concatenate(true), np.concatenate(predicted)


def plain_error(*arguments, **keywords):
    return 1.0 - balanced_accuracy_score(*predict_folds(*arguments, **keywords))


def test_errors_and_gains_are_those_of_a_plain_loop():
    X, y = make_data()
    panel = [1, 0, 4]
    found = panel_report(X, y, panel, cv=FOLDS, **QUICK)
    true, predicted = predict_folds(X, y, panel)
    assert found.errors.balanced_error == pytest.approx(
        1.0 - balanced_accuracy_score(true, predicted)
    )
    assert found.errors.error == pytest.approx(np.mean(true != predicted))
    recalls = recall_score(true, predicted, average=None)
    assert [one.error for one in found.errors.classes] == pytest.approx(list(1.0 - recalls))
    assert [one.n_samples for one in found.errors.classes] == [20, 20, 20]
    for one, column in zip(found.features, panel, strict=True):
        rest = [other for other in panel if other != column]
        without = plain_error(X, y, rest)
        assert (one.name, one.column) == (f"feature {column}", column)
        assert one.error_without == pytest.approx(without)
        assert one.adds.value == pytest.approx(without - found.errors.balanced_error)
    assert (found.n_folds, found.n_repeats, found.n_groups) == (3, 2, None)
    assert found.random is None
    assert found.best is None
    assert found.choice is None


def test_the_interval_counts_every_sample_once():
    """However often the folds are repeated, there are no more samples."""
    X, y = make_data()
    found = panel_report(X, y, [0, 1], cv=FOLDS, **QUICK)
    # Every fold judges each sample as often: the shares are those of twenty samples.
    for one in found.errors.classes:
        wrong = np.repeat([1.0, 0.0], [round(one.error * 20), 20 - round(one.error * 20)])
        expected = error_interval(wrong, np.zeros(20))
        assert one.interval.low == pytest.approx(expected.low, abs=0.03)
        assert one.interval.high == pytest.approx(expected.high, abs=0.03)
    confusions = {one.label: one.confused_with for one in found.errors.classes}
    assert confusions["a"] in ("b", "c")


def test_standard_errors_follow_the_units():
    rng = np.random.default_rng(0)
    codes, one, other = rng.integers(0, 3, 50), rng.random(50), rng.random(50)
    found = compare_errors(one, other, codes, np.arange(50))
    # Without groups: the variance of a mean of class means, by hand.
    difference = one - other
    parts = [difference[codes == place] for place in range(3)]
    variance = sum(np.sum((part - part.mean()) ** 2) / len(part) ** 2 for part in parts) / 9
    assert found.value == pytest.approx(np.mean([part.mean() for part in parts]))
    assert found.standard_error == pytest.approx(np.sqrt(variance * 50 / 49))
    # Copies of a sample, known to belong together, add nothing.
    copies = [np.repeat(values, 3) for values in (one, other, codes, np.arange(50))]
    assert compare_errors(*copies).standard_error == pytest.approx(found.standard_error)


def test_random_panels_are_all_panels_where_there_are_few():
    X, y = make_data(d=4)
    found = panel_report(X, y, [0, 1], cv=FOLDS, **{**QUICK, "n_random": 25})
    every = [plain_error(X, y, list(pair)) for pair in combinations(range(4), 2)]
    assert all(np.isclose(error, every).any() for error in found.random.errors)
    assert {round(error, 9) for error in found.random.errors} == {round(one, 9) for one in every}
    as_good = np.sum(np.array(found.random.errors) <= found.errors.balanced_error + 1e-9)
    assert found.random.share_as_good == pytest.approx((1 + as_good) / 26)
    assert found.random.median == pytest.approx(np.median(found.random.errors))


def test_stand_ins_are_judged_in_the_place_of_the_feature():
    X, y = make_data(d=30)
    X[:, 9] = X[:, 0] + 0.1 * X[:, 9]
    X[y == "b", 12] -= 2.0  # says what column 1 says, and does not correlate within classes
    found = panel_report(X, y, [0, 1], cv=FOLDS, **{**QUICK, "n_stand_ins": 2})
    first, second = found.features
    assert 9 in [one.column for one in first.stand_ins]
    assert second.stand_ins[0].column == 12
    for one, rest in ((first, 1), (second, 0)):
        errors = [other.balanced_error for other in one.stand_ins]
        assert errors == sorted(errors)
        for other in one.stand_ins:
            expected = plain_error(X, y, [other.column, rest])
            assert other.balanced_error == pytest.approx(expected)
            assert other.costs.value == pytest.approx(expected - found.errors.balanced_error)
            correlation = np.corrcoef(X[:, other.column], X[:, one.column])[0, 1]
            assert other.correlation == pytest.approx(correlation)


def test_candidates_hold_what_adds_most():
    """The best column beside the others, by brute force over linear models."""
    X, y = make_data(n=90, d=25, seed=3)
    codes = np.unique(y, return_inverse=True)[1]
    indicators = np.eye(3)[codes]
    panel = np.array([5, 0])

    def left(columns):
        basis = np.column_stack([np.ones(len(y)), X[:, columns]])
        return np.sum((indicators - basis @ np.linalg.lstsq(basis, indicators, rcond=None)[0]) ** 2)

    expected = min((one for one in range(25) if one not in panel), key=lambda one: left([0, one]))
    found = find_candidates(standardize_columns(X), codes, panel, 0, 6)
    assert expected == 1
    assert expected in found
    assert not set(found.tolist()) & set(panel.tolist())
    assert len(found) == 6


def test_best_panel_and_choice_are_chosen_inside_the_folds():
    X, y = make_data(d=8, seed=1)
    chooser = SelectKBest(k=2)
    found = panel_report(
        X, y, [0, 3], cv=FOLDS, estimator=chooser, n_resamples=4, **{**QUICK, "best": True}
    )
    error = plain_error(X, y, None, selector=chooser)
    assert found.choice.errors.balanced_error == pytest.approx(error)
    assert not found.choice.is_given  # so this is not the error of features 0 and 3
    assert found.errors == found.as_given
    best = SupportFeatureMachine(max_features=2)
    assert found.best.errors.balanced_error == pytest.approx(plain_error(X, y, None, selector=best))
    supports = [
        clone(chooser).fit(X[train], y[train]).get_support() for train, _ in FOLDS.split(X, y)
    ]
    assert found.choice.folds_with == np.sum(supports, axis=0)[[0, 3]].tolist()
    assert found.choice.sizes == [2] * 6
    on_all = clone(chooser).fit(X, y).get_support(indices=True)
    assert found.choice.features == [f"feature {column}" for column in on_all]
    assert found.as_given.balanced_error == pytest.approx(plain_error(X, y, [0, 3]))
    difference = found.as_given.balanced_error - found.choice.errors.balanced_error
    assert found.choice.difference.value == pytest.approx(difference)
    assert found.statements.n_resamples == 4


@pytest.fixture(scope="module")
def chosen_on_noise():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 400)), np.arange(40) % 2
    return X, y, SelectKBest(k=3).fit(X, y).get_support()


def test_the_error_of_a_panel_is_that_with_its_choice_repeated(chosen_on_noise):
    chooser = SelectKBest(k=3)
    found = panel_report(*chosen_on_noise, estimator=chooser, n_resamples=2, **QUICK)
    assert found.errors.balanced_error > 0.4
    assert found.errors.caveat == ""
    assert found.as_given.balanced_error < 0.3
    assert found.as_given.caveat == "optimistic: the panel was chosen on these samples"
    head, _, rest = str(found).partition("error without it")
    assert f"Balanced error {100 * found.errors.balanced_error:.1f} %" in head
    assert "chose a panel again" in head
    assert "Both are optimistic: the panel was chosen on these samples." in rest


def test_the_error_of_what_a_method_chooses_is_not_that_of_another_panel():
    X, y = make_data(n_classes=2)
    y = np.where(y == "a", "a", "b")
    found = panel_report(X, y, [4, 5], estimator=SelectKBest(k=2), n_resamples=2, **QUICK)
    assert not found.choice.is_given
    assert "feature 0" in found.choice.features
    assert found.choice.errors.balanced_error < 0.3 < found.errors.balanced_error
    assert found.errors == found.as_given
    text = " ".join(str(found).split())
    assert "chooses other features (feature 0," in text
    assert "chose a panel again" not in text
    verdict = judge_panel(found, None)
    assert verdict.is_better is None
    assert "so its error is not that of this panel" in verdict.text


def test_the_error_of_a_panel_from_nowhere_is_marked(chosen_on_noise):
    found = panel_report(*chosen_on_noise, **QUICK)
    mark = "optimistic if the panel was chosen on these samples"
    assert found.errors == found.as_given
    assert found.errors.caveat == mark
    error = f"{100 * found.errors.balanced_error:.1f} %"
    assert f"Balanced error {error} ({mark})" in str(found)
    assert {one.caveat for one in found.features} == {mark}
    plain = json.loads(found.to_json())
    assert plain["errors"]["caveat"] == plain["features"][0]["caveat"] == mark


def test_the_error_of_a_panel_from_elsewhere_is_not(chosen_on_noise):
    X, y, _ = chosen_on_noise
    found = panel_report(X, y, [0, 1, 2], chosen_elsewhere=True, **QUICK)
    assert found.errors.caveat == ""
    assert "optimistic" not in str(found)
    assert "was chosen without these samples" in str(found)
    found = panel_report(
        X, y, [0, 1], chosen_elsewhere=True, estimator=SelectKBest(k=2), n_resamples=2, **QUICK
    )
    assert found.errors == found.as_given != found.choice.errors


def test_groups_stay_together():
    X, y = make_data(n=90, n_classes=3)
    groups = np.arange(90) // 3 * 3 + np.arange(90) % 3  # every sample alone
    alone = panel_report(X, y, [0, 1], groups=groups, **QUICK)
    assert alone.n_groups == 90
    patients = np.repeat(np.arange(18), 5)
    y = np.array(["a", "b", "c"])[patients % 3]
    found = panel_report(X, y, [0, 1], groups=patients, cv=3, **QUICK)
    for one in found.errors.classes:
        # Six patients of each class: wider than for 30 samples.
        wrong = np.repeat([1.0, 0.0], [round(one.error * 30), 30 - round(one.error * 30)])
        samples = error_interval(wrong, np.zeros(30))
        assert one.interval.low <= samples.low
        assert one.interval.high > samples.high
    for train, test in draw_splits(3, y, patients, n_repeats=2, rng=np.random.RandomState(0)):
        assert not set(patients[train]) & set(patients[test])
    given = StratifiedGroupKFold(3)
    assert len(draw_splits(given, y, patients, n_repeats=9, rng=np.random.RandomState(0))) == 3
    assert "groups left out" in str(found)


def test_folds_that_do_not_test_every_sample_alike():
    X, y = make_data()
    folds = StratifiedShuffleSplit(3, test_size=0.2, random_state=0)
    found = panel_report(X, y, [0, 1], cv=folds, **QUICK)
    assert (found.n_folds, found.n_repeats) == (3, 1)
    tested = np.unique(np.concatenate([test for _, test in folds.split(X, y)]))
    assert sum(one.n_samples for one in found.errors.classes) == len(tested) < 60
    assert 0.0 < found.errors.balanced_error < 0.5
    assert np.isfinite(found.features[0].adds.standard_error)


def test_repeats_are_different_folds():
    y = np.arange(30) % 2
    splits = draw_splits(5, y, None, n_repeats=3, rng=np.random.RandomState(0))
    assert len(splits) == 15
    assert len({tuple(test) for _, test in splits}) == 15


def test_the_same_seed_gives_the_same_result():
    X, y = make_data()
    settings = {**QUICK, "cv": 2, "n_random": 3, "n_stand_ins": 1, "n_permutations": 49}
    one, other = (panel_report(X, y, [0, 4], **settings) for _ in range(2))
    assert one == other
    fewer = panel_report(X, y, [0, 4], **{**settings, "n_stand_ins": 0})
    assert fewer.random == one.random
    assert fewer.statements == one.statements


def test_one_feature_is_compared_with_guessing():
    X, y = make_data()
    found = panel_report(X, y, [0], **QUICK)
    assert found.features[0].error_without == pytest.approx(2 / 3)


def test_another_classifier():
    X, y = make_data()
    model = KNeighborsClassifier(3)
    found = panel_report(X, y, [0, 1], classifier=model, cv=FOLDS, **QUICK)
    assert found.errors.balanced_error == pytest.approx(plain_error(X, y, [0, 1], model=model))
    assert found.classifier == "KNeighborsClassifier(n_neighbors=3)"


def test_sparse_tables_and_masks_are_the_same():
    pandas = pytest.importorskip("pandas")
    X, y = make_data()
    X[np.abs(X) < 0.3] = 0.0
    settings = {**QUICK, "n_random": 3, "n_permutations": 19}
    expected = panel_report(X, y, [0, 4], **settings)
    names = [f"feature {column}" for column in range(6)]
    assert panel_report(X, y, np.arange(6) % 4 == 0, **settings) == expected
    frame = pandas.DataFrame(X, columns=names)
    assert panel_report(frame, y, ["feature 0", "feature 4"], **settings) == expected
    thin = panel_report(sparse.csr_matrix(X), y, [0, 4], **settings)
    assert thin.errors == expected.errors
    assert thin.random.errors == expected.random.errors


def test_time_limit_leaves_comparisons_out_and_says_so():
    X, y = make_data()
    found = panel_report(X, y, [0, 4], estimator=SelectKBest(k=2), max_seconds=1e-6, random_state=0)
    assert found.random is None
    assert found.best is None
    assert found.choice is None
    assert found.errors.caveat == "optimistic: the panel was chosen on these samples"
    assert found.statements.n_resamples == 0
    assert len(found.left_out) == 6
    assert all("did not fit into the time for this panel" in text for text in found.left_out)
    assert len(found.features) == 2
    assert not found.features[0].stand_ins
    assert "Left out: " in str(found)


def test_text_and_json_have_all_parts():
    X, y = make_data(d=10)
    found = panel_report(
        X,
        y,
        [0, 1],
        estimator=SelectKBest(k=2),
        against=make_data(d=10, seed=9),
        cv=3,
        n_repeats=2,
        n_random=3,
        n_resamples=3,
        n_stand_ins=1,
        random_state=0,
    )
    text = str(found)
    for part in (
        "Panel of 2 features: feature 0, feature 1",
        "3 folds, drawn 2 times",
        "error without it",
        "in place of",
        "best of this size",
        "its choice repeated",
        "of 3 random panels",
        "it or a stand-in",
        "Second data set, 60 samples",
        "as fitted to the first",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 112
    plain = json.loads(found.to_json())
    assert plain["errors"]["classes"][0]["label"] == "a"
    assert plain["random"]["errors"] == found.random.errors
    assert plain["against"]["shifts"][0]["name"] == "feature 0"


def test_no_other_panel_to_draw():
    X, y = make_data(d=2)
    found = panel_report(X, y, [0, 1], **{**QUICK, "n_random": 5, "n_stand_ins": 2})
    assert found.left_out == ["random panels: no more than 2 features vary"]
    assert not found.features[0].stand_ins


def test_constant_columns_are_no_trouble():
    X, y = make_data(d=8)
    X[:, 5:] = 1.0
    found = panel_report(X, y, [0, 5], **{**QUICK, "n_random": 3, "n_stand_ins": 2})
    assert found.features[1].adds.value == pytest.approx(0.0)
    assert not {5, 6, 7} & {one.column for one in found.features[0].stand_ins}
    with pytest.raises(ValueError, match="constant"):
        panel_report(np.ones_like(X), y, [0], **QUICK)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "the panel is empty"),
        ([False] * 6, "the panel is empty"),
        (["g0", "g1", "g0"], "more than once: name each feature once"),
        ([0, 0], "more than once"),
        (["gene0"], "1 feature that the data do not have: gene0. The first columns are"),
        (["G2"], "For 'G2', did you mean 'g2'?"),
        ([6], "columns 0 to 5"),
        ([-1], "columns 0 to 5"),
        ("g0", "must be a list"),
        ([True, False], "2 entries for 6 columns"),
        ([0, "g1"], "names, numbers of columns, or one True or False"),
        ([0.5], "names, numbers of columns, or one True or False"),
    ],
)
def test_bad_panels(features, message):
    X, y = make_data()
    names = [f"g{place}" for place in range(6)]
    with pytest.raises(ValueError, match=re.escape(message)):
        panel_report(X, y, features, feature_names=names, **QUICK)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_random": -1}, "n_random must be a whole number"),
        ({"n_stand_ins": 1.5}, "n_stand_ins must be a whole number"),
        ({"n_repeats": 0}, "n_repeats must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"min_correlation": 2.0}, "min_correlation must be"),
        ({"n_permutations": 0}, "n_permutations must be"),
        ({"max_seconds": 0}, "max_seconds must be"),
        ({"feature_names": ["a"]}, "feature_names has 1 names for 6 features"),
        ({"feature_names": ["a"] * 6, "features": ["a"]}, "6 columns are called 'a'"),
        ({"classifier": Ridge()}, "must be a classifier"),
        ({"estimator": Ridge()}, "Ridge predicts numbers"),
        ({"estimator": SupportFeatureMachine(C=-1.0)}, "C must be a positive number"),
        ({"groups": [0] * 60}, "at least two different groups"),
        ({"cv": 1}, "at least two folds"),
    ],
)
def test_bad_settings(settings, message):
    X, y = make_data()
    settings = {**QUICK, **settings}
    features = settings.pop("features", [0])
    with pytest.raises(ValueError, match=re.escape(message)):
        panel_report(X, y, features, **settings)


def test_one_class_is_refused():
    X, _ = make_data()
    with pytest.raises(ValueError, match="only one class"):
        panel_report(X, np.zeros(60), [0], **QUICK)
