"""Parameters of one name mean the same in every estimator, and defaults agree."""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import clone

import fewest
from fewest import (
    AccumulatedClassifier,
    LiknonCV,
    PotentialSVCCV,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
)
from fewest.datasets import make_gaussian

CLASSES = [
    one
    for name in fewest.__all__
    if isinstance(one := getattr(fewest, name), type) and hasattr(one, "fit")
]
DEFAULTS = {"n_jobs": None, "verbose": 0, "random_state": None, "checkpoint": None}
SOFT = RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)


@pytest.mark.parametrize("kind", CLASSES)
def test_defaults_and_keywords(kind):
    parameters = inspect.signature(kind).parameters
    for name, default in DEFAULTS.items():
        assert name not in parameters or parameters[name].default is default
    others = [one for one in parameters.values() if one.kind is not one.KEYWORD_ONLY]
    assert len(others) <= 2
    assert not {"n_values", "n_repetitions", "max_subsets", "time_limit", "seconds"} & {*parameters}
    groups = inspect.signature(kind.fit).parameters.get("groups")
    assert groups is None or (groups.kind is groups.KEYWORD_ONLY and groups.default is None)


@pytest.mark.parametrize(
    "estimator",
    [
        SupportFeatureMachineCV([1.0], cv=2),
        LiknonCV(2, cv=2, n_splits=2, random_state=0),
        PotentialSVCCV((1.0,), (0.1,), cv=2, kernel_grid={"gamma": [0.1, 1.0]}),
        SOFT,
        AccumulatedClassifier(SOFT, greedy=True, cv=2),
        SupportFeatureMachine(multi_class="separate"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_one_is_a_bar_and_two_is_text_as_well(estimator, capsys):
    pytest.importorskip("tqdm")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15) if isinstance(estimator, LiknonCV) else np.repeat([0, 1, 2], 10)
    X = rng.standard_normal((30, 8))
    X[np.arange(30), y] += 5.0
    estimator = clone(estimator)
    estimator.set_params(verbose=0).fit(X, y)
    assert capsys.readouterr() == ("", "")
    estimator.set_params(verbose=1).fit(X, y)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "%|" in printed.err
    estimator.set_params(verbose=2).fit(X, y)
    assert "%|" in capsys.readouterr().err


def test_random_states_of_scikit_learn_only():
    X, y = make_gaussian(n=30, d=6, k=2, mu=1.5, random_state=0)
    for random_state in (None, 3, np.random.RandomState(3)):
        LiknonCV(2, cv=2, n_splits=2, random_state=random_state).fit(X, y)
        SupportFeatureMachineCV([1.0], cv=2, random_state=random_state).fit(X, y)
    with pytest.raises(ValueError, match="cannot be used to seed"):
        LiknonCV(2, cv=2, random_state=np.random.default_rng(0)).fit(X, y)


def test_every_public_module_says_what_it_offers():
    missing = []
    for module in pkgutil.walk_packages(fewest.__path__, "fewest."):
        if any(part.startswith("_") for part in module.name.split(".")):
            continue
        try:
            found = import_module(module.name)
        except ImportError:  # an extra that is not installed
            continue
        if not hasattr(found, "__all__"):
            missing.append(module.name)
    assert not missing
