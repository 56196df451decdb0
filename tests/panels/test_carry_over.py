"""A panel on a second data set: errors, matched names and shifts, computed by hand."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, recall_score

from fewest.panels import panel_report
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
