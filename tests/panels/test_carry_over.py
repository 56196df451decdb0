"""A panel on a second data set: errors, matched names and shifts, computed by hand."""

import re

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score

from fewest.panels import panel_report
from fewest.panels._overlap import count_equal
from fewest.report._verdict import judge_panel
from tests.panels.test_panel_report import QUICK, make_data, usual_classifier

NAMES = [f"gene {place}" for place in range(6)]


def judge(second, *, panel=(0, 1), names=NAMES, X=None, y=None):
    given = make_data()
    X, y = given[0] if X is None else X, given[1] if y is None else y
    settings = {**QUICK, "n_permutations": 9}
    found = panel_report(X, y, list(panel), feature_names=names, against=second, **settings)
    return found.against


def test_errors_are_those_of_a_plain_fit():
    (X, y), (X2, y2) = make_data(), make_data(n=45, seed=8)
    X2[:, 0] += 0.8
    found = judge((X2, y2))
    predicted = usual_classifier().fit(X[:, :2], y).predict(X2[:, :2])
    assert found.as_fitted.balanced_error == pytest.approx(
        1.0 - balanced_accuracy_score(y2, predicted)
    )
    recalls = recall_score(y2, predicted, average=None)
    assert [one.error for one in found.as_fitted.classes] == pytest.approx(list(1.0 - recalls))
    own = [(one - one.mean(axis=0)) / one.std(axis=0) for one in (X[:, :2], X2[:, :2])]
    predicted = usual_classifier().fit(own[0], y).predict(own[1])
    assert found.rescaled.balanced_error == pytest.approx(
        1.0 - balanced_accuracy_score(y2, predicted)
    )
    assert found.n_samples == 45
    assert 0.0 < found.retrained.balanced_error < 0.5
    assert not found.missing
    assert not found.notes


def test_shifts_are_differences_of_means_in_standard_deviations():
    X, y = make_data()
    X2 = X.copy()
    X2[:, 1] *= 3.0
    X2[y == "b", 0] += 5.0
    first, second = judge((X2, y)).shifts
    means = [X[y == label, 0].mean() for label in "abc"]
    deviations = X[:, 0] - np.array(means)[np.searchsorted(["a", "b", "c"], y)]
    within = np.sqrt(np.sum(deviations**2) / 57)
    assert [one.shift for one in first.classes] == pytest.approx([0.0, 5.0 / within, 0.0])
    assert first.overall == pytest.approx(5.0 / within / 3)
    assert [one.scale for one in first.classes] == pytest.approx([1.0, 1.0, 1.0])
    assert [one.scale for one in second.classes] == pytest.approx([3.0, 3.0, 3.0])
    assert (first.name, second.name) == ("gene 0", "gene 1")


def test_another_unit_costs_nothing_if_each_is_standardised():
    X, y = make_data()
    found = judge((1000.0 * X + 50.0, y))
    assert found.as_fitted.balanced_error > 0.25
    straight = judge((X, y))
    assert straight.as_fitted.balanced_error < found.as_fitted.balanced_error
    assert found.rescaled.balanced_error == pytest.approx(straight.as_fitted.balanced_error)
    assert all(one.overall > 3.0 for one in found.shifts)


def test_columns_are_matched_by_name():
    _X, _y = make_data()
    X2, y2 = make_data(seed=4)
    straight = judge((X2, y2))
    order = [4, 1, 3, 0]
    turned = judge((X2[:, order], y2, [NAMES[column] for column in order]))
    assert turned.as_fitted == straight.as_fitted
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X2[:, order], columns=[NAMES[column] for column in order])
    assert judge((frame, y2)).as_fitted == straight.as_fitted


def test_missing_features_are_listed_with_near_names():
    X, y = make_data()
    X2, y2 = make_data(seed=4)
    found = judge((X2, y2, ["gene 0", "gene-1", "x", "y", "z", "w"]))
    (missing,) = found.missing
    assert missing.name == "gene 1"
    assert missing.near[0] == "gene-1"
    assert found.features == ["gene 0"]
    predicted = usual_classifier().fit(X[:, :1], y).predict(X2[:, :1])
    assert found.as_fitted.balanced_error == pytest.approx(
        1.0 - balanced_accuracy_score(y2, predicted)
    )
    assert len(found.shifts) == 1


