"""The Support Feature Machine with C, and the number of feature subsets, from cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import column_or_1d

from fewest._base import BinaryTask, Machine, SelectingClassifier
from fewest._core.columns import Columns
from fewest._core.path import ExactPath, PathSolver, exact_path
from fewest._core.problem import SMALLEST_SLACK_COST, FloatArray, Problem
from fewest._core.result import IndexArray, Result, Status, WarmStart
from fewest._core.reweight import ZeroNormResult
from fewest._core.solve import solve
from fewest._validation import check_choice, check_count, check_positive, finite_columns, validated
from fewest.sfm import SupportFeatureMachine
from fewest.union import UnionFeatureMachine, unions

# Solutions of the first program's path that are looked at: enough to see every number of features.
_PATH_SOLUTIONS = 150
# The smallest C of the path: a feature has to correct two errors, or, for many samples, errors of
# all of them together cost this many features. Below that, one feature is all that is selected,
# and candidates that differ by chance only make the choice worse.
_LEAST_COST, _LEAST_TOTAL_COST = 0.5, 25.0
# Candidates closer than this factor (in logarithms) are not worth the time.
_NARROW_GAP = 0.1
# Slack costs above this are better tried as infinite, which the solver does by itself.
_NEARLY_HARD = 100.0


class SupportFeatureMachineCV(SelectingClassifier):
    r"""Support Feature Machine that chooses C, hard or soft, by cross-validation.

    For every candidate C the machine

    .. math::

        \min \; \|w\|_0 + C^+ \|\xi^+\|_0 + C^- \|\xi^-\|_0
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge -\xi_i, \; \xi_i \ge 0, \;
        w^\top (\mu^+ - \mu^-) = \pm 1,

    is trained on the training part of every split and judged by its balanced accuracy on the test
    part. The candidates are no blind grid: the solution of the machine's first linear program is
    piecewise constant in C, its breakpoints are found exactly, and the candidates step through its
    numbers of features. In every split one program is followed along C, so that a candidate costs
    only the few small programs of the reweighting loop. The machine of the chosen C is then
    trained on all samples.

    Parameters
    ----------
    Cs : array of shape (n_candidates,) or None, default=None
        Candidates for C, ``np.inf`` among them for the hard machine. None takes them from the path
        of the first program on all samples given to `fit`.
    cv : int, splitter or iterable of (train, test), default=5
        A number stands for that many stratified folds (whole groups if `groups` are given to
        `fit`), but no more than the smallest class has samples (or groups).
    n_Cs : int, default=15
        Most candidates taken from the path.
    one_standard_error : bool, default=True
        Choose the candidate with the fewest features (on average over the splits) of those whose
        score is within one standard error of the best one; otherwise the best one.
    max_subsets : int, default=1
        Above one, the union of the first 2, ..., `max_subsets` disjoint subsets of features (train,
        set the features aside, train again) with the largest margin on it is a candidate, too. Each
        costs a program over all features for every split and C.
    include_hard : bool, default=True
        Let the hard machine be a candidate where the classes are separable. Without effect if `Cs`
        are given.
    class_weight, constraint, standardize, refit, max_iter, tol
        As for :class:`~fewest.SupportFeatureMachine`.
    random_state : int, RandomState or None, default=None
        Shuffles the samples before a number of folds is made of them. None takes them in their
        order, so that every fit gives the same answer.
    n_jobs : int, default=None
        Splits that are worked on at the same time (threads), in joblib's sense.
    verbose : int, default=0
        Above zero, prints a line for every split and for the choice.

    Attributes
    ----------
    C_ : float
        The chosen C; infinite for the hard machine.
    n_subsets_ : int
        The chosen number of disjoint subsets.
    cv_results_ : dict of arrays
        A value for every candidate, in scikit-learn's form: "param_C", "param_n_subsets",
        "params", "split0_test_score" and so on (balanced accuracy), "mean_test_score",
        "std_test_score", "rank_test_score", "mean_n_features". Scores are NaN where the machine
        could not be trained in some split.
    best_index_ : int
        Place of the chosen candidate in `cv_results_`. With the one-standard-error rule its rank
        may be above one.
    best_score_ : float
        Its mean balanced accuracy. It took part in the choice, and so is optimistic; for an honest
        error, cross-validate this estimator as a whole.
    estimator_ : SupportFeatureMachine or UnionFeatureMachine
        The machine of the chosen C, trained on all samples.
    coef_, intercept_, support_, supports_, classes_, n_iter_, result_, results_
        As for :class:`~fewest.SupportFeatureMachine`, of `estimator_`.
    n_splits_ : int
        Number of splits.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    fewest.SupportFeatureMachine : The machine for a given C.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.sfm_cv import SupportFeatureMachineCV
    >>> X, y = make_gaussian(n=200, d=1000, k=3, mu=1.0, random_state=0)
    >>> machine = SupportFeatureMachineCV().fit(X, y)
    >>> np.flatnonzero(machine.support_)
    array([0, 1, 2])
    """

    def __init__(
        self,
        Cs: ArrayLike | None = None,
        *,
        cv: Any = 5,
        n_Cs: int = 15,
        one_standard_error: bool = True,
        max_subsets: int = 1,
        include_hard: bool = True,
        class_weight: Any = "balanced",
        constraint: str = "class_means",
        standardize: bool = True,
        refit: str | None = "margin",
        max_iter: int = 20,
        tol: float = 1e-7,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.n_Cs = n_Cs
        self.one_standard_error = one_standard_error
        self.max_subsets = max_subsets
        self.include_hard = include_hard
        self.class_weight = class_weight
        self.constraint = constraint
        self.standardize = standardize
        self.refit = refit
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, groups: ArrayLike | None = None) -> Any:
        """Choose C by cross-validation and train the machine of that C on all samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type.
        y : array of shape (n_samples,)
            Class labels, two or more different ones.
        groups : array of shape (n_samples,), optional
            Samples of the same group are never on both sides of a split.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = validated(self, X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but y contains "
                f"only one class: {self._label(0)}"
            )
        splits = self._splits(X, y, codes, groups)
        tasks = self._unit_tasks(X, codes)
        Cs = self._candidates(tasks)
        judged = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._judge)(X, codes, train, test, Cs) for train, test in splits
        )
        self._choose(Cs, judged)
        self.estimator_ = self._machine(self.C_, self.n_subsets_).fit(X, y)
        for name in ("coef_", "intercept_", "support_", "supports_", "results_", "n_iter_"):
            setattr(self, name, getattr(self.estimator_, name))
        return self

    def _check_parameters(self) -> None:
        self._machine(1.0, 1)._check_parameters()
        check_count("n_Cs", self.n_Cs)
        check_count("max_subsets", self.max_subsets)
        check_choice("one_standard_error", self.one_standard_error, (True, False))
        check_choice("include_hard", self.include_hard, (True, False))
        if self.max_subsets > 1 and self.refit is None:
            raise ValueError("max_subsets above one needs refit='margin'")
        if self.Cs is not None:
            _checked_costs(self.Cs)

    def _machine(self, C: float, n_subsets: int) -> SupportFeatureMachine:
        common = {
            name: getattr(self, name)
            for name in ("class_weight", "constraint", "standardize", "refit", "max_iter", "tol")
        }
        common |= {"n_jobs": self.n_jobs, "verbose": self.verbose}
        if n_subsets == 1:
            return SupportFeatureMachine(C, **common)
        return UnionFeatureMachine(C, n_subsets=n_subsets, **common)

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self._machine(self.C_, self.n_subsets_)._solve(task)

    def _splits(
        self, X: Any, y: NDArray[Any], codes: NDArray[np.intp], groups: ArrayLike | None
    ) -> list[tuple[IndexArray, IndexArray]]:
        """Training and test samples; every training part has samples of every class."""
        if groups is not None:
            groups = column_or_1d(groups)
            if len(groups) != len(y):
                raise ValueError(
                    f"groups must name a group for each of the {len(y)} samples; got {len(groups)}"
                )
            if len(np.unique(groups)) < 2:
                raise ValueError("groups must hold at least two different groups")
        if isinstance(self.cv, Integral) and not isinstance(self.cv, bool):
            splitter = self._stratified(codes, groups)
        else:
            splitter = check_cv(self.cv, y, classifier=True)
        splits = [
            (_indices(train, len(y)), _indices(test, len(y)))
            for train, test in splitter.split(np.zeros(len(y)), y, groups)
        ]
        if not splits:
            raise ValueError("cv yields no split")
        for number, (train, test) in enumerate(splits):
            missing = np.setdiff1d(codes, codes[train])
            if len(missing):
                raise ValueError(
                    f"class {self._label(missing[0])} is too small for the split: there is no "
                    f"sample of it in the training part of split {number}. Use fewer folds, or "
                    "another splitter"
                )
            if not len(test):
                raise ValueError(f"the test part of split {number} is empty")
        return splits

    def _stratified(self, codes: NDArray[np.intp], groups: NDArray[Any] | None) -> Any:
        if self.cv < 2:
            raise ValueError(f"cv must be at least two folds, or a splitter; got {self.cv!r}")
        if groups is None:
            counts, unit = np.bincount(codes), "sample"
        else:
            numbers = range(len(self.classes_))
            counts = np.array([len(np.unique(groups[codes == k])) for k in numbers])
            unit = "group"
        smallest = int(np.argmin(counts))
        if counts[smallest] < 2:
            raise ValueError(
                f"class {self._label(smallest)} is too small for the split: it has 1 {unit}, and "
                "cross-validation needs at least two of every class"
            )
        settings = {"n_splits": min(int(self.cv), int(counts[smallest]))}
        if self.random_state is not None:
            settings |= {"shuffle": True, "random_state": self.random_state}
        return (StratifiedKFold if groups is None else StratifiedGroupKFold)(**settings)

    def _unit_tasks(self, X: Any, codes: NDArray[np.intp]) -> list[BinaryTask]:
        """One class against the rest, with the costs of C = 1."""
        columns = finite_columns(X, None, per_column=self.standardize)
        positives = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        machine = self._machine(1.0, 1)
        machine.classes_ = self.classes_
        return [machine._task(columns, codes, k, None) for k in positives]

    def _candidates(self, tasks: list[BinaryTask]) -> FloatArray:
        """Values of C in increasing order."""
        if self.Cs is not None:
            return _checked_costs(self.Cs)
        machine = self._machine(1.0, 1)
        ends = [_path_end(machine, task) for task in tasks]
        with_hard = self.include_hard and all(separable for _, separable in ends)
        room = self.n_Cs - with_hard
        values: list[float] = []
        if room:
            for task, (end, _) in zip(tasks, ends, strict=True):
                steps = _steps_of_path(machine, task, end)
                values += steps[:-1] if with_hard else steps  # at its end the path is hard
            values = _representative(sorted(set(values)), room)
        return np.array([*values, np.inf] if with_hard else values)

    def _judge(
        self,
        X: Any,
        codes: NDArray[np.intp],
        train: IndexArray,
        test: IndexArray,
        Cs: FloatArray,
    ) -> _Judgement:
        """Score and number of features of every candidate in one split."""
        tasks = self._unit_tasks(X[train], codes[train])
        columns, seen = tasks[0].columns, X[test]
        shape = (len(Cs), self.max_subsets)
        scores, sizes = np.full(shape, np.nan), np.full(shape, np.nan)
        failures: list[ValueError] = []
        paths = [self._along(task, Cs, failures) for task in tasks]
        for place, of_all_classes in enumerate(zip(*paths, strict=True)):
            if any(not machines for machines in of_all_classes):
                continue
            for r in range(self.max_subsets):
                chosen = [machines[min(r, len(machines) - 1)] for machines in of_all_classes]
                decided = _decisions(columns, chosen, seen)
                scores[place, r] = _balanced_accuracy(codes[test], decided)
                union = np.unique(np.concatenate([m.result.features for m in chosen]))
                sizes[place, r] = len(union)
        if self.verbose:
            print(
                f"[{type(self).__name__}] a split of {len(train)} + {len(test)} samples: balanced "
                f"accuracy {np.array2string(scores[:, 0], precision=2)}",
                flush=True,
            )
        return _Judgement(scores, sizes, failures)

    def _along(
        self, task: BinaryTask, Cs: FloatArray, failures: list[ValueError]
    ) -> list[list[Machine]]:
        """For every C the machines on one, two, ... subsets; none where there is no hyperplane."""
        unit = task.error_cost
        follower = _Follower(self._machine(1.0, 1), task)
        order = np.argsort(Cs, kind="stable")
        found: list[list[Machine]] = [[] for _ in Cs]
        for place in order:
            C = float(Cs[place])
            machine = self._machine(C, 1)
            machine.verbose = 0
            at_C = replace(task, error_cost=None if np.isinf(C) else C * unit)
            try:
                first = follower.machine_at(machine, at_C)
            except ValueError as error:  # of C = inf, or of outliers: another C may do
                failures.append(error)
                continue
            found[place] = unions(machine, at_C, first, self.max_subsets)
        return found

    def _choose(self, Cs: FloatArray, judged: list[_Judgement]) -> None:
        scores = np.array([one.scores for one in judged]).reshape(len(judged), -1)
        sizes = np.array([one.sizes for one in judged]).reshape(len(judged), -1).mean(axis=0)
        grid = [(float(C), r) for C in Cs for r in range(1, self.max_subsets + 1)]
        mean, std = scores.mean(axis=0), scores.std(axis=0)
        if np.all(np.isnan(mean)):
            reason = next(error for one in judged for error in one.failures)
            raise type(reason)(
                f"no candidate C could be trained in every split, for example because {reason}"
            ) from reason
        self.n_splits_ = len(judged)
        self.cv_results_ = {
            "param_C": np.array([C for C, _ in grid]),
            "param_n_subsets": np.array([r for _, r in grid]),
            "params": [{"C": C, "n_subsets": r} for C, r in grid],
            **{f"split{k}_test_score": row for k, row in enumerate(scores)},
            "mean_test_score": mean,
            "std_test_score": std,
            "rank_test_score": rankdata(
                np.where(np.isnan(mean), np.inf, -mean.round(12)), method="min"
            ).astype(np.int32),
            "mean_n_features": sizes,
        }
        self.best_index_ = _best(mean, std, sizes, self.n_splits_, self.one_standard_error)
        self.best_score_ = float(mean[self.best_index_])
        self.C_, self.n_subsets_ = grid[self.best_index_]
        if self.verbose:
            print(
                f"[{type(self).__name__}] C = {self.C_:.3g}, {self.n_subsets_} subset(s): balanced "
                f"accuracy {self.best_score_:.3f} with {sizes[self.best_index_]:.1f} features",
                flush=True,
            )


