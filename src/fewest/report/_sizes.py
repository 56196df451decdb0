"""Errors against the number of features, where a search over panel sizes found them."""

from __future__ import annotations

from fewest._estimators.abilities import searched_sizes_of
from fewest.report._data import Data
from fewest.report._given import Given
from fewest.report._trust import spread
from fewest.report.content import SizeCurve, SizePoint

_EXPLANATION = (
    "Balanced errors in cross-validation, with features chosen again in every training part. The "
    "marked size was chosen by them, so its error is optimistic; the error of the whole procedure "
    "is the one under \u201cCan it be trusted?\u201d."
)


def describe_sizes(given: Given, data: Data) -> SizeCurve | None:
    """The front of the fitted estimator; None if it did not search over sizes."""
    if given.subject is None or given.subject.fitted is None:
        return None
    front = searched_sizes_of(given.subject.fitted)
    if front is None:
        return None
    points = [
        SizePoint(
            n_features=int(size),
            features=data.names(panel),
            balanced_error=spread(errors),
            split_errors=errors.tolist(),
        )
        for size, panel, errors in zip(front.sizes, front.panels, front.errors.T, strict=True)
    ]
    return SizeCurve(points, front.chosen, len(front.errors), _EXPLANATION)
