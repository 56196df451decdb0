"""Probabilities of every classifier of the package: none is forgotten, all are proper."""

from __future__ import annotations

import inspect
import pkgutil
import warnings
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import fewest
from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    KernelFeatureMachine,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSVC,
    PotentialSVCCV,
    RepetitiveSelector,
    SoftDoubleMinOver,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest._estimators.abilities import abilities_of
from fewest._estimators.calibration import draw_folds, score_classes
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest._estimators.splits import fit_within
from fewest.datasets import make_gaussian
from fewest.filters import WeightedVoteClassifier
from fewest.machines.classifiers import SubspaceClassifier
from fewest.single_cell._hierarchy import HierarchicalMachine

N = 45
X, Y = make_gaussian(n=N, d=N, k=4, mu=1.0, random_state=0)
SUBSETS = RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)
QUICK = {"n_splits": 2, "cv": 3, "random_state": 0}
PATHS = {"a": ("x", "a"), "b": ("x", "b"), "c": ("y", "c")}
CLASSIFIERS = {
    "sfm": SupportFeatureMachine(),
    "sfm, panel": SupportFeatureMachine(max_features=3),
    "sfm-cv": SupportFeatureMachineCV([1.0, 4.0], cv=2),
    "panel-cv": PanelSizeCV(sizes=[1, 3], cv=3),
    "union": UnionFeatureMachine(),
    "zero-norm": ZeroNormSVM(C=1.0),
    "fsv": FeatureSelectionConcave(),
    "liknon": Liknon(C=0.2),
    "liknon-cv": LiknonCV(3, **QUICK),
    "liknon-cv, ridge": LiknonCV(3, classifier=RidgeClassifier(), **QUICK),
    "liknon-cv, best": LiknonCV(3, outcome="best", **QUICK),
    "liknon-cv, ensemble": LiknonCV(3, outcome="ensemble", **QUICK),
    "min-over": SoftDoubleMinOver(),
    "min-over, rbf": SoftDoubleMinOver(kernel="rbf"),
    "vote": WeightedVoteClassifier(4),
    "kernel sfm": KernelFeatureMachine(),
    "psvc": PotentialSVC(C=np.inf, epsilon=1.5, kernel="precomputed"),
    "psvc, samples": PotentialSVC(kernel="precomputed", row_objects="samples", epsilon=1.0),
    "psvc, rbf": PotentialSVC(),
    "psvc-cv": PotentialSVCCV((10.0,), (1.0, 2.0), kernel="precomputed", cv=2),
    "psvc-cv, refined": PotentialSVCCV((1.0, 10.0), (0.1, 1.0), n_refined=2, cv=2),
    "accumulated": AccumulatedClassifier(SUBSETS),
    "accumulated, neighbours": AccumulatedClassifier(SUBSETS, classifier=KNeighborsClassifier(5)),
    "subspace": SubspaceClassifier(3),
    "hierarchy": HierarchicalMachine([SupportFeatureMachine(), SupportFeatureMachine()], PATHS),
}
TWO_CLASSES = {name for name in CLASSIFIERS if "liknon-cv" in name or "min-over" in name} | {"vote"}
MANY_CLASSES = {"hierarchy"}


def fit(estimator, X=X, y=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(X, y)


def three_classes(name):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], N // 3)
    samples = rng.standard_normal((N, N))
    samples[np.arange(N), codes] += 3.0
    return samples, np.array(["a", "b", "c"])[codes]


def test_every_classifier_is_here():
    pytest.importorskip("nilearn")
    from fewest.neuro import FewestVoxels

    known = {type(one) for one in CLASSIFIERS.values()} | {FewestVoxels}
    for module in pkgutil.walk_packages(fewest.__path__, "fewest."):
        if "._" in module.name:  # what users may fit has a public name, too
            continue
        try:
            found = import_module(module.name)
        except ImportError:  # an extra that is not installed
            continue
        for _, one in inspect.getmembers(found, inspect.isclass):
            is_own = one.__module__.startswith("fewest") and not one.__name__.startswith("_")
            is_concrete = not inspect.isabstract(one) and issubclass(one, BaseEstimator)
            if is_own and is_concrete and issubclass(one, ClassifierMixin):
                assert hasattr(one, "predict_proba") or one in known, one
                assert one in known or one.__name__.endswith("Base"), one


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name not in MANY_CLASSES])
def test_two_classes(name):
    machine = fit(CLASSIFIERS[name])
    shares = machine.predict_proba(X)
    assert shares.shape == (N, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0.0).all()
    np.testing.assert_array_equal(machine.classes_[shares.argmax(axis=1)], machine.predict(X))
    if abilities_of(machine).has_scores:
        order = np.argsort(machine.decision_function(X))
        assert (np.diff(shares[order, 1]) >= -1e-12).all()


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name not in TWO_CLASSES])
def test_many_classes(name):
    samples, labels = three_classes(name)
    machine = fit(CLASSIFIERS[name], samples, labels)
    shares = machine.predict_proba(samples)
    assert shares.shape == (N, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    agree = machine.classes_[shares.argmax(axis=1)] == machine.predict(samples)
    assert agree.all() or (name == "hierarchy" and agree.mean() > 0.9)
    assert np.mean(machine.classes_[shares.argmax(axis=1)] == labels) > 0.6


# Those that fit again in folds, and what they decide by.
FITTED_AGAIN = ["min-over", "vote", "kernel sfm", "accumulated", "subspace", "psvc", "psvc, rbf"]


@pytest.mark.parametrize("name", FITTED_AGAIN)
def test_the_temperature_is_that_of_samples_left_out(name):
    machine = fit(CLASSIFIERS[name])
    codes = (machine.classes_[1] == Y).astype(np.intp)
    scores = np.empty(N)
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, codes):
        scores[test] = fit(CLASSIFIERS[name], X[train], Y[train]).decision_function(X[test])
    wanted = fit_temperature(pair_scores(scores), codes)
    assert machine.temperature_ == pytest.approx(wanted, rel=0.01)
    own = fit_temperature(pair_scores(machine.decision_function(X)), codes)
    assert machine.temperature_ != pytest.approx(own, rel=0.01)


