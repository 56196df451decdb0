"""A matrix on a device does what one in memory does, and so do problems that advance together."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._solvers.columns import Columns, scale_columns
from fewest._solvers.columns.dense import DenseMatrix
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.many import device, device_prices
from fewest._solvers.many.advance import solve_together
from fewest._solvers.many.arrays import is_device_array
from fewest._solvers.many.crew import Crew
from fewest._solvers.many.device import DeviceMatrix
from fewest._solvers.many.supply import supply_prices
from fewest._solvers.problem import support_feature_machine
from tests.devices import LIBRARIES, put
from tests.fuzzing import many
from tests.solvers.many.test_together import draw_problem, solve_all


@pytest.fixture(params=LIBRARIES)
def library(request):
    put(request.param, np.zeros((1, 1)))
    return request.param


def solve_on_device(X, labels, **settings):
    columns = scale_columns(DeviceMatrix(X))
    with Crew(1) as crew:
        prices = supply_prices(columns, crew)
        return list(solve_together(prices, labels, crew, **settings)), prices


def assert_same(wanted, found):
    for one, other in zip(wanted, found, strict=True):
        assert (one is None) == (other is None)
        if one is None:
            continue
        np.testing.assert_array_equal(one.features, other.features)
        np.testing.assert_allclose(one.w, other.w, rtol=1e-6, atol=1e-10)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)
        assert other.gap <= 1e-7


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(many(24)))
def test_outcomes_equal_those_in_memory(library, seed):
    X, labels = draw_problem(seed)
    X = X.astype([np.float64, np.float32][seed // 2 % 2])
    found, _ = solve_on_device(put(library, X), labels)
    assert_same(solve_all(X, labels), found)


def test_blocks_do_not_matter(library, monkeypatch):
    """Blocks narrower than the columns, groups of neighbours, and parts that travel."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 1100)).astype(np.float32)
    labels = [rng.permutation(np.where(np.arange(20) % 2, 1.0, -1.0)) for _ in range(5)]
    labels.append(np.where(np.arange(20) < 4, 0.0, labels[0]))
    monkeypatch.setattr(device, "_BLOCK_BYTES", 8 * 20 * 300)
    monkeypatch.setattr(device_prices, "_FETCHED", 8 * 20 * 7)
    found, prices = solve_on_device(put(library, X), labels)
    assert_same(solve_all(X, labels), found)
    assert prices.seconds > 0.0


def test_many_violated_columns_join_in_turn(library, monkeypatch):
    """Where far too few columns are there at the start, the largest prices come first."""
    monkeypatch.setattr("fewest._solvers.many.problem.One.batch", 3)
    monkeypatch.setattr("fewest._solvers.many.problem.One.most_joining", 4)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((24, 400))
    labels = [rng.permutation(np.where(np.arange(24) % 2, 1.0, -1.0)) for _ in range(4)]
    wanted = solve_all(X, labels)
    found, _ = solve_on_device(put(library, X), labels)
    for one, other in zip(wanted, found, strict=True):
        if one is not None and other is not None:
            np.testing.assert_array_equal(one.features, other.features)
    assert any(outcome is not None for outcome in found)


def test_too_little_memory_makes_blocks_smaller(monkeypatch):
    X = put("array_api_strict", np.random.default_rng(0).standard_normal((10, 2000)))
    matrix, tried = DeviceMatrix(X), []

    def work():
        tried.append(matrix.block_width(1 << 16))
        if tried[-1] > 300:
            raise RuntimeError("CUDA out of memory")
        return "done"

    assert matrix.with_less_memory(work) == "done"
    assert tried == sorted(tried, reverse=True)
    assert len(tried) > 1
    with pytest.raises(RuntimeError, match="something else"):
        matrix.with_less_memory(lambda: (_ for _ in ()).throw(RuntimeError("something else")))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_the_matrix_answers_as_one_in_memory(library, dtype):
    rng = np.random.default_rng(2)
    X = (10 * rng.standard_normal((15, 40)) + 3).astype(dtype)
    X[:, 7] = 5
    there, here = DeviceMatrix(put(library, X)), DenseMatrix(X)
    weight = rng.random(15)
    for given in (None, weight):
        one, other = there.moments(given), here.moments(given)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
        np.testing.assert_allclose(one.variance, other.variance, rtol=1e-10)
        assert one.variance[7] == 0.0
    v, V, index = rng.standard_normal(15), rng.standard_normal((15, 3)), np.array([3, 0, 11])
    np.testing.assert_allclose(there.products(v), here.products(v), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(there.products(V), here.products(V), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(there.take(index), here.take(index))
    rows = np.array([4, 2])
    np.testing.assert_array_equal(there.take_rows(rows, index), here.take_rows(rows, index))
    np.testing.assert_array_equal(there[rows][:, index], X[rows][:, index])
    np.testing.assert_array_equal(there.keep(index).take(np.arange(3)), X[:, index])
    weights = rng.standard_normal(40)
    one, other = (Columns(m, X.mean(axis=0), np.ones(40)).combine(weights) for m in (there, here))
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-9)
    assert len(there) == 15


def test_a_single_program_on_a_device(library):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((20, 100)), np.where(np.arange(20) % 2, 1.0, -1.0)
    problem = support_feature_machine(y)
    there = minimize_zero_norm(problem, scale_columns(DeviceMatrix(put(library, X))))
    here = minimize_zero_norm(problem, scale_columns(X))
    np.testing.assert_array_equal(there.features, here.features)


def test_bad_values_are_named(library):
    X = np.ones((5, 30))
    X[2, 17] = np.nan
    with pytest.raises(ValueError, match="column 17 of X on the device contains NaN"):
        DeviceMatrix(put(library, X)).moments()


def test_what_is_no_device_array():
    assert not is_device_array(np.zeros((2, 2)))
    assert not is_device_array([[1.0]])
    with pytest.raises(ValueError, match="values of type complex128"):
        DeviceMatrix(put("array_api_strict", np.ones((2, 2), dtype=complex)))
    with pytest.raises(ValueError, match="copy it there first"):
        np.asarray(DeviceMatrix(put("array_api_strict", np.ones((2, 2)))))
