"""Versions of the packages that results depend on, and packages that may be missing."""

from __future__ import annotations

import platform
from importlib import import_module, metadata

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


def require_package(package: str, what: str, extra: str) -> None:
    """Raise an ImportError that says how to install a package, if it is not there."""
    try:
        import_module(package)
    except ImportError as error:
        raise ImportError(
            f'{what} need {package}, which is not installed: pip install "fewest[{extra}]"'
        ) from error
