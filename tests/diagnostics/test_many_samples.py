"""Diagnostics of very many samples: memory, the stated subsample, and what it is compared with."""

import numpy as np
import pytest
from scipy import sparse

from fewest._estimators.many_samples import MOST_COMPARED, draw_subsample, find_members
from fewest.diagnostics import _risk as risk
from fewest.diagnostics import (
    diagnose,
    distance_concentration,
    fat_shattering_bound,
    hubness,
    loo_reliability,
    relative_concentration,
    sphericity,
)
from tests.memory import traced_memory

N = 20_000


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(N) % 4, "ill", "well")
    X = rng.standard_normal((N, 20)).astype(np.float32)
    X[:, :3] += 0.3 * (y == "ill")[:, None]
    return X, y


MEASURES = {
    "sphericity": lambda X, y: sphericity(X),
    "lengths": lambda X, y: relative_concentration(X, 1.0),
    "distances": lambda X, y: distance_concentration(X),
    "hubness": hubness,
    "leave-one-out": lambda X, y: loo_reliability(X, y, standardize=True),
}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_no_matrix_of_all_pairs(measure, layout, data):
    X, y = data
    X = layout(X)
    with traced_memory() as memory:
        measure(X, y)
    assert memory.peak < 8 * N * N / 15  # the matrices of the samples that are compared


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_the_number_of_compared_samples_is_said(layout, data):
    X, y = data
    X = layout(X)
    assert sphericity(X).n_samples == MOST_COMPARED
    assert distance_concentration(X).n_samples == MOST_COMPARED
    assert loo_reliability(X, y).n_compared == MOST_COMPARED
    found = hubness(X, y, max_samples=400)
    assert len(found.samples) == len(found.occurrences) == 400
    assert np.sum(y[found.samples] == "well") == 100
    assert set(found.hubs) <= set(found.samples)


def test_hubs_are_rows_of_the_data(data):
    X, y = data
    rows = draw_subsample(y, 400)
    # Standardised on the samples at hand: nearly, but not quite as on all of them.
    found = hubness(X, y, max_samples=400, standardize=False)
    alone = hubness(X[rows], y[rows], standardize=False)
    np.testing.assert_array_equal(found.samples, rows)
    np.testing.assert_array_equal(found.occurrences, alone.occurrences)
    np.testing.assert_array_equal(found.hubs, rows[alone.hubs])
    np.testing.assert_array_equal(found.bad_hubs, rows[alone.bad_hubs])
    assert found.bad_share == alone.bad_share


def test_few_samples_are_all_compared(data):
    X, y = data[0][:300], data[1][:300]
    assert sphericity(X) == sphericity(X, max_samples=None)
    assert sphericity(X).n_samples == 300
    np.testing.assert_array_equal(hubness(X, y).samples, np.arange(300))


def test_estimates_are_near_those_of_all_samples(data):
    X, y = data[0][:1600].astype(float), data[1][:1600]
    some, every = (sphericity(X, max_samples=most) for most in (600, None))
    assert some.epsilon == pytest.approx(every.epsilon, rel=0.05)
    some, every = (distance_concentration(X, max_samples=most) for most in (600, None))
    assert some.variation == pytest.approx(every.variation, rel=0.02)
    some, every = (loo_reliability(X, y, max_samples=most) for most in (600, None))
    # All but one of its numbers need no pairs.
    for name in ("sigma2", "tau2", "mu2", "limit_error", "critical_n"):
        assert getattr(some, name) == pytest.approx(getattr(every, name), rel=1e-9)
    assert some.new_sample_error == pytest.approx(every.new_sample_error, rel=0.02)


@pytest.mark.parametrize("standardize", [False, True])
def test_margin_and_sphere_without_inner_products(monkeypatch, standardize):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 5)) + 3.0 * y[:, None]
    of_pairs = fat_shattering_bound(X, y, standardize=standardize)
    monkeypatch.setattr(risk, "MOST_COMPARED", 10)
    of_points = fat_shattering_bound(X, y, standardize=standardize)
    assert of_points.bound == of_pairs.bound
    for name in ("radius", "margin", "noise_margin"):
        assert getattr(of_points, name) == pytest.approx(getattr(of_pairs, name), rel=1e-5)


def test_a_diagnosis_says_what_it_compared():
    rng = np.random.default_rng(2)
    y = np.arange(2400) % 2
    X = rng.standard_normal((2400, 3)) + 4.0 * y[:, None]
    found = diagnose(X, y, cv=None, n_permutations=1, random_state=0)
    (sentence,) = (line for line in found.geometry if "drawn at random" in line)
    assert sentence.startswith("Pairs are of 2,000 of the 2,400 samples")
    few = diagnose(X[:60], y[:60], cv=None, n_permutations=1, random_state=0)
    assert not any("drawn at random" in line for line in few.geometry)


def test_subsamples_keep_the_shares_of_the_classes():
    y = np.repeat(["a", "b", "c"], [9000, 990, 10])
    rows = draw_subsample(y, 1000)
    assert np.all(np.diff(rows) > 0)
    assert [int(np.sum(y[rows] == one)) for one in "abc"] == [899, 99, 2]
    np.testing.assert_array_equal(rows, draw_subsample(y, 1000))
    assert not np.array_equal(rows, draw_subsample(y, 1000, random_state=1))
    np.testing.assert_array_equal(draw_subsample(y, 20_000), np.arange(10_000))


def test_members_of_as_many_groups_as_samples():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 50_000, 100_000)
    members = find_members(groups)
    assert len(members) == len(np.unique(groups))
    for place in (0, 17, len(members) - 1):
        rows = members[place]
        np.testing.assert_array_equal(rows, np.flatnonzero(groups == groups[rows[0]]))
