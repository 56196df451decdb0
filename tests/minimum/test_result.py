"""The public function: input, limits, forged proofs, and what cannot be separated."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from fewest import minimum_features
from fewest.minimum import _course, _driver, _pairs, _with_errors
from fewest.minimum._claims import measure_set
from fewest.minimum._clock import Clock
from fewest.minimum._data import check_data
from fewest.minimum._driver import Driver


def problem(seed=0, n=22, d=30):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 7] + X[:, 11] - X[:, 20] > 0, "ill", "healthy")


def sets(result):
    return sorted(tuple(subset.tolist()) for subset in result.subsets)


def test_the_proofs_hold_for_these_data_only():
    X, y = problem()
    result = minimum_features(X, y, n_solutions=None)
    assert (result.size, result.lower_bound, result.certified, result.complete) == (
        3,
        3,
        True,
        True,
    )
    assert (7, 11, 20) in sets(result)
    assert len(result.ruled_out) > 0
    assert result.verify(X, y, search=True)
    assert not result.verify(X[:, ::-1], y)
    assert not result.verify(X[:, :-1], y)
    assert not result.verify(X, np.where(y == "ill", "healthy", "ill"))
    assert not result.verify(X, np.where(y == "ill", "ill", "other"))


def test_forged_proofs_are_found_out():
    X, y = problem()
    result = minimum_features(X, y)
    best, leaf = result.separations[0], result.ruled_out[0]
    for forged in (
        replace(
            result, separations=(replace(best, weights=(tuple(-w for w in best.weights[0]),)),)
        ),
        replace(result, separations=(replace(best, columns=(0, 1, 2)),)),
        replace(result, separations=()),
        replace(result, ruled_out=(replace(leaf, columns=best.columns),)),
        replace(result, ruled_out=(replace(leaf, shares=tuple(s + 1 for s in leaf.shares)),)),
        replace(result, lower_bound=2),
        replace(result, size=2),
    ):
        assert not forged.verify(X, y)


def test_a_bound_that_is_too_high_fails_the_repeated_search():
    X, y = problem()
    result = minimum_features(X, y)
    claimed = claim(X, y, result, 4)
    assert claimed.verify(X, y)  # the set does separate ...
    assert not claimed.verify(X, y, search=True)  # ... but smaller ones do too


def claim(X, y, result, lower_bound):
    """The result with a higher lower bound, and with a set of that size that separates."""
    best = result.separations[0]
    idle = [column for column in range(result.n_features) if column not in best.columns]
    more = idle[: lower_bound - len(best.columns)]
    # Further columns of next to no weight: without any, the set itself would contradict the bound.
    weight = {
        column: 10**9 * one for column, one in zip(best.columns, best.weights[0], strict=True)
    }
    weight |= dict.fromkeys(more, 1)
    columns = tuple(sorted(weight))
    separation = replace(best, columns=columns, weights=(tuple(weight[one] for one in columns),))
    return replace(
        result,
        size=lower_bound,
        lower_bound=lower_bound,
        separations=(separation,),
        subsets=(np.array(columns),),
        margins=np.array([measure_set(X, np.unique(y, return_inverse=True)[1], separation)]),
        complete=False,  # so that nothing is counted again
    )


def test_singles_and_pairs_are_searched_again_too():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 6))
    one, two = X[:, 3] > 0, X[:, 1] + X[:, 4] > 0
    for y in (one, two):
        result = minimum_features(X, y)
        for lower_bound in range(result.size + 1, 5):
            claimed = claim(X, y, result, lower_bound)
            assert claimed.verify(X, y)
            assert not claimed.verify(X, y, search=True)


def test_pairs_that_rounding_leaves_open_need_a_proof():
    """A negative sample lies exactly on the line between two positive ones, in tenths."""
    X = np.array([[0.1, 0.3, 0.0], [0.3, 0.1, 0.0], [0.2, 0.2, -1.0], [0.0, 0.0, 2.0]])
    y = np.array([1, 1, 0, 0])
    result = minimum_features(X, y)
    assert result.size == 3
    assert result.verify(X, y, search=True)
    assert not replace(result, ruled_out=()).verify(X, y, search=True)


def test_every_form_of_the_data_gives_the_same():
    X, y = problem()
    X = np.round(8 * X)
    wanted = minimum_features(X, y, n_solutions=None)
    keep = X.copy(order="F")
    for data in (keep, X.astype(np.float32), X.astype(np.int16), sparse.csr_matrix(X), X.tolist()):
        result = minimum_features(data, y, n_solutions=None, n_jobs=2)
        assert (result.size, sets(result)) == (wanted.size, sets(wanted))
        assert result.verify(data, y)
    assert np.array_equal(keep, X)  # not changed in place


def test_scale_and_order_do_not_matter():
    X, y = problem()
    wanted = minimum_features(X, y, n_solutions=None)
    scaled = X * 2.0 ** np.arange(-15, 15) + 0.0
    assert sets(minimum_features(scaled, y, n_solutions=None)) == sets(wanted)
    order = np.random.default_rng(1).permutation(len(y))
    assert sets(minimum_features(X[order], y[order], n_solutions=None)) == sets(wanted)


def test_solutions_are_ranked_by_margin():
    X, y = problem()
    everything = minimum_features(X, y, n_solutions=None)
    assert everything.n_found == len(everything.subsets) > 1
    assert np.all(np.diff(everything.margins) <= 0)
    one = minimum_features(X, y, n_solutions=1)
    assert len(one.subsets) == 1
    assert tuple(one.subsets[0]) in sets(everything)


def test_copied_columns_take_each_others_place():
    X, y = problem()
    X = np.column_stack([X, -X[:, 11], X[:, 20]])
    result = minimum_features(X, y, n_solutions=None)
    assert {(7, 11, 20), (7, 20, 30), (7, 11, 31), (7, 30, 31)} <= set(sets(result))
    assert result.verify(X, y, search=True)


def test_limits_leave_an_honest_bound():
    X, y = problem()
    one = minimum_features(X, y, max_size=1)
    assert (one.lower_bound, one.certified) == (2, False)
    assert one.size >= 3
    assert one.verify(X, y, search=True)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
    hasty = minimum_features(X, y, max_seconds=0.5)
    assert not hasty.certified
    assert 2 <= hasty.lower_bound < hasty.size
    assert len(hasty.subsets[0]) == hasty.size
    assert not hasty.complete
    assert hasty.verify(X, y)


def driver(X, y, clock=None, **wanted):
    X, classes, codes = check_data(X, y)
    return Driver(X, codes, classes, clock or Clock(), **wanted)


def test_time_may_end_among_the_pairs(monkeypatch):
    class Slow(Clock):
        """Over as soon as some pairs are tested."""

        tested = 0
        is_over = property(lambda self: self.tested > 0)

        def report(self, share, nodes):
            self.tested = nodes

        def take_part(self, share):
            return self

    monkeypatch.setattr(_pairs, "_CALL_PAIRS", 10)
    X, y = problem()
    result = driver(X, y, Slow()).run()
    assert (result.lower_bound, result.certified, result.complete) == (2, False, False)
    assert not result.searched[1].complete
    assert result.verify(X, y)


def test_no_more_sets_are_kept_than_there_is_room_for(monkeypatch):
    X, y = problem()
    wanted = minimum_features(X, y, n_solutions=None)
    for module in (_course, _driver):
        monkeypatch.setattr(module, "MOST_KEPT", 3)
    result = minimum_features(X, y, n_solutions=None)
    assert result.n_found == wanted.n_found > 3
    assert len(result.subsets) == 3
    assert set(sets(result)) <= set(sets(wanted))


@pytest.mark.parametrize("limits", [{}, {"max_errors": 1}, {"exclude": [0]}])
def test_billions_of_equal_sets_are_counted_not_made(monkeypatch, limits):
    """Three columns with 2,000 copies each."""
    for module in (_course, _driver):
        monkeypatch.setattr(module, "MOST_KEPT", 3)
    columns = np.random.default_rng(0).integers(0, 3, (60, 3)).astype(float)
    score = columns @ [1.0, 1.2, 1.5]
    X, y = np.repeat(columns, 2000, axis=1), score > np.median(score)
    result = minimum_features(X, y, n_solutions=None, **limits)
    assert (result.size, result.certified, result.complete) == (3, True, True)
    assert result.n_found == (2000 - ("exclude" in limits)) * 2000**2
    assert len(result.subsets) == 3
    assert result.verify(X, y)


def test_all_single_features_are_counted(monkeypatch):
    """Also those that are not listed."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 50)), np.arange(6) % 2
    wanted = minimum_features(X, y, max_errors=1, n_solutions=None)
    for module in (_course, _with_errors):
        monkeypatch.setattr(module, "MOST_KEPT", 3)
    result = minimum_features(X, y, max_errors=1, n_solutions=None)
    assert (result.size, len(result.subsets)) == (1, 3)
    assert result.n_found == wanted.n_found == len(wanted.subsets) > 3
    assert result.verify(X, y, search=True)


