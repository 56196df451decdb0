"""Every estimator inside what users of scikit-learn put around it."""

import copy
import io
import pickle
import warnings

import joblib
import numpy as np
import pandas
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.model_files.models import (
    CASES,
    X_NEW,
    X,
    Y,
    assert_same_answers,
    assert_same_estimator,
    fitted,
    new_samples,
)

# A parameter to search for every class; all other tests go over the whole list of cases.
GRIDS = {
    "sfm": {"C": [0.5, 5.0]},
    "sfm_cv": {"n_Cs": [2, 3]},
    "panel_cv": {"sizes": [[1, 2], [1, 3]]},
    "zero norm": {"C": [1.0, np.inf]},
    "liknon": {"C": [0.01, 0.1]},
    "liknon_cv": {"n_splits": [1, 2]},
    "union": {"n_subsets": [1, 2]},
    "repetitive": {"estimator__C": [1.0, 2.0]},
    "accumulated": {"selector__estimator__C": [1.0, 2.0]},
    "psvc": {"epsilon": [0.1, 1.0]},
    "psvr": {"epsilon": [0.1, 1.0]},
    "psvc_cv": {"refit": [True, False]},
    "psvr_cv": {"refit": [True, False]},
    "potential selector": {"n_features": [2, 4]},
    "fsv": {"lam": [0.05, 0.2]},
    "min_over": {"C": [0.1, 1.0]},
    "weighted vote": {"n_features": [2, 4]},
    "best first": {"patience": [1, 2]},
    "ranking": {"n_features": [2, 4]},
    "kernel feature machine": {"C": [1.0, 5.0]},
}
# Its search is compiled for every kind of array: half a minute here, and nothing new to learn.
QUICK = [name for name in CASES if name != "sfm, certified"]
ON_VECTORS = [name for name in QUICK if CASES[name][1] is X]
SELECTORS = [name for name in ON_VECTORS if hasattr(CASES[name][0], "get_support")]
FRAME = pandas.DataFrame(X, columns=[f"gene {number}" for number in range(X.shape[1])])
GROUPS = np.arange(len(X)) // 3


