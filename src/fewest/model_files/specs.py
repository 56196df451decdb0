"""A small language for what an attribute must be: type, shape, and range of indices.

Sizes have names. The first array with a named size decides it, and all others must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from fewest.model_files.errors import damaged

Spec = Callable[[Any, str, "Sizes"], None]
Length = str | int | None  # a name, a number, or any


@dataclass
class Sizes:
    """The sizes that are known so far."""

    known: dict[str, int] = field(default_factory=dict)

    def agree(self, length: Length, found: int, where: str) -> None:
        """Compare with the size of this name, or remember it."""
        if length is None:
            return
        wanted = self.known.setdefault(length, found) if isinstance(length, str) else length
        if found != wanted:
            what = f" ({length})" if isinstance(length, str) else ""
            raise damaged(f"{where} has {found} entries where there should be {wanted}{what}")

    def inside(self) -> Sizes:
        """The same sizes for a part, whose own sizes are nobody else's concern."""
        shared = {name: size for name, size in self.known.items() if not name.startswith("own ")}
        return Sizes(shared)


def array(kinds: str, *shape: Length, below: str | None = None) -> Spec:
    """An array of one of these kinds of numbers; indices must be `below` a size."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            raise damaged(f"{where} is not an array of the right type")
        if value.ndim != len(shape):
            raise damaged(f"{where} has the shape {value.shape}, not {len(shape)} dimension(s)")
        for length, found in zip(shape, value.shape, strict=True):
            sizes.agree(length, found, where)
        if below is not None and value.size:
            limit = sizes.known.get(below, 0)
            if value.min() < 0 or value.max() >= limit:
                raise damaged(f"{where} holds indices outside 0 to {limit - 1}")

    return check


def floats(*shape: Length) -> Spec:
    """An array of 64-bit floats, as compiled code takes them."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        array("f", *shape)(value, where, sizes)
        if value.dtype != np.float64:
            raise damaged(f"{where} is not an array of the right type")

    return check


def indices(*shape: Length, below: str | None = None) -> Spec:
    """An array of whole numbers."""
    return array("iu", *shape, below=below)


def flags(*shape: Length) -> Spec:
    """An array of truth values."""
    return array("b", *shape)


def anything(value: Any, where: str, sizes: Sizes) -> None:
    """Whatever a document can hold."""


def flag(value: Any, where: str, sizes: Sizes) -> None:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise damaged(f"{where} is neither true nor false")


def whole(value: Any, where: str, sizes: Sizes) -> None:
    """A whole number of at least zero."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 0:
        raise damaged(f"{where} is not a whole number of at least zero")


def integer(value: Any, where: str, sizes: Sizes) -> None:
    """A whole number of either sign."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise damaged(f"{where} is not a whole number")


def number(value: Any, where: str, sizes: Sizes) -> None:
    """A real number; infinity and NaN count."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise damaged(f"{where} is not a number")


def instance(kind: type | str) -> Spec:
    """An object of a class (or of a class of this name) whose parts need no look."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) is not kind and type(value).__name__ != kind:
            raise damaged(f"{where} is a {type(value).__name__}")

    return check


def choice(*choices: str) -> Spec:
    """One of these words."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if not isinstance(value, str) or value not in choices:
            raise damaged(f"{where} must be one of {', '.join(choices)}")

    return check


def maybe(spec: Spec) -> Spec:
    """None, or what the spec says."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if value is not None:
            spec(value, where, sizes)

    return check


def either(*specs: Spec) -> Spec:
    """What at least one of the specs says; the last one explains why not."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        for spec in specs[:-1]:
            try:
                spec(value, where, Sizes(dict(sizes.known)))
            except ValueError:
                continue
            spec(value, where, sizes)
            return
        specs[-1](value, where, sizes)

    return check


def many(kind: type, spec: Spec, length: Length = None, at_least: int = 0) -> Spec:
    """A list or tuple of parts that share the sizes around them."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value) is not kind:
            raise damaged(f"{where} is not a {kind.__name__}")
        if len(value) < at_least:
            raise damaged(f"{where} has {len(value)} entries, fewer than {at_least}")
        sizes.agree(length, len(value), where)
        for place, entry in enumerate(value):
            part = sizes.inside()
            spec(entry, f"{where}[{place}]", part)
            sizes.known |= {n: s for n, s in part.known.items() if not n.startswith("own ")}

    return check


def table(value: Any, where: str, sizes: Sizes) -> None:
    """A dict of equally long columns, such as `cv_results_`."""
    if type(value) is not dict or not all(isinstance(key, str) for key in value):
        raise damaged(f"{where} is not a dict with names")
    for key, column in value.items():
        if not isinstance(column, (list, np.ndarray)) or getattr(column, "ndim", 1) != 1:
            raise damaged(f"{where}[{key!r}] is not a list")
        sizes.agree("candidates", len(column), f"{where}[{key!r}]")


def check_names(found: Iterable[str], required: Iterable[str], allowed: Iterable[str]) -> None:
    """All that is required must be there, and nothing that is not allowed."""
    found = set(found)
    missing = sorted(set(required) - found)
    if missing:
        raise damaged(f"the attribute {missing[0]!r} is missing")
    unknown = sorted(found - set(allowed))
    if unknown:
        raise damaged(f"the attribute {unknown[0]!r} is none that a fit leaves behind")
