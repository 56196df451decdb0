"""The selected features as points to add up by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.in_time import in_time
from fewest._run.budget import Budget
from fewest.report._data import Data
from fewest.report._given import Subject
from fewest.report._plan import MOST_SECONDS

if TYPE_CHECKING:
    from fewest.panels import PointsScore

_MOST_FEATURES = 20
_MOST_SAMPLES = 5_000  # a card of more takes long
_LEAST_SECONDS = 0.5


def find_points(
    subject: Subject, held_out: HeldOut | None, data: Data, budget: Budget
) -> PointsScore:
    """A card for two classes and few features; a ValueError that says why there is none.

    The features were chosen on all samples, so only folds that chose their own can judge it.
    """
    from fewest.panels import points_score  # heavy

    columns = np.flatnonzero(subject.selection.support)
    if not data.is_binary:
        raise ValueError("points are for two classes")
    if not 0 < len(columns) <= _MOST_FEATURES:
        raise ValueError(f"points are for one to {_MOST_FEATURES} selected features")
    if data.X.shape[0] > _MOST_SAMPLES:
        raise ValueError(f"a card is made for up to {_MOST_SAMPLES:,} samples: see fewest panel")
    if budget.left < _LEAST_SECONDS:
        raise budget.refuse("the points")
    with in_time(budget.take(MOST_SECONDS["points"]), "the points"):
        if held_out is None:
            held_out = run_held_out(
                subject.estimator, data.raw, data.y, cv=data.cv, **data.settings
            )
        return points_score(
            data.raw,
            data.y,
            columns,
            feature_names=data.feature_names,
            groups=data.groups,
            held_out=held_out,
            random_state=data.random_state,
            _is_choice=True,
        )
