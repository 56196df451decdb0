"""Where to find the real data, which are not part of the repository."""

from __future__ import annotations

import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def find(name: str) -> Path | None:
    """The file of one data set; None, and a printed line, if it is missing.

    A name without an ending is that of a file .npz.
    """
    return find_file(name if "." in name else f"{name}.npz")


def find_file(file_name: str) -> Path | None:
    """The same for a file of any kind."""
    path = Path(os.environ.get("FEWEST_DATA", _BESIDE)) / file_name
    if path.exists():
        return path
    name = file_name.split(".")[0]
    print(f"{name}: skipped, {file_name} is not in $FEWEST_DATA nor in ../shared/data")
    return None
