"""One of many problems: its samples, the features in its small program, and where that stands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.dual_walk import ENDLESS
from fewest._solvers.linear.judge import HOPELESS, SHORTFALL
from fewest._solvers.linear.solve import has_many_samples
from fewest._solvers.linear.vertex import STEPS_PER_SAMPLE, ctrl_c
from fewest._solvers.linear.walk import FOUND
from fewest._solvers.many.master import TIGHT, finish_loop, is_vertex, solve_master
from fewest._solvers.many.prices import Best, Prices
from fewest._solvers.margin import hard_margin
from fewest._solvers.problem import support_feature_machine
from fewest._solvers.result import relative_gap
from fewest._types import FloatArray, IndexArray

# Prices below this part of a cost, as the products find them, are certainly below it.
NEAR = 1.0 - 1e-5
# In single precision, prices above this certainly exceed their cost.
_ROUGHLY_ABOVE = 1.0 + 1e-4
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one problem; without a hyperplane, `objective` and `bound` are infinite.

    `features`, `w` and `b` are those after the zero-norm loop; `columns` are their standardised
    columns over the samples of the problem, one per row, made with `mean` and `inverse_scale`.
    `objective` and `bound` are those of the first program; the bound is proven by all columns.
    The loop took `n_programs`, and `converged` unless it was to end before.
    """

    features: IndexArray
    w: FloatArray
    b: float
    columns: FloatArray
    mean: FloatArray
    inverse_scale: FloatArray
    objective: float
    bound: float
    n_programs: int
    converged: bool

    @property
    def n_features(self) -> float:
        """How many features are left; infinite without a hyperplane."""
        return float(len(self.features)) if np.isfinite(self.objective) else np.inf

    @property
    def gap(self) -> float:
        """The relative duality gap of the first program."""
        return relative_gap(self.objective, self.bound)


class DoubtfulError(Exception):
    """Rounding, or which of several optima is found, would decide this problem."""


