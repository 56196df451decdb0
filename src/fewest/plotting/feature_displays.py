"""Displays of the features that a fitted estimator selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest.plotting._display import Display, names_of_features
from fewest.plotting.features import plot_heat_map, plot_weights

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
    >>> display.names
    ['0', '1', '35']
    """

    weights: NDArray[np.float64]
    names: list[str]
    sides: tuple[Any, Any] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> WeightsDisplay:
        """Coefficients times the standard deviations of X, the largest first.

        Parameters
        ----------
        estimator : fitted classifier
            With `coef_` of one row: two classes.
        X : array of shape (n_samples, n_features)
            The samples that give the standard deviations.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, else the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        coefficients = np.atleast_2d(estimator.coef_)
        if len(coefficients) != 1:
            raise ValueError(
                f"the estimator has {len(coefficients)} machines, one a class. Draw them one by "
                "one with plot_weights"
            )
        columns = np.flatnonzero(coefficients[0])
        names = names_of_features(estimator, feature_names, coefficients.shape[1])
        weights = coefficients[0, columns] * _columns(X, columns).std(axis=0)
        order = np.argsort(-np.abs(weights), kind="stable")
        sides = tuple(estimator.classes_) if hasattr(estimator, "classes_") else None
        display = cls(weights[order], [names[columns[place]] for place in order], sides)
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> WeightsDisplay:
        """Draw; returns the display."""
        return self._drawn(plot_weights(self.weights, self.names, sides=self.sides, ax=ax))


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
    >>> display.names
    ['0', '1', '35']
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    names: list[str]
    scores: NDArray[np.float64] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> HeatMapDisplay:
        """The features of `estimator.get_support()`; decision values sort two classes' samples.

        Parameters
        ----------
        estimator : fitted selector
            Any with `get_support`.
        X, y : arrays
            Samples to show, and their classes.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, else the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        mask = estimator.get_support()
        if not mask.any():
            raise ValueError("the estimator selected no feature: there is nothing to draw")
        columns = np.flatnonzero(mask)
        names = names_of_features(estimator, feature_names, len(mask))
        scores = estimator.decision_function(X) if hasattr(estimator, "decision_function") else None
        display = cls(
            _columns(X, columns).astype(np.float64),
            np.asarray(y),
            [names[column] for column in columns],
            None if scores is None or np.ndim(scores) != 1 else scores,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> HeatMapDisplay:
        """Draw; returns the display."""
        return self._drawn(
            plot_heat_map(self.X, self.y, feature_names=self.names, scores=self.scores, ax=ax)
        )


def _columns(X: Any, columns: NDArray[Any]) -> NDArray[Any]:
    """These columns of an array, a sparse matrix or a data frame, dense."""
    from fewest._estimators.validation import make_dense

    return np.asarray(X.iloc[:, columns] if hasattr(X, "iloc") else make_dense(X[:, columns]))
