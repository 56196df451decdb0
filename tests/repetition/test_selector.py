"""What the selector tells, when it ends, and what it refuses."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

from fewest import Liknon, NotSeparableError, RepetitiveSelector, SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.repetition import selector as module
from tests.platforms import needs


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=30, d=300, k=40, mu=0.8, random_state=0)


def soft(C=1.0):
    return SupportFeatureMachine(C=C, refit=None)


def test_attributes_agree_with_each_other(data):
    X, y = data
    selector = RepetitiveSelector().fit(X, y)
    together = np.concatenate(selector.subsets_)
    assert len(np.unique(together)) == len(together) == selector.support_.sum()
    assert sorted([*together, *selector.remaining_]) == list(range(X.shape[1]))
    assert selector.sizes_.tolist() == [len(subset) for subset in selector.subsets_]
    ranked = selector.sizes_[selector.ranking_]
    assert np.all(np.diff(ranked) >= 0)
    ties = np.diff(ranked) == 0
    assert np.all(np.diff(selector.ranking_)[ties] > 0)


@pytest.mark.parametrize("refit", ["margin", None])
def test_hyperplanes_refer_to_X_as_it_was_given(data, refit):
    X, y = data
    X = X * np.linspace(1, 50, X.shape[1]) + 7
    selector = RepetitiveSelector(SupportFeatureMachine(C=0.4, refit=refit), n_subsets=12).fit(X, y)
    for subset, coef, intercept, error in zip(
        selector.subsets_,
        selector.coefs_,
        selector.intercepts_,
        selector.training_errors_,
        strict=True,
    ):
        scores = X[:, subset] @ coef + intercept
        tied = np.abs(scores) <= 1e-6 * np.abs(scores).max()  # rounding decides about these
        wrong = selector.classes_[(scores > 0).astype(int)] != y  # the rule of `predict`
        assert np.mean(wrong & ~tied) <= error <= np.mean(wrong | tied)
        assert refit is None or not tied.any()
    assert selector.training_errors_.max() > 0


def test_a_sample_on_the_hyperplane_counts_for_the_first_class():
    # Whole numbers: both samples at zero lie on the hyperplane, one of either class.
    X = np.array([[-3.0], [-1.0], [0.0], [0.0], [1.0], [3.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    machine = SupportFeatureMachine(C=0.5, refit=None).fit(X, y)
    selector = RepetitiveSelector(SupportFeatureMachine(C=0.5, refit=None)).fit(X, y)
    assert selector.training_errors_[0] == np.mean(machine.predict(X) != y) == 1 / 6


def test_transform_takes_the_smallest_subsets_in_column_order(data):
    X, y = data
    selector = RepetitiveSelector(n_subsets=6).fit(X, y)
    first = [selector.subsets_[place] for place in selector.ranking_[:3]]
    expected = np.sort(np.concatenate(first))
    assert np.array_equal(selector.features(3), expected)
    assert np.array_equal(selector.transform(X, n_subsets=3), X[:, expected])
    assert np.array_equal(selector.transform(X), X[:, selector.support_])
    with pytest.raises(ValueError, match="n_subsets=7, but only 6 were found"):
        selector.transform(X, n_subsets=7)
    with pytest.raises(ValueError, match="n_subsets must be a whole number"):
        selector.transform(X, n_subsets=0)


def test_names_of_a_data_frame(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"voxel {j}" for j in range(X.shape[1])])
    selector = RepetitiveSelector(n_subsets=2).fit(frame, y)
    named = selector.get_feature_names_out()
    assert named.tolist() == [f"voxel {j}" for j in np.flatnonzero(selector.support_)]


def test_ends_before_the_training_error_exceeds_the_limit(data):
    X, y = data
    free = RepetitiveSelector(soft(0.5)).fit(X, y)
    limit = float(np.median(free.training_errors_))
    limited = RepetitiveSelector(soft(0.5), max_training_error=limit).fit(X, y)
    end = int(np.argmax(free.training_errors_ > limit))
    assert limited.stop_reason_ == "training error"
    assert len(limited.subsets_) == end > 0
    assert limited.training_errors_.max() <= limit


def test_ends_when_few_features_are_left(data):
    X, y = data
    selector = RepetitiveSelector(min_features=200).fit(X, y)
    assert selector.stop_reason_ == "features used up"
    assert len(selector.remaining_) < 200 <= len(selector.remaining_) + selector.sizes_[-1]


def test_uses_up_every_feature_where_each_separates():
    X = np.array([[0.0, 1.0, 5.0, 2.0]] * 2 + [[1.0, 0.0, 5.0, 3.0]] * 2)
    X += 0.001 * np.arange(4)[:, None]
    X[:, 2] = 5.0
    selector = RepetitiveSelector().fit(X, [0, 0, 1, 1])
    assert selector.sizes_.tolist() == [1, 1, 1]
    assert selector.stop_reason_ == "features used up"
    assert selector.remaining_.tolist() == [2]


def test_ends_where_a_soft_machine_selects_nothing(data):
    with pytest.warns(UserWarning, match="no feature was selected"):
        selector = RepetitiveSelector(Liknon(C=0.08)).fit(*data)
    assert selector.stop_reason_ == "nothing selected"
    assert selector.sizes_.min() > 0


def test_nothing_found_is_an_error():
    X, y = make_gaussian(n=60, d=5, k=1, mu=0.1, random_state=0)
    with pytest.raises(NotSeparableError, match="Allow errors with a finite C"):
        RepetitiveSelector().fit(X, y)
    with pytest.raises(ValueError, match="even the first machine has a training error"):
        RepetitiveSelector(soft(), max_training_error=0.0).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_subsets": 0}, "n_subsets must be a whole number of at least one; got 0"),
        ({"min_features": 1.5}, "min_features must be a whole number"),
        ({"max_training_error": -0.1}, "max_training_error must be a number between 0 and 1"),
        ({"max_training_error": "low"}, "max_training_error must be a number between 0 and 1"),
    ],
)
def test_bad_parameters(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        RepetitiveSelector(**parameters).fit(*data)


def test_one_class_is_refused(data):
    with pytest.raises(ValueError, match="only one class: 7"):
        RepetitiveSelector().fit(data[0], np.full(30, 7))


def test_interrupt_keeps_what_is_there(data, monkeypatch):
    class Interrupted(module.Progress):
        def advance(self, amount, *, note=""):
            if self.done == 4:
                raise KeyboardInterrupt
            self.done += 1

        done = 0

    whole = RepetitiveSelector().fit(*data)
    monkeypatch.setattr(module, "Progress", Interrupted)
    with pytest.warns(UserWarning, match="interrupted: the 5 repetition"):
        selector = RepetitiveSelector().fit(*data)
    assert selector.stop_reason_ == "interrupted"
    assert all(map(np.array_equal, selector.subsets_, whole.subsets_[:5]))


@needs("POSIX signals")
def test_ctrl_c_reaches_the_search():
    X, y = make_gaussian(n=60, d=20_000, k=2000, mu=0.5, random_state=0)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(UserWarning, match="interrupted"):
        selector = RepetitiveSelector().fit(X, y)
    assert selector.stop_reason_ == "interrupted"
    assert 0 < len(selector.subsets_) == len(selector.coefs_)


def test_progress_bar(data, capsys):
    pytest.importorskip("tqdm")
    RepetitiveSelector(n_subsets=3, verbose=1).fit(*data)
    assert "repetitive selection" in capsys.readouterr().err
