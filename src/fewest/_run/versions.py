"""Versions of what the numbers depend on."""

from __future__ import annotations

import platform
from importlib import metadata

_PACKAGES = ("fewest", "numpy", "scipy", "scikit-learn", "highspy", "numba")


def versions() -> dict[str, str | None]:
    """Of Python and the packages that the numbers depend on."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # run from a folder that was never installed
            found[package] = None
    return found
