"""Each class against the rest: what was found for it, and what the classes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest.report._class_content import OneClass, PerClass, SharedFeature
from fewest.report._data import Data
from fewest.report._given import Given
from fewest.report._known import known_content
from fewest.report._trust import describe_minimum
from fewest.report._verdict_content import BETTER, NOT_TESTED
from fewest.report.content import ClassSize

if TYPE_CHECKING:
    from fewest.informative import InformativeFeatures
    from fewest.minimum import MinimumResult


def describe_class_minimum(label: Any, result: MinimumResult, data: Data) -> OneClass:
    """The smallest set of one class; `data` are those of the class against the rest."""
    columns: list[int] = [] if result.size is None else result.subsets[0].tolist()
    reason = None
    if result.size is None:
        reason = "no set of features separates it from the rest"
        reason += " (proven)" if result.certified else ", as far as the search went"
    return OneClass(
        **_start(label, data),
        features=data.names(columns),
        columns=columns,
        reason=reason,
        minimum=describe_minimum(result, data, label, with_proof=True),
    )


def describe_class_informative(label: Any, found: InformativeFeatures, data: Data) -> OneClass:
    """The informative features of one class: the first to be removed, as many as estimated.

    Where all features together are no better than chance, there are none.
    """
    from fewest.informative._order import removal_order  # heavy

    content = known_content(Given(informative=found), data, command="informative")
    assert content.informative is not None
    assert content.verdict is not None
    estimates, reason = content.informative.estimates, None
    if not estimates:
        reason = "no share could be estimated"
    elif content.verdict.status not in (BETTER, NOT_TESTED):
        reason = "not shown to be better than chance"
    columns = [] if reason else removal_order(found)[: estimates[0].n_features].tolist()
    return OneClass(
        **_start(label, data),
        features=data.names(columns),
        columns=columns,
        reason=reason,
        informative=content.informative,
        verdict=content.verdict,
    )


def describe_class_failure(label: Any, reason: str, data: Data) -> OneClass:
    """A class of which nothing could be found, and why."""
    return OneClass(**_start(label, data), features=[], columns=[], reason=reason)


def gather_classes(classes: Sequence[OneClass]) -> PerClass:
    """All classes, the number of their features, and those of several."""
    owners: dict[int, list[OneClass]] = {}
    for one in classes:
        for column in one.columns:
            owners.setdefault(column, []).append(one)
    shared = [
        SharedFeature(
            of_classes[0].features[of_classes[0].columns.index(column)],
            column,
            [one.label for one in of_classes],
        )
        for column, of_classes in owners.items()
        if len(of_classes) > 1
    ]
    shared.sort(key=lambda one: -len(one.classes))
    return PerClass(list(classes), len(owners), shared)


def _start(label: Any, data: Data) -> dict[str, Any]:
    size = ClassSize(label, int(np.sum(data.y == str(label))))
    return {"label": label, "n_samples": size.n_samples, "is_small": size.is_small}
