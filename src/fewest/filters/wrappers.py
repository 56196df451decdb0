"""Wrappers: search for features with which a given classifier makes the fewest errors."""

from __future__ import annotations

import heapq
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.metrics import check_scoring
from sklearn.svm import LinearSVC

from fewest._estimators.abilities import Abilities, Selector
from fewest._estimators.rules import RuleParameters
from fewest._estimators.splits import Split, split_folds
from fewest._estimators.validation import check_choice, check_count, check_data, encode_classes
from fewest._run.progress import run_in_threads

__all__ = ["BestFirstSelector", "sequential_selection"]

_DIRECTIONS = ("forward", "backward")
# A score counts as better, or as worse, beyond this.
_ROUNDING = 1e-9

Columns = frozenset[int]


def sequential_selection(
    estimator: Any = None,
    *,
    direction: str = "forward",
    n_features: int | None = None,
    cv: Any = 5,
    scoring: Any = None,
    n_jobs: int | None = None,
) -> SequentialFeatureSelector:
    """Greedy forward selection or backward elimination around a classifier, as a baseline.

    Forward: start without features and add the one with which the cross-validated accuracy is best.
    Backward: start with all and leave out the one without which it is best (Kohavi & John 1997;
    Klement's thesis 2013, sec. 2.6.4). This is scikit-learn's `SequentialFeatureSelector` with the
    stopping rule of these papers.

    Parameters
    ----------
    estimator : classifier, optional
        The classifier that will use the features; by default a linear support vector machine
        (``LinearSVC()``), for which X should be standardised: pass a pipeline that does so inside
        the folds.
    direction : {"forward", "backward"}
        Where the search starts.
    n_features : int, optional
        How many features to select. By default the search ends when no single feature improves the
        accuracy any more (forward), or when leaving out any one of them lowers it (backward).
    cv : int or splitter
        Folds on which sets of features are compared.
    scoring : str or callable, optional
        What is compared; accuracy by default.
    n_jobs : int, optional
        Processes, as in joblib.

    Returns
    -------
    sklearn.feature_selection.SequentialFeatureSelector
        Not fitted. It selects; it does not classify.

    References
    ----------
    R. Kohavi, G. H. John: Wrappers for feature subset selection. Artificial Intelligence 97 (1997).

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import sequential_selection
    >>> X, y = make_gaussian(n=100, d=20, k=2, mu=1.5, random_state=0)
    >>> sequential_selection().fit(X, y).get_support(indices=True)
    array([0, 1])
    """
    check_choice("direction", direction, _DIRECTIONS)
    check_count("n_features", n_features, or_none=True)
    return SequentialFeatureSelector(
        LinearSVC(random_state=0) if estimator is None else estimator,
        n_features_to_select="auto" if n_features is None else n_features,
        tol=(_ROUNDING if direction == "forward" else -_ROUNDING) if n_features is None else None,
        direction=direction,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
    )


