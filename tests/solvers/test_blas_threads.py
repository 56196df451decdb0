"""The limit on threads must not outlive those who asked for it."""

from threading import Barrier, Thread

import numpy as np  # loads the BLAS whose threads are counted
import pytest
from threadpoolctl import threadpool_info

from fewest._solvers.blas_threads import one_blas_thread


def threads_of_blas():
    np.zeros(2) @ np.zeros(2)
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture
def usual():
    threads = threads_of_blas()
    if threads == {1}:
        pytest.skip("BLAS has one thread anyway")
    return threads


def test_nested_and_after_an_error(usual):
    with one_blas_thread():
        with pytest.raises(ValueError, match="mismatch"), one_blas_thread():
            np.zeros(2) @ np.zeros(3)
        assert threads_of_blas() == {1}
    assert threads_of_blas() == usual


def test_first_in_first_out(usual):
    """The one who came first leaves first; its limit must not become what the other restores."""
    both_inside, first_left = Barrier(2), Barrier(2)

    def first():
        with one_blas_thread():
            both_inside.wait(10)
        first_left.wait(10)

    def second():
        with one_blas_thread():
            both_inside.wait(10)
            first_left.wait(10)

    workers = [Thread(target=work) for work in (first, second)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert threads_of_blas() == usual
