"""The support vector machine on a kernel matrix for every cost, by its exact path.

With lambda = 1 / C the dual variables alpha (between 0 and 1) and the scaled bias lambda b are
piecewise linear in lambda (Hastie, Rosset, Tibshirani & Zhu 2004). Three kinds of samples: violated
(alpha = 1), satisfied (alpha = 0) and those on the margin. While no sample changes its kind, the
ones on the margin stay there:

    sum_j y_i y_j K_ij alpha_j + y_i a_0 = lambda  for i on the margin,   sum_j y_j alpha_j = 0,

a linear system whose solution moves along a line as lambda falls. A sample changes its kind where
its alpha reaches 0 or 1, or where its margin reaches one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray

# Relative to lambda: how far two events must be apart, and how exactly margins and alpha are kept.
_SAME, _EXACT = 1e-10, 1e-7


@dataclass
class PathState:
    """Where the path stands: alpha, the scaled bias, and who is on the margin.

    `lam` is lambda, and `scores` are lambda times the decision values.
    """

    lam: float
    alpha: FloatArray
    bias: float
    margin: NDArray[np.bool_]
    scores: FloatArray = field(default_factory=lambda: np.empty(0))

    def copy(self) -> PathState:
        """The same state, to be changed on its own."""
        return PathState(
            self.lam, self.alpha.copy(), self.bias, self.margin.copy(), self.scores.copy()
        )


def follow_path(
    K: FloatArray, y: FloatArray, start: PathState, lam_min: float, max_solutions: int
) -> tuple[list[PathState], bool]:
    """States at every event from the start down to `lam_min`, and whether that was reached.

    It ends before where the state breaks its conditions, so that the caller can start again there.
    """
    state = start.copy()
    state.scores = K @ (y * state.alpha) + state.bias
    found = [state.copy()]
    while state.lam > lam_min * (1 + _SAME) and len(found) < max_solutions:
        moved = _step(K, y, state, lam_min)
        if moved is None or not _is_sound(y, moved):
            return found, False
        state = moved
        found.append(state.copy())
    return found, state.lam <= lam_min * (1 + _SAME)


def _step(K: FloatArray, y: FloatArray, state: PathState, lam_min: float) -> PathState | None:
    """The state at the next event."""
    if not state.margin.any():
        return _enter_pair(y, state, lam_min)
    on = np.flatnonzero(state.margin)
    # d alpha / d lambda on the margin, and that of the scaled bias. Least squares: with more
    # samples on the margin than features the system is singular, but it still has solutions.
    signed = y[on]
    system = np.zeros((len(on) + 1, len(on) + 1))
    system[1:, 1:] = signed[:, None] * signed * K[np.ix_(on, on)]
    system[0, 1:] = system[1:, 0] = signed
    right = np.ones(len(on) + 1)
    right[0] = 0.0
    slope, *_ = np.linalg.lstsq(system, right, rcond=1e-12)
    if np.abs(system @ slope - right).max() > 1e-6:
        return None
    h = K[:, on] @ (signed * slope[1:]) + slope[0]  # d scores / d lambda

    lam, candidates = state.lam, []
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = state.alpha[on]
        for bound in (0.0, 1.0):
            at = lam - (alpha - bound) / slope[1:]
            candidates.append((at, on))
        # y scores = lambda: the sample reaches the margin.
        away = np.flatnonzero(~state.margin)
        gap = y[away] * state.scores[away] - lam
        rate = y[away] * h[away] - 1.0
        candidates.append((lam - gap / rate, away))
    # A sample that just left the margin has no gap; its root is where we are.
    best, who = lam_min, -1
    for at, samples in candidates:
        usable = np.isfinite(at) & (at < lam * (1 - _SAME)) & (at > best)
        if usable.any():
            place = np.flatnonzero(usable)[np.argmax(at[usable])]
            best, who = float(at[place]), int(samples[place])
    fall = lam - best
    moved = state.copy()
    moved.lam = best
    moved.alpha[on] -= fall * slope[1:]
    moved.bias -= fall * float(slope[0])
    moved.scores = state.scores - fall * h
    if who >= 0 and not moved.margin[who]:
        moved.margin[who] = True
    # All that reached a bound together leave together.
    for bound in (0.0, 1.0):
        reached = moved.margin & (np.abs(moved.alpha - bound) <= 1e-9)
        reached[away] = False
        moved.alpha[reached] = bound
        moved.margin[reached] = False
    return moved


def _enter_pair(y: FloatArray, state: PathState, lam_min: float) -> PathState:
    """Nobody is on the margin, so only the bias moves, until it has no room left."""
    violated = state.alpha > 0.5
    raw = state.scores - state.bias
    plus, minus = np.flatnonzero(violated & (y > 0)), np.flatnonzero(violated & (y < 0))
    moved = state.copy()
    moved.lam = lam_min
    if len(plus) and len(minus):
        high, low = plus[np.argmax(raw[plus])], minus[np.argmin(raw[minus])]
        lam = float(raw[high] - raw[low]) / 2.0
        if lam > lam_min:
            moved.lam = lam
            moved.margin[[high, low]] = True
        # Between the two, which is the only place left where they enter.
        moved.bias = -float(raw[high] + raw[low]) / 2.0
        moved.scores = raw + moved.bias
    return moved


def _is_sound(y: FloatArray, state: PathState) -> bool:
    """Whether alpha and margins are where they have to be."""
    exact = _EXACT * state.lam
    margins = y * state.scores - state.lam
    if np.any(state.alpha < -_EXACT) or np.any(state.alpha > 1 + _EXACT):
        return False
    if np.any(np.abs(margins[state.margin]) > exact):
        return False
    outside = ~state.margin
    violated = outside & (state.alpha > 0.5)
    satisfied = outside & (state.alpha <= 0.5)
    return bool(np.all(margins[violated] <= exact) and np.all(margins[satisfied] >= -exact))
