"""What a reproduction consists of: cells to compute, published numbers, and when they agree.

The numbers of a paper are typed in, with their source; ours are always computed. They agree if they
differ by no more than the published rounding and twice the standard error of the difference:

    |ours - paper|  <=  half a unit of the paper's last digit  +  2 sd sqrt(1 / m + 1 / m'),

where m' runs of the paper and m of ours are averaged, and sd is the standard deviation of one run:
ours, or the paper's where it prints one that is larger. A result without randomness has to agree to
its rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Two standard errors: one number in twenty-two differs by more, by chance alone.
_ERRORS = 2.0


@dataclass(frozen=True)
class Published:
    """A number as a paper prints it.

    Parameters
    ----------
    value : float
        The number.
    decimals : int
        Digits after the point that the paper prints.
    runs : int or None
        How many runs it averages; None if it is no average.
    spread : float
        Extra difference to allow, for numbers read off a figure.
    sd : float
        The standard deviation of one run that the paper prints; 0 if it prints none.
    """

    value: float
    decimals: int = 1
    runs: int | None = None
    spread: float = 0.0
    sd: float = 0.0


@dataclass(frozen=True)
class Measured:
    """Our number: the mean of some runs, and the standard deviation of one."""

    value: float
    sd: float = 0.0
    runs: int = 1

    @classmethod
    def from_runs(cls, values: Sequence[float]) -> Measured:
        """Mean and standard deviation over runs, of which those that are NaN do not count."""
        known = np.asarray(values, dtype=float)
        known = known[np.isfinite(known)]
        sd = float(known.std(ddof=1)) if len(known) > 1 else 0.0
        return cls(float(known.mean()) if len(known) else np.nan, sd, len(known))


@dataclass(frozen=True)
class Cell:
    """One computation: the numbers of one table cell, or of one curve.

    Parameters
    ----------
    name : str
        The row and column of the table, for people and for the cache.
    run : callable
        ``run(quick)`` returns our numbers by label: `Measured`, or a plain number. It lives at the
        top of a module (parts of it by `functools.partial`), since it runs in another process.
    published : dict
        The paper's numbers, by the same labels. Ours without a counterpart are listed alone.
    data : tuple of str
        Real data sets that it needs (file names, without `.npz`); skipped where they are missing.
    packages : tuple of str
        Packages that it imports beyond those of fewest; skipped where they are not installed.
    """

    name: str
    run: Callable[[bool], Mapping[str, Any]]
    published: Mapping[str, Published] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A table or figure of a paper.

    Parameters
    ----------
    name : str
        Name for the command line, after the paper: "klement2013_table1".
    title : str
        What it shows.
    source : str
        Paper and place.
    cells : sequence of Cell
        What to compute.
    why : dict
        Where numbers differ: beginning of "cell: label" to one sentence that says why. The longest
        beginning that fits is used.
    notes : str
        Assumptions: parameters that the paper does not give, stand-ins for data.
    draw : callable or None
        ``draw(figure, results)`` draws the figure from {cell name: {label: Measured}}.
    """

    name: str
    title: str
    source: str
    cells: Sequence[Cell]
    why: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    draw: Callable[[Any, Mapping[str, Mapping[str, Measured]]], None] | None = None

    def explain(self, cell: str, label: str) -> str:
        """Why a number differs, where that has been found out."""
        full = f"{cell}: {label}"
        fitting = [start for start in self.why if full.startswith(start)]
        return self.why[max(fitting, key=len)] if fitting else ""


@dataclass(frozen=True)
class Comparison:
    """One number of a paper beside ours."""

    cell: str
    label: str
    paper: Published | None
    ours: Measured

    @property
    def allowed(self) -> float:
        """How much the two may differ."""
        assert self.paper is not None
        rounding = 0.5 * 10.0**-self.paper.decimals
        chance = 0.0
        if self.paper.runs:
            runs = 1.0 / self.paper.runs + 1.0 / max(1, self.ours.runs)
            chance = _ERRORS * max(self.ours.sd, self.paper.sd) * float(np.sqrt(runs))
        return rounding + chance + self.paper.spread

    @property
    def agrees(self) -> bool | None:
        """None where the paper has no such number."""
        if self.paper is None:
            return None
        # A hair more: 17.65 and 17.7 differ by the rounding itself.
        return bool(abs(self.ours.value - self.paper.value) <= self.allowed * (1 + 1e-9) + 1e-12)


def compare(cell: Cell, ours: Mapping[str, Measured]) -> list[Comparison]:
    """All numbers of a cell: those of the paper first, in its order."""
    missing = [label for label in cell.published if label not in ours]
    if missing:
        raise ValueError(f"{cell.name}: nothing was computed for {missing}")
    others = [label for label in ours if label not in cell.published]
    return [
        Comparison(cell.name, label, cell.published.get(label), ours[label])
        for label in [*cell.published, *others]
    ]