def test_a_class_that_is_not_there_is_noted():
    X2, y2 = make_data(seed=4)
    kept = y2 != "c"
    found = judge((X2[kept], y2[kept]))
    *_, last = found.as_fitted.classes
    assert (last.label, last.n_samples, last.error) == ("c", 0, None)
    assert "no sample of c" in found.notes[0]
    known = [one.error for one in found.as_fitted.classes[:2]]
    assert found.as_fitted.balanced_error == pytest.approx(np.mean(known))
    assert found.shifts[0].classes[2].shift is None


def test_a_small_class_cannot_be_trained_on():
    X2, y2 = make_data(seed=4)
    kept = np.r_[np.flatnonzero(y2 != "c"), np.flatnonzero(y2 == "c")[:1]]
    found = judge((X2[kept], y2[kept]))
    assert found.retrained is None
    assert "No classifier was trained on the second data set: class 'c'" in found.notes[0]
    one = judge((X2[y2 == "a"], y2[y2 == "a"]))
    assert one.retrained is None


def test_numbers_and_text_that_read_alike_are_the_same_classes():
    X, y = make_data()
    numbers = np.searchsorted(["a", "b", "c"], y)
    straight = judge((X, numbers), y=numbers)
    text = judge((X, numbers.astype(str)), y=numbers)
    assert text.as_fitted.balanced_error == straight.as_fitted.balanced_error
    assert [one.label for one in text.as_fitted.classes] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (lambda X, y: (X, np.where(y == "a", "aa", y)), "samples of 'aa', a class that the first"),
        (lambda X, y: (X[:, :3], y), "3 columns without names, but X has 6"),
        (
            lambda X, y: (X[:, 2:], y, NAMES[2:]),
            "none of the features of the panel: gene 0, gene 1",
        ),
        (lambda X, y: (X, y[:-1]), "against, the second data set: Found input variables"),
        (lambda X, y: (X, y, NAMES[:2]), "feature_names has 2 names for 6 features"),
        (lambda X, y: X, r"against must be \(X, y\)"),
    ],
)
def test_bad_second_data(second, message):
    X, y = make_data(seed=4)
    with pytest.raises(ValueError, match=message):
        judge(second(X, y))


NO_TEST = r"Not tested against chance: .* is optimistic: {} also in the first data set\."


@pytest.mark.parametrize("decimals", [None, 3])
@pytest.mark.parametrize("panel", [(0,), (0, 1), (0, 1, 2, 3)])
@pytest.mark.parametrize("n_copies", [12, 45])
def test_samples_of_the_first_data_are_not_new(decimals, panel, n_copies):
    X, y = make_data()
    X2, y2 = make_data(n=45, seed=8)
    order = np.random.default_rng(0).permutation(60)[:n_copies]
    X2[:n_copies], y2[:n_copies] = X[order], y[order]
    if decimals is not None:
        X2 = X2.round(decimals)
    settings = {**QUICK, "n_permutations": 9}
    report = panel_report(X, y, panel, against=(X2, y2), **settings)
    found = report.against
    assert n_copies <= found.n_equal <= n_copies + 3
    for errors in (found.as_fitted, found.rescaled, found.retrained):
        assert "also in the first data set" in errors.caveat
    verdict = judge_panel(report, None)
    assert verdict.is_better is None
    assert re.search(NO_TEST.format(f"{found.n_equal} of its 45 samples are"), verdict.text)
    assert "are also in the first data set: these errors are not of new samples." in str(report)


