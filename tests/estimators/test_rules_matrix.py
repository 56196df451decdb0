"""Every estimator with every rule about features: it is kept, or refused with a sentence."""

from __future__ import annotations

import inspect
import pkgutil
import re
import warnings
from importlib import import_module

import numpy as np
import pandas
import pytest
from sklearn.base import BaseEstimator, clone

import fewest
from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    KernelFeatureMachine,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    PotentialSVR,
    PotentialSVRCV,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest._estimators.rules import RULE_NAMES, RuleParameters
from fewest.datasets import make_gaussian
from fewest.filters import BestFirstSelector, RankingSelector, WeightedVoteClassifier

N, D = 40, 12
X, Y = make_gaussian(n=N, d=D, k=4, mu=1.2, random_state=0)
PRECOMPUTED = {"kernel": "precomputed"}
ESTIMATORS = {
    "sfm": SupportFeatureMachine(),
    "sfm, hard": SupportFeatureMachine(C=np.inf),
    "sfm, certified": SupportFeatureMachine(C=np.inf, certify=True, max_seconds=5.0),
    "sfm, panel": SupportFeatureMachine(max_features=3),
    "sfm-cv": SupportFeatureMachineCV([1.0, 4.0], cv=2),
    "union": UnionFeatureMachine(),
    "zero-norm": ZeroNormSVM(C=1.0),
    "fsv": FeatureSelectionConcave(),
    "liknon": Liknon(C=0.2),
    "liknon-cv": LiknonCV(3, n_splits=2, cv=2, random_state=0),
    "liknon-cv, best": LiknonCV(3, n_splits=2, cv=2, outcome="best", random_state=0),
    "liknon-cv, ensemble": LiknonCV(3, n_splits=2, cv=2, outcome="ensemble", random_state=0),
    "vote": WeightedVoteClassifier(4),
    "ranking": RankingSelector(3),
    "best-first": BestFirstSelector(cv=2, patience=1),
    "kernel sfm": KernelFeatureMachine(),
    "psvc": PotentialSVC(C=np.inf, epsilon=1.5, **PRECOMPUTED),
    "psvc, box": PotentialSVC(C=2.0, epsilon=1.0, **PRECOMPUTED),
    "psvc, rbf": PotentialSVC(),
    "psvc-cv": PotentialSVCCV((10.0,), (1.0, 2.0), cv=2, **PRECOMPUTED),
    "psvr": PotentialSVR(C=np.inf, epsilon=1.5, **PRECOMPUTED),
    "psvr-cv": PotentialSVRCV((10.0,), (1.0,), cv=2, **PRECOMPUTED),
    "psvm-selector": PotentialSelector(3),
    "panel-cv": PanelSizeCV(SupportFeatureMachine(), sizes=[2, 3], cv=2),
    "repetitive": RepetitiveSelector(SupportFeatureMachine(), n_subsets=2),
    "accumulated": AccumulatedClassifier(RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)),
}
LINEAR_PROGRAMS = set(RULE_NAMES)
ONLY_LISTS = {"include", "exclude"}
PSVM = {"include", "exclude", "feature_cost"}
KEPT = {
    **dict.fromkeys(ESTIMATORS, LINEAR_PROGRAMS),
    **dict.fromkeys([name for name in ESTIMATORS if "liknon-cv" in name], PSVM | {"signs"}),
    **dict.fromkeys([name for name in ESTIMATORS if "ps" in name], PSVM),
    **dict.fromkeys(["vote", "ranking", "best-first", "kernel sfm"], ONLY_LISTS),
    "repetitive": LINEAR_PROGRAMS - {"include"},
    "accumulated": LINEAR_PROGRAMS - {"include"},
    "psvc, rbf": set(),
}
GROUPS = np.arange(D) // 2
GIVEN = {
    "include": {"include": [9, 10]},
    "exclude": {"exclude": [0, 5]},
    "feature_cost": {"feature_cost": np.where(np.arange(D) < 2, 50.0, 1.0)},
    "feature_groups": {"feature_groups": GROUPS},
    "one_per_group": {"feature_groups": GROUPS, "one_per_group": True},
    "signs": {"signs": 1},
}


def give(name, rules):
    """The estimator with rules, which may be those of the one inside."""
    estimator = clone(ESTIMATORS[name])
    parameters = estimator.get_params(deep=True)
    prefix = next(
        p for p in ("", "estimator__", "selector__estimator__") if f"{p}include" in parameters
    )
    return estimator.set_params(**{prefix + rule: value for rule, value in rules.items()})


