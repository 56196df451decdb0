"""The smallest set that separates each class, or how far a search comes in the time it has."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest.minimum._features import search_minimum
from fewest.minimum._result import MinimumResult
from fewest.report._budget import Budget
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report.content import Minimum, SeparatingSet

_SHARE = 0.5


def find_minima(subject: Subject, data: Data, budget: Budget) -> list[Minimum]:
    """One for two classes, otherwise one per class."""
    found = []
    for place, label in enumerate(data.positives):
        row = min(place, len(subject.selection.supports) - 1)
        result = search_minimum(
            data.X,
            data.y == label,
            max_seconds=max(1.0, _SHARE * budget.left / (len(data.positives) - place)),
            n_jobs=data.n_jobs,
            start=tuple(np.flatnonzero(subject.selection.supports[row]).tolist()),
        )
        found.append(describe_minimum(result, label, data))
    return found


def describe_minimum(
    result: MinimumResult, label: Any, data: Data, *, with_proof: bool = False
) -> Minimum:
    """What was proven; the proof itself may be long, and takes time to check."""
    return Minimum(
        positive_class=label,
        size=result.size,
        lower_bound=result.lower_bound,
        certified=result.certified,
        n_found=result.n_found,
        complete=result.complete,
        sets=[
            SeparatingSet(data.names(columns), columns.tolist(), float(margin))
            for columns, margin in zip(result.subsets, result.margins, strict=True)
        ],
        searched=list(result.searched),
        verified=result.verify(data.X, data.y) if with_proof else None,
        ruled_out=list(result.ruled_out) if with_proof else [],
        seconds=result.seconds,
    )
