"""Which features were chosen in which fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.validation import check_count
from fewest.plotting._figures import axes_or_new
from fewest.plotting._labels import feature_labels, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_FOLD_LABELS = 20


def plot_profile(
    profile: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    n_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Heat map of how often each feature was chosen per fold (Pranckeviciene & Somorjai, fig. 8.3).

    The most frequent features are shown, the most frequent one at the top; features that no fold
    chose are left out.

    Parameters
    ----------
    profile : array of shape (n_folds, n_features)
        Shares between zero and one, such as `profile_` of `LiknonCV`.
    feature_names : sequence of str, optional
        A name for each column of the profile; the default is its number, from 0.
    n_features : int
        Most features to show.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default. A colour bar takes its place beside it.

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
    ax.tick_params(length=0)
    # Thin lines between the cells.
    ax.set_xticks(np.arange(0.5, n_folds - 1), minor=True)
    ax.set_yticks(np.arange(0.5, len(shown) - 1), minor=True)
    ax.grid(which="minor", color="0.85", linewidth=0.6)
    ax.tick_params(which="minor", length=0)
    ax.set(xlabel="fold", ylabel="feature")
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label("share of discriminants with the feature")
    bar.outline.set_visible(False)
    return ax
