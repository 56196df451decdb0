"""Folds: stratified, shuffled on request, no more than the smallest class allows."""

import signal
from contextlib import suppress

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from fewest import (
    AccumulatedClassifier,
    LiknonCV,
    PotentialSVCCV,
    RepetitiveSelector,
    SupportFeatureMachineCV,
)
from fewest._estimators.held_out import run_held_out
from fewest._estimators.splits import find_smallest_class, make_splitter, split_folds
from fewest._interrupts import _remember, no_lost_interrupts
from fewest.machines.sfm import SupportFeatureMachine

Y = np.repeat(["a", "b"], [12, 3])
GROUPS = np.arange(15) % 5


def equal(found, expected):
    for (train, test), (other_train, other_test) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(train, other_train)
        np.testing.assert_array_equal(test, other_test)
    return True


@pytest.mark.parametrize("random_state", [None, 0])
def test_a_number_is_stratified_and_shuffled_only_with_a_random_state(random_state):
    shuffle = {} if random_state is None else {"shuffle": True, "random_state": random_state}
    X = np.zeros(15)
    plain = StratifiedKFold(3, **shuffle).split(X, Y)
    assert equal(split_folds(3, Y, random_state=random_state), plain)
    whole = StratifiedGroupKFold(2, **shuffle).split(X, Y, GROUPS)
    assert equal(split_folds(2, Y, GROUPS, random_state=random_state), whole)


def test_numbers_are_not_stratified():
    y = np.linspace(0, 1, 15)
    assert equal(split_folds(5, y, classes=False), KFold(5).split(y))
    assert equal(split_folds(None, y, classes=False), KFold(5).split(y))
    grouped = GroupKFold(5).split(y, groups=GROUPS)
    assert equal(split_folds(5, y, GROUPS, classes=False), grouped)


class Swallowing(StratifiedKFold):
    """A splitter in which a Ctrl-C is lost, as NumPy loses those that come at a bad moment."""

    def split(self, X, y=None, groups=None):
        for split in super().split(X, y, groups):
            with suppress(KeyboardInterrupt):
                _remember(signal.SIGINT, None)
            yield split


def test_a_swallowed_interrupt_ends_the_making_of_splits():
    """With many repeats that takes as long as any fit."""
    with no_lost_interrupts(), pytest.raises(KeyboardInterrupt):
        split_folds(Swallowing(3), Y)


def test_fewer_folds_with_a_warning():
    with pytest.warns(UserWarning, match="^3 folds instead of 5: class 'b' has only 3 samples$"):
        assert len(split_folds(5, Y)) == 3
    groups = np.r_[np.arange(12), 12, 12, 13]
    with pytest.warns(UserWarning, match="^2 folds instead of 3: class 'b' has only 2 groups$"):
        assert make_splitter(3, Y, groups).get_n_splits() == 2
    assert find_smallest_class(Y, groups) == ("b", 2, "group")


def test_a_single_sample_or_group_is_an_error():
    with pytest.raises(ValueError, match="class 'b' is too small .* it has a single sample"):
        split_folds(5, Y[:13])
    with pytest.raises(ValueError, match="class 'b' is too small .* it has a single group"):
        split_folds(5, Y, np.r_[np.arange(12), 12, 12, 12])
    with pytest.raises(ValueError, match="at least two folds, or a splitter; got 1"):
        split_folds(1, Y)


def greedy():
    selector = RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)
    return AccumulatedClassifier(selector, greedy=True)


@pytest.mark.parametrize(
    "machine",
    [
        lambda: SupportFeatureMachineCV([1.0]),
        lambda: LiknonCV(3, n_splits=2, random_state=0),
        lambda: PotentialSVCCV([1.0], [0.1]),
        greedy,
    ],
    ids=["sfm-cv", "liknon-cv", "psvm-cv", "accumulated"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_search_has_the_same_rule(machine):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [12, 4])
    X = rng.standard_normal((16, 6)) + 4.0 * y[:, None] * (np.arange(6) < 2)
    with pytest.warns(UserWarning, match="^4 folds instead of 5: class 1 has only 4 samples$"):
        machine().fit(X, y)
    with pytest.raises(ValueError, match="single sample"):
        machine().fit(X[:13], y[:13])


def test_the_held_out_loop_has_it_too():
    X = np.random.default_rng(0).standard_normal((15, 4)) + 3.0 * (Y == "b")[:, None]
    with pytest.warns(UserWarning, match="3 folds instead of 5"):
        assert len(run_held_out(SupportFeatureMachine(), X, Y).folds) == 3
