"""Values near the smallest doubles: the same answers as for ordinary ones, in little memory."""

import subprocess
import sys

import numpy as np
import pytest

from fewest import SupportFeatureMachine, decide_separability, error_front, minimum_features
from fewest.exceptions import NotSeparableError
from fuzzing.oracles.fractions import separates_all
from fuzzing.oracles.subsets import brute_force

TINY = 5e-324  # the smallest double

# Every search, on 2 to 4 classes, with less memory than was once asked for at once.
_LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np
from fewest import error_front, minimum_features, near_optimal_sets
for n_classes in (3, 2, 4):
    rng = np.random.default_rng([3, 4])
    X = rng.integers(-3, 4, (9, 5))
    y = rng.permutation(np.arange(9) % n_classes)
    prices = {"feature_cost": [1.0, 2.0, 1.0, 3.0, 1.0]}
    for asked in (
        {"n_solutions": None},
        {"max_errors": 1},
        {"include": [0], **prices},
        {"max_errors": 1, "exclude": [1], **prices},
        {"feature_groups": [0, 0, 1, 1, 2], "one_per_group": True},
    ):
        found = minimum_features(X * 5e-324, y, **asked)
        plain = minimum_features(X.astype(float), y, **asked)
        assert found.certified and found.size == plain.size, (n_classes, asked)
        assert getattr(found, "price", None) == getattr(plain, "price", None), (n_classes, asked)
        assert found.n_found == plain.n_found, (n_classes, asked)
        assert found.verify(X * 5e-324, y, search=True), (n_classes, asked)
    for asked in ({}, prices):
        found = near_optimal_sets(X * 5e-324, y, **asked)
        plain = near_optimal_sets(X.astype(float), y, **asked)
        assert found.complete and len(found.subsets) == len(plain.subsets), (n_classes, asked)
        found = error_front(X * 5e-324, y, max_features=2, **asked)
        plain = error_front(X.astype(float), y, max_features=2, **asked)
        assert found.errors.tolist() == plain.errors.tolist(), (n_classes, asked)
        assert found.verify(X * 5e-324, y, search=True), (n_classes, asked)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory cannot be limited there")
def test_searches_among_the_smallest_doubles_take_little_memory():
    subprocess.run([sys.executable, "-c", _LIMITED], check=True, timeout=120)


@pytest.mark.parametrize("seed", range(6))
def test_tiny_values_have_the_minimum_sets_and_margins_of_ordinary_ones(seed):
    rng = np.random.default_rng([32, seed])
    X, y = rng.integers(-3, 4, (10, 5)).astype(float), rng.permutation(np.arange(10) % 3)
    size, subsets = brute_force(X, y, separates_all)
    found = minimum_features(X * TINY, y, n_solutions=None)
    plain = minimum_features(X, y, n_solutions=None)
    assert found.certified
    assert found.size == size
    assert sorted(tuple(one.tolist()) for one in found.subsets) == subsets
    assert found.verify(X * TINY, y, search=True)
    np.testing.assert_allclose(np.sort(found.margins), np.sort(plain.margins), rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_values_from_1e_310_to_1e100_in_one_column(seed):
    rng = np.random.default_rng([33, seed])
    X, y = rng.integers(-2, 3, (9, 4)).astype(float), rng.permutation(np.arange(9) % 3)
    X = np.clip(np.ldexp(X, rng.choice([-1074, -600, 0, 300], X.shape)), -1e100, 1e100)
    size, subsets = brute_force(X, y, separates_all)
    found = minimum_features(X, y, n_solutions=None)
    assert found.certified
    assert found.size == size
    assert sorted(tuple(one.tolist()) for one in found.subsets) == subsets


@pytest.mark.parametrize("seed", [16, 29, 74, 112])
def test_columns_of_very_different_sizes_are_verified_and_measured(seed):
    """Margins that no solver can compute are zero; no pair is lost to rounding."""
    rng = np.random.default_rng([35, seed])
    X = rng.integers(-3, 4, (13, 5)).astype(float)
    X = np.ldexp(X, rng.integers(-1074, -1000, X.shape))
    y = rng.permutation(np.arange(13) % 3)
    size, subsets = brute_force(X, y, separates_all)
    found = minimum_features(X, y, n_solutions=None)
    assert found.certified
    assert found.size == size
    assert sorted(tuple(one.tolist()) for one in found.subsets) == subsets
    assert found.verify(X, y, search=True)


# Values 20 orders of magnitude apart in one column: the simplex method goes round in circles.
_ENDLESS = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
import numpy as np
from fewest import decide_separability, minimum_features
X = np.array([
    [-2.716154612436e-312, -1.012e-320, -6.2167845e-317],
    [-2e-323, 2.590327e-318, -2.1873366058669192e-303],
    [-2.916448807822559e-303, 1.69759663277e-312, 2.53e-321],
    [-2.5e-323, -0.0, 3.88549e-318],
    [-5.21501685587625e-310, -1.2e-322, -1.73833895195875e-310],
    [1.594932941777962e-304, 3.266422664761266e-301, -4.345847379897e-311],
    [7.120236347223045e-307, 6.675221575521604e-308, 6e-323],
    [-1.0936683029334596e-303, 1.3350443151043208e-307, 6.3e-322],
    [-5.562684646268003e-309, 5.696189077778436e-306, 6.953355807835e-310],
    [2.65249474e-315, 0.0, 2.037115959327e-312],
    [-9.5489810593e-314, -2e-323, -5.832897615645118e-303],
    [-4.6663180925160944e-302, -8.148463837307e-312, -2.42843e-319],
])
y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
answer = decide_separability(X, y)
found = minimum_features(X, y)
assert answer.proven and found.certified and bool(answer) == (found.size is not None)
assert found.verify(X, y, search=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="time of the processor cannot be limited there")
def test_programs_of_tiny_values_come_to_an_end():
    subprocess.run([sys.executable, "-c", _ENDLESS], check=True, timeout=120)


def test_the_front_and_separability_of_tiny_values():
    rng = np.random.default_rng(34)
    X = rng.integers(-3, 4, (14, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(-2, 3, 14) > 0).astype(int)
    front, plain = (error_front(values, y, max_features=3) for values in (X * TINY, X))
    assert front.proven
    assert front.errors.tolist() == plain.errors.tolist()
    answer = decide_separability(X * TINY, X[:, 0] + 2 * X[:, 2] > 0)
    assert answer
    assert answer.proven


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("spread", "offset"), [(1e-200, 0.0), (2.0, 1e16)])
def test_machines_prove_nothing_of_columns_that_only_look_constant(n_classes, spread, offset):
    """The first column separates, but squares of its differences are lost; the other is noise."""
    rng, y = np.random.default_rng(0), np.arange(24) % n_classes
    X = np.column_stack([offset + spread * y, rng.standard_normal((24, 1))])
    hard = SupportFeatureMachine(C=np.inf)
    with pytest.raises(NotSeparableError, match="nor a proof"):
        hard.fit(X, y)
    with pytest.raises(NotSeparableError, match="proven"):
        hard.fit(np.column_stack([np.full(24, offset), X[:, 1]]), y)
