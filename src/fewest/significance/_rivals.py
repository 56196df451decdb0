"""Methods to compare a machine with, by their names; those that are no machines of this package.

All of them select within the fold that they are fitted to. None depends on the speed of the
computer.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, l1_min_c

from fewest._estimators.abilities import Abilities, Selector
from fewest._estimators.splits import split_folds
from fewest._estimators.validation import check_data, check_new_data, make_dense
from fewest._types import FloatArray, IndexArray
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.machines.sfm_cv import SupportFeatureMachineCV

# Costs from the smallest with any feature upwards, and folds that choose one of them.
_COSTS = np.logspace(0.1, 2.0, 8)
_INNER_FOLDS = 5
_MOST_ITERATIONS = 2_000
# The work of a search for a smallest set, which is no time: some seconds.
_MOST_LOOKS = 1_000

Maker = Callable[[int], Any]  # from a number of features to an estimator


class _OnColumns(Selector, ClassifierMixin, BaseEstimator):
    """Chooses columns first; the Support Feature Machine's hyperplane on them classifies."""

    _people_name: str

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Choose the columns, and fit the hyperplane on them."""
        X, labels = check_data(self, X, y)
        columns = self._choose(X, labels)
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[columns] = True
        columns = np.flatnonzero(self.support_)
        self._machine = self._fit_on(make_dense(X[:, columns]), labels)
        self.classes_ = self._machine.classes_
        return self

    def _choose(self, X: Any, y: NDArray[Any]) -> IndexArray:
        raise NotImplementedError

    def _fit_on(self, values: FloatArray, y: NDArray[Any]) -> SupportFeatureMachine:
        """The largest margin, which leaves as few errors as its usual price makes worth it."""
        return SupportFeatureMachine(include=list(range(values.shape[1]))).fit(values, y)

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the hyperplane."""
        return self._machine.decision_function(self._take(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes."""
        return self._machine.predict(self._take(X))

    def _take(self, X: Any) -> FloatArray:
        values: FloatArray = make_dense(check_new_data(self, X)[:, self.support_])
        return values

    def _abilities(self) -> Abilities:
        return Abilities(self._people_name)


class RankedMachine(_OnColumns):
    """The k features of the largest t statistics (F for many classes), and a hyperplane on them."""

    _people_name = "features of the largest t statistics, and the largest margin on them"

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def _choose(self, X: Any, y: NDArray[Any]) -> IndexArray:
        with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
            warnings.simplefilter("ignore")  # about constant features, which come last
            statistics, _ = f_classif(X, y)
        statistics = np.where(np.isnan(statistics), -1.0, statistics)
        return np.argsort(-statistics, kind="stable")[: max(1, self.k)]


class SmallestSetMachine(_OnColumns):
    """A smallest set of features that leaves no training error, and a hyperplane on it.

    The search for a proof that none is smaller ends after a fixed amount of work, with a warning.
    """

    _people_name = "smallest set of features without training error"

    def _choose(self, X: Any, y: NDArray[Any]) -> IndexArray:
        from fewest.minimum._features import search_minimum  # compiles

        found = search_minimum(make_dense(X), y, None, 1, most_looks=_MOST_LOOKS)
        if not found.subsets:
            raise NotSeparableError(
                "no set of features separates the classes without error"
                + (" (proven)" if found.certified else ", as far as the search went")
            )
        if not found.certified:
            warnings.warn(
                "the set is not proven to be a smallest one: the search ended before",
                UserWarning,
                stacklevel=2,
            )
        return found.subsets[0]

    def _fit_on(self, values: FloatArray, y: NDArray[Any]) -> SupportFeatureMachine:
        """Without errors; classes may be separable two at a time only, then with some."""
        everything = list(range(values.shape[1]))
        try:
            return SupportFeatureMachine(C=math.inf, include=everything).fit(values, y)
        except NotSeparableError:
            return super()._fit_on(values, y)


class OneNormMachine(Selector, ClassifierMixin, BaseEstimator):
    """scikit-learn's linear support vector machine with a one-norm; C by inner cross-validation."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> OneNormMachine:
        """Choose C in folds of whole groups, and fit with it."""
        X, labels = check_data(self, X, y)
        scaler = StandardScaler(with_mean=not sparse.issparse(X))
        seed = None if self.random_state is None else int(self.random_state)
        machine = LinearSVC(
            penalty="l1",
            dual=False,
            class_weight="balanced",
            max_iter=_MOST_ITERATIONS,
            random_state=seed,
        )
        pipeline = make_pipeline(scaler, machine)
        least = l1_min_c(scaler.fit_transform(X), labels, loss="squared_hinge")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of costs that are not chosen
            warnings.filterwarnings("ignore", message=".* folds instead of")
            splits = split_folds(_INNER_FOLDS, labels, groups, random_state=seed)
            search = GridSearchCV(
                pipeline,
                {"linearsvc__C": least * _COSTS},
                scoring="balanced_accuracy",
                cv=splits,
                refit=False,
            ).fit(X, labels)
        self.C_ = float(search.best_params_["linearsvc__C"])
        self._model = pipeline.set_params(linearsvc__C=self.C_).fit(X, labels)
        self.classes_ = self._model.classes_
        self.support_ = np.any(self._model[-1].coef_ != 0.0, axis=0)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Scores of the hyperplanes."""
        scores: FloatArray = self._model.decision_function(check_new_data(self, X))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes."""
        return np.asarray(self._model.predict(check_new_data(self, X)))

    def _abilities(self) -> Abilities:
        return Abilities("one-norm support vector machine of scikit-learn", splits_samples=True)


# What each name stands for, in words.
RIVALS = {
    "sfm": "Support Feature Machine",
    "sfm-cv": "Support Feature Machine, C chosen by inner cross-validation",
    "l1": "one-norm support vector machine (scikit-learn), C chosen by inner cross-validation",
    "t-test": "as many features as the machine shown has in the fold, those of the largest t "
    "statistics, with the largest margin",
    "minimum": "smallest set of features without training error, with the largest margin",
}


def make_rival(name: str, random_state: int | None = None) -> Maker:
    """What makes the estimator of a name, from the number of features of the machine shown."""
    makers: Mapping[str, Maker] = {
        "sfm": lambda k: SupportFeatureMachine(),
        "sfm-cv": lambda k: SupportFeatureMachineCV(random_state=random_state),
        "l1": lambda k: OneNormMachine(random_state=random_state),
        "t-test": lambda k: RankedMachine(max(1, k)),
        "minimum": lambda k: SmallestSetMachine(),
    }
    return makers[name]
