"""Faults that are planted in the library: each kind of case finds its own."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from fewest import MinimumResult, minimum_features
from fuzzing import searches, worker
from fuzzing.kinds import forged_results, time_limits, verdicts
from fuzzing.table import Tally


def tries(kind, folder, n_cases):
    """The outcomes of so many cases, as a worker has them."""
    return [worker.try_case(kind, case, folder) for case in range(n_cases)]


def sorts(outcomes):
    return {outcome.sort for outcome in outcomes if outcome.sort}


@pytest.mark.parametrize(("claims", "sort"), [("better", 1), ("not shown", 0)])
def test_false_claims_are_counted(monkeypatch, tmp_path, claims, sort):
    """A verdict that praises everything is wrong about noise; one that is silent is not."""

    def select(rng, folder, X, y, groups):
        error = 1.0 - 1.0 / len(set(y.tolist()))
        interval = {"low": 0.0, "high": 1.0, "confidence": 0.95}
        found = {"balanced_interval": interval, "balanced_error": error}
        return {"verdict": {"status": claims}, "trust": {"validation": found}}, None

    monkeypatch.setattr(verdicts, "_select", select)
    monkeypatch.setattr(verdicts, "error_of", lambda *_: 0.5)
    tally = Tally()
    for outcome in tries("verdicts", tmp_path, 60):
        assert outcome.sort is None, outcome.message
        tally.add(outcome)
    assert bool(tally.failures["verdicts", "often"]) == sort
    assert all("noise" in statistic.what for statistic in tally.too_often)


def test_a_claim_without_an_interval_is_wrong(monkeypatch, tmp_path):
    found = {"balanced_interval": None, "balanced_error": 0.1, "no_interval": "few groups"}
    result = {"verdict": {"status": "better"}, "trust": {"validation": found}}
    monkeypatch.setattr(verdicts, "_select", lambda *_: (result, None))
    assert sorts(tries("verdicts", tmp_path, 1)) == {"wrong"}


@pytest.mark.parametrize(("seconds", "sort"), [(0.02, set()), (0.4, {"late"})])
def test_late_ends_are_found(monkeypatch, tmp_path, seconds, sort):
    def work(limit):
        until = time.process_time() + limit + seconds
        while time.process_time() < until:
            pass

    monkeypatch.setattr(time_limits, "_GRACE", 0.2)
    monkeypatch.setattr(time_limits, "draw", lambda rng: ("a search", lambda limit: work(0.01)))
    monkeypatch.setattr(time_limits, "_LIMITS", (0.01,))
    assert sorts(tries("time_limits", tmp_path, 1)) == sort


def test_what_is_compiled_first_is_not_late(monkeypatch, tmp_path):
    spent = [9.0, 0.1]
    monkeypatch.setattr(time_limits, "_measure", lambda *_: spent.pop(0))
    assert not sorts(tries("time_limits", tmp_path, 1))
    assert not spent


def test_a_verify_that_accepts_everything_is_found(monkeypatch, tmp_path):
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 0.5], [6.0, 0.2]]), np.array([0, 0, 1, 1])
    holds = minimum_features(X, y).verify(X, y)
    monkeypatch.setattr(MinimumResult, "verify", lambda *_, **__: holds)
    monkeypatch.setattr(forged_results, "_TRIES", 40)
    assert "wrong" in sorts(tries("forged_results", tmp_path, 10))


def test_a_verify_that_stumbles_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(MinimumResult, "verify", lambda *_, **__: [][0])
    assert "traceback" in sorts(tries("forged_results", tmp_path, 10))


def test_every_field_is_forged_sooner_or_later():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 0.5], [6.0, 0.2]]), np.array([0, 0, 1, 1])
    result, rng = minimum_features(X, y, exclude=[1]), np.random.default_rng(0)
    paths = {forged_results.forge(rng, result).path for _ in range(800)}
    assert {path[0] for path in paths} == set(vars(result))
    assert {("rules", "price"), ("separations", "columns")} <= paths


def test_prices_that_are_off_by_rounding_are_found(monkeypatch):
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 1])
    rules = {"feature_cost": {0: 0.1, 1: 0.2}}

    def search(*given, **options):
        found = minimum_features(*given, **options)
        return replace(found, price=0.1 + 0.2, price_bound=0.1 + 0.2)

    monkeypatch.setattr(MinimumResult, "verify", lambda *_, **__: True)
    monkeypatch.setattr(searches, "minimum_features", search)
    with pytest.raises(searches.Failure, match=r"price 0.30000000000000004, by brute force 0.3"):
        searches.check_minimum(X, y, rules)
