"""The whole of scikit-learn's estimator checks, on every machine of the family."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from fewest import (
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    PotentialSVR,
    PotentialSVRCV,
)

SMALL_GRID = {"Cs": (1.0, 10.0), "epsilons": (0.1,), "cv": 2}


@parametrize_with_checks(
    [
        PotentialSVC(),
        PotentialSVC(kernel="precomputed"),
        PotentialSVR(C=np.inf, kernel="precomputed", row_objects="samples"),
        PotentialSVR(),
        PotentialSelector(),
        PotentialSelector(epsilon=1.0, n_runs=3, random_state=0),
        PotentialSVCCV(**SMALL_GRID),
        PotentialSVRCV(**SMALL_GRID),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