@pytest.fixture(autouse=True)
def _quiet():
    """Folds of a dozen samples make machines doubt; that is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def predictor(name):
    """An unfitted estimator that predicts: a selector gets a classifier behind it."""
    estimator = clone(CASES[name][0])
    return estimator if hasattr(estimator, "predict") else make_pipeline(estimator, SVC())


def test_every_class_has_a_grid():
    assert {type(CASES[name][0]) for name in GRIDS} == {type(case[0]) for case in CASES.values()}


@pytest.mark.parametrize("name", ON_VECTORS)
def test_pipeline(name):
    """The scaler changes nothing but the numbers: the pipeline answers like its steps by hand."""
    y = CASES[name][2]
    pipeline = make_pipeline(StandardScaler(), predictor(name)).fit(X, y)
    scaler = StandardScaler().fit(X)
    alone = predictor(name).fit(scaler.transform(X), y)
    expected = alone.predict(scaler.transform(X_NEW))
    np.testing.assert_array_equal(pipeline.predict(X_NEW), expected)
    assert 0.0 < pipeline.score(X, y) <= 1.0


@pytest.mark.parametrize("name", SELECTORS)
def test_selector_before_a_classifier(name):
    y = CASES[name][2]
    pipeline = make_pipeline(clone(CASES[name][0]), SVC()).fit(X, y)
    support = pipeline[0].get_support()
    expected = SVC().fit(X[:, support], y).predict(X_NEW[:, support])
    np.testing.assert_array_equal(pipeline.predict(X_NEW), expected)


@pytest.mark.parametrize("name", GRIDS)
def test_grid_search(name):
    estimator, y = predictor(name), CASES[name][2]
    prefix = "" if hasattr(CASES[name][0], "predict") else f"{estimator.steps[0][0]}__"
    grid = {f"{prefix}{key}": values for key, values in GRIDS[name].items()}
    search = GridSearchCV(estimator, grid, cv=2, error_score="raise").fit(X, y)
    (key,) = grid
    best = clone(estimator).set_params(**{key: search.best_params_[key]}).fit(X, y)
    np.testing.assert_array_equal(search.predict(X_NEW), best.predict(X_NEW))


@pytest.mark.parametrize("name", ON_VECTORS)
def test_cross_validation_with_groups(name):
    """The outer folds keep groups together, whatever the estimator does inside."""
    y = CASES[name][2]
    result = cross_validate(
        predictor(name),
        X,
        y,
        groups=GROUPS,
        cv=GroupKFold(2),
        error_score="raise",
        return_indices=True,
    )
    assert np.isfinite(result["test_score"]).all()
    for train, test in zip(result["indices"]["train"], result["indices"]["test"], strict=True):
        assert not set(GROUPS[train]) & set(GROUPS[test])


class WatchedFolds(GroupKFold):
    """Folds that remember the groups they were asked to keep together."""

    seen: list

    def split(self, X, y=None, groups=None):
        type(self).seen.append(groups)
        return super().split(X, y, groups)


@pytest.mark.parametrize("name", ["sfm_cv", "liknon_cv", "psvc_cv", "psvr_cv"])
def test_groups_reach_the_inner_folds(name):
    """With metadata routing, estimators that split for themselves get the groups too."""
    WatchedFolds.seen = []
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = clone(CASES[name][0]).set_params(cv=WatchedFolds(2))
        estimator.set_fit_request(groups=True)
        cross_validate(
            estimator,
            X,
            CASES[name][2],
            params={"groups": GROUPS},
            cv=GroupKFold(2),
            error_score="raise",
        )
    assert len(WatchedFolds.seen) == 2
    for groups in WatchedFolds.seen:
        assert 0 < len(groups) < len(X)
        assert set(groups) < set(GROUPS)


@pytest.mark.parametrize("name", SELECTORS)
def test_pandas_in_and_out(name):
    y = CASES[name][2]
    selector = clone(CASES[name][0]).set_output(transform="pandas").fit(FRAME, y)
    out = selector.transform(FRAME)
    assert isinstance(out, pandas.DataFrame)
    assert list(out.columns) == selector.get_feature_names_out().tolist()
    pandas.testing.assert_frame_equal(out, FRAME.loc[:, selector.get_support()])
    plain = clone(CASES[name][0]).fit(X, y)
    np.testing.assert_array_equal(plain.get_support(), selector.get_support())


@pytest.mark.parametrize("name", ON_VECTORS)
def test_columns_in_another_order_are_refused(name):
    estimator = clone(CASES[name][0]).fit(FRAME, CASES[name][2])
    method = "predict" if hasattr(estimator, "predict") else "transform"
    with pytest.raises(ValueError, match="feature names should match"):
        getattr(estimator, method)(FRAME[FRAME.columns[::-1]])


@pytest.mark.parametrize("name", CASES)
def test_clone_keeps_parameters_only(name):
    one = fitted(name)
    two = clone(one)
    assert repr(two.get_params()) == repr(clone(CASES[name][0]).get_params())
    assert not [key for key in vars(two) if key.endswith("_")]
    assert is_classifier(one) == is_classifier(two)
    assert is_regressor(one) == is_regressor(two)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", ["pickle", "deepcopy", "joblib"])
def test_copies_answer_alike(name, way):
    one = fitted(name)
    if way == "pickle":
        two = pickle.loads(pickle.dumps(one))
    elif way == "deepcopy":
        two = copy.deepcopy(one)
    else:
        stream = io.BytesIO()
        joblib.dump(one, stream)
        stream.seek(0)
        two = joblib.load(stream)
    assert_same_estimator(one, two)
    assert_same_answers(one, two, new_samples(name))


def test_processes():
    """All estimators at once: what other processes fit is what this one fits."""
    tasks = [(clone(CASES[name][0]), *CASES[name][1:]) for name in QUICK]
    found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(_fit)(*task) for task in tasks)
    for name, estimator in zip(QUICK, found, strict=True):
        assert_same_answers(estimator, fitted(name), new_samples(name))


def _fit(estimator, samples, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(samples, labels)


def test_searches_in_processes_agree_with_one_process():
    results = [
        GridSearchCV(predictor("sfm"), GRIDS["sfm"], cv=2, n_jobs=n_jobs).fit(X, Y)
        for n_jobs in (1, 2)
    ]
    first, second = (search.cv_results_["mean_test_score"] for search in results)
    np.testing.assert_array_equal(first, second)
