"""The nodes of a document: from an estimator to them, and back.

None, truth values, text, whole numbers and finite floats stand for themselves, a JSON list for a
Python list. Everything else is an object whose first key says what it is, see `_READERS`. Only
declared classes are ever made.
"""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, fields
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._showing import Listed
from fewest._solvers.result import Status
from fewest._sparse import check_sparse
from fewest.exceptions import ModelFileError
from fewest.model_files._archive import is_storable, name_array, read_array
from fewest.model_files._checks import check_names, restore
from fewest.model_files._declarations import MODELS, PARTS, RECORDS, find_class, find_name
from fewest.model_files._errors import attempt, damaged, demand, reason

_LARGEST_PLAIN = 2**53  # beyond it other readers of JSON round
_NO_PROBABILITY = (False, "deprecated")
_SCALAR = re.compile(r"bool|str|u?int(8|16|32|64)|float(16|32|64)")
_SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
_SPARSE_PARTS = ("data", "indices", "indptr")
_SPELLED_OUT = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_STEPS = re.compile("(StandardScaler )*(KNeighborsClassifier|SVC)")


class Encoder:
    """Collects the arrays while it describes a value."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._names: dict[int, str] = {}

    def model(self, model: Any, where: str = "") -> dict[str, Any]:
        """Class, parameters and fitted attributes of one of fewest's own estimators."""
        kind = type(model).__name__
        inside = f" of {where or kind}"
        described = self._unfitted(model, kind, inside)
        bare = vars(type(model)(**model.get_params(deep=False)))
        found = {name: value for name, value in vars(model).items() if name not in bare}
        rows = MODELS[kind].rows_for(model)
        check_names(found, rows)
        fitted = {}
        for row in rows:
            what = f"the attribute {row.name!r}{inside}"
            value: Any = found.get(row.name)
            if row.is_derived:
                made = row.derive(model)
                if value is not made and not np.array_equal(value, made):
                    raise ModelFileError(f"{what} does not agree with the others")
            elif find_name(value, MODELS):
                fitted[row.name] = self.model(value, what)
            elif row.name in found:
                fitted[row.name] = self.value(value, what)
        return {"estimator": kind, "parameters": described["parameters"], "fitted": fitted}

    def value(self, value: Any, where: str) -> Any:
        """The node of any value that can be stored; `where` is how messages call it."""
        if isinstance(value, Status):
            return {"status": value.value}
        if isinstance(value, np.generic) and is_storable(value.dtype):
            kind = "str" if value.dtype.kind == "U" else value.dtype.name
            return {"numpy": kind, "value": self.value(value.item(), where)}
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if abs(value) < _LARGEST_PLAIN else {"int": hex(value)}
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, np.ndarray):
            return self._array(np.asarray(value), where)  # no memory map, for instance
        if sparse.issparse(value) and value.format in ("csr", "csc"):
            parts = {part: self._array(getattr(value, part), where) for part in _SPARSE_PARTS}
            return {"sparse": type(value).__name__, "shape": list(value.shape), **parts}
        return self._composite(value, where)

    def _composite(self, value: Any, where: str) -> Any:
        if type(value) is list:
            return [self.value(entry, where) for entry in value]
        if type(value) in (tuple, Listed):
            return {"tuple": [self.value(entry, where) for entry in value]}
        if type(value) is dict:
            return {
                "dict": [
                    [self.value(key, where), self.value(entry, f"{where}, entry {key!r}")]
                    for key, entry in value.items()
                ]
            }
        if kind := find_name(value, RECORDS):
            return {"record": kind, "fields": self._named(vars(value), "field", f" of {where}")}
        if kind := find_name(value, MODELS | PARTS):
            return self._unfitted(value, kind, f" of {kind} in {where}")
        raise ModelFileError(
            f"{where} is a {type(value).__name__}, which cannot be stored: a model file holds "
            "numbers, text, arrays and fewest's own estimators. Fit with such a value, or pickle "
            "the estimator"
        )

    def _unfitted(self, estimator: Any, kind: str, inside: str) -> dict[str, Any]:
        given = estimator.get_params(deep=False)
        if given.get("probability", False) not in _NO_PROBABILITY:
            raise ModelFileError(
                f"the parameter 'probability'{inside} is set, which cannot be stored: the "
                "probabilities would change after loading"
            )
        given.pop((MODELS | PARTS)[kind].left_out, None)
        return {"unfitted": kind, "parameters": self._named(given, "parameter", inside)}

    def _named(self, values: dict[str, Any], what: str, inside: str) -> dict[str, Any]:
        return {
            name: self.value(value, f"the {what} {name!r}{inside}")
            for name, value in values.items()
        }

    def _array(self, value: NDArray[Any], where: str) -> Any:
        if value.dtype == object and value.ndim == 1:
            return {"objects": [self.value(entry, where) for entry in value.tolist()]}
        if not is_storable(value.dtype) or value.ndim > 2:
            raise ModelFileError(
                f"{where} is an array of shape {value.shape} and type {value.dtype}, which cannot "
                "be stored: tables of numbers or text can"
            )
        name = self._names.setdefault(id(value), name_array(len(self.arrays)))
        self.arrays[name] = value  # kept, so no other array gets its id
        return {"array": name, "dtype": value.dtype.str, "shape": list(value.shape)}


