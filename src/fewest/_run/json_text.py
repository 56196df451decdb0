"""Frozen dataclasses of plain values as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_SPELLED_OUT = {"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}


def to_json(report: DataclassInstance) -> str:
    """A dataclass as JSON; infinity, which JSON does not know, becomes "inf"."""
    plain = json.loads(json.dumps(asdict(report)), parse_constant=_SPELLED_OUT.get)
    return json.dumps(plain, indent=2, allow_nan=False)
