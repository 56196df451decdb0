"""Numbers and names that users give in rules: none is rounded in silence, none means two things."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest

from fewest import minimum_features
from fewest._estimators.rules import read_rules


def read_price(value):
    return read_rules(2, feature_cost={0: value}).price[0]


@pytest.mark.parametrize(
    ("value", "price"),
    [
        (np.float32(0.1), 0.1),
        (np.float16(0.1), 0.1),
        (Decimal("0.1"), 0.1),
        (Fraction(1, 4), 0.25),
        (np.array(3), 3.0),
        (10**18, 1e18),
        ("2.50", 2.5),
        (0.1 + 0.2, 0.1 + 0.2),
    ],
)
def test_a_price_is_the_double_that_is_printed_like_it(value, price):
    assert read_price(value) == price


@pytest.mark.parametrize(
    "value",
    [Decimal("0.1234567890123456789"), Fraction(1, 3), 2**60 + 1, "0.1234567890123456789"],
    ids=str,
)
def test_what_would_be_rounded_is_refused(value):
    with pytest.raises(ValueError, match="a double cannot hold: it would be read as"):
        read_price(value)


def test_two_prices_do_not_become_one():
    X, y = np.array([[0, 0], [0, 0], [1, 1], [1, 1]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match="a double cannot hold"):
        minimum_features(X, y, feature_cost=[2**53 + 1, 2**53])


def test_numbers_without_a_value_are_refused():
    masked = np.ma.masked_equal([1.0, 2.0], 2.0)
    for rule in ({"feature_cost": masked}, {"include": masked}, {"feature_groups": masked}):
        with pytest.raises(ValueError, match="masked array, whose masked entries have no value"):
            read_rules(2, **rule)
    with pytest.raises(ValueError, match="beyond 1e308"):
        read_price(10**400)
    with pytest.raises(ValueError, match="must hold numbers; got 1j"):
        read_price(1j)
    with pytest.raises(ValueError, match="one label .* per feature"):
        read_rules(2, feature_groups=[["a"], ["b"]])


def test_missing_labels_of_pandas_are_in_no_group():
    labels = pandas.array(["T", None, "T"], dtype="string")
    np.testing.assert_array_equal(read_rules(3, feature_groups=labels).groups, [0, -1, 0])


def test_lists_of_booleans_are_masks_and_lists_of_numbers_are_not():
    marked = [read_rules(2, include=one).included for one in ([True, False], [np.True_, np.False_])]
    np.testing.assert_array_equal(marked, [[True, False], [True, False]])
    np.testing.assert_array_equal(read_rules(2, include=[1]).included, [False, True])


@pytest.fixture
def numbered():
    """A data frame whose columns have numbers as names; column 5 is the first."""
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = pandas.DataFrame(rng.standard_normal((20, 3)), columns=[5, 1, 0])
    X[5] += 9 * y
    return X, y


def test_a_number_that_could_be_a_name_or_a_place_is_refused(numbered):
    X, y = numbered
    with pytest.raises(ValueError, match="0 could be a name or a place"):
        minimum_features(X, y, include=[0])
    with pytest.raises(ValueError, match="must be given as text: '5'"):
        minimum_features(X, y, include=[5])
    kept = minimum_features(X, y, include=["1"])
    assert kept.subsets[0].tolist() == [0, 1]