@dataclass(frozen=True, eq=False)
class _Judgement:
    """Balanced accuracy and number of features; a row a C, a column a number of subsets."""

    scores: FloatArray
    sizes: FloatArray
    failures: list[ValueError]


class _Follower:
    """Machines for growing C on one task, whose first programs follow one another."""

    def __init__(self, machine: SupportFeatureMachine, task: BinaryTask) -> None:
        self._unit_cost = _unit_cost(task)
        self._solver = PathSolver(_problem(machine, task), task.columns, tol=machine.tol)
        self._last: Result | None = None

    def machine_at(self, machine: SupportFeatureMachine, task: BinaryTask) -> Machine:
        """What `machine` makes of the task, from the first program of its C."""
        first = None
        low, high = machine.C * self._unit_cost.min(), machine.C * self._unit_cost.max()
        if low >= SMALLEST_SLACK_COST and high <= _NEARLY_HARD:
            first = self._solver.solve_at(machine.C)
            self._last = first
        follower = _FollowingMachine(**machine.get_params())
        follower.first = first if first is not None and first.status is Status.OPTIMAL else None
        follower.warm = None if self._last is None else self._last.warm
        return follower._fit_one(task)[0]


class _FollowingMachine(SupportFeatureMachine):
    """A machine whose first program is solved already, or may start from another one."""

    first: Result | None = None
    warm: WarmStart | None = None

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return self.solve_from(task, first=self.first, warm=self.warm)


