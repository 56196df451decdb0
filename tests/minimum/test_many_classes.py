"""More than two classes: every pair of them separated, against brute force and by hand."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from fewest import minimum_features
from fewest.minimum._bits import SignedBits
from fewest.minimum._claims import measure_set
from fewest.minimum._leaves import as_integers, decide
from fewest.minimum._pairs import scan_pairs
from fuzzing.oracles.subsets import brute_force, inseparable_pairs, random_classes

SEEDS = 30
FURTHER = [pytest.param(first, marks=pytest.mark.slow) for first in range(SEEDS, 15 * SEEDS, SEEDS)]


def sets(result):
    return sorted(tuple(subset.tolist()) for subset in result.subsets)


@pytest.mark.parametrize("first", [0, *FURTHER])
def test_equals_brute_force(first):
    sizes, n_classes, n_tied = Counter(), Counter(), 0
    for seed in range(first, first + SEEDS):
        X, y = random_classes(seed)
        size, subsets = brute_force(X, y)
        result = minimum_features(X, y, n_solutions=None)
        assert result.size == size, seed
        assert result.certified, seed
        assert result.lower_bound == (X.shape[1] + 1 if size is None else size), seed
        assert sets(result) == subsets, seed
        assert result.n_found == len(subsets), seed
        assert result.complete or size is None, seed
        pairs = inseparable_pairs(X, y)
        assert [tuple(pair) for pair in result.inseparable.tolist()] == pairs, seed
        assert result.verify(X, y, search=True), seed
        sizes[size] += 1
        n_classes[len(set(y.tolist()))] += 1
        n_tied += bool(np.all(np.rint(X) == X))
    # The comparison is worth little if all data sets are of one kind.
    assert min(sizes[None], sizes[2], sizes[3]) >= 2
    assert min(n_classes[3], n_classes[4], n_tied) >= 5


def inseparable_in_fractions(X, y):
    """The same pairs by the simplex method in fractions, which knows no tolerance."""
    found = []
    for first, second in combinations(sorted(set(y.tolist())), 2):
        rows = (y == first) | (y == second)
        if not decide(as_integers(X[rows]), np.where(y[rows] == second, 1.0, -1.0))[0]:
            found.append((first, second))
    return found


def test_touching_classes_in_tenths():
    """Every labelling of tenths on a line and of a small square: touching classes count as such."""
    X = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1], [0.1, 0.1], [0.3, 0.3]])
    n_none = 0
    for labels in product(range(3), repeat=5):
        y = np.array(labels)
        if len(set(labels)) < 3:
            continue
        result = minimum_features(X, y, n_solutions=None)
        wanted = inseparable_in_fractions(X, y)
        assert [tuple(pair) for pair in result.inseparable.tolist()] == wanted
        assert (result.size is None) == bool(wanted)
        assert result.verify(X, y, search=True)
        singles = [j for j in (0, 1) if not inseparable_in_fractions(X[:, [j]], y)]
        if not wanted:
            assert sets(result) == ([(j,) for j in singles] or [(0, 1)])
        n_none += bool(wanted)
    assert n_none > 10


def corners(n=60, d=40, seed=0):
    """Four classes by the signs of two sums of two columns each."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    y = 2 * (X[:, 3] + X[:, 8] > 0) + (X[:, 8] - X[:, 20] > 0)
    return X, np.array(["a", "b", "c", "d"])[y]


def test_a_panel_that_no_pair_of_classes_needs():
    """Two columns separate any two of the classes; all of them together take three."""
    X, y = corners()
    result = minimum_features(X, y)
    assert (result.size, result.lower_bound, result.certified) == (3, 3, True)
    assert sets(result) == [(3, 8, 20)]
    alone = []
    for pair in combinations("abcd", 2):
        rows = np.isin(y, pair)
        alone.append(minimum_features(X[rows], y[rows]).size)
    assert alone == [2] * 6
    assert result.verify(X, y, search=True)
    assert len(result.separations[0].weights) == 6
    assert not result.verify(X, np.where(y == "a", "b", y))
    assert not result.verify(X, np.roll(y, 1))


def test_the_order_and_names_of_classes_do_not_matter():
    X, y = corners()
    wanted = minimum_features(X, y, n_solutions=None)
    renamed = np.array([{"a": 7, "b": -1, "c": 3, "d": 0}[label] for label in y])
    assert sets(minimum_features(X, renamed, n_solutions=None)) == sets(wanted)
    order = np.random.default_rng(1).permutation(len(y))
    assert sets(minimum_features(X[order], y[order], n_solutions=None)) == sets(wanted)


def test_margin_is_that_of_the_nearest_classes():
    X = np.array([[0.0], [1.0], [4.0], [6.0], [13.0]])
    y = [0, 0, 1, 1, 2]
    (margin,) = minimum_features(X, y).margins
    assert margin == pytest.approx(1.5 / X.std())


