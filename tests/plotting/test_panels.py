"""The figure of a judged panel shows its numbers."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

from fewest.panels import panel_report
from fewest.plotting import plot_panel_report
from tests.panels.test_panel_report import QUICK, make_data

Figure = pytest.importorskip("matplotlib.figure").Figure


def test_every_row_is_where_its_error_is():
    X, y = make_data()
    settings = {**QUICK, "n_random": 20, "best": True, "n_permutations": 9}
    found = panel_report(X, y, [0, 1], cv=3, estimator=SelectKBest(k=2), n_resamples=2, **settings)
    ax = plot_panel_report(found, ax=Figure().subplots())
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "panel as given",
        "without feature 0",
        "without feature 1",
        "best of this size",
        "choice repeated",
        "20 random ones",
    ]
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    errors = [
        found.errors.balanced_error,
        *(one.error_without for one in found.features),
        found.best.errors.balanced_error,
        found.choice.errors.balanced_error,
    ]
    assert [float(line.get_xdata()[0]) for line in marks] == pytest.approx(errors)
    assert [float(line.get_ydata()[0]) for line in marks] == list(range(5))
    bars = [patch for patch in ax.patches if patch.get_height() < 0]
    inside = [bar for bar in bars if bar.get_width() > 0]
    edges = [bar.get_x() for bar in inside] + [inside[-1].get_x() + inside[-1].get_width()]
    assert min(edges) <= min(found.random.errors) + 1e-9
    assert max(edges) >= max(found.random.errors) - 1e-9 or np.ptp(found.random.errors) == 0


@pytest.mark.parametrize("estimator", [None, SelectKBest(k=1)])
def test_the_caveat_is_within_the_figure(estimator):
    X, y = make_data()
    names = [f"a long name of feature number {place}" for place in range(6)]
    settings = {**QUICK, "n_resamples": 2, "n_permutations": 9}
    found = panel_report(X, y, [0], feature_names=names, estimator=estimator, **settings)
    figure = Figure(figsize=(6.6, 2.8), layout="constrained")  # that of the page
    label = plot_panel_report(found, ax=figure.subplots()).xaxis.label
    figure.draw_without_rendering()
    assert label.get_text().endswith(found.as_given.caveat)
    inside, outside = label.get_window_extent(), figure.bbox
    assert inside.x0 >= outside.x0
    assert inside.y0 >= outside.y0
    assert inside.x1 <= outside.x1
    assert inside.y1 <= outside.y1


def test_a_panel_alone():
    X, y = make_data()
    found = panel_report(X, y, [0], feature_names=["$a$", *"bcdef"], **QUICK)
    ax = plot_panel_report(found)
    assert len(ax.get_yticklabels()) == 2
    assert ax.get_yticklabels()[1].get_text() == r"without \$a\$"
