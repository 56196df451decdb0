"""Proofs that classes overlap, checked from X alone, and silence where they do not."""

import numpy as np
import pytest
from scipy import sparse

from fewest import NotSeparableError, SupportFeatureMachine
from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.overlap import prove_overlap
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin
from fewest._solvers.result import Status
from tests.solvers.many_samples import overlapping


def hard_problems(y):
    yield unit_margin(y)
    for form in ("class_means", "mean_margin"):
        for rhs in (1.0, -1.0):
            yield support_feature_machine(y, form=form).with_rhs(rhs)


def assert_proves(problem, X, result):
    """No weights of reasonable size satisfy the constraints: prices vanish, the value does not."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    v = result.alpha * problem.y
    value = problem.margin * result.alpha.sum()
    if problem.equality is not None:
        v = v + result.multiplier * problem.equality
        value += problem.rhs * result.multiplier
    assert np.all(result.alpha >= 0.0)
    assert abs(v.sum()) <= 1e-9 * np.abs(v).sum()
    assert value > 1e8 * np.abs(Z.T @ v).max()
    assert result.status is Status.INFEASIBLE


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, np.float32])
def test_overlapping_classes(layout):
    X, y = overlapping(900, 60)
    X = np.asarray(X, dtype=np.float32).astype(float)
    for problem in hard_problems(y):
        result = prove_overlap(problem, scale_columns(layout(X)))
        assert_proves(problem, X, result)
        assert solve(problem, scale_columns(layout(X))).status is Status.INFEASIBLE


def test_few_samples_inside_the_other_class_suffice():
    """Classes far apart but for one sample of each."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1000) % 2, 1.0, -1.0)
    X = rng.standard_normal((1000, 20)) + 4.0 * y[:, None]
    X[:4] *= -1.0
    for problem in list(hard_problems(y))[:2]:
        assert_proves(problem, X, prove_overlap(problem, scale_columns(X)))


def test_nothing_is_proven_of_separable_classes():
    X, y = overlapping(600, 10)
    X[:, 3] = y * np.linspace(0.01, 1.0, len(y))
    for problem in list(hard_problems(y))[:2]:
        assert prove_overlap(problem, scale_columns(X)) is None
        assert solve(problem, scale_columns(X)).status is Status.OPTIMAL


def test_it_is_not_tried_with_more_features_than_samples():
    X, y = overlapping(450, 500)
    assert prove_overlap(unit_margin(y), scale_columns(X)) is None


def test_classes_that_touch_only():
    """A common point of both classes: no margin, but weights that leave no sample beyond it."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(500) % 2, 1.0, -1.0)
    X = np.abs(rng.standard_normal((500, 3))) * y[:, None]
    X[:2] = 0.0
    columns = scale_columns(X)
    assert solve(unit_margin(y), columns).status is Status.INFEASIBLE
    assert solve(support_feature_machine(y), columns).status is Status.OPTIMAL


def test_the_hard_machine_says_so():
    X, y = overlapping(2000, 100)
    with pytest.raises(NotSeparableError, match="cannot be separated"):
        SupportFeatureMachine(C=np.inf).fit(X, y)
