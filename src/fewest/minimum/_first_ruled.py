"""A cheap separating set to start from, under rules about features.

The sum of the absolute weights, each times its price, is minimised by a linear program with few
columns, to which those that would lower it are added until none would. Programs on the columns that
are left, with prices divided by the last weights, then approach the price of the set itself.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from fewest._estimators.rules import Rules
from fewest._solvers.columns import Columns, scale_columns
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray
from fewest.minimum._clock import Clock, stop_when_over
from fewest.minimum._leaves import Signs, lift_columns

_FIRST_COLUMNS, _MORE_COLUMNS = 200, 100
_MOST_ROUNDS, _MOST_REWEIGHTINGS, _MOST_BANS = 100, 8, 20
_VIOLATION = 1e-6
_USED = 1e-7  # of the largest weight; smaller ones are zero
_MISSED = 1e4  # what a sample on the wrong side costs, in the price of the most expensive feature
_FREE = 1e-3  # of the cheapest price, for features that cost nothing


def find_ruled_set(
    X: FloatArray, y: FloatArray, columns: IndexArray, rules: Rules, clock: Clock
) -> IndexArray | None:
    """Some of the columns that are likely to separate two classes at a low price.

    Those that are always in are among them. None if no hyperplane was found.
    """
    signs = (
        np.zeros(X.shape[1], dtype=np.int8) if rules.weight_signs is None else rules.weight_signs
    )
    for _ in range(_MOST_BANS):
        if not len(columns):
            return None
        program = _Program(
            scale_columns(lift_columns(np.asfortranarray(X[:, columns]))[0]),
            y,
            _costs(rules, columns),
            signs[columns],
        )
        weights = program.run(clock)
        if weights is None:
            return None
        used = columns[weights != 0]
        crowded = rules.find_crowded(used, np.abs(weights[weights != 0]))
        if not len(crowded):
            return np.union1d(used, columns[rules.included[columns]])
        columns = np.setdiff1d(columns, crowded)
    return None


def _costs(rules: Rules, columns: IndexArray) -> FloatArray:
    cost = rules.relative_terms.price[columns].copy()
    paid = cost[cost > 0]
    cost[cost == 0] = _FREE * (paid.min() if len(paid) else 1.0)
    return cost


class _Program:
    """The smallest weighted sum of absolute weights that separates two classes."""

    def __init__(self, columns: Columns, y: FloatArray, cost: FloatArray, signs: Signs) -> None:
        self._columns, self._y, self._cost, self._signs = columns, y, cost, signs

    def run(self, clock: Clock) -> FloatArray | None:
        """Weights of all columns, most of them zero; None if nothing separates."""
        gain = self._price(np.where(self._y > 0, 1 / np.sum(self._y > 0), -1 / np.sum(self._y < 0)))
        active = np.sort(np.argsort(-gain, kind="stable")[:_FIRST_COLUMNS])
        for _ in range(_MOST_ROUNDS):
            weights, multipliers, missed = self._solve(active, self._cost[active])
            gain = self._price(multipliers * self._y)
            gain[active] = 0.0
            better = np.flatnonzero(gain > 1 + _VIOLATION)
            if not len(better) or (clock.is_over and not missed):
                break
            best = better[np.argsort(-gain[better], kind="stable")[:_MORE_COLUMNS]]
            active = np.union1d(active, best)
        if missed:
            return None
        for _ in range(_MOST_REWEIGHTINGS):
            size = np.abs(weights)
            kept = size > _USED * size.max()
            if clock.is_over:
                break
            active, size = active[kept], size[kept]
            fewer, _, missed = self._solve(active, self._cost[active] / size)
            if missed:
                weights = weights[kept]
                break
            same = np.count_nonzero(np.abs(fewer) > _USED * np.abs(fewer).max()) == len(active)
            weights = fewer
            if same:
                break
        full = np.zeros(len(self._cost))
        full[active] = np.where(np.abs(weights) > _USED * np.abs(weights).max(), weights, 0.0)
        return full

    def _price(self, v: FloatArray) -> FloatArray:
        """How much each column would lower the objective with a sign it may have, in its price."""
        price = self._columns.price(v) / self._cost
        return np.where(self._signs == 0, np.abs(price), self._signs * price)

    def _solve(self, active: IndexArray, cost: FloatArray) -> tuple[FloatArray, FloatArray, bool]:
        """Weights, multipliers of the samples, and whether some sample is on the wrong side."""
        y, n, width = self._y, len(self._y), len(active)
        Z = y[:, None] * self._columns.take(active)
        missed = _MISSED * float(cost.max())
        most = [
            np.where(self._signs[active] >= 0, np.inf, 0.0),
            np.where(self._signs[active] <= 0, np.inf, 0.0),
        ]
        upper = np.concatenate([*most, [np.inf], np.full(n, np.inf)])
        lower = np.zeros(2 * width + 1 + n)
        lower[2 * width] = -np.inf
        found = linprog(
            np.concatenate([cost, cost, [0.0], np.full(n, missed)]),
            A_ub=-np.column_stack([Z, -Z, y, np.eye(n)]),
            b_ub=-np.ones(n),
            bounds=np.column_stack([lower, upper]),
            method="highs",
            options={"time_limit": current_watch().seconds_left},
        )
        stop_when_over()
        if found.status != 0:
            return np.zeros(width), np.zeros(n), True
        weights = found.x[:width] - found.x[width : 2 * width]
        slack = found.x[2 * width + 1 :]
        return weights, -found.ineqlin.marginals, bool(slack.max() > _VIOLATION)
