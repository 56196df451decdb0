"""Dask arrays as X: the same fits as in memory, by workers that keep the chunks."""

import logging
import os
import pickle

import dask.array as da
import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait
from scipy import sparse

from benchmarks.traffic import count_traffic
from fewest import (
    Liknon,
    LiknonCV,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian
from fewest.exceptions import ClusterError
from fewest.significance import permutation_test, run_held_out, stability
from fewest.stores._dask import DaskMatrix
from tests.platforms import needs

pytestmark = pytest.mark.xdist_group("cluster")

N, D = 48, 900
CHUNKS = {"columns": (N, 200), "rows": (13, D), "both": (20, 333)}


def draw(seed, dtype=np.float64):
    X, y = make_gaussian(n=N, d=D, k=3, mu=1.2, random_state=seed)
    X[np.abs(X) < 0.5] = 0.0
    X[:, 5] = 2.0  # a constant column
    X[:, 6] += 1e4  # one far from zero
    return X.astype(dtype), y


def spread(X, chunks, kind="dense"):
    array = da.from_array(X, chunks=chunks)
    if kind == "dense":
        return array
    make = {"csr": sparse.csr_array, "csc": sparse.csc_matrix}[kind]
    return array.map_blocks(make, dtype=X.dtype, meta=make((0, 0), dtype=X.dtype))


def assert_same_fit(found, expected):
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    for ours, theirs in zip(found.results_, expected.results_, strict=True):
        assert ours.steps[0].objective == pytest.approx(theirs.steps[0].objective, rel=1e-9)
        assert ours.gap < 1e-6


MACHINES = [
    SupportFeatureMachine(C=np.inf),
    SupportFeatureMachine(C=1.0, refit="margin"),
    Liknon(C=0.1),
]


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_equal_to_memory(client, machine, chunks, kind):
    X, y = draw(seed=len(kind) + chunks[0], dtype=np.float32 if kind == "csr" else np.float64)
    array = client.persist(spread(X, chunks, kind))
    assert_same_fit(machine.fit(array, y), type(machine)(**machine.get_params()).fit(X, y))


@pytest.mark.parametrize("machine", [SupportFeatureMachine(C=1.0), ZeroNormSVM()], ids=repr)
def test_without_a_cluster_threads_do_it(machine):
    X, y = draw(seed=1)
    expected = type(machine)(**machine.get_params()).fit(X, y)
    assert_same_fit(machine.fit(spread(X, (20, 333)), y), expected)


def test_permutations_and_resamples_without_a_cluster():
    X, y = draw(seed=1)
    found = [
        permutation_test(
            SupportFeatureMachine(C=1.0), one, y, n_permutations=3, cv=3, random_state=0
        )
        for one in (spread(X, (20, 333)), X)
    ]
    np.testing.assert_array_equal(found[0].features.chance, found[1].features.chance)
    np.testing.assert_array_equal(found[0].error.chance, found[1].error.chance)
    sets = [
        stability(SupportFeatureMachine(C=1.0), one, y, n_resamples=2, random_state=0)
        for one in (spread(X, (20, 333)), X)
    ]
    np.testing.assert_array_equal(sets[0].frequency, sets[1].frequency)


def test_predictions_folds_weights_and_many_classes(client):
    X, y = draw(seed=2)
    array = client.persist(spread(X, (20, 333)))
    expected, found = (SupportFeatureMachine(C=1.0).fit(one, y) for one in (X, array))
    np.testing.assert_array_equal(found.predict(array), expected.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).coef_, found.coef_)
    np.testing.assert_allclose(found.predict_proba(array), expected.predict_proba(X), rtol=1e-6)
    weight = np.arange(N) % 3
    expected, found = (SupportFeatureMachine(C=1.0).fit(one, y, weight) for one in (X, array))
    assert_same_fit(found, expected)
    codes = (np.arange(N) * 7) % 3
    X[np.arange(N), codes] += 5.0
    array = client.persist(spread(X, (20, 333)))
    expected, found = (
        run_held_out(SupportFeatureMachine(C=1.0, multi_class="separate"), one, codes, cv=3)
        for one in (X, array)
    )
    np.testing.assert_array_equal(found.predicted, expected.predicted)
    np.testing.assert_array_equal(found.selections, expected.selections)


def test_only_prices_and_few_columns_travel(client):
    """A fit makes a few passes, and moves less than a part of X in all of them."""
    array = da.random.default_rng(0).standard_normal((400, 20_000), chunks=(400, 2_500)).persist()
    y = np.asarray(array[:, :3].sum(axis=1) > 0)
    wait(array)
    with count_traffic(client) as traffic:
        machine = SupportFeatureMachine(C=1.0).fit(array, y)
    assert set(np.flatnonzero(machine.support_)) >= {0, 1, 2}
    assert traffic.n_bytes < array.nbytes / 4


@needs("POSIX signals")
def test_a_killed_worker_costs_only_time(mortal_client, kill_worker, monkeypatch):
    X, y = draw(seed=3)
    array = mortal_client.persist(spread(X, (20, 100)))
    wait(array)
    products, killed = DaskMatrix.products, []

    def kill_first(self, V):
        if not killed:  # means and scales are known, prices are not
            killed.append(kill_worker())
        return products(self, V)

    monkeypatch.setattr(DaskMatrix, "products", kill_first)
    found = SupportFeatureMachine(C=1.0).fit(array, y)
    assert killed
    assert_same_fit(found, SupportFeatureMachine(C=1.0).fit(X, y))


