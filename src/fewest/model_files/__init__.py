"""Fitted estimators in files of numbers and text only: no pickle, nothing to execute."""

from fewest.model_files._model import load, save

__all__ = ["load", "save"]
