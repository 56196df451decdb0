"""Names in figures: whole where there is room, and never on top of each other."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest.plotting import plot_heat_map, plot_roc
from fewest.plotting._names import name_classes, wrap


def test_wrap_keeps_every_letter_where_there_is_room():
    name = "acute myeloid leukaemia with recurrent genetic abnormalities"
    lines = wrap(name, 24, 3).split("\n")
    assert max(map(len, lines)) <= 24
    assert " ".join(lines) == name


def test_wrap_breaks_after_signs_and_leaves_out_the_middle():
    name = "ENSG00000000001_solute_carrier_family_1_member_A"
    assert wrap(name, 31, 2) == "ENSG00000000001_solute_carrier_\nfamily_1_member_A"
    cut = wrap(name, 12, 2)
    assert [len(line) <= 12 for line in cut.split("\n")] == [True, True]
    assert cut.startswith("ENSG")
    assert cut.endswith("A")
    assert cut.count("…") == 1


@pytest.mark.parametrize("width", [1, 2, 7])
@pytest.mark.parametrize("name", ["", "a", "x" * 500, "a b c d", "----", "$\\frac$ $"])
def test_wrap_ends_for_any_name(name, width):
    lines = wrap(name, width, 2).replace(r"\$", "$").split("\n")
    assert len(lines) <= 2
    assert max(map(len, lines)) <= width


def boxes_of(ax, texts):
    figure = ax.get_figure()
    figure.draw_without_rendering()
    return [text.get_window_extent() for text in texts]


@pytest.mark.parametrize("sizes", [(30, 30), (97, 3), (40, 2, 2, 40), (10,) * 10])
@pytest.mark.parametrize(
    "name", ["{}", "class {}", "a rather long name of the class with number {}"]
)
def test_names_of_classes_do_not_cover_each_other(sizes, name):
    y = np.repeat([name.format(n) for n in range(len(sizes))], sizes)
    X = np.random.RandomState(0).normal(size=(len(y), 3))
    figure = Figure(figsize=(7.6, 3.6), layout="constrained")
    ax = plot_heat_map(X, y, ax=figure.subplots())
    labels = ax.get_xticklabels()
    if labels[0].get_rotation() == 45:  # boxes of slanted text overlap although the text does not
        boxes_of(ax, labels)
        places = ax.transData.transform([(x, 0) for x in ax.get_xticks()])[:, 0]
        assert np.diff(places).min() > 1.3 * labels[0].get_fontsize() * figure.dpi / 72
        return
    boxes = boxes_of(ax, labels)
    for one, other in pairwise(boxes):
        assert one.x1 <= other.x0 + 1


def test_level_names_keep_their_counts():
    ax = Figure(figsize=(6, 3)).subplots()
    ax.set_xlim(0, 2)
    name_classes(ax, [0.5, 1.5], ["ill", "well"], [3, 4])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["ill\n(3)", "well\n(4)"]


def test_the_legend_of_a_roc_curve_is_above_the_plot():
    figure = Figure(figsize=(4, 5), layout="constrained")
    ax = plot_roc([0, 0, 1, 1], [1, 3, 2, 4], positive=1, name="a" * 30, ax=figure.subplots())
    legend, box = boxes_of(ax, [ax.get_legend()])[0], ax.get_window_extent()
    assert legend.y0 >= box.y1
