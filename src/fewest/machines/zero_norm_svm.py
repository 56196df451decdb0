"""Weston's zero-norm support vector machine."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from fewest._estimators.abilities import Abilities
from fewest._estimators.joint_task import JointTask
from fewest._estimators.tasks import BinaryTask, slack_cost_of_first_program, solve_by_rules
from fewest._estimators.validation import check_choice
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.linear.reweight import REWEIGHTED, ZeroNormResult, minimize_zero_norm
from fewest._solvers.problem import Problem, unit_margin
from fewest._solvers.result import Result
from fewest.machines._exact import ExactlyDecided

__all__ = ["ZeroNormSVM"]


@dataclass(eq=False, repr=False)
class ZeroNormSVM(ExactlyDecided):
    r"""Support vector machine with few features, by reweighting its one-norm.

    .. math::

        \min \; \|w\|_0 + \sum_i C_i \xi_i
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge 1 - \xi_i, \; \xi_i \ge 0,

    approximated, like the Support Feature Machine, by a sequence of linear programs, but with a
    margin of one instead of an equality. It tends to keep more features than that machine.

    Parameters
    ----------
    C : float, default=np.inf
        The price, in features, of a sample on the hyperplane; samples elsewhere inside the margin,
        or on the wrong side, cost in proportion to their distance from the margin. ``np.inf``
        allows none, and raises :class:`~fewest.NotSeparableError` if that is impossible. In the
        first program C refers to samples of norm one, as for `SupportFeatureMachine`.
    class_weight : {"balanced"}, dict or None, default="balanced"
        Factors on C for each class.
    reweight : {"features", "both"}, default="features"
        What the later programs reweight: only the weights, or the slacks too, which approximates
        a price of C for every sample inside the margin, wherever it lies.
    multi_class : {"joint", "separate"}, default="joint"
        More than two classes: "joint" tells all of them apart by one program in which a feature is
        paid for once, however many classes it serves; every class has a score, and the largest
        decides. "separate" trains each class against the rest, on its own features. So does
        ``reweight="both"``, which is for two classes.
    max_features : int, default=None
        Largest number of selected features. With two classes, exactly this many are selected (or
        all that vary): those on which least squares with a ridge fit the classes best. With more
        classes, candidates come from the joint program with unit margins, at the largest cost up to
        `C` that keeps most noise out, and a multinomial loss with a strong ridge chooses among
        them. If there are more than 10,000 samples, that many are drawn for this, the same number
        from every class; the decision is fitted to all. With ``C=np.inf``, a warning says if more
        features are needed to avoid errors. :class:`~fewest.PanelSizeCV` chooses the number.
    exact_features : bool, default=False
        With more than two classes: select exactly `max_features`, even if the program for all
        classes finds fewer worth their price. With two classes this is always so.
    min_per_class : int, default=None
        With `max_features`: at least this many features for every class whose mean is largest in
        that class; those with the largest distance to the next class come first.
    include : list of names or numbers, or mask, optional
        Features that are always included, at no cost, such as age, sex or a known marker: the
        others must add to them.
    exclude : list of names or numbers, or mask, optional
        Features that are never selected.
    feature_cost : number, array of shape (n_features,) or dict, optional
        What each feature costs, 1 by default. The price takes the place of the number of
        features. Prices are relative: C is per unit of the median price of the features that may be
        selected, so all prices times 100 change nothing. (One price of 1e12, for a feature that
        nobody wants to measure, would move their mean, but does not move their median.)
    feature_groups : list of n_features labels (None for no group), or dict of lists, optional
        Features that belong together: a group is paid for once, however many of its features are
        selected.
    one_per_group : bool, default=False
        At most one feature of each group is selected instead.
    signs : {1, -1}, array of shape (n_features,) or dict, optional
        1: selected only if higher in the second class, with a positive weight; -1: only if lower;
        0: either. With more than two classes, 1 means higher in some class.
    standardize : bool, default=True
        Divide each column by its standard deviation (implicitly). Otherwise all columns share one
        factor.
    refit : {"margin"} or None, default=None
        None keeps the hyperplane of the last linear program, which has a margin already; "margin"
        takes the one with the largest Euclidean margin on the selected features.
    max_iter : int, default=20
        Largest number of linear programs in the reweighting loop.
    tol : float, default=1e-7
        Relative duality gap at which a linear program counts as solved.
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
    classes_ : array of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Linear programs of the reweighting loop (of the longest one).
    result_ : ZeroNormResult
        Two classes only: the linear programs with their certificates, and the number of features
        after the first (`n_features_first`) and after the last one (`n_features`).
    results_ : tuple of ZeroNormResult
        The same for every hyperplane.

    See Also
    --------
    SupportFeatureMachine : The same loop without a margin; fewer features.

    References
    ----------
    J. Weston, A. Elisseeff, B. Schölkopf, M. Tipping: Use of the zero-norm with linear models and
    kernel methods. JMLR 3 (2003).

    Examples
    --------
    >>> from fewest import SupportFeatureMachine, ZeroNormSVM
    >>> from fewest.datasets import make_weston
    >>> X, y = make_weston(n=100, n_noise=500, random_state=0)
    >>> machine = ZeroNormSVM().fit(X, y)
    >>> machine.score(X, y)
    1.0
    >>> machine.result_.n_features_first >= machine.result_.n_features
    True
    """

    C: float = np.inf
    _: KW_ONLY
    class_weight: Any = "balanced"
    reweight: str = "features"
    max_iter: int = 20

    _people_name = "zero-norm support vector machine"
    _infinity = "for no sample inside the margin"
    _has_margin = True

    def _abilities(self) -> Abilities:
        return replace(super()._abilities(), has_first_program=self._repeats_first_program())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("reweight", self.reweight, REWEIGHTED)

    def _first_problem(self, task: BinaryTask) -> Problem:
        """The first linear program of a task."""
        problem = unit_margin(task.y, slack_cost=slack_cost_of_first_program(task))
        return task.price(problem)

    def _joint_problem(self, task: JointTask) -> JointProblem:
        return JointProblem(task.codes, slack_cost_of_first_program(task), task.feature_cost)

    def _refuse_jointly(self) -> str:
        return "" if self.reweight == "features" else f"reweight={self.reweight!r}"

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self._solve_from(task)

    def _solve_from(self, task: BinaryTask, *, first: Result | None = None) -> ZeroNormResult:
        """Solve a task, from the solution of its first program where that is known already."""
        return solve_by_rules(task, self._minimize, first=first)

    def _minimize(self, task: BinaryTask, *, first: Result | None = None) -> ZeroNormResult:
        return minimize_zero_norm(
            self._first_problem(task),
            task.columns,
            error_cost=task.error_cost,
            reweight=self.reweight,
            tol=self.tol,
            max_iter=self.max_iter,
            first=first,
            terms=task.terms,
        )
