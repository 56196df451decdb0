"""Feature selection with the Potential Support Vector Machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fewest._estimators.abilities import Abilities, Selector
from fewest._estimators.annotated import keep_genes, read_targets
from fewest._estimators.rules import RuleParameters, Rules, check_room
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_not_negative,
    check_positive,
    check_share,
    check_usual_parameters,
)
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray, IndexArray
from fewest.psvm._relations import (
    check_scale,
    measure_importance,
    scale_relations,
    warn_of_constant_columns,
    warn_of_doubtful,
)
from fewest.psvm.path import TASKS, Solutions, TargetLasso, make_targets

__all__ = ["PotentialSelector"]

_USUAL_COUNT = 10


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Shown):
    """Outcome of repeated selection.

    Attributes
    ----------
    frequency : array of shape (n_features,)
        Share of the runs that select a feature.
    strength : array of shape (n_features,)
        Mean over all runs of its absolute weight, relative to the run's largest one.
    n_selected : array of shape (n_runs,), int
        How many features each run selects.
    """

    frequency: FloatArray
    strength: FloatArray
    n_selected: NDArray[np.intp]

    @property
    def ranking(self) -> IndexArray:
        """Features that any run selects: the most frequent first; ties go to the strongest."""
        order = np.lexsort([-self.strength, -self.frequency])
        return order[self.frequency[order] > 0]


def repeat_selection(
    select: Callable[[IndexArray], FloatArray],
    strata: NDArray[np.intp],
    n_features: int,
    n_runs: int,
    subsample: float,
    rng: np.random.RandomState,
) -> Stability:
    """Select on random subsamples that hold the same share of every stratum.

    Parameters
    ----------
    select : callable
        Takes numbers of samples, returns the absolute weight of every feature, zero for those that
        it does not select.
    strata : array of shape (n_samples,), int
        The class of each sample; all zero for a regression.
    n_features, n_runs : int
        How many features there are, and how many runs are wanted.
    subsample : float
        Share of the samples, in (0, 1).
    rng : RandomState
        Source of the subsamples.

    Returns
    -------
    Stability
    """
    frequency, strength = np.zeros(n_features), np.zeros(n_features)
    n_selected = np.zeros(n_runs, dtype=np.intp)
    for run in range(n_runs):
        weights = select(_draw(strata, subsample, rng))
        frequency += weights > 0
        strength += weights / max(weights.max(), np.finfo(np.float64).tiny)
        n_selected[run] = np.count_nonzero(weights)
    return Stability(frequency / n_runs, strength / n_runs, n_selected)


def _draw(strata: NDArray[np.intp], subsample: float, rng: np.random.RandomState) -> IndexArray:
    """At least one sample of every stratum, and two in all."""
    members = [np.flatnonzero(strata == one) for one in np.unique(strata)]
    least = 1 if len(members) > 1 else 2
    kept = [rng.permutation(rows)[: max(least, round(subsample * len(rows)))] for rows in members]
    return np.sort(np.concatenate(kept))


@dataclass(eq=False, repr=False)
class PotentialSelector(RuleParameters, Selector, BaseEstimator):
    r"""Select features by the weights of the Potential Support Vector Machine.

    X is the matrix of relations itself, one column per feature; with columns centred and
    of unit length it minimises

    .. math::

        \tfrac12 \| X \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C,

    and ranks the features by :math:`|\alpha_j|`, which bounds the loss if the feature is removed.
    Redundant features get little weight or none.

    Parameters
    ----------
    n_features : int, default=None
        Select this many: epsilon decreases along a path until this many features have a weight,
        and the largest weights are chosen. With `epsilon`: the largest weights at that epsilon.
    epsilon : float, default=None
        Correlation threshold; all features with a weight are selected. If neither is given, 10
        features are selected (or all, if there are fewer).
    C : float, default=np.inf
        Largest absolute weight.
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "auto" treats numbers with decimals as a regression, and everything else as
        classes. With more than two classes, each is compared with the rest, and the largest
        absolute weight of a feature counts.
    scale : {"unit length", "unit variance"}, default="unit length"
        What centred columns are scaled to, see :class:`~fewest.PotentialSVC`; epsilon, C and
        `coef_` depend on it, the selected features do not.
    n_runs : int, default=0
        Above zero, the number of runs on random subsamples; features are ranked
        by the share of runs that select them, and in case of ties by their mean weight. With
        `epsilon` only, features that at least half of the runs select are selected.
    subsample : float, default=0.75
        Share of the samples in a run, the same of every class.
    tol, max_iter
        As for :class:`~fewest.PotentialSVC`.
    random_state : int, RandomState or None, default=None
        Source of the subsamples.
    include, exclude, feature_cost
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`. Included features count
        among `n_features` and come first in the ranking; the price of a feature, divided by the
        median price, multiplies its epsilon.
    feature_groups, one_per_group, signs
        Not for this program.

    Attributes
    ----------
    ranking_ : array of shape (n_ranked,), int
        Features with a weight, the most important first.
    support_ : array of shape (n_features_in_,), bool
        The selected features.
    coef_ : array of shape (n_tasks, n_features_in_)
        The weights alpha on all samples, for centred columns of unit length (see `scale`).
    importance_ : array of shape (n_tasks, n_features_in_)
        Increase of the mean of half the squared residuals if a feature is removed and all
        other weights stay the same: :math:`(\epsilon |\alpha_j| + \alpha_j^2 \|X_j\|^2 / 2) / L`
        for L samples (eqs. 42, 43 of the report), and more for weights of C.
    epsilon_ : float
        The epsilon of `coef_`.
    stability_ : Stability or None
        Frequency and strength of every feature over the runs, if there were any.
    results_ : tuple of BoxLassoResult
        Solution and certificate of each task on all samples.
    n_iter_ : int
        Passes of the solver over the matrix at `epsilon_` (the most of any task).
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    References
    ----------
    S. Hochreiter, K. Obermayer: Classification, regression, and feature selection on matrix data.
    Technical report 2004/02, TU Berlin (2004), sec. 2.4.6.

    Examples
    --------
    >>> from fewest import PotentialSelector
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=100, d=2000, k=3, mu=1.0, random_state=0)  # 0, 1 and 2 differ
    >>> PotentialSelector(n_features=3).fit(X, y).get_support(indices=True)
    array([0, 1, 2])

    How often they are found on three quarters of the samples:

    >>> selector = PotentialSelector(n_features=3, n_runs=10, random_state=0).fit(X, y)
    >>> selector.stability_.frequency[:3]
    array([1., 1., 1.])
    """

    n_features: int | None = None
    _: KW_ONLY
    epsilon: float | None = None
    C: float = np.inf
    task: str = "auto"
    scale: str = "unit length"
    n_runs: int = 0
    subsample: float = 0.75
    tol: float = 1e-6
    max_iter: int = 500
    random_state: Any = None

    _kept_rules = ("include", "exclude", "feature_cost")

    def fit(self, X: Any, y: ArrayLike) -> PotentialSelector:
        """Rank and select the features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            One column per feature.
        y : array of shape (n_samples,)
            Classes or numbers, see `task`.

        Returns
        -------
        self
            The fitted selector.
        """
        self._check_parameters()
        X, y, genes = read_targets(X, y)
        check_sparse(X, "X")
        X, y = validate_data(
            self, X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric", ensure_min_samples=2
        )
        keep_genes(self, genes)
        targets = make_targets(np.asarray(y), self.task)
        rules = self._read_rules(X.shape[1])
        wanted = self._count_wanted(X.shape[1], rules)
        columns = scale_relations(X, self.scale)
        warn_of_constant_columns(columns)
        columns = columns if rules is None else rules.narrow(columns)
        self.epsilon_, self.results_ = self._solve(columns, targets, wanted, rules)
        warn_of_doubtful(self.results_)
        self.n_iter_ = max(result.n_iter for result in self.results_)
        self.coef_ = np.array([result.alpha for result in self.results_])
        self.importance_ = np.array(
            [
                measure_importance(columns, one.alpha, one.residual, self.scale)
                for one in self.results_
            ]
        )
        self.stability_ = self._repeat(X, targets, wanted, rules) if self.n_runs else None
        if self.stability_ is not None:
            self.ranking_ = self.stability_.ranking
            is_usual = self.stability_.frequency >= 0.5
        else:
            weights = np.abs(self.coef_).max(axis=0)
            order = np.argsort(-weights, kind="stable")
            self.ranking_ = order[weights[order] > 0]
            is_usual = weights > 0
        if rules is not None:
            others = self.ranking_[~rules.included[self.ranking_]]
            self.ranking_ = np.concatenate([np.flatnonzero(rules.included), others])
            is_usual = is_usual | rules.included
        usual = int(np.count_nonzero(is_usual))
        self.support_ = np.zeros(columns.n_features, dtype=bool)
        self.support_[self.ranking_[: usual if wanted is None else wanted]] = True
        found = int(self.support_.sum())
        if wanted is not None and found < wanted:
            warnings.warn(
                f"only {found} feature(s) have a weight, although {wanted} were asked for: fewer "
                "samples than features allow no more, and constant or repeated features get none",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _abilities(self) -> Abilities:
        return Abilities("Potential SVM selector", classifies=False, has_scores=False)

    def _check_parameters(self) -> None:
        check_usual_parameters(self)
        self._check_rules()
        check_count("n_features", self.n_features, or_none=True)
        if self.epsilon is not None:
            check_not_negative("epsilon", self.epsilon)
        check_positive("C", self.C, infinity="for no bound")
        check_choice("task", self.task, TASKS)
        check_scale(self.scale)
        if self.n_runs != 0:
            check_count("n_runs", self.n_runs)
        check_share("subsample", self.subsample, strictly=True)

    def _count_wanted(self, n_columns: int, rules: Rules | None) -> int | None:
        """How many features are asked for; None where epsilon alone decides."""
        if self.n_features is None and self.epsilon is None:
            n_forced = 0 if rules is None else rules.n_included
            return max(n_forced, min(_USUAL_COUNT, n_columns))
        if self.n_features is not None:
            check_room(rules, self.n_features, "n_features")
        if self.n_features is not None and self.n_features > n_columns:
            raise ValueError(f"n_features={self.n_features}, but X has only {n_columns} feature(s)")
        return self.n_features

    def _solve(
        self, columns: Columns, targets: FloatArray, wanted: int | None, rules: Rules | None
    ) -> tuple[float, Solutions]:
        lasso = TargetLasso(columns, targets, self.C, self.tol, self.max_iter, rules)
        if self.epsilon is not None:
            return float(self.epsilon), lasso.solve(self.epsilon)
        assert wanted is not None
        return lasso.solve_for_count(wanted)

    def _repeat(
        self, X: Any, targets: FloatArray, wanted: int | None, rules: Rules | None
    ) -> Stability:
        forced = np.zeros(X.shape[1], dtype=bool) if rules is None else rules.included

        def select(rows: IndexArray) -> FloatArray:
            """Largest absolute weight of every feature that a run on these samples selects."""
            columns = scale_relations(X[rows], self.scale)
            columns = columns if rules is None else rules.narrow(columns)
            _, results = self._solve(columns, targets[:, rows], wanted, rules)
            weights = np.abs([result.alpha for result in results]).max(axis=0)
            if wanted is not None:
                weights[np.lexsort((-weights, ~forced))[wanted:]] = 0.0
            return weights

        classes = np.unique(targets, axis=1, return_inverse=True)[1].ravel()
        if len(np.unique(classes)) > len(targets) + 1:  # numbers
            classes = np.zeros(X.shape[0], dtype=np.intp)
        rng = check_random_state(self.random_state)
        return repeat_selection(select, classes, X.shape[1], self.n_runs, self.subsample, rng)
