"""Fitted estimators in files that hold numbers and text only: no pickle, nothing to execute."""

from fewest._saving.model import load, save

__all__ = ["load", "save"]
