"""The whole of scikit-learn's estimator checks, on every estimator."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from fewest import (
    AccumulatedClassifier,
    NotSeparableError,
    RepetitiveSelector,
    SupportFeatureMachine,
    ZeroNormSVM,
)


@parametrize_with_checks(
    [
        SupportFeatureMachine(),
        SupportFeatureMachine(constraint="mean_margin", refit=None, class_weight=None),
        SupportFeatureMachine(C=1e3, standardize=False),
        ZeroNormSVM(C=1.0),
        RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=3),
        AccumulatedClassifier(
            RepetitiveSelector(SupportFeatureMachine(C=1.0), n_subsets=2), greedy=True, cv=2
        ),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        SupportFeatureMachine(C=np.inf),
        SupportFeatureMachine(C=np.inf, certify=5.0),
        ZeroNormSVM(C=np.inf),
    ]
)
def test_scikit_learn_contract_of_hard_machines(estimator, check):
    """Many checks use data that are not separable, which the hard machines refuse by design."""
    try:
        check(estimator)
    except Exception as error:
        if caused_by(error, NotSeparableError):
            pytest.skip("the data of this check are not separable")
        raise


def caused_by(error, kind):
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
