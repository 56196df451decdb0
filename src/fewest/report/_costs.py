"""Error and number of features along C: from a result that has them, or from a few values now."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from fewest._estimators.splits import balanced_error, split_folds
from fewest._solvers.linear.path import ExactPath
from fewest._types import FloatArray
from fewest.machines.liknon import Liknon
from fewest.machines.liknon_path import LiknonPath
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.sfm_cv import SupportFeatureMachineCV
from fewest.machines.transvariation import transvariation_C
from fewest.machines.zero_norm_svm import ZeroNormSVM
from fewest.report._budget import Budget
from fewest.report._data import Data
from fewest.report._subject import Subject
from fewest.report.content import CostCurve, CostPoint

_MOST_POINTS = 60
_VALUES = 8
_SPREAD = 30.0  # largest and smallest C that are tried, in units of the one at hand
_IN_FOLDS = (
    "Balanced errors in cross-validation, features selected anew without the samples of the fold. "
    "The smallest error of many is optimistic."
)


def costs(subject: Subject, data: Data, budget: Budget) -> CostCurve:
    """The curve; a ValueError that says why there is none."""
    path, machine = subject.path, subject.machine
    if path is None and machine is None:
        raise ValueError("a smallest set allows no error, so that there is no C to vary")
    if isinstance(path, CostCurve):
        return path
    if isinstance(path, ExactPath):
        return _of_exact_path(path, data)
    if isinstance(path, LiknonPath):
        return _of_liknon_path(path, data)
    if isinstance(machine, SupportFeatureMachineCV):
        return _of_search(machine, chosen=True)
    if type(machine) is SupportFeatureMachine:
        return _of_search(_searched(machine, data), chosen=False)
    if isinstance(machine, (Liknon, ZeroNormSVM)) and data.is_binary:
        return _of_trials(machine, data, budget)
    raise ValueError(f"{type(subject.estimator).__name__} has no path over C in this report")


def _searched(machine: SupportFeatureMachine, data: Data) -> SupportFeatureMachineCV:
    """The cross-validation of a few values of C, for its table; its choice is not used."""
    shared = ("class_weight", "constraint", "standardize", "refit", "max_iter", "tol", "n_jobs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SupportFeatureMachineCV(
            cv=data.cv,
            n_Cs=_VALUES,
            n_subsets=1,
            random_state=data.seed,
            **{name: getattr(machine, name) for name in shared},
        ).fit(data.X, data.y, groups=data.groups)


def _of_search(search: SupportFeatureMachineCV, *, chosen: bool) -> CostCurve:
    found = search.cv_results_
    alone = found["param_n_subsets"] == (search.n_subsets_ if chosen else 1)
    points, explanation, place = [], _IN_FOLDS, None
    for index in np.flatnonzero(alone & np.isfinite(found["mean_test_score"])):
        C, error = float(found["param_C"][index]), 1.0 - float(found["mean_test_score"][index])
        n_features = float(found["mean_n_features"][index])
        if np.isinf(C):
            explanation += (
                f" The hard machine, which allows no training error, has {100 * error:.1f} % with "
                f"{n_features:.1f} features on average."
            )
            continue
        place = len(points) if chosen and index == search.best_index_ else place
        points.append(CostPoint(C, n_features, None, error))
    return CostCurve(points, place, explanation)


def _of_exact_path(path: ExactPath, data: Data) -> CostCurve:
    starts = np.concatenate([[path.low], path.breakpoints])
    places = _spread_out(len(starts))
    points = []
    for place in places:
        result = path.results[place]
        scores = data.columns.take(result.features) @ result.w + result.b
        points.append(
            CostPoint(float(starts[place]), result.n_features, _training(scores, data), None)
        )
    return CostCurve(
        points,
        None,
        f"The first linear program on all samples has {len(starts)} solutions between the ends of "
        "this path. Errors are those on the samples that it was fitted to: they tell nothing about "
        "new ones.",
    )


def _of_liknon_path(path: LiknonPath, data: Data) -> CostCurve:
    order = np.argsort(path.Cs, kind="stable")
    points = []
    for place in order[_spread_out(len(order))]:
        used = np.flatnonzero(path.coefs[place])
        scores = data.values(used) @ path.coefs[place, used] + path.intercepts[place]
        points.append(CostPoint(float(path.Cs[place]), len(used), _training(scores, data), None))
    return CostCurve(
        points,
        None,
        "Errors are those on the samples that were fitted: they tell nothing about new ones.",
    )


def _training(scores: FloatArray, data: Data) -> float:
    return balanced_error(data.codes, (scores > 0).astype(np.intp))


def _spread_out(count: int) -> Any:
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(np.intp))


def _of_trials(machine: Any, data: Data, budget: Budget) -> CostCurve:
    """Every C in every fold, if one fit suggests that there is time for it."""
    if isinstance(machine, Liknon):
        Cs = transvariation_C(
            data.X, data.y, _VALUES, standardize=machine.standardize, largest=None
        )
    else:
        middle = machine.C if np.isfinite(machine.C) else 1.0
        Cs = np.geomspace(middle / _SPREAD, middle * _SPREAD, _VALUES)
    splits = split_folds(
        data.cv, data.y, data.groups, random_state=np.random.RandomState(data.seed)
    )
    trials: list[list[tuple[float, int]]] = []
    for C in Cs.tolist():
        before = time.perf_counter()
        trials.append([_trial(machine, C, data, train, test) for train, test in splits])
        if (time.perf_counter() - before) * (len(Cs) - len(trials)) > budget.left:
            raise ValueError(
                f"a path over C did not fit into the time for this report ({budget.seconds:g} s)"
            )
    points = []
    for C, of_C in zip(Cs.tolist(), trials, strict=True):
        error, size = np.mean(of_C, axis=0)
        points.append(CostPoint(C, float(size), None, float(error)))
    return CostCurve(points, None, _IN_FOLDS)


def _trial(machine: Any, C: float, data: Data, train: Any, test: Any) -> tuple[float, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(machine).set_params(C=C).fit(data.X[train], data.y[train])
    error = balanced_error(data.y[test], fitted.predict(data.X[test]))
    return error, int(fitted.support_.sum())
