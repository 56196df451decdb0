"""From the nodes of a document back to values; only the classes of the registry are ever made."""

from __future__ import annotations

import dataclasses
import math
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._solvers.result import Status
from fewest.model_files.archive import array_of
from fewest.model_files.encode import SPARSE_PARTS
from fewest.model_files.errors import damaged
from fewest.model_files.registry import MODELS, PARTS, RECORDS, class_named
from fewest.model_files.state import restore

_SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
_SCALARS = {
    "bool": bool,
    **{f"{sign}int{bits}": int for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": float for bits in (16, 32, 64)},
    "str": str,
}


class Decoder:
    """Turns nodes into values, and knows afterwards which arrays nobody asked for."""

    def __init__(self, members: dict[str, bytes]) -> None:
        self._members = members
        self._arrays: dict[str, NDArray[Any]] = {}

    @property
    def unused(self) -> set[str]:
        """Arrays that no node refers to."""
        return set(self._members) - set(self._arrays)

    def estimator(self, node: Any, homes: dict[str, str]) -> Any:
        """A new estimator of one of these classes, with its fitted attributes."""
        _require_keys(node, "estimator", "parameters", "fitted")
        kind = class_named(node["estimator"], homes)
        parameters = self._named(node["parameters"])
        if set(parameters) != set(signature(kind).parameters):
            raise damaged(f"the parameters of {kind.__name__} are not those that it has")
        estimator = kind(**parameters)
        restore(estimator, self._named(node["fitted"]))
        return estimator

    def value(self, node: Any) -> Any:
        """The value of any node."""
        if node is None or isinstance(node, (bool, str, int)):
            return node
        if isinstance(node, float):
            return _finite(node)
        if isinstance(node, list):
            return [self.value(entry) for entry in node]
        for key, read in _READERS.items():
            if key in node:
                return read(self, node)
        raise damaged(f"it holds a node of unknown kind ({', '.join(node)[:60]!r})")

    def _named(self, nodes: Any) -> dict[str, Any]:
        if not isinstance(nodes, dict):
            raise damaged("parameters, attributes and fields must have names")
        return {name: self.value(node) for name, node in nodes.items()}

    def _part(self, node: Any) -> Any:
        return self.estimator(node, MODELS | PARTS)

    def _record(self, node: Any) -> Any:
        _require_keys(node, "record", "fields")
        kind = class_named(node["record"], RECORDS)
        fields = self._named(node["fields"])
        if set(fields) != {field.name for field in dataclasses.fields(kind)}:
            raise damaged(f"the fields of {kind.__name__} are not those that it has")
        return kind(**fields)

    def _array(self, node: Any) -> NDArray[Any]:
        _require_keys(node, "array", "dtype", "shape")
        name = node["array"]
        if not isinstance(name, str) or name not in self._members:
            raise damaged(f"the array {str(name)[:40]!r} is missing")
        if name not in self._arrays:
            self._arrays[name] = array_of(name, self._members[name])
        array = self._arrays[name]
        if node["dtype"] != array.dtype.str or node["shape"] != list(array.shape):
            raise damaged(
                f"the array {name} has the type {array.dtype.str} and the shape "
                f"{list(array.shape)}; the document says otherwise"
            )
        return array

    def _objects(self, node: Any) -> NDArray[Any]:
        _require_keys(node, "objects")
        entries = _list(node["objects"])
        array = np.empty(len(entries), dtype=object)
        for place, entry in enumerate(entries):
            array[place] = self.value(entry)
        return array

    def _sparse(self, node: Any) -> Any:
        _require_keys(node, "sparse", "shape", *SPARSE_PARTS)
        if node["sparse"] not in _SPARSE:
            raise damaged("it holds a sparse matrix of unknown format")
        shape = _list(node["shape"])
        if len(shape) != 2 or not all(type(length) is int and length >= 0 for length in shape):
            raise damaged("a sparse matrix must have two dimensions")
        try:
            parts = tuple(self._array(node[part]) for part in SPARSE_PARTS)
            matrix = getattr(sparse, node["sparse"])(parts, shape=tuple(shape))
            matrix.check_format(full_check=True)  # compiled code trusts the indices
        except (ValueError, TypeError, OverflowError) as error:
            raise damaged(f"it holds a sparse matrix that is none ({error})") from error
        return matrix

    def _scalar(self, node: Any) -> Any:
        _require_keys(node, "numpy", "value")
        kind, value = node["numpy"], self.value(node["value"])
        if not isinstance(kind, str) or type(value) is not _SCALARS.get(kind):
            raise damaged("it holds a number that is not of the type it declares")
        try:
            with np.errstate(over="ignore"):
                made = np.str_(value) if kind == "str" else np.dtype(kind).type(value)
        except OverflowError as error:
            raise damaged(f"{value} does not fit into {kind}") from error
        if made.item() != value and not (isinstance(value, float) and math.isnan(value)):
            raise damaged(f"{value} does not fit into {kind}")
        return made

    def _tuple(self, node: Any) -> tuple[Any, ...]:
        _require_keys(node, "tuple")
        return tuple(self.value(entry) for entry in _list(node["tuple"]))

    def _dict(self, node: Any) -> dict[Any, Any]:
        _require_keys(node, "dict")
        made: dict[Any, Any] = {}
        for pair in _list(node["dict"]):
            if len(_list(pair)) != 2:
                raise damaged("a dict is a list of pairs")
            key = self.value(pair[0])
            if not isinstance(key, (str, int, float, np.generic)) or key in made:
                raise damaged("the keys of a dict must be different numbers or words")
            made[key] = self.value(pair[1])
        return made

    def _float(self, node: Any) -> float:
        _require_keys(node, "float")
        if node["float"] not in ("inf", "-inf", "nan"):
            raise damaged("only inf, -inf and nan are spelled out")
        return float(node["float"])

    def _int(self, node: Any) -> int:
        _require_keys(node, "int")
        try:
            return int(node["int"], 16)
        except (TypeError, ValueError) as error:
            raise damaged("it holds a whole number that is none") from error

    def _status(self, node: Any) -> Status:
        _require_keys(node, "status")
        try:
            return Status(node["status"])
        except ValueError as error:
            raise damaged("it holds an unknown status of a result") from error


_READERS = {
    "estimator": Decoder._part,
    "record": Decoder._record,
    "array": Decoder._array,
    "objects": Decoder._objects,
    "sparse": Decoder._sparse,
    "numpy": Decoder._scalar,
    "tuple": Decoder._tuple,
    "dict": Decoder._dict,
    "float": Decoder._float,
    "int": Decoder._int,
    "status": Decoder._status,
}


def _require_keys(node: Any, *keys: str) -> None:
    if not isinstance(node, dict) or set(node) != set(keys):
        raise damaged(f"it lacks a node with the keys {', '.join(keys)}, or it has others too")


def _list(node: Any) -> list[Any]:
    if not isinstance(node, list):
        raise damaged("it holds something else where a list should be")
    return node


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise damaged("it holds a number that is too large")
    return number