@pytest.mark.parametrize("start", [(7, 11, 20, 3), (0, 1)])
def test_a_set_to_start_from_may_separate_or_not(monkeypatch, start):
    X, y = problem()
    wanted = minimum_features(X, y)
    assert sets(driver(X, y, start=start).run()) == sets(wanted)
    monkeypatch.setattr(_driver, "find_first_set", lambda *given: None)
    assert driver(X, y, start=start).run().size == 3


def test_without_any_set_to_start_from(monkeypatch):
    """Where all methods fail, one exact decision over all columns finds a set."""
    X, y = problem()
    monkeypatch.setattr(_driver, "find_first_set", lambda *given: None)
    result = minimum_features(X, y)
    assert (result.size, result.certified) == (3, True)
    monkeypatch.setattr(_driver, "LARGEST_SYSTEM", 0)  # ... unless that would take too long
    result = minimum_features(X, y)
    assert (result.size, result.certified) == (None, False)
    assert result.verify(X, y)


def test_few_samples_prove_that_many_columns_separate_nothing():
    """A negative sample between two positive ones, among 150 samples of 60 columns."""
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 50, (150, 60)).astype(float)
    y = np.where(X[:, 0] > 0, 1, 0)
    positive = np.flatnonzero(y)[:2]
    X[np.flatnonzero(y == 0)[0]] = X[positive].mean(axis=0)
    result = minimum_features(X, y, max_size=1)
    assert (result.size, result.lower_bound, result.certified) == (None, 61, True)
    assert len(result.ruled_out[-1].samples) == 3
    assert result.verify(X, y)


