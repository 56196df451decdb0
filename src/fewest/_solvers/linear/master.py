"""The restricted linear program on HiGHS. The only file that imports highspy.

HiGHS is given the dual, because features then are single range rows and the start alpha = 0,
lambda = 0 is always feasible:

    maximise    m sum_i alpha_i + s lambda
    subject to  sum_i y_i alpha_i + a0 lambda = 0                          (bias)
                -1 <= (sum_i y_i x_ij alpha_i + a_j lambda) / c_j <= 1     (feature j)
                0 <= alpha_i <= C_i                                        (sample i)

The multipliers of the feature rows are the weights. Adding features adds rows and keeps the basis
dual feasible; adding samples adds columns and keeps it primal feasible; both restart warm. If the
features in it cannot satisfy the primal, this program is unbounded, and its ray is the vector with
which to look for further features.

Samples outside the program have alpha_i = 0, or, once they are settled as violated, alpha_i = C_i.
That is a constant, which only shifts the bounds of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns.at_hand import AtHand, Part
from fewest._solvers.linear.interior import Vertex
from fewest._solvers.problem import Problem
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

Int32Array = NDArray[np.int32]

_PRIMAL_SIMPLEX, _DUAL_SIMPLEX = 4, 1
_FEASIBILITY = 1e-9
_ROUGH_FEASIBILITY = 1e-7
# Programs with more entries may take so long that somebody wants to end them.
_SOON_DONE = 20_000
_BETWEEN_ITERATIONS = highspy.cb.HighsCallbackType.kCallbackSimplexInterrupt
_CONCLUSIVE = (
    highspy.HighsModelStatus.kOptimal,
    highspy.HighsModelStatus.kUnbounded,
    highspy.HighsModelStatus.kInterrupt,
)
_NO_SOLUTION = (
    highspy.HighsModelStatus.kInfeasible,
    highspy.HighsModelStatus.kUnboundedOrInfeasible,
)


NO_SOLUTION_YET = "the time is up, and there is no solution yet: raise max_seconds"


class SolverError(RuntimeError):
    """A restricted program that should be solvable was given up."""


class TimeIsUpError(SolverError):
    """A program was given up because nobody waits any longer."""


class UnboundedError(SolverError):
    """Too few samples are in the program: without the others, weights may grow for ever."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """`bounded` False: alpha and lambda are a ray that shows the primal infeasible, w is zero."""

    bounded: bool
    alpha: FloatArray
    multiplier: float
    w: FloatArray
    b: float


class Master:
    """Some features and some samples of a linear program, as a smaller one that can grow.

    `solve` raises `UnboundedError` if settled samples leave weights without a limit.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._highs = _quiet_highs()
        self._next_strategy = _PRIMAL_SIMPLEX
        self._begin()

    def _begin(self) -> None:
        """Only the row of the bias, and the column of the equality where there is one."""
        self.features: IndexArray = np.empty(0, dtype=np.intp)
        self.samples: IndexArray = np.empty(0, dtype=np.intp)
        self._block = AtHand(self.problem.n_samples)
        # The costs that the features had when they joined: their rows are divided by these.
        self._divisors = np.empty(0)
        self._settled: FloatArray | None = None
        self._highs.clearModel()
        self._highs.addRow(0.0, 0.0, 0, np.empty(0, np.int32), np.empty(0))
        if self.problem.equality is not None:
            bias = np.array([self.problem.bias_coefficient])
            self._highs.addCol(-self.problem.rhs, -np.inf, np.inf, 1, np.zeros(1, np.int32), bias)

    def settle(self, alpha: FloatArray) -> None:
        """Fix the alpha of samples outside the program; it has to be zero for those inside."""
        self._settled = alpha
        v = self.problem.y * alpha
        shift = np.concatenate([[v.sum()], self._block.price(v) / self._divisors])
        low, high = (np.concatenate([[0.0], one]) for one in self._room(self.problem))
        rows = np.arange(len(shift), dtype=np.int32)
        self._highs.changeRowsBounds(len(shift), rows, low - shift, high - shift)
        self._next_strategy = _DUAL_SIMPLEX

    def add_samples(self, samples: IndexArray, at_cost: NDArray[np.bool_] | None = None) -> None:
        """Let these samples' constraints into the program, some of them with alpha at its bound."""
        y = self.problem.y[samples]
        rows = self._block.take_rows(samples) / self._divisors
        rows = np.column_stack([y, y[:, None] * rows])
        cost, zeros = np.full(len(rows), -self.problem.margin), np.zeros(len(rows))
        bounds = self.problem.slack_bounds()[samples]
        self._highs.addCols(len(rows), cost, zeros, bounds, *_as_lists(rows))
        self.samples = np.concatenate([self.samples, samples])
        self._next_strategy = _PRIMAL_SIMPLEX
        if at_cost is not None and at_cost.any():
            basis = self._highs.getBasis()
            statuses = list(basis.col_status)
            upper = highspy.HighsBasisStatus.kUpper
            for place in np.flatnonzero(at_cost) - len(samples):
                statuses[place] = upper
            basis.col_status = statuses
            self._highs.setBasis(basis)

    def add_features(self, features: IndexArray, block: Part) -> None:
        """Let these features in; `block` holds their standardised columns, and is kept."""
        costs = self.problem.costs(features)
        rows = (self.problem.y[self.samples, None] * block[self.samples] / costs).T
        if self.problem.equality is not None:
            rows = np.column_stack([self.problem.equality @ block / costs, rows])
        low, high = self.problem.sides(features)
        shift = np.zeros(len(features))
        if self._settled is not None:
            shift = (self.problem.y * self._settled) @ block / costs
        self._highs.addRows(len(rows), low - shift, high - shift, *_as_lists(rows))
        # A first program starts from alpha = 0, which only the primal simplex can use.
        if len(self.features):
            self._next_strategy = _DUAL_SIMPLEX
        self.features = np.concatenate([self.features, features])
        self._divisors = np.concatenate([self._divisors, costs])
        self._block.join(block)

    def restart(self, vertex: Vertex, block: Part, samples: IndexArray | None = None) -> None:
        """Begin again from a vertex, with its features, whose columns are `block`."""
        samples = self.samples if samples is None else samples
        self._begin()
        self.add_features(vertex.features, block)
        self.add_samples(samples)
        status = highspy.HighsBasisStatus
        of_bound = {-1: status.kLower, 0: status.kBasic, 1: status.kUpper}
        basis = highspy.HighsBasis()
        basis.row_status = [status.kLower, *(of_bound[side] for side in vertex.sides.tolist())]
        basis.col_status = [of_bound[place] for place in vertex.places[samples].tolist()]
        if self.problem.equality is not None:
            basis.col_status = [status.kBasic, *basis.col_status]
        basis.valid = True
        self._highs.setBasis(basis)
        self._next_strategy = _DUAL_SIMPLEX

    def change_slack_cost(self, problem: Problem) -> None:
        """Go on with a program that differs from the present one in its slack costs only."""
        self.problem = problem
        first = 0 if problem.equality is None else 1
        count = len(self.samples)
        self._highs.changeColsBounds(
            count,
            np.arange(first, first + count, dtype=np.int32),
            np.zeros(count),
            problem.slack_bounds()[self.samples],
        )
        self._next_strategy = _DUAL_SIMPLEX  # the basis stays dual feasible

    def narrow(self, places: IndexArray, problem: Problem) -> None:
        """Go on with the features at these places only, as 0, 1, 2, ..., and with other costs."""
        dropped = np.delete(np.arange(1, 1 + len(self.features), dtype=np.int32), places)
        if len(dropped):
            self._highs.deleteRows(len(dropped), dropped)
        self.features = np.arange(len(places))
        self._block.keep(places)
        self._divisors = self._divisors[places]
        rows = np.arange(1, 1 + len(places), dtype=np.int32)
        self._highs.changeRowsBounds(len(rows), rows, *self._room(problem))
        self.change_slack_cost(problem)
        if not self._highs.getBasis().valid:  # a row was part of it although its weight was zero
            self._next_strategy = _PRIMAL_SIMPLEX

    def _room(self, problem: Problem) -> tuple[FloatArray, FloatArray]:
        """Bounds of the rows of the features."""
        room = problem.costs(self.features) / self._divisors
        low, high = problem.sides(self.features)
        return low * room, high * room

    def refine(self, solution: MasterSolution) -> MasterSolution:
        """The same vertex with smaller residuals.

        With large slack costs the products of large alphas with the columns must cancel to one, and
        the smallest slack counts. The residuals of both are corrected: those of alpha along the
        variables between their bounds, those of the weights by putting these samples on their
        margin.
        """
        problem = self.problem
        free = np.flatnonzero((solution.alpha > 0.0) & (solution.alpha < problem.slack_bounds()))
        carrying = np.flatnonzero(solution.w)
        y, divisors = problem.y, self._divisors[carrying]
        tight = self._block.take(carrying)
        tight /= divisors
        system = np.vstack([y[free], (y[free, None] * tight[free]).T])
        products = np.concatenate([[y @ solution.alpha], tight.T @ (y * solution.alpha)])
        wanted = np.full(len(free), problem.margin)
        if problem.equality is not None:
            of_multiplier = np.concatenate([[problem.bias_coefficient], problem.equality @ tight])
            products += solution.multiplier * of_multiplier
            system = np.column_stack([of_multiplier, system])
            wanted = np.concatenate([[problem.rhs], wanted])
        room = problem.costs(self.features[carrying]) / divisors
        target = np.concatenate([[0.0], room * np.sign(solution.w[carrying])])
        plane = np.concatenate([[solution.b], solution.w[carrying] * divisors])
        step = np.linalg.lstsq(system, target - products, rcond=None)[0]
        plane += np.linalg.lstsq(system.T, wanted - system.T @ plane, rcond=None)[0]
        alpha, multiplier, w = solution.alpha.copy(), solution.multiplier, solution.w.copy()
        if problem.equality is not None:
            multiplier += float(step[0])
            step = step[1:]
        alpha[free] += step
        w[carrying] = plane[1:] / divisors
        return replace(solution, alpha=alpha, multiplier=multiplier, w=w, b=float(plane[0]))

    def margins(self, solution: MasterSolution) -> FloatArray:
        """y_i (x_i . w + b) of every sample, in the program or not."""
        return self.problem.y * (self._block.combine(solution.w) + solution.b)

    def solve(self) -> MasterSolution:
        status = self._run(self._next_strategy)
        for strategy in (_PRIMAL_SIMPLEX, _DUAL_SIMPLEX):
            if status in _CONCLUSIVE:
                break
            if self._settled is not None and status in _NO_SOLUTION:
                raise UnboundedError("the samples in the program do not limit the weights")
            self._highs.clearSolver()  # an outdated basis is the usual reason
            status = self._run(strategy)
        if status not in _CONCLUSIVE:
            status = self._run_roughly()
        if status == highspy.HighsModelStatus.kInterrupt:
            raise TimeIsUpError(NO_SOLUTION_YET)
        if status == highspy.HighsModelStatus.kOptimal:
            return self._optimum(self._highs)
        if status == highspy.HighsModelStatus.kUnbounded:
            return self._ray()
        ray = self._largest_ray()
        cost = np.asarray(self._highs.getLp().col_cost_)
        if ray is not None and float(cost @ ray) < -_ROUGH_FEASIBILITY:
            return self._along(ray)
        raise SolverError(
            f"the linear program ended with status {status.name}. Extreme values are the usual "
            "reason: lower C, or transform columns with outliers (by a logarithm or ranks)"
        )

    def solve_limited(self, most: float) -> MasterSolution | None:
        """The solution with multipliers of at most `most`; None if HiGHS finds none.

        It may see rays where rounding is all that is left of them: limits turn these into vertices.
        """
        program = self._highs.getLp()
        lower, upper = np.array(program.col_lower_), np.array(program.col_upper_)
        program.col_lower_, program.col_upper_ = np.maximum(lower, -most), np.minimum(upper, most)
        highs = _solve_apart(program)
        return None if highs is None else self._optimum(highs)

    def solve_anew(self) -> MasterSolution | None:
        """The solution from no basis, by other ways through the program; None if HiGHS finds none.

        Where multipliers are huge, one way ends in a ray and another one at the vertex.
        """
        highs = _solve_apart(self._highs.getLp())
        return None if highs is None else self._optimum(highs)

    def _run_roughly(self) -> highspy.HighsModelStatus:
        """With looser tolerances, where none of the last digits can be had; a judge follows."""
        names = "primal_feasibility_tolerance", "dual_feasibility_tolerance"
        for name in names:
            self._highs.setOptionValue(name, _ROUGH_FEASIBILITY)
        self._highs.clearSolver()
        status = self._run(_PRIMAL_SIMPLEX)
        for name in names:
            self._highs.setOptionValue(name, _FEASIBILITY)
        return status

    def _run(self, strategy: int) -> highspy.HighsModelStatus:
        self._highs.setOptionValue("simplex_strategy", strategy)
        _limit_iterations(self._highs)
        watched = self._highs.getNumRow() * self._highs.getNumCol() > _SOON_DONE
        (self._highs.startCallback if watched else self._highs.stopCallback)(_BETWEEN_ITERATIONS)
        self._highs.run()
        status: highspy.HighsModelStatus = self._highs.getModelStatus()
        return status

    def _optimum(self, highs: highspy.Highs) -> MasterSolution:
        solution = highs.getSolution()
        row_dual = np.asarray(solution.row_dual)
        alpha, multiplier = self._split(np.asarray(solution.col_value))
        w = -row_dual[1:] / self._divisors
        return MasterSolution(True, alpha, multiplier, w, -row_dual[0])

    def _ray(self) -> MasterSolution:
        _, found, ray = self._highs.getPrimalRay()
        if not found:
            self._highs.clearSolver()
            self._run(_PRIMAL_SIMPLEX)
            _, found, ray = self._highs.getPrimalRay()
        values = np.asarray(ray) if found else None
        if values is None or not self._is_ray(values):
            largest = self._largest_ray()
            values = values if largest is None else largest
        if values is None:
            raise SolverError("HiGHS found the program unbounded but returned no ray")
        return self._along(values)

    def as_ray(self, solution: MasterSolution) -> MasterSolution:
        """The direction of multipliers that only a limit holds back."""
        size = max(float(np.abs(solution.alpha).max(initial=0.0)), abs(solution.multiplier))
        return replace(
            solution,
            bounded=False,
            alpha=solution.alpha / size,
            multiplier=solution.multiplier / size,
            w=np.zeros(len(self.features)),
            b=0.0,
        )

    def _along(self, ray: FloatArray) -> MasterSolution:
        alpha, multiplier = self._split(ray)
        return MasterSolution(False, alpha, multiplier, np.zeros(len(self.features)), 0.0)

    def _is_ray(self, ray: FloatArray) -> bool:
        """Whether it keeps the signs that the multipliers must have; HiGHS's own may not."""
        first = 0 if self.problem.equality is None else 1
        return float(ray[first:].min(initial=0.0)) >= -_FEASIBILITY * float(np.abs(ray).max())

    def _largest_ray(self) -> FloatArray | None:
        """The ray that gains most, by the program of all rays with entries up to one, if solved."""
        program = self._highs.getLp()
        for low, high, most in (
            ("row_lower_", "row_upper_", np.inf),
            ("col_lower_", "col_upper_", 1.0),
        ):
            lower, upper = np.array(getattr(program, low)), np.array(getattr(program, high))
            setattr(program, low, np.where(np.isinf(lower), -most, 0.0))
            setattr(program, high, np.where(np.isinf(upper), most, 0.0))
        highs = _solve_apart(program)
        return None if highs is None else np.asarray(highs.getSolution().col_value)

    def _split(self, columns: FloatArray) -> tuple[FloatArray, float]:
        """Column values as alpha over all samples, and lambda."""
        alpha = np.zeros(self.problem.n_samples) if self._settled is None else self._settled.copy()
        if self.problem.equality is None:
            alpha[self.samples] = columns
            return alpha, 0.0
        alpha[self.samples] = columns[1:]
        return alpha, float(columns[0])


