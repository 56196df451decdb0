"""Errors that a caller may want to catch by name."""

__all__ = ["ClusterError", "ModelFileError", "NotSeparableError"]


class NotSeparableError(ValueError):
    """No hyperplane separates the classes without error, and no error was allowed."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file is not a valid and complete model."""


class ClusterError(RuntimeError):
    """Workers of a Dask cluster were lost, with work or data that only they had."""
