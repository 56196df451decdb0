"""Where the real data are: files that the project does not ship."""

from __future__ import annotations

import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def find(name: str) -> Path | None:
    """The file of one data set; None, and a line that says so, where it is not there."""
    path = Path(os.environ.get("FEWEST_DATA", _BESIDE)) / f"{name}.npz"
    if path.exists():
        return path
    print(f"{name}: skipped, {path.name} is not in $FEWEST_DATA nor in ../shared/data")
    return None