def test_patients_of_the_first_data_are_not_new():
    X, y = make_data()
    X2, y2 = make_data(seed=8)
    patients = np.array([f"P{number}" for number in np.arange(60) // 4 * 3 + np.arange(60) % 3])
    others = np.char.replace(patients, "P", "Q")
    settings = {**QUICK, "n_permutations": 9, "groups": patients, "against": (X2, y2)}
    report = panel_report(X, y, [0, 1], against_groups=others, **settings)
    assert judge_panel(report, None).is_better
    others[others == "Q3"] = "P3"
    report = panel_report(X, y, [0, 1], against_groups=others, **settings)
    assert report.against.shared_groups == ["P3"]
    text = judge_panel(report, None).text
    assert re.search(NO_TEST.format(r"1 of its \d+ groups \(P3\) is"), text)


def test_other_samples_are_new_also_if_values_are_equal_by_chance():
    rng = np.random.default_rng(0)
    draws = {
        "zeros and ones": lambda n, d: rng.integers(0, 2, (n, d)).astype(float),
        "grades": lambda n, d: rng.integers(0, 10, (n, d)).astype(float),
        "one decimal": lambda n, d: rng.standard_normal((n, d)).round(1),
        "two decimals, copies": lambda n, d: rng.standard_normal((n, 1)).round(2) @ np.ones((1, d)),
        "continuous": lambda n, d: rng.standard_normal((n, d)),
    }
    for name, draw in draws.items():
        found = [
            count_equal(draw(n, d), draw(n_new, d))
            for d in (1, 2, 5)
            for n, n_new in ((60, 60), (200, 20), (20, 100))
            for _ in range(20)
        ]
        assert np.mean(np.array(found) > 0) <= 0.02, name


def draw_overlaps(seed):
    """The same samples, in other forms, with copies in one of both data sets."""
    rng = np.random.default_rng(seed)
    X, new = rng.standard_normal((2, 40, 60))
    drawn = rng.integers(0, 40, 40)
    return {
        "twice": (X, np.repeat(X, 2, axis=0)),
        "bootstrap": (X, X[drawn]),
        "copies in the first": (np.vstack([X, X[drawn]]), X),
        "some, twice": (X, np.vstack([new, np.repeat(X[:20], 2, axis=0)])),
        "rounded": (X, X.round(1)),
        "another unit": (X, 1.05 * X + 0.1),
        "standardised": (5.0 + 3.0 * X, (X - X.mean(axis=0)) / X.std(axis=0)),
        "noisy": (X, X + 0.02 * rng.standard_normal(X.shape)),
    }


def draw_others(seed):
    """Other samples, some of which are equal by nature, or copied within their data set."""
    rng = np.random.default_rng(seed)
    X, new = rng.standard_normal((2, 40, 60))
    return {
        "copies in both": (np.repeat(X, 2, axis=0), np.repeat(new, 3, axis=0)),
        "two values": ((X[:, :6] > 0) * 1.0, (new[:, :6] > 0.3) * 1.0),
        "counts": (rng.poisson(0.1, (80, 10)) * 1.0, rng.poisson(0.1, (70, 10)) * 1.0),
        "columns alike": (np.repeat(X[:, :5], 9, 1) > 0, np.repeat(new[:, :5], 9, 1) > 0),
        "rounded": (X[:, :2].round(1), new[:, :2].round(1)),
        "few": (X[:6], new[:5]),
    }


@pytest.mark.parametrize("seed", range(5))
def test_copies_within_the_data_hide_nothing_and_mean_nothing(seed):
    for name, (first, second) in draw_overlaps(seed).items():
        assert count_equal(first, second) >= 20, name
    for name, (first, second) in draw_others(seed).items():
        assert count_equal(first * 1.0, second * 1.0) == 0, name


def test_copies_in_the_second_data_are_no_further_samples():
    X2, y2 = make_data(n=45, seed=8)
    once, twice = (judge((np.repeat(X2, n, axis=0), np.repeat(y2, n)), names=None) for n in (1, 2))
    assert twice.n_equal == 0
    for end in ("low", "high"):
        found = (getattr(one.as_fitted.interval, end) for one in (once, twice))
        assert next(found) == pytest.approx(next(found), abs=0.01)


def test_a_few_samples_of_wide_data_are_enough():
    rng = np.random.default_rng(0)
    X, X2 = rng.integers(0, 2, (60, 80)).astype(float), rng.integers(0, 2, (20, 80)).astype(float)
    X2[:3] = X[5:8]
    y, y2 = np.arange(60) % 2, np.arange(20) % 2
    settings = {**QUICK, "n_permutations": 9}
    assert panel_report(X, y, [0, 1], against=(X2, y2), **settings).against.n_equal == 3
    assert panel_report(X, y, [0, 1], against=(X2[3:], y2[3:]), **settings).against.n_equal == 0
