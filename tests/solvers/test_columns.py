"""Standardised columns that are never stored, against plain float64 arithmetic."""

import numpy as np
import pytest
from scipy import sparse

from fewest._solvers.class_sums import sum_classes
from fewest._solvers.columns import (
    Columns,
    column_products,
    scale_columns,
    weighted_moments,
    wrap_columns,
)
from fewest._solvers.columns.tiles import block_width
from fuzzing.oracles.linear import standardise
from tests.memory import traced_memory


def strided(X):
    """Every other row and column of a larger array: contiguous in neither order."""
    wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]), dtype=X.dtype)
    wide[::2, ::2] = X
    return wide[::2, ::2]


DENSE = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "strided": strided,
    "transposed view": lambda X: np.ascontiguousarray(X.T).T,
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
}
SPARSE = {
    "CSR": sparse.csr_matrix,
    "CSC": sparse.csc_matrix,
    "CSR array": sparse.csr_array,
    "CSC array": sparse.csc_array,
}
LAYOUTS = DENSE | SPARSE
PER_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
PER_DTYPE = pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "bool"])


def counts(n=37, d=53):
    """Small whole numbers, exact in every type; a third of them zero; one constant column."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 256, (n, d)) * (rng.random((n, d)) < 0.67)
    X[:, 5] = 7
    X[:, 6] = 0
    return X


def assert_matches(columns: Columns, X: np.ndarray, weight=None, rtol=1e-10) -> None:
    """Means, scales, prices and columns, all against float64 on a copy of X."""
    n, d = X.shape
    weight = np.ones(n) if weight is None else weight
    mean = np.average(X, axis=0, weights=weight)
    scale = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    usable = np.ptp(X, axis=0) > 0
    inverse = np.where(usable, 1.0 / np.where(usable, scale, 1.0), 0.0)
    Z = (X - mean) * inverse
    np.testing.assert_allclose(columns.mean, mean, rtol=rtol, atol=rtol * np.abs(X).max())
    np.testing.assert_allclose(columns.inverse_scale, inverse, rtol=rtol)
    assert columns.n_usable == usable.sum()
    assert (columns.n_samples, columns.n_features) == (n, d)
    rng = np.random.default_rng(1)
    v = rng.standard_normal(n)
    for vector in (v, v - v.mean()):  # prices need no balance
        price = columns.price(vector)
        assert price.dtype == np.float64
        np.testing.assert_allclose(price, vector @ Z, rtol=rtol, atol=rtol * n)
    index = rng.permutation(d)[: d // 2]
    block = columns.take(index)
    assert block.dtype == np.float64
    assert block.flags.f_contiguous
    np.testing.assert_allclose(block, Z[:, index], rtol=rtol, atol=rtol)
    everything = columns.take(np.arange(d))
    assert everything.flags.f_contiguous
    np.testing.assert_allclose(everything, Z, rtol=rtol, atol=rtol)
    weights = rng.standard_normal(d) * (rng.random(d) < 0.5)
    np.testing.assert_allclose(columns.combine(weights), Z @ weights, rtol=rtol, atol=rtol * d)
    few = columns.project(index, weights[index])
    np.testing.assert_allclose(few, Z[:, index] @ weights[index], rtol=rtol, atol=rtol * d)


@PER_LAYOUT
@PER_DTYPE
def test_layouts_and_types(layout, dtype):
    X = counts().astype(dtype)
    assert_matches(scale_columns(layout(X)), X.astype(np.float64))


@PER_LAYOUT
def test_columns_as_they_are(layout):
    X = counts().astype(np.float64)
    columns = wrap_columns(layout(X))
    before = X.copy()
    columns.take(np.arange(X.shape[1]))[:] = 0.0
    np.testing.assert_array_equal(columns.take(np.arange(X.shape[1])), before)
    np.testing.assert_array_equal(columns.price(np.ones(len(X))), X.sum(axis=0))


@PER_LAYOUT
@PER_DTYPE
def test_sample_weights(layout, dtype):
    X = counts().astype(dtype)
    weight = np.random.default_rng(2).uniform(0.1, 5.0, len(X))
    columns = scale_columns(layout(X), sample_weight=weight)
    assert_matches(columns, X.astype(np.float64), weight)


@PER_LAYOUT
def test_zero_weight_removes_a_sample(layout):
    X = counts()
    weight = np.ones(len(X))
    weight[:3] = 0.0
    mean, variance = weighted_moments(layout(X), weight)
    np.testing.assert_allclose(mean, X[3:].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(variance, X[3:].var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("layout", DENSE.values(), ids=DENSE)
def test_float32_is_accumulated_in_float64(layout):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((200, 40)) + 1000.0).astype(np.float32)
    assert_matches(scale_columns(layout(X)), X.astype(np.float64))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_read_only_memory_map(tmp_path, dtype, order):
    X = np.asarray(counts().astype(dtype), order=order)
    path = tmp_path / "X.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    columns = scale_columns(mapped)
    assert_matches(columns, X.astype(np.float64))
    assert type(columns.price(np.ones(len(X)))) is np.ndarray
    assert type(columns.take(np.array([1, 2]))) is np.ndarray


@PER_LAYOUT
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_one_block_and_a_little_more_or_less(layout, beyond):
    d = block_width(37) + beyond
    X = np.random.default_rng(4).integers(-9, 10, (37, d)).astype(np.float32)
    assert_matches(scale_columns(layout(X)), X.astype(np.float64))


@PER_LAYOUT
def test_one_column(layout):
    X = np.arange(37.0)[:, None]
    assert_matches(scale_columns(layout(X)), X)


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix])
def test_several_sparse_slabs(layout):
    X = sparse.random(1500, 900, density=0.4, random_state=5, format="csr")  # 540,000 values
    columns = scale_columns(layout(X))
    assert_matches(columns, X.toarray())


@PER_LAYOUT
@pytest.mark.parametrize("n", [3, 10, 100, 1000])
@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e9 + 0.1])
def test_constant_columns_are_exactly_zero(layout, n, value):
    X = np.random.default_rng(6).standard_normal((n, 3))
    X[:, 1] = value
    columns = scale_columns(layout(X))
    assert columns.inverse_scale[1] == 0.0
    assert columns.n_usable == 2
    np.testing.assert_array_equal(columns.take(np.array([1])), np.zeros((n, 1)))
    assert columns.price(np.random.default_rng(7).standard_normal(n))[1] == 0.0


@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, strided])
@pytest.mark.parametrize("weighted", [False, True])
def test_constant_float32_columns(layout, weighted):
    X = np.full((100, 4), [0.1, 1e9 + 0.1, 1e-30, 3.0], dtype=np.float32)
    weight = np.random.default_rng(8).random(100) if weighted else None
    assert scale_columns(layout(X), sample_weight=weight).n_usable == 0


@PER_LAYOUT
@pytest.mark.parametrize("offset", [1e3, 1e5, 1e8, -1e8])
def test_large_offsets(layout, offset):
    """Mean 1e8 and spread 1: sum(x^2) - n mean^2 would have no correct digit."""
    rng = np.random.default_rng(9)
    X = rng.standard_normal((60, 30)) + offset
    columns = scale_columns(layout(X))
    Z = standardise(X)
    rounding = 60 * np.finfo(float).eps * abs(offset)
    np.testing.assert_allclose(columns.inverse_scale, 1 / (X - offset).std(axis=0), rtol=1e-9)
    np.testing.assert_allclose(columns.take(np.arange(30)), Z, atol=rounding)
    v = rng.standard_normal(60)
    v -= v.mean()
    np.testing.assert_allclose(columns.price(v), v @ Z, atol=rounding)


def test_small_spread_is_not_mistaken_for_a_constant():
    X = np.full((50, 2), 1e8)
    X[::2, 1] += 1.0
    columns = scale_columns(X)
    assert columns.inverse_scale[0] == 0.0
    assert columns.inverse_scale[1] == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e30])
def test_small_and_large_units(size):
    X = size * np.random.default_rng(10).standard_normal((20, 6))
    np.testing.assert_allclose(scale_columns(X).take(np.arange(6)), standardise(X), atol=1e-12)


def test_squares_beyond_float32():
    X = np.full((4, 1), 3e38, dtype=np.float32)
    X[::2] = -3e38
    assert scale_columns(X).inverse_scale[0] == pytest.approx(1 / 3e38, rel=1e-6)


def test_one_scale_for_all_columns():
    """Mean variance one, and the ratios of the spreads are kept."""
    X = counts().astype(float)
    columns = scale_columns(X, per_column=False)
    usable = columns.inverse_scale > 0
    Z = columns.take(np.flatnonzero(usable))
    assert Z.var(axis=0).mean() == pytest.approx(1.0)
    assert len(np.unique(columns.inverse_scale[usable])) == 1
    assert not usable[5]


def test_one_scale_for_constant_columns_only():
    assert scale_columns(np.ones((4, 3)), per_column=False).n_usable == 0


def test_subset_is_standardised_once():
    X = counts().astype(float)
    columns = scale_columns(X)
    index = np.array([9, 5, 0, 30])
    part = columns.subset(index)
    np.testing.assert_array_equal(part.take(np.arange(4)), columns.take(index))
    v = np.random.default_rng(11).standard_normal(len(X))
    np.testing.assert_allclose(part.price(v), columns.price(v)[index], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["C", "F"])
@pytest.mark.parametrize("n_classes", [2, 3, 8])
def test_class_means_are_priced_without_a_pass(layout, n_classes, monkeypatch):
    rng = np.random.default_rng(n_classes)
    X = rng.standard_normal((40, 5000)) * 3.0 + 5.0  # more than one block of columns
    codes = rng.permutation(np.arange(40) % n_classes)
    columns, peer = scale_columns(layout(X), codes=codes), scale_columns(layout(X))
    np.testing.assert_allclose(columns.mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(columns.inverse_scale, 1.0 / X.std(axis=0), rtol=1e-12)
    of_class, other = rng.standard_normal(n_classes)[codes], rng.standard_normal(40)
    for v in (of_class, other):
        np.testing.assert_allclose(columns.price(v), peer.price(v), atol=1e-10)
    monkeypatch.setattr("fewest._solvers.columns.dense.DenseMatrix.products", None)
    columns.price(of_class)
    with pytest.raises(TypeError):  # a value of its own for each sample needs the pass
        columns.price(other)


@pytest.mark.parametrize("codes", [np.arange(40) % 9, 2 * (np.arange(40) % 2)])
def test_many_classes_or_empty_ones_are_left_alone(codes):
    X = np.random.default_rng(0).standard_normal((40, 20))
    columns = scale_columns(X, codes=codes)
    assert columns.class_means is None
    np.testing.assert_allclose(columns.mean, X.mean(axis=0), rtol=1e-12)


def test_class_means_know_no_other_kinds_of_data():
    X, codes = counts().astype(float), np.arange(37) % 2
    for data in (sparse.csr_matrix(X), X.astype(np.float32), strided(X)):
        assert scale_columns(data, codes=codes).class_means is None
    assert scale_columns(X, codes=codes, sample_weight=np.ones(37)).class_means is None


@PER_LAYOUT
@PER_DTYPE
def test_products(layout, dtype):
    X = counts().astype(dtype)
    v = np.random.default_rng(12).standard_normal(len(X))
    expected = v @ X.astype(np.float64)
    np.testing.assert_allclose(column_products(layout(X), v), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layout", DENSE.values(), ids=DENSE)
@PER_DTYPE
def test_dense_data_are_never_modified(layout, dtype):
    X = layout(counts().astype(dtype))
    X.flags.writeable = False
    before = X.copy()
    columns = scale_columns(X)
    columns.price(np.ones(len(X)))
    columns.take(np.array([0, 1]))[:] = 1.0  # the caller may write into its block
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("layout", SPARSE.values(), ids=SPARSE)
def test_sparse_data_are_never_modified(layout):
    X = layout(counts().astype(float))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    columns = scale_columns(X)
    columns.price(np.ones(X.shape[0]))
    columns.take(np.array([0, 1]))[:] = 1.0
    np.testing.assert_array_equal(X.toarray(), counts())


def peak_memory(X) -> int:
    v = np.random.default_rng(13).standard_normal(X.shape[0])
    with traced_memory() as memory:
        scale_columns(X).price(v)
    return memory.peak


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, strided])
def test_no_copy_of_dense_data(layout, dtype):
    for order in "CF":  # the compiler takes memory once
        sum_classes(np.ones((4, 4), order=order), np.zeros(4, dtype=np.intp), 1)
    X = layout(np.random.default_rng(14).standard_normal((100, 50_000)).astype(dtype))
    assert peak_memory(X) < 0.25 * X.nbytes


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix])
def test_no_dense_copy_of_sparse_data(layout):
    X = sparse.random(100, 200_000, density=0.01, random_state=15, format="csr")
    dense_bytes = 8 * X.shape[0] * X.shape[1]
    assert peak_memory(layout(X)) < 0.25 * dense_bytes


def peak_of_all_products(X) -> int:
    """Largest memory of moments, prices and a weighted sum, beyond X itself."""
    rng = np.random.default_rng(16)
    v, weights = rng.standard_normal(X.shape[0]), rng.standard_normal(X.shape[1])
    sample_weight = rng.random(X.shape[0])
    with traced_memory() as memory:
        columns = scale_columns(X)
        columns.price(v)
        columns.combine(weights)
        scale_columns(X, sample_weight=sample_weight)
    return memory.peak


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, strided])
def test_many_samples_are_never_widened_as_a_whole(layout, dtype):
    """Few columns of many samples: even one of them in float64 would be too much."""
    n, d = 300_000, 24
    X = layout((100 * np.random.default_rng(17).random((n, d))).astype(dtype))
    vectors = 5 * 8 * n  # weights of the samples, sums over columns, and the like
    assert peak_of_all_products(X) < vectors + 2e6 < 8 * n * d / 3


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("layout", SPARSE.values(), ids=SPARSE)
def test_sparse_values_are_never_widened_as_a_whole(layout, dtype):
    rng = np.random.default_rng(18)
    X = sparse.random(20_000, 500, density=0.2, random_state=18, format="csr")
    X.data = (100 * rng.random(X.nnz)).astype(dtype)
    X = layout(X)
    assert X.dtype == dtype
    assert peak_of_all_products(X) < 8 * X.nnz / 2


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_weighted_sums_of_columns_far_from_zero(layout, dtype):
    rng = np.random.default_rng(19)
    X = (rng.integers(-9, 10, (200, 30)) + 1e6 * (np.arange(30) % 3 == 0)).astype(dtype)
    columns = scale_columns(layout(X))
    weights = rng.standard_normal(30) * (rng.random(30) < 0.7)
    Z = X.astype(np.float64)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    np.testing.assert_allclose(columns.combine(weights), Z @ weights, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_tall_data_in_many_tiles(layout, dtype):
    rng = np.random.default_rng(20)
    X = (rng.integers(-99, 100, (9001, 33)) * (rng.random((9001, 33)) < 0.5)).astype(dtype)
    assert_matches(scale_columns(layout(X)), X.astype(np.float64), rtol=1e-9)
    weight = rng.random(len(X))
    columns = scale_columns(layout(X), sample_weight=weight)
    assert_matches(columns, X.astype(np.float64), weight, rtol=1e-9)
