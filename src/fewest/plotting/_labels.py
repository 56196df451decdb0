"""Names of features and classes, as figures show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_LONGEST_NAME = 24


def feature_labels(names: Sequence[str] | None, n_features: int) -> list[str]:
    """The names as text, or the numbers of the columns."""
    if names is None:
        return [str(column) for column in range(n_features)]
    if len(names) != n_features:
        raise ValueError(f"feature_names has {len(names)} names for {n_features} features")
    return [str(name) for name in names]


def short(name: Any) -> str:
    """A name that fits beside an axis and that matplotlib does not read as a formula."""
    name = " ".join(str(name).split())  # a line break would spill over its neighbours
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return name.replace("$", r"\$")
