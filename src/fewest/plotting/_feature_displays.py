"""Displays of the features that a fitted estimator selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.abilities import abilities_of, feature_names_of, selection_of
from fewest._estimators.validation import make_dense
from fewest._types import FloatArray
from fewest.plotting._display import Display
from fewest.plotting._features import plot_heat_map, plot_weights
from fewest.plotting._labels import feature_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
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
    ['0', '1', '35']
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
            Default: the estimator's `feature_names_in_`, else the columns' numbers.
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
        names = _names(estimator, feature_names, coef.shape[1])
        weights = coef[0, columns] * _columns(X, columns).std(axis=0)
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = tuple(estimator.classes_) if abilities_of(estimator).classifies else None
        display = cls(weights[order], [names[columns[place]] for place in order], sides)
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        return self._keep(plot_weights(self.weights, self.feature_names, sides=self.sides, ax=ax))


@dataclass
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
    ['0', '1', '35']
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
            Any that says what it selected.
        X, y : arrays
            Samples to show, and their classes.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, else the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        support = selection_of(estimator).support
        if not support.any():
            raise ValueError("the estimator selected no feature: there is nothing to draw")
        columns = np.flatnonzero(support)
        names = _names(estimator, feature_names, len(support))
        scores = estimator.decision_function(X) if abilities_of(estimator).has_scores else None
        display = cls(
            _columns(X, columns).astype(np.float64),
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


def _names(estimator: Any, feature_names: Sequence[str] | None, n_features: int) -> list[str]:
    """Those given, those the estimator was fitted with, or the columns' numbers."""
    if feature_names is None:
        feature_names = feature_names_of(estimator)
    return feature_labels(feature_names, n_features)


def _columns(X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """These columns of an array, a sparse matrix or a data frame, dense."""
    return np.asarray(X.iloc[:, columns] if hasattr(X, "iloc") else make_dense(X[:, columns]))
