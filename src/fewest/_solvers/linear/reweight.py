"""The zero-norm loop shared by the Support Feature Machine and Weston's method.

The number of non-zero weights, plus the cost of slacks, is approached by a sequence of linear
programs: each divides the cost of a weight by the size it had in the last one, and what was zero
stays zero. Only the first program sees all columns.

Slacks keep one cost in all later programs: C_i for a slack as large as the mean distance of the
samples from the hyperplane. That is the loop of Klement et al. (2010, 2013). With
`reweight="both"` the cost of a slack is divided by its last size, too, which approaches C_i for
every sample that needs one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fewest._showing import Shown
from fewest._solvers.certify import objective_value
from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import Master, SolverError, TimeIsUpError
from fewest._solvers.linear.solve import (
    first_master,
    generate,
    has_many_samples,
    solve,
)
from fewest._solvers.problem import (
    LARGEST_SLACK_COST,
    SMALLEST_SLACK_COST,
    Problem,
    visible_slack_cost,
)
from fewest._solvers.result import Result, Series, Status, WarmStart
from fewest._solvers.terms import Terms
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# With many samples, a program that lowers the objective by less than this ends the loop.
_WORTH_ANOTHER_STEP = 1e-5


@dataclass(frozen=True, eq=False, repr=False)
class ZeroNormResult(Shown, Series):
    """The loop's final weights, and the certified linear program behind every step.

    `steps[0]` is the program over all columns; the later ones count columns within the support
    of the step before them. `features` are column numbers of X.
    """

    features: IndexArray
    w: FloatArray
    b: float
    slack: FloatArray
    rhs: float
    zero_norm_objective: float
    steps: tuple[Result, ...]
    converged: bool


def minimize_zero_norm(
    problem: Problem,
    columns: Columns,
    *,
    error_cost: FloatArray | None = None,
    reweight: str = "features",
    tol: float = 1e-7,
    max_iter: int = 20,
    warm: WarmStart | None = None,
    first: Result | None = None,
    terms: Terms | None = None,
) -> ZeroNormResult:
    """Run the loop until neither the weights nor the samples with slack change.

    `error_cost` is C_i, in features. It differs from the first program's slack cost by the scale of
    the columns, and is needed where slacks are allowed. `reweight` is one of `REWEIGHTED`.
    `first` is the solution of the first program where that is known already. `terms` are what the
    features cost, one each without them; the problem has their costs already.
    """
    if (error_cost is None) != (problem.slack_cost is None):
        raise ValueError("error costs go with slack costs: give both or none")
    step = first if first is not None else solve(problem, columns, tol=tol, warm=warm)
    steps = [step]
    converged = step.n_features == 0
    price_slacks = None
    if error_cost is not None:
        price_slacks = partial(_SLACK_COSTS[reweight], problem, error_cost)
    if step.vertex is not None and max_iter > 1 and terms is None:
        converged = _walk_on(problem, columns, steps, tol, max_iter)
    step, loop = steps[-1], _Loop(problem, columns, price_slacks, tol, terms)
    if len(steps) > 1 and not converged:
        loop.narrow(_number_in_all(steps[:-1]))
    numbers = loop.numbers  # the columns that `step` is about
    while not converged and len(steps) < max_iter and not current_watch().is_over:
        try:
            previous, step = step, loop.next(step)
        except TimeIsUpError:
            break
        if not np.isfinite(step.objective):
            # The last solution satisfies this program up to rounding: nothing better exists.
            step, converged = previous, True
            break
        if step.status is not Status.OPTIMAL and current_watch().is_over:
            step = previous  # this one was not finished
            break
        steps.append(step)
        numbers = loop.numbers
        converged = step.n_features == 0 or loop.stands_still(previous, step)
    features, w = _number_in_all(steps) if terms is None else numbers[step.features], step.w
    if terms is not None:
        features, w = terms.add_free(features, w)
    return ZeroNormResult(
        features=features,
        w=w,
        b=step.b,
        slack=step.slack,
        rhs=problem.rhs,
        zero_norm_objective=zero_norm_objective(
            step, error_cost, None if terms is None else terms.total(features)
        ),
        steps=tuple(steps),
        converged=converged,
    )


def _number_in_all(steps: Sequence[Result]) -> IndexArray:
    """The features of the last step, as columns of X."""
    features = steps[0].features
    for step in steps[1:]:
        features = features[step.features]
    return features


def _walk_on(
    problem: Problem, columns: Columns, steps: list[Result], tol: float, max_iter: int
) -> bool:
    """Continue from the vertex of the first step; whether the loop has ended there."""
    # Importing it loads the compiler, which pays off only for long series of programs.
    from fewest._solvers.linear.chain import walk_on

    block = columns.take(steps[0].features)
    more, converged = walk_on(problem, steps[0], block, tol=tol, max_programs=max_iter - 1)
    steps += more
    return converged


class _Loop:
    """The programs after those that are solved, each over the features that the last one left.

    `numbers` are the columns of X that the last program was about.
    """

    def __init__(
        self,
        problem: Problem,
        columns: Columns,
        price_slacks: Callable[[Result], FloatArray] | None,
        tol: float,
        terms: Terms | None,
    ) -> None:
        self._problem, self._all, self._terms = problem, columns, terms
        self._price_slacks, self._tol = price_slacks, tol
        self.problem, self._columns = problem, columns
        self.numbers, self._last_w = np.arange(columns.n_features), np.empty(0)
        self._master: Master | None = None

    def narrow(self, numbers: IndexArray) -> None:
        """The last program was about these columns of X."""
        self.numbers, self._columns = numbers, self._all.narrow(numbers)

    def next(self, last: Result) -> Result:
        """The program whose costs follow from the last solution, over its features."""
        slack_cost = None if self._price_slacks is None else self._price_slacks(last)
        if self._terms is None:
            self._shrink(last.features)
            costs, w = 1.0 / np.abs(last.w), last.w
        else:
            costs, w = self._change_terms(self._terms, last)
        self.problem, self._last_w = self._problem.with_costs(costs, slack_cost), w
        if self._problem.feature_sign is not None:
            sign = self._problem.feature_sign[self.numbers]
            self.problem = replace(self.problem, feature_sign=sign)
        every, nothing = np.arange(len(w)), np.empty(0, dtype=np.intp)
        warm = WarmStart(every, nothing, w, last.b)
        step = None
        # With slacks there are often several optima; which one is found must not depend on the way.
        if slack_cost is None and not has_many_samples(self.problem) and self._terms is None:
            step = self._go_on(last, warm)
        if step is None:
            step = solve(self.problem, self._columns, tol=self._tol, warm=warm)
        return step

    def _shrink(self, places: IndexArray) -> None:
        """Go on with the columns at these places of the last ones."""
        self.numbers, before = self.numbers[places], self._columns.n_features
        if isinstance(self._all.X, np.ndarray) and before < 2 * len(places) < 2 * before:
            self._columns, places = self._all, self.numbers  # or there would be two large copies
        self._columns = self._columns.narrow(places)

    def _change_terms(self, terms: Terms, last: Result) -> tuple[FloatArray, FloatArray]:
        """Costs and last weights on the columns of the next program, which may be other ones."""
        before = self.numbers[last.features]
        numbers, costs = terms.later_costs(before, np.abs(last.w))
        usable = self._all.inverse_scale[numbers] != 0.0
        self.narrow(numbers[usable])
        w = np.zeros(len(self.numbers))
        w[np.searchsorted(self.numbers, before)] = last.w
        return costs[usable], w

    def stands_still(self, previous: Result, step: Result) -> bool:
        """Whether samples with slack and weights are the same: a weight that moves may yet vanish.

        With many samples there is always another vertex nearby. Then the loop also ends where the
        previous solution was as good as the present one, at the costs that followed from it.
        """
        if step.n_features != previous.n_features:
            return False
        if has_many_samples(self.problem):
            costs = self.problem.costs(np.arange(len(self._last_w)))
            before = objective_value(self.problem, costs, self._last_w, previous.slack)
            return step.objective > before * (1.0 - _WORTH_ANOTHER_STEP)
        return np.array_equal(step.slack > 0.0, previous.slack > 0.0) and np.allclose(
            step.w, previous.w, rtol=1e-4
        )

    def _go_on(self, last: Result, warm: WarmStart) -> Result | None:
        """The solution from where the last program ended, if that is a proven optimum."""
        problem, unit = self.problem.in_own_unit()
        try:
            if self._master is None:
                self._master = first_master(problem, self._columns, warm)
            else:
                self._master.narrow(last.features, problem)
            step = generate(self._columns, self._master, tol=self._tol)
        except TimeIsUpError:
            raise
        except SolverError:
            step = None
        if step is not None and step.status is Status.OPTIMAL:
            return step.times(unit)
        self._master = None
        return None


def zero_norm_objective(
    step: Result, error_cost: FloatArray | None, price: float | None = None
) -> float:
    """Number (or price) of the features plus the cost of every sample that needs a slack."""
    if not np.isfinite(step.objective):
        return float(np.inf)
    price = float(step.n_features) if price is None else price
    if error_cost is None:
        return price
    return price + float(error_cost[step.slack > 0.0].sum())


def _keep_slack_cost(problem: Problem, error_cost: FloatArray, last: Result) -> FloatArray:
    """C_i for a slack as large as the mean distance of the samples from the hyperplane."""
    return visible_slack_cost(error_cost / problem.mean_distance)


def _divide_slack_cost(problem: Problem, error_cost: FloatArray, last: Result) -> FloatArray:
    """C_i for the last slack of the sample; where that was zero, none is available any more."""
    slack_cost = np.full(problem.n_samples, np.inf)
    used = last.slack > 0.0
    quotient = visible_slack_cost(error_cost)[used] / last.slack[used]
    slack_cost[used] = np.clip(quotient, SMALLEST_SLACK_COST, LARGEST_SLACK_COST)
    return slack_cost


_SLACK_COSTS = {"features": _keep_slack_cost, "both": _divide_slack_cost}
REWEIGHTED = tuple(_SLACK_COSTS)