def test_some_of_the_pairs_of_samples_suffice(monkeypatch):
    """With many samples not all pairs become rows; the answer must not depend on that."""
    X, y = problem()
    wanted = minimum_features(X, y, n_solutions=None)
    monkeypatch.setattr("fewest.minimum._bits._MOST_PAIRS", 7)
    result = minimum_features(X, y, n_solutions=None)
    assert (result.size, sets(result)) == (wanted.size, sets(wanted))
    assert len(result.ruled_out) > len(wanted.ruled_out)
    assert result.verify(X, y, search=True)


def test_the_same_answer_every_time():
    X, y = problem(n=40, d=80)
    first, second = (minimum_features(X, y, n_jobs=jobs) for jobs in (1, 2))
    assert first.ruled_out == second.ruled_out
    assert first.separations == second.separations


@pytest.mark.parametrize(
    ("verbose", "shown"), [(1, "pairs:   0%|"), (2, "no set(s) of 2 separate")]
)
def test_progress_goes_to_standard_error(capsys, verbose, shown):
    minimum_features(*problem(), verbose=verbose)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert shown in captured.err


@pytest.mark.parametrize("n", [2, 12])
def test_what_cannot_be_separated(n):
    """Equal samples of both classes, or a class around the other one."""
    X = np.array([[0.0, 1.0], [0.0, 1.0]])
    y = np.array([0, 1])
    if n > 2:
        angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
        X = (
            np.column_stack([np.cos(angle), np.sin(angle)])
            * np.where(np.arange(n) % 2, 1, 1.01)[:, None]
        )
        y = np.arange(n) % 2
    result = minimum_features(X, y)
    assert (result.size, result.lower_bound, result.certified) == (None, 3, True)
    assert result.subsets == ()
    assert result.ruled_out[-1].columns == (0, 1)
    assert result.verify(X, y)
    assert not replace(result, ruled_out=()).verify(X, y)


def test_no_exact_proof_within_reason():
    """80 columns and 220 samples without structure: fractions would take too long."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((220, 80)), np.arange(220) % 2
    result = minimum_features(X, y, max_size=1)
    assert (result.size, result.certified) == (None, False)
    assert result.verify(X, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_size": 0}, "max_size must be a whole number of at least one; got 0"),
        ({"n_solutions": 1.5}, "n_solutions must be a whole number of at least one; got 1.5"),
        ({"max_seconds": -1}, "max_seconds must be a positive number, or np.inf for none; got -1"),
    ],
)
def test_bad_parameters(changes, message):
    with pytest.raises(ValueError, match=message):
        minimum_features(*problem(), **changes)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], "NaN"),
        ([[0.0], [1e200]], [0, 1], "above 1e\\+100: rescale them"),
        ([[0.0], [1.0]], [1, 1], "minimum_features needs samples of at least two classes"),
        ([[0.0], [1.0]], [0, 1, 1], "inconsistent numbers of samples"),
    ],
)
def test_bad_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        minimum_features(X, y)
