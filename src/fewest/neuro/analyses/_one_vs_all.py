"""Each condition against all others, in classes of equal size (Klement's thesis, fig. 6.13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from fewest._estimators.validation import check_choice, make_dense
from fewest._showing import Shown
from fewest._types import FloatArray
from fewest._wording import aligned, cut
from fewest.neuro.analyses._performance import (
    Performance,
    TwoClasses,
    check_samples,
    choose_conditions,
    measure_performances,
)

AVERAGES = ("rest", "all", None)


@dataclass(frozen=True, eq=False, repr=False)
class OneVsAll(Shown):
    """Outcome of `one_vs_all`; print it for the table.

    `performances` has one entry per condition, and `class_sizes` the number of samples of the
    condition and of the others after averaging.
    """

    conditions: tuple[Any, ...]
    performances: tuple[Performance, ...]
    class_sizes: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        rows = [["", "samples", "features", "error"]]
        found = zip(self.conditions, self.performances, self.class_sizes, strict=True)
        for condition, performance, (own, others) in found:
            name, sizes = f"{cut(condition)} vs. all others", f"{own} + {others}"
            rows.append([name, sizes, performance.features_text, performance.error_text])
        return aligned(rows)


def one_vs_all(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    blocks: ArrayLike | None = None,
    average: str | None = "rest",
    conditions: Iterable[Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> OneVsAll:
    """Number of features and error of each condition against all others together.

    The others have more samples. Klement's thesis therefore averages them, over the trials of the
    same condition, group and block (run), and leaves those of the one condition as they are.
    Averages have less noise, though, which alone may tell the classes apart: ``average="all"``
    treats both alike.

    Parameters
    ----------
    estimator, X, y, groups, n_jobs, verbose
        As for `all_pairs`.
    blocks : array of shape (n_samples,), optional
        What to average over within a group and condition, such as the run; all samples of it by
        default.
    average : {"rest", "all", None}
        What to average; None leaves all samples as they are.
    conditions : iterable, optional
        Which conditions to compare with the rest, in which order; all by default. The rest always
        is all of y.

    Returns
    -------
    OneVsAll

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import one_vs_all
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "anger", "fear"], 24), np.repeat(np.arange(6), 12)
    >>> X = rng.standard_normal((72, 200))
    >>> X[y == "joy", :3] += 3.0
    >>> found = one_vs_all(None, X, y, groups=groups, blocks=np.tile([0, 0, 0, 1, 1, 1], 12))
    >>> found.conditions, found.class_sizes[2]
    (('anger', 'fear', 'joy'), (24, 24))
    >>> found.performances[2].error < found.performances[0].error
    True
    """
    names, data_sets = oppose_rest(X, y, groups, blocks, average, conditions)
    found = measure_performances(estimator, data_sets, n_jobs=n_jobs, verbose=verbose)
    sizes = [(int(np.sum(data.y)), int(np.sum(~data.y))) for data in data_sets]
    return OneVsAll(tuple(names), tuple(found), tuple(sizes))


def oppose_rest(
    X: Any,
    y: ArrayLike,
    groups: ArrayLike,
    blocks: ArrayLike | None,
    average: str | None,
    conditions: Iterable[Any] | None,
) -> tuple[list[Any], list[TwoClasses]]:
    """The conditions, and the samples of each of them beside all others."""
    check_choice("average", average, AVERAGES)
    X, labels, own_groups = check_samples(X, y, groups)
    if average is not None:
        X = make_dense(X)
    how: dict[str, Any] = {"groups": own_groups, "blocks": blocks, "average": average}
    names = choose_conditions(labels, conditions, least=1)
    data_sets = []
    for name in names:
        samples = X, labels == name, own_groups
        if average is not None:
            samples = average_rest(X, labels, name, **how)
        rows = np.arange(len(samples[1]))
        data_sets.append(TwoClasses(*samples, rows, f"{name} and all others"))
    return names, data_sets


def average_rest(
    X: ArrayLike,
    y: ArrayLike,
    condition: Any,
    *,
    groups: ArrayLike,
    blocks: ArrayLike | None = None,
    average: str = "rest",
) -> tuple[FloatArray, NDArray[np.bool_], NDArray[Any]]:
    """The samples of a condition, and averages of all others within group, condition and block.

    Parameters
    ----------
    X, y, groups, blocks
        As for `one_vs_all`.
    condition : object
        A value of y.
    average : {"rest", "all"}
        With "all", the samples of the condition are averaged, too.

    Returns
    -------
    X : array of shape (n_averages, n_voxels)
        The new samples.
    is_condition : array of shape (n_averages,), bool
        Which of them are of the condition.
    groups : array of shape (n_averages,)
        Their groups.

    Examples
    --------
    >>> from fewest.neuro.analyses import average_rest
    >>> X = [[1.0], [2.0], [4.0], [6.0], [8.0]]
    >>> samples, is_a, _ = average_rest(X, list("aabbc"), "a", groups=[0] * 5)
    >>> samples.ravel().tolist(), is_a.tolist()
    ([1.0, 2.0, 5.0, 8.0], [True, True, False, False])
    """
    check_choice("average", average, AVERAGES[:2])
    X, y, groups = (np.asarray(one) for one in (X, y, groups))
    blocks = np.zeros(len(y)) if blocks is None else column_or_1d(blocks)
    check_consistent_length(X, y, groups, blocks)
    own = y == condition
    codes = [np.unique(one, return_inverse=True)[1] for one in (groups, y, blocks)]
    if average == "rest":  # each sample of the condition is its own average
        codes.append(np.where(own, np.arange(1, len(y) + 1), 0))
    _, first, place = np.unique(
        np.column_stack(codes), axis=0, return_index=True, return_inverse=True
    )
    sums = np.zeros((len(first), X.shape[1]))
    np.add.at(sums, place.ravel(), X)
    means = sums / np.bincount(place.ravel())[:, None]
    order = np.argsort(first, kind="stable")
    return means[order], own[first][order], groups[first][order]
