"""The fewest errors of thresholds on one column, against all intervals of all classes."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest

from fewest.minimum._line import count_line_errors, find_line_errors


def count_by_force(x, y, n_classes):
    values, best = np.unique(x), 0
    for n_intervals in range(1, n_classes + 1):
        for labels in permutations(range(n_classes), n_intervals):
            for cuts in combinations(range(len(values) + 1), n_intervals - 1):
                label_of = np.array(labels)[np.searchsorted(cuts, range(len(values)), side="right")]
                best = max(best, int(np.sum(label_of[np.searchsorted(values, x)] == y)))
    return len(x) - best


@pytest.mark.parametrize("seed", range(60))
def test_errors_are_the_fewest(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    n = int(rng.integers(n_classes, 9))
    x, y = rng.integers(0, rng.integers(2, 8), n).astype(float), rng.integers(0, n_classes, n)
    fewest = count_by_force(x, y, n_classes)
    assert count_line_errors(x, y, n_classes) == fewest
    wrong = find_line_errors(x, y, n_classes)
    assert len(wrong) == fewest
    ranges = [
        (own.min(), own.max())
        for label in range(n_classes)
        if len(own := np.delete(x, wrong)[np.delete(y, wrong) == label])
    ]
    assert all(one[1] < other[0] for one, other in pairwise(sorted(ranges)))


def test_samples_before_the_first_interval_belong_to_it():
    x, y = np.arange(6.0), np.array([2, 0, 0, 0, 1, 1])
    assert count_line_errors(x, y, 3) == 0
    assert find_line_errors(x, np.array([1, 0, 0, 0, 1, 1]), 2).tolist() == [0]
