"""Results that claim something else than their proofs say do not verify."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fewest import error_front, minimum_features, near_optimal_sets
from fewest.minimum._claims import measure_set

RNG = np.random.default_rng(5)
X = RNG.standard_normal((24, 12))
Y = (X[:, 2] + X[:, 5] > 0).astype(int)
WRONG = np.where(np.arange(24) == 3, 1 - Y, Y)


@pytest.fixture(scope="module")
def found():
    result = minimum_features(X, Y, n_solutions=None)
    assert result.size == 2
    assert result.complete
    assert result.verify(X, Y, search=True)
    return result


@pytest.fixture(scope="module")
def ruled():
    result = minimum_features(X, Y, exclude=[0], feature_cost={1: 2.0}, n_solutions=None)
    assert result.verify(X, Y, search=True)
    return result


@pytest.fixture(scope="module")
def with_errors():
    result = minimum_features(X, WRONG, max_errors=1, n_solutions=None)
    assert result.verify(X, WRONG, search=True)
    return result


def add_column(result, column, y):
    """Every set with one more column, whose weight is zero."""
    separations = tuple(
        replace(
            one,
            columns=tuple(sorted((*one.columns, column))),
            weights=tuple(
                tuple(
                    dict(zip(one.columns, weights, strict=True)).get(place, 0)
                    for place in sorted((*one.columns, column))
                )
                for weights in one.weights
            ),
        )
        for one in result.separations
        if column not in one.columns
    )
    separations = tuple(sorted(separations, key=lambda one: -measure_set(X, y, one)))
    return replace(
        result,
        separations=separations,
        subsets=tuple(np.array(one.columns) for one in separations),
        margins=np.array([measure_set(X, y, one) for one in separations]),
        size=result.size + 1,
        lower_bound=result.lower_bound + 1,
    )


def repeat_column(result):
    """The first set with one of its columns named twice."""
    one = result.separations[0]
    first, *others = one.columns
    halves = tuple((weights[0], weights[0], *weights[1:]) for weights in one.weights)
    again = replace(one, columns=(first, first, *others), weights=halves)
    return replace(
        result,
        separations=(again,),
        subsets=(np.array(again.columns),),
        margins=result.margins[:1],
        size=len(again.columns),
        lower_bound=len(again.columns),
    )


FORGERIES = {
    "other subsets": lambda one: replace(one, subsets=(np.array([0, 1]), *one.subsets[1:])),
    "subsets reversed": lambda one: replace(one, subsets=tuple(s[::-1] for s in one.subsets)),
    "a subset more": lambda one: replace(one, subsets=(*one.subsets, np.array([0, 1]))),
    "a set twice": lambda one: replace(
        one,
        subsets=(one.subsets[0], *one.subsets),
        separations=(one.separations[0], *one.separations),
        margins=np.concatenate([one.margins[:1], one.margins]),
        n_found=one.n_found + 1,
    ),
    "other margins": lambda one: replace(one, margins=one.margins * 1.01),
    "margins of one more": lambda one: replace(one, margins=np.append(one.margins, 0.1)),
    "no sets": lambda one: replace(one, subsets=(), separations=(), margins=np.empty(0)),
    "fewer than listed": lambda one: replace(one, n_found=len(one.subsets) - 1),
    "columns that are not there": lambda one: replace(
        one,
        subsets=(one.subsets[0] - 12,),
        separations=(replace(one.separations[0], columns=tuple((one.subsets[0] - 12).tolist())),),
        margins=one.margins[:1],
    ),
    "a column twice": repeat_column,
}


@pytest.mark.parametrize("how", FORGERIES)
@pytest.mark.parametrize("kind", ["found", "ruled", "with_errors"])
def test_forged_claims(request, how, kind):
    result = request.getfixturevalue(kind)
    y = WRONG if kind == "with_errors" else Y
    assert not FORGERIES[how](result).verify(X, y)


def test_a_bound_above_the_size(found, with_errors):
    for result, y in ((found, Y), (with_errors, WRONG)):
        assert not replace(result, lower_bound=result.size + 1, certified=False).verify(X, y)


@pytest.mark.parametrize("kind", ["found", "ruled", "with_errors"])
def test_a_column_of_no_weight(request, kind):
    """The proof itself shows that a smaller set separates."""
    result = request.getfixturevalue(kind)
    y = WRONG if kind == "with_errors" else Y
    spare = next(c for c in range(3, 12) if c not in np.concatenate(result.subsets))
    forged = add_column(result, spare, y)
    if kind == "ruled":
        forged = replace(forged, price=result.price + 1.0, price_bound=result.price_bound + 1.0)
    assert not forged.verify(X, y)
    if kind == "found":  # what is not said to be the minimum may hold more than it needs
        assert replace(forged, lower_bound=2, certified=False).verify(X, y)


def test_how_many_there_are_is_counted_again(found, with_errors):
    for result, y in ((found, Y), (with_errors, WRONG)):
        forged = replace(result, n_found=result.n_found + 1)
        assert "how many such sets there are" in forged.verify(X, y).unchecked
        assert not forged.verify(X, y, search=True)
        fewer = replace(
            result,
            n_found=result.n_found + 3,
            subsets=result.subsets[:1],
            separations=result.separations[:1],
            margins=result.margins[:1],
        )
        assert not fewer.verify(X, y, search=True)


def test_the_order_of_sets(found):
    if len(found.subsets) < 2:
        pytest.skip("one set only")
    turned = replace(
        found,
        subsets=found.subsets[::-1],
        separations=found.separations[::-1],
        margins=found.margins[::-1],
    )
    assert not turned.verify(X, Y)


def test_what_was_not_checked_is_named(found):
    plain, whole = found.verify(X, Y), found.verify(X, Y, search=True)
    assert "that there is no better set (search=True does)" in plain.unchecked
    assert "how many such sets there are" in plain.unchecked
    assert whole.unchecked == ("what the search counted on its way, and its time",)
    assert str(whole) == (
        "It holds. Not checked: what the search counted on its way, and its time."
    )
    assert str(replace(found, n_found=0).verify(X, Y)) == "It does not hold."
    hasty = minimum_features(X, Y, n_solutions=1, max_size=1)
    assert "how many such sets there are" in hasty.verify(X, Y, search=True).unchecked


def test_near_optimal_sets():
    near = near_optimal_sets(X, Y, extra=1)
    assert near.verify(X, Y)
    assert near.verify(X, Y, search=True)
    assert "that there are no other sets" in near.verify(X, Y, search=True).unchecked
    assert len(near.subsets) > 1
    for forged in (
        replace(near, prices=near.prices + 1.0),
        replace(near, prices=near.prices[1:]),
        replace(near, margins=near.margins[::-1] + 0.1),
        replace(near, n_found=1),
        replace(near, extra=0.0) if near.prices.max() > near.prices.min() else None,
        replace(near, subsets=near.subsets[::-1]),
        replace(near, minimum=replace(near.minimum, n_found=0)),
        replace(
            near,
            subsets=(near.subsets[0], *near.subsets),
            separations=(near.separations[0], *near.separations),
            prices=np.append(near.prices[:1], near.prices),
            margins=np.append(near.margins[:1], near.margins),
            n_found=near.n_found + 1,
        ),
    ):
        if forged is not None:
            assert not forged.verify(X, Y)


def test_error_front():
    front = error_front(X, WRONG, max_features=2, n_solutions=None)
    assert front.verify(X, WRONG)
    assert front.verify(X, WRONG, search=True)
    assert "that there is no better set (search=True does)" in front.verify(X, WRONG).unchecked
    last = front.points[-1]

    def with_last(**changes):
        return replace(front, points=(*front.points[:-1], replace(last, **changes)))

    for forged in (
        replace(front, floor=1),
        with_last(subsets=last.subsets[:0]),
        with_last(subsets=tuple(one[::-1] for one in last.subsets)),
        with_last(lower_bound=last.errors + 1),
        with_last(
            subsets=(*last.subsets, last.subsets[0]),
            separations=(*last.separations, last.separations[0]),
        ),
    ):
        assert not forged.verify(X, WRONG)


def test_an_idle_column_contradicts_the_bound_of_fewer_features():
    front = error_front(X, WRONG, max_features=2)
    single = front.points[1].separations[0]
    (column,) = single.columns
    assert column < 11
    without = X.copy()
    without[:, column] = 0.0
    worse = error_front(without, WRONG, max_features=2).points[1]
    assert worse.errors > len(single.wrong)
    two = replace(single, columns=(column, 11), weights=((single.weights[0][0], 0),))
    second = replace(
        front.points[2],
        errors=len(two.wrong),
        lower_bound=min(front.points[2].lower_bound, len(two.wrong)),
        subsets=(np.array(two.columns),),
        separations=(two,),
    )
    assert replace(front, points=(*front.points[:2], second)).verify(X, WRONG)
    assert not replace(front, points=(front.points[0], worse, second)).verify(X, WRONG)
