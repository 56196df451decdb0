"""Theorem 1 of Klement et al. (2013), as it is printed and against the whole linear program."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from fewest import NotSeparableError, SupportFeatureMachine, ZeroNormSVM
from fewest.datasets import make_gaussian
from fewest.diagnostics import one_norm_condition, simulate_one_norm_condition

K = 3
# Samples, features and mu: few other features, many of them, and many with few samples.
CASES = [(30, 5, 1.5), (30, 4, 3.0), (30, 8, 0.5), (30, 200, 0.7), (10, 100, 0.5), (8, 300, 0.5)]


def solve_program(Z, program):
    """Smallest one-norm with Z w >= 1, or Z w >= 0 and mean(Z) w = 1; rows of Z are samples."""
    n, d = Z.shape
    rows = -np.hstack([Z, -Z])
    equality = {}
    if program == "sfm":
        mean = Z.mean(axis=0)
        equality = {"A_eq": np.concatenate([mean, -mean])[None], "b_eq": [1.0]}
    limit = np.full(n, -1.0 if program == "zero_norm" else 0.0)
    found = linprog(np.ones(2 * d), rows, limit, **equality)
    return None if found.status else found.x[:d] - found.x[d:]


def printed_condition(Z, program):
    """The norm of the theorem, for the solution in the first K features."""
    w = solve_program(Z[:, :K], program)
    Z = Z.copy()
    Z[:, :K] *= np.where(w < 0, -1.0, 1.0)  # "otherwise, we invert the input dimension"
    limit = 1.0 if program == "zero_norm" else 0.0
    active = Z[np.abs(Z[:, :K] @ np.abs(w) - limit) < 1e-9].T
    if program == "sfm":
        active = np.column_stack([active, Z.mean(axis=0)])
    used = np.zeros(len(active), dtype=bool)
    used[:K] = np.abs(w) > 1e-9
    Z1, Z2 = active[used], active[~used]
    assert Z1.shape[0] == Z1.shape[1]  # lemma: as many active constraints as features
    return np.abs(Z2 @ Z1.T @ np.linalg.inv(Z1 @ Z1.T) @ np.ones(len(Z1))).max()


@pytest.mark.parametrize("program", ["sfm", "zero_norm"])
def test_equals_the_printed_formula(program):
    held = []
    for seed, (n, d, mu) in enumerate(CASES):
        X, y = make_gaussian(n, d, K, mu, separable=True, random_state=seed)
        X[:, 1] *= -1.0
        found = one_norm_condition(
            X, y, range(K), program=program, intercept=False, standardize=False
        )
        assert found.largest == pytest.approx(printed_condition(y[:, None] * X, program), rel=1e-6)
        whole = solve_program(y[:, None] * X, program)
        assert found.holds == (set(np.flatnonzero(np.abs(whole) > 1e-9)) == set(found.features))
        if found.holds and program == "zero_norm":
            np.testing.assert_allclose(found.weights, whole[found.features], rtol=1e-6)
        held.append(found.holds)
    assert any(held)
    assert not all(held)


@pytest.mark.parametrize(
    ("program", "machine"), [("sfm", SupportFeatureMachine), ("zero_norm", ZeroNormSVM)]
)
def test_says_what_the_first_program_finds(program, machine):
    """With a bias and standardised columns, as the machines do it."""
    held = []
    for seed, (n, d, mu) in enumerate(CASES):
        X, y = make_gaussian(n, d, K, mu, separable=True, random_state=seed)
        found = one_norm_condition(sparse.csr_array(X), y, np.arange(d) < K, program=program)
        first = machine(C=np.inf).fit(X, y).result_.steps[0]
        assert found.holds == np.array_equal(first.features, found.features)
        held.append(found.holds)
    assert any(held)
    assert not all(held)


def test_copy_of_a_feature_is_no_unique_solution():
    X, y = make_gaussian(60, 4, K, 1.0, separable=True, random_state=0)
    assert one_norm_condition(X, y, range(K)).holds
    found = one_norm_condition(np.column_stack([X, X[:, 0]]), y, range(K))
    assert found.largest == pytest.approx(1.0)
    assert not found.holds
    alone = one_norm_condition(X[:, :K], y, range(K))
    assert alone.holds
    assert alone.largest == 0.0


def test_simulation_sides_with_the_approximation():
    found = simulate_one_norm_condition(60, 40, 3, 0.8, n_runs=30, random_state=0)
    assert found.share["sfm"] > 0.9 > 0.3 > found.share["zero_norm"]
    assert found.predicted["sfm"] > 0.9 > 0.3 > found.predicted["zero_norm"]
    assert found.n_runs == 30
    alone = simulate_one_norm_condition(20, 2, 2, 1.0, n_runs=5, random_state=0)
    assert alone.share == alone.predicted == {"sfm": 1.0, "zero_norm": 1.0}


def test_bad_input():
    X, y = make_gaussian(30, 10, K, 0.2, random_state=0)
    with pytest.raises(NotSeparableError, match=r"the 2 feature\(s\) given do not separate"):
        one_norm_condition(X, y, [0, 1])
    for wrong in ([], [10], [-1], [0.5], np.zeros(10, dtype=bool), [True]):
        with pytest.raises(ValueError, match="features must be one or more column numbers"):
            one_norm_condition(X, y, wrong)
    with pytest.raises(ValueError, match="program must be one of 'sfm', 'zero_norm'"):
        one_norm_condition(X, y, [0], program="weston")