@dataclass(eq=False)
class One:
    """A problem on its way to an outcome; `labels` are zero for samples that have no part in it."""

    labels: FloatArray
    tol: float
    max_iter: int
    rows: IndexArray | None = field(init=False)
    features: IndexArray = field(init=False)
    is_rough: bool = False  # whether single precision serves for the next prices

    def __post_init__(self) -> None:
        outside = self.labels == 0.0
        self.rows = np.flatnonzero(~outside) if outside.any() else None
        self._y = self.labels if self.rows is None else self.labels[self.rows]
        problem = support_feature_machine(self._y)
        assert problem.equality is not None
        self._u = problem.equality
        self._least_gain = 1e-5 if has_many_samples(problem) else 0.0
        self._max_steps = STEPS_PER_SAMPLE * len(self._y)
        self.features = _NONE
        self._mean = self._inverse_scale = np.empty(0)
        self._Z = np.empty((0, len(self._y)))
        self._vertex = self._samples = _NONE
        self.is_endless = False
        self._dual = self._u  # the first prices are differences of the class means

    @property
    def batch(self) -> int:
        """How many features the small program starts with."""
        return 60 + len(self._y)

    @property
    def most_joining(self) -> int:
        """How many columns are of interest later: some new ones, and those of the vertex."""
        return 50 + len(self._y) // 8 + len(self._vertex)

    @property
    def threshold(self) -> float:
        """Prices up to this are of no interest."""
        if not len(self.features):
            return 0.0
        if self.is_endless:
            return float(self._multiplier / HOPELESS)
        return _ROUGHLY_ABOVE if self.is_rough else NEAR

    def fill_dual(self, row: FloatArray) -> None:
        """Put the dual vector, whose prices are wanted, into a row of zeros over all samples."""
        row[slice(None) if self.rows is None else self.rows] = self._dual

    def is_new(self, index: IndexArray) -> IndexArray:
        """Those of these columns that are not in the program."""
        return np.setdiff1d(index, self.features)

    def advance(
        self, prices: Prices, best: Best, new: IndexArray, raw: FloatArray
    ) -> Outcome | None:
        """The outcome, if no column of those with the largest prices wants to join; else go on.

        `new` are those that are not in the program, and `raw` are their columns, one per row.
        """
        Z, mean, inverse_scale = self._standardise(prices, new, raw)
        sizes = np.abs(Z @ self._dual)
        if not len(self.features):
            self._admit(new, Z, mean, inverse_scale)
        else:
            level = self.threshold if self.is_endless else 1.0 + self.tol / 10
            joining = np.flatnonzero(sizes > level)
            if not len(joining):
                if self.is_rough:
                    self.is_rough = False
                    return None
                if not best.is_complete:
                    raise DoubtfulError
                return self._conclude(sizes)
            self._admit(new[joining], Z[joining], mean[joining], inverse_scale[joining])
        self._solve()
        return None

    def _standardise(
        self, prices: Prices, index: IndexArray, raw: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        if self.rows is None:
            mean, inverse_scale = prices.mean[index], prices.inverse_scale[index]
        else:
            raw = np.ascontiguousarray(raw[:, self.rows])
            mean, inverse_scale = np.empty(0), np.empty(0)
            if len(index):
                own = scale_columns(raw.T)
                mean, inverse_scale = own.mean, own.inverse_scale
        Z = raw - mean[:, None]
        Z *= inverse_scale[:, None]
        return Z, mean, inverse_scale

    def _admit(
        self, index: IndexArray, Z: FloatArray, mean: FloatArray, inverse_scale: FloatArray
    ) -> None:
        if not len(index):
            raise DoubtfulError  # the class means are equal in every column
        self.features = np.concatenate([self.features, index])
        self._Z = np.concatenate([self._Z, Z]) if len(self._Z) else Z
        self._mean = np.concatenate([self._mean, mean])
        self._inverse_scale = np.concatenate([self._inverse_scale, inverse_scale])
        if self.is_endless:  # its vertex is of no use with these features
            self._vertex = self._samples = _NONE

    def _solve(self) -> None:
        with ctrl_c():
            (
                status, self._vertex, self._samples, self._w, self._b, self._alpha,
                self._multiplier, self._dual, self._objective, violation,
            ) = solve_master(
                self._Z, self._y, self._u, self._vertex, self._samples, self._max_steps
            )  # fmt: skip
        self.is_endless = status == ENDLESS
        if self.is_endless:
            size = np.abs(self._dual).max()
            if not size > 0.0 or not self._multiplier > 0.0:
                raise DoubtfulError
            self._dual, self._multiplier = self._dual / size, self._multiplier / size
        elif status != FOUND or violation > 10 * SHORTFALL:
            raise DoubtfulError

    def _conclude(self, of_new: FloatArray) -> Outcome:
        """The outcome of a solved first program; `of_new` are prices close to the cost, if any."""
        own = np.abs(self._Z @ self._dual)
        largest = float(max(own.max(), of_new.max(initial=0.0)))
        if abs(self._dual.sum()) > 1e-9 * max(1.0, np.abs(self._dual).sum()):
            raise DoubtfulError  # the balance could not be restored: no proof
        bound = np.inf if largest == 0.0 else self._multiplier / largest
        if self.is_endless:
            if bound <= HOPELESS:
                raise DoubtfulError
            return self._outcome(_NONE, np.empty(0), 0.0, np.inf, np.inf, (1, True))
        used = np.flatnonzero(self._w)
        n_tight = np.count_nonzero(own > TIGHT) + np.count_nonzero(of_new > TIGHT)
        if relative_gap(self._objective, bound) > self.tol or n_tight != len(used):
            raise DoubtfulError
        if not is_vertex(self._w, self._alpha):
            raise DoubtfulError
        Z, w = self._Z[used], self._w[used]
        samples = np.flatnonzero(self._alpha)
        with ctrl_c():
            is_certain, is_strict, w, b, count, converged = finish_loop(
                Z, self._y, self._u, w, self._b, samples, self.tol, self.max_iter - 1,
                self._max_steps, self._least_gain,
            )  # fmt: skip
        left = np.flatnonzero(w)
        if not is_certain:
            raise DoubtfulError
        if not is_strict and hard_margin(Z[left].T, self._y) is None:
            raise DoubtfulError  # more features may part samples that lie on the hyperplane
        ended = 1 + count, bool(converged)
        return self._outcome(used[left], w[left], b, self._objective, bound, ended)

    def _outcome(
        self,
        places: IndexArray,
        w: FloatArray,
        b: float,
        objective: float,
        bound: float,
        ended: tuple[int, bool],
    ) -> Outcome:
        order = np.argsort(self.features[places])
        places, w = places[order], w[order]
        return Outcome(
            self.features[places],
            w,
            float(b),
            self._Z[places],
            self._mean[places],
            self._inverse_scale[places],
            float(objective),
            float(bound),
            *ended,
        )