@dataclass(eq=False, repr=False)
class BestFirstSelector(RuleParameters, Selector, BaseEstimator):
    r"""Features for a given classifier, by best-first search over sets of features.

    The search keeps a list of all sets judged so far. In each step it takes the best set whose
    neighbours have not been judged (in case of ties the smallest), and judges these: all sets with
    one feature more or one fewer. It ends when `patience` steps have found no better set and no
    equally good set with fewer features. Greedy search ends at the first such step, and can never
    undo an early choice.

    Parameters
    ----------
    estimator : classifier, optional
        The classifier that will use the features; by default a linear support vector machine
        (``LinearSVC()``), for which X should be standardised: pass a pipeline that does so inside
        the folds.
    direction : {"forward", "backward"}, default="forward"
        Start without features, or with all.
    patience : int, default=5
        Steps without improvement after which the search ends (Kohavi & John 1997: 5).
    cv : int, splitter or iterable, default=5
        Folds on which sets of features are compared, the same for all.
    scoring : str or callable, optional
        What is compared (larger is better); accuracy by default.
    n_jobs : int, optional
        Sets judged at the same time (threads), as in joblib.
    include, exclude
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`: included features are
        in every set that is judged, and excluded ones in none.
    feature_cost, feature_groups, one_per_group, signs
        Not for this search, which counts features.

    Attributes
    ----------
    support_ : array of shape (n_features,), bool
        The selected features.
    score_ : float
        Their mean score over the folds. It was used to choose them, so it is optimistic.
    n_evaluated_ : int
        Sets judged.
    n_iter_ : int
        Steps taken.

    Notes
    -----
    A step trains the classifier for every feature in every fold: use it for a few dozen
    features, or a few hundred, after a filter. The more sets are compared, the better the best of
    them looks by chance.

    References
    ----------
    R. Kohavi, G. H. John: Wrappers for feature subset selection. Artificial Intelligence 97 (1997).

    S. Klement: The Support Feature Machine: an odyssey in high-dimensional spaces. PhD thesis,
    University of Lübeck (2013), sec. 2.6.4.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.filters import BestFirstSelector
    >>> X, y = make_gaussian(n=100, d=20, k=2, mu=1.5, random_state=0)
    >>> selector = BestFirstSelector().fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1])
    """

    estimator: Any = None
    _: KW_ONLY
    direction: str = "forward"
    patience: int = 5
    cv: Any = 5
    scoring: Any = None
    n_jobs: int | None = None

    _kept_rules = ("include", "exclude")

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> BestFirstSelector:
        """Search for the best set.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array of shape (n_samples,)
            Their classes.
        groups : array of shape (n_samples,), optional
            Samples that belong together: a fold contains whole groups.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        encode_classes(type(self).__name__, y)
        judge = _Judge(self, X, y, split_folds(self.cv, y, groups))
        d = X.shape[1]
        rules = self._read_rules(d)
        forced: Columns = frozenset()
        allowed: Columns = frozenset(range(d))
        if rules is not None:
            forced = frozenset(np.flatnonzero(rules.included).tolist())
            allowed = frozenset(np.flatnonzero(~rules.excluded).tolist())
        first = allowed if self.direction == "backward" else forced
        judge([first])
        best = judge.rank(first)
        open_sets = [best]
        idle = self.n_iter_ = 0
        while open_sets and idle < self.patience:
            current = frozenset(heapq.heappop(open_sets)[-1])
            for found in judge([current ^ {j} for j in sorted(allowed - forced)]):
                heapq.heappush(open_sets, judge.rank(found))
            self.n_iter_ += 1
            idle += 1
            if open_sets and open_sets[0][:2] < best[:2]:
                best, idle = open_sets[0], 0
        self.support_ = np.isin(np.arange(d), best[-1])
        self.score_ = judge.scores[frozenset(best[-1])]
        self.n_evaluated_ = len(judge.scores)
        return self

    def _check_parameters(self) -> None:
        check_choice("direction", self.direction, _DIRECTIONS)
        check_count("patience", self.patience)
        self._check_rules()

    def _abilities(self) -> Abilities:
        return Abilities(
            "best-first selector", classifies=False, has_scores=False, splits_samples=True
        )


class _Judge:
    """Mean scores of sets of features over the folds, each computed once."""

    def __init__(
        self, selector: BestFirstSelector, X: Any, y: NDArray[Any], folds: list[Split]
    ) -> None:
        self._X, self._y, self._folds, self._n_jobs = X, y, folds, selector.n_jobs
        self._estimator = (
            LinearSVC(random_state=0) if selector.estimator is None else selector.estimator
        )
        self._score = check_scoring(self._estimator, selector.scoring)
        self.scores: dict[Columns, float] = {}

    def __call__(self, sets: list[Columns]) -> list[Columns]:
        """Judge the sets; those that had not been judged before are returned."""
        new = [one for one in sets if one not in self.scores]
        if new:
            found = run_in_threads(self._judge, [(one,) for one in new], self._n_jobs)
            self.scores.update(zip(new, found, strict=True))
        return new

    def rank(self, columns: Columns) -> tuple[float, int, tuple[int, ...]]:
        """The best and smallest sets come first."""
        return -round(self.scores[columns], 9), len(columns), tuple(sorted(columns))

    def _judge(self, columns: Columns) -> float:
        if not columns:  # no information: worse than any set
            return -np.inf
        X = self._X[:, sorted(columns)]
        scores = [
            self._score(
                clone(self._estimator).fit(X[train], self._y[train]), X[test], self._y[test]
            )
            for train, test in self._folds
        ]
        return float(np.mean(scores))
