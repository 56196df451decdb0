"""The hard machine where samples of both classes coincide: once up to a third were wrong."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import NotSeparableError, SupportFeatureMachine


def tied(seed):
    """Values of 0 and 1; the first two samples are equal, their classes are not."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (12, 4)).astype(float), rng.integers(0, 2, 12)
    X[1], y[:2] = X[0], (0, 1)
    return X, y


@pytest.mark.parametrize("seed", [0, 3, 4, 6, 12])
def test_equal_samples_of_different_classes(seed):
    X, y = tied(seed)
    with pytest.raises(NotSeparableError):
        SupportFeatureMachine(C=np.inf).fit(X, y)


def test_the_exit_code(run, tmp_path):
    X, y = tied(4)
    np.savez(tmp_path / "tied.npz", X=X, y=y)
    ran = run("select", tmp_path / "tied.npz", "--C", "inf", "--cv", 0)
    assert ran.code == 3
    assert "no training error" not in ran.out
