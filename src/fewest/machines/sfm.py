"""The Support Feature Machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import Abilities, Selection
from fewest._estimators.joint_task import JointTask
from fewest._estimators.tasks import (
    BinaryTask,
    Hyperplane,
    slack_cost_of_first_program,
    solve_by_rules,
)
from fewest._estimators.validation import (
    check_choice,
    check_flag,
)
from fewest._solvers.columns import Columns
from fewest._solvers.joint.problem import JointProblem
from fewest._solvers.linear.mirror import least_error_cost, mirror_image
from fewest._solvers.linear.reweight import REWEIGHTED, ZeroNormResult, minimize_zero_norm
from fewest._solvers.problem import EQUALITY_FORMS, Problem, support_feature_machine, unit_margin
from fewest._solvers.result import Result, Status, WarmStart
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray
from fewest.exceptions import NotSeparableError
from fewest.machines._exact import ExactlyDecided

__all__ = ["SupportFeatureMachine"]

if TYPE_CHECKING:
    from fewest.minimum import MinimumResult

# Smallest distance to the hyperplane that a strict separation asks for; the class means are one
# apart.
_STRICT_MARGIN = 1e-3


@dataclass(eq=False, repr=False)
class SupportFeatureBase(ExactlyDecided):
    """Hyperplanes with the fewest features and no margin, by reweighting linear programs."""

    C: float = 2.0
    _: KW_ONLY
    class_weight: Any = "balanced"
    constraint: str = "class_means"
    reweight: str = "features"
    scale_samples: bool = True
    refit: str | None = "margin"
    max_iter: int = 20

    _infinity = "for no training error"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("constraint", self.constraint, EQUALITY_FORMS)
        check_choice("reweight", self.reweight, REWEIGHTED)
        check_flag("scale_samples", self.scale_samples)

    def _first_problem(self, task: BinaryTask) -> Problem:
        """The first linear program of a task."""
        problem = support_feature_machine(
            task.y,
            form=self.constraint,
            slack_cost=slack_cost_of_first_program(task, scale_samples=self.scale_samples),
            sample_weight=task.sample_weight,
        )
        return task.price(problem)

    def _joint_problem(self, task: JointTask) -> JointProblem:
        return JointProblem(
            task.codes,
            slack_cost_of_first_program(task, scale_samples=self.scale_samples),
            task.feature_cost,
            means_apart=True,
            sample_weight=task.sample_weight,
        )

    def _refuse_jointly(self) -> str:
        if self.constraint != "class_means":
            return f"constraint={self.constraint!r}"
        return "" if self.reweight == "features" else f"reweight={self.reweight!r}"

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self._solve_from(task)

    def _solve_from(
        self, task: BinaryTask, *, first: Result | None = None, warm: WarmStart | None = None
    ) -> ZeroNormResult:
        """Solve a task, from a first program or a working set where one is known already."""
        return solve_by_rules(task, self._solve_both_ways, first=first, warm=warm)

    def _solve_both_ways(
        self, task: BinaryTask, *, first: Result | None = None, warm: WarmStart | None = None
    ) -> ZeroNormResult:
        """The better one of the class means in their order, and the other way round."""
        problem = self._first_problem(task)
        cost = task.error_cost
        settings: dict[str, Any] = {
            "error_cost": cost,
            "terms": task.terms,
            "reweight": self.reweight,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        best = minimize_zero_norm(problem, task.columns, first=first, warm=warm, **settings)
        # With errors allowed, the class means may also lie the wrong way round. That takes one
        # feature and one error at least, since the mean of the margins is negative then.
        least = 1.0 if task.terms is None else task.terms.least
        if cost is None or best.zero_norm_objective <= least + cost.min():
            return best
        if current_watch().is_over:
            return best
        mirrored = mirror_image(problem, task.columns, best.steps[0])
        if mirrored is None or not _is_hopeless(task, cost, mirrored, best.zero_norm_objective):
            other = minimize_zero_norm(
                problem.with_rhs(-1.0),
                task.columns,
                warm=best.steps[0].warm,
                first=mirrored,
                **settings,
            )
            better = other.zero_norm_objective < best.zero_norm_objective
            if better and other.status is Status.OPTIMAL:
                best = other
        return best if task.is_signed else _turn_if_cheaper(task, cost, best)

    def _solve_strictly(self, task: BinaryTask) -> Iterator[ZeroNormResult]:
        yield solve_by_rules(task, self._solve_with_margin)
        yield solve_by_rules(task, self._solve_with_any_margin)

    def _solve_with_margin(self, task: BinaryTask) -> ZeroNormResult:
        """The same program, but no sample nearer to the hyperplane than a small distance."""
        return self._minimize_hard(task, replace(self._first_problem(task), margin=_STRICT_MARGIN))

    def _solve_with_any_margin(self, task: BinaryTask) -> ZeroNormResult:
        """However near: weights that put every sample a unit away may be as large as they like."""
        return self._minimize_hard(task, task.price(unit_margin(task.y)))

    def _minimize_hard(self, task: BinaryTask, problem: Problem) -> ZeroNormResult:
        return minimize_zero_norm(
            problem, task.columns, tol=self.tol, max_iter=self.max_iter, terms=task.terms
        )


@dataclass(eq=False, repr=False)
class SupportFeatureMachine(SupportFeatureBase):
    r"""Classifier that uses the fewest features that separate the classes.

    It looks for the hyperplane with the fewest non-zero weights,

    .. math::

        \min \; \|w\|_0 + D \sum_i C_i \xi_i
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge -\xi_i, \; \xi_i \ge 0, \;
        w^\top (\mu^+ - \mu^-) = \pm 1,

    through a sequence of linear programs that reweight the one-norm. The classes are separated
    without any margin; the equality, on the class means, only excludes w = 0. It also sets the unit
    of the slacks: D = 2 makes a slack count by the mean distance of the samples from the
    hyperplane, which is 1/2.

    Parameters
    ----------
    C : float, default=2.0
        The price, in features, of a training sample that lies as far on the wrong side of the
        hyperplane as the average sample lies on its own side. ``np.inf`` is the hard machine: no
        training error, or :class:`~fewest.NotSeparableError`, even if classes only touch. (With
        ``refit=None``, training samples may lie on the hyperplane itself, as in Klement et al.
        2013, although another hyperplane on the same features has all of them on their own side.)
    class_weight : {"balanced"}, dict or None, default="balanced"
        Factors on C for each class. "balanced" makes the total costs of the two classes equal
        (C+ n+ = C- n-), for each hyperplane if there are more than two classes.
    constraint : {"class_means", "mean_margin"}, default="class_means"
        The equality: distance of the projected class means (Klement et al. 2013), or mean of the
        signed distances to the hyperplane (Klement & Martinetz 2010). The latter admits w = 0 for
        unbalanced classes and a small C.
    reweight : {"features", "both"}, default="features"
        What the later programs reweight. "features": only the weights, as Klement et al. (2010,
        2013) do; slacks keep their cost. "both": slacks too, which approximates
        :math:`\|w\|_0 + \sum_i C_i [\xi_i > 0]`: C is then the price of a misclassified sample,
        however far it is on the wrong side, and a sample without slack in one program gets none in
        the next. At the same C this selects more features.
    scale_samples : bool, default=True
        Let C in the first program refer to samples of (root-mean-square) norm one, as Klement et
        al. (2013) scale them, so it means the same for any number of features. False uses the
        standardised columns as they are: an error then costs more in the first program, by the
        square root of the number of columns that vary. The later programs are the same.
    multi_class : {"joint", "separate"}, default="joint"
        More than two classes: "joint" tells all of them apart by one program in which a feature is
        paid for once, however many classes it serves; every class has a score, and the largest
        decides. "separate" trains each class against the rest, on its own features. So do
        ``constraint="mean_margin"``, ``reweight="both"`` and `certify`, which are for two classes.
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
        Divide each column by its standard deviation. Otherwise all columns share one factor.
        Either is implicit: X is not copied.
    refit : {"margin"} or None, default="margin"
        Hyperplane on the selected features: "margin" uses the one with the largest margin (soft,
        at the same C, if the selection leaves errors); None keeps that of the last linear program,
        as Klement et al. (2013) do, on which some training samples lie exactly.
    max_iter : int, default=20
        Largest number of linear programs in the reweighting loop, which usually ends after two to
        five.
    tol : float, default=1e-7
        Relative duality gap at which a linear program counts as solved.
    certify : bool, default=False
        Hard machine only (``C=np.inf``): prove that no smaller set of features separates the
        classes, or find one and use it (then with the hyperplane of the largest margin, whatever
        `refit` is). Under rules about features, the cheapest set that follows them replaces
        the smallest. See `minimum_` for what was proven.
    max_seconds : float, default=None
        Time limit, in seconds, for the linear programs of a hyperplane. When it is reached, the
        best hyperplane found is used, with the gap proven so far, and a warning. None: no limit.
        The proof of `certify` has what is left of it; without a limit, a minute.
    n_jobs : int, default=None
        Threads for more than two classes (and for `certify`), as in joblib.
    verbose : int, default=0
        1 shows the progress of the classes (with two classes: of a fit that takes long) and of the
        proof; 2 also prints a line per hyperplane.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights for X as it was given (not standardised).
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
        Two classes only: the linear programs with objective, proven bound and gap.
    results_ : tuple of ZeroNormResult or JointSelection
        The same for every hyperplane; a single one if one program tells all classes apart.
    temperature_ : float
        Divisor of the scores in `predict_proba`, from samples left out of the refit.
    minimum_ : MinimumResult
        Two classes and `certify` only: the smallest size, or the bounds on it, with the proofs.
    minima_ : tuple of MinimumResult
        The same for every hyperplane.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    fewest.datasets.make_gaussian : Data with known informative features.

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013).

    S. Klement, T. Martinetz: A new approach to classification with the least number of features.
    ICMLA (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=72, d=7000, k=3, mu=1.0, random_state=0)
    >>> machine = SupportFeatureMachine(C=5.0).fit(X, y)
    >>> np.flatnonzero(machine.support_)
    array([0, 1, 2])
    >>> print(f"{machine.score(X, y):.3f}")
    0.972
    >>> machine.result_.gap < 1e-7
    True
    """

    _: KW_ONLY
    certify: bool = False

    _people_name = "Support Feature Machine"

    def _abilities(self) -> Abilities:
        # A proof looks at the columns themselves, and would not see which ones are masked.
        return replace(
            super()._abilities(),
            has_first_program=self._repeats_first_program() and not self.certify,
            certifies=bool(self.certify),
            advances_together=self._advances_together(),
            reads_blocks=not self.certify,  # the search for a smaller set goes over all values
            effort=1.0,
        )

    def _advances_together(self) -> bool:
        """Whether nothing but the labels makes a difference between fits."""
        return (
            bool(np.isinf(self.C))
            and self.constraint == "class_means"
            and self._repeats_first_program()
            and not self.certify
            and self.max_seconds is None
            and self.verbose < 2
        )

    def _refuse_jointly(self) -> str:
        return "certify=True" if self.certify else super()._refuse_jointly()

    def _selection(self) -> Selection:
        found = super()._selection()
        return replace(found, minima=self.minima_) if self.certify else found

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_flag("certify", self.certify)
        if self.certify and not np.isinf(self.C):
            raise ValueError(
                "certify=True proves the smallest set that separates the classes, which only the "
                f"hard machine looks for: set C=np.inf (C is {self.C!r}) or certify=False"
            )

    @property
    def minimum_(self) -> MinimumResult:
        """What `certify` proved about two classes (`minima_[0]`)."""
        check_is_fitted(self)
        if not hasattr(self, "minima_"):
            raise AttributeError("nothing was certified: fit with certify=True and C=np.inf")
        if len(self.minima_) > 1:
            raise AttributeError("there is one minimum per class here: see `minima_`")
        return self.minima_[0]

    def _fit_one(self, task: BinaryTask) -> tuple[Hyperplane, list[Warning]]:
        try:
            return super()._fit_one(task)
        except NotSeparableError:
            if not self.certify or task.rules is None or not task.rules.one_per_group:
                raise
            # Leaving features of groups out proves nothing: the search for the minimum does, from
            # a hyperplane that may have several.
            loose = replace(task, rules=replace(task.rules, groups=None, one_per_group=False))
            plane, _ = super()._finish(loose, self._solve(loose))
            plane, doubts = self._certify(task, plane)
            if not plane.minimum.subsets:
                raise
            return plane, doubts

    def _finish(self, task: BinaryTask, result: ZeroNormResult) -> tuple[Hyperplane, list[Warning]]:
        plane, doubts = super()._finish(task, result)
        return self._certify(task, plane) if self.certify else (plane, doubts)

    def _certify(self, task: BinaryTask, plane: Hyperplane) -> tuple[Hyperplane, list[Warning]]:
        from fewest.machines._certify import certify  # compiles; nobody else should wait for that

        plane = certify(plane, task, self.max_seconds, self.n_jobs, self.verbose)
        return plane, self._doubts(task, plane)

    def _keep(self, columns: Columns, planes: list[Hyperplane]) -> None:
        super()._keep(columns, planes)
        if self.certify:
            self.minima_ = tuple(plane.minimum for plane in planes)


def _turn_if_cheaper(task: BinaryTask, cost: FloatArray, result: ZeroNormResult) -> ZeroNormResult:
    """The hyperplane as it is or turned around, whichever costs less."""
    margins = task.y * (task.columns.project(result.features, result.w) + result.b)
    slack = np.where(margins > 1e-9, margins, 0.0)
    price = float(result.n_features) if task.terms is None else task.terms.total(result.features)
    objective = price + float(cost[slack > 0].sum())
    if objective >= result.zero_norm_objective:
        return result
    return replace(
        result,
        w=-result.w,
        b=-result.b,
        slack=slack,
        rhs=-result.rhs,
        zero_norm_objective=objective,
    )


def _is_hopeless(task: BinaryTask, cost: FloatArray, first: Result, to_beat: float) -> bool:
    """Whether a loop from this first program is too far behind to be worth its time.

    It is if even the best threshold on the first program's direction leaves errors that cost more
    than the objective to beat; reweighting bends that direction, but does not turn it around.
    """
    scores = task.columns.project(first.features, first.w)
    return least_error_cost(task.y, scores, cost) > to_beat
