"""The whole of scikit-learn's estimator checks, on every estimator of the package."""

import unittest
from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import fewest
import fewest.filters
from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    KernelFeatureMachine,
    Liknon,
    LiknonCV,
    NotSeparableError,
    PanelSizeCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    PotentialSVR,
    PotentialSVRCV,
    RepetitiveSelector,
    SoftDoubleMinOver,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest.filters import BestFirstSelector, RankingSelector, WeightedVoteClassifier

SOFT = RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=2)
SMALL_GRID = {"Cs": (1.0, 10.0), "epsilons": (0.1,), "cv": 2}
QUICK = {"n_splits": 2, "cv": 3, "random_state": 0}

# The data of these checks are not separable, which hard machines refuse.
OVERLAPPING = {
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
}
# One program tells the three classes of these checks apart, though no class from all others.
SEPARABLE_TOGETHER = {
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
}
OVERLAPPING_CLASSES = OVERLAPPING | {
    "check_classifier_data_not_an_array",
    "check_classifiers_train",
    "check_supervised_y_2d",
}
OVERLAPPING_WEIGHTED_CLASSES = OVERLAPPING_CLASSES | {
    "check_class_weight_classifiers",
    "check_non_transformer_estimators_n_iter",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
}

# Every estimator, and the checks whose data it refuses.
ESTIMATORS = [
    (SupportFeatureMachine(), set()),
    (SupportFeatureMachine(constraint="mean_margin", refit=None, class_weight=None), set()),
    (SupportFeatureMachine(C=1e3, standardize=False), set()),
    (SupportFeatureMachine(C=np.inf), OVERLAPPING_WEIGHTED_CLASSES - SEPARABLE_TOGETHER),
    (
        SupportFeatureMachine(C=np.inf, certify=True, max_seconds=5.0),
        OVERLAPPING_WEIGHTED_CLASSES,
    ),
    (UnionFeatureMachine(), set()),
    (UnionFeatureMachine(C=np.inf), OVERLAPPING_WEIGHTED_CLASSES),
    (SupportFeatureMachineCV(n_Cs=3, cv=2), set()),
    (PanelSizeCV(cv=2), set()),
    (SupportFeatureMachineCV([0.5, 5.0], cv=2, one_standard_error=False), set()),
    (
        SupportFeatureMachineCV(
            n_Cs=2, cv=2, refit=None, constraint="mean_margin", class_weight=None
        ),
        set(),
    ),
    (ZeroNormSVM(C=1.0), set()),
    (ZeroNormSVM(), OVERLAPPING_WEIGHTED_CLASSES - SEPARABLE_TOGETHER),
    (FeatureSelectionConcave(), set()),
    (Liknon(), set()),
    (Liknon(C=0.1, refit="margin"), set()),
    (Liknon(C=2.0, standardize=False, class_weight="balanced", refit="margin"), set()),
    (LiknonCV(3, **QUICK), set()),
    (LiknonCV(3, outcome="best", **QUICK), set()),
    (LiknonCV(3, outcome="ensemble", standardize=False, **QUICK), set()),
    (KernelFeatureMachine(), set()),
    (KernelFeatureMachine(kernel="polynomial", refit=None), set()),
    (SoftDoubleMinOver(max_iter=2000), set()),
    (SoftDoubleMinOver(kernel="rbf", max_iter=2000), set()),
    (SoftDoubleMinOver(class_weight="balanced", max_iter=2000), set()),
    (RankingSelector(2, criterion="relief"), set()),
    (BestFirstSelector(cv=2, patience=1), set()),
    (BestFirstSelector(direction="backward", cv=2, patience=1), set()),
    (WeightedVoteClassifier(), set()),
    (WeightedVoteClassifier(n_features=None), set()),
    (PotentialSVC(), set()),
    (PotentialSVC(kernel="precomputed"), set()),
    (PotentialSVR(), set()),
    (PotentialSVR(C=np.inf, kernel="precomputed", row_objects="samples"), set()),
    (PotentialSVCCV(**SMALL_GRID), set()),
    (PotentialSVRCV(**SMALL_GRID), set()),
    (PotentialSelector(), set()),
    (PotentialSelector(epsilon=1.0, n_runs=3, random_state=0), set()),
    (RepetitiveSelector(n_subsets=2), OVERLAPPING - SEPARABLE_TOGETHER),
    (SOFT, set()),
    (AccumulatedClassifier(), OVERLAPPING_CLASSES - SEPARABLE_TOGETHER),
    (AccumulatedClassifier(SOFT, greedy=True, cv=2), set()),
]
REFUSED = {repr(estimator): refused for estimator, refused in ESTIMATORS}
# What scikit-learn itself skips unless the environment asks for it.
SKIPPED = {"check_array_api_input"}


@parametrize_with_checks([estimator for estimator, _ in ESTIMATORS])
def test_scikit_learn_contract(estimator, check):
    """Every check passes, or is refused or skipped as the tables above say: none can hide."""
    name = check.func.__name__
    if name in REFUSED[repr(estimator)]:
        with pytest.raises((ValueError, AssertionError)) as caught:
            check(estimator)
        assert caused_by(caught.value, NotSeparableError)
        return
    try:
        check(estimator)
    except unittest.SkipTest:
        assert name in SKIPPED, f"{name} is skipped"


def caused_by(error, kind):
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def test_how_many_checks_are_refused():
    counts = Counter(len(refused) for _, refused in ESTIMATORS)
    assert counts == {0: len(ESTIMATORS) - 6, 12: 1, 15: 1, 20: 2, 26: 2}
    assert len(REFUSED) == len(ESTIMATORS)


@pytest.mark.parametrize("room", [fewest, fewest.filters])
def test_every_estimator_is_in_the_list(room):
    exported = [getattr(room, name) for name in room.__all__]
    classes = {one for one in exported if isinstance(one, type) and issubclass(one, BaseEstimator)}
    assert classes
    assert classes <= {type(estimator) for estimator, _ in ESTIMATORS}
