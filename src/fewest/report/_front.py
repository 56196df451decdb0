"""The proven front of features and training errors, for the page and the result file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fewest._estimators.rules import read_rules, rules_of
from fewest._run.budget import Budget
from fewest.report import _trust_content as content
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report._plan import MOST_SECONDS

if TYPE_CHECKING:
    from fewest.minimum import ErrorFront, PriceFront
    from fewest.minimum._front_result import FrontPoint
    from fewest.minimum._price_front import PricePoint

_LARGEST = 3  # features of the front
_MOST_LOOKS = 2_000  # about five seconds of search, by its work
_SHARE, _LEAST_SECONDS = 0.5, 0.5  # of the time left, if the clock decides
_MOST_WORK = 5e8  # samples squared times features: larger data take seconds before the search
_MOST_CLASSES = 12


def find_error_front(subject: Subject, data: Data, budget: Budget) -> content.ErrorFront:
    """The front under the machine's rules, as far as the limits of a page allow."""
    from fewest.minimum._clock import Clock  # heavy
    from fewest.minimum._front import search_front

    n_samples, n_features = data.X.shape
    if n_samples**2 * n_features > _MOST_WORK or len(data.classes) > _MOST_CLASSES:
        raise ValueError(
            "the search for the fewest errors would take too long for data of this size. Ask "
            "fewest.error_front about fewer samples, features or classes"
        )
    if budget.left < _LEAST_SECONDS:
        raise budget.refuse("the front of features and errors")
    part = budget.take(MOST_SECONDS["front"], _SHARE)
    looks = math.inf if budget.is_limited else _MOST_LOOKS
    clock = Clock(part.left, name="error_front", most_looks=looks)
    rules = read_rules(n_features, data.feature_names, **rules_of(subject.estimator))
    front = search_front(data.X, data.y, clock, _LARGEST, 1, data.n_jobs, rules)
    if not part.left:
        part.end("the front of features and errors")
    return describe_error_front(front, data)


def describe_error_front(front: ErrorFront | PriceFront, data: Data) -> content.ErrorFront:
    """The fewest errors of each number of features or price, with a set that leaves so many."""
    from fewest.minimum import PriceFront  # heavy

    included = [] if front.rules is None else np.flatnonzero(front.rules.included).tolist()
    if isinstance(front, PriceFront):
        points = [_describe_price(point, len(included), data) for point in front.points]
        max_features = front.max_features
    else:
        points = [_describe_size(point, data) for point in front.points]
        max_features = front.points[-1].size
    return content.ErrorFront(
        points=points,
        max_features=max_features,
        included=data.names(included),
        has_prices=isinstance(front, PriceFront),
        proven=front.proven,
        floor=front.floor,
        verified=bool(front.verify(data.X, data.y)),
        n_ruled_out=len(front.ruled_out),
        seconds=front.seconds,
    )


def _describe_size(point: FrontPoint, data: Data) -> content.ErrorFrontPoint:
    return content.ErrorFrontPoint(
        size=point.size,
        errors=point.errors,
        lower_bound=point.lower_bound,
        proven=point.proven,
        complete=point.complete,
        sets=_describe_sets(point, data),
        seconds=point.seconds,
    )


def _describe_price(point: PricePoint, n_included: int, data: Data) -> content.ErrorFrontPoint:
    return content.ErrorFrontPoint(
        size=len(point.subsets[0]) - n_included,
        errors=point.errors,
        lower_bound=None,
        proven=point.proven,
        complete=False,
        sets=_describe_sets(point, data),
        seconds=point.seconds,
        price=point.price,
        price_bound=point.price_bound,
    )


def _describe_sets(point: FrontPoint | PricePoint, data: Data) -> list[content.SetWithErrors]:
    return [
        content.SetWithErrors(data.names(columns), columns.tolist(), list(one.wrong))
        for columns, one in zip(point.subsets, point.separations, strict=True)
    ]
