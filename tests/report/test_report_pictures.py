"""Figures as elements of a page."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest.report._pictures import KEEP, to_svg


@pytest.fixture
def ax():
    return Figure(figsize=(3, 2)).subplots()


def test_no_inline_styles_and_no_namespaces(ax):
    ax.plot([0, 1], [0, 1])
    ax.set_title("text")
    svg = to_svg(ax.figure, "p-", "a line")
    assert "style=" not in svg
    assert "<style" not in svg
    assert "xmlns" not in svg
    assert "metadata" not in svg
    assert 'role="img" aria-label="a line"' in svg
    assert ">text</text>" in svg


def test_black_and_grey_follow_the_page(ax):
    ax.plot([0, 1], [0, 1], color="black")
    ax.plot([0, 1], [1, 0], color="0.75")
    ax.plot([0, 1], [1, 1], color="#D55E00")
    svg = to_svg(ax.figure, "p-", "lines")
    assert "#000000" not in svg
    assert "#bfbfbf" not in svg
    assert 'stroke-opacity="0.25"' in svg
    assert 'stroke="#d55e00"' in svg


def test_marked_groups_keep_their_colours(ax):
    (line,) = ax.plot([0, 1], [0, 1], color="black")
    assert "#000000" not in to_svg(ax.figure, "p-", "lines")
    line.set_gid(f"{KEEP}-0")
    assert "#000000" in to_svg(ax.figure, "p-", "lines")


def test_a_figure_may_keep_all_its_colours(ax):
    ax.plot([0, 1], [0, 1], color="0.75")
    svg = to_svg(ax.figure, "p-", "lines", keep_colours=True)
    assert "currentColor" not in svg
    assert "#bfbfbf" in svg


def test_identifiers_differ_between_figures(ax):
    ax.plot([0, 1], [0, 1], marker="o")
    one, two = (to_svg(ax.figure, prefix, "x") for prefix in ("one-", "two-"))
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, two)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for svg, known in zip((one, two), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= known
        assert set(re.findall(r'href="#([^"]+)"', svg)) <= known


def test_equal_figures_are_equal_text(ax):
    ax.imshow(np.eye(3))
    assert to_svg(ax.figure, "p-", "x") == to_svg(ax.figure, "p-", "x")


def test_text_is_escaped(ax):
    ax.set_title("<script>&")
    svg = to_svg(ax.figure, "p-", '"><b>')
    assert "&lt;script&gt;&amp;" in svg
    assert "<b>" not in svg
