"""The largest margin on the selected features where the time of a fit is up."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fewest import SupportFeatureMachine
from fewest._solvers import margin
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.watch import Watch, watching


def overlapping(n=200, d=6):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, (X[:, 0] + rng.standard_normal(n) > 0).astype(int)


@pytest.mark.parametrize("is_quick", [True, False])
def test_steps_that_are_not_quick_end_with_the_time(monkeypatch, is_quick):
    if not is_quick:
        monkeypatch.setattr(margin, "_QUICK", 0.0)
    X, y = overlapping()
    given = X, np.where(y, 1.0, -1.0), np.ones(len(y))
    found = margin.soft_margin(*given)
    wanted = nullcontext() if is_quick else pytest.raises(TimeIsUpError, match="largest margin")
    with watching(Watch(0.0)), wanted:
        np.testing.assert_array_equal(margin.soft_margin(*given)[0], found[0])


def test_a_machine_without_time_keeps_the_weights_of_its_program(monkeypatch):
    monkeypatch.setattr(margin, "_QUICK", 0.0)
    monkeypatch.setattr(margin, "_PER_SECOND", 1e-9)  # no system is small enough for the time
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=r"weights for class 1 are those of the linear"):
        machine = SupportFeatureMachine(C=1, max_seconds=60).fit(X, y)
    plain = SupportFeatureMachine(C=1, refit=None).fit(X, y)
    np.testing.assert_allclose(machine.coef_, plain.coef_)
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1.0)


def test_a_limit_of_somebody_else_is_no_error(monkeypatch):
    """As in the fits of a page, which have no limit of their own."""
    monkeypatch.setattr(margin, "_QUICK", 0.0)
    monkeypatch.setattr(margin, "_PER_SECOND", 1e-9)
    X, y = overlapping()
    with watching(Watch(60.0)), pytest.warns(ConvergenceWarning, match="the time is up: the we"):
        SupportFeatureMachine(C=1).fit(X, y)
