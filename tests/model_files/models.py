"""One small fitted estimator of every kind, and what must be the same after loading it."""

from __future__ import annotations

import dataclasses
import warnings
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import fewest
from fewest.datasets import make_gaussian
from fewest.filters import BestFirstSelector, RankingSelector, WeightedVoteClassifier

X, Y = make_gaussian(n=36, d=9, k=3, mu=1.5, random_state=0)
X_NEW, _ = make_gaussian(n=25, d=9, k=3, mu=1.0, random_state=1)
THREE = np.where(X[:, 5] > 0.8, 2, (Y > 0).astype(int))
WEIGHTS = {0: 1, 1: 2.5, 2: 1}


def _repetitive(**parameters: Any) -> Any:
    return fewest.RepetitiveSelector(fewest.SupportFeatureMachine(C=5.0), n_subsets=2, **parameters)


def _profile(**parameters: Any) -> Any:
    return fewest.LiknonCV(n_Cs=4, cv=2, n_splits=2, random_state=0, **parameters)


# Name: estimator, and the data for fit.
CASES: dict[str, tuple[Any, Any, Any]] = {
    "sfm": (fewest.SupportFeatureMachine(C=2.0), X, Y),
    "sfm, three classes": (
        fewest.SupportFeatureMachine(class_weight={0: 1, 1: 2.5, 2: 1}),
        X,
        THREE,
    ),
    "sfm, sparse": (fewest.SupportFeatureMachine(refit=None), sparse.csr_matrix(X), Y),
    "sfm, certified": (fewest.SupportFeatureMachine(C=np.inf, certify=True), X, Y),
    "panel_cv": (fewest.PanelSizeCV(sizes=[1, 3], cv=2), X, Y),
    "sfm_cv": (fewest.SupportFeatureMachineCV(n_Cs=2, cv=2), X, Y),
    "sfm_cv, one subset": (
        fewest.SupportFeatureMachineCV([0.5, np.inf], n_subsets=1, cv=2),
        X,
        Y,
    ),
    "zero norm": (fewest.ZeroNormSVM(C=np.inf), X, Y),
    "liknon": (fewest.Liknon(C=0.1), X, Y),
    "liknon_cv": (_profile(), X, Y),
    "liknon_cv, best": (_profile(outcome="best"), X, Y),
    "liknon_cv, ensemble": (_profile(outcome="ensemble"), X, Y),
    "liknon_cv, svc": (_profile(classifier=SVC(kernel="rbf")), X, Y),
    "union": (fewest.UnionFeatureMachine(), X, THREE),
    "repetitive": (_repetitive(), X, Y),
    "repetitive, three classes": (_repetitive(), X, THREE),
    "accumulated": (fewest.AccumulatedClassifier(_repetitive()), X, Y),
    "accumulated, three classes": (fewest.AccumulatedClassifier(_repetitive()), X, THREE),
    "accumulated, greedy": (
        fewest.AccumulatedClassifier(
            _repetitive(),
            greedy=True,
            classifier=make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
            cv=2,
        ),
        X,
        Y,
    ),
    "psvc": (fewest.PotentialSVC(epsilon=0.5), X, THREE),
    "psvc, precomputed": (
        fewest.PotentialSVC(epsilon=0.5, kernel="precomputed", row_objects="samples", refit=True),
        rbf_kernel(X),
        Y,
    ),
    "psvc, sparse": (fewest.PotentialSVC(kernel="linear"), sparse.csr_array(X), Y),
    "psvc, row objects": (fewest.PotentialSVC(kernel="plummer", row_objects=X[:5]), X, Y),
    "psvr": (fewest.PotentialSVR(), X, X[:, 0] ** 2),
    "psvc_cv": (
        fewest.PotentialSVCCV([1.0, np.inf], [0.1], kernel_grid={"gamma": [0.1, "scale"]}, cv=2),
        X,
        Y,
    ),
    "psvc_cv, odd grid": (
        fewest.PotentialSVCCV(
            [1.0],
            [0.1],
            kernel_grid=[
                {"kernel": ["rbf"], "gamma": [np.float64(0.1), "scale"]},
                {"kernel": ["euclidean"], "kernel_params": [{"squared": True}, None]},
            ],
            cv=2,
        ),
        X,
        Y,
    ),
    "psvr_cv": (fewest.PotentialSVRCV([1.0], [0.1, 0.5], cv=2), X, X[:, 0]),
    "potential selector": (fewest.PotentialSelector(3, n_runs=3, random_state=0), X, THREE),
    "fsv": (fewest.FeatureSelectionConcave(), X, Y),
    "min_over": (fewest.SoftDoubleMinOver(), X, Y),
    "min_over, kernel": (fewest.SoftDoubleMinOver(kernel="rbf"), X, Y),
    "best first": (BestFirstSelector(cv=2, patience=1), X, Y),
    "kernel feature machine": (fewest.KernelFeatureMachine(), X, THREE),
    "kernel feature machine, rules": (fewest.KernelFeatureMachine(exclude=[2, 8]), X, Y),
    "psvc, rules": (
        fewest.PotentialSVC(
            epsilon=0.5, kernel="precomputed", include=[4], exclude=[0], feature_cost={1: 2.0}
        ),
        X,
        THREE,
    ),
    "liknon_cv, rules": (_profile(outcome="best", include=[4], signs={0: 1}), X, Y),
    "sfm, certified under rules": (
        fewest.SupportFeatureMachine(C=np.inf, certify=True, feature_cost={0: 2.0}, include=[4]),
        X,
        Y,
    ),
    "ranking": (RankingSelector(3, include=[5]), X, Y),
    "weighted vote": (WeightedVoteClassifier(4), X, Y),
}


