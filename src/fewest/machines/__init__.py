"""The linear machines: Support Feature Machine, zero-norm SVM, Liknon, and their relatives."""

__all__: list[str] = []