def _unit_cost(task: BinaryTask) -> FloatArray:
    """Slack costs of the first program for C = 1."""
    return task.error_cost / np.sqrt(task.columns.n_usable)


def _problem(machine: SupportFeatureMachine, task: BinaryTask) -> Problem:
    """The first program for C = 1."""
    return machine.first_problem(task).with_slack_cost(_unit_cost(task))


def _path_end(machine: SupportFeatureMachine, task: BinaryTask) -> tuple[float, bool]:
    """The C from which on the first program is that of the hard machine; whether there is one."""
    hard = solve(machine.first_problem(task).with_slack_cost(None), task.columns, tol=machine.tol)
    separable = hard.status is Status.OPTIMAL
    if separable:
        return float((hard.alpha / _unit_cost(task)).max()), True
    # No set of features is worth more than that many features an error.
    return float(min(task.columns.n_samples, task.columns.n_features)), False


def _steps_of_path(machine: SupportFeatureMachine, task: BinaryTask, end: float) -> list[float]:
    """A C for every number of features of the first program, between the two ends of the path."""
    unit = _unit_cost(task)
    start = min(_LEAST_COST, _LEAST_TOTAL_COST / task.error_cost.sum())
    end = min(end, _NEARLY_HARD / unit.max())
    if end > 0.0:
        start = min(start, end / 10)
    start = max(start, SMALLEST_SLACK_COST / unit.min())
    if end <= start:  # the first program is the hard one for any C
        return [start, start]
    solver = PathSolver(_problem(machine, task), task.columns, tol=machine.tol)
    try:
        path = exact_path(solver, start, end, max_solutions=_PATH_SOLUTIONS)
    except ValueError:  # a program that closed badly: any values between the ends do
        return np.geomspace(start, end, 2 * machine.max_iter).tolist()
    return [start, *sorted(_middles(path)), end]


