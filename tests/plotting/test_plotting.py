"""Figures: what is drawn, on which Axes, and what is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest.datasets import make_gaussian
from fewest.machines.transvariation import transvariation_grid
from fewest.plotting import (
    plot_error_ratio,
    plot_path,
    plot_profile,
    plot_transvariation,
    plot_weight_map,
)

PROFILE = np.array([[0.0, 1.0, 0.2, 0.0], [0.0, 0.8, 0.6, 0.1], [0.0, 1.0, 0.0, 0.0]])
CS = [0.1, 1.0, 10.0]


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def grid():
    X, y = make_gaussian(n=60, d=12, k=2, mu=1.0, random_state=0)
    return transvariation_grid(X, y, 6)


def _texts(labels):
    return [label.get_text() for label in labels]


def test_profile_shows_the_most_frequent_features_first(ax):
    assert plot_profile(PROFILE, feature_names=list("abcd"), ax=ax) is ax
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), PROFILE.T[[1, 2, 3]])  # no fold chose "a"
    assert image.get_clim() == (0, 1)
    assert _texts(ax.get_yticklabels()) == ["b", "c", "d"]
    assert _texts(ax.get_xticklabels()) == ["1", "2", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("fold", "feature")
    _, bar = ax.figure.axes
    assert "share" in bar.get_ylabel()


def test_profile_is_cut_and_numbered(ax):
    plot_profile(PROFILE, n_features=2, ax=ax)
    assert _texts(ax.get_yticklabels()) == ["1", "2"]


def test_odd_names_and_many_folds_can_be_drawn(ax, tmp_path):
    profile = np.random.default_rng(0).random((57, 3))
    plot_profile(profile, feature_names=["$x", "y$^{" * 20, ""], ax=ax)
    assert len(ax.get_xticks()) <= 20
    ax.figure.savefig(tmp_path / "out.png")


@pytest.mark.parametrize(
    ("profile", "options", "message"),
    [
        ([0.5, 0.5], {}, "one row per fold"),
        (np.empty((0, 3)), {}, "one row per fold"),
        ([[0.5, 2.0]], {}, "between zero and one"),
        ([[0.5, np.nan]], {}, "between zero and one"),
        ([[0.0, 0.0]], {}, "zero everywhere"),
        ([[0.5, 0.5]], {"feature_names": ["a"]}, "1 names for 2 features"),
        ([[0.5, 0.5]], {"n_features": 0}, "n_features must be a whole number"),
    ],
)
def test_wrong_profiles(ax, profile, options, message):
    with pytest.raises(ValueError, match=message):
        plot_profile(profile, ax=ax, **options)
    assert not ax.images


def test_path_of_one_error(ax):
    assert plot_path(CS, [0.5, 0.1, 0.2], ax=ax) is ax
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), [[0.1, 0.5], [1.0, 0.1], [10.0, 0.2]])
    assert ax.get_xscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("C", "balanced error")
    assert ax.get_legend() is None
    assert ax.figure.axes == [ax]


def test_path_with_everything(ax):
    errors = {"training": [0.4, 0.1, 0.0], "cross-validated": [0.5, 0.2, 0.3]}
    plot_path(CS, errors, n_features=[1, 2, 9], chosen=1, ax=ax)
    curves = [line for line in ax.lines if len(line.get_xdata()) == 3]
    diamonds = [line for line in ax.lines if line.get_marker() == "D"]
    assert (len(curves), len(diamonds)) == (2, 2)
    assert len({curve.get_color() for curve in curves}) == 2
    assert [tuple(point.get_xydata()[0]) for point in diamonds] == [(1.0, 0.1), (1.0, 0.2)]
    assert _texts(ax.get_legend().get_texts()) == ["training", "cross-validated", "features"]
    _, twin = ax.figure.axes
    assert twin.get_ylabel() == "number of features"
    np.testing.assert_array_equal(twin.lines[0].get_ydata(), [1, 2, 9])


def test_path_in_any_order_and_of_a_single_value(ax, tmp_path):
    plot_path([10.0, 0.1], [0.2, 0.5], n_features=[4, 1], ax=ax)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[0.1, 0.5], [10.0, 0.2]])
    alone = Figure().subplots()
    plot_path([1.0], [0.0], n_features=[0], chosen=0, ax=alone)
    alone.figure.savefig(tmp_path / "out.png")


@pytest.mark.parametrize(
    ("Cs", "errors", "options", "message"),
    [
        ([], [], {}, "Cs must be a list of one or more numbers"),
        ([[1.0]], [0.1], {}, "Cs must be a list of one or more numbers"),
        ([1.0, 0.0], [0.1, 0.1], {}, "each of Cs must be a positive number"),
        ([1.0, np.inf], [0.1, 0.1], {}, "each of Cs must be a positive number"),
        (CS, [0.1, 0.2], {}, "errors must have 3 values, one per C; got 2"),
        (CS, [0.1, 0.2, np.nan], {}, "each of errors must be a number of at least zero"),
        (CS, {}, {}, "1 to 4 curves; got 0"),
        (CS, [0.1] * 3, {"n_features": [1]}, "n_features must have 3 values"),
        (CS, [0.1] * 3, {"chosen": 3}, "chosen must be a place in Cs, 0 to 2; got 3"),
        (CS, [0.1] * 3, {"chosen": -1}, "chosen must be a place"),
    ],
)
def test_wrong_paths(ax, Cs, errors, options, message):
    with pytest.raises(ValueError, match=message):
        plot_path(Cs, errors, ax=ax, **options)
    assert not ax.lines


def test_error_against_the_ratio(ax):
    ratios, errors = [np.nan, 0.1, 0.01, 1.0], [0.5, 0.2, 0.3, 0.4]
    assert plot_error_ratio(ratios, errors, chosen=1, label="one", ax=ax) is ax
    curve, diamond = ax.lines
    np.testing.assert_allclose(curve.get_xdata(), [-2.0, -1.0, 0.0])
    assert curve.get_ydata().tolist() == [0.3, 0.2, 0.4]
    assert (diamond.get_xdata()[0], diamond.get_ydata()[0]) == (-1.0, 0.2)
    plot_error_ratio(ratios, errors, label="two", ax=ax)
    assert _texts(ax.get_legend().get_texts()) == ["one", "two"]
    assert ax.lines[2].get_color() != curve.get_color()


@pytest.mark.parametrize(
    ("ratios", "errors", "chosen", "message"),
    [
        ([0.1, -1.0], [0.1, 0.1], None, "ratios must be positive"),
        ([np.nan], [0.1], None, "ratios must be positive"),
        ([0.1, 0.2], [0.1], None, "errors must have 2 values"),
        ([0.1, np.nan], [0.1, 0.2], 1, "chosen must be the place of a solution with features"),
        ([0.1, 0.2], [0.1, 0.2], 2, "chosen must be the place"),
    ],
)
def test_wrong_ratios(ax, ratios, errors, chosen, message):
    with pytest.raises(ValueError, match=message):
        plot_error_ratio(ratios, errors, chosen=chosen, ax=ax)
    assert not ax.lines


def test_weight_map(ax):
    weights = np.array([[0.5, 0.0, -2.0], [0.0, 1.0, 0.0]])
    assert plot_weight_map(weights, names=["first", "second"], ax=ax) is ax
    (image,) = ax.images
    np.testing.assert_array_equal(image.get_array(), weights.T)
    assert image.get_clim() == (-2.0, 2.0)
    assert _texts(ax.get_xticklabels()) == ["first", "second"]
    for wrong in (np.zeros((2, 3)), [1.0, 2.0], [[np.nan, 1.0]]):
        with pytest.raises(ValueError, match="weights must have one row per discriminant"):
            plot_weight_map(wrong, ax=ax)
    with pytest.raises(ValueError, match="3 names for 2 discriminants"):
        plot_weight_map(weights, names="abc", ax=ax)


def test_transvariation(ax, grid):
    assert plot_transvariation(grid, ax=ax) is ax
    (lines,) = ax.collections
    segments = np.array(lines.get_segments())
    assert len(segments) == 12
    # Each feature's line |a| - N d / 2 falls to zero at its own distance.
    np.testing.assert_allclose(segments[:, 0, 1], np.sort(grid.differences)[::-1])
    np.testing.assert_allclose(segments[:, 1, 0] * 30, segments[:, 0, 1])
    total, chosen = ax.lines
    np.testing.assert_array_equal(total.get_ydata(), grid.curve_totals)
    np.testing.assert_array_equal(chosen.get_xdata(), grid.distances)
    assert chosen.get_marker() == "D"
    assert "distance" in ax.get_xlabel()
    assert _texts(ax.get_legend().get_texts()) == ["features", "total", "chosen"]


def test_transvariation_shows_the_largest_features_only(ax, grid):
    plot_transvariation(grid, n_features=3, ax=ax)
    assert len(ax.collections[0].get_segments()) == 3
    assert "the 3 largest features" in _texts(ax.get_legend().get_texts())


def test_transvariation_refuses_other_things(ax):
    with pytest.raises(TypeError, match="transvariation_grid; got ndarray"):
        plot_transvariation(np.ones(3), ax=ax)


def test_a_new_figure_without_axes(grid):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    before = set(pyplot.get_fignums())
    axes = [plot_profile(PROFILE), plot_path(CS, [0.1] * 3), plot_transvariation(grid)]
    new = set(pyplot.get_fignums()) - before
    assert len({ax.figure for ax in axes}) == len(new) == 3
    for number in new:
        pyplot.close(number)


def test_no_global_state_where_axes_are_given():
    code = """
import sys
import fewest.plotting
assert "matplotlib" not in sys.modules
from matplotlib.figure import Figure
from fewest.plotting import plot_path, plot_profile
plot_profile([[1.0, 0.5]], ax=Figure().subplots())
plot_path([0.1, 1.0], [0.2, 0.1], n_features=[1, 2], chosen=0, ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "fewest\[plot\]"'):
        plot_path(CS, [0.1] * 3)
