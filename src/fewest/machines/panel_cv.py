"""The number of features by cross-validation: errors against panel sizes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import (
    Abilities,
    Selection,
    abilities_of,
    feature_names_of,
)
from fewest._estimators.best import BestMachine
from fewest._estimators.joint import JointClassifier
from fewest._estimators.splits import Split, split_folds, summarize_splits
from fewest._estimators.validation import (
    check_choice,
    check_data,
    check_flag,
    encode_classes,
    standardize_columns,
)
from fewest._run.progress import run_in_threads
from fewest._showing import Shown
from fewest._solvers.columns import Columns, as_matrix
from fewest._types import FloatArray, IndexArray
from fewest.machines._choice import (
    Judgement,
    Trial,
    choose_fewest_of_the_best,
    find_temperature_of,
    measure_log_losses,
)
from fewest.machines.sfm import SupportFeatureMachine

__all__ = ["PanelFront", "PanelSizeCV"]

_MOST_SIZES = 20
_OF_THE_DATA = ("classes_", "n_features_in_", "feature_names_in_")
# The table names so many features of a panel.
_NAMED = 6


@dataclass(frozen=True, eq=False, repr=False)
class PanelFront(Shown):
    """Held-out errors against the number of features.

    Attributes
    ----------
    sizes : array of shape (n_sizes,)
        The numbers of features, in ascending order.
    errors : array of shape (n_splits, n_sizes)
        Balanced error on the test part of every split; features were chosen in its training part.
    chosen : int
        Place of the chosen size.
    panels : tuple of arrays
        For every size, the columns that are chosen with all samples.
    names : array of shape (n_features,) or None
        Names of all features.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import PanelFront
    >>> errors = np.array([[0.2, 0.1], [0.3, 0.1]])
    >>> print(PanelFront(np.array([1, 2]), errors, 1, (np.array([4]), np.array([4, 7]))))
       k  balanced error  +- s. e.  features
       1           0.250     0.050  4
    >  2           0.100     0.000  4, 7
    """

    sizes: IndexArray
    errors: FloatArray
    chosen: int
    panels: tuple[IndexArray, ...]
    names: NDArray[Any] | None = None

    @property
    def mean_errors(self) -> FloatArray:
        """Mean of every size over the splits."""
        return np.asarray(self.errors.mean(axis=0))

    @property
    def standard_errors(self) -> FloatArray:
        """Standard error of every mean, as if splits were independent; NaN for a single split."""
        n_splits = len(self.errors)
        if n_splits < 2:
            return np.full(len(self.sizes), np.nan)
        return np.asarray(self.errors.std(axis=0, ddof=1) / np.sqrt(n_splits))

    @property
    def size(self) -> int:
        """The chosen number of features."""
        return int(self.sizes[self.chosen])

    def __str__(self) -> str:
        lines = [f"{'k':>4}{'balanced error':>16}{'+- s. e.':>10}  features"]
        rows = zip(self.sizes, self.mean_errors, self.standard_errors, self.panels, strict=True)
        for place, (size, error, spread, panel) in enumerate(rows):
            mark = ">" if place == self.chosen else " "
            lines.append(f"{mark}{size:>3}{error:>16.3f}{spread:>10.3f}  {self._list(panel)}")
        return "\n".join(lines)

    def _list(self, panel: IndexArray) -> str:
        shown = panel[:_NAMED] if self.names is None else self.names[panel[:_NAMED]]
        more = f" and {len(panel) - _NAMED} more" if len(panel) > _NAMED else ""
        return ", ".join(str(one) for one in shown) + more


@dataclass(eq=False, repr=False)
class PanelSizeCV(BestMachine, BaseEstimator):
    """A machine with at most k features that chooses k by cross-validation.

    In every split, panels of all sizes are chosen in the training part (see `max_features` of
    :class:`~fewest.SupportFeatureMachine`) and judged on the test part. The first program and the
    products of columns, which they share, are computed once per split. The smallest size that is
    within one standard error of the best one is used, and its panel is chosen on all samples.

    Parameters
    ----------
    estimator : estimator, default=None
        A :class:`~fewest.SupportFeatureMachine` (None: one with its defaults),
        :class:`~fewest.ZeroNormSVM` or :class:`~fewest.Liknon` with a finite C and
        ``multi_class="joint"``. Its `max_features` is replaced; its rules about features hold for
        panels of every size.
    sizes : sequence of int, default=None
        Numbers of features to try. None: from 1 (or the number that the estimator always
        includes) to 20 (or the number of features in X).
    cv : int, splitter or iterable of (train, test), default=5
        A number stands for that many stratified folds (whole groups if `groups` are given to
        `fit`). ``RepeatedStratifiedKFold`` of scikit-learn gives a smoother front.
    criterion : {"balanced_error", "log_loss"}, default="balanced_error"
        What the choice minimises: the balanced error rate, or the balanced logistic loss, which
        also measures how far a sample is on the right or wrong side.
    one_standard_error : bool, default=True
        Choose the smallest of the sizes that are worse than the best one by at most one standard
        error of the difference (the splits are the same for all, so differences are paired);
        otherwise the best one.
    random_state : int, RandomState or None, default=None
        Shuffles the samples before they are divided into a number of folds. None keeps their
        order, so every fit gives the same answer.
    n_jobs : int, default=None
        Number of splits processed at the same time (threads), as in joblib.
    verbose : int, default=0
        1 shows a progress bar, if tqdm is installed; 2 also prints the front.

    Attributes
    ----------
    max_features_ : int
        The chosen number of features.
    front_ : PanelFront
        Errors with their spread, and the panel, of every size; printed, it is a table.
    panels_ : tuple of arrays
        For every size, the columns that are chosen with all samples.
    cv_results_ : dict of arrays
        A value for every size, in scikit-learn's form: "param_max_features", "params",
        "mean_n_features"; "split0_test_score" and so on, "mean_test_score", "std_test_score",
        "rank_test_score" for the balanced accuracy, and the same with "log_loss" instead of
        "score".
    best_index_ : int
        Place of the chosen size in `cv_results_`.
    best_score_ : float
        Its mean balanced accuracy. It took part in the choice, so it is optimistic; for an honest
        error, cross-validate this estimator as a whole.
    best_estimator_ : estimator
        The machine with the chosen size, trained on all samples.
    coef_, standardized_coef_, intercept_, support_, supports_, classes_, n_iter_, results_
        As for :class:`~fewest.SupportFeatureMachine`, of `best_estimator_`.
    n_splits_ : int
        Number of splits.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    See Also
    --------
    fewest.SupportFeatureMachine : With `max_features`, the panel of a given size.
    fewest.plotting.plot_panel_sizes : The front as a figure.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import PanelSizeCV
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=100, d=500, k=3, mu=1.0, random_state=1)
    >>> machine = PanelSizeCV(sizes=[1, 2, 3, 4, 5]).fit(X, y)
    >>> print(machine.front_)
       k  balanced error  +- s. e.  features
       1           0.110     0.040  0
    >  2           0.080     0.025  0, 2
       3           0.080     0.034  0, 1, 2
       4           0.130     0.041  0, 1, 2, 302
       5           0.080     0.025  0, 1, 2, 9, 302
    >>> machine.max_features_, np.flatnonzero(machine.support_).tolist()
    (2, [0, 2])
    """

    estimator: Any = None
    _: KW_ONLY
    sizes: Any = None
    cv: Any = 5
    criterion: str = "balanced_error"
    one_standard_error: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> PanelSizeCV:
        """Choose the number of features by cross-validation, then the panel from all samples.

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
        X, y = check_data(self, X, y)
        self.classes_, codes = encode_classes(type(self).__name__, y)
        least = self._make_machine(1)._find_least_size(X.shape[1])
        sizes = _check_sizes(self.sizes, least, X.shape[1])
        machines = [self._make_machine(int(size)) for size in sizes]
        splits = split_folds(self.cv, y, groups, random_state=self.random_state)
        jobs = [(machines, X, codes, split) for split in splits]
        judged = run_in_threads(_judge, jobs, self.n_jobs, self.verbose, "panel sizes", "split")
        self._choose(sizes, judged)
        columns = standardize_columns(X, per_column=machines[0].standardize, codes=codes)
        self.panels_ = tuple(
            selection.features for selection, _, _ in machines[-1]._fit_sizes(columns, codes, sizes)
        )
        best = machines[self.best_index_]
        self._keep_best(best._fit_columns(columns, codes))
        best.temperature_ = find_temperature_of(judged, self.best_index_)
        if self.verbose > 1:
            print(f"[{type(self).__name__}]\n{self.front_}", flush=True)
        return self

    @property
    def front_(self) -> PanelFront:
        """Errors with their spread, and the panel, of every size."""
        check_is_fitted(self)
        table = self.cv_results_
        scores = [table[f"split{split}_test_score"] for split in range(self.n_splits_)]
        return PanelFront(
            sizes=table["param_max_features"],
            errors=1.0 - np.array(scores),
            chosen=self.best_index_,
            panels=self.panels_,
            names=feature_names_of(self),
        )

    def _abilities(self) -> Abilities:
        return Abilities(
            f"{abilities_of(self._inner).name}, number of features by cross-validation",
            splits_samples=True,
            predicts_from_support=True,
            joins_classes=True,
            effort=5.0 * max(10, np.size(self.sizes)) * abilities_of(self._inner).effort,
        )

    def _selection(self) -> Selection:
        return replace(
            self.best_estimator_._selection(), chosen={"max_features": self.max_features_}
        )

    def _searched_sizes(self) -> PanelFront:
        return self.front_

    @property
    def _inner(self) -> Any:
        return SupportFeatureMachine() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, ("balanced_error", "log_loss"))
        check_flag("one_standard_error", self.one_standard_error)
        inner = self._inner
        abilities = abilities_of(inner)
        if not abilities.joins_classes or abilities.splits_samples:
            raise ValueError(
                f"{abilities.name} has no panels of k features: give SupportFeatureMachine, "
                'ZeroNormSVM or Liknon with multi_class="joint" as estimator'
            )
        if np.isinf(inner.C):
            raise ValueError(
                "panels of k features leave training errors, which the estimator does not allow: "
                "set its C to a finite value, for example C=2.0"
            )

    def _make_machine(self, size: int) -> JointClassifier:
        machine: JointClassifier = clone(self._inner).set_params(max_features=size)
        machine._check_parameters()
        for name in _OF_THE_DATA:
            if name in vars(self):
                setattr(machine, name, getattr(self, name))
        return machine

    def _choose(self, sizes: IndexArray, judged: list[Judgement]) -> None:
        scores = np.array([one.scores for one in judged])
        losses = measure_log_losses(judged)
        n_features = np.mean([one.sizes for one in judged], axis=0)
        self.n_splits_ = len(judged)
        self.cv_results_ = {
            "param_max_features": sizes,
            "params": [{"max_features": int(size)} for size in sizes],
            **summarize_splits("score", scores, scores.mean(axis=0)),
            **summarize_splits("log_loss", losses, losses.mean(axis=0), best="smallest"),
            "mean_n_features": n_features,
        }
        loss = losses if self.criterion == "log_loss" else 1.0 - scores
        self.best_index_ = choose_fewest_of_the_best(
            loss, sizes.astype(np.float64), self.one_standard_error
        )
        self.best_score_ = float(scores.mean(axis=0)[self.best_index_])
        self.max_features_ = int(sizes[self.best_index_])


