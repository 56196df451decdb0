"""The front of features and errors, and the minimum with errors, against brute force."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from fewest import error_front, minimum_features
from fewest.minimum import _errors_search
from fewest.minimum._clock import Clock
from fewest.minimum._errors_search import ErrorSearch
from fewest.minimum._front import Front
from fewest.minimum._threads import limit_threads
from fewest.minimum._with_errors import ErrorDriver
from fuzzing.oracles.errors import (
    fewest_errors,
    fewest_errors_by_size,
    random_labelled,
    tossed,
)
from fuzzing.oracles.subsets import separable_by_lp
from tests.fuzzing import many


def noisy(seed=0, n=30, d=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    score = X[:, 2 % d] + X[:, 5 % d] - X[:, 7 % d] + 0.8 * rng.standard_normal(n)
    return X, np.where(score > 0, "ill", "healthy")


def as_tuples(subsets):
    return sorted(tuple(subset.tolist()) for subset in subsets)


@pytest.mark.parametrize("seed", range(12))
def test_the_oracle_equals_separability_without_some_samples(seed):
    """By linear programs over all sets of samples that are left out, few first."""
    X, y = random_labelled(seed, n=7, d=2)
    signs = np.where(y, 1.0, -1.0)
    for errors in range(len(y)):
        left = [np.setdiff1d(np.arange(len(y)), out) for out in combinations(range(len(y)), errors)]
        if any(len(set(y[i])) < 2 or separable_by_lp(X[i], signs[i]) for i in left):
            break
    assert fewest_errors(X, y) == errors


@pytest.mark.fuzz
def test_the_front_equals_brute_force():
    improved = np.zeros(5, dtype=int)
    for seed in range(many(24)):
        X, y = random_labelled(seed)
        most = min(3 if seed % 4 else 4, X.shape[1])
        errors, sets = fewest_errors_by_size(X, y, most)
        front = error_front(X, y, max_features=most, n_solutions=None if seed % 2 else 1)
        assert front.errors.tolist() == errors, seed
        assert front.proven, seed
        assert front.verify(X, y, search=True), seed
        for k, point in enumerate(front.points):
            if k and errors[k] == errors[k - 1]:
                assert as_tuples(point.subsets) == as_tuples(front.points[k - 1].subsets), seed
                continue
            improved[k] += 1
            assert set(as_tuples(point.subsets)) <= set(sets[k]), seed
            if seed % 2:
                assert (as_tuples(point.subsets), point.complete) == (sets[k], True), seed
    assert min(improved[:4]) >= 2


@pytest.mark.fuzz
def test_the_minimum_with_errors_equals_brute_force():
    sizes = set()
    for seed in range(many(16)):
        X, y = random_labelled(seed)
        d = X.shape[1]
        errors = {
            columns: fewest_errors(X[:, columns], y)
            for size in range(d + 1)
            for columns in combinations(range(d), size)
        }
        for most in (1, 2, 3):
            enough = [columns for columns, count in errors.items() if count <= most]
            size = min(map(len, enough), default=None)
            wanted = sorted(columns for columns in enough if len(columns) == size)
            result = minimum_features(X, y, max_errors=most, n_solutions=None)
            assert result.size == size, (seed, most)
            assert as_tuples(result.subsets) == wanted, (seed, most)
            assert result.n_found == len(wanted), (seed, most)
            assert result.certified, (seed, most)
            assert result.lower_bound == (d + 1 if size is None else size), (seed, most)
            assert len(result.inseparable) == (size is None), (seed, most)
            assert result.verify(X, y, search=True), (seed, most)
            one = minimum_features(X, y, max_errors=most)
            assert (one.size, one.certified) == (size, True), (seed, most)
            sizes.add(size)
    assert sizes >= {None, 0, 1, 2}


class Impatient(Clock):
    """Over after a number of looks at it."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    @property
    def is_over(self):
        self.looks -= 1
        return self.looks < 0

    def take_part(self, share):
        return self


