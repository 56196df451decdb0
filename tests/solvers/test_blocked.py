"""A matrix read block by block, against the same matrix in memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.columns import Blocked, BlockError, Source, as_matrix, scale_columns
from fewest._solvers.columns.gather import MomentSums


class Array(Source):
    """An array that pretends to be a file."""

    name = "pretended.file"

    def __init__(self, X, height=None, width=None, *, layout=np.asarray, grain=1, picks=False):
        self.X, self.layout, self.picks = X, layout, picks
        self.shape, self.dtype = X.shape, X.dtype
        n, d = X.shape
        self.row_edges = np.unique(np.append(np.arange(0, n, height or n), n))
        self.column_edges = np.unique(np.append(np.arange(0, d, width or d), d))
        self.column_grain = grain
        self.seen = []

    def read(self, rows, columns):
        self.seen.append((rows, columns))
        return self.layout(self.X[rows, columns])

    def pick(self, index):
        return self.X[:, index].astype(float) if self.picks else None


def counts(n=37, d=53, dtype=np.float32):
    rng = np.random.default_rng(0)
    X = rng.integers(1, 256, (n, d)) * (rng.random((n, d)) < 0.67)
    X[:, 5], X[:, 6] = 7, 0
    return X.astype(dtype)


BLOCKS = {
    "one block": (None, None),
    "by columns": (None, 7),
    "by rows": (5, None),
    "both ways": (10, 8),
    "small": (9, 4),
}
PER_BLOCKS = pytest.mark.parametrize(("height", "width"), BLOCKS.values(), ids=BLOCKS)
PER_LAYOUT = pytest.mark.parametrize(
    "layout", [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array]
)


@PER_BLOCKS
@PER_LAYOUT
def test_equal_to_the_matrix_in_memory(height, width, layout):
    X = counts()
    rng = np.random.default_rng(1)
    codes = rng.permutation(np.arange(37) % 2)
    blocked, memory = Blocked(Array(X, height, width, layout=layout)), X.astype(np.float64)
    found, expected = scale_columns(blocked, codes=codes), scale_columns(memory, codes=codes)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(found.inverse_scale, expected.inverse_scale, rtol=1e-12)
    np.testing.assert_allclose(found.class_means.values, expected.class_means.values, rtol=1e-12)
    v, V = rng.standard_normal(37), rng.standard_normal((37, 3))
    np.testing.assert_allclose(found.price(v), expected.price(v), atol=1e-11)
    np.testing.assert_allclose(blocked.products(V), memory.T @ V, atol=1e-9)
    for index in (rng.permutation(53)[:20], np.arange(53), np.array([4, 4, 52, 0, 4])):
        block = found.take(index)
        assert block.flags.f_contiguous
        np.testing.assert_allclose(block, expected.take(index), atol=1e-12)
    rows = np.array([30, 2, 2, 17])
    features = np.array([50, 3, 9])
    np.testing.assert_allclose(
        found.take_rows(rows, features), expected.take_rows(rows, features), atol=1e-12
    )
    weights = rng.standard_normal(53) * (rng.random(53) < 0.5)
    np.testing.assert_allclose(found.combine(weights), expected.combine(weights), atol=1e-11)
    joined = np.hstack([block for _, block in found.blocks()])
    np.testing.assert_allclose(joined, expected.take(np.arange(53)), atol=1e-12)


@PER_BLOCKS
@PER_LAYOUT
def test_some_rows_and_columns_in_any_order(height, width, layout):
    X = counts().astype(np.float64)
    rows, features = np.array([3, 36, 3, 0, 20]), np.array([8, 1, 52, 30, 31])
    part = Blocked(Array(X, height, width, layout=layout)).rows(rows).keep(features)
    expected = X[rows][:, features]
    assert part.shape == expected.shape
    np.testing.assert_array_equal(part.take(np.arange(5)), expected)
    np.testing.assert_array_equal(part.products(np.eye(5)), expected.T)
    again = part.rows(np.array([True, False, True, True, True])).keep(np.array([4, 0]))
    np.testing.assert_array_equal(again.take(np.arange(2)), expected[[0, 2, 3, 4]][:, [4, 0]])
    weight = np.array([1.0, 0.0, 2.0, 3.0, 0.5])
    found, memory = part.moments(weight), as_matrix(expected).moments(weight)
    np.testing.assert_allclose(found.mean, memory.mean, rtol=1e-13)
    np.testing.assert_allclose(found.variance, memory.variance, rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e8])
@pytest.mark.parametrize("height", [None, 1, 7])
def test_offsets_cost_no_digits(offset, height):
    X = np.random.default_rng(2).standard_normal((60, 20)) + offset
    X[:, 3] = 0.1
    found = Blocked(Array(X, height)).moments()
    np.testing.assert_allclose(found.variance, X.var(axis=0), rtol=1e-7, atol=1e-30)
    assert found.variance[3] == 0.0


def test_a_column_is_read_once():
    source = Array(counts(), width=10)
    blocked = Blocked(source)
    first = blocked.take(np.array([3, 12, 44]))
    n_read = len(source.seen)
    first[:] = -1.0  # the caller's own
    np.testing.assert_array_equal(blocked.take(np.array([44, 3])), source.X[:, [44, 3]])
    assert len(source.seen) == n_read == 3
    assert source.n_values_read == 3 * 37


def test_old_columns_make_room():
    source = Array(counts(), width=10)
    source.memory = 4 * 37 * 8
    blocked = Blocked(source)
    for _ in range(2):
        for index in np.arange(53).reshape(-1, 1):
            np.testing.assert_array_equal(blocked.take(index), source.X[:, index])
    assert len(blocked._known._columns) == 4


def test_columns_of_a_chunk_are_read_together():
    source = Array(counts(), grain=10)
    Blocked(source).take(np.array([1, 8, 12, 47]))
    assert [columns for _, columns in source.seen] == [slice(1, 13), slice(47, 48)]


def test_columns_picked_by_the_source():
    source = Array(counts(), height=5, picks=True)
    found = Blocked(source).rows(np.array([5, 3])).take(np.array([9, 2]))
    np.testing.assert_array_equal(found, source.X[[5, 3]][:, [9, 2]])
    assert not source.seen


def test_the_next_block_is_read_meanwhile():
    """While the first block is worked on, the second one is asked for; the third one is not."""
    source = Array(counts(), width=10)
    second, third = threading.Event(), threading.Event()
    plain = source.read

    def read(rows, columns):
        if columns.start == 10:
            second.set()
        if columns.start == 20:
            third.set()
        return plain(rows, columns)

    source.read = read
    blocked = Blocked(source)
    tiles = blocked._tiles(blocked._column_spans)
    next(tiles)
    assert second.wait(60)
    assert not third.is_set()
    tiles.close()
    assert len(source.seen) == 2


def test_passes_are_counted():
    source = Array(counts(), width=10)
    columns = scale_columns(Blocked(source), codes=np.arange(37) % 2)
    assert source.n_passes == 1.0
    columns.price(np.where(np.arange(37) % 2, 0.5, -0.25))  # class means: no pass
    assert source.n_passes == 1.0
    columns.price(np.random.default_rng(0).standard_normal(37))
    assert source.n_passes == 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_values_that_are_not_finite_are_named_in_the_first_pass(bad, layout):
    X = np.ones((4, 1000))
    X[2, 899] = bad
    source = Array(X, width=1, layout=layout)
    with pytest.raises(ValueError, match=r"block 900 of 1,000 of pretended\.file \(columns 900"):
        Blocked(source).moments()
    with pytest.raises(ValueError, match="block 900 of 1,000"):
        Blocked(source).take(np.array([1, 899]))


def test_values_whose_squares_overflow_are_left_to_the_caller():
    X = np.full((4, 3), 1e200)
    X[0, 1] = -1e200
    found = Blocked(Array(X, height=2)).moments()
    assert not np.isfinite(found.variance[1])


@pytest.mark.parametrize("error", [OSError("no disk"), ValueError("no number"), KeyError("X")])
def test_a_block_that_cannot_be_read(error):
    source = Array(counts(), height=10, width=8)
    plain = source.read

    def read(rows, columns):
        if (rows.start, columns.start) == (20, 8):
            raise error
        return plain(rows, columns)

    source.read = read
    text = r"block 7 of 28 of pretended\.file \(rows 21 to 30, columns 9 to 16\).*(no |X)"
    with pytest.raises(BlockError, match=text):
        Blocked(source).products(np.ones(37))


def test_a_block_that_is_too_short():
    source = Array(counts(), width=10)
    source.read = lambda rows, columns: source.X[:-1, columns]
    with pytest.raises(BlockError, match=r"block 1 of 6 .* is 36 x 10 instead of 37 x 10"):
        Blocked(source).moments()


@pytest.mark.parametrize("place", ["indices", "negative", "indptr"])
def test_wrong_indices(place):
    X = sparse.csr_matrix(counts())
    if place == "indices":
        X.indices[7] = 99
    elif place == "negative":
        X.indices[7] = -1
    else:
        X.indptr[4] = X.indptr[6]
    source = Array(counts())
    source.read = lambda rows, columns: X
    with pytest.raises(ValueError, match=r"block 1 of 1 .* is no valid sparse matrix"):
        Blocked(source).products(np.ones(37))


def test_order_of_blocks_does_not_matter():
    X = np.random.default_rng(5).standard_normal((30, 12)) + 100.0
    sums = MomentSums(X.shape)
    for start in (20, 0, 10):
        rows = slice(start, start + 10)
        sums.add(as_matrix(X[rows]), rows, slice(0, 12), "block")
    np.testing.assert_allclose(sums.result().variance, X.var(axis=0), rtol=1e-12)
