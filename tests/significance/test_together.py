"""Permutations and folds that advance together give what single fits give."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold

import fewest._estimators.together as together
from fewest import NotSeparableError, SupportFeatureMachine
from fewest.significance import permutation_test, run_held_out
from tests.devices import LIBRARIES, put

HARD = SupportFeatureMachine(C=np.inf)


@pytest.fixture
def always_together(monkeypatch):
    """However little there is to do."""
    monkeypatch.setattr(together, "_WORTH_COMPILING", 0)


@pytest.fixture
def outcomes(monkeypatch, always_together):
    """What became of the problems: None for those that single fits decided."""
    kept = []
    find = together.find_outcomes

    def keep(*given):
        for outcome in find(*given):
            kept.append(outcome)
            yield outcome

    for module in ("fewest.significance._together", "fewest._estimators.held_out"):
        monkeypatch.setattr(f"{module}.find_outcomes", keep)
    return kept


def draw(seed: int, n: int = 30, d: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.permutation(np.arange(n) % 2)
    X[:, :2] += y[:, None]
    return X, y


def both_ways(monkeypatch, machine, X, y, **settings):
    """The same test with fits one by one, and together."""
    monkeypatch.setattr(together, "_WORTH_COMPILING", 1 << 60)
    alone = permutation_test(machine, X, y, **settings)
    monkeypatch.setattr(together, "_WORTH_COMPILING", 0)
    return alone, permutation_test(machine, X, y, **settings)


def assert_equal(one, other):
    assert one.p_value == other.p_value
    assert one.n_permutations == other.n_permutations
    for name in ("features", "error"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert (a.observed, a.p_value) == (b.observed, b.p_value)
            np.testing.assert_array_equal(a.chance, b.chance)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ties", ["objective", "conservative", "random"])
def test_p_values_are_those_of_single_fits(monkeypatch, outcomes, seed, ties):
    X, y = draw(seed)
    settings = {"n_permutations": 19, "ties": ties, "random_state": seed, "cv": 3}
    assert_equal(*both_ways(monkeypatch, HARD, X, y, **settings))
    assert len(outcomes) == 20 * (1 + 3)
    assert sum(outcome is None for outcome in outcomes) == 0


@pytest.mark.parametrize("statistics", ["features", "error"])
def test_one_statistic_alone(monkeypatch, outcomes, statistics):
    X, y = draw(5)
    settings = {"n_permutations": 9, "statistics": statistics, "random_state": 1, "cv": 3}
    assert_equal(*both_ways(monkeypatch, HARD, X, y, **settings))
    assert len(outcomes) == (10 if statistics == "features" else 30)


@pytest.mark.parametrize("exchange", ["within", "whole"])
def test_groups(monkeypatch, outcomes, exchange):
    X, y = draw(7, n=36)
    groups = np.arange(36) // 6
    if exchange == "whole":
        groups, y = np.arange(36) // 3, np.arange(36) // 3 % 2
    settings = {"n_permutations": 9, "groups": groups, "exchange": exchange, "random_state": 2}
    assert_equal(*both_ways(monkeypatch, HARD, X, y, cv=3, **settings))
    assert len(outcomes)


def test_values_with_ties_are_left_to_single_fits(monkeypatch, outcomes):
    X, y = draw(8, n=24, d=40)
    X = np.rint(X)
    settings = {"n_permutations": 60, "statistics": "features", "random_state": 0}
    assert_equal(*both_ways(monkeypatch, HARD, X, y, **settings))
    assert any(outcome is None for outcome in outcomes)


def test_where_most_are_doubtful_the_rest_are_fitted_in_parallel(monkeypatch, outcomes):
    X, y = draw(8, n=24, d=40)
    X = np.hstack([X, X])
    settings = {"n_permutations": 99, "statistics": "features", "random_state": 0}
    assert_equal(*both_ways(monkeypatch, HARD, X, y, **settings))
    assert sum(outcome is None for outcome in outcomes) < 99


def test_labellings_that_cannot_be_separated(monkeypatch, outcomes):
    X, y = draw(9, n=40, d=12)
    settings = {"n_permutations": 19, "random_state": 3, "cv": 3}
    alone, found = both_ways(monkeypatch, HARD, X, y, **settings)
    assert_equal(alone, found)
    assert np.isinf(found.features.chance).any()


@pytest.mark.parametrize(
    "machine",
    [
        SupportFeatureMachine(C=np.inf, refit=None),
        SupportFeatureMachine(C=np.inf, max_iter=1),
        SupportFeatureMachine(C=np.inf, max_iter=2),
        SupportFeatureMachine(C=np.inf, standardize=False),
        SupportFeatureMachine(C=np.inf, tol=1e-5),
    ],
    ids=repr,
)
def test_parameters_of_the_machine(monkeypatch, outcomes, machine):
    X, y = draw(10)
    X *= np.linspace(1.0, 3.0, X.shape[1])
    settings = {"n_permutations": 9, "random_state": 4, "cv": 3}
    assert_equal(*both_ways(monkeypatch, machine, X, y, **settings))


@pytest.mark.parametrize(
    "machine",
    [
        SupportFeatureMachine(C=1.0),
        SupportFeatureMachine(C=np.inf, constraint="mean_margin"),
        SupportFeatureMachine(C=np.inf, exclude=[0]),
        SupportFeatureMachine(C=np.inf, max_features=3),
        SupportFeatureMachine(C=np.inf, max_seconds=60.0),
    ],
    ids=repr,
)
def test_machines_that_are_fitted_one_by_one(always_together, monkeypatch, outcomes, machine):
    assert not machine._abilities().advances_together
    X, y = draw(11)
    permutation_test(machine, X, y, statistics="features", n_permutations=2)
    assert not outcomes


def test_three_classes_are_fitted_one_by_one(outcomes):
    X, y = draw(12)
    y = np.arange(len(y)) % 3
    permutation_test(HARD, X, y, statistics="features", n_permutations=2)
    assert not outcomes


def test_threads_change_nothing(always_together):
    X, y = draw(13)
    settings = {"n_permutations": 9, "random_state": 5, "cv": 3}
    one, two = (permutation_test(HARD, X, y, n_jobs=n_jobs, **settings) for n_jobs in (1, 2))
    assert_equal(one, two)


def test_the_time_limit_ends_the_test(always_together):
    X, y = draw(14)
    found = permutation_test(HARD, X, y, n_permutations=5000, max_seconds=1e-3, random_state=0)
    assert 1 <= found.n_permutations < 5000


def test_a_known_cross_validation_is_not_repeated(monkeypatch, outcomes):
    X, y = draw(15)
    settings = {"cv": 3, "random_state": 0}
    held_out = run_held_out(HARD, X, y, **settings)
    outcomes.clear()
    found = permutation_test(HARD, X, y, n_permutations=4, held_out=held_out, **settings)
    assert found.error.observed == held_out.balanced_error
    assert len(outcomes) == 5 + 4 * 3


@pytest.mark.parametrize("refit", ["margin", None])
def test_cross_validation(monkeypatch, outcomes, refit):
    X, y = draw(16)
    machine, y = SupportFeatureMachine(C=np.inf, refit=refit), np.where(y, "ill", "healthy")
    cv = KFold(4, shuffle=True, random_state=0)
    found = run_held_out(machine, X, y, cv=cv)
    assert len(outcomes) == 4
    monkeypatch.setattr(together, "_WORTH_COMPILING", 1 << 60)
    alone = run_held_out(machine, X, y, cv=cv)
    np.testing.assert_array_equal(found.predicted, alone.predicted)
    np.testing.assert_array_equal(found.selections, alone.selections)
    np.testing.assert_allclose(found.decisions, alone.decisions, rtol=1e-7, atol=1e-9)
    assert found.warnings == alone.warnings


def test_cross_validation_says_what_single_fits_say(always_together):
    X, y = draw(17, n=40, d=4)
    X[:, :] = np.random.default_rng(0).standard_normal(X.shape)
    with pytest.raises(NotSeparableError, match="cannot be separated without error"):
        run_held_out(HARD, X, y)
    X[3, 2] = np.inf  # unlike NaN, which folds fill in
    with pytest.raises(ValueError, match="contains infinity"):
        run_held_out(HARD, X, y)


@pytest.mark.parametrize("library", LIBRARIES)
def test_arrays_on_a_device(monkeypatch, library):
    X, y = draw(18)
    X = X.astype(np.float32)
    settings = {"n_permutations": 9, "random_state": 5, "cv": 3}
    there = permutation_test(HARD, put(library, X), y, **settings)
    assert_equal(permutation_test(HARD, X, y, **settings), there)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_fit_and_folds_on_a_device(library, C):
    X, y = draw(19)
    machine, there = SupportFeatureMachine(C=C), put(library, X)
    here = machine.fit(X, y).coef_
    np.testing.assert_allclose(machine.fit(there, y).coef_, here, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(machine.predict(there), machine.predict(X))
    found, wanted = (run_held_out(machine, one, y, cv=3, random_state=0) for one in (there, X))
    np.testing.assert_array_equal(found.predicted, wanted.predicted)
    if np.inf > C:
        settings = {"n_permutations": 2, "statistics": "features", "random_state": 0}
        one = permutation_test(machine, there, y, n_jobs=2, **settings)
        assert_equal(one, permutation_test(machine, X, y, **settings))


def test_a_device_array_with_bad_values():
    X, y = draw(20)
    X[3, 5] = np.inf
    with pytest.raises(ValueError, match="column 5 of X on the device contains NaN or infinity"):
        permutation_test(HARD, put("array_api_strict", X), y)