def test_bounds_are_honest_whenever_time_is_up(monkeypatch):
    monkeypatch.setattr(_errors_search, "_CALL_PAIRS", 400)
    monkeypatch.setattr(_errors_search, "_MOST_COUNTS", 16)
    monkeypatch.setattr(_errors_search, "_CALL_SETS", 2000)
    monkeypatch.setattr(_errors_search, "_BEST", 6)
    X, y, wanted = tossed()
    codes = (y == "ill").astype(int)
    seen = set()
    for looks in [*range(0, 24, 3), *range(30, 600, 90)]:
        for n_solutions in (1, None):
            with limit_threads(1):
                front = Front(X, codes, Impatient(looks), n_solutions).run(3)
            assert np.all(front.lower_bounds <= wanted), looks
            assert np.all(front.errors >= wanted), looks
            assert front.verify(X, y, search=looks % 3 == 0), looks
            seen.add((front.points[2].proven, front.points[3].proven))
    assert seen >= {(False, False), (True, False), (True, True)}


def test_the_minimum_with_errors_is_honest_whenever_time_is_up(monkeypatch):
    monkeypatch.setattr(_errors_search, "_CALL_PAIRS", 400)
    monkeypatch.setattr(_errors_search, "_CALL_SETS", 2000)
    X, y, _ = tossed()
    codes = (y == "ill").astype(int)
    classes = np.array(["healthy", "ill"])
    seen = set()
    for looks in [*range(0, 40, 3), 200, 2000]:
        with limit_threads(1):
            result = ErrorDriver(X, codes, classes, Impatient(looks), max_errors=2).run()
        assert result.lower_bound <= 3, looks
        assert result.size is None or result.size >= 3, looks
        assert result.verify(X, y), looks
        seen.add((result.lower_bound, result.certified))
    assert seen >= {(2, False), (3, True)}


