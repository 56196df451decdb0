"""The smallest set that separates each class, or how far a search comes in the time it has."""

from __future__ import annotations

import numpy as np

from fewest.minimum.features import search_minimum
from fewest.minimum.result import MinimumResult
from fewest.report._budget import Budget
from fewest.report._data import Data
from fewest.report._subject import Subject
from fewest.report.content import Minimum

_SHARE = 0.5


def minima(subject: Subject, data: Data, budget: Budget) -> list[Minimum]:
    """One for two classes, otherwise one a class; those of the result where it has them."""
    positives = data.labels[1:] if data.is_binary else data.labels
    if subject.minimum is not None:
        return [_minimum(subject.minimum, positives[0], data)]
    known = getattr(subject.machine, "minima_", None)
    if known is not None:
        return [_minimum(one, label, data) for one, label in zip(known, positives, strict=True)]
    found = []
    for place, label in enumerate(positives):
        row = min(place, len(subject.supports) - 1)
        result = search_minimum(
            data.X,
            data.y == label,
            time_limit=max(1.0, _SHARE * budget.left / (len(positives) - place)),
            n_jobs=data.n_jobs,
            start=tuple(np.flatnonzero(subject.supports[row]).tolist()),
        )
        found.append(_minimum(result, label, data))
    return found


def _minimum(result: MinimumResult, label: object, data: Data) -> Minimum:
    columns = result.subsets[0].tolist() if result.size is not None else []
    return Minimum(
        positive_class=label,
        size=result.size,
        lower_bound=result.lower_bound,
        certified=result.certified,
        n_found=result.n_found,
        complete=result.complete,
        features=data.named(columns),
        columns=columns,
        margin=float(result.margins[0]) if columns else None,
        seconds=result.seconds,
    )