def _as_lists(rows: FloatArray) -> tuple[int, Int32Array, Int32Array, FloatArray]:
    """Size, starts, indices and values of dense rows, in the form of a sparse matrix."""
    count, width = rows.shape
    places = np.arange(width, dtype=np.int32)
    starts = np.arange(count, dtype=np.int32) * width
    return rows.size, starts, np.tile(places, count), rows.ravel()


def _quiet_highs() -> highspy.Highs:
    highs = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("presolve", "off"),  # the programs are small, dense, and restarted from a basis
        # Columns are standardised already; rescaled, small slack costs sink below the tolerance.
        ("simplex_scale_strategy", 0),
        ("threads", 1),
        ("primal_feasibility_tolerance", _FEASIBILITY),
        ("dual_feasibility_tolerance", _FEASIBILITY),
    ):
        highs.setOptionValue(option, value)
    highs.setCallback(_ask_whether_to_go_on, None)
    return highs


def _limit_iterations(highs: highspy.Highs) -> None:
    """Degenerate programs may cycle; others need a few iterations per row or column."""
    limit = 10_000 + 20 * (highs.getNumRow() + highs.getNumCol())
    highs.setOptionValue("simplex_iteration_limit", limit)


def _solve_apart(program: highspy.HighsLp) -> highspy.Highs | None:
    """A program solved on its own; None if HiGHS does not come to an end in any way."""
    for option, value in (None, None), ("simplex_scale_strategy", 2), ("presolve", "on"):
        highs = _quiet_highs()
        if option is not None:
            highs.setOptionValue(option, value)
        highs.passModel(program)
        _limit_iterations(highs)
        highs.startCallback(_BETWEEN_ITERATIONS)
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            return highs
    return None


def _ask_whether_to_go_on(kind: Any, message: str, out: Any, answer: Any, data: Any) -> None:
    """HiGHS asks between its iterations; that Python runs at all lets Ctrl-C through."""
    if current_watch().is_over:
        answer.user_interrupt = True
