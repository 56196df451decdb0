"""The selected features: values, weights, the folds that chose them, and their stand-ins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.validation import check_count
from fewest.plotting._figures import (
    CLASSES,
    CURVES,
    add_colour_bar,
    axes_or_new,
    feature_labels,
    finish,
    mark_whole_numbers,
    name_rows,
    open_ranking,
)
from fewest.plotting._names import name_classes, short, spread_places

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Successive multiples modulo one fill an interval evenly: points spread without any chance.
_GOLDEN = 0.6180339887498949
_MOST_DEVIATIONS = 3.0
_WIDE = 16  # letters of both classes that a narrow plot may not have room for
_MOST_FOLD_LABELS = 20
_MOST_MARKS = 2_000  # samples of a figure; more are not seen one by one


def plot_strip(
    values: ArrayLike,
    y: ArrayLike,
    *,
    name: str | None = None,
    threshold: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Values of one feature, one strip per class, with the means of the classes as black bars.

    If there are more than 2,000 samples, some are shown, drawn at random within the classes, and
    the axis says so. Means are those of all samples.

    Parameters
    ----------
    values : array of shape (n_samples,)
        The feature.
    y : array of shape (n_samples,)
        Class labels.
    name : str, optional
        Written below the axis.
    threshold : float, optional
        A value to mark with a dashed line, such as the best single cut between two classes.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_strip
    >>> ax = plot_strip([1, 2, 5, 6], ["a", "a", "b", "b"], threshold=3.5, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    values, y = np.asarray(values, dtype=np.float64), np.asarray(y)
    if values.ndim != 1 or y.shape != values.shape or not len(y):
        raise ValueError(
            f"values and y must have one entry per sample; got shapes {values.shape} and {y.shape}"
        )
    classes = np.unique(y)
    ax = axes_or_new(ax, width=4.6, height=0.9 + 0.45 * len(classes))
    means = [values[y == label].mean() for label in classes]
    note = _say_how_many(len(y))
    rows = draw_subsample(y, _MOST_MARKS)
    values, y = values[rows], y[rows]
    for place, (label, mean) in enumerate(zip(classes, means, strict=True)):
        strip = values[y == label]
        # Neighbours in value get different heights: no point hides another.
        height = np.empty(len(strip))
        height[np.argsort(strip, kind="stable")] = (np.arange(len(strip)) * _GOLDEN) % 1.0 - 0.5
        marker, colour = _MARKERS[place % len(_MARKERS)], CLASSES[place % len(CLASSES)]
        ax.plot(strip, place + 0.5 * height, marker, ms=4.5, mew=0, alpha=0.75, color=colour)
        ax.plot([mean] * 2, [place - 0.36, place + 0.36], color="black", lw=2.0)
    if threshold is not None:
        ax.axvline(threshold, color="black", linestyle="dashed", linewidth=1.0)
    name_rows(ax, [short(label) for label in classes])
    if name is not None or note:
        ax.set_xlabel(" ".join(filter(None, (None if name is None else short(name), note))))
    return ax


def _say_how_many(n_samples: int) -> str:
    """What a figure says that shows a part of the samples only."""
    return f"({_MOST_MARKS:,} of {n_samples:,} samples)" if n_samples > _MOST_MARKS else ""


def plot_weights(
    weights: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    sides: tuple[Any, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Weights of the features as bars, the largest at the top.

    Parameters
    ----------
    weights : array of shape (n_features,)
        Zeros are left out. Weights are comparable only for standardised features, or if multiplied
        by the features' standard deviations.
    feature_names : sequence of str, optional
        A name for each weight; the default is its number, from 0.
    sides : pair of labels, optional
        The classes that negative and positive weights favour.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_weights
    >>> ax = plot_weights([0.5, 0.0, -2.0], ["a", "b", "c"], ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['c', 'a']
    """
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 1 or not np.any(weights):
        raise ValueError("weights must be a list of numbers of which at least one is not zero")
    ax, shown = open_ranking(weights, feature_names, ax, most=int(np.count_nonzero(weights)))
    colours = [CURVES[1] if weights[column] > 0 else CURVES[0] for column in shown]
    ax.barh(range(len(shown)), weights[shown], color=colours, height=0.7)
    ax.axvline(0.0, color="black", linewidth=0.8)
    if sides is None:
        ax.set_xlabel("weight")
    else:
        low, high = map(short, sides)
        # Long names leave a narrow plot: what is wider goes to the left, where there is room.
        wide = len(low + high) >= _WIDE
        ax.set_xlabel(f"← {low}    weight    {high} →", loc="right" if wide else "center")
    return ax


