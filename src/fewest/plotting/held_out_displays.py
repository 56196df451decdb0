"""Displays of what happens on samples that had no part in training.

`from_estimator` clones and trains the estimator in every fold, selection included: none can draw an
error on samples that were seen before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest.plotting._display import Display, names_of_features
from fewest.plotting.chance import plot_stability
from fewest.plotting.errors import plot_confusion, plot_roc
from fewest.plotting.path import plot_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class HeldOutConfusionDisplay(Display):
    """Confusion matrix of predictions for held-out samples.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import HeldOutConfusionDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = HeldOutConfusionDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, ax=Figure().subplots()
    ... )
    >>> int((display.y_pred != y).sum())
    3
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> HeldOutConfusionDisplay:
        """Train a clone in every fold, and predict the samples it has not seen.

        Parameters
        ----------
        estimator : classifier
            Fitted or not; clones of it are trained.
        X, y : arrays
            All samples.
        cv : int or splitter
            Folds in which every sample is tested once; a number means stratified ones.
        groups : array of shape (n_samples,), optional
            Samples of one group are in the same fold.
        random_state : int, RandomState instance or None
            Draws the folds.
        n_jobs : int, optional
            Folds trained at the same time.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        predicted = _held_out(estimator, X, y, cv, groups, random_state, n_jobs, "predict")
        return cls.from_predictions(y, predicted, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, ax: Axes | None = None
    ) -> HeldOutConfusionDisplay:
        """Of predictions that were made by cross-validation, or for new samples."""
        return cls(np.asarray(y_true), np.asarray(y_pred)).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> HeldOutConfusionDisplay:
        """Draw; returns the display."""
        return self._drawn(plot_confusion(self.y_true, self.y_pred, ax=ax))


@dataclass
class HeldOutRocDisplay(Display):
    """Receiver operating characteristic of decision values for held-out samples.

    `decisions` has a column for each of `positives`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import HeldOutRocDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = HeldOutRocDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, ax=Figure().subplots()
    ... )
    >>> display.ax_.get_legend_handles_labels()[1]
    ['1: area 0.96']
    """

    y_true: NDArray[Any]
    decisions: NDArray[np.float64]
    positives: list[Any]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> HeldOutRocDisplay:
        """Train a clone in every fold; the parameters are those of `HeldOutConfusionDisplay`.

        The curve puts together decision values of different machines, one a fold.
        """
        decisions = _held_out(
            estimator, X, y, cv, groups, random_state, n_jobs, "decision_function"
        )
        return cls.from_predictions(y, decisions, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, decisions: ArrayLike, *, ax: Axes | None = None
    ) -> HeldOutRocDisplay:
        """Of decision values as `decision_function` returns them: one column, or one a class."""
        y_true, decisions = np.asarray(y_true), np.asarray(decisions, dtype=np.float64)
        classes = np.unique(y_true).tolist()
        if decisions.ndim == 1:
            decisions = decisions[:, None]
        positives = classes[1:] if len(classes) == 2 and decisions.shape[1] == 1 else classes
        if decisions.shape != (len(y_true), len(positives)):
            raise ValueError(
                f"decisions must have one column for two classes, else one a class; got shape "
                f"{decisions.shape} for {len(classes)} classes and {len(y_true)} samples"
            )
        return cls(y_true, decisions, positives).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> HeldOutRocDisplay:
        """Draw; returns the display."""
        for positive, decision in zip(self.positives, self.decisions.T, strict=True):
            ax = plot_roc(self.y_true, decision, positive=positive, ax=ax)
        return self._drawn(ax)


@dataclass
class StabilityDisplay(Display):
    """How often the features are selected when some samples are left out.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import StabilityDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = StabilityDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, ax=Figure().subplots()
    ... )
    >>> display.counts[:2].tolist(), display.n_folds
    ([5, 5], 5)
    """

    counts: NDArray[np.intp]
    n_folds: int
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = 0,
        feature_names: Sequence[str] | None = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> StabilityDisplay:
        """Train a clone in every fold, and count; see `HeldOutConfusionDisplay`."""
        folds, params = _folds(estimator, y, cv, groups, random_state)
        trained = _trained(estimator, X, y, folds, params, n_jobs)["estimator"]
        counts = np.sum([one.get_support() for one in trained], axis=0)
        names = names_of_features(trained[0], feature_names, len(counts))
        return cls(counts, len(folds), names).plot(ax=ax)

    def plot(self, *, n_features: int = 20, ax: Axes | None = None) -> StabilityDisplay:
        """Draw the most frequent features; returns the display."""
        return self._drawn(
            plot_stability(
                self.counts, self.n_folds, names=self.names, n_features=n_features, ax=ax
            )
        )


@dataclass
class PathDisplay(Display):
    """Held-out balanced error and number of features along C.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import PathDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = PathDisplay.from_estimator(
    ...     SupportFeatureMachine(), X, y, Cs=[0.1, 1.0, 10.0], ax=Figure().subplots()
    ... )
    >>> display.errors.round(3).tolist()
    [0.125, 0.05, 0.075]
    """

    Cs: NDArray[np.float64]
    errors: NDArray[np.float64]
    n_features: NDArray[np.float64]
    chosen: int | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        Cs: ArrayLike,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Train a clone for every C in every fold; see `HeldOutConfusionDisplay`.

        The smallest error on such a curve is too small an estimate of the error: the choice of C
        saw the held-out samples. `SupportFeatureMachineCV` inside a cross-validation gives an
        honest one.

        Parameters
        ----------
        Cs : array of shape (n_values,)
            The values of C.
        """
        from sklearn.base import clone

        Cs = np.sort(np.asarray(Cs, dtype=np.float64))
        folds, params = _folds(estimator, y, cv, groups, random_state)
        errors, sizes = [], []
        for C in Cs:
            tried = _trained(clone(estimator).set_params(C=C), X, y, folds, params, n_jobs)
            errors.append(0.0 - tried["test_score"].mean())
            sizes.append(np.mean([one.get_support().sum() for one in tried["estimator"]]))
        return cls(Cs, np.array(errors), np.array(sizes)).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> PathDisplay:
        """Draw; returns the display."""
        ax = plot_path(self.Cs, self.errors, n_features=self.n_features, chosen=self.chosen, ax=ax)
        return self._drawn(ax)


