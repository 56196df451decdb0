"""`certify`: the hard machine proves its own number of features, or finds a smaller set."""

import sys
from subprocess import run

import numpy as np
import pytest

from fewest import SupportFeatureMachine


def hidden_pair():
    """Two columns separate; the linear programs prefer three others (found by trying seeds)."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((16, 60))
        y = np.where(X[:, 4] - X[:, 9] > 0, "b", "a")
        if SupportFeatureMachine(C=np.inf).fit(X, y).support_.sum() > 2:
            return X, y
    raise AssertionError("the machine always finds the smallest set")


@pytest.mark.parametrize("refit", ["margin", None])
def test_improves_its_answer(refit):
    X, y = hidden_pair()
    machine = SupportFeatureMachine(C=np.inf, certify=True, refit=refit).fit(X, y)
    assert machine.support_.sum() == machine.minimum_.size <= 2
    assert machine.minimum_.certified
    assert machine.minimum_.verify(X, y, search=True)
    assert np.array_equal(np.flatnonzero(machine.support_), machine.minimum_.subsets[0])
    assert np.array_equal(machine.result_.features, machine.minimum_.subsets[0])
    assert machine.score(X, y) == 1.0
    assert machine.transform(X).shape == (16, machine.minimum_.size)


def test_keeps_an_answer_that_is_the_smallest():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 20))
    y = X[:, 3] > 0
    plain = SupportFeatureMachine(C=np.inf).fit(X, y)
    proven = SupportFeatureMachine(C=np.inf, certify=True).fit(X, y)
    assert proven.minimum_.certified
    assert np.array_equal(plain.coef_, proven.coef_)
    assert np.array_equal(plain.intercept_, proven.intercept_)


def test_one_minimum_a_class():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 12))
    X[np.arange(30), y] += 6.0
    machine = SupportFeatureMachine(C=np.inf, certify=True, n_jobs=2).fit(X, y)
    assert [result.size for result in machine.minima_] == [1, 1, 1]
    assert all(result.certified for result in machine.minima_)
    with pytest.raises(AttributeError, match="one minimum per class here: see `minima_`"):
        _ = machine.minimum_


def test_a_limit_in_seconds_leaves_a_bound():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 150)), np.arange(50) % 2
    machine = SupportFeatureMachine(C=np.inf, certify=True, max_seconds=0.01).fit(X, y)
    assert not machine.minimum_.certified
    assert machine.minimum_.lower_bound <= machine.minimum_.size == machine.support_.sum()
    assert machine.score(X, y) == 1.0


def test_parameters():
    X, y = np.arange(6.0)[:, None], np.arange(6) > 2
    with pytest.raises(ValueError, match="set C=np.inf \\(C is 2.0\\) or certify=False"):
        SupportFeatureMachine(certify=True).fit(X, y)
    with pytest.raises(ValueError, match="certify must be True or False; got 60.0"):
        SupportFeatureMachine(C=np.inf, certify=60.0).fit(X, y)
    with pytest.raises(ValueError, match="max_seconds must be a positive number; got -1"):
        SupportFeatureMachine(C=np.inf, certify=True, max_seconds=-1).fit(X, y)
    assert SupportFeatureMachine(C=np.inf, certify=1).fit(X, y).minimum_.certified
    machine = SupportFeatureMachine(C=np.inf).fit(X, y)
    with pytest.raises(AttributeError, match="nothing was certified: fit with certify=True"):
        _ = machine.minimum_


def test_numba_is_not_loaded_unless_needed():
    code = "import sys, fewest.machines.sfm, fewest.cli; sys.exit('numba' in sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
