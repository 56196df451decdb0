"""Numbers as they are meant: what a double cannot hold is refused, and so is what has no value."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fewest._wording import cut

_EXACT = 2**53  # whole numbers up to it are doubles
_HUGE = 10**308


def as_double(name: str, value: Any) -> float:
    """The double that is printed like the value; raise where there is none, or no number at all.

    What is more accurate would be rounded: two prices could become one, and a set would be "proven"
    to be the cheapest that is not.
    """
    refuse_masked(name, value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (np.float16, np.float32)):
        return float(str(value))  # 0.1, and not 0.10000000149
    try:
        if isinstance(value, (complex, np.complexfloating)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got {value!r}") from None
    except OverflowError:
        raise ValueError(
            f"{name} has a number beyond 1e308, which a double cannot hold. Use another unit"
        ) from None
    if not _is_printed(number, value):
        raise ValueError(
            f"{name} has {cut(str(value))}, which a double cannot hold: it would be read as "
            f"{number!r}. Give a number of at most 15 digits, or {number!r} if you mean that"
        )
    return number


def _is_printed(number: float, value: Any) -> bool:
    """Whether a double is printed like the value, or is that value as its type holds it."""
    if isinstance(value, float) or np.isnan(number):
        return True
    if isinstance(value, np.longdouble):
        return bool(value == number)
    if isinstance(value, Rational):
        return np.isfinite(number) and Fraction(repr(number)) == value
    if isinstance(value, (Decimal, str)):
        return Decimal(repr(number)) == Decimal(value)
    return True


def as_objects(values: Any) -> NDArray[Any]:
    """Values as an array that has rounded none of them: lists may hold numbers of all kinds."""
    if hasattr(values, "dtype"):
        return np.asarray(values)
    try:
        return np.array(values, dtype=object)
    except ValueError:  # lists of lists of different shapes
        return np.empty((0, 0), dtype=object)


def refuse_masked(rule: str, values: Any) -> None:
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(
            f"{rule} is a masked array, whose masked entries have no value: fill them, or leave "
            "them out"
        )


def refuse_rounding(X: Any) -> None:
    """Raise if X has numbers that no double holds, or dates: what is proven of others is not true.

    Floating-point numbers and texts are read as the nearest double.
    """
    for array in _list_arrays(X):
        rounded = _find_rounded(array)
        if isinstance(rounded, (np.datetime64, np.timedelta64)):
            raise ValueError("X has dates: give numbers, for example days since the first one")
        if rounded is not None:
            raise ValueError(
                f"X has {cut(str(rounded))}, which a double cannot hold: values that differ could "
                "become equal, and proofs would be about other data. Subtract a common offset, "
                "or divide, so that numbers have 15 digits at most"
            )


def _list_arrays(X: Any) -> list[NDArray[Any]]:
    """Values of X, as their own types hold them."""
    if sparse.issparse(X):
        if X.format == "coo" and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return [X.data]
    if hasattr(X, "dtypes") and hasattr(X, "loc"):
        kinds = [kind for kind in set(X.dtypes) if not _is_harmless(kind)]
        return [np.asarray(X.loc[:, (X.dtypes == kind).to_numpy()]) for kind in kinds]
    if isinstance(X, (list, tuple)):
        return [as_objects(X)]
    return [np.asarray(X)] if isinstance(X, np.ndarray) or hasattr(X, "__array__") else []


def _is_harmless(kind: Any) -> bool:
    """Whether doubles hold all values of a type of numpy."""
    most = {"b": 1, "i": 4, "u": 4, "f": 8}
    return isinstance(kind, np.dtype) and kind.itemsize <= most.get(kind.kind, 0)


def _is_whole(value: Any) -> bool:
    """Whether a number of Python's own is a whole one, or a fraction."""
    if isinstance(value, Decimal):
        return value.is_finite() and value == value.to_integral_value()
    return isinstance(value, Rational)


def _find_rounded(array: NDArray[Any]) -> Any:
    """A value that changes when it becomes a double; None if none does."""
    kind = array.dtype
    if _is_harmless(kind) or not array.size:
        return None
    if kind.kind in "mM":
        return array.flat[0]
    if kind.kind in "iu":
        values = array[(array > _EXACT) | (array < -_EXACT)].tolist()
    elif kind.kind == "f":
        return next(iter(array[np.isfinite(array) & (array != array.astype(np.float64))]), None)
    elif kind.kind == "O":
        values = [one for one in array.flat if _is_whole(one)]
    else:
        return None
    return next((one for one in values if abs(one) > _HUGE or float(one) != one), None)
