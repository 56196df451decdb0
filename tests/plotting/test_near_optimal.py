"""The matrix of sets near the minimum shows every set, and says what is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from fewest import near_optimal_sets
from fewest.plotting import plot_near_optimal


@pytest.fixture(scope="module")
def found():
    X = np.random.default_rng(0).standard_normal((20, 16))
    return near_optimal_sets(X, X[:, 7] + X[:, 11] > 0, extra=2)


def draw(found, **settings):
    return plot_near_optimal(found, ax=Figure().subplots(), **settings)


def drawn_sets(ax):
    """The features of every column, as the marks and the names of the rows show them."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    sets = {}
    for place, row in ax.collections[0].get_offsets():
        sets.setdefault(round(place), set()).add(names[round(row)])
    return [sets[place] for place in sorted(sets)]


def test_every_set_is_a_column(found):
    ax = draw(found, most_sets=1000)
    assert drawn_sets(ax) == [{str(j) for j in subset} for subset in found.subsets]
    assert np.allclose(
        sorted(set(ax.collections[0].get_array())), sorted(set(found.margins)), atol=0
    )
    assert ax.get_xlabel() == "features of the set"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "3", "4"]


def test_no_set_is_cut(found):
    ax = draw(found, most_features=9)
    shown = drawn_sets(ax)
    assert 1 <= len(shown) < len(found.subsets)
    assert shown == [{str(j) for j in subset} for subset in found.subsets[: len(shown)]]
    assert len(ax.get_yticklabels()) <= 9
    assert f"{len(shown)} of {found.n_found} sets" in ax.get_xlabel()


def test_names_and_what_may_be_missing(found):
    named = replace(found, feature_names=tuple(f"$gene_{j}$" for j in range(16)), complete=False)
    ax = draw(named, most_sets=2)
    assert ax.get_yticklabels()[0].get_text().startswith(r"\$gene_")
    assert f"2 of {found.n_found} or more sets" in ax.get_xlabel()
    ax.figure.canvas.draw()


def test_prices():
    X = np.random.default_rng(0).standard_normal((20, 16))
    y = X[:, 7] + X[:, 11] > 0
    ax = draw(near_optimal_sets(X, y, feature_cost={7: 1.5}))
    assert ax.get_xlabel() == "price of the set"
    assert "2.5" in [label.get_text() for label in ax.get_xticklabels()]


def test_nothing_to_draw():
    none = near_optimal_sets([[0.0], [0.0]], [0, 1])
    with pytest.raises(ValueError, match="there is no set to draw"):
        draw(none)
