"""Figures of selected features, errors, chance and alternatives show what they are given."""

from __future__ import annotations

import itertools
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.metrics import roc_auc_score

from fewest import error_front
from fewest.plotting import (
    plot_confusion,
    plot_error_front,
    plot_heat_map,
    plot_path,
    plot_permutations,
    plot_roc,
    plot_separability,
    plot_stability,
    plot_stand_ins,
    plot_strip,
    plot_subsets,
    plot_weights,
)
from fewest.significance import subset_separability_bounds

HOSTILE = ["$x^$", "<script>alert(1)</script>", "a\nb", "é" * 500, "مرحبا"]


@pytest.fixture
def ax():
    return Figure().subplots()


def tick_texts(labels):
    return [label.get_text() for label in labels]


def test_strip_shows_every_value_and_the_means(ax):
    values, y = np.array([3.0, 1.0, 7.0, 8.0, 9.0]), np.array(["b", "b", "a", "a", "a"])
    plot_strip(values, y, name="gene", threshold=5.0, ax=ax)
    points = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [sorted(line.get_xdata()) for line in points] == [[7.0, 8.0, 9.0], [1.0, 3.0]]
    bars = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 2.0]
    assert bars == [8.0, 2.0]
    assert ax.get_xlabel() == "gene"
    # No point leaves its class's strip.
    for place, line in enumerate(points):
        assert np.all(np.abs(np.asarray(line.get_ydata()) - place) <= 0.3)


def test_strip_spreads_equal_values(ax):
    plot_strip(np.zeros(20), ["a"] * 20, ax=ax)
    assert len(np.unique(ax.lines[0].get_ydata())) == 20


@pytest.mark.parametrize(("values", "y"), [([], []), ([1, 2], ["a"]), ([[1, 2]], [["a", "b"]])])
def test_strip_needs_an_entry_a_sample(values, y, ax):
    with pytest.raises(ValueError, match="values and y must have one entry per sample"):
        plot_strip(values, y, ax=ax)


def test_weights_are_sorted_and_signed(ax):
    plot_weights([1.0, -3.0, 0.0, 2.0], list("abcd"), sides=("no", "yes"), ax=ax)
    assert tick_texts(ax.get_yticklabels()) == ["b", "d", "a"]
    assert [bar.get_width() for bar in ax.patches] == [-3.0, 2.0, 1.0]
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert colours[0] != colours[1] == colours[2]
    assert ax.get_xlabel().startswith("← no")


@pytest.mark.parametrize("weights", [[0.0, 0.0], [[1.0]], []])
def test_weights_need_one_that_is_not_zero(weights, ax):
    with pytest.raises(ValueError, match="at least one is not zero"):
        plot_weights(weights, ax=ax)


def test_heat_map_sorts_samples_and_features(ax):
    rng = np.random.default_rng(0)
    y = np.array(["b", "a"] * 10)
    X = rng.standard_normal((20, 3))
    X[y == "b", 1] += 20
    X[y == "a", 2] += 20
    scores = rng.standard_normal(20)
    plot_heat_map(X[:, 1:], y, feature_names=["in b", "in a"], scores=scores, ax=ax)
    assert tick_texts(ax.get_yticklabels()) == ["in a", "in b"]
    shown = ax.images[0].get_array()
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    order = [*sorted(np.flatnonzero(y == "a"), key=scores.__getitem__)]
    order += sorted(np.flatnonzero(y == "b"), key=scores.__getitem__)
    np.testing.assert_allclose(shown, standard[order][:, [2, 1]].T)
    assert tick_texts(ax.get_xticklabels()) == ["a\n(10)", "b\n(10)"]


def test_heat_map_of_a_constant_feature(ax):
    plot_heat_map(np.ones((4, 1)), list("aabb"), ax=ax)
    assert np.all(ax.images[0].get_array() == 0)


def test_heat_map_needs_a_matrix(ax):
    with pytest.raises(ValueError, match="X must have one row per sample"):
        plot_heat_map([1.0, 2.0], list("ab"), ax=ax)


def test_confusion_counts(ax):
    plot_confusion([0, 0, 0, 1, 2], [0, 1, 0, 1, 1], ax=ax)
    assert [text.get_text() for text in ax.texts] == list("210") + list("010") + list("010")
    np.testing.assert_allclose(ax.images[0].get_array()[0], [2 / 3, 1 / 3, 0])


def test_roc_area_is_that_of_scikit_learn(ax):
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=60)
    decision = y + rng.standard_normal(60)
    plot_roc(y, decision, positive=1, ax=ax)
    assert f"area {roc_auc_score(y, decision):.2f}" in ax.get_legend_handles_labels()[1][0]


def test_roc_needs_both_kinds(ax):
    with pytest.raises(ValueError, match="one kind only"):
        plot_roc([1, 1], [0.0, 1.0], positive=1, ax=ax)


def test_stability_leaves_out_what_no_fold_selected(ax):
    plot_stability([0, 2, 5, 1], 5, n_features=2, ax=ax)
    assert tick_texts(ax.get_yticklabels()) == ["2", "1"]
    assert [bar.get_width() for bar in ax.patches] == [5, 2]


