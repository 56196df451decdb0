"""Labels of text files: numbers only where each text is how its number is written anyway."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas

CLASSES, LABELS, MEASUREMENT, VALUES = "classes", "labels", "measurement", "values"

_NUMBER = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)  # any of them fits into 64 bits
_LEADING_ZERO = re.compile(r"[-+]?0\d")
_TRUTH = {"True": True, "False": False}


def settle_labels(column: pandas.Series, role: str, decimal: str = ".") -> pandas.Series:
    """A column of text as numbers if no two texts become one label by that, else as it is.

    The role says what is lost: '57.0' may be 57 as a measurement or as a value to predict, but not
    as a label. Codes such as '01' are no measurements. Classes that are fractions become numbers,
    because they are refused as such.
    """
    import pandas

    codes, given = pandas.factorize(column)
    texts = [text.strip() for text in given]
    numbers = _find_numbers(texts, role, decimal)
    is_missing = codes < 0
    if not numbers or (is_missing.any() and type(numbers[0]) is bool):
        return column
    settled = pandas.Series(np.array(numbers)[codes], index=column.index)
    if not is_missing.any():
        return settled
    # Whole numbers stay whole where others are missing.
    return (settled.astype("Int64") if settled.dtype.kind == "i" else settled).mask(is_missing)


def _find_numbers(texts: list[str], role: str, decimal: str) -> Sequence[float]:
    """The number of each text; nothing if they are to stay texts."""
    if all(text in _TRUTH for text in texts):
        return [_TRUTH[text] for text in texts]
    pointed = [_write_point(text, decimal) for text in texts]
    if not all(map(_NUMBER.fullmatch, pointed)):
        return []
    whole = all(map(_WHOLE.fullmatch, pointed))
    numbers = [int(text) if whole else float(text) for text in pointed]
    if _is_measured(numbers, pointed, role):
        return numbers
    plain = [text.removeprefix("+") for text in texts]  # '+1' beside '-1', but not beside '1'
    is_lossless = all(str(one) == text for one, text in zip(numbers, plain, strict=True))
    return numbers if is_lossless and len(set(numbers)) == len(set(texts)) else []


def _write_point(text: str, decimal: str) -> str:
    """The text with a decimal point; without any if it has a point of another meaning."""
    return text if decimal == "." else text.replace(".", " ").replace(decimal, ".")


def _is_measured(numbers: list[float], texts: list[str], role: str) -> bool:
    if role == MEASUREMENT:
        return not any(map(_LEADING_ZERO.match, texts))
    is_fraction = role == CLASSES and not all(float(one).is_integer() for one in numbers)
    return role == VALUES or is_fraction
