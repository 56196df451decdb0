"""The whole of scikit-learn's estimator checks, on every estimator."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from fewest import SupportFeatureMachine

ESTIMATORS = [
    SupportFeatureMachine(),
    SupportFeatureMachine(constraint="mean_margin", refit=None, class_weight=None),
    SupportFeatureMachine(C=1e3, standardize=False),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_hard_machine_keeps_its_parameters():
    # The hard machine refuses data that are not separable, which several checks use, so that it
    # is checked for the parameter contract only.
    machine = SupportFeatureMachine(C=np.inf)
    assert machine.get_params()["C"] == np.inf
    assert machine.set_params(C=2.0).C == 2.0
