"""A soft machine needs no more than twice the data in addition to them, however it goes."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from tests.memory import traced_memory

N, D = 20_000, 50


def noise(rng, X):
    return rng.integers(0, 2, len(X))


def planted(rng, X):
    return (X[:, :10] @ rng.standard_normal(10) + 2.0 * rng.standard_normal(len(X)) > 0).astype(int)


def flipped(rng, X):
    y = X[:, :5] @ rng.standard_normal(5) > 0
    return (y ^ (rng.random(len(X)) < 0.1)).astype(int)


@pytest.mark.parametrize("label", [noise, planted, flipped])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_soft_fit_takes_at_most_twice_the_data(label, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.standard_normal((N, D)), order=order)
    y = label(rng, X)
    SupportFeatureMachine(C=1.0).fit(X[:600], y[:600])  # libraries are not the data's fault
    with traced_memory() as memory:
        machine = SupportFeatureMachine(C=1.0).fit(X, y)
    assert memory.peak <= 2 * X.nbytes
    assert machine.result_.gap <= 1e-7
