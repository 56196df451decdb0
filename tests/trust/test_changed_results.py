"""Results of the certified minimum whose claims were changed: `verify` once accepted them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fewest import minimum_features, near_optimal_sets

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


@pytest.mark.parametrize("search", [minimum_features, near_optimal_sets])
@pytest.mark.parametrize("rules", [{}, {"exclude": [11]}])
def test_sets_in_another_order(search, rules):
    """The largest margin comes first, with and without rules."""
    rng = np.random.default_rng(3)
    y = np.array([0, 0, 0, 1, 1, 1])
    X = rng.standard_normal((6, 12))
    X[:, :4] += 3 * y[:, None] * np.array([1, 0.8, 1.2, 1.1])
    listed = {"extra": 0} if search is near_optimal_sets else {"n_solutions": None}
    result = search(X, y, **listed, **rules)
    assert len(result.subsets) > 1
    assert result.verify(X, y)
    turned = {name: getattr(result, name)[::-1] for name in ("subsets", "margins", "separations")}
    assert not replace(result, **turned).verify(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rules", [{}, {"feature_cost": {0: 2.0}}])
def test_thousands_of_equal_samples_take_few_proofs(n_classes, rules):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (3_000, 3)).astype(float), rng.integers(0, n_classes, 3_000)
    result = minimum_features(X, y, max_errors=5, **rules)
    assert result.certified
    assert result.size is None
    assert len(result.ruled_out) <= 200
    assert result.verify(X, y)


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
