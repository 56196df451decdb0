"""Liknon: the support vector machine with a one-norm, as a linear program."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Abilities
from fewest._estimators.joint import JointClassifier
from fewest._estimators.joint_task import JointTask
from fewest._estimators.tasks import BinaryTask, Hyperplane, solve_by_rules
from fewest._estimators.validation import standardize_columns
from fewest._solvers.columns import Columns
from fewest._solvers.joint.panel import JointSelection
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.linear.path import PathSolver
from fewest._solvers.linear.reweight import ZeroNormResult, zero_norm_objective
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import Problem, unit_margin, visible_slack_cost
from fewest._solvers.result import Result
from fewest._types import FloatArray

__all__ = ["Liknon", "Optimality"]


@dataclass(frozen=True)
class Optimality:
    """Largest violations of the conditions of an optimum; zero up to rounding for a solution.

    `features`: w_f (|sum_s y_s alpha_s x_sf| - 1) and `slacks`: xi_s (alpha_s - C_s), relative to
    C_s, of (8.9); `samples`: alpha_s (y_s (x_s . w + b) + xi_s - 1) of (8.10), relative to the
    largest alpha.
    """

    features: float
    slacks: float
    samples: float

    @property
    def largest(self) -> float:
        return max(self.features, self.slacks, self.samples)


@dataclass(eq=False, repr=False)
class Liknon(JointClassifier):
    r"""Linear classifier with few features: hinge loss and a one-norm.

    .. math::

        \min \; \|w\|_1 + C \sum_i \xi_i
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge 1 - \xi_i, \; \xi_i \ge 0

    Features whose class difference exceeds 1 / C are candidates; see
    :func:`fewest.machines.transvariation.transvariation_C` for values of C that fit the data.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the hinge loss, for the columns as they are used: standardised, or those of X.
    include : list of names or numbers, or mask, optional
        Features that are always included, at no cost, such as age, sex or a known marker: the
        others must add to them.
    exclude : list of names or numbers, or mask, optional
        Features that are never selected.
    feature_cost : number, array of shape (n_features,) or dict, optional
        What each feature costs, 1 by default. Its price, divided by the median price of the
        features that may be selected, multiplies the size of the weight: `C` is per unit of that
        median, and all prices times 100 change nothing.
    feature_groups : list of n_features labels (None for no group), or dict of lists, optional
        Features that belong together: a group is paid for once, however many of its features are
        selected.
    one_per_group : bool, default=False
        At most one feature of each group is selected instead.
    signs : {1, -1}, array of shape (n_features,) or dict, optional
        1: selected only if higher in the second class, with a positive weight; -1: only if lower;
        0: either. With more than two classes, 1 means higher in some class.
    standardize : bool, default=True
        Divide each column by its standard deviation (implicitly). Pranckeviciene & Somorjai use X
        as it is.
    class_weight : {"balanced"}, dict or None, default=None
        Factors on C for each class.
    multi_class : {"joint", "separate"}, default="joint"
        More than two classes: "joint" tells all of them apart by one program in which a feature is
        paid for once, however many classes it serves; every class has a score, and the largest
        decides. "separate" trains each class against the rest, on its own features.
    max_features : int, default=None
        Largest number of selected features. With two classes, exactly this many are selected (or
        all that vary): those on which least squares with a ridge fit the classes best. With more
        classes, candidates come from the joint program with unit margins, at the largest cost up to
        `C` that keeps most noise out, and a multinomial loss with a strong ridge chooses among
        them. If there are more than 10,000 samples, that many are drawn for this, the same number
        from every class; the decision is fitted to all.
        :class:`~fewest.PanelSizeCV` chooses the number.
    exact_features : bool, default=False
        With more than two classes: select exactly `max_features`, even if the program for all
        classes finds fewer worth their price. With two classes this is always so.
    min_per_class : int, default=None
        With `max_features`: at least this many features for every class whose mean is largest in
        that class; those with the largest distance to the next class come first.
    refit : {"margin"} or None, default=None
        None keeps the hyperplane of the program; "margin" takes the one with the largest Euclidean
        margin on the selected features.
    tol : float, default=1e-7
        Relative duality gap at which the program counts as solved.
    max_seconds : float, default=None
        Time limit, in seconds, for the linear programs of a hyperplane. When it is reached, the
        best hyperplane found is used, with the gap proven so far, and a warning. None: no limit.
    n_jobs : int, default=None
        Threads for more than two classes, as in joblib.
    verbose : int, default=0
        1 shows the progress of the classes, or, with two classes, of a fit that takes long; 2 also
        prints a line per hyperplane.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights for X as it was given.
    standardized_coef_ : array of the shape of coef_
        `coef_` times the standard deviation of each column of the training samples: what one
        standard deviation of the feature adds to the score. These can be compared with each other.
    intercept_ : array of shape (1,) or (n_classes,)
        Biases.
    support_ : array of shape (n_features,), bool
        The selected features; with more than two classes, those of any class.
    supports_ : array of shape (1, n_features) or (n_classes, n_features), bool
        The selected features of each hyperplane.
    dual_coef_ : array of shape (1, n_samples) or (n_classes, n_samples)
        Dual variables alpha, between zero and C (samples of weight zero are left out).
    support_samples_ : tuple of arrays
        Indices of the samples with alpha > 0, for each hyperplane.
    standard_discriminant_ : array of the shape of coef_
        e_f = sum_s alpha_s y_s x_sf, for the columns as they enter: 1 or -1 on selected features
        (8.25), and smaller in size elsewhere.
    classes_ : array of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Always one: a single linear program.
    result_, results_ : ZeroNormResult, tuple of ZeroNormResult
        Solution and certificate, as for `SupportFeatureMachine`.

    References
    ----------
    E. Pranckeviciene, R. Somorjai: Liknon feature selection: behind the scenes. In Hands-On Pattern
    Recognition, chapter 8 (2011).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import Liknon
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=100, d=500, k=3, mu=1.0, random_state=0)
    >>> machine = Liknon(C=0.02).fit(X, y)
    >>> np.flatnonzero(machine.support_)
    array([0, 1, 2])
    >>> machine.check_optimality(X, y).largest < 1e-6
    True
    """

    C: float = 1.0
    _: KW_ONLY
    class_weight: Any = None

    _people_name = "Liknon (one-norm support vector machine)"
    _has_margin = True

    def _abilities(self) -> Abilities:
        return replace(
            super()._abilities(),
            has_first_program=self._repeats_first_program(),
            counts_features=False,
            follows_costs=True,
        )

    def _fit_along(self, X: Any, y: NDArray[Any], Cs: Sequence[float]) -> Iterator[Any]:
        if self._is_joint(len(np.unique(y))):
            yield from super()._fit_along(X, y, Cs)
            return
        machine = clone(self).set_params(C=1.0)
        columns, codes, _ = machine._prepare(X, y)
        solvers = [
            PathSolver(self._first_problem(task), task.columns, tol=self.tol)
            for task in machine._class_tasks(columns, codes)
        ]
        for C in Cs:
            at_C = copy.copy(machine).set_params(C=C)
            tasks = at_C._class_tasks(columns, codes)
            at_C._keep_all(
                columns,
                [
                    at_C._finish(task, at_C._solve_from(task, first=solver.solve_at(C)))
                    for task, solver in zip(tasks, solvers, strict=True)
                ],
            )
            yield at_C

    def _joint_problem(self, task: JointTask) -> JointProblem:
        assert task.error_cost is not None
        cost = task.error_cost * common_scale(task.columns, self.standardize)
        return JointProblem(task.codes, visible_slack_cost(cost), task.feature_cost)

    def _first_problem(self, task: BinaryTask) -> Problem:
        """The only linear program of a task."""
        return liknon_problem(task, standardize=self.standardize)

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self._solve_from(task)

    def _solve_from(self, task: BinaryTask, *, first: Result | None = None) -> ZeroNormResult:
        """Solve a task, or take the solution of its program that is known already."""
        return solve_by_rules(task, self._solve_once, first=first)

    def _solve_once(self, task: BinaryTask, *, first: Result | None = None) -> ZeroNormResult:
        problem = self._first_problem(task)
        step = first if first is not None else solve(problem, task.columns, tol=self.tol)
        features, w, price = step.features, step.w, None
        if task.terms is not None:
            features, w = task.terms.add_free(features, w)
            price = task.terms.total(features)
        return ZeroNormResult(
            features=features,
            w=w,
            b=step.b,
            slack=step.slack,
            rhs=problem.rhs,
            zero_norm_objective=zero_norm_objective(step, task.error_cost, price),
            steps=(step,),
            converged=True,
        )

    def _keep(self, columns: Columns, planes: list[Hyperplane]) -> None:
        super()._keep(columns, planes)
        unit = common_scale(columns, self.standardize)
        alphas = np.array([result.steps[0].alpha for result in self.results_])
        self.dual_coef_ = alphas / unit
        self.support_samples_ = tuple(np.flatnonzero(alpha) for alpha in alphas)
        self.standard_discriminant_ = np.array(
            [columns.price(result.steps[0].dual) for result in self.results_]
        )

    def _keep_jointly(
        self, task: JointTask, selection: JointSelection, W: FloatArray, b: FloatArray
    ) -> None:
        super()._keep_jointly(task, selection, W, b)
        first = selection.steps[0]
        dual = self._joint_problem(task).dual_vectors(first.alpha, first.apart)
        if len(task.names) == 2:
            dual = dual[:, 1:]
        self.dual_coef_ = np.abs(dual.T) / common_scale(task.columns, self.standardize)
        self.support_samples_ = tuple(np.flatnonzero(v) for v in dual.T)
        self.standard_discriminant_ = task.columns.price_all(dual).T

    def check_optimality(self, X: Any, y: ArrayLike) -> Optimality:
        """Recompute the optimality conditions (8.9) and (8.10) from the training data.

        Parameters
        ----------
        X, y
            The data of the last `fit` (two classes, no sample weights).

        Returns
        -------
        Optimality
        """
        check_is_fitted(self)
        step = self.result_.steps[0]
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(codes) != len(step.alpha) or not np.array_equal(classes, self.classes_):
            raise ValueError("X and y must be the data of the last fit")
        X = X if sparse.issparse(X) else np.asarray(X)
        columns = standardize_columns(X, per_column=self.standardize)
        task = self._task(columns, codes, 1, None)
        problem = liknon_problem(task, standardize=self.standardize)
        cost = problem.slack_bounds()
        block = columns.take(step.features)
        products = block.T @ (step.alpha * task.y)
        prices = problem.costs(step.features)
        reached = task.y * (block @ step.w + step.b) + step.slack - 1.0
        return Optimality(
            features=float(np.abs(np.abs(step.w) * (np.abs(products) - prices)).max(initial=0.0)),
            slacks=float(np.abs(step.slack * (step.alpha / cost - 1.0)).max()),
            samples=float(np.abs(step.alpha * reached).max() / step.alpha.max()),
        )


def liknon_problem(task: BinaryTask, *, standardize: bool) -> Problem:
    """The program (8.2) with C for the columns as they enter."""
    assert task.error_cost is not None
    cost = task.error_cost * common_scale(task.columns, standardize)
    problem = unit_margin(task.y, slack_cost=visible_slack_cost(cost))
    return task.price(problem)


def common_scale(columns: Columns, standardize: bool) -> float:
    """What C is multiplied with: columns that share one scale were divided by it."""
    if standardize:
        return 1.0
    return float(1.0 / columns.inverse_scale[columns.inverse_scale > 0][0])
