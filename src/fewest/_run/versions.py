"""Versions of Python and of the packages that results depend on."""

from __future__ import annotations

import platform
from importlib import metadata

_PACKAGES = ("fewest", "numpy", "scipy", "scikit-learn", "highspy", "numba")


def versions() -> dict[str, str | None]:
    """Versions of Python and of the packages that results depend on, by name."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # run from a folder without installation
            found[package] = None
    return found