def _held_out(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    cv: Any,
    groups: ArrayLike | None,
    random_state: Any,
    n_jobs: int | None,
    method: str,
) -> NDArray[Any]:
    from sklearn.model_selection import cross_val_predict

    folds, params = _folds(estimator, y, cv, groups, random_state)
    return cross_val_predict(estimator, X, y, cv=folds, n_jobs=n_jobs, method=method, params=params)


def _folds(
    estimator: Any, y: ArrayLike, cv: Any, groups: ArrayLike | None, random_state: Any
) -> tuple[Any, dict[str, Any]]:
    """Folds that keep groups together, and the groups for estimators that split once more."""
    from fewest._estimators.abilities import abilities_of
    from fewest._estimators.splits import check_groups, split_folds

    y = np.asarray(y)
    folds = split_folds(cv, y, groups, random_state=random_state)
    splits = groups is not None and abilities_of(estimator).splits_samples
    return folds, {"groups": check_groups(groups, len(y))} if splits else {}


def _trained(
    estimator: Any, X: Any, y: ArrayLike, folds: Any, params: dict[str, Any], n_jobs: int | None
) -> dict[str, Any]:
    """Errors (below zero, as scikit-learn has it) and estimators of the folds."""
    from sklearn.model_selection import cross_validate

    from fewest.significance import balanced_error_scorer

    return cross_validate(
        estimator,
        X,
        y,
        cv=folds,
        scoring=balanced_error_scorer,
        n_jobs=n_jobs,
        params=params,
        return_estimator=True,
        error_score="raise",
    )