def _middles(path: ExactPath) -> list[float]:
    """The middle of the widest piece of the path for every number of features."""
    edges = np.array([path.low, *path.breakpoints, path.high])
    widths = np.log(edges[1:] / edges[:-1])
    widest: dict[int, int] = {}
    for piece, result in enumerate(path.results):
        size = result.n_features
        if size not in widest or widths[piece] > widths[widest[size]]:
            widest[size] = piece
    return [float(np.sqrt(edges[piece] * edges[piece + 1])) for piece in widest.values()]


def _representative(values: list[float], count: int) -> list[float]:
    """`count` values that are evenly spread over the order of the given ones, the ends included.

    Where these are too few, the widest gaps are halved: the reweighting loop has C in it, too, and
    may give different features where the first program is the same.
    """
    if len(values) >= count:
        places = np.unique(np.linspace(0, len(values) - 1, count).round().astype(int))
        return [values[place] for place in places]
    chosen = list(values)
    while 1 < len(chosen) < count:
        gaps = np.diff(np.log(chosen))
        place = int(np.argmax(gaps))
        if gaps[place] < _NARROW_GAP:
            break
        chosen.insert(place + 1, float(np.sqrt(chosen[place] * chosen[place + 1])))
    return chosen


def _best(
    mean: FloatArray, std: FloatArray, sizes: FloatArray, n_splits: int, one_standard_error: bool
) -> int:
    """The best candidate, or the smallest one that is not clearly worse."""
    # A machine without any feature only guesses; it is chosen if there is no other.
    if np.any(sizes >= 1.0):
        mean = np.where(sizes >= 1.0, mean, np.nan)
    top = int(np.nanargmax(mean))
    error = std[top] / np.sqrt(max(1, n_splits - 1)) if one_standard_error else 0.0
    with np.errstate(invalid="ignore"):
        good = np.flatnonzero(mean >= mean[top] - error - 1e-12)
    # Of equally small ones the better, then the one with the smaller C.
    order = np.lexsort((good, -mean[good].round(12), sizes[good].round(12)))
    return int(good[order[0]])


def _decisions(columns: Columns, machines: list[Machine], X: Any) -> NDArray[np.intp]:
    """Code of the class of every sample of X; `columns` knows how to standardise them."""
    fresh = Columns(X, columns.mean, columns.inverse_scale)
    scores = np.column_stack([fresh.take(m.result.features) @ m.w + m.b for m in machines])
    if len(machines) == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return scores.argmax(axis=1)


def _balanced_accuracy(truth: NDArray[np.intp], decided: NDArray[np.intp]) -> float:
    """Mean over the classes at hand of the share of their samples that are recognised."""
    return float(np.mean([np.mean(decided[truth == k] == k) for k in np.unique(truth)]))


def _indices(part: Any, n: int) -> IndexArray:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def _checked_costs(Cs: ArrayLike) -> FloatArray:
    values = np.atleast_1d(np.asarray(Cs, dtype=np.float64))
    if values.ndim != 1 or not len(values):
        raise ValueError("Cs must be a sequence of at least one cost")
    for value in values.tolist():
        check_positive("every one of Cs", value, infinity="for the hard machine")
    return values
