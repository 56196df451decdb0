"""The one place that says what to do where nilearn is missing."""

from __future__ import annotations


def require_nilearn() -> None:
    """Raise an ImportError that says how to install nilearn, if it is not there."""
    try:
        import nilearn  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'brain images need nilearn, which is not installed: pip install "fewest[neuro]"'
        ) from error
