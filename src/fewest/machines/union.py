"""One hyperplane on several disjoint sets of features, found one after another."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest._estimators.validation import check_choice, check_count, mask_columns
from fewest._solvers.columns import Columns
from fewest._solvers.linear.master import TimeIsUpError
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.result import WarmStart
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureBase

__all__ = ["UnionFeatureMachine"]


@dataclass(eq=False, repr=False)
class UnionFeatureMachine(SupportFeatureBase):
    """Classifier with the largest margin on the first `n_subsets` disjoint subsets that are found.

    After each subset its features are set aside and the machine is trained again; the hyperplane
    of the largest margin on all subsets together decides. The search ends early if the remaining
    features no longer separate the classes (hard machine) or none of them is selected.

    Parameters
    ----------
    C : float, default=2.0
        Cost of training errors, in features.
    n_subsets : int, default=2
        How many subsets to find, for each class if there are more than two.
    class_weight, constraint, reweight, scale_samples, standardize, max_iter, tol, max_seconds, \
n_jobs, verbose
        As for :class:`~fewest.SupportFeatureMachine`; `refit` can only be "margin".
    include, exclude, feature_cost, feature_groups, one_per_group, signs
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`. Included features are
        in every subset.
    multi_class : {"separate"}
        With more than two classes, each is separated from the rest on its own subsets.
    max_features, exact_features, min_per_class
        Not for unions.

    Attributes
    ----------
    subsets_ : tuple of tuples of arrays
        The features of each subset in the order they were found, for every hyperplane.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest import UnionFeatureMachine
    >>> X, y = make_gaussian(n=72, d=1000, k=6, mu=1.0, random_state=0)
    >>> machine = UnionFeatureMachine(C=1.0, n_subsets=2).fit(X, y)
    >>> len(machine.subsets_[0])
    2
    """

    _: KW_ONLY
    n_subsets: int = 2
    multi_class: str = "separate"

    _people_name = "union of Support Feature Machines"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_subsets", self.n_subsets)
        check_choice("refit", self.refit, ("margin",))
        check_choice("multi_class", self.multi_class, ("separate",))

    def _fit_one(self, task: BinaryTask) -> tuple[Hyperplane, list[Warning]]:
        first, doubts = super()._fit_one(task)
        return find_unions(self, task, first, self.n_subsets)[-1], doubts

    def _keep(self, columns: Columns, planes: list[Hyperplane]) -> None:
        super()._keep(columns, planes)
        self.subsets_ = tuple(plane.subsets or (plane.result.features,) for plane in planes)


def find_unions(
    machine: SupportFeatureBase, task: BinaryTask, first: Hyperplane, n_subsets: int
) -> list[Hyperplane]:
    """Hyperplanes on the first subset, on the first two, ...; fewer where no more are found."""
    found, planes = [first.result], [first]
    while len(planes) < n_subsets and found[-1].n_features:
        used = np.concatenate([result.features for result in found])
        if task.rules is not None:
            used = task.rules.find_used_up(used)
        rest = mask_columns(task.columns, used)
        if not rest.n_usable:
            break
        last = found[-1].steps[0].warm
        warm = WarmStart(np.setdiff1d(last.features, used), last.samples)
        result = machine._solve_from(replace(task, columns=rest), warm=warm)
        if not np.isfinite(result.zero_norm_objective) or not result.n_features:
            break
        if task.error_cost is None:
            try:
                result = machine._separate(replace(task, columns=rest), result).result
            except NotSeparableError:  # what is left only touches
                break
        found.append(result)
        try:
            joined = _join(task, found)
        except TimeIsUpError:
            break
        if task.error_cost is None and machine._count_errors(task, joined):
            break  # their largest margin is lost in rounding
        if task.rules is not None and len(task.rules.find_turned(joined.result.features, joined.w)):
            break  # their largest margin would turn a sign around
        planes.append(joined)
    return planes


def _join(task: BinaryTask, found: list[ZeroNormResult]) -> Hyperplane:
    """The largest margin on all the features found; soft where a subset needed slacks."""
    features = np.unique(np.concatenate([result.features for result in found]))
    needs_slacks = any(np.any(result.slack > 0) for result in found)
    margin = None if needs_slacks else task.find_hard_margin(features)
    w, b = task.find_soft_margin(features) if margin is None else margin
    slack = np.maximum(0.0, -task.y * (task.columns.project(features, w) + b))
    objective = float(len(features)) if task.terms is None else task.terms.total(features)
    if task.error_cost is not None:
        objective += float(task.error_cost[slack > 0].sum())
    merged = replace(
        found[0],
        features=features,
        w=w,
        b=b,
        slack=slack,
        zero_norm_objective=objective,
        steps=tuple(step for result in found for step in result.steps),
        converged=all(result.converged for result in found),
    )
    return Hyperplane(merged, w, b, subsets=tuple(result.features for result in found))
