"""How much a page computes: the shape of the data decides, and nothing else."""

import numpy as np
import pytest

from fewest import SupportFeatureMachine, SupportFeatureMachineCV
from fewest.diagnostics import diagnose
from fewest.minimum._features import search_minimum
from fewest.report import _plan, make_report
from fewest.report._data import Data


def shaped(n_samples, n_features, n_classes=2):
    """Data of a shape; only that matters here."""
    X = np.broadcast_to(np.arange(n_samples, dtype=float)[:, None], (n_samples, n_features))
    return Data(X, np.arange(n_samples) % n_classes)


def plan(machine, data, asked=None, **settings):
    return _plan.plan_tests(machine, data, 5, asked, **settings)


CHOOSES = SupportFeatureMachineCV(multi_class="separate")


@pytest.mark.parametrize(
    ("machine", "shape", "is_shown", "n_permutations"),
    [
        (SupportFeatureMachine(), (60, 2000), True, 99),
        (CHOOSES, (60, 2000), True, 39),
        (CHOOSES, (200, 2000), False, 99),
        (CHOOSES, (100, 500, 10), False, 39),  # ten classes took minutes
        (SupportFeatureMachine(), (400, 10_000), True, 39),
    ],
)
def test_permutations_by_shape(machine, shape, is_shown, n_permutations):
    first = plan(machine, shaped(*shape))[0]
    assert (first.is_shown, first.n_permutations) == (is_shown, n_permutations)
    assert first.seconds <= _plan.TEST_SECONDS


def test_larger_data_never_have_more_permutations():
    tests = [plan(SupportFeatureMachine(), shaped(n, 1000))[:1] for n in (50, 200, 400, 800, 5000)]
    numbers = [one[0].n_permutations if one else 0 for one in tests]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == 0


def test_what_is_asked_for_is_done_by_the_machine_shown():
    first = plan(CHOOSES, shaped(5000, 2000), 500)[0]
    assert (first.is_shown, first.n_permutations) == (True, 500)


def test_a_page_says_that_there_is_no_test(monkeypatch):
    monkeypatch.setattr(_plan, "TEST_SECONDS", 1e-9)
    X, y = np.random.default_rng(0).standard_normal((30, 5)), np.arange(30) % 2
    page = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=("permutation",))
    assert page.content.trust.permutation is None
    assert "--permutations N" in page.content.why_not("permutation")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (7.4, "7 s"), (44, "40 s"), (130, "2 min")],
)
def test_time_in_words(seconds, text):
    assert _plan.say_seconds(seconds) == text


def test_a_search_by_looks_ends_at_the_same_place(monkeypatch):
    X, y = np.random.default_rng(1).standard_normal((40, 40)), np.arange(40) % 2
    found = [search_minimum(X, y, None, 1, most_looks=150)]
    monkeypatch.setattr("fewest.minimum._clock.perf_counter", iter(range(10**9)).__next__)
    found.append(search_minimum(X, y, None, 1, most_looks=150))
    known = [(one.lower_bound, one.size, one.certified, one.subsets[0].tolist()) for one in found]
    assert known[0] == known[1]
    assert not found[0].certified
    further = search_minimum(X, y, None, 1, most_looks=5_000)
    assert found[0].lower_bound <= further.lower_bound <= further.size <= found[0].size


def test_data_are_described_without_a_test():
    X, y = np.random.default_rng(0).standard_normal((30, 20)), np.arange(30) % 2
    found = diagnose(X, y, n_permutations=0)
    assert (found.test, found.separable, found.n_selected) == (None, None, None)
    assert found.conclusive is None
    assert found.evidence == []
    assert found.geometry == diagnose(X, y, n_permutations=5, cv=None, random_state=0).geometry
    assert str(found).startswith("These data are described here, not tested.")
