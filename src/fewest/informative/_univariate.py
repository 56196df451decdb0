"""One feature at a time: t-statistics, and what they share with a selection of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, stats

from fewest._estimators.labellings import note_sizes
from fewest._estimators.many_samples import hold_several
from fewest._estimators.splits import check_groups, require_all_classes
from fewest._estimators.validation import (
    check_choice,
    check_share,
    encode_two_classes,
    make_dense,
)
from fewest._showing import Shown
from fewest._solvers.columns import weighted_moments, wrap_columns
from fewest._types import FloatArray
from fewest.informative._fold_run import AVERAGES, resample
from fewest.informative._probe import check_classes
from fewest.informative._run import InformativeFeatures

SHARES = (0.01, 0.025, 0.05, 0.2, 0.34, 0.5)


@dataclass(frozen=True, eq=False, repr=False)
class TMap(Shown):
    """t-statistics of all features.

    Attributes
    ----------
    t : array of shape (n_features,)
        Positive where the second class has the larger mean; zero for a constant feature.
    p_value : array of shape (n_features,)
        Two-sided probability of a value at least this large by chance, not corrected for multiple
        testing.
    degrees_of_freedom : int
        Of the t-distribution.
    kind : str
        "paired", "group-means" or "two-sample".
    """

    t: FloatArray
    p_value: FloatArray
    degrees_of_freedom: int
    kind: str

    def top(self, share: float) -> NDArray[np.intp]:
        """The features with the largest absolute values, the largest first.

        Parameters
        ----------
        share : float
            Share of all features, above zero and at most one.

        Returns
        -------
        array of int
        """
        order = np.argsort(-np.abs(self.t), kind="stable")
        return order[: share_count(share, len(order))]


def t_map(
    X: Any, y: ArrayLike, *, groups: ArrayLike | None = None, kind: str | None = None
) -> TMap:
    r"""Mass-univariate comparison of two classes (Klement, Anders & Martinetz 2013, sec. 4.2).

    With groups, the samples of each class are averaged in each group (participant), and the
    differences d_g of the two averages are compared with zero,

    .. math:: t = \bar d \, \sqrt{G} / s_d ,

    with G - 1 degrees of freedom; without groups, it is Student's test of two independent samples.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Numbers.
    y : array of shape (n_samples,)
        Two class labels.
    groups : array of shape (n_samples,), optional
        Group of each sample; for a paired test each has samples of both classes.
    kind : {"paired", "group-means", "two-sample"}, optional
        The default is "paired" if there are groups. "group-means" is a two-sample test of the
        groups' averages, for groups of one class each. "two-sample" treats samples as
        independent even if they are of the same group.

    Returns
    -------
    TMap

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.informative import t_map
    >>> X = np.array([[1.0, 5.0], [2.0, 5.5], [2.0, 7.0], [3.1, 6.0], [4.0, 1.0], [5.2, 1.2]])
    >>> found = t_map(X, [0, 1, 0, 1, 0, 1], groups=[0, 0, 1, 1, 2, 2])
    >>> found.t.round(2).tolist()
    [19.05, -0.22]
    """
    encode_two_classes("t_map", y)
    X, _, codes = check_classes("t_map", X, y)
    y = 2.0 * codes - 1.0
    groups = check_groups(groups, len(y))
    kind = ("two-sample" if groups is None else "paired") if kind is None else kind
    check_choice("kind", kind, ("paired", "group-means", "two-sample"))
    if kind == "two-sample":
        difference, error, freedom = _compare_two(X, y)
    elif groups is None:
        raise ValueError(f"a {kind} test needs groups: pass groups, or kind='two-sample'")
    elif kind == "paired":
        require_all_classes(groups, y)
        difference, error, freedom = _compare_pairs(X, y, groups)
    else:
        note_sizes(y, groups)
        difference, error, freedom = _compare_two(*_average_groups(X, y, groups))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(difference == 0.0, 0.0, difference / error)
    return TMap(t, 2.0 * stats.t.sf(np.abs(t), freedom), freedom, kind)


def choose_kind(y: ArrayLike, groups: ArrayLike | None) -> str:
    """The test that suits the groups: paired only if each has samples of both classes."""
    if groups is None:
        return "two-sample"
    y, groups = np.asarray(y), np.asarray(groups)
    return "paired" if hold_several(y, groups).all() else "group-means"


def informative_share(p_value: ArrayLike, *, threshold: float = 0.5) -> float:
    r"""Share of features whose p-values are not due to chance.

    p-values of features without information are uniform. So the p-values above a threshold, where
    there are few others, show how many such features there are:

    .. math:: 1 - \frac{\#\{j : p_j > \lambda\}}{(1 - \lambda) \, d} .

    Parameters
    ----------
    p_value : array of shape (n_features,)
        p-values, for instance from `t_map`.
    threshold : float
        The lambda of the formula, between zero and one (both excluded).

    Returns
    -------
    float
        Between zero and one.

    Examples
    --------
    >>> from fewest.informative import informative_share
    >>> informative_share([0.001, 0.002, 0.001, 0.3, 0.6, 0.9])  # two of 6 above one half
    0.33333333333333337
    """
    p = np.asarray(p_value, dtype=np.float64)
    if p.ndim != 1 or not len(p) or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p_value must be a list of probabilities between zero and one")
    check_share("threshold", threshold, strictly=True)
    null = np.mean(p > threshold) / (1.0 - threshold)
    return float(np.clip(1.0 - null, 0.0, 1.0))


def share_count(share: float, n_features: int) -> int:
    """How many features a share of them is, at least one."""
    if not 0.0 < share <= 1.0:
        raise ValueError(f"a share must be above zero and at most one; got {share!r}")
    return max(1, round(share * n_features))


def _compare_pairs(
    X: Any, y: FloatArray, groups: NDArray[Any]
) -> tuple[FloatArray, FloatArray, int]:
    """Mean and standard error over the groups of the difference of the classes."""
    averages, _ = _average_groups(X, y, groups)  # both classes of every group in turn
    differences = averages[1::2] - averages[::2]
    n = len(differences)
    mean = differences.mean(axis=0)
    # Differences of equal values may leave a rounding error behind.
    ends = (make_dense(X.max(axis=0)), make_dense(X.min(axis=0)))
    largest = np.maximum(*(np.abs(np.asarray(end, dtype=np.float64)).ravel() for end in ends))
    mean = np.where(np.abs(mean) <= 2.0 * largest * np.finfo(np.float64).eps, 0.0, mean)
    return mean, differences.std(axis=0, ddof=1) / np.sqrt(n), n - 1


def _average_groups(X: Any, y: FloatArray, groups: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """The average of each class in each group, and its class."""
    pairs, member = np.unique(
        np.stack([np.unique(groups, return_inverse=True)[1], y]), axis=1, return_inverse=True
    )
    member = member.ravel()
    shares = 1.0 / np.bincount(member)[member]
    shape = pairs.shape[1], len(y)
    averaging = sparse.csr_matrix((shares, (member, np.arange(len(y)))), shape=shape)
    if sparse.issparse(X):
        return np.asarray((averaging @ X).toarray()), pairs[1]
    averages = np.empty((shape[0], X.shape[1]))
    for index, block in wrap_columns(X).blocks():
        averages[:, index] = averaging @ block
    return averages, pairs[1]


def _compare_two(X: Any, y: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Difference of the classes' means, and its standard error from the pooled variance."""
    members = [(y < 0).astype(np.float64), (y > 0).astype(np.float64)]
    sizes = [int(one.sum()) for one in members]
    if sum(sizes) < 3:
        raise ValueError("a two-sample test needs at least three samples")
    (mean_0, variance_0), (mean_1, variance_1) = (weighted_moments(X, one) for one in members)
    freedom = sum(sizes) - 2
    pooled = (sizes[0] * variance_0 + sizes[1] * variance_1) / freedom
    return mean_1 - mean_0, np.sqrt(pooled * (1 / sizes[0] + 1 / sizes[1])), freedom


@dataclass(frozen=True)
class Overlap:
    """The first features of the selection, and the same number from the top of the t-map.

    Attributes
    ----------
    share : float
        Size of either set, as a share of all features.
    observed : float
        Share of one set that is in the other, on average over the folds.
    expected : float
        The same for random sets.
    p_value : float
        Largest p-value in the top of the t-map.
    """

    share: float
    observed: float
    expected: float
    p_value: float


def overlap_table(
    found: InformativeFeatures, univariate: TMap, shares: Sequence[float] = SHARES
) -> list[Overlap]:
    """Observed and expected overlap of the selection with a t-map, at several shares.

    Parameters
    ----------
    found : InformativeFeatures
        The selection, fold by fold.
    univariate : TMap
        t-statistics of the same features.
    shares : sequence of float
        Shares of the features to compare; those that some fold did not reach are left out.

    Returns
    -------
    list of Overlap

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, overlap_table, t_map
    >>> maps = make_brain(4, 3, n_voxels=200, informative=0.3, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> rows = overlap_table(found, univariate, shares=[0.1])
    >>> print(f"observed {rows[0].observed:.2f}, expected {rows[0].expected:.2f}")
    observed 0.33, expected 0.10
    """
    _check_same_features(found, univariate)
    orders = [np.concatenate(fold.subsets) for fold in found.folds]
    rows = []
    for share in shares:
        count = share_count(share, found.n_features)
        if count > min(map(len, orders)):
            continue
        top = univariate.top(share)
        common = [np.isin(order[:count], top).mean() for order in orders]
        rows.append(
            Overlap(
                share=float(share),
                observed=float(np.mean(common)),
                expected=count / found.n_features,
                p_value=float(univariate.p_value[top[-1]]),
            )
        )
    return rows


def overlap_curve(found: InformativeFeatures, univariate: TMap, share: float) -> FloatArray:
    """Share of the features of each repetition that are in the top of a t-map.

    Parameters
    ----------
    found : InformativeFeatures
        The selection, fold by fold.
    univariate : TMap
        t-statistics of the same features.
    share : float
        Share of all features that counts as its top.

    Returns
    -------
    array of shape (n_points,)
        At the points of ``found.fraction``, averaged over the folds (Klement et al. 2013, fig. 4b).

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features, overlap_curve, t_map
    >>> maps = make_brain(4, 3, n_voxels=200, informative=0.3, random_state=0)
    >>> found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    >>> univariate = t_map(maps.X, maps.y, groups=maps.groups)
    >>> curve = overlap_curve(found, univariate, 0.2)
    >>> bool(curve[0] > curve[-1])  # what is found first is in the t-map's top more often
    True
    """
    _check_same_features(found, univariate)
    top = np.zeros(found.n_features, dtype=bool)
    top[univariate.top(share)] = True
    curves = []
    for fold in found.folds:
        inside = [top[subset].mean() for subset in fold.subsets]
        curves.append(resample(fold.removed, inside, found.fraction, found.n_features))
    return AVERAGES[found.average](curves, axis=0)


def _check_same_features(found: InformativeFeatures, univariate: TMap) -> None:
    if len(univariate.t) != found.n_features:
        raise ValueError(
            f"the t-map has {len(univariate.t)} features, but the selection was among "
            f"{found.n_features}: both must come from the same X"
        )
