"""Errors that a caller may want to catch by name."""


class NotSeparableError(ValueError):
    """No hyperplane separates the classes without error, and no error was allowed."""
