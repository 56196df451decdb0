"""Whether attributes are as a fit could have left them: type, shape, and range of indices.

The right side of a row in `_declarations` is one of

    float, int, flag, dict      a number or the like ("int" is at least zero, "signed" any)
    float machines features     an array of this shape, in named sizes
    int * < features            any length; every entry from zero to below that size
    int = features              a number that is this size
    list subsets: <row>         a list (tuple, dict) of this length, every entry as the row says
    none or <row>, one of a, b  a choice
    Step or PriceStep           a record, as its own rows say
    Liknon or LiknonCV          a fitted model on the same features
    part for labels             a classifier of scikit-learn, which is fitted here
    tried <row>                 rows that a kernel takes, one of which is predicted here

The first array with a named size decides it, and all others must agree. A size that starts with a
dot belongs to one record. "paths+" is at least one; "machines?" is no axis where the size is one.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from fewest._solvers.result import Status
from fewest.model_files._declarations import MODELS, PARTS, RECORDS, Row, find_name
from fewest.model_files._errors import attempt, damaged, demand

_ARRAYS: dict[str, tuple[type, ...]] = {
    "float": (np.float64,),
    "int": (np.integer,),
    "flag": (np.bool_,),
    "number": (np.number, np.bool_),
    "label": (np.number, np.bool_, np.character, np.object_),
    "text": (np.object_,),
    "matrix": (np.float64,),
}
_JOINT = "JointSelection"
_LARGEST_CACHE = 200  # MB, the default of SVC
_SCALARS: dict[str, Any] = {
    "float": Real,
    "int": Integral,
    "signed": Integral,
    "flag": (bool, np.bool_),
    "dict": dict,
    "none": type(None),
    "word": str,
    "status": Status,
}


def restore(model: Any, fitted: dict[str, Any]) -> None:
    """Give a new model the attributes of the one that was saved, each one checked."""
    rows = MODELS[type(model).__name__].rows_for(model)
    check_names(fitted, [row for row in rows if not row.is_derived])
    checker = _Checker(model)
    for row in rows:
        if row.name in fitted or row.is_derived:
            value = row.derive(model) if row.is_derived else fitted[row.name]
            if value is None and row.is_derived and row.is_optional:
                continue  # the file is older than the attribute
            vars(model)[row.name] = value
            if not row.spec.startswith("of "):  # was checked in the estimator inside
                checker.check(row.spec.removeprefix("derived "), value, row.name)


def check_names(found: dict[str, Any], rows: list[Row]) -> None:
    """All that is declared must be there, and nothing else."""
    for row in rows:
        demand(row.name in found or row.is_optional, f"the attribute {row.name!r} is missing")
    if unknown := set(found) - {row.name for row in rows}:
        raise damaged(f"the attribute {min(unknown)!r} is none that is kept")


_ENTRIES = {"tuple": tuple, "list": list, "dict": dict}


class _Checker:
    """Checks the attributes of one model one after the other, and knows the sizes so far."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._sizes = {"machines": 1}  # more of them where there are more than two classes

    def check(self, spec: str, value: Any, where: str) -> None:
        """Raise a ModelFileError unless the value is what the spec says."""
        head, _, entries = spec.partition(": ")
        kind, *words = head.split()
        if spec.startswith("none or "):
            if value is not None:
                self.check(spec.removeprefix("none or "), value, where)
        elif kind in _SPECIAL:
            _SPECIAL[kind](self, spec.removeprefix(kind).strip(), value, where)
        elif entries:
            self._check_entries(kind, words[0], entries, value, where)
        elif kind in RECORDS:
            self._check_record(spec.split(" or "), value, where)
        elif kind in MODELS:
            self._check_model(spec.split(" or "), value, where)
        else:
            self._check_numbers(spec, value, where)

    def _check_programs(self, spec: str, value: Any, where: str) -> None:
        """One result per linear function, or a single one for all classes together."""
        joint = isinstance(value, tuple) and [type(one).__name__ for one in value] == [_JOINT]
        self.check(
            f"tuple 1: {_JOINT}" if joint else "tuple machines: ZeroNormResult", value, where
        )

    def _agree(self, size: str, found: int, where: str) -> None:
        """Compare with the size of this name, or remember it."""
        demand(found > 0 or not size.endswith("+"), f"{where} has no entries")
        name = size.rstrip("+?*")
        if not name:
            return
        wanted = int(name) if name.isdigit() else self._sizes.setdefault(_key(name, where), found)
        if found != wanted:
            raise damaged(f"{where} has {found} entries where there should be {wanted} ({name})")

    def _check_numbers(self, spec: str, value: Any, where: str) -> None:
        """A scalar, or an array where sizes are named; it may be a size, or indices below one."""
        spec, _, limit = spec.partition(" < ")
        spec, _, sizes = spec.partition(" = ")
        kind, *shape = spec.split()
        if shape:
            self._check_array(kind, shape, value, where)
        elif not isinstance(value, _SCALARS[kind]) or (isinstance(value, bool) and kind != "flag"):
            raise damaged(f"{where} is a {type(value).__name__}, not of the right type ({kind})")
        elif kind == "int" and value < 0:
            raise damaged(f"{where} is below zero")
        for size in sizes.split():
            self._agree(size, int(value), where)
        most = self._sizes.get(_key(limit, where), 0)
        if limit and np.size(value) and not 0 <= np.min(value) <= np.max(value) < most:
            raise damaged(f"{where} holds indices outside 0 to {most - 1}")

    def _check_array(self, kind: str, shape: list[str], value: Any, where: str) -> None:
        is_array = isinstance(value, np.ndarray) or (kind == "matrix" and sparse.issparse(value))
        if not is_array or not any(np.issubdtype(value.dtype, one) for one in _ARRAYS[kind]):
            raise damaged(f"{where} is not an array of the right type ({kind})")
        wanted = str if kind == "text" else (str, bytes, Real)
        if value.dtype == object and not all(isinstance(one, wanted) for one in value.tolist()):
            raise damaged(f"{where} must be {'text' if kind == 'text' else 'numbers or text'}")
        axes = [size for size in shape if size[-1] != "?" or self._sizes[size[:-1]] > 1]
        if value.ndim != len(axes):
            raise damaged(f"{where} has the shape {value.shape}, not {len(axes)} dimension(s)")
        for size, found in zip(axes, value.shape, strict=True):
            self._agree(size, found, where)

    def _check_entries(self, kind: str, size: str, spec: str, value: Any, where: str) -> None:
        demand(isinstance(value, _ENTRIES[kind]), f"{where} is not a {kind}")
        self._agree(size, len(value), where)
        for key, entry in value.items() if kind == "dict" else enumerate(value):
            self.check(spec, entry, f"{where}[{key!r}]")

    def _check_record(self, kinds: list[str], value: Any, where: str) -> None:
        kind = find_name(value, RECORDS)
        if kind is None or kind not in kinds:
            raise damaged(f"{where} is a {type(value).__name__}, not a {' or '.join(kinds)}")
        for row in RECORDS[kind].rows_for(value):
            self.check(row.spec, getattr(value, row.name), f"{where}.{row.name}")

    def _check_model(self, kinds: list[str], value: Any, where: str) -> None:
        """A fitted model was checked when it was made; here it must suit the one around it."""
        if find_name(value, MODELS) not in kinds or "n_features_in_" not in vars(value):
            raise damaged(f"{where} is not a fitted {' or '.join(kinds)}")
        self._agree("features", value.n_features_in_, where)
        if "classes_" in vars(value):
            self._agree("classes", len(value.classes_), where)

    def _check_classes(self, number: str, value: Any, where: str) -> None:
        self._check_array("label", ["classes"], value, where)
        self._agree(number, len(value), where)
        if len(value) < 2 or len(set(value.tolist())) < len(value):
            raise damaged(f"{where} must hold two or more different classes")
        self._sizes["machines"] = 1 if len(value) == 2 else len(value)

    def _check_column(self, size: str, value: Any, where: str) -> None:
        """A list, or an array of one dimension, of whatever a document can hold."""
        if not isinstance(value, (list, np.ndarray)) or getattr(value, "ndim", 1) != 1:
            raise damaged(f"{where} is not a list")
        self._agree(size, len(value), where)

    def _check_choice(self, words: str, value: Any, where: str) -> None:
        if not isinstance(value, str) or value not in words.removeprefix("of ").split(", "):
            raise damaged(f"{where} must be one {words}")

    def _check_part(self, target: str, value: Any, where: str) -> None:
        """Fit the part again; it predicts labels of the model, or places in its `classes_`."""
        kind, owner = type(value).__name__, self._model
        demand(find_name(value, PARTS) is not None, f"{where} is a {kind}")
        has_all = owner._samples.shape[1] == np.count_nonzero(owner.support_)
        demand(has_all, "_samples has another number of columns than features are selected")
        what = f"the {kind} on the selected features"
        samples = owner._samples, owner._labels
        attempt(f"{what} cannot be fitted again", _fit_within_bounds, value, *samples)
        classes = owner.classes_ if target == "for labels" else np.arange(len(owner.classes_))
        demand(np.array_equal(value.classes_, classes), f"{what} knows other classes")

    def _check_tried(self, spec: str, value: Any, where: str) -> None:
        """Rows that a kernel compares with: it must answer for the first one."""
        self.check(spec, value, where)
        if value.shape[0]:
            attempt("the kernel does not answer", self._model.predict, value[:1])


