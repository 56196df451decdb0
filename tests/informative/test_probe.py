"""Kernels of what remains, folds, and probes, against direct computations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut
from sklearn.preprocessing import StandardScaler

from fewest._estimators.splits import balanced_error, check_groups, require_all_classes
from fewest._solvers.columns import Columns, scale_columns
from fewest.informative import _probe
from fewest.informative._probe import COSTS, kernels_of_rest, make_folds, predict_nested, probe


@pytest.fixture
def maps():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(5), 6)
    y = np.tile([1.0, -1.0], 15)
    X = rng.standard_normal((30, 90)) * rng.uniform(0.1, 50, 90) + rng.uniform(-99, 99, 90)
    X[:, :20] += 0.8 * y[:, None] * X[:, :20].std(axis=0)
    return X, y, groups


def _columns(X, training):
    trained = scale_columns(X[training])
    return Columns(X, trained.mean, trained.inverse_scale)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32])
def test_kernels_are_those_of_the_remaining_columns(maps, form, monkeypatch):
    monkeypatch.setattr(_probe, "_WIDTH", 7)
    X, _, groups = maps
    X[:, 33] = 4.0  # constant
    training = np.flatnonzero(groups > 0)
    order = np.random.default_rng(1).permutation(90)
    blocks = np.split(order, [10, 11, 40, 85])
    Z = StandardScaler().fit(X[training]).transform(X)
    found = list(kernels_of_rest(_columns(form(X), training), blocks))
    assert len(found) == 5
    for place, K in enumerate(reversed(found)):
        rest = np.concatenate(blocks[place:])
        varying = rest[rest != 33]
        expected = Z[:, varying] @ Z[:, varying].T / len(varying)
        np.testing.assert_allclose(K, expected, atol=1e-9 if form is not np.float32 else 1e-4)


def test_no_digits_are_lost_when_few_of_many_features_remain():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 30_000)) * 1e3
    X[:, -3:] *= 1e-3
    columns = Columns(X, np.zeros(30_000), np.ones(30_000))
    last, *_ = kernels_of_rest(columns, [np.arange(29_997), np.arange(29_997, 30_000)])
    np.testing.assert_allclose(last, X[:, -3:] @ X[:, -3:].T / 3, rtol=1e-13, atol=1e-16)


def test_probe_is_a_nested_machine_on_the_rest(maps):
    X, y, groups = maps
    fold = make_folds(y, groups, None)[2]
    blocks = np.split(np.arange(90), [20, 50])
    permuted = y[np.random.default_rng(3).permutation(30)]
    errors, costs, chance = probe(
        _columns(X, fold.training),
        blocks,
        y,
        fold,
        permuted[None],
        np.array([0, 2]),
    )
    Z = StandardScaler().fit(X[fold.training]).transform(X)
    for place, start in enumerate((0, 20, 50)):
        K = Z[:, start:] @ Z[:, start:].T / (90 - start)
        for labels, measured in ((y, errors[place]), (permuted, None)):
            predicted, chosen = predict_nested(K, labels, fold, COSTS)
            if measured is not None:
                assert measured == balanced_error(labels[fold.test], predicted)
                assert costs[place] == COSTS[chosen]
            elif place != 1:
                error = balanced_error(labels[fold.test], predicted)
                assert chance[[0, 2].index(place), 0] == error
    assert errors[0] < 0.2  # the informative features are still there


def test_groups_are_left_out_one_at_a_time_inside_too(maps):
    X, y, groups = maps
    folds = make_folds(y, groups, None)
    expected = list(LeaveOneGroupOut().split(X, y, groups))
    assert len(folds) == len(expected) == 5
    for fold, (training, test) in zip(folds, expected, strict=True):
        np.testing.assert_array_equal(fold.training, training)
        np.testing.assert_array_equal(fold.test, test)
        for number in range(4):
            assert len(np.unique(groups[fold.training[fold.inner == number]])) == 1
        assert len(np.unique(fold.inner)) == 4


def test_other_folds(maps):
    X, y, groups = maps
    assert len(make_folds(y, None, None)) == 5
    for fold in make_folds(y, groups, 2):
        assert not set(groups[fold.training]) & set(groups[fold.test])
    for cv in (GroupKFold(3), KFold(3, shuffle=True, random_state=0)):
        folds = make_folds(y, groups, cv)
        for fold, (_, test) in zip(folds, cv.split(X, y, groups), strict=True):
            np.testing.assert_array_equal(fold.test, test)


def test_two_groups_leave_one_to_train_on(maps):
    _, y, groups = maps
    folds = make_folds(y, groups >= 2, None)
    assert len(folds) == 2
    for fold in folds:
        assert all(
            len(np.unique(y[fold.training[fold.inner != number]])) == 2
            for number in range(fold.inner.max() + 1)
        )


def test_bad_groups_and_folds(maps):
    _, y, groups = maps
    with pytest.raises(ValueError, match="for each of the 30 samples; got 29"):
        check_groups(groups[1:], 30)
    with pytest.raises(ValueError, match="at least two different groups"):
        check_groups(np.zeros(30), 30)
    assert check_groups(None, 30) is None
    one_sided = np.where(y > 0, groups, 99)
    with pytest.raises(ValueError, match="group 0 has samples of one class only, so"):
        require_all_classes(one_sided, y)
    with pytest.raises(ValueError, match="one class only"):
        make_folds(y, one_sided, None)
    with pytest.raises(ValueError, match="cv must be at least two folds"):
        make_folds(y, None, 1)
    with pytest.raises(ValueError, match="no sample of it in the training part of split 0"):
        make_folds(y, None, [(np.flatnonzero(y > 0), np.flatnonzero(y < 0))])
    with pytest.raises(ValueError, match="test part of split 0 does not hold both classes"):
        make_folds(y, None, [(np.arange(2, 30), np.array([0]))])
    with pytest.raises(ValueError, match="cv yields no split"):
        make_folds(y, None, [])
    with pytest.raises(ValueError, match="it has a single sample"):
        make_folds(np.array([1.0, -1.0, -1.0, 1.0, -1.0, -1.0]), np.repeat([0, 1], 3), None)
