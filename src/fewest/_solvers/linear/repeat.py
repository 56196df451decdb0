"""The same linear program again and again, each time with some more columns set aside.

From one repetition to the next the dual vector v moves little. The prices of all columns at a
reference vector r therefore bound those at v: with v = c r + e,

    |x_j . v|  <=  |c| |x_j . r| + |x_j| |e|.

The columns with the largest prices at r are kept as a small dense block, the columns at hand, and
the program is solved over them alone. Only where the bound does not exclude that another column
matters, one pass over X is made, at the new v, which is the next reference. Columns set aside are
masked.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, replace
from typing import Any

import numpy as np

from fewest._solvers.columns import Columns, weighted_moments
from fewest._solvers.linear.judge import HOPELESS, TIGHT
from fewest._solvers.linear.master import Master, SolverError
from fewest._solvers.linear.solve import (
    first_master,
    generate_and_price,
    has_many_samples,
    solve,
    try_as_hard,
)
from fewest._solvers.linear.vertex import Walker, vertex_of
from fewest._solvers.problem import Problem, starting_direction
from fewest._solvers.result import Result, Status, WarmStart
from fewest._types import FloatArray, IndexArray

# Columns at hand: this many per sample, and at least this many in all.
_NEAR_PER_SAMPLE, _FEWEST_NEAR = 28, 1200
# A program starts with one column per sample, one per feature that may be set aside, and this many
# more.
_START = 30


class Repeater:
    """A data set that loses columns, and programs over the columns that are left.

    Parameters
    ----------
    columns : Columns
        All columns. They are not copied, and stay as they are.

    Attributes
    ----------
    columns : Columns
        The same, of which those set aside cannot be selected.
    n_passes : int
        How often all columns were priced.
    """

    def __init__(self, columns: Columns) -> None:
        self._all = columns
        self.columns = columns.with_scale(columns.inverse_scale.copy())
        _, variance = weighted_moments(columns.matrix)
        self._longest = float(np.max(np.sqrt(columns.n_samples * variance) * columns.inverse_scale))
        self._near: _Near | None = None
        self._stated: _Near | None = None
        self._restored: dict[str, Any] | None = None
        self._corner: tuple[IndexArray, IndexArray] | None = None
        self._start = np.empty(0, dtype=np.intp)
        self._samples = np.empty(0, dtype=np.intp)
        self.n_passes = 0

    def remove(self, features: IndexArray) -> None:
        """Set columns aside for good."""
        self.columns.inverse_scale[features] = 0.0
        self._start = self._start[self.columns.inverse_scale[self._start] != 0.0]
        if self._near is not None:
            self._near.mask(self.columns)

    def solve(self, problem: Problem, *, tol: float = 1e-7) -> Result:
        """Optimum and certificate over the columns that are left; all features must cost one."""
        if problem.feature_cost is not None:
            raise ValueError("the features of a repeated program must cost the same")
        hard = try_as_hard(problem, self.columns, tol, lambda hard: self._solve(hard, tol))
        return hard if hard is not None else self._solve(problem, tol)

    def state(self) -> dict[str, Any]:
        """What the next solve depends on, beside the columns set aside, as JSON can hold it.

        The columns at hand are part of it only if they have changed since the last call.
        """
        state: dict[str, Any] = {
            "start": self._start.tolist(),
            "samples": self._samples.tolist(),
            "corner": None if self._corner is None else [part.tolist() for part in self._corner],
        }
        if self._near is not self._stated and self._near is not None:
            state["near"] = self._near.state()
        self._stated = self._near
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on as if the solves behind this state were done here; states come in their order."""
        self._start = np.array(state["start"], dtype=np.intp)
        self._samples = np.array(state["samples"], dtype=np.intp)
        self._corner = None
        if state["corner"] is not None:
            features, samples = state["corner"]
            self._corner = np.array(features, dtype=np.intp), np.array(samples, dtype=np.intp)
        if "near" in state:
            self._near, self._restored = None, state["near"]

    def _solve(self, problem: Problem, tol: float) -> Result:
        if has_many_samples(problem):  # too many for a dense block, and a program is cheap
            self.n_passes += 1
            return solve(problem, self.columns, tol=tol)
        near = self._at_hand(problem)
        walker = self._walker(problem, near)
        if walker is not None:
            try:
                return self._settle(problem, near, walker, tol)
            except SolverError:  # because of ties, most often
                near = self._at_hand(problem)
        start = near.places(self._start)
        warm = WarmStart(start, self._samples) if len(start) else None
        master = first_master(problem, near.columns, warm)
        return self._settle(problem, near, master, tol)

    def _settle(self, problem: Problem, near: _Near, master: Master | Walker, tol: float) -> Result:
        """The solution over the columns at hand, which change until no others matter."""
        rounds, settled = 0, False
        while not settled:
            result, prices = generate_and_price(near.columns, master, tol=tol)
            rounds += result.rounds
            found = near.translate(result, rounds)
            settled = near.excludes_others(found, self._longest)
            if not settled:
                prices = np.abs(self.columns.price(found.dual))
                self.n_passes += 1
                largest = np.delete(prices, near.features).max(initial=0.0)  # of all others
                settled = bool(largest <= _harmless_price(problem, found))
                # All tight columns, however many; for a ray there is no such level.
                level = np.inf if found.status is Status.INFEASIBLE else TIGHT
                near = self._look_around(found.dual, prices, found.warm.features, level)
                master.features = near.places(found.warm.features)
                prices = prices[near.features]
        if isinstance(master, Walker) and found.status is not Status.OPTIMAL:
            raise SolverError("the walk did not end at an optimum")
        self._start = near.largest(prices, problem.n_samples + found.n_features + _START)
        self._samples = found.warm.samples
        return self._keep_corner(problem, near, master, found)

    def _keep_corner(
        self, problem: Problem, near: _Near, master: Master | Walker, found: Result
    ) -> Result:
        """Remember the vertex for the next repetition, and mark it for the programs that follow."""
        self._corner = None
        if isinstance(master, Walker):
            places, samples = master.corner
            self._corner = near.features[places], samples
            # A weight too small to count may be part of the vertex, but not of the result.
            return replace(found, vertex=samples) if len(places) == found.n_features else found
        limit = vertex_of(found) if _is_walkable(problem) else None
        if limit is not None:
            self._corner = found.features, limit
        return replace(found, vertex=limit)

    def _walker(self, problem: Problem, near: _Near) -> Walker | None:
        """A program that starts at the last vertex, if there is one."""
        if self._corner is None or not _is_walkable(problem):
            return None
        features, samples = self._corner
        is_gone = self.columns.inverse_scale[features] == 0.0
        gone, kept = near.places(features[is_gone]), near.places(features[~is_gone])
        is_other = np.ones(len(near.features), dtype=bool)
        is_other[kept] = False
        start = near.places(self._start)
        places = np.concatenate([kept, start[is_other[start]]])
        # As they are: what is set aside must still be left, and is masked otherwise.
        rows = near.columns.X.T[np.concatenate([gone, places])]
        return Walker(problem, places, rows, np.arange(len(features)), samples)

    def _at_hand(self, problem: Problem) -> _Near:
        if self._near is not None:
            return self._near
        if self._restored is None:
            direction = starting_direction(problem)
            return self._look_around(direction, np.abs(self.columns.price(direction)), self._start)
        self._stated = self._adopt(_Near.restore(self._all, self._restored))
        return self._stated

    def _look_around(
        self, v: FloatArray, prices: FloatArray, also: IndexArray, level: float = np.inf
    ) -> _Near:
        """The columns with the largest prices at v become those at hand.

        So do some others, and all whose prices reach a level.
        """
        wanted = max(_FEWEST_NEAR, _NEAR_PER_SAMPLE * self.columns.n_samples)
        usable = self.columns.inverse_scale != 0.0
        chosen = usable.copy()
        if np.count_nonzero(usable) > 2 * wanted:  # otherwise it is simpler to have them all
            chosen &= prices >= min(level, np.partition(prices, -wanted)[-wanted])
            chosen[also] = True
        cut = prices[usable & ~chosen].max(initial=0.0)
        features = np.flatnonzero(chosen)
        complete = len(features) == int(np.count_nonzero(usable))
        return self._adopt(_Near(self._all, features, v, float(cut), complete))

    def _adopt(self, near: _Near) -> _Near:
        near.mask(self.columns)
        self._near = near
        return near