@pytest.mark.parametrize("counts", [[0, 0], [6, 1], [-1, 2]])
def test_stability_needs_counts_of_folds(counts, ax):
    with pytest.raises(ValueError, match="counts must be numbers from 0 to 5"):
        plot_stability(counts, 5, ax=ax)


def test_permutations_of_whole_numbers_get_a_bar_each(ax):
    plot_permutations([3, 3, 5, np.nan], 2, label="features", ax=ax)
    assert [bar.get_height() for bar in ax.patches] == [0, 2, 0, 1]
    assert ax.get_legend_handles_labels()[1][0] == "permuted classes (3)"


def test_permutations_need_a_number(ax):
    with pytest.raises(ValueError, match="no finite value"):
        plot_permutations([np.nan], 0.1, ax=ax)


def test_separability_shows_the_bounds(ax):
    plot_separability(38, 7129, selected=2, ax=ax)
    curves = {line.get_label(): line for line in ax.lines}
    for size in (1, 2, 3):
        bounds = subset_separability_bounds(38, 7129, size)
        assert curves["at most"].get_ydata()[size - 1] == pytest.approx(max(bounds.upper, 1e-12))
        assert curves["at least"].get_ydata()[size - 1] == pytest.approx(max(bounds.lower, 1e-12))
    assert curves["at most"].get_ydata()[-1] == 1.0
    assert curves["at most"].get_xdata()[-1] >= 2 + 4


def test_separability_with_an_intercept(ax):
    plot_separability(38, 7129, most=3, intercept=True, ax=ax)
    upper = next(line for line in ax.lines if line.get_label() == "at most").get_ydata()
    for size in (1, 2, 3):
        bounds = subset_separability_bounds(38, 7129, size, intercept=True)
        assert upper[size - 1] == pytest.approx(max(bounds.upper, 1e-12))


def test_separability_of_at_most_so_many(ax):
    plot_separability(38, 7129, most=5, ax=ax)
    assert list(ax.lines[0].get_xdata()) == [1, 2, 3, 4, 5]


def test_subsets_and_stand_ins(ax):
    plot_subsets([[1], [2, 3]], ax=ax)
    assert [bar.get_height() for bar in ax.patches] == [1, 2]
    ax = Figure().subplots()
    plot_stand_ins([0.2, -0.8], ["a", "b"], name="c", ax=ax)
    assert tick_texts(ax.get_yticklabels()) == ["b", "a"]
    assert ax.get_xlabel() == "correlation with c"


def test_nothing_to_draw(ax):
    with pytest.raises(ValueError, match="no subset"):
        plot_subsets([], ax=ax)
    with pytest.raises(ValueError, match="between minus one and one"):
        plot_stand_ins([1.2], ax=ax)
    with pytest.raises(ValueError, match="at least one number"):
        plot_stand_ins([], ax=ax)


def test_hostile_names_are_drawn_as_text():
    figure = Figure(figsize=(8, 8))
    plot_weights(np.arange(1, 6), HOSTILE, ax=figure.subplots())
    figure.savefig(BytesIO(), format="svg")
    labels = tick_texts(figure.axes[0].get_yticklabels())
    assert max(map(len, labels)) <= 24 + 1
    assert not any("\n" in label for label in labels)


def test_sparse_columns_become_dense():
    from fewest.plotting._displays import dense_columns

    X = sparse.csc_array(np.eye(3))
    np.testing.assert_array_equal(dense_columns(X, np.array([0, 2])), np.eye(3)[:, [0, 2]])


@pytest.mark.parametrize(
    "Cs", [[1.05, 1.3, 1.9], [0.48, 1.0, 2.5], [0.1, 1.0, 10.0], [0.02, 1.0, 15.0], [1.0]]
)
def test_path_labels_short_axes_with_plain_numbers_that_do_not_collide(Cs):
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = plot_path(Cs, np.linspace(0.3, 0.1, len(Cs)), ax=figure.subplots())
    figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [
        label
        for label in ax.get_xticklabels(which="both")
        if label.get_text() and low <= label.get_position()[0] <= high
    ]
    assert len(shown) >= 2
    assert [float(label.get_text()) for label in shown] == pytest.approx(
        [label.get_position()[0] for label in shown]
    )
    boxes = sorted(tuple(label.get_window_extent().intervalx) for label in shown)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(boxes))


def test_fronts_show_what_is_proven():
    X = np.random.default_rng(0).standard_normal((20, 5))
    front = error_front(X, X[:, 0] + X[:, 3] > 0, max_features=2)
    open_point = replace(front.points[2], lower_bound=0, errors=2)
    front = replace(front, points=(*front.points[:2], open_point))
    ax = plot_error_front(front, ax=Figure().subplots())
    assert [text.get_text() for text in ax.texts] == [str(p.errors) for p in front.points]
    filled = [line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"]
    assert [colour == "white" for colour in filled] == [False, False, True]
    (bar,) = (line for line in ax.lines if line.get_marker() == "_")
    assert bar.get_ydata().tolist() == [0, 2]
    assert ax.get_xlabel() == "features"
