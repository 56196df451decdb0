"""A report of more than two classes: one panel, errors class by class, readable with twenty."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, recall_score
from sklearn.model_selection import StratifiedKFold

from fewest import Liknon, SupportFeatureMachine
from fewest.report import make_report
from tests.report.test_report_page import Outline, text_of


def many_classes(n_classes, n_features, *, shift=2.2, n=12):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), n)
    X = rng.standard_normal((len(y), n_features))
    X += shift * rng.integers(0, 2, (n_classes, n_features))[y]
    names = np.array([f"type {place:02d} with a long name" for place in range(n_classes)])
    return X, names[y]


@pytest.fixture(scope="module")
def few():
    """Three classes of 8, 12 and 20 samples that overlap."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], [8, 12, 20])
    X = rng.standard_normal((40, 20))
    X[:, 0] += 2.0 * (y == "a")
    X[:, 1] += 2.0 * (y == "b")
    return X, y


@pytest.fixture(scope="module")
def machine(few):
    return SupportFeatureMachine().fit(*few)


@pytest.fixture(scope="module")
def report(few, machine):
    return make_report(machine, *few, parts=("validation", "alternatives"), random_state=0)


@pytest.fixture(scope="module")
def page_of_twenty(tmp_path_factory):
    """Twenty classes on 34 features, quickly fitted."""
    X, y = many_classes(20, 34)
    machine = LogisticRegression().fit(X, y)
    path = tmp_path_factory.mktemp("report") / "twenty.html"
    make_report(machine, X, y, parts=("validation", "alternatives"), n_subsets=1).save(path)
    return path


def test_one_panel_with_one_proof(report, machine, few):
    panel, (result,) = report.content.answer.panel, machine.results_
    assert report.content.answer.hyperplanes == []
    assert panel.certificate.objective == pytest.approx(result.steps[0].objective)
    text = " ".join(text_of(report.html).split())
    assert text.count("its optimum is proven over all features") == 1
    assert f"{machine.support_.sum()} features are one panel for all 3 classes" in text
    X, y = few
    for feature in panel.features:
        values = X[:, feature.column]
        means = [values[y == label].mean() for label in "abc"]
        np.testing.assert_allclose(feature.class_means, means)
        assert feature.standard_deviation == pytest.approx(values.std())


def test_the_scores_can_be_computed_from_the_file(report, machine, few):
    X, _ = few
    panel = report.content.answer.panel
    columns = [feature.column for feature in panel.features]
    coefficients = np.array([feature.coefficients for feature in panel.features])
    weights = np.array([feature.weights for feature in panel.features])
    deviations = np.array([feature.standard_deviation for feature in panel.features])
    scores = X[:, columns] @ coefficients + panel.intercepts
    np.testing.assert_allclose(scores, machine.decision_function(X))
    shifted = X[:, columns] / deviations @ weights + panel.intercepts
    np.testing.assert_array_equal(shifted.argmax(axis=1), scores.argmax(axis=1))


def test_best_cut_of_a_feature_is_that_of_its_best_class(report, few):
    X, y = few
    for feature in report.content.answer.panel.features:
        values, errors = X[:, feature.column], {}
        for label in "abc":
            inside = y == label
            wrong = [
                (np.mean(values[inside] <= cut) + np.mean(values[~inside] > cut)) / 2
                for cut in values
            ]
            errors[label] = min(min(wrong), min(1 - one for one in wrong))
        assert feature.single_error == pytest.approx(min(errors.values()))
        assert errors[feature.best_class] == pytest.approx(min(errors.values()))


def test_class_errors_are_those_of_held_out_predictions(report, few):
    X, y = few
    predicted = np.empty_like(y)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        predicted[test] = SupportFeatureMachine().fit(X[train], y[train]).predict(X[test])
    found = report.content.trust.validation
    assert found.confusion == confusion_matrix(y, predicted).tolist()
    recalls = recall_score(y, predicted, average=None)
    assert found.n_errors > 0
    for one, recall, label in zip(found.classes, recalls, "abc", strict=True):
        assert one.error == pytest.approx(1 - recall)
        n = np.sum(y == label) / 2  # training sets overlap: half as many samples count
        middle = (one.error + 1.96**2 / (2 * n)) / (1 + 1.96**2 / n)
        assert (one.interval.low + one.interval.high) / 2 == pytest.approx(middle, abs=1e-4)
    for pair in found.confused:
        ab = np.mean(predicted[y == pair.one] == pair.other)
        ba = np.mean(predicted[y == pair.other] == pair.one)
        assert pair.share == pytest.approx((ab + ba) / 2)
    assert [pair.share for pair in found.confused] == sorted(
        (pair.share for pair in found.confused), reverse=True
    )


def test_page_names_small_classes_and_confused_pairs(report):
    text = " ".join(text_of(report.html).split())
    assert "a few samples" in text
    assert "b few samples" not in text
    first = report.content.trust.validation.confused[0]
    ways = f"{first.one} predicted as {first.other}|{first.other} predicted as {first.one}"
    assert re.search(rf"Confused( most)?: \d+ of \d+ ({ways})", text)
    Outline(report.html)


def test_two_classes_stay_as_they_were(few):
    X, y = few
    X, y = X[y != "a"], y[y != "a"]
    report = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=("validation",))
    assert report.content.answer.panel is None
    assert len(report.content.answer.hyperplanes) == 1
    assert "Class by class" not in report.html
    assert "one panel" not in report.html


def test_one_class_at_a_time(few):
    machine = SupportFeatureMachine(multi_class="separate").fit(*few)
    content = make_report(machine, *few, parts=()).content
    assert content.answer.panel is None
    proofs = [plane.certificate.objective for plane in content.answer.hyperplanes]
    assert proofs == [pytest.approx(one.steps[0].objective) for one in machine.results_]


def test_nothing_selected(few):
    with pytest.warns(UserWarning, match="no feature was selected"):
        machine = Liknon(C=1e-6).fit(*few)
    report = make_report(machine, *few, parts=())
    assert report.content.answer.panel.features == []
    assert "No feature was selected" in report.html


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_twenty_classes_fit_on_the_page(browser, page_of_twenty, width, scheme):
    browser.open(page_of_twenty, width=width, scheme=scheme)
    assert browser.complaints == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return document.querySelectorAll('#class-errors tbody tr').length") == 20
    assert "Shown are the 30 features of largest weight" in page_of_twenty.read_text()
    assert "Shown are the 6 classes of the smallest areas" in page_of_twenty.read_text()
    # The names of the confusion matrix stay beside the numbers when these are scrolled.
    place = browser.run(
        "const box = document.querySelector('.confusion .wide-table'); box.scrollLeft = 1e4;"
        "const name = box.querySelector('tbody th').getBoundingClientRect();"
        "return [box.scrollLeft, name.left - box.getBoundingClientRect().left]"
    )
    assert place[1] == pytest.approx(0.0, abs=1.0)
    if width == 390:
        assert place[0] > 100
