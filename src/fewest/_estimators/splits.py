"""Splits and permuted labels that respect classes and groups, and the error that is measured."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils.validation import column_or_1d

from fewest._estimators.abilities import abilities_of
from fewest._estimators.in_time import ending_in_time
from fewest._estimators.labellings import count_arrangements, list_others, note_sizes
from fewest._estimators.many_samples import find_members, hold_several
from fewest._estimators.probabilities import Calibrated
from fewest._interrupts import raise_interrupt
from fewest._types import FloatArray, IndexArray

Split = tuple[IndexArray, IndexArray]

# With more groups than this, labels change places by one sort for all groups.
_MANY_GROUPS = 1_000
_ONE_CLASS_EACH = (
    "every stratum holds a single class, so no label can move within its stratum: the classes and "
    "the strata cannot be distinguished"
)


def split_folds(
    cv: Any,
    y: NDArray[Any],
    groups: ArrayLike | None = None,
    *,
    random_state: Any = None,
    classes: bool = True,
) -> list[Split]:
    """Training and test samples of every fold; each training part has samples of every class.

    A number for `cv` is one for `make_splitter`. `classes` is False if y holds numbers.
    """
    groups = check_groups(groups, len(y))
    if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
        n_folds = 5 if cv is None else int(cv)
        splitter = make_splitter(n_folds, y, groups, random_state=random_state, classes=classes)
    else:
        splitter = check_cv(cv, y, classifier=classes)
    with warnings.catch_warnings():
        # Of groups that do not fit evenly; what matters is checked fold by fold below.
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = []
        for train, test in splitter.split(np.zeros(len(y)), y, groups):
            raise_interrupt()  # one that scikit-learn or NumPy has swallowed on the way
            folds.append((_to_indices(train), _to_indices(test)))
    if not folds:
        raise ValueError("cv yields no split")
    for number, (train, test) in enumerate(folds):
        missing = np.setdiff1d(y, y[train]) if classes else y[:0]
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


def count_independent(n_samples: int, *parts: ArrayLike | None) -> int:
    """How many samples do not depend on each other: one of each group, or of each block."""
    return min([n_samples, *(len(np.unique(np.asarray(p))) for p in parts if p is not None)])


def count_smaller(y: NDArray[Any], *parts: ArrayLike | None) -> int:
    """How many independent samples the smallest class has, at least: one of each group, or block.

    A class may have most of the samples in very few groups.
    """
    n_independent = count_independent(len(y), *parts)
    counts = np.unique(y, return_counts=True)[1]
    known = [int(counts.min()) * n_independent // len(y)]
    for part in (np.asarray(one) for one in parts if one is not None):
        known += [len(np.unique(part[y == label])) for label in np.unique(y)]
    return max(1, min(known))


def make_splitter(
    n_folds: int,
    y: NDArray[Any],
    groups: NDArray[Any] | None = None,
    *,
    random_state: Any = None,
    classes: bool = True,
) -> Any:
    """The splitter of that many folds of samples, or of whole groups; stratified for classes.

    The samples are shuffled only if a `random_state` is given. Where the smallest class has fewer
    samples (or groups) than folds are asked for, there are as many folds as it has, and a warning
    says so.
    """
    if n_folds < 2:
        raise ValueError(f"cv must be at least two folds, or a splitter; got {n_folds!r}")
    shuffle = {} if random_state is None else {"shuffle": True, "random_state": random_state}
    if not classes:
        return (KFold if groups is None else GroupKFold)(n_folds, **shuffle)
    label, least, unit = find_smallest_class(y, groups)
    if least < 2:
        raise ValueError(
            f"class {label!r} is too small for the split: it has a single {unit}, and "
            "cross-validation needs at least two of every class"
        )
    if least < n_folds:
        warnings.warn(
            f"{least} folds instead of {n_folds}: class {label!r} has only {least} {unit}s",
            UserWarning,
            stacklevel=3,
        )
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    return kind(min(n_folds, least), **shuffle)


def _to_indices(part: Any) -> IndexArray:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def split_balanced(
    codes: IndexArray,
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
    sizes: tuple[int, int] | None = None,
) -> Split:
    """Random Training set with equal classes (or given sizes), and its Monitoring set."""
    order = rng.permutation(len(codes))
    if groups is None:
        members = [order[codes[order] == code] for code in (0, 1)]
        half = min(map(len, members)) // 2
        sizes = (half, half) if sizes is None else sizes
        monitoring = np.concatenate(
            [rows[size:] for rows, size in zip(members, sizes, strict=True)]
        )
    else:
        inside, monitoring = _halve_groups(codes, groups, rng)
        order = order[np.isin(order, inside)]
        members = [order[codes[order] == code] for code in (0, 1)]
        least = min(map(len, members))
        sizes = (least, least) if sizes is None else sizes
    taken = [rows[:size] for rows, size in zip(members, sizes, strict=True)]
    return np.sort(np.concatenate(taken)), np.sort(monitoring)


def _halve_groups(codes: IndexArray, groups: NDArray[Any], rng: np.random.RandomState) -> Split:
    """Two random halves of whole groups, each with both classes."""
    for _ in range(20):
        splitter = StratifiedGroupKFold(2, shuffle=True, random_state=rng.randint(2**31 - 1))
        halves = next(splitter.split(np.empty((len(codes), 1)), codes, groups))
        if all(len(np.unique(codes[half])) == 2 for half in halves):
            return halves
    raise ValueError(
        "the groups cannot be split into a Training and a Monitoring set that both hold both "
        "classes: more groups are needed"
    )


def find_smallest_class(y: NDArray[Any], groups: NDArray[Any] | None) -> tuple[Any, int, str]:
    """The smallest class, how many samples (or groups) it has, and which of them were counted."""
    counts, unit = count_classes(y, groups)
    label, least = min(counts.items(), key=lambda item: item[1])
    return label, least, unit


def count_classes(y: NDArray[Any], groups: NDArray[Any] | None) -> tuple[dict[Any, int], str]:
    """Number of samples, or of groups, of every class; and what was counted."""
    labels = np.unique(y).tolist()
    if groups is None:
        return {label: int(np.sum(y == label)) for label in labels}, "sample"
    return {label: len(np.unique(groups[y == label])) for label in labels}, "group"


def fit_with_groups(estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> Any:
    """Fit; estimators that split the samples themselves keep groups together.

    An OutOfTimeError where somebody waits no longer (`in_time`): a fit that ended early is no fit.
    """
    with ending_in_time():
        if groups is not None and abilities_of(estimator).splits_samples:
            return estimator.fit(X, y, groups=groups)
        return estimator.fit(X, y)


def fit_within(estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> Any:
    """Fit for what it selects or decides: nobody will ask it for probabilities.

    Those would take further fits.
    """
    if not isinstance(estimator, Calibrated):
        return fit_with_groups(estimator, X, y, groups)
    estimator._calibrates = False
    try:
        return fit_with_groups(estimator, X, y, groups)
    finally:
        del estimator._calibrates


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


def summarize_splits(
    name: str, values: FloatArray, mean: FloatArray, *, best: str = "largest"
) -> dict[str, NDArray[Any]]:
    """Entries of `cv_results_` for values with one row per split and one column per candidate."""
    order = mean.round(12) if best == "smallest" else -mean.round(12)
    ranks = rankdata(np.where(np.isnan(mean), np.inf, order), method="min")
    return {
        **{f"split{number}_test_{name}": row for number, row in enumerate(values)},
        f"mean_test_{name}": mean,
        f"std_test_{name}": values.std(axis=0),
        f"rank_test_{name}": ranks.astype(np.int32),
    }


def require_all_classes(groups: NDArray[Any], y: NDArray[Any]) -> None:
    """A group that is left out must have samples of all classes, else chance is not 1 - 1 / K."""
    (names, of_groups), (classes, of_classes) = (
        np.unique(values, return_inverse=True) for values in (groups, y)
    )
    seen = np.zeros((len(names), len(classes)), dtype=bool)
    seen[of_groups, of_classes] = True
    missing = np.argwhere(~seen)
    if len(missing):
        group, label = missing[0]
        what = "samples of one class only"
        if len(classes) > 2:
            what = f"no samples of class {classes[label]}"
        raise ValueError(
            f"group {names[group]} has {what}, so the error on it says nothing. Merge such groups "
            "with others, leave their samples out, or name other groups"
        )


def choose_exchange(y: NDArray[Any], groups: NDArray[Any] | None) -> str:
    """How labels change places: "within" groups, or "whole" groups if each has one class."""
    return "whole" if groups is not None and not _mixed(y, groups) else "within"


def permute_labels(
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    n_permutations: int,
    rng: np.random.RandomState,
    *,
    exchange: str = "within",
    parts: NDArray[Any] | None = None,
    blocks: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Permuted labels, one row per permutation; a ValueError if the groups do not allow any.

    Labels change places within `parts` only, where these are given: one per sample. Samples of the
    same of the `blocks` have the same label in every permutation.
    """
    if blocks is not None:
        _, first, member = np.unique(blocks, return_index=True, return_inverse=True)
        for values, what in ((y, "classes"), (groups, "groups"), (parts, "strata")):
            if values is not None and _mixed(values, blocks):
                raise ValueError(
                    f"a block lies in several {what}, but its samples move together. Part such "
                    "blocks"
                )
        own = (None if values is None else values[first] for values in (groups, parts))
        groups, parts = own
        moved = permute_labels(
            y[first], groups, n_permutations, rng, exchange=exchange, parts=parts
        )
        return moved[:, member]
    if groups is None:
        blocks = np.zeros(len(y)) if parts is None else parts
        if parts is not None and not _mixed(y, parts):
            raise ValueError(_ONE_CLASS_EACH)
        return _permute_within(y, blocks, n_permutations, rng)
    if parts is not None and exchange == "within":
        pairs = np.column_stack([np.unique(one, return_inverse=True)[1] for one in (groups, parts)])
        together = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        if not _mixed(y, together):
            raise ValueError(_ONE_CLASS_EACH)
        return _permute_within(y, together, n_permutations, rng)
    mixed = _mixed(y, groups)
    if exchange == "within":
        if not mixed:
            raise ValueError(
                "every group holds a single class, so no label can move within its group. "
                "Permute the labels of whole groups with exchange='whole'"
            )
        return _permute_within(y, groups, n_permutations, rng)
    if mixed:
        raise ValueError(
            "exchange='whole' needs groups of one class each, but some hold several. Permute "
            "their labels with exchange='within'"
        )
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    if parts is not None and _mixed(parts, groups):
        raise ValueError(
            "a group lies in several strata, but the labels of whole groups change places: give "
            "all samples of a group the same covariates"
        )
    note_sizes(y, groups)
    blocks = np.zeros(len(first)) if parts is None else parts[first]
    return _permute_within(y[first], blocks, n_permutations, rng)[:, member]


def _mixed(y: NDArray[Any], groups: NDArray[Any]) -> bool:
    return bool(hold_several(y, groups).any())


def _permute_within(
    y: NDArray[Any], blocks: NDArray[Any], n_permutations: int, rng: np.random.RandomState
) -> NDArray[Any]:
    members = find_members(blocks)
    if 1 < count_arrangements(y, members) <= n_permutations + 1:
        return list_others(y, members)
    permuted = np.tile(y, (n_permutations, 1))
    if len(members) > _MANY_GROUPS:
        places, codes = np.concatenate(members), np.unique(blocks, return_inverse=True)[1]
        for labels in permuted:
            labels[places] = y[np.lexsort((rng.random_sample(len(y)), codes))]
        return permuted
    for labels in permuted:
        for rows in members:
            labels[rows] = rng.permutation(labels[rows])
    return permuted
