"""A fold is fitted once: the command's cross-validation serves the page and its tests."""

from __future__ import annotations

from collections import Counter

import joblib
import numpy as np
import pytest

import fewest
from fewest.cli._methods import METHODS

pytestmark = pytest.mark.usefixtures("little_work")

FOLDS = 4
N_SAMPLES = 40


@pytest.fixture
def fits(monkeypatch):
    """Every fit: the estimator's class and parameters, its samples and their classes."""
    seen = []
    classes = {getattr(fewest, method.estimator) for method in METHODS.values()}
    for cls in classes:
        own = next(base for base in cls.__mro__ if "fit" in vars(base))

        def remember(self, X, y, *more, _fit=own.fit, _cls=cls, **settings):
            if type(self) is _cls:
                parameters = {**self.get_params(), "n_jobs": None, "verbose": 0}
                key = (_cls.__name__, *map(joblib.hash, (parameters, np.asarray(X), np.asarray(y))))
                seen.append((len(y), key))
            return _fit(self, X, y, *more, **settings)

        monkeypatch.setattr(cls, "fit", remember)
    return seen


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("select", ()),
        ("select", ("--C", "inf")),
        ("select", ("--method", "sfm-cv")),
        ("select", ("--method", "weston")),
        ("select", ("--method", "liknon")),
        ("select", ("--method", "psvm", "--epsilon", 2)),
        ("select", ("--repeats", 2)),
        ("path", ("--values", 3)),
    ],
)
def test_no_fold_is_fitted_twice(run, table, tmp_path, fits, command, options):
    arguments = (command, table, "--target", "group", "--cv", FOLDS, "--seed", 3, *options)
    assert run(*arguments).code == 0
    before = Counter(key for n, key in fits if n < N_SAMPLES)
    machines = options[1] if command == "path" else 1
    repeats = options[1] if options[:1] == ("--repeats",) else 1
    assert len(before) == sum(before.values()) == machines * repeats * FOLDS
    fits.clear()
    ran = run(*arguments, "--report", tmp_path / "page.json")
    assert ran.code == 0, ran.err
    folds = Counter(key for n, key in fits if n < N_SAMPLES)
    # Permuted classes may be tried twice: a test that does not fit into the time is shortened.
    assert {key: folds[key] for key in before} == dict.fromkeys(before, 1)


def test_a_result_is_fitted_to_all_samples_once(run, table, tmp_path, fits):
    arguments = ("select", table, "--target", "group", "--C", 2, "--report", tmp_path / "p.html")
    assert run(*arguments).code == 0
    whole = Counter(key for n, key in fits if n == N_SAMPLES)
    mine = next(key for n, key in fits if n == N_SAMPLES)
    assert whole[mine] == 1
