"""`decide_separability` against non-negative least squares, linear programs and hand-made cases."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from fewest import decide_separability
from tests.significance.half_space import in_half_space


def thesis_program(X, y, intercept):
    """Smallest xi with y_i (w . x_i + b) + xi >= 1: zero for separable classes only."""
    block = np.column_stack([X, np.ones(len(X))]) if intercept else X
    rows = np.column_stack([-y[:, None] * block, -np.ones(len(X))])
    cost = np.zeros(rows.shape[1])
    cost[-1] = 1.0
    bounds = [(None, None)] * (rows.shape[1] - 1) + [(0, None)]
    return linprog(cost, rows, -np.ones(len(X)), bounds=bounds).fun < 1e-7


@pytest.mark.parametrize("intercept", [True, False])
def test_random_data(intercept):
    rng = np.random.default_rng(0)
    answers = []
    for n, d in [(6, 3), (9, 4), (12, 5), (20, 3), (10, 30)]:
        for _ in range(8):
            X, y = rng.standard_normal((n, d)), np.where(np.arange(n) % 2, 1.0, -1.0)
            found = decide_separability(X, y, intercept=intercept)
            block = np.column_stack([X, np.ones(n)]) if intercept else X
            assert found.separable == thesis_program(X, y, intercept)
            assert found.separable == in_half_space(y[:, None] * block)
            assert found.proven
            assert found.verify(X, y)
            assert not found.verify(X, -y) or not found.separable
            answers.append(found.separable)
    assert 5 < sum(answers) < len(answers) - 5


@pytest.mark.parametrize("intercept", [True, False])
def test_every_labelling_of_a_grid(intercept):
    """Small whole numbers: samples on the hyperplane, duplicates, every degenerate case."""
    X = np.array(list(product([-1.0, 0.0, 1.0], repeat=2)))[[0, 1, 2, 3, 5, 7]]
    for code in range(1, 63):
        y = np.where((code >> np.arange(6)) & 1, 1.0, -1.0)
        found = decide_separability(X, y, intercept=intercept)
        block = np.column_stack([X, np.ones(6)]) if intercept else X
        assert found.separable == in_half_space(y[:, None] * block)
        assert found.verify(X, y)


def test_classes_that_touch_or_nearly_do():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    touching = decide_separability(X, y)
    assert not touching
    assert touching.samples == (1, 2)
    X[2] = np.nextafter(1.0, 2.0)
    apart = decide_separability(X, y)
    assert apart
    assert apart.proven
    assert apart.verify(X, y)


def test_through_the_origin_is_harder():
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    assert decide_separability(X, y)
    found = decide_separability(X, y, intercept=False)
    assert not found
    assert found.verify(X, y)
    assert dict(zip(found.samples, found.shares, strict=True)) == {0: 2, 1: 1}


def test_proof_that_was_tampered_with():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    found = decide_separability(X, y)
    assert found.verify(X, y)
    moved = X.copy()
    moved[0, 0] = 0.1
    assert not found.verify(moved, y)
    assert not found.verify(X[:3], y[:3])


def test_too_large_for_a_proof():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 100)), np.arange(400) % 2
    found = decide_separability(X, y)
    assert not found.separable
    assert not found.proven
    assert not found.verify(X, y)
    assert str(found).endswith("(not proven: too large for whole numbers).")


def test_wide_sparse_data_and_words():
    X = sparse.random(30, 2000, density=0.1, random_state=0, format="csr")
    y = np.arange(30) % 2
    found = decide_separability(X, y)
    assert found.verify(X, y)
    assert str(found).startswith("A hyperplane separates the classes (proven by one on ")
    assert str(decide_separability([[1.0], [2.0]], [0, 1], intercept=False)) == (
        "No hyperplane through the origin separates the classes (proven by 2 samples)."
    )


def test_bad_input():
    with pytest.raises(ValueError, match="decide_separability needs samples of at least two"):
        decide_separability([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="intercept must be True or False"):
        decide_separability([[1.0], [2.0]], [0, 1], intercept="no")