def test_folds_of_whole_groups():
    codes = np.tile([0, 1], 12)
    groups = np.repeat(np.arange(6), 4)
    rows, folds = draw_folds(codes, groups)
    assert len(rows) == 24
    assert len(folds) == 3
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
    assert draw_folds(np.array([0, 0, 1]))[1] == []


def test_a_class_of_one_sample_leaves_the_decisions_on_training_samples():
    y = np.where(np.arange(N) == 7, 1, 0)
    machine = fit(WeightedVoteClassifier(4), X, y)
    wanted = fit_temperature(pair_scores(machine.decision_function(X)), y)
    assert machine.temperature_ == pytest.approx(wanted)


def test_fits_within_folds_prepare_no_probabilities():
    machine = fit_within(WeightedVoteClassifier(4), X, Y, None)
    assert not hasattr(machine, "predict_proba")
    assert "_calibrates" not in vars(machine)
    assert hasattr(machine.fit(X, Y), "predict_proba")


def test_folds_leave_the_checkpoint_of_a_repetition_alone(tmp_path):
    def read():
        return {file.name: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}

    selector = RepetitiveSelector(SupportFeatureMachine(), n_subsets=2, checkpoint=tmp_path / "run")
    plain = fit(selector)
    before = read()
    machine = fit(AccumulatedClassifier(selector))
    assert before
    assert read() == before
    again = fit(AccumulatedClassifier(selector))
    assert [one.tolist() for one in again.selector_.subsets_] == [
        one.tolist() for one in plain.subsets_
    ]
    assert again.temperature_ == machine.temperature_
    assert machine.temperature_ == pytest.approx(fit(AccumulatedClassifier(SUBSETS)).temperature_)


def test_scores_of_any_classifier():
    codes = (Y > 0).astype(int)
    near = KNeighborsClassifier(3).fit(X, codes)
    np.testing.assert_allclose(
        score_classes(near, X), np.log(np.maximum(near.predict_proba(X), 0.01))
    )
    ridge = RidgeClassifier().fit(X, codes)
    np.testing.assert_allclose(score_classes(ridge, X)[:, 0], ridge.decision_function(X))

    class Silent(BaseEstimator, ClassifierMixin):
        classes_ = np.array([0, 1])

        def predict(self, X):
            return (X[:, 0] > 0).astype(int)

    np.testing.assert_array_equal(score_classes(Silent(), X).argmax(axis=1), X[:, 0] > 0)


@pytest.mark.parametrize(
    "machine",
    [
        PanelSizeCV(sizes=[5], cv=3),
        WeightedVoteClassifier(5),
        AccumulatedClassifier(RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)),
        PotentialSVC(C=np.inf, epsilon=1.5, kernel="precomputed"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_noise_is_not_called_certain(machine):
    """On noise a constant has a Brier score of 0.25; the panel's own temperature had 0.34."""
    rng = np.random.default_rng(0)
    noise, labels = rng.standard_normal((360, 150)), rng.integers(0, 2, 360)
    fitted = fit(machine, noise[:60], labels[:60])
    risk = fitted.predict_proba(noise[60:])[:, 1]
    assert brier_score_loss(labels[60:], risk) < 0.28


def test_the_panel_without_a_search_is_too_certain_on_noise():
    rng = np.random.default_rng(0)
    noise, labels = rng.standard_normal((360, 1000)), rng.integers(0, 2, 360)
    plain = fit(SupportFeatureMachine(C=10.0, max_features=5), noise[:60], labels[:60])
    searched = fit(
        PanelSizeCV(SupportFeatureMachine(C=10.0), sizes=[5], cv=3), noise[:60], labels[:60]
    )
    np.testing.assert_array_equal(plain.support_, searched.support_)
    losses = [
        brier_score_loss(labels[60:], one.predict_proba(noise[60:])[:, 1])
        for one in (plain, searched)
    ]
    assert losses[1] < losses[0] - 0.02


def test_a_hierarchy_multiplies_the_probabilities_of_its_levels():
    samples, labels = three_classes("hierarchy")
    machine = fit(CLASSIFIERS["hierarchy"], samples, labels)
    broad = machine.nodes_[()].predict_proba(samples)
    fine = machine.nodes_[("x",)].predict_proba(samples)
    wanted = np.column_stack([broad[:, :1] * fine, broad[:, 1:]])
    np.testing.assert_allclose(machine.predict_proba(samples), wanted)