@cache
def fitted(name: str) -> Any:
    """The estimator of this case; do not change it."""
    estimator, samples, labels = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(samples, labels)


def new_samples(name: str) -> Any:
    """Samples that the estimator of this case has not seen."""
    samples = CASES[name][1]
    if sparse.issparse(samples):
        return type(samples)(X_NEW)
    return rbf_kernel(X_NEW, X) if samples.shape[1] == len(X) else X_NEW


def assert_same_answers(one: Any, two: Any, samples: Any) -> None:
    """Predictions, scores and transformed samples agree bit for bit."""
    for method in ("predict", "decision_function", "transform", "predict_proba"):
        assert hasattr(one, method) == hasattr(two, method)
        if hasattr(one, method):
            assert_same(_answer(one, method, samples), _answer(two, method, samples), method)


def _answer(estimator: Any, method: str, samples: Any) -> Any:
    try:
        return getattr(estimator, method)(samples)
    except AttributeError as error:  # the classifier inside an AccumulatedClassifier has none
        return str(error)


def assert_same(one: Any, two: Any, where: str) -> None:
    """Equal in type, shape and every bit, all the way down."""
    assert type(one) is type(two), where
    if isinstance(one, np.ndarray):
        assert one.dtype == two.dtype, where
        assert one.shape == two.shape, where
        if one.dtype == object:
            assert one.tolist() == two.tolist(), where
        else:
            assert one.tobytes() == two.tobytes(), where
    elif sparse.issparse(one):
        assert one.shape == two.shape
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(one, part), getattr(two, part), f"{where}.{part}")
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_same(getattr(one, field.name), getattr(two, field.name), f"{where}.{field.name}")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(two), where
        for place, (a, b) in enumerate(zip(one, two, strict=True)):
            assert_same(a, b, f"{where}[{place}]")
    elif isinstance(one, dict):
        assert list(one) == list(two), where
        for key in one:
            assert_same(one[key], two[key], f"{where}[{key!r}]")
    elif hasattr(one, "get_params"):
        assert_same_estimator(one, two, where)
    elif isinstance(one, (float, np.floating)):
        assert np.array(one).tobytes() == np.array(two).tobytes(), where
    elif type(one).__name__ in ("KDTree", "BallTree"):
        assert np.array_equal(one.data, two.data), where
    else:
        assert one == two, where


def assert_same_estimator(one: Any, two: Any, where: str = "") -> None:
    """The same class with the same parameters and fitted attributes."""
    assert type(one) is type(two), where
    assert sorted(vars(one)) == sorted(vars(two)), where
    for name in vars(one):
        assert_same(vars(one)[name], vars(two)[name], f"{where}.{name}")
