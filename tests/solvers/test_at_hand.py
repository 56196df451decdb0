"""Columns at hand: the same numbers as a plain array, without a copy of what has joined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.columns import scale_columns, wrap_columns
from fewest._solvers.columns.at_hand import AtHand, SparsePart

N = 3000
RNG = np.random.default_rng(0)
Z = np.asfortranarray(RNG.standard_normal((N, 40)))
V, WEIGHT = RNG.standard_normal(N), RNG.uniform(0.1, 2.0, N)


def joined(*parts) -> AtHand:
    hand = AtHand(N)
    for part in parts:
        hand.join(part)
    return hand


def assert_equal(hand: AtHand, expected: np.ndarray) -> None:
    width = expected.shape[1]
    w = np.random.default_rng(1).standard_normal(width)
    rows, places = np.array([5, 0, N - 1]), np.arange(width)[::-2]
    np.testing.assert_allclose(hand.price(V), expected.T @ V, atol=1e-10)
    np.testing.assert_allclose(hand.combine(w), expected @ w, atol=1e-10)
    np.testing.assert_allclose(hand.take_rows(rows), expected[rows], atol=1e-12)
    np.testing.assert_allclose(hand.take(places), expected[:, places], atol=1e-12)
    beside = np.column_stack([expected, np.ones(N)])
    products = beside.T @ (WEIGHT[:, None] * beside)
    found = np.tril(hand.weighted_products(WEIGHT))
    np.testing.assert_allclose(found, np.tril(products), atol=1e-9)


@pytest.mark.parametrize("kept", [np.arange(40), np.arange(0, 40, 7), np.arange(5, 40)])
def test_parts_that_join_and_leave(kept):
    hand = joined(Z[:, :25], Z[:, 25:])
    assert_equal(hand, Z)
    hand.keep(kept)
    assert_equal(hand, Z[:, kept])
    hand.join(Z[:, :3])
    hand.keep(np.arange(1, len(kept) + 3))
    assert_equal(hand, np.column_stack([Z[:, kept], Z[:, :3]])[:, 1:])


def test_nothing_at_hand_yet():
    assert_equal(AtHand(N), Z[:, :0])


def test_columns_that_join_are_not_copied():
    hand = joined(Z)
    hand.keep(np.arange(30))
    assert hand._parts[-1] is Z or hand._parts[0] is Z


def test_standardised_columns_are_shared_as_they_are():
    every = np.arange(40)
    columns = wrap_columns(Z)
    assert columns.share(every) is Z
    assert columns.subset(every).X is Z
    assert not np.shares_memory(columns.share(every[::-1]), Z)
    assert not np.shares_memory(columns.share(every[:-1]), Z)
    assert not np.shares_memory(scale_columns(Z).share(every), Z)
    columns.inverse_scale[3] = 0.0  # set aside
    assert not columns.share(every)[:, 3].any()


def test_sparse_columns_stay_sparse():
    """Their parts are the same numbers as dense ones, however they join and leave."""
    X = sparse.random(N, 40, density=0.03, format="csr", random_state=0)
    columns, every = scale_columns(X), np.arange(40)
    all_dense = dense = scale_columns(X.toarray()).take(every)
    hand = joined(columns.share(every[:25]), columns.share(every[25:]))
    assert isinstance(columns.share(every), SparsePart)
    assert_equal(hand, dense)
    for kept in (every[3:], every[::7]):
        hand.keep(kept)
        dense = dense[:, kept]
        assert_equal(hand, dense)
        hand.join(columns.share(every[:10]))
        dense = np.column_stack([dense, all_dense[:, :10]])
        assert_equal(hand, dense)
    few = columns.narrow(every[::2])
    assert sparse.issparse(few.X)
    np.testing.assert_allclose(few.take(every[:20]), all_dense[:, ::2], atol=1e-12)


def test_sparse_columns_far_from_zero_become_dense():
    """Products with them would lose digits; nor do those stay sparse that hardly are."""
    X = sparse.random(N, 99, density=0.01, format="csr", random_state=0)
    far = np.ones((N, 1))
    far[0] += 1e-3
    beside = sparse.hstack([X, far], format="csr")
    assert isinstance(scale_columns(beside).share(np.arange(5)), np.ndarray)
    filled = sparse.random(N, 20, density=0.3, format="csr", random_state=0)
    assert isinstance(scale_columns(filled).share(np.arange(5)), np.ndarray)