class Decoder:
    """Turns nodes into values, and knows afterwards what it came across."""

    def __init__(self, members: dict[str, bytes]) -> None:
        self._members = members
        self.arrays: dict[str, NDArray[Any]] = {}
        self.has_parts = False

    def value(self, node: Any) -> Any:
        """The value of any node."""
        if isinstance(node, list):
            return [self.value(entry) for entry in node]
        if not isinstance(node, dict):
            if isinstance(node, float) and not math.isfinite(node):
                raise damaged("it holds a number that is not finite")
            return node
        kind = next((kind for kind in _READERS if kind in node), None)
        if kind is None:
            raise damaged(f"it holds a node of unknown kind ({', '.join(node)[:60]!r})")
        read, *others = _READERS[kind]
        keys = [kind, *others]
        demand(set(node) == set(keys), f"a node {kind!r} must have the keys {', '.join(keys)}")
        try:
            return read(self, *(node[key] for key in keys))
        except ModelFileError:
            raise
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise damaged(f"it holds a node {kind!r} that is none ({reason(error)})") from error

    def _model(self, name: Any, parameters: Any, fitted: Any) -> Any:
        """A model of fewest, its parameters and fitted attributes checked."""
        find_class(name, MODELS)
        model = self._unfitted(name, parameters)
        restore(model, self._named(fitted))
        return model

    def _unfitted(self, name: Any, parameters: Any) -> Any:
        """An estimator with these parameters."""
        kind, given = find_class(name, MODELS | PARTS), self._named(parameters)
        known = set(signature(kind).parameters) - {(MODELS | PARTS)[name].left_out}
        # Another scikit-learn may know more parameters; their defaults change nothing.
        if not set(given) <= known or (name in MODELS and set(given) < known):
            raise damaged(f"the parameters of {name} are not those that it has")
        estimator = kind(**given)
        if name in MODELS:
            attempt(f"the parameters of {name} are not admissible", estimator._check_parameters)
        elif name == "Pipeline":
            names = [str(find_name(step, PARTS)) for _, step in _list(estimator.steps)]
            if not _STEPS.fullmatch(" ".join(names)):
                raise damaged("a Pipeline is not a classifier behind a StandardScaler")
        self.has_parts |= name in PARTS
        return estimator

    def _record(self, name: Any, nodes: Any) -> Any:
        kind, given = find_class(name, RECORDS), self._named(nodes)
        declared = [
            field.name for field in fields(kind) if field.name in given or field.default is MISSING
        ]  # files may be older than a field that has a default
        demand(list(given) == declared, f"the fields of {name} are not those that it has")
        return kind(**given)

    def _named(self, nodes: Any) -> dict[str, Any]:
        demand(isinstance(nodes, dict), "parameters, attributes and fields must have names")
        return {name: self.value(node) for name, node in nodes.items()}

    def _array(self, name: Any, dtype: Any, shape: Any) -> NDArray[Any]:
        if not isinstance(name, str) or name not in self._members:
            raise damaged(f"the array {str(name)[:40]!r} is missing")
        if name not in self.arrays:
            self.arrays[name] = read_array(name, self._members[name])
        array = self.arrays[name]
        if dtype != array.dtype.str or shape != list(array.shape):
            raise damaged(
                f"the array {name} has the type {array.dtype.str} and the shape "
                f"{list(array.shape)}; the document says otherwise"
            )
        return array

    def _objects(self, entries: Any) -> NDArray[Any]:
        array = np.empty(len(_list(entries)), dtype=object)
        for place, entry in enumerate(entries):
            array[place] = self.value(entry)
        return array

    def _sparse(self, kind: Any, shape: Any, *nodes: Any) -> Any:
        if kind not in _SPARSE or [type(length) for length in _list(shape)] != [int, int]:
            raise damaged("it holds a sparse matrix of unknown format")
        parts = tuple(self.value(node) for node in nodes)
        matrix = getattr(sparse, kind)(parts, shape=tuple(shape))
        check_sparse(matrix, "a sparse matrix of it")
        return matrix

    def _scalar(self, kind: Any, node: Any) -> Any:
        value = self.value(node)
        demand(_SCALAR.fullmatch(kind) is not None, f"{kind[:40]!r} is no type of a number")
        with np.errstate(over="ignore"):
            made = np.asarray(value, dtype=kind)[()]
        item = made.item()
        if type(item) is not type(value) or (item != value and value == value):
            raise damaged(f"{value} does not fit into {kind}")
        return made

    def _dict(self, pairs: Any) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for pair in _list(pairs):
            key, value = self.value(_list(pair))
            if not isinstance(key, (str, int, float, np.generic)) or key in made:
                raise damaged("the keys of a dict must be different numbers or words")
            made[key] = value
        return made


# How a node with this first key is read, and which other keys it has.
_READERS: dict[str, tuple[Any, ...]] = {
    "estimator": (Decoder._model, "parameters", "fitted"),
    "unfitted": (Decoder._unfitted, "parameters"),
    "record": (Decoder._record, "fields"),
    "array": (Decoder._array, "dtype", "shape"),
    "objects": (Decoder._objects,),
    "sparse": (Decoder._sparse, "shape", *_SPARSE_PARTS),
    "numpy": (Decoder._scalar, "value"),
    "tuple": (lambda decoder, entries: tuple(decoder.value(_list(entries))),),
    "dict": (Decoder._dict,),
    "float": (lambda _, text: _SPELLED_OUT[text],),
    "int": (lambda _, text: int(text, 16),),
    "status": (lambda _, text: Status(text),),
}


def _list(node: Any) -> list[Any]:
    if not isinstance(node, list):
        raise damaged("it holds something else where a list should be")
    return node
