"""Features against many classes: weights of one decision for all of them, or class means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.panel import centre_weights, sort_by_class
from fewest._types import FloatArray
from fewest.plotting._displays import Display, dense_columns, names_of
from fewest.plotting._figures import add_colour_bar, axes_or_new, feature_labels
from fewest.plotting._names import name_classes, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NUMBERED = 8  # classes whose cells have room for a number


def plot_class_matrix(
    values: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    label: str = "weight",
    sort: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Features against classes in colours: which feature favours which class.

    White is zero, and colours are symmetric
    around it. With at most eight classes the cells also show their values.

    Parameters
    ----------
    values : array of shape (n_classes, n_features)
        Weights times the standard deviations of the features, or means of standardised features.
    classes : sequence, optional
        A name for each class; the default is its number, from 0.
    feature_names : sequence of str, optional
        A name for each feature; the default is its number, from 0.
    label : str
        What the values are, for the colour bar.
    sort : bool
        Sort the features by the class in which they are largest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar is added beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_class_matrix
    >>> ax = plot_class_matrix(
    ...     [[-1.0, 1.5], [1.0, -0.5], [0.2, -1.5]], classes=["B", "T", "NK"],
    ...     feature_names=["CD3", "CD20"], ax=Figure().subplots(),
    ... )
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['CD20', 'CD3']
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ValueError(
            "values must have one row per class and one column per feature, all finite; got shape "
            f"{values.shape}"
        )
    n_classes, n_features = values.shape
    if classes is None:
        classes = range(n_classes)
    if len(classes) != n_classes:
        raise ValueError(f"classes has {len(classes)} names for {n_classes} classes")
    names = feature_labels(feature_names, n_features)
    order = sort_by_class(values) if sort else np.arange(n_features)
    shown, largest = values[:, order].T, float(np.abs(values).max()) or 1.0
    ax = axes_or_new(ax, width=2.6 + 0.5 * n_classes, height=1.6 + 0.27 * n_features)
    image = ax.imshow(shown, cmap="RdBu_r", aspect="auto", interpolation="nearest")
    image.set_clim(-largest, largest)
    if n_classes <= _MOST_NUMBERED:
        _write_numbers(ax, shown, largest)
    ax.set_yticks(range(n_features), [short(names[place]) for place in order])
    name_classes(ax, range(n_classes), classes)
    return add_colour_bar(ax, image, label)


def _write_numbers(ax: Axes, shown: FloatArray, largest: float) -> None:
    for (row, column), value in np.ndenumerate(shown):
        colour = "white" if abs(value) > 0.6 * largest else "black"
        text = f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
        ax.text(column, row, text, ha="center", va="center", color=colour, fontsize="small")


@dataclass(repr=False)
class ClassWeightsDisplay(Display):
    """Weights of the selected features in every class, of one decision for more than two classes.

    `weights` has one row per class. Each feature's weights are shifted so that the largest and the
    smallest are opposite, which changes no prediction.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.plotting import ClassWeightsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SupportFeatureMachine(max_features=2).fit(X, y)
    >>> display = ClassWeightsDisplay.from_estimator(machine, X, ax=Figure().subplots())
    >>> display.weights.shape
    (3, 2)
    """

    weights: FloatArray
    classes: list[Any]
    feature_names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Coefficients times the standard deviations of X, shifted.

        Parameters
        ----------
        estimator : fitted classifier
            One score per class, the largest decides: more than two classes.
        X : array of shape (n_samples, n_features)
            The samples that give the standard deviations.
        feature_names : sequence of str, optional
            Default: the estimator's `feature_names_in_`, or the columns' numbers.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        selection = selection_of(estimator)
        coef, name = selection.coef, abilities_of(estimator).name
        if coef is None:
            raise ValueError(f"{name} has no weights to draw. Give a linear classifier")
        if len(coef) < 3:
            raise ValueError(
                f"{name} was fitted to two classes, which one row of weights tells apart. Draw "
                "them with WeightsDisplay"
            )
        columns = np.flatnonzero(selection.support)
        if not len(columns):
            raise ValueError("the estimator selected no feature: there is nothing to draw")
        names = names_of(estimator, feature_names, coef.shape[1])
        weights = centre_weights(coef[:, columns] * dense_columns(X, columns).std(axis=0))
        classes = np.asarray(estimator.classes_).tolist()
        return cls(weights, classes, [names[column] for column in columns]).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; returns the display."""
        shown: dict[str, Any] = {"classes": self.classes, "feature_names": self.feature_names}
        return self._keep(plot_class_matrix(self.weights, **shown, ax=ax))
