"""Figures of informative features: what is drawn, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest.datasets import make_brain
from fewest.informative import (
    Overlap,
    RandomSubsets,
    informative_features,
    overlap_curve,
    t_map,
)
from fewest.plotting import (
    plot_informative,
    plot_overlap,
    plot_overlap_curves,
    plot_probe_error,
    plot_random_subsets,
    plot_selection_error,
    plot_subset_sizes,
)


@pytest.fixture(scope="module")
def maps():
    return make_brain(4, 2, n_voxels=80, informative=0.3, strength=2.0, random_state=0)


@pytest.fixture(scope="module")
def found(maps):
    return informative_features(None, maps.X, maps.y, groups=maps.groups, every=3, n_permutations=5)


@pytest.fixture(scope="module")
def univariate(maps):
    return t_map(maps.X, maps.y, groups=maps.groups)


@pytest.fixture
def ax():
    return Figure().subplots()


def test_all_curves_in_one_figure(found, univariate, tmp_path):
    figure = plot_informative(found, univariate, figure=Figure())
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [title[:3] for title in titles] == ["(a)", "(b)", "(c)", "(d)"]
    assert all(ax.get_title() == "" for ax in figure.axes)
    figure.savefig(tmp_path / "all.png")
    assert len(plot_informative(found, figure=Figure()).axes) == 3
    bare = replace(found, probe_error=None, sigmoid=None)
    assert len(plot_informative(bare, figure=Figure()).axes) == 2


def test_curves_are_in_percent_removed(found, univariate, ax):
    assert plot_subset_sizes(found, ax=ax) is ax
    x, y = ax.lines[0].get_data()
    np.testing.assert_allclose(x, 100 * found.fraction)
    np.testing.assert_allclose(y, found.sizes)
    other = plot_selection_error(found, ax=Figure().subplots())
    np.testing.assert_allclose(other.lines[0].get_ydata(), found.selection_error)
    overlap = plot_overlap_curves(found, univariate, [0.3, 0.1], ax=Figure().subplots())
    assert [line.get_label() for line in overlap.lines] == ["top 10 %", "top 30 %"]
    expected = 100 * overlap_curve(found, univariate, 0.1)
    np.testing.assert_allclose(overlap.lines[0].get_ydata(), expected)


def test_dot_is_where_the_line_meets_chance(found, ax):
    plot_probe_error(found, ax=ax)
    (dot,) = (line for line in ax.lines if line.get_marker() == "o")
    assert dot.get_xdata() == pytest.approx([100 * found.sigmoid.crossing])
    assert dot.get_ydata() == pytest.approx([0.5])
    (text,) = ax.texts
    assert text.get_text() == f"{100 * found.sigmoid.crossing:.0f} %"
    assert len(ax.collections) == 1  # the band
    flat = replace(found, sigmoid=replace(found.sigmoid, height=0.0), band=None)
    plain = plot_probe_error(flat, ax=Figure().subplots())
    assert not plain.texts
    assert not plain.collections


def test_boxes_and_bars(ax):
    errors = np.linspace(0, 0.6, 40).reshape(4, 10)
    plot_random_subsets(RandomSubsets(np.array([1, 2, 4, 2048]), errors), ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "4", "2,048"]
    bars = plot_overlap([Overlap(0.025, 0.6, 0.025, 0.001)], ax=Figure().subplots())
    heights = [patch.get_height() for patch in bars.patches]
    assert heights == pytest.approx([60.0, 2.5])


def test_refused(found, univariate):
    with pytest.raises(ValueError, match="no probe error to draw"):
        plot_probe_error(replace(found, probe_error=None))
    with pytest.raises(ValueError, match="1 to 4 numbers; got 5"):
        plot_overlap_curves(found, univariate, [0.1, 0.2, 0.3, 0.4, 0.5])
    with pytest.raises(ValueError, match="no overlap to draw"):
        plot_overlap([])
