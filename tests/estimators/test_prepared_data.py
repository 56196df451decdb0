"""X is standardised once per fit, and once per split of it; never again for the same rows."""

import sys

import numpy as np
import pytest

from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest._solvers import columns
from fewest.datasets import make_gaussian
from fewest.machines.transvariation import histogram_C

SOFT = SupportFeatureMachine(C=1.0)
HARD = SupportFeatureMachine(C=np.inf)
N = 48


@pytest.fixture
def seen(monkeypatch):
    """Numbers of rows of all matrices that are standardised from here on."""
    rows = []
    original = columns.scale_columns

    def counting(X, **settings):
        rows.append(X.shape[0])
        return original(X, **settings)

    for module in list(sys.modules.values()):
        if getattr(module, "scale_columns", None) is original:
            monkeypatch.setattr(module, "scale_columns", counting)
    return rows


@pytest.mark.parametrize(
    ("estimator", "n_splits"),
    [
        (SOFT, 0),
        (HARD, 0),
        (UnionFeatureMachine(n_subsets=3), 0),
        (ZeroNormSVM(), 0),
        (Liknon(C=0.1), 0),
        (FeatureSelectionConcave(), 0),
        (SupportFeatureMachineCV(), 5),
        (SupportFeatureMachineCV([1.0, np.inf], cv=3), 3),
        (LiknonCV(5, cv=3, n_splits=2, random_state=0), 6),
        (LiknonCV(5, cv=3, n_splits=2, standardize=False, prefilter=10, random_state=0), 6),
        (LiknonCV(Cs=[0.01, 0.1], cv=3, n_splits=2, outcome="best", random_state=0), 6),
        # Three folds find the temperature of their probabilities.
        (PotentialSVC(kernel="precomputed"), 3),
        (PotentialSVC(), 3),
        (PotentialSVCCV((1.0,), (0.1, 1.0), cv=4), 4),
        (PotentialSelector(), 0),
        (PotentialSelector(n_runs=3, random_state=0), 3),
        (RepetitiveSelector(n_subsets=3), 0),
        (RepetitiveSelector(Liknon(C=0.1), n_subsets=3), 0),
        (RepetitiveSelector(FeatureSelectionConcave(), n_subsets=3), 0),
        (RepetitiveSelector(UnionFeatureMachine(standardize=False), n_subsets=2), 0),
        (AccumulatedClassifier(RepetitiveSelector(SOFT, n_subsets=2)), 3),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_once_per_fit_and_per_split(seen, estimator, n_splits):
    X, y = make_gaussian(n=N, d=30, k=4, mu=1.5, random_state=0)
    estimator.fit(X, y)
    assert seen.count(N) == 1
    assert len(seen) == 1 + n_splits


def test_a_rule_of_the_user_standardises_for_itself(seen):
    X, y = make_gaussian(n=N, d=30, k=4, mu=1.5, random_state=0)
    LiknonCV(Cs=histogram_C, cv=3, n_splits=2, random_state=0).fit(X, y)
    assert len(seen) == 1 + 6 + 6


def test_one_class_per_hyperplane_shares_the_columns(seen):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 16)
    X = rng.standard_normal((N, 20))
    X[np.arange(N), y] += 5.0
    for estimator in (SOFT, SupportFeatureMachineCV([1.0], cv=2), RepetitiveSelector(n_subsets=2)):
        seen.clear()
        estimator.fit(X, y)
        assert seen.count(N) == 1


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("machine", [FeatureSelectionConcave, UnionFeatureMachine])
def test_masked_columns_give_what_a_fit_to_the_rest_gives(machine, standardize):
    X, y = make_gaussian(n=40, d=60, k=8, mu=1.2, random_state=1)
    X = X * np.linspace(0.5, 2.0, 60)
    found = RepetitiveSelector(machine(standardize=standardize), n_subsets=3).fit(X, y)
    rest = X.copy()
    for subset, coef in zip(found.subsets_, found.coefs_, strict=True):
        cold = machine(standardize=standardize).fit(rest, y)
        assert np.flatnonzero(cold.support_).tolist() == subset.tolist()
        np.testing.assert_allclose(cold.coef_[0, subset], coef, rtol=1e-6)
        rest[:, subset] = 0.0
