"""Covariates beside the features, for a reader at a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fewest._wording import cut, percent
from fewest.cli._emphasis import aligned

if TYPE_CHECKING:
    from fewest.report.content import Content


def confounding_blocks(content: Content) -> list[str]:
    """One line per covariate, below a sentence; nothing if none was named.

    What follows from it is part of the verdict.
    """
    found = content.trust.confounding
    if found is None:
        return []
    rows = [
        [cut(one.name), f"{one.p_value:.2g}", _share(one.error), _share(one.features_error)]
        for one in found.covariates
    ]
    header = ["covariate", "p, with the classes", "class from it alone", "it from the features"]
    return [
        "Could it be something else?\n\n"
        f"{aligned([header, *rows])}\n"
        "Balanced errors in cross-validation; p is the chance of such an association with the "
        "classes.",
    ]


def _share(error: float) -> str:
    return "-" if math.isnan(error) else percent(error)
