"""The certified smallest set of features that separates two classes."""

from fewest.minimum._features import minimum_features
from fewest.minimum._result import MinimumResult

__all__ = ["MinimumResult", "minimum_features"]
