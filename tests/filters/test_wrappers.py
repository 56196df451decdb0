"""Wrappers against brute force over all sets of features."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from fewest.datasets import make_gaussian
from fewest.filters import BestFirstSelector, sequential_selection

FOLDS = KFold(4)


def score(estimator, X, y, columns, **how):
    return cross_val_score(estimator, X[:, list(columns)], y, cv=FOLDS, **how).mean()


def climb(estimator, X, y, chosen, *, forward):
    """Greedy search as it is described: move to the best neighbour while that is better."""
    best = score(estimator, X, y, chosen) if chosen else -1.0
    while True:
        pool = [chosen | {j} if forward else chosen - {j} for j in range(X.shape[1])]
        pool = [one for one in pool if one != chosen and one]
        ranked = [(score(estimator, X, y, sorted(one)), -place) for place, one in enumerate(pool)]
        if not pool or max(ranked)[0] < best + (1e-9 if forward else -1e-9):
            return sorted(chosen)
        best, place = max(ranked)
        chosen = pool[-place]


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_greedy_search_stops_where_nothing_improves(direction):
    X, y = make_gaussian(n=48, d=6, k=2, mu=0.8, random_state=2)
    machine = LinearSVC(random_state=0)
    start = set() if direction == "forward" else set(range(6))
    expected = climb(machine, X, y, start, forward=direction == "forward")
    found = sequential_selection(machine, direction=direction, cv=FOLDS).fit(X, y)
    assert found.get_support(indices=True).tolist() == expected
    fixed = sequential_selection(direction=direction, n_features=4, cv=FOLDS).fit(X, y)
    assert fixed.get_support().sum() == 4


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.slow
def test_best_first_without_end_is_brute_force(direction):
    X, y = make_gaussian(n=40, d=5, k=2, mu=0.5, random_state=1)
    machine = LogisticRegression()
    sets = [one for size in range(1, 6) for one in combinations(range(5), size)]
    scores = {one: score(machine, X, y, one) for one in sets}
    best = min(sets, key=lambda one: (-round(scores[one], 9), len(one), one))
    found = BestFirstSelector(machine, direction=direction, patience=99, cv=FOLDS).fit(X, y)
    assert tuple(found.get_support(indices=True)) == best
    assert found.score_ == pytest.approx(scores[best])
    assert found.n_evaluated_ == 2**5


def crosswise(seed=0):
    """The label is the sign of a product, which neither factor shows alone; two weak features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 6))
    y = X[:, 0] * X[:, 1] > 0
    X[:, 2] += 0.3 * y
    return X, y


def test_best_first_gets_past_a_poor_start():
    X, y = crosswise()
    machine = KNeighborsClassifier(5)
    greedy = sequential_selection(machine, cv=FOLDS).fit(X, y).get_support(indices=True)
    found = BestFirstSelector(machine, cv=FOLDS).fit(X, y)
    assert found.get_support(indices=True).tolist() == [0, 1]
    assert greedy.tolist() != [0, 1]
    assert score(machine, X, y, greedy) < found.score_


@pytest.mark.slow
def test_patience_threads_scoring_and_sparse_data():
    X, y = make_gaussian(n=60, d=8, k=2, mu=1.0, random_state=0)
    how = {"cv": FOLDS, "scoring": "roc_auc"}
    found = BestFirstSelector(patience=2, **how).fit(X, y)
    again = BestFirstSelector(patience=2, n_jobs=2, **how).fit(sparse.csr_array(X), y)
    assert found.score_ == pytest.approx(again.score_)
    np.testing.assert_array_equal(found.support_, again.support_)
    machine, columns = LinearSVC(random_state=0), found.get_support(indices=True)
    assert found.score_ == pytest.approx(score(machine, X, y, columns, scoring="roc_auc"))
    longer = BestFirstSelector(patience=4, **how).fit(X, y)
    assert longer.n_iter_ > found.n_iter_
    assert longer.score_ >= found.score_


def test_groups_stay_together():
    """Twins of random classes: the nearest neighbour knows them unless they are left out too."""
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.standard_normal((40, 2)), 2, axis=0), np.repeat(rng.permutation(40) % 2, 2)
    order = rng.permutation(80)
    X, y, groups = X[order], y[order], np.repeat(np.arange(40), 2)[order]
    machine = KNeighborsClassifier(1)
    assert BestFirstSelector(machine).fit(X, y).score_ > 0.7
    assert BestFirstSelector(machine).fit(X, y, groups=groups).score_ < 0.65
    with pytest.raises(ValueError, match="groups"):
        BestFirstSelector(machine).fit(X, y, groups=groups[:3])


def test_bad_input():
    X, y = make_gaussian(n=20, d=3, k=1, mu=1.0, random_state=0)
    with pytest.raises(ValueError, match="direction must be one of 'forward', 'backward'"):
        BestFirstSelector(direction="sideways").fit(X, y)
    with pytest.raises(ValueError, match="direction must be one of 'forward', 'backward'"):
        sequential_selection(direction="sideways")
    with pytest.raises(ValueError, match="patience must be a whole number"):
        BestFirstSelector(patience=0).fit(X, y)
