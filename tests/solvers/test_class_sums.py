"""Sums over classes in one compiled sweep, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._solvers import columns
from fewest._solvers.class_sums import sum_classes
from fewest._solvers.columns import dense


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_classes", [1, 2, 5])
@pytest.mark.parametrize("shape", [(7, 1), (23, 513), (40, 1200)])
def test_sums_and_squares(shape, n_classes, order):
    rng = np.random.default_rng(shape[1] + n_classes)
    X = np.asarray(rng.standard_normal(shape) + 3.0, order=order)
    codes = rng.integers(0, n_classes, shape[0])
    sums, squares = sum_classes(X, codes, n_classes)
    expected = [X[codes == code].sum(axis=0) for code in range(n_classes)]
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    np.testing.assert_allclose(squares, (X**2).sum(axis=0), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow")
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_data_are_scaled_like_small_data(order, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal((30, 600)) + 1e3, order=order)
    X[:, 7], X[3, 11], X[4, 12], X[5, 13] = 4.25, np.nan, np.inf, 1e200
    codes = np.arange(30) % 3
    small = columns.scale_columns(X, codes=codes)
    monkeypatch.setattr(dense, "_WORTH_COMPILING", 0)
    large = columns.scale_columns(X, codes=codes)
    np.testing.assert_allclose(large.inverse_scale, small.inverse_scale, rtol=1e-9)
    assert large.inverse_scale[7] == 0.0
    assert np.all(np.isnan(large.inverse_scale[[11, 12, 13]]))
    of_both = [one.class_means.values[:, ~np.isnan(one.inverse_scale)] for one in (large, small)]
    np.testing.assert_allclose(*of_both, rtol=1e-12)
