"""The proof of a program, as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Certificate:
    """Proof of the first linear program, the one over all features; and how the loop ended.

    For the Potential Support Vector Machine it is that of the one quadratic program, and there are
    no linear ones. `samples_on_wrong_side` are those of the program; a result has the training
    errors of the machine in its place, by the rule of `predict`. `samples_inside_margin` are those
    of the program, None for methods without a margin.
    """

    objective: float
    lower_bound: float
    relative_gap: float
    pricing_rounds: int
    linear_programs: int
    converged: bool
    status: str
    samples_on_wrong_side: int
    samples_inside_margin: int | None = None
