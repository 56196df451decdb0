"""Folds, permutations, resamples and classes as jobs of joblib: the same results wherever."""

import logging
import os
import signal
import time

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster
from scipy import sparse

from benchmarks.traffic import count_traffic
from fewest import (
    Liknon,
    NotSeparableError,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
)
from fewest._estimators.held_out import judge_in_parallel
from fewest.datasets import make_gaussian
from fewest.exceptions import ClusterError
from fewest.significance import bootstrap_632, permutation_test, run_held_out, stability
from tests.platforms import needs

pytestmark = pytest.mark.xdist_group("cluster")


def make_classes(n_classes=3, n=45, d=300):
    rng = np.random.default_rng(1)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, d))
    X[np.arange(n), y] += 4.0
    return X, y


def fit_classes(X, y):
    machine = SupportFeatureMachine(C=2.0, multi_class="separate", refit="margin").fit(X, y)
    return machine.coef_, machine.intercept_, machine.supports_


def permute(X, y):
    machine = SupportFeatureMachine(C=1.0)
    found = permutation_test(machine, X, y, n_permutations=6, cv=3, random_state=0)
    return found.features.chance, found.error.chance, found.p_value


def cross_validate(X, y):
    found = run_held_out(Liknon(C=0.5), X, y, cv=3, random_state=0)
    return found.predicted, found.decisions, found.selections


def resample(X, y):
    machine = SupportFeatureMachine(C=1.0)
    errors = bootstrap_632(machine, X, y, n_resamples=4, random_state=0).test_errors
    return errors, stability(machine, X, y, n_resamples=4, random_state=0).frequency


def repeat(X, y):
    machine = SupportFeatureMachine(C=2.0, multi_class="separate")
    found = RepetitiveSelector(machine, n_subsets=3).fit(X, y)
    return found.sizes_, found.support_, np.concatenate(found.subsets_)


def choose_cost(X, y):
    found = SupportFeatureMachineCV(Cs=[0.5, 2.0], cv=3, random_state=0).fit(X, y)
    return found.cv_results_["mean_test_score"], found.coef_


WORK = [permute, cross_validate, resample, choose_cost]


def assert_same(one, two):
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.fixture(scope="module")
def signal_data():
    return make_gaussian(n=36, d=3000, k=2, mu=1.0, random_state=3)


@pytest.mark.parametrize("work", WORK)
def test_dask_gives_what_one_process_gives(client, signal_data, work):
    X, y = signal_data
    expected = work(X, y)
    with joblib.parallel_config(backend="dask"):
        assert_same(work(X, y), expected)


@pytest.mark.parametrize("work", [fit_classes, repeat])
def test_dask_fits_one_class_against_the_rest(client, work):
    X, y = make_classes()
    expected = work(X, y)
    with joblib.parallel_config(backend="dask"):
        assert_same(work(X, y), expected)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_other_backends_do_too(backend):
    X, y = make_classes()
    expected = [fit_classes(X, y), repeat(X, y), cross_validate(X, y)]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = [fit_classes(X, y), repeat(X, y), cross_validate(X, y)]
    for one, two in zip(found, expected, strict=True):
        assert_same(one, two)


def test_sparse_samples(client, signal_data):
    X, y = signal_data
    X = sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
    expected = permute(X, y)
    with joblib.parallel_config(backend="dask"):
        assert_same(permute(X, y), expected)


@pytest.mark.parametrize("statistics", ["features", ("features", "error")])
def test_permutations_send_X_once_to_each_worker(client, statistics):
    """By way of the scheduler: once to it, and once from it to each of the two workers."""
    X, y = make_gaussian(n=40, d=10_000, k=2, mu=1.0, random_state=0)
    how = {"statistics": statistics, "n_permutations": 9, "cv": 3, "random_state": 0}
    with joblib.parallel_config(backend="dask"), count_traffic(client) as traffic:
        permutation_test(SupportFeatureMachine(C=1.0), X, y, **how)
    assert X.nbytes < traffic.n_bytes < 4 * X.nbytes


def test_classes_and_folds_send_X_once_to_each_worker(client):
    X, y = make_classes(n_classes=6, n=96, d=10_000)
    machine = SupportFeatureMachine(C=2.0, multi_class="separate")
    with joblib.parallel_config(backend="dask"):
        with count_traffic(client) as of_classes:
            machine.fit(X, y)
        with count_traffic(client) as of_folds:
            run_held_out(machine, X, y, cv=6, random_state=0)
    # Results take .6 of X, and a busy worker may hand its tasks on; once per task would be twelve.
    for traffic in (of_classes, of_folds):
        assert X.nbytes < traffic.n_bytes < 5 * X.nbytes


def test_errors_of_a_fit_arrive_as_they_are(client):
    X, y = np.arange(40.0).reshape(20, 2) % 3, np.arange(20) % 2
    with (
        joblib.parallel_config(backend="dask"),
        pytest.raises(NotSeparableError, match="cannot be separated without error"),
    ):
        run_held_out(SupportFeatureMachine(C=np.inf), X, y, cv=3, random_state=0)


def _sum(X, number):
    time.sleep(0.05)  # so that jobs are left when a worker dies
    return float(X.sum()) + number


@needs("POSIX signals")
def test_a_killed_worker_costs_only_time(mortal_client, kill_worker):
    X = np.ones((100, 1000))
    jobs = [(X, number) for number in range(24)]
    with joblib.parallel_config(backend="dask"):
        found = iter(judge_in_parallel(jobs, judge=_sum))
        results = [next(found)]
        kill_worker()
        results += list(found)
    assert results == [X.sum() + number for number in range(24)]


def _end_worker(number):
    os.kill(os.getpid(), signal.SIGKILL)  # as the system does where memory is out


@needs("POSIX signals")
def test_workers_that_die_of_the_work_are_named(mortal_client, monkeypatch):
    monkeypatch.setattr(mortal_client.cluster.scheduler, "allowed_failures", 0)
    with (
        joblib.parallel_config(backend="dask"),
        pytest.raises(ClusterError, match="too little memory.*more memory.*run_packed"),
    ):
        list(judge_in_parallel([(0,), (1,)], judge=_end_worker))


def test_a_cluster_that_goes_away_is_named():
    with (
        LocalCluster(
            n_workers=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as short_lived,
        Client(short_lived, set_as_default=False) as client,
        client.as_current(),
    ):
        X = np.ones((100, 1000))
        with joblib.parallel_config(backend="dask"):
            found = iter(judge_in_parallel([(X, k) for k in range(40)], judge=_sum))
            next(found)
            short_lived.close()
            with pytest.raises(ClusterError, match="the Dask cluster went away"):
                list(found)
