"""Curves as numbers of a cell, so a figure can be drawn from what was computed and kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest.informative import InformativeFeatures
from reproductions.study import Measured

_POINTS = 41


def keep_curve(name: str, x: ArrayLike, values: ArrayLike) -> dict[str, float]:
    """Values of a curve under labels that `read_curve` understands."""
    x, values = np.asarray(x, dtype=float), np.asarray(values, dtype=float)
    chosen = np.unique(np.linspace(0, len(x) - 1, _POINTS).round().astype(int))
    return {f"{name} @ {x[place]:.4f}": float(values[place]) for place in chosen}


def read_curve(found: Mapping[str, Measured], name: str) -> tuple[np.ndarray, np.ndarray]:
    """The curve again: places and values."""
    pairs = [
        (float(label.removeprefix(f"{name} @ ")), one.value)
        for label, one in found.items()
        if label.startswith(f"{name} @ ")
    ]
    x, values = zip(*sorted(pairs), strict=True) if pairs else ((), ())
    return np.array(x), np.array(values)


def keep_repetitions(found: InformativeFeatures, name: str = "") -> dict[str, float]:
    """Sizes and both errors of repetitive selection along the share of features removed."""
    kept = keep_curve(f"{name}sizes", found.fraction, found.sizes)
    kept |= keep_curve(f"{name}machine", found.fraction, found.selection_error)
    if found.probe_error is not None and found.restricted is not None:
        kept |= keep_curve(f"{name}SVM", found.fraction, found.probe_error)
        kept |= keep_curve(f"{name}sigmoid", found.fraction, found.restricted(found.fraction))
    return kept


def draw_curve(ax: Any, found: Mapping[str, Measured], name: str, **how: Any) -> None:
    """One curve against the share removed, in per cent."""
    x, values = read_curve(found, name)
    ax.plot(100 * x, values, **how)
