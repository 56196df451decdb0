"""Displays in the style of scikit-learn.

Held-out displays train a clone of the estimator in every fold, including its selection: none shows
an error on samples that were seen before. One run of `fewest.significance.run_held_out` serves all
of them: `from_held_out`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from fewest._estimators.abilities import abilities_of, feature_names_of, selection_of
from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.splits import split_folds
from fewest._estimators.validation import make_dense
from fewest._showing import Shown
from fewest._types import FloatArray
from fewest.plotting._errors import plot_confusion, plot_roc, plot_stability
from fewest.plotting._features import plot_heat_map, plot_weights
from fewest.plotting._figures import feature_labels
from fewest.plotting._path import plot_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass(repr=False)
class Display(Shown):
    """`ax_` and `figure_` are those of the last `plot`."""

    ax_: Axes = field(init=False, repr=False, compare=False)
    figure_: Figure | SubFigure = field(init=False, repr=False, compare=False)

    def _keep(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


class HeldOutDisplay(Display):
    """A display of a cross-validation; one run of it may serve several displays."""

    @classmethod
    def from_held_out(cls, held_out: HeldOut, *, ax: Axes | None = None) -> Self:
        """Of an existing cross-validation, from `run_held_out`."""
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None, **settings: Any
    ) -> Self:
        """Train a clone in every fold, and let it judge the samples it has not seen.

        Parameters
        ----------
        estimator : classifier
            Fitted or not; clones of it are trained.
        X, y : arrays
            All samples.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **settings
            Those of `fewest.significance.run_held_out`: `cv` (a splitter that tests every sample
            once, or a number of folds; 5 by default), `groups`, `random_state` and `n_jobs`.
        """
        return cls.from_held_out(run_held_out(estimator, X, y, **settings), ax=ax)


@dataclass(repr=False)
class WeightsDisplay(Display):
    """Weights of the selected features of a linear classifier for two classes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import WeightsDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> machine = SupportFeatureMachine(C=2.0).fit(X, y)
    >>> display = WeightsDisplay.from_estimator(machine, X, ax=Figure().subplots())
    >>> display.feature_names
    ['0', '1']
    """

    weights: FloatArray
    feature_names: list[str]
    sides: tuple[Any, Any] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Coefficients times the standard deviations of X, the largest first.

        Parameters
        ----------
        estimator : fitted classifier
            One linear function: two classes.
        X : array of shape (n_samples, n_features)
            The samples that give the standard deviations.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, or the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        coef = selection_of(estimator).coef
        if coef is None:
            name = abilities_of(estimator).name
            raise ValueError(f"{name} has no weights to draw. Give a linear classifier")
        if len(coef) != 1:
            raise ValueError(
                f"the estimator has {len(coef)} linear functions, one per class. Draw them one by "
                "one with plot_weights"
            )
        columns = np.flatnonzero(coef[0])
        names = names_of(estimator, feature_names, coef.shape[1])
        weights = coef[0, columns] * dense_columns(X, columns).std(axis=0)
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = tuple(estimator.classes_) if abilities_of(estimator).classifies else None
        display = cls(weights[order], [names[columns[place]] for place in order], sides)
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        return self._keep(plot_weights(self.weights, self.feature_names, sides=self.sides, ax=ax))


@dataclass(repr=False)
class HeatMapDisplay(Display):
    """Samples against the selected features in colours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import HeatMapDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> machine = SupportFeatureMachine(C=2.0).fit(X, y)
    >>> display = HeatMapDisplay.from_estimator(machine, X, y, ax=Figure().subplots())
    >>> display.feature_names
    ['0', '1']
    """

    X: FloatArray
    y: NDArray[Any]
    feature_names: list[str]
    scores: FloatArray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """The selected features; decision values sort two classes' samples.

        Parameters
        ----------
        estimator : fitted selector
            Any selector of this package or of scikit-learn.
        X, y : arrays
            Samples to show, and their classes.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, or the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        support = selection_of(estimator).support
        if not support.any():
            raise ValueError("the estimator selected no feature: there is nothing to draw")
        columns = np.flatnonzero(support)
        names = names_of(estimator, feature_names, len(support))
        scores = estimator.decision_function(X) if abilities_of(estimator).has_scores else None
        display = cls(
            dense_columns(X, columns).astype(np.float64),
            np.asarray(y),
            [names[column] for column in columns],
            None if scores is None or np.ndim(scores) != 1 else scores,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        names = self.feature_names
        return self._keep(
            plot_heat_map(self.X, self.y, feature_names=names, scores=self.scores, ax=ax)
        )


def names_of(estimator: Any, feature_names: Sequence[str] | None, n_features: int) -> list[str]:
    """Those given, those the estimator was fitted with, or the columns' numbers."""
    if feature_names is None:
        feature_names = feature_names_of(estimator)
    return feature_labels(feature_names, n_features)


def dense_columns(X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """These columns of an array, a sparse matrix or a data frame, dense."""
    return np.asarray(X.iloc[:, columns] if hasattr(X, "iloc") else make_dense(X[:, columns]))


@dataclass(repr=False)
class HeldOutConfusionDisplay(HeldOutDisplay):
    """Confusion matrix of predictions for held-out samples.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import HeldOutConfusionDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = HeldOutConfusionDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, random_state=0, ax=Figure().subplots()
    ... )
    >>> int((display.y_pred != y).sum())
    2
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any]

    @classmethod
    def from_held_out(cls, held_out: HeldOut, *, ax: Axes | None = None) -> Self:
        """Of an existing cross-validation, which tested every sample once."""
        return cls.from_predictions(held_out.y, held_out.in_order(held_out.predicted), ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Of predictions that were made by cross-validation, or for new samples."""
        return cls(np.asarray(y_true), np.asarray(y_pred)).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        return self._keep(plot_confusion(self.y_true, self.y_pred, ax=ax))


@dataclass(repr=False)
class HeldOutRocDisplay(HeldOutDisplay):
    """Receiver operating characteristic of decision values for held-out samples.

    `decisions` has one column per class of `positives`. The curve combines decision values of
    different machines, one per fold.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import HeldOutRocDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = HeldOutRocDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, random_state=0, ax=Figure().subplots()
    ... )
    >>> display.ax_.get_legend_handles_labels()[1]
    ['1: area 0.93']
    """

    y_true: NDArray[Any]
    decisions: FloatArray
    positives: list[Any]

    @classmethod
    def from_held_out(cls, held_out: HeldOut, *, ax: Axes | None = None) -> Self:
        """Of an existing cross-validation, which tested every sample once."""
        if held_out.decisions is None:
            name = abilities_of(held_out.estimator).name
            raise ValueError(
                f"{name} gives classes only, but a curve needs decision values. Give an estimator "
                "with decision_function"
            )
        return cls.from_predictions(held_out.y, held_out.in_order(held_out.decisions), ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, decisions: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Of decision values as `decision_function` returns them: one column, or one per class."""
        labels = np.asarray(y_true)
        columns = np.asarray(decisions, dtype=np.float64).reshape(len(labels), -1)
        classes = np.unique(labels).tolist()
        positives = classes[1:] if len(classes) == 2 and columns.shape[1] == 1 else classes
        if columns.shape[1] != len(positives):
            raise ValueError(
                f"decisions must have one column for two classes, else one per class; got shape "
                f"{columns.shape} for {len(classes)} classes"
            )
        return cls(labels, columns, positives).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        for positive, decision in zip(self.positives, self.decisions.T, strict=True):
            self._keep(plot_roc(self.y_true, decision, positive=positive, ax=ax))
            ax = self.ax_
        return self


@dataclass(repr=False)
class StabilityDisplay(HeldOutDisplay):
    """How often the features are selected when some samples are left out.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.plotting import StabilityDisplay
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=0.8, random_state=1)
    >>> display = StabilityDisplay.from_estimator(
    ...     SupportFeatureMachine(C=2.0), X, y, random_state=0, ax=Figure().subplots()
    ... )
    >>> display.counts[:2].tolist(), display.n_folds
    ([5, 5], 5)
    """

    counts: NDArray[np.intp]
    n_folds: int
    feature_names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
        **settings: Any,
    ) -> Self:
        """Train a clone in every fold, and count; see `HeldOutConfusionDisplay`.

        Parameters
        ----------
        feature_names : sequence of str, optional
            Default: the columns of a data frame, or their numbers.
        """
        names = getattr(X, "columns", None) if feature_names is None else feature_names
        held_out = run_held_out(estimator, X, y, **settings)
        return cls.from_held_out(held_out, feature_names=names, ax=ax)

    @classmethod
    def from_held_out(
        cls,
        held_out: HeldOut,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Of an existing cross-validation; features without names get numbers."""
        counts = held_out.selections.sum(axis=0)
        names = feature_labels(feature_names, len(counts))
        return cls(counts, len(held_out.folds), names).plot(ax=ax)

    def plot(self, *, n_features: int = 20, ax: Axes | None = None) -> Self:
        """Draw the most frequent features; returns the display."""
        shown: dict[str, Any] = {"feature_names": self.feature_names, "n_features": n_features}
        return self._keep(plot_stability(self.counts, self.n_folds, **shown, ax=ax))


@dataclass(repr=False)
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
    ...     SupportFeatureMachine(), X, y, Cs=[0.1, 1, 10], random_state=0, ax=Figure().subplots()
    ... )
    >>> display.errors.round(3).tolist()
    [0.15, 0.05, 0.1]
    """

    Cs: FloatArray
    errors: FloatArray
    n_features: FloatArray
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
        random_state: Any = None,
        ax: Axes | None = None,
        **settings: Any,
    ) -> Self:
        """Train a clone for every C in every fold; see `HeldOutConfusionDisplay`.

        The smallest error on such a curve is too optimistic, because the choice of C
        used the held-out samples. `SupportFeatureMachineCV` inside a cross-validation gives an
        honest error.

        Parameters
        ----------
        Cs : array of shape (n_Cs,)
            The values of C.
        """
        Cs = np.sort(np.asarray(Cs, dtype=np.float64))
        folds = split_folds(cv, np.asarray(y), groups, random_state=random_state)
        settings |= {"cv": folds, "groups": groups}
        machines = [clone(estimator).set_params(C=C) for C in Cs]
        runs = [run_held_out(machine, X, y, **settings) for machine in machines]
        errors = np.array([run.balanced_errors.mean() for run in runs])
        return cls(Cs, errors, np.array([run.sizes.mean() for run in runs])).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        return self._keep(
            plot_path(self.Cs, self.errors, n_features=self.n_features, chosen=self.chosen, ax=ax)
        )
