"""From an estimator to the nodes of a document and the arrays they refer to.

None, truth values, text, whole numbers and finite floats stand for themselves, a JSON list for a
Python list. Everything else is an object whose first key says what it is.
"""

from __future__ import annotations

import dataclasses
import math
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._solvers.result import Status
from fewest.exceptions import ModelFileError
from fewest.model_files.archive import array_name, is_storable
from fewest.model_files.registry import MODELS, PARTS, RECORDS, is_registered
from fewest.model_files.state import fitted_state, parameters_of

_LARGEST_PLAIN = 2**53  # beyond it other readers of JSON round


class Encoder:
    """Collects the arrays while it describes a value."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._names: dict[int, str] = {}

    def estimator(self, estimator: Any, where: str) -> dict[str, Any]:
        """Its class, parameters and fitted attributes."""
        kind = type(estimator).__name__
        inside = f" of {kind}" if not where else f" of {where}"
        return {
            "estimator": kind,
            "parameters": {
                name: self.value(value, f"the parameter {name!r}{inside}")
                for name, value in parameters_of(estimator).items()
            },
            "fitted": {
                name: self.value(value, f"the attribute {name!r}{inside}")
                for name, value in fitted_state(estimator).items()
            },
        }

    def value(self, value: Any, where: str) -> Any:
        """The node of any value that can be stored; `where` is how messages call it."""
        if isinstance(value, Enum):
            return self._status(value, where)
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return value if abs(value) < _LARGEST_PLAIN else {"int": hex(value)}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sparse.issparse(value):
            return self._sparse(value, where)
        return self._composite(value, where)

    def _composite(self, value: Any, where: str) -> Any:
        if type(value) is list:
            return [self.value(entry, where) for entry in value]
        if type(value) is tuple:
            return {"tuple": [self.value(entry, where) for entry in value]}
        if type(value) is dict:
            return {
                "dict": [
                    [self.value(key, where), self.value(entry, f"{where}, entry {key!r}")]
                    for key, entry in value.items()
                ]
            }
        if is_registered(value, RECORDS):
            fields = {
                field.name: self.value(getattr(value, field.name), f"{where}, {field.name!r}")
                for field in dataclasses.fields(value)
            }
            return {"record": type(value).__name__, "fields": fields}
        if is_registered(value, MODELS) or is_registered(value, PARTS):
            return self.estimator(value, f"{type(value).__name__} in {where}")
        raise _refused(value, where)

    def _status(self, value: Enum, where: str) -> Any:
        if not isinstance(value, Status):
            raise _refused(value, where)
        return {"status": value.value}

    def _scalar(self, value: np.generic, where: str) -> Any:
        if not is_storable(value.dtype) or value.dtype.kind == "S":
            raise _refused(value, where)
        kind = "str" if value.dtype.kind == "U" else value.dtype.name
        return {"numpy": kind, "value": self.value(value.item(), where)}

    def _array(self, value: NDArray[Any], where: str) -> Any:
        if type(value) is not np.ndarray:
            value = np.asarray(value)  # a memory map, for instance
        if value.dtype == object:
            if value.ndim != 1:
                raise _refused(value, where)
            return {"objects": [self.value(entry, where) for entry in value.tolist()]}
        if not is_storable(value.dtype) or value.ndim > 2:
            raise ModelFileError(
                f"{where} is an array of shape {value.shape} and type {value.dtype}, which cannot "
                "be stored: tables of numbers or text can"
            )
        name = self._names.get(id(value))
        if name is None:
            name = array_name(len(self.arrays))
            self.arrays[name] = value  # kept, so that no other array gets its id
            self._names[id(value)] = name
        return {"array": name, "dtype": value.dtype.str, "shape": list(value.shape)}

    def _sparse(self, value: Any, where: str) -> Any:
        if value.format not in ("csr", "csc"):
            raise _refused(value, where)
        parts = {part: self._array(getattr(value, part), where) for part in SPARSE_PARTS}
        return {"sparse": type(value).__name__, "shape": list(value.shape), **parts}


SPARSE_PARTS = ("data", "indices", "indptr")


def _refused(value: Any, where: str) -> ModelFileError:
    return ModelFileError(
        f"{where} is a {type(value).__name__}, which cannot be stored: a model file holds numbers, "
        "text, arrays and fewest's own estimators. Fit with such a value, or pickle the estimator"
    )
