"""Potential Support Vector Machines whose parameters are chosen by cheap cross-validation."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import (
    Abilities,
    Declaring,
    Selection,
    abilities_of,
    certificates_of,
    feature_names_of,
    selection_of,
)
from fewest._estimators.certificate import Certificate
from fewest._estimators.decisions import ScoreClassifier, choose_classes
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest._estimators.splits import Split, fit_within, split_folds, summarize_splits
from fewest._estimators.validation import check_count, check_list, check_not_negative, is_number
from fewest._run.progress import run_in_threads
from fewest._types import FloatArray, IndexArray
from fewest.psvm._folds import Grid, Score, score_folds
from fewest.psvm._machine import KernelParameters, PotentialMachine
from fewest.psvm.estimators import PotentialSVC, PotentialSVR

__all__ = ["PotentialSVCCV", "PotentialSVRCV"]

_FIXED = [field.name for field in fields(KernelParameters)]
_OF_THE_BEST = ("coef_", "intercept_", "support_features_", "support_", "n_iter_", "n_row_objects_")


@dataclass(eq=False, repr=False)
class PotentialSearch(KernelParameters, Declaring, BaseEstimator, metaclass=ABCMeta):
    """A grid over C, epsilon and kernel parameters, followed with warm starts in every fold."""

    Cs: ArrayLike = (0.1, 1.0, 10.0, 100.0)
    epsilons: ArrayLike = (0.01, 0.1, 1.0)
    _: KW_ONLY
    kernel_grid: Any = None
    n_refined: int = 0
    cv: Any = 5
    tol: float = 1e-4
    n_jobs: int | None = None
    verbose: int = 0

    _kind: ClassVar[type[PotentialMachine]]

    @abstractmethod
    def _task(self, y: Any) -> tuple[FloatArray, Score]:
        """Targets, one per row, and the function that scores values of f on some samples."""

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> Any:
        """Choose the parameters, and fit with them on all samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects.
        y : array of shape (n_samples,)
            Class labels; numbers for the regression.
        groups : array of shape (n_samples,), optional
            Samples of the same group are never on both sides of a split, if `cv` is a number;
            a splitter gets them and uses them in its own way.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        grid = self._make_grid()
        machines = self._make_machines()
        given = X
        X, y = machines[0]._check_input(X, y, owner=self)
        self._hand_on_names(machines)
        targets, score = self._task(y)
        splits = split_folds(self.cv, y, groups, classes=is_classifier(self))
        tables = []
        for _ in range(2 if self.n_refined else 1):
            jobs = [(machine, X, targets, score, splits, grid) for machine in machines]
            found = run_in_threads(
                score_folds, jobs, self.n_jobs, self.verbose, "P-SVM grid", "kernel"
            )
            tables.append(_tabulate(self._settings, grid, found))
            self._choose(tables, splits)
            if self.n_refined and len(tables) == 1:
                grid, machines = self._refine(grid)
                self._hand_on_names(machines)
        best = fit_within(self._make_machine(self.best_params_), given, y, None)
        self.best_estimator_ = best
        for name in _OF_THE_BEST:
            setattr(self, name, getattr(best, name))
        self._calibrate(y, splits, tables)
        return self

    def _hand_on_names(self, machines: list[PotentialMachine]) -> None:
        """Rules name features, and the machines in the folds see X without names."""
        names = feature_names_of(self)
        for machine in machines:
            if names is not None:
                machine.feature_names_in_ = names

    def _calibrate(self, y: NDArray[Any], splits: list[Split], tables: list[_Table]) -> None:
        """Prepare probabilities; numbers have none."""

    def predict(self, X: Any) -> NDArray[Any]:
        """What the chosen machine predicts; see its `predict`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects of `fit`.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = self._make_machine({}).__sklearn_tags__().input_tags
        return tags

    def _abilities(self) -> Abilities:
        candidates = [abilities_of(machine) for machine in self._make_machines()]
        refusal = next((one.refusal for one in candidates if one.refusal), "")
        own = refusal.replace(self._kind.__name__, type(self).__name__)
        return replace(candidates[0], refusal=own, splits_samples=True)

    def _selection(self) -> Selection:
        return replace(selection_of(self.best_estimator_), chosen=self.best_params_)

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return certificates_of(self.best_estimator_, signs)

    def _check_parameters(self) -> None:
        self._make_grid()
        if self.n_refined != 0:
            check_count("n_refined", self.n_refined)

    def _make_grid(self) -> Grid:
        Cs = check_list("Cs", self.Cs, infinity="for no bound")
        epsilons = check_list("epsilons", self.epsilons, check_not_negative)
        return Grid(np.unique(Cs), np.unique(epsilons)[::-1])

    def _make_machine(self, parameters: dict[str, Any]) -> PotentialMachine:
        return self._kind(**{**{name: getattr(self, name) for name in _FIXED}, **parameters})

    def _make_machines(self) -> list[PotentialMachine]:
        """One for every setting of the kernel, each with parameters that make sense."""
        try:
            self._settings = list(ParameterGrid(self.kernel_grid or {}))
            machines = [self._make_machine(setting) for setting in self._settings]
        except TypeError as error:
            raise ValueError(
                "kernel_grid must be a dict of lists of values of the kernel's parameters, such as "
                f"{{'gamma': [0.1, 1.0]}}: {error}"
            ) from error
        for setting, machine in zip(self._settings, machines, strict=True):
            if "C" in setting or "epsilon" in setting:
                raise ValueError("C and epsilon have their own lists: Cs and epsilons")
            machine._check_parameters()
        return machines

    def _refine(self, grid: Grid) -> tuple[Grid, list[PotentialMachine]]:
        """A finer grid around the chosen candidate, between its neighbours on the first one."""
        best, count = self.best_params_, self.n_refined
        settings = {
            name: refine_values([one[name] for one in self._settings if name in one], value, count)
            for name, value in best.items()
            if name not in ("C", "epsilon")
        }
        self._settings = list(ParameterGrid(settings))
        finer = Grid(
            np.unique(refine_values(grid.Cs, best["C"], count)),
            np.unique(refine_values(grid.epsilons, best["epsilon"], count))[::-1],
        )
        return finer, [self._make_machine(setting) for setting in self._settings]

    def _choose(self, tables: list[_Table], splits: list[Split]) -> None:
        """Best score over all test samples; of equal ones the fewest features, the smallest C."""
        parameters = [one for table in tables for one in table.parameters]
        scores = np.concatenate([table.scores for table in tables], axis=1)
        n_support = np.concatenate([table.n_support for table in tables], axis=1)
        sizes = np.array([len(test) for _, test in splits])
        mean = np.average(scores, axis=0, weights=sizes)
        costs = [one["C"] for one in parameters]
        best = int(np.lexsort([costs, n_support.mean(axis=0), -mean.round(12)])[0])
        self.cv_results_ = {
            "params": parameters,
            **{
                f"param_{name}": np.array([one.get(name) for one in parameters])
                for name in dict.fromkeys(key for one in parameters for key in one)
            },
            **summarize_splits("score", scores, mean),
            "mean_n_support": n_support.mean(axis=0),
        }
        self.best_index_, self.best_params_ = best, parameters[best]
        self.best_score_ = float(mean[best])
        self.n_splits_ = len(splits)
        if tables[-1].n_doubtful:
            warnings.warn(
                f"{tables[-1].n_doubtful} of {tables[-1].scores.size} fits in the folds did not "
                f"reach tol={self.tol:g}: raise max_iter or the smallest epsilon",
                ConvergenceWarning,
                stacklevel=3,
            )


def refine_values(values: Any, chosen: Any, count: int) -> list[Any]:
    """Values between the neighbours of the chosen one, spaced evenly in the logarithm.

    Beyond the smallest and the largest value the grid goes on with the same factor. What has no
    logarithm (zero, infinity, words), or no neighbour, stays as it is.
    """
    known = np.unique([one for one in values if is_number(one) and 0 < one < np.inf])
    if len(known) < 2 or not is_number(chosen) or chosen not in known:
        return [chosen]
    place = int(np.searchsorted(known, chosen))
    below = known[place - 1] if place else chosen**2 / known[1]
    above = known[place + 1] if place + 1 < len(known) else chosen**2 / known[place - 1]
    return [float(one) for one in np.geomspace(below, above, count)]


@dataclass(frozen=True, eq=False)
class _Table:
    """Scores of some candidates, of shape (n_splits, n_candidates)."""

    parameters: list[dict[str, Any]]
    scores: FloatArray
    n_support: FloatArray
    n_doubtful: int
    judged: list[list[FloatArray]]  # by kernel and split: values of f at every epsilon and C

    def take_values(self, candidate: int) -> FloatArray:
        """Values of f of one candidate, one column per task, of the test samples of all splits."""
        shape = self.judged[0][0].shape[1:3]
        setting, place = divmod(candidate, shape[0] * shape[1])
        where = (slice(None), *np.unravel_index(place, shape))
        return np.concatenate([values[where] for values in self.judged[setting]])


def _tabulate(settings: list[dict[str, Any]], grid: Grid, found: list[tuple[Any, ...]]) -> _Table:
    *tables, n_doubtful, judged = zip(*found, strict=True)
    scores, n_support = (np.stack(one, axis=1) for one in tables)
    parameters = [
        {**setting, "epsilon": float(epsilon), "C": float(C)}
        for setting in settings
        for epsilon in grid.epsilons
        for C in grid.Cs
    ]
    n_splits = len(scores)
    return _Table(
        parameters,
        scores.reshape(n_splits, -1),
        n_support.reshape(n_splits, -1),
        sum(n_doubtful),
        list(judged),
    )


class PotentialSVCCV(ScoreClassifier, PotentialSearch):
    r"""Potential support vector classifier with C, epsilon and kernel from cross-validation.

    Every candidate minimises, on the training part of every split,

    .. math::

        \tfrac12 \| K \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C,

    and is judged by the share of test samples that it classifies correctly. A solve starts from
    the solution at the neighbouring C or epsilon, or from that of the last split at the same ones
    (priming, which makes leave-one-out cheap), whichever is closer.

    Parameters
    ----------
    Cs : array, default=(0.1, 1.0, 10.0, 100.0)
        Candidates for C, ``np.inf`` for no bound.
    epsilons : array, default=(0.01, 0.1, 1.0)
        Candidates for epsilon.
    kernel_grid : dict of lists or list of such, default=None
        Candidates for parameters of the kernel, and for the kernel itself, such as
        ``{"gamma": [0.1, 1.0]}``, in the form of :class:`sklearn.model_selection.ParameterGrid`.
    n_refined : int, default=0
        Above zero, search from coarse to fine: a second grid, with this many values of C, of
        epsilon and of each number in `kernel_grid`, lies between the neighbours of the best
        candidate of the first. Parameters with a single candidate keep it. Hochreiter & Obermayer
        (2004), sec. 3.2, try 4 x 4 values first, then 7 x 7.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn, for instance ``LeaveOneOut()``. A number of folds larger than the
        smallest class is reduced, with a warning. If the row objects are the samples (see
        `row_objects`), a split leaves out columns together with rows.
    kernel, gamma, degree, coef0, rho, zeta, theta, kernel_params, row_objects, scale, refit
        As for :class:`PotentialSVC`, if `kernel_grid` has no values for them.
    include, exclude, feature_cost, feature_groups, one_per_group, signs
        Rules about features, as for :class:`PotentialSVC`.
    tol, max_iter
        As for :class:`PotentialSVC`; the looser default suffices to compare candidates.
    n_jobs : int, default=None
        Settings of the kernel that are tried at the same time (threads), as in joblib.
    verbose : int, default=0
        Above zero, shows a progress bar, if tqdm is installed.

    Attributes
    ----------
    best_params_ : dict
        The chosen C, epsilon and parameters of the kernel.
    best_score_ : float
        Their accuracy, over all test samples. It took part in the choice, so it is optimistic.
    best_index_ : int
        Their place in `cv_results_`.
    cv_results_ : dict of arrays
        A value for every candidate, in scikit-learn's form, and "mean_n_support", the mean number
        of support features. "mean_test_score" counts all test samples alike.
    best_estimator_ : PotentialSVC
        The chosen machine, fitted to all samples.
    coef_, intercept_, support_features_, support_, n_row_objects_, n_iter_
        As for :class:`PotentialSVC`, of that machine.
    temperature_ : float
        Divisor of f(x) in `predict_proba`, from the splits.
    classes_ : array of shape (n_classes,)
        The class labels.
    n_splits_ : int
        Number of splits.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.model_selection import LeaveOneOut
    >>> from fewest import PotentialSVCCV
    >>> X, y = make_moons(40, noise=0.1, random_state=0)
    >>> machine = PotentialSVCCV([1, 10], [0.1], kernel_grid={"gamma": [0.1, 1]}, cv=LeaveOneOut())
    >>> _ = machine.fit(X, y)
    >>> machine.best_params_
    {'gamma': 1, 'epsilon': 0.1, 'C': 10.0}
    >>> print(f"{machine.best_score_:.3f}")
    0.975
    """

    _kind = PotentialSVC

    def _task(self, y: Any) -> tuple[FloatArray, Score]:
        machine = self._make_machine({})
        targets = machine._targets(y)
        self.classes_ = machine.classes_
        codes = np.searchsorted(self.classes_, y)

        def measure_accuracy(values: FloatArray, samples: IndexArray) -> float:
            return float(np.mean(choose_classes(values) == codes[samples]))

        return targets, measure_accuracy

    def _calibrate(self, y: NDArray[Any], splits: list[Split], tables: list[_Table]) -> None:
        """Find the temperature of f in the splits, whose support features had no part."""
        place = self.best_index_
        table = tables[0]
        if place >= len(table.parameters):
            place, table = place - len(table.parameters), tables[1]
        tested = np.concatenate([test for _, test in splits])
        codes = np.searchsorted(self.classes_, y[tested])
        self.temperature_ = fit_temperature(pair_scores(table.take_values(place)), codes)
        self.best_estimator_.temperature_ = self.temperature_

    def decision_function(self, X: Any) -> FloatArray:
        """Value of f(x) of the chosen machine; see :meth:`PotentialSVC.decision_function`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects of `fit`.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)


