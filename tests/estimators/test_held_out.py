"""The held-out loop against scikit-learn's own, and what its result knows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from fewest import Liknon, PotentialSVC, RepetitiveSelector, SupportFeatureMachine, ZeroNormSVM
from fewest._estimators.held_out import judge_costs, judge_fold, run_held_out
from fewest.datasets import make_gaussian


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=48, d=60, k=2, mu=0.8, random_state=3)


@pytest.mark.parametrize(
    "estimator", [SupportFeatureMachine(), LinearSVC(random_state=0), Liknon(C=0.1)]
)
def test_predictions_are_those_of_scikit_learn(data, estimator):
    X, y = data
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = run_held_out(estimator, X, y, cv=folds)
    predicted = cross_val_predict(estimator, X, y, cv=folds)
    decisions = cross_val_predict(estimator, X, y, cv=folds, method="decision_function")
    np.testing.assert_array_equal(found.in_order(found.predicted), predicted)
    np.testing.assert_allclose(found.in_order(found.decisions[:, 0]), decisions)
    assert found.error == pytest.approx(np.mean(predicted != y))


def test_selections_are_those_of_the_folds_alone(data):
    X, y = data
    found = run_held_out(SupportFeatureMachine(), X, y, cv=4, random_state=1)
    for fold, size, error in zip(found.folds, found.sizes, found.errors, strict=True):
        alone = SupportFeatureMachine().fit(X[fold.train], y[fold.train])
        np.testing.assert_array_equal(fold.support, alone.support_)
        assert size == alone.support_.sum()
        assert error == pytest.approx(1 - alone.score(X[fold.test], y[fold.test]))


def test_sparse_and_parallel_give_the_same(data):
    X, y = data
    plain = run_held_out(SupportFeatureMachine(), X, y, cv=3, random_state=0)
    other = run_held_out(
        SupportFeatureMachine(), sparse.csc_matrix(X), y, cv=3, random_state=0, n_jobs=2
    )
    np.testing.assert_array_equal(plain.predicted, other.predicted)
    np.testing.assert_array_equal(plain.selections, other.selections)


def test_groups_stay_together(data):
    X, y = data
    groups = np.arange(48) % 6
    found = run_held_out(SupportFeatureMachine(), X, y, cv=LeaveOneGroupOut(), groups=groups)
    assert [np.unique(groups[fold.test]).tolist() for fold in found.folds] == [
        [group] for group in range(6)
    ]


def test_columns_that_are_samples_leave_with_their_rows(data):
    X, y = data
    K = X @ X.T
    machine = PotentialSVC(epsilon=1.0, kernel="precomputed", row_objects="samples")
    found = run_held_out(machine, K, y, cv=4, random_state=0)
    for fold in found.folds:
        assert fold.supports.shape == (1, 48)
        assert not fold.support[fold.test].any()
        assert fold.support.any()


def test_an_estimator_that_selects_nothing_is_judged_without_selections(data):
    X, y = data
    found = run_held_out(KNeighborsClassifier(), X, y, cv=3)
    assert found.decisions is None
    with pytest.raises(ValueError, match="does not say which features it uses"):
        found.sizes  # noqa: B018


def test_a_selector_that_does_not_classify_is_refused(data):
    with pytest.raises(ValueError, match="repetitive selection selects, but does not classify"):
        run_held_out(RepetitiveSelector(), *data)


def test_warnings_are_kept_once(data):
    X, y = data
    machine = SupportFeatureMachine(C=1.0, max_iter=1)
    found = run_held_out(machine, X, y, cv=3)
    assert len(found.warnings) == 1
    assert "still changed after max_iter=1" in found.warnings[0]
    assert all(list(fold.warnings) == found.warnings for fold in found.folds)


def test_repeats_can_be_cut_to_the_first(data):
    X, y = data
    splits = [
        split
        for seed in (0, 1)
        for split in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, y)
    ]
    found = run_held_out(SupportFeatureMachine(), X, y, cv=splits)
    assert len(found.folds) == 6
    with pytest.raises(ValueError, match="every sample exactly once"):
        found.in_order(found.predicted)
    first = found.first(3)
    np.testing.assert_array_equal(np.sort(first.tested), np.arange(48))


def test_one_fold_does_not_change_the_estimator(data):
    X, y = data
    machine = SupportFeatureMachine()
    judge_fold(machine, X, y, None, np.arange(30), np.arange(30, 48))
    assert not hasattr(machine, "coef_")


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [SupportFeatureMachine(), ZeroNormSVM(), Liknon(), Liknon(refit="margin", standardize=False)],
)
def test_folds_along_the_costs_are_those_of_every_cost(data, estimator, classes):
    X, y = data
    y = np.digitize(X[:, 0], [0.0]) if classes == 2 else np.digitize(X[:, 0], [-0.5, 0.7])
    train, test = np.arange(0, 36), np.arange(36, 48)
    Cs = [0.003, 0.02, 0.1, 0.5]
    for C, fold in zip(Cs, judge_costs(estimator, Cs, X, y, train, test), strict=True):
        alone = judge_fold(clone(estimator).set_params(C=C), X, y, None, train, test)
        np.testing.assert_array_equal(fold.supports, alone.supports)
        np.testing.assert_allclose(fold.decisions, alone.decisions, atol=1e-6)
        assert fold.warnings == alone.warnings
