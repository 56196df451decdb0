"""Splits of the samples that respect classes and groups, and the error that is measured on them."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils.validation import column_or_1d

from fewest._estimators.abilities import abilities_of
from fewest._types import IndexArray


def split_folds(
    cv: Any,
    y: NDArray[Any],
    groups: ArrayLike | None = None,
    *,
    shuffle: bool = True,
    random_state: Any = None,
) -> list[tuple[IndexArray, IndexArray]]:
    """Training and test samples of every fold; each training part has samples of every class.

    A number for `cv` stands for that many stratified folds of samples, or of whole groups; there
    are fewer where the smallest class has not as many samples (or groups).
    """
    groups = check_groups(groups, len(y))
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        splitter = make_splitter(int(cv), y, groups, shuffle=shuffle, random_state=random_state)
    else:
        splitter = check_cv(cv, y, classifier=True)
    with warnings.catch_warnings():
        # Of groups that do not fit evenly; what matters is checked fold by fold below.
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = [
            (_indices(train), _indices(test))
            for train, test in splitter.split(np.zeros(len(y)), y, groups)
        ]
    if not folds:
        raise ValueError("cv yields no split")
    for number, (train, test) in enumerate(folds):
        missing = np.setdiff1d(y, y[train])
        if len(missing):
            raise ValueError(
                f"class {missing.tolist()[0]!r} is too small for the split: there is no sample of "
                f"it in the training part of split {number}. Use fewer folds, or another splitter"
            )
        if not len(test):
            raise ValueError(f"the test part of split {number} is empty")
    return folds


def check_groups(groups: ArrayLike | None, n_samples: int) -> NDArray[Any] | None:
    """A group for every sample, at least two different ones; None stays None."""
    if groups is None:
        return None
    names: NDArray[Any] = column_or_1d(groups)
    if len(names) != n_samples:
        raise ValueError(
            f"groups must name a group for each of the {n_samples} samples; got {len(names)}"
        )
    if len(np.unique(names)) < 2:
        raise ValueError("groups must hold at least two different groups")
    return names


def make_splitter(
    n_folds: int,
    y: NDArray[Any],
    groups: NDArray[Any] | None = None,
    *,
    shuffle: bool = True,
    random_state: Any = None,
) -> Any:
    """The splitter of that many stratified folds; fewer where the smallest class is too small."""
    if n_folds < 2:
        raise ValueError(f"cv must be at least two folds, or a splitter; got {n_folds!r}")
    counts, unit = count_classes(y, groups)
    label, least = min(counts.items(), key=lambda item: item[1])
    if least < 2:
        raise ValueError(
            f"class {label!r} is too small for the split: it has {least} {unit}, and "
            "cross-validation needs at least two of every class"
        )
    settings = {"n_splits": min(int(n_folds), least)}
    if shuffle:
        settings |= {"shuffle": True, "random_state": random_state}
    return (StratifiedKFold if groups is None else StratifiedGroupKFold)(**settings)


def _indices(part: Any) -> IndexArray:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def split_balanced(
    codes: IndexArray, groups: NDArray[Any] | None, rng: np.random.RandomState
) -> tuple[IndexArray, IndexArray]:
    """Random Training set with equal classes, and the Monitoring set that belongs to it."""
    order = rng.permutation(len(codes))
    if groups is None:
        members = [order[codes[order] == code] for code in (0, 1)]
        size = min(map(len, members)) // 2
        training = np.concatenate([rows[:size] for rows in members])
        monitoring = np.concatenate([rows[size:] for rows in members])
        return np.sort(training), np.sort(monitoring)
    halves = _group_halves(codes, groups, rng)
    if halves is None:
        raise ValueError(
            "the groups cannot be split into a Training and a Monitoring set that both hold both "
            "classes: more groups are needed"
        )
    inside, monitoring = halves
    order = order[np.isin(order, inside)]
    members = [order[codes[order] == code] for code in (0, 1)]
    size = min(map(len, members))
    return np.sort(np.concatenate([rows[:size] for rows in members])), monitoring


def _group_halves(
    codes: IndexArray, groups: NDArray[Any], rng: np.random.RandomState
) -> tuple[IndexArray, IndexArray] | None:
    """Two random halves of whole groups, each with both classes; None if that fails."""
    for _ in range(20):
        splitter = StratifiedGroupKFold(2, shuffle=True, random_state=rng.randint(2**31 - 1))
        halves = next(splitter.split(np.empty((len(codes), 1)), codes, groups))
        if all(len(np.unique(codes[half])) == 2 for half in halves):
            return halves
    return None


def count_smallest_class(codes: IndexArray, groups: NDArray[Any] | None) -> tuple[str, int]:
    """Samples of the smaller of two classes, or groups that have any, and what was counted."""
    counts, unit = count_classes(codes, groups)
    return unit, min(counts.get(code, 0) for code in (0, 1))


def count_classes(y: NDArray[Any], groups: NDArray[Any] | None) -> tuple[dict[Any, int], str]:
    """Number of samples, or of groups, of every class; and what was counted."""
    labels = np.unique(y).tolist()
    if groups is None:
        return {label: int(np.sum(y == label)) for label in labels}, "sample(s)"
    return {label: len(np.unique(groups[y == label])) for label in labels}, "group(s)"


def fit_with_groups(estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> Any:
    """Fit; estimators that split the samples themselves keep groups together."""
    if groups is not None and abilities_of(estimator).splits_samples:
        return estimator.fit(X, y, groups=groups)
    return estimator.fit(X, y)


def balanced_error(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Mean over the classes at hand of the share of their samples that are misclassified.

    Parameters
    ----------
    y, predicted : arrays of shape (n_samples,)
        The classes, and what was predicted.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.significance import balanced_error
    >>> balanced_error(np.array(["a", "a", "a", "b"]), np.array(["a", "a", "a", "a"]))
    0.5
    """
    return float(np.mean([np.mean(predicted[y == label] != label) for label in np.unique(y)]))


def require_both_classes(groups: NDArray[Any], y: NDArray[Any]) -> None:
    """A group that is left out must have samples of both classes, else chance is not one half."""
    for group in np.unique(groups):
        if len(np.unique(y[groups == group])) == 1:
            raise ValueError(
                f"group {group} has samples of one class only, so that the error on it says "
                "nothing. Merge such groups with others, leave their samples out, or name other "
                "groups"
            )