def test_copied_columns_take_each_others_place():
    X, y = corners()
    X = np.column_stack([X, -X[:, 8], X[:, 20]])
    result = minimum_features(X, y, n_solutions=None)
    assert {(3, 8, 20), (3, 8, 41), (3, 20, 40), (3, 40, 41)} == set(sets(result))
    assert result.n_found == 4
    assert result.verify(X, y, search=True)


@pytest.mark.parametrize("whole", [True, False])
def test_pairs_of_columns_are_counted_once(whole):
    """One column that separates two of the classes separates them with any sign of the other."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((24, 9))
    X[:, 0] += 9.0 * (np.arange(24) % 3 == 2)
    X[:, 1:3] += 9.0 * (np.arange(24) % 3 == 1)[:, None]
    X = np.asfortranarray(np.round(8 * X) if whole else X)
    y = np.arange(24) % 3
    bits = SignedBits(X, y, np.arange(9))
    found = []
    for batch in scan_pairs(X, bits, np.ones(bits.n_signed, dtype=np.int64), room=100):
        found += [tuple(sorted(pair)) for pair in bits.columns[batch.separating].tolist()]
        assert batch.n_separating == len(batch.separating)
    wanted = [pair for pair in combinations(range(9), 2) if not inseparable_pairs(X[:, pair], y)]
    assert sorted(found) == wanted
    assert {(0, 1), (0, 2)} <= set(wanted)


def test_which_classes_cannot_be_separated():
    X, y = corners()
    X[y == "b", :] = np.vstack([X[y == "c"], X[y == "c"], X[y == "c"]])[: np.sum(y == "b")]
    result = minimum_features(X, y)
    assert (result.size, result.certified, result.subsets) == (None, True, ())
    assert result.inseparable.tolist() == [["b", "c"]]
    assert result.verify(X, y)
    for forged in (
        replace(result, inseparable=np.array([["a", "c"]])),
        replace(result, inseparable=np.empty((0, 2), dtype="<U1")),
        replace(result, ruled_out=()),
    ):
        assert not forged.verify(X, y)


def test_proof_about_three_classes_is_none():
    """Shares must be of two classes: three could average to one point without any overlap."""
    X = np.array([[0.0], [1.0], [2.0]])
    y = np.array([0, 1, 2])
    result = minimum_features(X, y)
    leaf = minimum_features(np.zeros((2, 1)), [0, 1]).ruled_out[0]
    assert result.verify(X, y)
    forged = replace(leaf, samples=(0, 1, 2), shares=(1, 2, 1))
    assert not replace(result, ruled_out=(forged,)).verify(X, y)


def test_forged_hyperplanes_and_bounds_are_found_out():
    X, y = corners()
    result = minimum_features(X, y)
    (best,) = result.separations
    turned = tuple(-weight for weight in best.weights[2])
    for forged in (
        replace(result, separations=(replace(best, weights=best.weights[:-1]),)),
        replace(
            result,
            separations=(replace(best, weights=(*best.weights[:2], turned, *best.weights[3:])),),
        ),
        replace(result, lower_bound=2),
    ):
        assert not forged.verify(X, y)
    # A further column, of next to no weight.
    weights = tuple((*(10**9 * one for one in w), 1) for w in best.weights)
    more = replace(best, columns=(*best.columns, 30), weights=weights)
    claimed = replace(
        result,
        size=4,
        lower_bound=4,
        separations=(more,),
        subsets=(np.array(more.columns),),
        margins=np.array([measure_set(X, np.unique(y, return_inverse=True)[1], more)]),
    )
    assert claimed.verify(X, y)
    assert not claimed.verify(X, y, search=True)


def test_limits_leave_an_honest_bound():
    X, y = corners()
    one = minimum_features(X, y, max_size=1)
    assert (one.lower_bound, one.certified) == (2, False)
    assert one.size >= 3
    assert one.verify(X, y, search=True)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), np.arange(60) % 4
    hasty = minimum_features(X, y, max_seconds=1.0)
    assert not hasty.certified
    assert 2 <= hasty.lower_bound < hasty.size
    assert hasty.verify(X, y)


def test_some_of_the_pairs_of_samples_suffice(monkeypatch):
    X, y = corners()
    wanted = minimum_features(X, y, n_solutions=None)
    monkeypatch.setattr("fewest.minimum._bits._MOST_PAIRS", 12)
    result = minimum_features(X, y, n_solutions=None)
    assert (result.size, sets(result)) == (wanted.size, sets(wanted))
    assert result.verify(X, y, search=True)


def test_khan_needs_three_genes(real_data):
    data = real_data("khan")
    result = minimum_features(data["X"], data["y"])
    assert (result.size, result.lower_bound, result.certified) == (3, 3, True)
    assert result.verify(data["X"], data["y"], search=True)