_SPECIAL = {
    "classes": _Checker._check_classes,
    "column": _Checker._check_column,
    "one": _Checker._check_choice,
    "part": _Checker._check_part,
    "programs": _Checker._check_programs,
    "tried": _Checker._check_tried,
}


def _key(name: str, where: str) -> str:
    """Sizes with a dot are those of the record that `where` is a field of."""
    return where.rpartition(".")[0] + name if name.startswith(".") else name


def _fit_within_bounds(part: Any, samples: NDArray[Any], labels: NDArray[Any]) -> None:
    """Strange parameters must not keep the solver busy for ever, nor fill memory or screen."""
    most_steps = max(100 * len(samples), 10**9 // (len(samples) + 100))
    given = part.get_params()
    bounds: dict[str, Any] = {}
    for name, value in given.items():
        own_name = name.rpartition("__")[2]  # behind the name of a step of a pipeline
        if own_name == "verbose":
            bounds[name] = False
        elif own_name == "cache_size":
            bounds[name] = min(value, _LARGEST_CACHE)
        elif own_name == "max_iter" and not 0 <= value <= most_steps:
            bounds[name] = most_steps
            warnings.simplefilter("error", ConvergenceWarning)
    part.set_params(**bounds).fit(samples, labels)
    part.set_params(**{name: given[name] for name in bounds})
    part.predict(samples[:1])