class PotentialSVRCV(RegressorMixin, PotentialSearch):
    r"""Potential support vector regression with C, epsilon and kernel from cross-validation.

    Every candidate minimises, on the training part of every split,

    .. math::

        \tfrac12 \| K \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C,

    and is judged by its mean squared error on the test part; warm starts are as for
    :class:`PotentialSVCCV`. C and epsilon are in units of y.

    Parameters
    ----------
    Cs, epsilons, kernel_grid, n_refined, cv, n_jobs, verbose
        As for :class:`PotentialSVCCV`.
    kernel, gamma, degree, coef0, rho, zeta, theta
        As for :class:`PotentialSVR`.
    kernel_params, row_objects, scale, refit, tol, max_iter
        As for :class:`PotentialSVR`.
    include, exclude, feature_cost, feature_groups, one_per_group, signs
        Rules about features, as for :class:`PotentialSVC`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, cv_results_, n_splits_
        As for :class:`PotentialSVCCV`; scores are negative mean squared errors.
    best_estimator_ : PotentialSVR
        The chosen machine, fitted to all samples.
    coef_, intercept_, support_features_, support_, n_row_objects_, n_iter_
        As for :class:`PotentialSVR`, of that machine.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import PotentialSVRCV
    >>> X = np.linspace(-3, 3, 61)[:, None]
    >>> y = np.sin(X.ravel()) + 0.1 * np.random.default_rng(0).standard_normal(61)
    >>> machine = PotentialSVRCV(kernel_grid={"gamma": [0.01, 0.5, 20.0]}).fit(X, y)
    >>> machine.best_params_
    {'gamma': 0.5, 'epsilon': 0.1, 'C': 1.0}
    """

    _kind = PotentialSVR

    def _task(self, y: Any) -> tuple[FloatArray, Score]:
        def measure_error(values: FloatArray, samples: IndexArray) -> float:
            return -float(np.mean(np.square(values[:, 0] - y[samples])))

        return np.asarray(y, dtype=np.float64)[None, :], measure_error
