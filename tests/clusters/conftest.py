"""One Dask cluster of two worker processes for all tests of this folder."""

import logging
import os
import signal

import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def cluster():
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,  # tests of little memory lower it themselves
        silence_logs=logging.CRITICAL,
    ) as started:
        yield started


@pytest.fixture(scope="session")
def _client(cluster):
    with distributed.Client(cluster, set_as_default=False) as connected:
        yield connected


@pytest.fixture
def client(_client):
    """A client that Dask and joblib find by themselves; two workers are there."""
    _client.wait_for_workers(2, timeout=120)
    with _client.as_current():
        yield _client


@pytest.fixture
def kill_worker(client):
    """Function that kills one of the worker processes; Dask starts another in its place."""

    def kill(place=0):
        pids = client.run(os.getpid)
        os.kill(pids[sorted(pids)[place]], signal.SIGKILL)

    return kill
