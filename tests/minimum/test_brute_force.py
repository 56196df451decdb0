"""The whole answer against brute force over all subsets, and every certificate against an LP."""

from collections import Counter

import numpy as np
import pytest

from fewest import minimum_features
from fuzzing.oracles.subsets import brute_force, margin_by_lp, random_problem, separable_by_lp

SEEDS = 25
FURTHER = [pytest.param(first, marks=pytest.mark.slow) for first in range(SEEDS, 22 * SEEDS, SEEDS)]


@pytest.mark.parametrize("first", [0, *FURTHER])
def test_equals_brute_force(first):
    sizes, n_tied, n_leaves = Counter(), 0, 0
    for seed in range(first, first + SEEDS):
        X, y = random_problem(seed)
        size, subsets = brute_force(X, y)
        result = minimum_features(X, y, n_solutions=None)
        assert result.size == size, seed
        assert result.certified, seed
        assert result.lower_bound == (X.shape[1] + 1 if size is None else size), seed
        assert sorted(tuple(subset) for subset in result.subsets) == subsets, seed
        assert result.n_found == len(subsets), seed
        assert result.verify(X, y, search=True), seed
        for subset in result.subsets:
            assert separable_by_lp(X[:, subset], y), seed
        for leaf in result.ruled_out:
            assert margin_by_lp(X[:, leaf.columns], y) < 1e-9, seed
        sizes[size] += 1
        n_tied += bool(np.all(np.rint(X) == X))
        n_leaves += len(result.ruled_out)
    if first == 0:  # The comparison is worth little if all problems are of one kind.
        assert min(sizes[None], sizes[1], sizes[2], sizes[3]) >= 2
        assert sum(sizes[size] for size in range(4, 8)) >= 1  # larger sets are rare
        assert n_tied >= 10
        assert n_leaves >= 20
