"""Figures of methods on the same folds, and of learning curves."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest._estimators.uncertainty import Interval
from fewest.plotting import plot_comparison, plot_learning_curve
from fewest.significance import (
    ComparedMethod,
    ExpectedError,
    FoldNote,
    LearningCurve,
    LearningPoint,
    MethodComparison,
)


def interval(low, high):
    return Interval(low, high, 0.95)


def test_methods_are_rows_and_failures_are_named():
    good = {"fold_errors": (0.1, 0.3), "balanced_error": 0.2, "interval": interval(0.1, 0.35)}
    methods = (
        ComparedMethod("mine", "", **good),
        ComparedMethod("theirs", "", failures=(FoldNote("no", 2),)),
    )
    ax = plot_comparison(MethodComparison(methods, 2, 1, 0.5, 0.95, None), ax=Figure().subplots())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["mine", "theirs"]
    assert [text.get_text() for text in ax.texts] == ["failed"]
    spans = [line.get_xdata() for line in ax.lines if np.ndim(line.get_xdata())]
    assert any(np.allclose(x, [0.1, 0.35]) for x in spans if len(x) == 2)


@pytest.mark.parametrize("falls", [True, False])
def test_only_a_curve_that_falls_is_continued(falls):
    points = tuple(LearningPoint(n, 0.3, interval(0.2, 0.4), 2.0) for n in (10.0, 20.0, 40.0))
    curve = tuple(ExpectedError(n, 0.2, interval(0.1, 0.3)) for n in (10.0, 100.0))
    found = LearningCurve(
        points, 50, 5, 5, 0.5, 0.95, -0.1, interval(-0.2, -0.05), "falls" if falls else "flat",
        curve=curve if falls else (),
    )  # fmt: skip
    ax = plot_learning_curve(found, ax=Figure().subplots())
    labels = ax.get_legend_handles_labels()[1]
    assert ("fitted curve" in labels) == falls
    assert bool(ax.get_xlim()[1] > 90) == falls
