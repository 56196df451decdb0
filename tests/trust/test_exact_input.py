"""Proofs are about the numbers given: nothing is rounded, moved or unmasked in silence."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fewest import (
    SupportFeatureMachine,
    decide_separability,
    error_front,
    minimum_features,
    near_optimal_sets,
)


class Array:
    """Values of another library, which only says how to make an array of them."""

    shape, ndim, dtype = (2, 1), 2, np.dtype(np.int64)

    def __array__(self, dtype=None, copy=None):
        return np.array(BEYOND, dtype=dtype)

    def __len__(self):
        return 2


BEYOND = [[2**53], [2**53 + 1]]  # equal, as doubles
ROUNDED = {
    "list": BEYOND,
    "array": np.array(BEYOND),
    "unsigned": np.array(BEYOND, dtype=np.uint64),
    "objects": np.array(BEYOND, dtype=object),
    "frame": pd.DataFrame({"a": [2**53, 2**53 + 1]}),
    "gaps": pd.DataFrame({"a": [2**53, 2**53 + 1]}, dtype="Int64"),
    "sparse": sparse.csr_matrix(np.array(BEYOND)),
    "fractions": np.array([[Fraction(1, 3)], [Fraction(1, 2)]], dtype=object),
    "decimals": [[Decimal(2**53)], [Decimal(2**53 + 1)]],
    "another library": Array(),
    "sums": sparse.coo_matrix(([2**53, 1, 3], ([0, 0, 1], [0, 0, 0])), dtype=np.int64),
    "wide": np.array([[1], [2]], dtype=np.longdouble) / 3,
}


@pytest.mark.parametrize("kind", ROUNDED)
@pytest.mark.parametrize("search", [minimum_features, decide_separability, near_optimal_sets])
def test_numbers_that_no_double_holds_are_refused(kind, search):
    if kind == "wide" and np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("a long double is a double here")
    with pytest.raises(ValueError, match="a double cannot hold"):
        search(ROUNDED[kind], [0, 1])


def test_dates_are_refused():
    days = np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[ns]")
    with pytest.raises(ValueError, match="dates: give numbers"):
        minimum_features(days, [0, 1])
    with pytest.raises(ValueError, match="dates: give numbers"):
        minimum_features(pd.DataFrame({"day": days[:, 0], "x": [1.0, 2.0]}), [0, 1])


def test_numbers_that_doubles_hold_are_taken():
    for X in ([[2**53 - 1], [2**53]], np.array([[2**60], [2**61]]), [[True], [False]]):
        assert minimum_features(X, [0, 1]).size == 1
    mixed = pd.DataFrame({"a": [1, 2], "b": [0.5, 0.1], "c": np.array([1, 2], dtype=np.int8)})
    assert minimum_features(mixed, [0, 1], n_solutions=None).n_found == 3


@pytest.mark.parametrize("what", ["X", "y"])
@pytest.mark.parametrize("use", [minimum_features, error_front, SupportFeatureMachine().fit])
def test_masked_values_are_not_used(what, use):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1])
    if what == "X":
        X = np.ma.array(X, mask=X == 3.0)
    else:
        y = np.ma.array(y, mask=[False, False, False, True])
    with pytest.raises(ValueError, match=f"{what} is a masked array"):
        use(X, y)


FRAME = pd.DataFrame({"A": [0.0, 1, 2, 3], "B": [0.0, 1, 2, 3.5], "C": [1.0, 0, 3, 4]})
CLASSES = [0, 0, 1, 1]


def test_the_index_of_a_series_names_features():
    prices = {"C": 3.0, "B": 5.0, "A": 1.0}
    found = minimum_features(FRAME, CLASSES, feature_cost=pd.Series(prices))
    assert found.names == (("A",),)
    assert found.price == 1.0
    mask = pd.Series({"C": True, "B": False, "A": False})
    assert minimum_features(FRAME, CLASSES, include=mask).names == (("C",),)
    groups = pd.Series({"C": "g", "B": "h", "A": "h"})
    found = minimum_features(FRAME, CLASSES, feature_groups=groups)
    assert found.rules.groups[0] == found.rules.groups[1] != found.rules.groups[2]
    signs = pd.Series({"B": -1, "A": 1})
    assert minimum_features(FRAME, CLASSES, signs=signs).rules.signs.tolist() == [1, -1, 0]


def test_a_series_that_only_counts_is_read_by_position():
    found = minimum_features(FRAME, CLASSES, feature_cost=pd.Series([5.0, 1.0, 3.0]))
    assert found.names == (("B",),)


@pytest.mark.parametrize(
    ("index", "said"), [(["A", "B", "D"], "'D'"), (["A", "B", "B"], "feature B twice")]
)
def test_an_index_that_names_no_features_is_refused(index, said):
    with pytest.raises(ValueError, match=said):
        minimum_features(FRAME, CLASSES, feature_cost=pd.Series([1.0, 2.0, 3.0], index=index))


@pytest.mark.parametrize("rule", ["feature_cost", "signs"])
def test_a_feature_that_a_rule_names_twice_is_refused(rule):
    with pytest.raises(ValueError, match=f"{rule} has feature A twice"):
        minimum_features(FRAME, CLASSES, **{rule: {"A": 1, 0: -1}})


def test_a_name_of_several_features_is_refused():
    frame = FRAME.set_axis(["1", 1, "b"], axis=1)
    with pytest.raises(ValueError, match="several features of X are called that"):
        minimum_features(frame, CLASSES, exclude=["1"])
    assert minimum_features(frame, CLASSES, exclude=["b"]).size == 1


def test_prices_of_single_precision_are_the_decimal_numbers_that_they_are_printed_as():
    X = np.array([[0, 0, 0], [1, -1, 1], [-1, 1, 2], [2, -1, 5], [-1, 2, 6], [0.6, 0.6, 7]])
    frame, y = pd.DataFrame(X, columns=list("abc")), [0, 0, 0, 1, 1, 1]
    prices = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    for given in (prices, pd.Series(prices, index=list("abc"))):
        found = minimum_features(frame, y, feature_cost=given, n_solutions=None)
        assert (found.price, found.n_found) == (0.3, 2)


def test_sizes_beyond_all_doubles_and_texts():
    found = minimum_features(FRAME, CLASSES, feature_cost=[1.0, 2.0, 3.0], max_size=10**400)
    assert found.certified
    with pytest.raises(ValueError, match="extra must hold numbers"):
        near_optimal_sets(FRAME, CLASSES, extra="x")


def test_what_sets_may_exceed_the_minimum_by_is_a_decimal_number_like_prices():
    X = np.array([[0.0, 0], [1, 1], [2, 2.5], [3, 3]])
    prices = np.array([0.3, 1.0], dtype=np.float32)
    found = near_optimal_sets(X, CLASSES, feature_cost=prices, extra=np.float32(0.7))
    assert found.complete
    assert [one.tolist() for one in found.subsets] == [[0], [1]]


def test_many_classes_are_a_number():
    X, y = np.random.default_rng(0).standard_normal((700, 3)), np.arange(700) % 350
    for search in (minimum_features, error_front, near_optimal_sets):
        with pytest.raises(ValueError, match="is it a number rather than a label"):
            search(X, y)


def test_an_error_dearer_than_all_sums_of_doubles():
    rng = np.random.default_rng(0)
    X = np.vstack([np.zeros((4, 2)), rng.standard_normal((20, 2))])
    y = np.r_[0, 1, 0, 1, X[4:, 0] > 0].astype(int)
    front = error_front(X, y, max_features=1)
    best = front.optimum(1e308)
    assert (best.size, best.errors, best.proven) == (1, 2, True)
    assert front.optimum(1e-308).size == 0
