"""Results of the certified minimum whose claims were changed: `verify` once accepted them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fewest import minimum_features

X = np.random.default_rng(5).standard_normal((24, 12))
Y = (X[:, 2] + X[:, 5] > 0).astype(int)


@pytest.fixture(scope="module")
def found():
    result = minimum_features(X, Y, n_solutions=None)
    assert result.verify(X, Y)
    return result


def with_column(result, column, weight):
    """The first set with one more column, whose weight was zero or that was there before."""
    one = result.separations[0]
    columns = (*one.columns, column)
    weights = tuple((*weights, weight) for weights in one.weights)
    return replace(
        result,
        separations=(replace(one, columns=columns, weights=weights),),
        subsets=(np.array(columns),),
        margins=result.margins[:1],
        size=len(columns),
        lower_bound=len(columns),
        n_found=1,
    )


FORGERIES = {
    "subsets": lambda one: replace(one, subsets=(np.array([0, 1]), *one.subsets[1:])),
    "margins": lambda one: replace(one, margins=one.margins * 1.5),
    "n_found": lambda one: replace(one, n_found=0),
    "zero weight": lambda one: with_column(one, 11, 0),
    "a column twice": lambda one: with_column(one, one.separations[0].columns[0], 0),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_forged(found, what):
    assert not FORGERIES[what](found).verify(X, Y)


def test_complete_is_counted_again(found):
    forged = replace(
        found,
        n_found=found.n_found + 3,
        complete=True,
    )
    assert not forged.verify(X, Y, search=True)


def test_what_was_not_checked_is_said(run, found, tmp_path):
    np.savez(tmp_path / "data.npz", X=X, y=Y)
    assert "there is no" in str(found.verify(X, Y))
    plain = run("minimum", tmp_path / "data.npz")
    assert "Not checked a second time: that there is no better set" in plain.out + plain.err
    assert "erified" not in plain.out
    whole = run("minimum", tmp_path / "data.npz", "--verify")
    assert "Verified." in whole.out + whole.err
