"""Ways to label samples or groups, against brute force."""

import warnings
from itertools import permutations, product

import numpy as np
import pytest

from fewest._estimators.labellings import (
    are_groups_alike,
    count_arrangements,
    count_labellings,
    list_others,
)
from fewest._estimators.splits import permute_labels


@pytest.mark.parametrize(
    "of_groups", [[0, 1, 0, 1], [0, 0, 1], [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2], [0, 1, 2, 2, 1, 1]]
)
def test_labellings_of_groups_are_those_of_brute_force(of_groups):
    sizes = np.arange(len(of_groups)) % 3 + 2
    groups, codes = np.repeat(np.arange(len(sizes)), sizes), np.repeat(of_groups, sizes)
    found = count_labellings(codes, groups)
    every = set(permutations(of_groups))
    assert found.n_groups == len(of_groups)
    assert found.n_labellings == len(every)
    # Those that only exchange names of classes of equally many groups part them alike.
    parted = {
        frozenset(
            frozenset(place for place, label in enumerate(labels) if label == one)
            for one in set(labels)
        )
        for labels in every
    }
    assert found.n_different == len(parted)
    assert found.smallest_p == 1 / len(parted)


def test_eight_patients_allow_70_labellings():
    patients = np.repeat(np.arange(8), 10)
    found = count_labellings(patients % 2, patients)
    assert (found.n_labellings, found.n_different) == (70, 35)
    drawn = permute_labels(patients % 2, patients, 99, np.random.RandomState(0), exchange="whole")
    assert len({tuple(one) for one in drawn}) == len(drawn) == 69
    assert (drawn.reshape(69, 8, 10) == drawn.reshape(69, 8, 10)[..., :1]).all()


@pytest.mark.parametrize(
    ("of_first", "of_second", "are_alike"),
    [([5, 5], [5, 5, 5], True), ([1, 20], [20, 1], True), ([20] * 4, [3] * 8, False)],
)
def test_groups_of_one_class_may_be_much_smaller(of_first, of_second, are_alike):
    groups = np.repeat(np.arange(len(of_first) + len(of_second)), of_first + of_second)
    y = np.repeat([0, 1], [sum(of_first), sum(of_second)])
    assert are_groups_alike(y, groups) is are_alike
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        permute_labels(y, groups, 3, np.random.RandomState(0), exchange="whole")
    said = ["groups of one class have more samples" in str(one.message) for one in caught]
    assert any(said) is not are_alike


def test_samples_that_could_have_another_class_have_no_labellings_of_groups():
    codes = np.array([0, 1, 0, 1])
    assert count_labellings(codes, None) is None
    assert count_labellings(codes, np.arange(4)) is None  # every sample is a group
    assert count_labellings(codes, np.array([0, 0, 1, 1])) is None


def test_arrangements_are_those_of_brute_force():
    y, members = np.array([0, 1, 1, 2, 0, 2]), [np.array([0, 1, 2]), np.array([3, 4, 5])]
    ways = [set(permutations(y[rows].tolist())) for rows in members]
    expected = {tuple(np.concatenate(one).tolist()) for one in product(*ways)}
    assert count_arrangements(y, members) == len(expected) == 9
    found = [tuple(one) for one in list_others(y, members).tolist()]
    assert len(found) == 8
    assert set(found) == expected - {tuple(y.tolist())}


def test_numbers_that_nobody_lists_end_early():
    y = np.arange(4000) % 2
    assert count_arrangements(y, [np.arange(2000), np.arange(2000, 4000)]) > 10**9