@dataclass(eq=False)
class _Near:
    """Columns at hand, and what their prices at a reference vector say of all the others."""

    everything: InitVar[Columns]
    features: IndexArray  # increasing
    reference: FloatArray
    cut: float  # no other column had a larger price at the reference
    complete: bool  # there is no other column

    def __post_init__(self, everything: Columns) -> None:
        self.columns = everything.subset(self.features)

    @classmethod
    def restore(cls, columns: Columns, state: dict[str, Any]) -> _Near:
        arrays = {
            "features": np.array(state["features"], dtype=np.intp),
            "reference": np.array(state["reference"]),
        }
        return cls(columns, **(state | arrays))

    def state(self) -> dict[str, Any]:
        arrays = {"features": self.features.tolist(), "reference": self.reference.tolist()}
        return {**arrays, "cut": self.cut, "complete": self.complete}

    def mask(self, columns: Columns) -> None:
        """Let no column be selected that is set aside there."""
        usable = columns.inverse_scale[self.features] != 0.0
        self.columns.inverse_scale[:] = usable

    def places(self, features: IndexArray) -> IndexArray:
        """Where these columns, all of them at hand, stand."""
        return np.searchsorted(self.features, features)

    def excludes_others(self, result: Result, longest: float) -> bool:
        """Whether no other column can be part of this solution, or an equal of one that is."""
        if self.complete:
            return True
        if result.status is Status.INFEASIBLE:  # a ray has no size to compare prices with
            return False
        factor = (result.dual @ self.reference) / (self.reference @ self.reference)
        distance = float(np.linalg.norm(result.dual - factor * self.reference))
        return bool(abs(factor) * self.cut + longest * distance <= TIGHT)

    def largest(self, prices: FloatArray, count: int) -> IndexArray:
        """The columns with the largest of these prices."""
        places = np.arange(len(prices))
        if count < len(prices):
            places = np.sort(np.argpartition(-prices, count)[:count])
        return self.features[places[prices[places] > 0.0]]

    def translate(self, result: Result, rounds: int) -> Result:
        """A result over the columns at hand, in terms of all columns."""
        warm = replace(result.warm, features=self.features[result.warm.features])
        return replace(result, features=self.features[result.features], warm=warm, rounds=rounds)


def _is_walkable(problem: Problem) -> bool:
    return problem.slack_cost is None and problem.equality is not None


def _harmless_price(problem: Problem, result: Result) -> float:
    """Prices up to this leave a solution, or a proof that there is none, as it is."""
    if result.status is not Status.INFEASIBLE:
        return TIGHT
    value = problem.margin * result.alpha.sum() + problem.rhs * result.multiplier
    return float(value) / HOPELESS
