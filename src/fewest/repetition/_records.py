"""Whether a record of a checkpoint is one that a repetition could have left."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest._types import BoolArray


class RecordError(ValueError):
    """The record holds something else; the message says what."""


def check_trained(record: Any, left: BoolArray, n_classes: int, names: set[str]) -> None:
    """Raise unless a record has these entries: features that are left, and their hyperplanes."""
    _demand(isinstance(record, dict) and set(record) == names, "it does not have the right entries")
    features = record["features"]
    check_places(features, len(left), "features")
    _demand(len(features) > 0 and features == sorted(set(features)), "features are not in order")
    _demand(bool(left[features].all()), "features were used before, or cannot be used")
    coef, intercept = record["coef"], record["intercept"]
    _check_numbers(intercept, "intercept")
    most = max(1, n_classes * (n_classes - 1) // 2, n_classes)
    _demand(1 <= len(intercept) <= most, "intercept has the wrong length")
    _demand(isinstance(coef, list) and len(coef) == len(intercept), "coef has the wrong length")
    for row in coef:
        _check_numbers(row, "coef", len(features))
    for name in ("error", "objective", "gap"):
        _check_numbers([record[name]], name)
    _demand(not (record["error"] < 0 or record["error"] > 1), "error is no share")


def check_states(states: Any, n_machines: int, left: BoolArray, n_samples: int) -> None:
    """Raise unless there is one state per machine, about features and samples that exist."""
    _demand(isinstance(states, list) and len(states) == n_machines, "states are not one per class")
    for state in states:
        entries = {"start", "samples", "corner"}
        known = isinstance(state, dict) and set(state) - {"near"} == entries
        _demand(known, "a state does not have the right entries")
        check_places(state["start"], len(left), "start")
        check_places(state["samples"], n_samples, "samples")
        if state["corner"] is not None:
            is_pair = isinstance(state["corner"], list) and len(state["corner"]) == 2
            _demand(is_pair, "corner is no pair")
            for places, length in zip(state["corner"], (len(left), n_samples), strict=True):
                check_places(places, length, "corner")
        if "near" in state:
            _check_near(state["near"], left, n_samples)


def _check_near(near: Any, left: BoolArray, n_samples: int) -> None:
    entries = {"features", "reference", "cut", "complete"}
    _demand(isinstance(near, dict) and set(near) == entries, "near does not have the right entries")
    features = near["features"]
    check_places(features, len(left), "features at hand")
    _demand(features == sorted(set(features)), "features at hand are not in order")
    _check_numbers(near["reference"], "reference", n_samples)
    _check_numbers([near["cut"]], "cut")
    finite = np.isfinite([*near["reference"], near["cut"]]).all()
    _demand(bool(finite) and near["cut"] >= 0, "near holds numbers that are not finite")
    _demand(isinstance(near["complete"], bool), "complete is neither true nor false")
    missing = left.copy()
    missing[features] = False
    _demand(not (near["complete"] and missing.any()), "complete is not true")


def check_places(values: Any, length: int, name: str) -> None:
    """Raise unless these are places from zero to below a length."""
    _demand(isinstance(values, list), f"{name} is no list")
    is_right = all(type(value) is int and 0 <= value < length for value in values)
    _demand(is_right, f"{name} has other entries than whole numbers from 0 to {length - 1}")


def _check_numbers(values: Any, name: str, length: int | None = None) -> None:
    _demand(isinstance(values, list), f"{name} is no list")
    _demand(length is None or len(values) == length, f"{name} has the wrong length")
    _demand(all(type(value) in (int, float) for value in values), f"{name} holds no numbers")
    large = any(type(value) is int and abs(value) > 2**53 for value in values)
    _demand(not large, f"{name} holds a number that is too large")


def _demand(is_right: bool, failure: str) -> None:
    if not is_right:
        raise RecordError(failure)
