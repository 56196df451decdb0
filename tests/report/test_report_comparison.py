"""Other methods and a learning curve on the page, handed in by Python."""

import json

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest._estimators.uncertainty import Interval
from fewest.datasets import make_gaussian
from fewest.report import make_report
from fewest.significance import (
    ComparedMethod,
    ExpectedError,
    FoldNote,
    LearningCurve,
    LearningPoint,
    MethodComparison,
    PowerLaw,
)


def interval(low, high):
    return Interval(low, high, 0.95)


@pytest.fixture(scope="module")
def methods():
    known = {
        "fold_n_features": (2, 3),
        "fold_errors": (0.1, 0.2),
        "balanced_error": 0.15,
        "interval": interval(0.08, 0.27),
        "stability": 0.7,
    }
    between = {"difference": -0.02, "difference_interval": interval(-0.11, 0.07), "p_value": 0.6}
    warned = (FoldNote("the set is not proven to be a smallest one", 1),)
    return MethodComparison(
        (
            ComparedMethod("sfm-cv", "Support Feature Machine", **known),
            ComparedMethod("<b>mine</b>", "a name that is no markup", **known, **between),
            ComparedMethod(
                "same", "same predictions", **known, difference=0.0, predicts_alike=True
            ),
            ComparedMethod("minimum", "smallest set", **known, difference=0.1, warnings=warned),
            ComparedMethod("failed", "failed", failures=(FoldNote("classes overlap", 2),)),
        ),
        n_folds=2,
        n_repeats=1,
        guessing=0.5,
        confidence=0.95,
        chosen_error=0.17,
    )


@pytest.fixture(scope="module")
def curve():
    numbers = np.array([12.0, 20.0, 33.0, 48.0])
    drawn = np.geomspace(12, 120, 40)
    return LearningCurve(
        points=tuple(
            LearningPoint(n, 2 / n, interval(1 / n, 4 / n), 3.0) for n in numbers.tolist()
        ),
        n_samples=60,
        n_folds=5,
        n_repeats=5,
        guessing=0.5,
        confidence=0.95,
        slope=-0.05,
        slope_interval=interval(-0.08, -0.02),
        outlook="falls",
        law=PowerLaw(0.0, 2.0, 1.0),
        now=ExpectedError(60.0, 2 / 60, interval(0.02, 0.05)),
        doubled=ExpectedError(120.0, 2 / 120, interval(0.01, 0.03)),
        curve=tuple(ExpectedError(n, 2 / n, interval(1 / n, 3 / n)) for n in drawn.tolist()),
        left_out=("8 training samples: 1 of 25 fits failed: too few",),
    )


@pytest.fixture(scope="module")
def report(methods, curve):
    X, y = make_gaussian(n=60, d=10, k=2, mu=1.5, random_state=0)
    machine = SupportFeatureMachine().fit(X, y)
    return make_report(machine, X, y, also=[methods, curve], parts=(), random_state=0)


def test_sections_of_the_page(report):
    text = " ".join(report.html.split())
    assert '<a href="#comparison">Other methods</a>' in text
    assert '<a href="#learning-curve">More samples</a>' in text
    assert "Expect about 17.0 % from such a choice." in text
    assert "−2.0</td> <td" in text
    assert "−11.0 to +7.0" in text
    assert "same samples wrong" in text
    assert "failed in 2 of 2 folds: classes overlap" in text
    assert "In 1 fold: the set is not proven to be a smallest one." in text
    assert "&lt;b&gt;mine&lt;/b&gt;" in text
    assert "<b>mine" not in text
    assert "With twice the samples (120), the error would be about 1.7 %" in text
    assert "Left out: 8 training samples: 1 of 25 fits failed: too few." in text
    assert text.count('aria-label="Balanced errors of the methods on the same folds') == 1
    assert text.count('aria-label="Balanced error against the number of training samples"') == 1


def test_the_file_holds_the_same(report, methods, curve):
    found = json.loads(report.to_json())
    assert [one["name"] for one in found["comparison"]["methods"]] == [
        one.name for one in methods.methods
    ]
    assert found["comparison"]["methods"][1]["difference_interval"]["low"] == -0.11
    assert found["learning_curve"]["doubled"]["error"] == curve.doubled.error
    assert len(found["learning_curve"]["curve"]) == len(curve.curve)


def test_other_pages_have_no_such_sections():
    X, y = make_gaussian(n=40, d=5, k=2, mu=1.5, random_state=0)
    page = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=(), random_state=0).html
    assert 'id="comparison"' not in page
    assert 'id="learning-curve"' not in page
