"""Searches that end before they are done claim what they know, and no more."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from fewest import decide_separability, error_front, minimum_features, near_optimal_sets
from fewest._solvers.linear.master import TimeIsUpError
from fewest.cli._near_text import near_text
from fewest.minimum import _errors_general, _features
from fewest.minimum._clock import Clock
from fewest.minimum._errors_search import ErrorSearch
from fewest.report._data import Data
from fewest.report._trust import describe_near_optimal


def test_sets_with_parts_that_separate_are_not_said_to_have_none():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 300))
    y = (X[:, :8] @ rng.standard_normal(8) > 0).astype(int)
    found = near_optimal_sets(X, y, max_seconds=1e-3)
    assert not found.minimum.certified
    columns = found.subsets[0].tolist() if found.subsets else []
    parts = [[one for one in columns if one != left] for left in columns]
    assert any(decide_separability(X[:, part], y) for part in parts) or not columns
    assert "none contains" not in str(found)
    shown = near_text(describe_near_optimal(found, Data(X, y)), has_prices=False)
    assert "no part" not in shown
    assert found.verify(X, y)


@pytest.mark.parametrize("rules", [{}, {"exclude": [3]}, {"feature_cost": {0: 2.0}}])
def test_a_front_that_ended_before_equal_samples_were_counted_verifies(rules):
    X = np.random.default_rng(0).standard_normal((12, 5))
    X[1], y = X[0], np.arange(12) % 2
    counted = error_front(X, y, max_features=1, **rules)
    counts = (_errors_general, "compare_samples") if rules else (ErrorSearch, "_prepare")
    with patch.object(*counts, side_effect=TimeIsUpError):
        found = error_front(X, y, **rules)
    assert (found.proven, found.floor, counted.floor) == (False, 0, 1)
    assert found.verify(X, y)
    assert not counted.proven or not replace(counted, floor=0).verify(X, y)


# Three classes, columns 2 and 3 equal, and two samples of classes 0 and 2 that nothing separates.
CROWDED = np.array(
    [[0, 2, 1, 1], [0, 0, 1, 1], [0, 0, -2, -2], [0, 3, -1, -1], [0, 1, 0, 0], [0, 4, 2, 2]]
)
LABELS = [2, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("looks", range(1, 12))
@pytest.mark.parametrize("rules", [{"exclude": [1, 2]}, {"include": [0], "exclude": [1]}])
@pytest.mark.parametrize("prices", [None, [1.0, 1.0, 5.0, 7.0]])
def test_that_no_set_exists_is_only_certified_with_a_proof(looks, rules, prices):
    with patch.object(_features, "Clock", lambda *_, **__: Clock(most_looks=looks)):
        found = minimum_features(CROWDED / 10, LABELS, feature_cost=prices, **rules)
    assert found.verify(CROWDED / 10, LABELS)
    if found.certified:
        assert len(found.inseparable)
        assert found.verify(CROWDED / 10, LABELS, search=True)