def _judge(machines: list[JointClassifier], X: Any, codes: IndexArray, split: Split) -> Judgement:
    """What panels of all sizes decide on the test part of one split."""
    train, test = split
    largest = machines[-1]
    columns = standardize_columns(as_matrix(X).rows(train), per_column=largest.standardize)
    seen = Columns(as_matrix(X).rows(test), columns.mean, columns.inverse_scale)
    sizes = np.array([machine.max_features for machine in machines])
    trials: list[Trial | None] = []
    for selection, W, b in largest._fit_sizes(columns, codes[train], sizes):
        scores = seen.take(selection.features) @ W + b
        if scores.shape[1] == 2:
            scores = scores[:, 1:] - scores[:, :1]
        trials.append(Trial(scores, selection.n_features))
    return Judgement(codes[test], trials, [])


def _check_sizes(sizes: Any, least: int, n_features: int) -> IndexArray:
    """Ascending numbers of features, each once; by default from the least possible one on."""
    if sizes is None:
        return np.arange(least, max(least, min(_MOST_SIZES, n_features)) + 1)
    given = np.unique(np.asarray(list(sizes)))
    if not len(given) or given.dtype.kind not in "iu" or given[0] < 1:
        raise ValueError(f"sizes must be whole numbers from 1 on; got {sizes!r}")
    if given[-1] > n_features:
        raise ValueError(
            f"sizes go up to {given[-1]}, but X has {n_features} feature(s): leave larger ones out"
        )
    return given.astype(np.intp)
