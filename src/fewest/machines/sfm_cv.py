"""The Support Feature Machine with C, and the number of feature subsets, from cross-validation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import (
    Abilities,
    SearchedCosts,
    Selection,
)
from fewest._estimators.best import BestMachine
from fewest._estimators.rules import RULE_NAMES, RuleParameters
from fewest._estimators.splits import Split, split_folds, summarize_splits
from fewest._estimators.tasks import BinaryTask, Hyperplane
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_data,
    check_flag,
    check_list,
    encode_classes,
    standardize_columns,
)
from fewest._run.progress import run_in_threads
from fewest._solvers.columns import Columns, as_matrix
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._types import FloatArray, IndexArray
from fewest.machines._choice import (
    Judgement,
    Trial,
    choose_fewest_of_the_best,
    find_temperature_of,
    measure_log_losses,
)
from fewest.machines._sfm_costs import find_candidate_costs, follow_costs
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.union import UnionFeatureMachine

__all__ = ["SupportFeatureMachineCV"]

# Parameters that the machines of all candidates share with the search.
_SHARED = (
    *RULE_NAMES,
    "class_weight",
    "constraint",
    "reweight",
    "scale_samples",
    "multi_class",
    "standardize",
    "refit",
    "max_iter",
    "tol",
    "n_jobs",
)
_OF_THE_DATA = ("classes_", "n_features_in_", "feature_names_in_")


@dataclass(eq=False, repr=False)
class SupportFeatureMachineCV(RuleParameters, BestMachine, BaseEstimator):
    r"""Support Feature Machine that chooses C, hard or soft, by cross-validation.

    For every candidate C the machine

    .. math::

        \min \; \|w\|_0 + D \sum_i C_i \xi_i
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge -\xi_i, \; \xi_i \ge 0, \;
        w^\top (\mu^+ - \mu^-) = \pm 1,

    (D = 2, see :class:`~fewest.SupportFeatureMachine`) is trained on the training part of every
    split and judged on the test part. The candidates are
    not a fixed grid: they lie between the ends of the path over C, where one feature is left and
    where the first linear program is that of the hard machine, which is itself a candidate. In
    every split one program is followed along C, so a candidate costs only the few small programs of
    the reweighting loop. The machine with the chosen C is then trained on all samples.

    Few samples give only a rough error rate: with 12 samples in a test part, a single sample can
    decide. The default criterion is therefore the logistic loss of the held-out decisions, with
    equal weight for every class. It also measures how far a sample is on the right or wrong side.
    Since a small C makes small decision values, they are multiplied by the factor that suits a
    candidate best, but not by less than one. On wide data this chooses better than the balanced
    error itself (``benchmarks.real_data``).

    Parameters
    ----------
    Cs : array of shape (n_candidates,) or None, default=None
        Candidates for C; ``np.inf`` is the hard machine. None takes them from the path
        of the first program on all samples given to `fit`.
    cv : int, splitter or iterable of (train, test), default=5
        A number stands for that many stratified folds (whole groups if `groups` are given to
        `fit`), or, with a warning, for as many as the smallest class has samples (or groups).
    n_Cs : int, default=5
        Number of candidates between the ends of the path, including the hard machine. With few
        samples, more candidates do not improve the choice.
    criterion : {"log_loss", "balanced_error"}, default="log_loss"
        What the choice minimises: the balanced logistic loss, or the balanced error rate.
    one_standard_error : bool, default=True
        Choose the candidate with the fewest features (on average over the splits) among those that
        are worse than the best one by at most one standard error of the difference; otherwise the
        best one. The splits are the same for all, so differences are paired.
    n_subsets : int, default=2
        Above one, the unions of the first 2, ..., `n_subsets` disjoint subsets of features (train,
        set the features aside, train again) are candidates too, with the largest margin on them.
        Each costs a program over all features for every split and C. Not with ``refit=None``.
    include_hard : bool, default=True
        Let the hard machine be a candidate if the classes are separable. Has no effect if `Cs`
        are given.
    class_weight, constraint, reweight, scale_samples, multi_class, standardize
        As for :class:`~fewest.SupportFeatureMachine`.
    include, exclude, feature_cost, feature_groups, one_per_group, signs
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`.
    refit, max_iter, tol
        The same.
    random_state : int, RandomState or None, default=None
        Shuffles the samples before they are divided into a number of folds. None keeps their
        order, so every fit gives the same answer.
    n_jobs : int, default=None
        Number of splits processed at the same time (threads), as in joblib.
    verbose : int, default=0
        1 shows a progress bar, if tqdm is installed; 2 also prints a line for every split and for
        the choice.

    Attributes
    ----------
    C_ : float
        The cost of `best_estimator_`; infinite for the hard machine. It is the chosen C of
        `cv_results_`, times the share of the samples that each split was trained on: the errors
        of all samples together then count as much as they did there.
    n_subsets_ : int
        The chosen number of disjoint subsets.
    cv_results_ : dict of arrays
        A value for every candidate, in scikit-learn's form: "param_C", "param_n_subsets",
        "params", "mean_n_features"; "split0_test_score" and so on, "mean_test_score",
        "std_test_score", "rank_test_score" for the balanced accuracy, and the same with "log_loss"
        instead of "score". NaN where the machine could not be trained in some split.
    best_index_ : int
        Place of the chosen candidate in `cv_results_`. With the one-standard-error rule its rank
        may be above one.
    best_score_ : float
        Its mean balanced accuracy. It took part in the choice, so it is optimistic; for an honest
        error, cross-validate this estimator as a whole.
    best_estimator_ : SupportFeatureMachine or UnionFeatureMachine
        The machine of the chosen C, trained on all samples.
    coef_, standardized_coef_, intercept_, support_, supports_, classes_, n_iter_, result_, results_
        As for :class:`~fewest.SupportFeatureMachine`, of `best_estimator_`.
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
    >>> from fewest import SupportFeatureMachineCV
    >>> X, y = make_gaussian(n=200, d=1000, k=3, mu=1.0, random_state=1)
    >>> machine = SupportFeatureMachineCV().fit(X, y)
    >>> np.flatnonzero(machine.support_)
    array([0, 1, 2])
    """

    Cs: ArrayLike | None = None
    _: KW_ONLY
    cv: Any = 5
    n_Cs: int = 5  # noqa: N815 (C is the field's own name)
    criterion: str = "log_loss"
    one_standard_error: bool = True
    n_subsets: int = 2
    include_hard: bool = True
    class_weight: Any = "balanced"
    constraint: str = "class_means"
    reweight: str = "features"
    scale_samples: bool = True
    standardize: bool = True
    multi_class: str = "joint"
    refit: str | None = "margin"
    max_iter: int = 20
    tol: float = 1e-7
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def fit(
        self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None
    ) -> SupportFeatureMachineCV:
        """Choose C by cross-validation and train the machine of that C on all samples.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Store or AnnData of shape (n_samples, n_features)
            Numbers of any type.
        y : array of shape (n_samples,) or str
            Class labels, two or more different ones. If X is an AnnData object: the column of
            `obs` that holds them; cells without a label are left out, with a warning.
        groups : array of shape (n_samples,), optional
            Samples of the same group are never on both sides of a split.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        self.classes_, codes = encode_classes(type(self).__name__, y)
        splits = split_folds(self.cv, y, groups, random_state=self.random_state)
        columns = standardize_columns(X, per_column=self.standardize, codes=codes)
        machine = self._make_machine(1.0)
        Cs = self._find_candidates(machine, machine._class_tasks(columns, codes))
        jobs = [(machine, X, codes, split, Cs) for split in splits]
        judged = run_in_threads(
            self._judge, jobs, self.n_jobs, self.verbose, "choice of C", "split"
        )
        self._choose(Cs, judged)
        # The errors of more samples cost more features: as much in all as in the splits.
        self.C_ *= float(np.mean([len(train) for train, _ in splits])) / len(codes)
        best = self._make_machine(self.C_, self.n_subsets_)
        self._keep_best(best._fit_columns(columns, codes))
        best.temperature_ = find_temperature_of(judged, self.best_index_)
        return self

    @property
    def result_(self) -> ZeroNormResult:
        """Solution and certificates of a two-class fit, those of `best_estimator_`."""
        check_is_fitted(self)
        return self.best_estimator_.result_

    def _abilities(self) -> Abilities:
        return Abilities(
            "Support Feature Machine, C by cross-validation",
            splits_samples=True,
            predicts_from_support=True,
            joins_classes=self.multi_class == "joint",
            reads_blocks=True,
            effort=20.0,
        )

    def _selection(self) -> Selection:
        chosen = {"C": self.C_, "n_subsets": self.n_subsets_}
        return replace(self.best_estimator_._selection(), chosen=chosen)

    def _searched_costs(self) -> SearchedCosts:
        """Those of the chosen number of subsets."""
        table = self.cv_results_
        known = np.isfinite(table["mean_test_score"])
        places = np.flatnonzero(known & (table["param_n_subsets"] == self.n_subsets_))
        return SearchedCosts(
            table["param_C"][places].astype(np.float64),
            1.0 - table["mean_test_score"][places],
            table["mean_n_features"][places],
            places.tolist().index(self.best_index_),
        )

    def _check_parameters(self) -> None:
        self._make_machine(1.0)._check_parameters()
        check_count("n_Cs", self.n_Cs)
        check_count("n_subsets", self.n_subsets)
        check_choice("criterion", self.criterion, ("log_loss", "balanced_error"))
        check_flag("one_standard_error", self.one_standard_error)
        check_flag("include_hard", self.include_hard)
        if self.Cs is not None:
            check_list("Cs", self.Cs, infinity="for the hard machine")

    def _make_machine(self, C: float, n_subsets: int = 1) -> SupportFeatureMachine:
        shared = {name: getattr(self, name) for name in _SHARED}
        shared["verbose"] = max(0, self.verbose - 1)
        machine = SupportFeatureMachine(C, **shared)
        if n_subsets > 1:
            shared["multi_class"] = "separate"
            machine = UnionFeatureMachine(C, n_subsets=n_subsets, **shared)
        for name in _OF_THE_DATA:
            if name in vars(self):
                setattr(machine, name, getattr(self, name))
        return machine

    def _find_candidates(
        self, machine: SupportFeatureMachine, tasks: list[BinaryTask]
    ) -> FloatArray:
        """Values of C; the tasks have the costs of C = 1."""
        if self.Cs is not None:
            return check_list("Cs", self.Cs, infinity="for the hard machine")
        return find_candidate_costs(machine, tasks, self.n_Cs, include_hard=self.include_hard)

    def _judge(
        self,
        machine: SupportFeatureMachine,
        X: Any,
        codes: IndexArray,
        split: Split,
        Cs: FloatArray,
    ) -> Judgement:
        """What every candidate decides on the test part of one split."""
        train, test = split
        columns = standardize_columns(as_matrix(X).rows(train), per_column=self.standardize)
        seen = Columns(as_matrix(X).rows(test), columns.mean, columns.inverse_scale)
        failures: list[ValueError] = []
        if machine._is_joint(len(self.classes_)):
            return self._judge_jointly(columns, seen, codes, split, Cs)
        paths = [
            follow_costs(machine, task, Cs, self._most_subsets, failures)
            for task in machine._class_tasks(columns, codes[train])
        ]
        trials = [
            _try(seen, [planes[min(r, len(planes) - 1)] for planes in of_all_classes])
            if all(of_all_classes)
            else None
            for of_all_classes in zip(*paths, strict=True)
            for r in range(self._most_subsets)
        ]
        judgement = Judgement(codes[test], trials, failures)
        if self.verbose > 1:
            print(
                f"[{type(self).__name__}] a split of {len(train)} + {len(test)} samples: balanced "
                f"accuracy {np.array2string(judgement.scores, precision=2)}",
                flush=True,
            )
        return judgement

    def _judge_jointly(
        self, columns: Columns, seen: Columns, codes: IndexArray, split: Split, Cs: FloatArray
    ) -> Judgement:
        """The same with one program for all classes."""
        train, test = split
        trials: list[Trial | None] = []
        failures: list[ValueError] = []
        for C in Cs:
            machine = self._make_machine(float(C))
            try:
                machine._fit_columns(columns, codes[train])
            except ValueError as error:
                failures.append(error)
                trials.append(None)
                continue
            features = np.flatnonzero(machine.support_)
            raw = seen.take(features) / seen.inverse_scale[features] + seen.mean[features]
            scores = raw @ machine.coef_[:, features].T + machine.intercept_
            trials.append(Trial(scores, len(features)))
        return Judgement(codes[test], trials, failures)

    @property
    def _most_subsets(self) -> int:
        """Without a margin refit, or with one program for all classes, there are no unions."""
        joint = self.multi_class == "joint" and len(self.classes_) > 2
        return 1 if self.refit is None or joint else self.n_subsets

    def _choose(self, Cs: FloatArray, judged: list[Judgement]) -> None:
        grid = [(float(C), r) for C in Cs for r in range(1, self._most_subsets + 1)]
        scores = np.array([one.scores for one in judged])
        losses = measure_log_losses(judged)
        sizes = np.mean([one.sizes for one in judged], axis=0)
        if np.all(np.isnan(sizes)):
            reason = next(error for one in judged for error in one.failures)
            raise type(reason)(
                f"no candidate C could be trained in every split, for example because {reason}"
            ) from reason
        self.n_splits_ = len(judged)
        self.cv_results_ = {
            "param_C": np.array([C for C, _ in grid]),
            "param_n_subsets": np.array([r for _, r in grid]),
            "params": [{"C": C, "n_subsets": r} for C, r in grid],
            **summarize_splits("score", scores, scores.mean(axis=0)),
            **summarize_splits("log_loss", losses, losses.mean(axis=0), best="smallest"),
            "mean_n_features": sizes,
        }
        loss = losses if self.criterion == "log_loss" else 1.0 - scores
        self.best_index_ = choose_fewest_of_the_best(loss, sizes, self.one_standard_error)
        self.best_score_ = float(scores.mean(axis=0)[self.best_index_])
        self.C_, self.n_subsets_ = grid[self.best_index_]
        if self.verbose > 1:
            print(
                f"[{type(self).__name__}] C = {self.C_:.3g}, {self.n_subsets_} subset(s): balanced "
                f"accuracy {self.best_score_:.3f} with {sizes[self.best_index_]:.1f} features",
                flush=True,
            )


def _try(columns: Columns, planes: list[Hyperplane]) -> Trial:
    """What hyperplanes, one per class, make of the samples of `columns`."""
    decisions = [columns.project(plane.result.features, plane.w) + plane.b for plane in planes]
    features = np.concatenate([plane.result.features for plane in planes])
    return Trial(np.column_stack(decisions), len(np.unique(features)))