def fit(estimator, samples=X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(samples, Y)


def test_every_estimator_with_rules_is_in_the_matrix():
    known = {type(estimator) for estimator in ESTIMATORS.values()}
    for module in pkgutil.walk_packages(fewest.__path__, "fewest."):
        if "neuro" in module.name or "plotting" in module.name:
            continue
        for _, one in inspect.getmembers(import_module(module.name), inspect.isclass):
            is_public = issubclass(one, RuleParameters) and issubclass(one, BaseEstimator)
            if is_public and not inspect.isabstract(one) and not one.__name__.endswith("Base"):
                assert one in known, one
    selecting = [one for one in known if not issubclass(one, RuleParameters)]
    assert {one.__name__ for one in selecting} == {
        "PanelSizeCV",
        "RepetitiveSelector",
        "AccumulatedClassifier",
    }


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_kept_or_refused(name, rule):
    estimator = give(name, GIVEN[rule])
    if rule not in KEPT[name]:
        with pytest.raises(ValueError, match=r"\b(use|leave|Use|Leave)\b") as caught:
            fit(estimator)
        message = str(caught.value)
        assert len(message.split()) > 6
        assert re.search("rules about features|include|feature_cost|groups?|signs", message)
        return
    fitted = fit(estimator)
    if name == "kernel sfm":
        changed = X.copy()
        changed[:, [0, 5]] += 100.0
        same = np.array_equal(fitted.decision_function(changed), fitted.decision_function(X))
        assert same == (rule == "exclude")
        return
    support = fitted.support_
    if rule == "include":
        assert support[[9, 10]].all()
    elif rule == "exclude":
        assert not support[[0, 5]].any()
        assert support.any()
    elif rule == "feature_cost":
        plain = fit(give(name, {}))
        assert support[:2].sum() <= plain.support_[:2].sum()
        assert not support[:2].all()
    elif rule == "one_per_group" and name in ("union", "repetitive", "accumulated"):
        subsets = getattr(fitted, "subsets_", None)
        subsets = fitted.selector_.subsets_ if subsets is None else subsets
        subsets = subsets[0] if name == "union" else subsets
        assert all(np.bincount(GROUPS[subset]).max() == 1 for subset in subsets)
    elif rule == "one_per_group":
        assert np.bincount(GROUPS[support]).max() == 1
    elif rule == "signs" and "liknon-cv" not in name:
        means = X[Y > 0].mean(axis=0) - X[Y < 0].mean(axis=0)
        assert (means[support] > 0).all()
    else:
        assert support.any()


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "include" in KEPT[name]])
class TestBadInput:
    frame = pandas.DataFrame(X, columns=[f"gene {j}" for j in range(D)])

    def test_names(self, name):
        rules = {"include": ["gene 9"], "exclude": ["gene 0"]}
        fitted = fit(give(name, rules), self.frame)
        by_number = fit(give(name, {"include": [9], "exclude": [0]}))
        if name == "kernel sfm":
            np.testing.assert_array_equal(fitted.dual_coef_, by_number.dual_coef_)
        else:
            np.testing.assert_array_equal(fitted.support_, by_number.support_)
            assert fitted.support_[9]
            assert not fitted.support_[0]
        if hasattr(fitted, "temperature_"):
            assert fitted.temperature_ == pytest.approx(by_number.temperature_)

    def test_unknown_names(self, name):
        with pytest.raises(ValueError, match="include names 'gene 77', .* mean 'gene 7'"):
            fit(give(name, {"include": ["gene 77"]}), self.frame)
        with pytest.raises(ValueError, match="but X has no names"):
            fit(give(name, {"exclude": ["gene 7"]}))
        with pytest.raises(ValueError, match="exclude has 12; it must be a name, or the number"):
            fit(give(name, {"exclude": [12]}))

    def test_contradictions(self, name):
        with pytest.raises(ValueError, match="feature 3: in include and in exclude"):
            fit(give(name, {"include": [3], "exclude": [3, 4]}))
        with pytest.raises(ValueError, match="exclude names every feature"):
            fit(give(name, {"exclude": np.arange(D)}))

    def test_negative_prices(self, name):
        if "feature_cost" in KEPT[name]:
            with pytest.raises(ValueError, match="positive and finite, but it is -1 for feature 2"):
                fit(give(name, {"feature_cost": {2: -1.0}}))


@pytest.mark.parametrize(
    ("estimator", "match"),
    [
        (PotentialSelector(2, include=[0, 1, 2]), "3 features, which is more than n_features=2"),
        (WeightedVoteClassifier(2, include=[0, 1, 2]), "which is more than n_features=2"),
        (RankingSelector(2, include=[0, 1, 2]), "which is more than n_features=2"),
        (LiknonCV(3, prefilter=2, include=[0, 1, 2]), "which is more than prefilter=2"),
        (SupportFeatureMachine(max_features=2, include=[0, 1, 2]), "more than max_features=2"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, BaseEstimator) else "",
)
def test_more_forced_features_than_wanted(estimator, match):
    with pytest.raises(ValueError, match=match):
        fit(estimator)


@pytest.mark.parametrize("name", ["repetitive", "accumulated"])
def test_repetition_has_no_common_feature(name):
    with pytest.raises(ValueError, match="none can be in all of them: leave include out"):
        fit(give(name, {"include": [3]}))
