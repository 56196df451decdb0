"""The exact path of the machine's first program against machines fitted for single C."""

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.machines.sfm_path import exact_sfm_path


def test_between_breakpoints_the_first_program_does_not_change():
    X, y = make_gaussian(n=60, d=500, k=5, mu=0.5, positive_fraction=0.4, random_state=0)
    path = exact_sfm_path(X, y, C_min=0.01, C_max=10.0)
    assert path.complete
    middles = np.sqrt(path.breakpoints[:-1] * path.breakpoints[1:])
    for C in middles[::5]:
        first = SupportFeatureMachine(C=C, refit=None).fit(X, y).result_.steps[0]
        expected = path.results[np.searchsorted(path.breakpoints, C)]
        # At another C of the same piece weights and slacks are the same; the objective is not.
        np.testing.assert_array_equal(first.features, expected.features)
        np.testing.assert_allclose(first.w, expected.w, rtol=1e-5)
        np.testing.assert_allclose(first.slack, expected.slack, atol=1e-6)


def test_ends_of_the_path():
    X, y = make_gaussian(n=20, d=5, random_state=0)
    with pytest.raises(ValueError, match="below C_max"):
        exact_sfm_path(X, y, C_min=1.0, C_max=0.5)
    with pytest.raises(ValueError, match="C_min must be a positive number"):
        exact_sfm_path(X, y, C_min=0.0, C_max=0.5)