@needs("POSIX signals")
def test_a_worker_out_of_memory_is_named(mortal_client, monkeypatch):
    """The system ends a process that takes too much memory, as this chunk does."""
    monkeypatch.setattr(mortal_client.cluster.scheduler, "allowed_failures", 0)
    X, y = draw(seed=4)

    def take_too_much(block, block_info=None):
        if block_info[0]["chunk-location"] == (0, 2):
            os.kill(os.getpid(), 9)
        return block

    array = da.from_array(X, chunks=(N, 200)).map_blocks(take_too_much, dtype=X.dtype)
    with pytest.raises(ClusterError, match="too little memory.*make its chunks smaller"):
        SupportFeatureMachine(C=1.0).fit(array, y)


def test_little_memory_without_a_killed_worker():
    X, y = draw(seed=4)

    def take_too_much(block):
        raise MemoryError("Unable to allocate 1 TiB")

    array = da.from_array(X, chunks=(N, 200)).map_blocks(
        take_too_much, dtype=X.dtype, meta=np.empty((0, 0))
    )
    with pytest.raises(ClusterError, match="too little memory.*chunks smaller.*1 TiB"):
        SupportFeatureMachine(C=1.0).fit(array, y)


@pytest.mark.parametrize("persisted", [True, False])
def test_a_cluster_that_goes_away_is_named(monkeypatch, persisted):
    """Dask itself would go on in this process, where the array is not on the cluster already."""
    X, y = draw(seed=3)
    short_lived = LocalCluster(
        n_workers=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )
    moments = DaskMatrix.moments

    def close_after(self, *given):
        found = moments(self, *given)
        short_lived.close()
        return found

    monkeypatch.setattr(DaskMatrix, "moments", close_after)
    with short_lived, Client(short_lived, set_as_default=False) as client, client.as_current():
        array = spread(X, (N, 200))
        with pytest.raises(ClusterError, match="the Dask cluster went away.*Start it again"):
            SupportFeatureMachine(C=1.0).fit(client.persist(array) if persisted else array, y)


@pytest.mark.parametrize("kind", ["dense", "csc"])
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_values_that_are_not_finite_name_their_chunk(client, kind, value, name):
    X, y = draw(seed=5)
    X[30, 500] = value
    place = r"block 5 of 9 of the Dask array \(rows 21 to 40, columns 334 to 666\)"
    with pytest.raises(ValueError, match=f"X contains {name}: 1 value.s. of {place}"):
        SupportFeatureMachine(C=1.0).fit(spread(X, (20, 333), kind), y)


def test_wrong_sparse_indices_name_their_chunk(client):
    X, y = draw(seed=6)

    def damage(block):
        found = sparse.csr_matrix(block)
        found.indices[3] = 10_000
        return found

    array = da.from_array(X, chunks=(N, 300)).map_blocks(damage, dtype=X.dtype)
    with pytest.raises(ValueError, match="block . of 3 of the Dask array .* no valid sparse"):
        SupportFeatureMachine(C=1.0).fit(array, y)


def test_chunks_of_other_kinds_or_sizes_are_refused(client):
    X, y = draw(seed=7)
    array = da.from_array(X, chunks=(N, 300))
    short = array.map_blocks(lambda block: block[1:], dtype=X.dtype)
    with pytest.raises(ValueError, match="block . of 3 .* is 47 x 300 instead of 48 x 300"):
        SupportFeatureMachine(C=1.0).fit(short, y)
    listed = array.map_blocks(lambda block: block.tolist(), meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match="is a list: chunks must be numpy arrays, or SciPy's"):
        SupportFeatureMachine(C=1.0).fit(listed, y)


def test_arrays_that_are_no_tables_of_known_numbers():
    X, y = draw(seed=8)
    array = da.from_array(X, chunks=(20, 333))
    machine = SupportFeatureMachine(C=1.0)
    with pytest.raises(ValueError, match=r"chunk sizes are not known.*compute_chunk_sizes"):
        machine.fit(array[array[:, 0] > -np.inf], y)
    with pytest.raises(ValueError, match=r"of type object: its values must be numbers"):
        machine.fit(array.astype(object), y)
    with pytest.raises(ValueError, match=r"of shape \(48,\): it must have one row per sample"):
        machine.fit(array[:, 0], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        machine.fit(array, y[1:])
    with pytest.raises(ValueError, match="needs X in memory"):
        LiknonCV().fit(array, y)


def test_processes_are_refused_and_clusters_are_busy_already(client):
    X, y = draw(seed=9)
    array = spread(X, (20, 333))
    expected = run_held_out(SupportFeatureMachine(C=1.0), X, y, cv=3)
    with joblib.parallel_config(backend="dask"):
        found = run_held_out(SupportFeatureMachine(C=1.0), array, y, cv=3)
        chosen = SupportFeatureMachineCV([0.3, 1.0], cv=3).fit(array, y)
    np.testing.assert_array_equal(found.selections, expected.selections)
    np.testing.assert_array_equal(
        chosen.support_, SupportFeatureMachineCV([0.3, 1.0], cv=3).fit(X, y).support_
    )
    with pytest.raises(pickle.PicklingError) as caught:
        run_held_out(SupportFeatureMachine(C=1.0), array, y, cv=3, n_jobs=2)
    assert "fits run one after another" in str(caught.value.__cause__)
