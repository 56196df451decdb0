"""Frozen dataclasses of plain values as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def to_json(report: DataclassInstance) -> str:
    """A dataclass as JSON; infinity, which JSON does not know, becomes "inf"."""
    return json.dumps(_ready(asdict(report)), indent=2, allow_nan=False)


def _ready(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ready(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_ready(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