def test_a_front_by_hand():
    """One sample of four is wrong for any threshold on one column; two columns are a cross."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    front = error_front(X, [0, 0, 1, 1], n_solutions=None)
    assert front.errors.tolist() == [2, 2, 1]
    assert front.points[1].subsets[0].tolist() == []  # a column does not help
    assert as_tuples(front.points[2].subsets) == [(0, 1)]
    assert len(front.points) == 3  # there are no more columns
    assert front.floor == 0


def test_equal_samples_of_both_classes_are_errors_of_all_columns():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 2.0], [3.0, 1.0], [3.0, 1.0]])
    y = np.array(["a", "b", "a", "a", "b", "b"])
    front = error_front(X, y)
    assert front.floor == 1
    assert front.errors.tolist() == fewest_errors_by_size(X, y == "b")[0]
    result = minimum_features(np.vstack([X, X]), [*y, *reversed(y)], max_errors=1)
    assert (result.size, result.certified, result.lower_bound) == (None, True, 3)
    assert result.inseparable.tolist() == [["a", "b"]]
    assert result.verify(np.vstack([X, X]), [*y, *reversed(y)])
    assert not replace(result, ruled_out=result.ruled_out[:1]).verify(
        np.vstack([X, X]), [*y, *reversed(y)]
    )


def test_more_errors_than_columns_can_avoid_are_proven():
    """No equal samples, but three separate crosses: at least three samples stay wrong."""
    cross = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    X = np.vstack([cross + 5 * k * np.array([1, 1]) for k in range(3)])
    y = np.tile([0, 0, 1, 1], 3)
    result = minimum_features(X, y, max_errors=2)
    assert (result.size, result.certified, result.lower_bound) == (None, True, 3)
    assert result.verify(X, y)
    assert not replace(result, max_errors=4).verify(X, y)
    assert fewest_errors(X, y) > 2


def test_zero_norm_optimum_at_any_price():
    X, y = noisy()
    front = error_front(X, y, max_features=3)
    assert front.proven
    full = front.errors.tolist()
    for C in (0.01, 0.1, 0.3, 0.5, 1.0, 10.0):
        best = front.optimum(C)
        values = [k + C * e for k, e in enumerate(full)]
        assert best.value == min(values)
        assert best.value == pytest.approx(best.size + C * best.errors)
        assert len(best.subset) == best.size
        beyond = 4 + C * front.floor
        assert best.lower_bound == min(*values, beyond)
        assert best.proven == (min(values) <= beyond)
    assert front.optimum(0.01).size == 0
    with pytest.raises(ValueError, match="C must be a positive number"):
        front.optimum(0)


def test_a_front_of_all_columns_settles_every_price():
    X, y = noisy(n=20, d=3)
    front = error_front(X, y, max_features=9)
    assert len(front.points) == 4
    assert all(front.optimum(C).proven for C in (0.1, 1.0, 100.0))


def test_forged_fronts_are_found_out():
    X, y = noisy(n=24, d=10)
    front = error_front(X, y, max_features=3)
    assert front.verify(X, y, search=True)
    assert front.ruled_out
    last = front.points[3]
    best = last.separations[0]
    for point in (
        replace(last, errors=last.errors - 1),
        replace(last, lower_bound=last.errors + 1),
        replace(last, separations=(replace(best, wrong=best.wrong[1:]),)),
        replace(last, separations=(replace(best, wrong=(*best.wrong[1:], 99)),)),
        replace(last, separations=(replace(best, columns=(0, 1, 99)),)),
        replace(last, size=2),
        replace(last, separations=()),
    ):
        assert not replace(front, points=(*front.points[:3], point)).verify(X, y)
    shares = replace(front.ruled_out[0], samples=front.ruled_out[0].samples[::-1])
    assert not replace(front, ruled_out=(shares,)).verify(X, y)
    assert not front.verify(X[:, ::-1], y)
    assert not front.verify(X[:-1], y[:-1])
    assert not front.verify(X, np.where(np.arange(len(y)) < 3, "other", y))


def test_bounds_that_are_too_high_fail_the_repeated_search():
    X, y = noisy(n=24, d=10)
    front = error_front(X, y, max_features=3)
    nothing = front.points[0]
    for size in range(1, 4):
        point = front.points[size]
        claimed = replace(
            point,
            errors=nothing.errors,
            lower_bound=point.errors + 1,
            subsets=nothing.subsets,
            separations=nothing.separations,
        )
        forged = replace(front, points=(*front.points[:size], claimed, *front.points[size + 1 :]))
        assert forged.verify(X, y)
        assert not forged.verify(X, y, search=True)
    assert not replace(front, floor=1).verify(X, y, search=True)
    assert not replace(front, ruled_out=()).verify(X, y, search=True)


def test_forged_minima_with_errors_are_found_out():
    X, y, _ = tossed()
    result = minimum_features(X, y, max_errors=2)
    assert (result.size, result.certified) == (3, True)
    assert result.verify(X, y, search=True)
    best = result.separations[0]
    for forged in (
        replace(result, size=2),
        replace(result, lower_bound=2),
        replace(result, separations=(replace(best, wrong=()),)),
        replace(result, separations=(replace(best, wrong=(*best.wrong, 0, 1, 2)),)),
        replace(result, subsets=()),
        replace(result, max_errors=0),
    ):
        assert not forged.verify(X, y)
    assert not replace(result, max_errors=3).verify(X, y, search=True)


def test_every_form_of_the_data_gives_the_same():
    X, y = noisy(n=24)
    X = np.round(4 * X)
    wanted = error_front(X, y, max_features=2)
    for data in (X.astype(np.float32), X.astype(np.int16), sparse.csr_matrix(X), X.tolist()):
        front = error_front(data, y, max_features=2, n_jobs=2)
        assert front.errors.tolist() == wanted.errors.tolist()
        assert as_tuples(front.points[2].subsets) == as_tuples(wanted.points[2].subsets)
        assert front.verify(data, y)
    scaled = X * 2.0 ** np.arange(-6, 6)
    assert error_front(scaled, y, max_features=2).errors.tolist() == wanted.errors.tolist()


def test_values_of_very_different_size_are_counted_in_whole_numbers():
    """Cross products of the first column would underflow."""
    X, y = noisy(n=14, d=3)
    X[:, 0] = np.where(X[:, 0] > 0, 1.0, 1e-150 * np.arange(14))
    front = error_front(X, y, max_features=2, n_solutions=None)
    wanted, sets = fewest_errors_by_size(X, y == "ill", 2)
    assert front.errors.tolist() == wanted
    assert as_tuples(front.points[2].subsets) == (sets[2] if wanted[2] < wanted[1] else sets[1])
    assert front.verify(X, y, search=True)


def test_some_of_the_samples_suffice_for_bounds(monkeypatch):
    X, y = noisy(n=28)
    wanted = error_front(X, y)
    monkeypatch.setattr("fewest.minimum._dominance._MOST_BYTES", 1500)
    codes = (y == "ill").astype(int)
    assert len(ErrorSearch(np.asfortranarray(X), codes, Clock()).bits.few) < codes.sum()
    front = error_front(X, y)
    assert front.errors.tolist() == wanted.errors.tolist()
    assert front.proven
    assert front.verify(X, y, search=True)


def test_copied_columns_take_each_others_place():
    X, y = noisy(n=12, d=5)
    X = np.column_stack([X, -X[:, 2], X[:, 4], np.full(12, 3.0)])
    front = error_front(X, y, n_solutions=None)
    wanted, sets = fewest_errors_by_size(X, y == "ill", 3)
    assert front.errors.tolist() == wanted
    for k in range(1, 4):
        if wanted[k] < wanted[k - 1]:
            # Two columns of one group count once here.
            groups = [{2: 5, 4: 6}.get(c, c) for c in range(8)]
            distinct = [s for s in sets[k] if len({groups[c] for c in s}) == k]
            assert as_tuples(front.points[k].subsets) == distinct
    assert front.verify(X, y, search=True)


def test_only_constant_columns():
    front = error_front(np.ones((5, 2)), [0, 1, 1, 0, 1])
    assert front.errors.tolist() == [2, 2, 2]
    assert front.proven
    assert front.floor == 2


def test_progress_goes_to_standard_error(capsys):
    X, y = noisy(n=16, d=6)
    error_front(X, y, verbose=2)
    minimum_features(X, y, max_errors=1, verbose=2)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "[error_front]" in captured.err
    assert "features: " in captured.err
    assert "leave at most 1 wrong" in captured.err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_features": 0}, "max_features must be a whole number of at least one; got 0"),
        ({"n_solutions": 0}, "n_solutions must be a whole number of at least one; got 0"),
        ({"max_seconds": 0}, "max_seconds must be a positive number"),
    ],
)
def test_bad_parameters(changes, message):
    with pytest.raises(ValueError, match=message):
        error_front(*noisy(), **changes)


def test_bad_numbers_of_errors():
    X, y = noisy()
    with pytest.raises(ValueError, match="max_errors must be a whole number of at least zero"):
        minimum_features(X, y, max_errors=-1)


@pytest.mark.parametrize("rules", [{}, {"exclude": [0]}])
def test_a_front_lists_no_more_equal_sets_than_are_wanted(rules):
    """Three columns with 2,000 copies each: eight billion sets of three are equally good."""
    columns = np.random.default_rng(0).integers(0, 3, (60, 3)).astype(float)
    score = columns @ [1.0, 1.2, 1.5]
    X, y = np.repeat(columns, 2000, axis=1), score > np.median(score)
    front = error_front(X, y, max_features=3, n_solutions=5, **rules)
    assert front.errors[-1] == 0
    assert [len(point.subsets) for point in front.points[1:]] == [5, 5, 5]
    assert not front.points[-1].complete
    assert front.verify(X, y)


def test_bounds_are_honest_where_there_are_no_more_columns():
    """Three columns vary: that no four of them exist says nothing of sets of three."""
    X = np.array(
        [[3, 0, 5, 3], [1, 4, 3, 3], [7, 6, 6, 3], [6, 1, 1, 3], [7, 5, 4, 3], [0, 0, 1, 3.0]]
    )
    codes = np.array([0, 1, 0, 0, 1, 1])
    fewest, _ = fewest_errors_by_size(X, codes == 1)
    n_open = 0
    for looks in range(1, 300, 7):
        front = Front(np.asfortranarray(X), codes, Clock(most_looks=looks), 1).run(4)
        assert np.all([point.lower_bound for point in front.points] <= np.array(fewest)), looks
        assert front.verify(X, codes, search=True), looks
        last = front.points[-1]
        if fewest[-1] < last.errors:
            n_open += 1
            forged = (*front.points[:-1], replace(last, lower_bound=last.errors))
            assert not replace(front, points=forged).verify(X, codes, search=True), looks
    assert n_open > 0