def plot_heat_map(
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    scores: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Samples against features in colours, as Golub and others showed their genes.

    Every feature is shown in standard deviations from its mean (at most three). Samples are sorted
    by class, features by the class in which they are largest. If there are more than 2,000 samples,
    some are shown, drawn at random within the classes; the axis says so.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The selected features only.
    y : array of shape (n_samples,)
        Class labels.
    feature_names : sequence of str, optional
        A name for each column; the default is its number, from 0.
    scores : array of shape (n_samples,), optional
        Sorts the samples within their class, such as decision values.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar is added beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_heat_map
    >>> X = [[0, 9], [1, 8], [5, 2], [6, 1]]
    >>> ax = plot_heat_map(X, list("aabb"), feature_names=["up", "down"], ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['down', 'up']
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or not X.size or y.shape != (len(X),):
        raise ValueError(
            "X must have one row per sample and one column per feature, and y one label per "
            "sample; got "
            f"shapes {X.shape} and {y.shape}"
        )
    labels = feature_labels(feature_names, X.shape[1])
    classes, codes = np.unique(y, return_inverse=True)
    scores = np.zeros(len(y)) if scores is None else np.asarray(scores)
    centre, spread, note = X.mean(axis=0), X.std(axis=0), _say_how_many(len(y))
    all_sizes, rows = np.bincount(codes), draw_subsample(codes, _MOST_MARKS)
    X, codes, scores = X[rows], codes[rows], scores[rows]
    samples = np.lexsort((scores, codes))
    standard = (X - centre) / np.where(spread > 0, spread, 1.0)
    # Features by the class in which they are largest, the most pronounced first.
    means = np.array([standard[codes == code].mean(axis=0) for code in range(len(classes))])
    features = np.lexsort((-means.max(axis=0), means.argmax(axis=0)))

    ax = axes_or_new(ax, width=7.2, height=1.3 + 0.24 * len(labels))
    shown = standard[np.ix_(samples, features)].T
    image = ax.imshow(shown, cmap="RdBu_r", aspect="auto", interpolation="nearest")
    image.set_clim(-_MOST_DEVIATIONS, _MOST_DEVIATIONS)
    ax.set_yticks(range(len(labels)), [short(labels[column]) for column in features])
    sizes = np.bincount(codes)
    ends = np.cumsum(sizes)
    for end in ends[:-1]:
        ax.axvline(end - 0.5, color="black", linewidth=1.5)
    places = spread_places(ends - sizes / 2 - 0.5, len(rows))
    name_classes(ax, places, classes.tolist(), all_sizes.tolist())
    ax.set_xlabel(note)
    shrink = max(0.4, min(1.0, 4 / len(labels)))
    label = "standard deviations\nfrom the mean"
    return add_colour_bar(ax, image, label, ticks=range(-3, 4), shrink=shrink)


def plot_profile(
    profile: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    n_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Heat map of how often each feature was chosen in each fold.

    It follows fig. 8.3 of Pranckeviciene & Somorjai (2011), which has the weights of one split per
    fold (`plot_weight_map`). The most frequent features are shown,
    the most frequent one at the top; features that no fold chose are left out.

    Parameters
    ----------
    profile : array of shape (n_folds, n_features)
        Shares between zero and one, such as `profile_` of `LiknonCV`.
    feature_names : sequence of str, optional
        A name for each column of the profile; the default is its number, from 0.
    n_features : int
        Largest number of features to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar is added beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_profile
    >>> ax = Figure().subplots()
    >>> shares = [[0.0, 1.0, 0.2], [0.0, 0.8, 0.0]]
    >>> plot_profile(shares, feature_names=["a", "b", "c"], ax=ax).get_ylabel()
    'feature'
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'c']
    """
    check_count("n_features", n_features)
    shares = np.asarray(profile, dtype=np.float64)
    if shares.ndim != 2 or not shares.size:
        raise ValueError(
            f"profile must have one row per fold and one column per feature; got shape "
            f"{shares.shape}"
        )
    if not np.all((shares >= 0) & (shares <= 1)):
        raise ValueError("profile must hold shares between zero and one")
    if not shares.any():
        raise ValueError("profile is zero everywhere: no fold chose any feature")
    names = feature_labels(feature_names, shares.shape[1])
    frequency = shares.mean(axis=0)
    order = np.argsort(-frequency, kind="stable")
    shown = order[: min(n_features, np.count_nonzero(frequency))]
    n_folds = len(shares)

    ax = axes_or_new(ax, height=1.6 + 0.22 * len(shown), width=3.4 + 0.28 * min(n_folds, 20))
    image = ax.imshow(
        shares[:, shown].T, aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest"
    )
    labelled = range(0, n_folds, -(-n_folds // _MOST_FOLD_LABELS))
    ax.set_xticks(labelled, [str(fold + 1) for fold in labelled])
    ax.set_yticks(range(len(shown)), [short(names[column]) for column in shown])
    # Thin lines between the cells.
    ax.set_xticks(np.arange(0.5, n_folds - 1), minor=True)
    ax.set_yticks(np.arange(0.5, len(shown) - 1), minor=True)
    ax.grid(which="minor", color="0.85", linewidth=0.6)
    ax.tick_params(which="minor", length=0)
    ax.set(xlabel="fold", ylabel="feature")
    return add_colour_bar(ax, image, "share of discriminants with the feature")


def plot_weight_map(
    weights: ArrayLike, *, names: Sequence[Any] | None = None, ax: Axes | None = None
) -> Axes:
    """Heat map of the weights of several discriminants, such as those of the folds.

    It is fig. 8.3 of Pranckeviciene & Somorjai (2011): features from top to bottom, one column per
    discriminant. White means no weight, and colours are symmetric around zero.

    Parameters
    ----------
    weights : array of shape (n_discriminants, n_features)
        For columns of the same unit, or multiplied by their standard deviations.
    names : sequence, optional
        A name for each discriminant; the default is its number, from 1.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar is added beside it.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_weight_map
    >>> ax = plot_weight_map([[0.5, 0.0, -1.0], [0.6, 0.1, 0.0]], ax=Figure().subplots())
    >>> ax.images[0].get_clim()
    (-1.0, 1.0)
    """
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 2 or not np.any(weights) or not np.isfinite(weights).all():
        raise ValueError(
            "weights must have one row per discriminant and one column per feature, finite and not "
            f"all zero; got shape {weights.shape}"
        )
    labels = range(1, len(weights) + 1) if names is None else names
    if len(labels) != len(weights):
        raise ValueError(f"names has {len(labels)} names for {len(weights)} discriminants")
    largest = float(np.abs(weights).max())
    ax = axes_or_new(ax, width=1.6 + 0.5 * len(weights), height=5.0)
    image = ax.imshow(weights.T, cmap="RdBu_r", aspect="auto", interpolation="nearest")
    image.set_clim(-largest, largest)
    ax.set_xticks(range(len(weights)), [short(label) for label in labels])
    ax.set_ylabel("feature")
    mark_whole_numbers(ax.yaxis)
    return add_colour_bar(ax, image, "weight")


def plot_subsets(subsets: Sequence[Sequence[Any]], *, ax: Axes | None = None) -> Axes:
    """Sizes of the disjoint subsets of a repetitive selection, in the order they were found.

    Parameters
    ----------
    subsets : sequence of sequences
        The features of every repetition, such as `subsets_` of `RepetitiveSelector`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_subsets
    >>> ax = plot_subsets([[4, 7], [1, 2, 9]], ax=Figure().subplots())
    >>> [int(bar.get_height()) for bar in ax.patches]
    [2, 3]
    """
    if not len(subsets):
        raise ValueError("there is no subset to draw")
    sizes = [len(subset) for subset in subsets]
    ax = axes_or_new(ax, width=5.2, height=3.0)
    ax.bar(range(1, len(sizes) + 1), sizes, color=CURVES[0], width=0.8)
    mark_whole_numbers(ax.xaxis, ax.yaxis)
    return finish(ax, "repetition", "features")


def plot_stand_ins(
    correlations: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    name: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Correlations of a selected feature with others, the strongest at the top.

    Parameters
    ----------
    correlations : array of shape (n_features,)
        Between minus one and one.
    feature_names : sequence of str, optional
        Of the other features; the default is their numbers, from 0.
    name : str, optional
        Of the selected feature.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from fewest.plotting import plot_stand_ins
    >>> ax = plot_stand_ins([0.3, -0.9], ["a", "b"], name="zyxin", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    correlations = np.asarray(correlations, dtype=np.float64)
    if correlations.ndim != 1 or not len(correlations):
        raise ValueError("correlations must be a list of at least one number")
    if not np.all(np.abs(correlations) <= 1.0 + 1e-9):
        raise ValueError("correlations must lie between minus one and one")
    ax, order = open_ranking(correlations, feature_names, ax, most=len(correlations))
    places = range(len(order))
    ax.hlines(places, 0.0, correlations[order], color=CURVES[0], linewidth=1.5)
    ax.plot(correlations[order], places, "o", color=CURVES[0], markersize=5, clip_on=False)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_xlim(min(-0.02, 1.05 * correlations.min()), max(0.02, 1.05 * correlations.max(), 1.0))
    ax.set_xlabel("correlation" if name is None else f"correlation with {short(name)}")
    return ax
