"""A Dask cluster of two worker processes for most tests of this folder, and others to kill."""

import logging
import os
import signal
from contextlib import contextmanager

import pytest

distributed = pytest.importorskip("distributed")


def start_cluster():
    return distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,  # tests of little memory lower it themselves
        silence_logs=logging.CRITICAL,
    )


@contextmanager
def connect(cluster):
    """A client that Dask and joblib find by themselves, once two workers are there."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
        with client.as_current():
            yield client


@pytest.fixture(scope="session")
def _cluster():
    with start_cluster() as started:
        yield started


@pytest.fixture
def client(_cluster):
    with connect(_cluster) as connected:
        yield connected


@pytest.fixture
def mortal_client():
    """One whose workers may be killed: now and then Dask does not start others in their place."""
    with start_cluster() as started, connect(started) as connected:
        yield connected


@pytest.fixture
def kill_worker(mortal_client):
    """Function that kills one of the worker processes."""

    def kill(place=0):
        pids = mortal_client.run(os.getpid)
        os.kill(pids[sorted(pids)[place]], signal.SIGKILL)

    return kill
