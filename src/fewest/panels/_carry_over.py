"""How a panel performs on a second data set: names matched, errors there, and what has shifted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from fewest._estimators.copies import join_copies
from fewest._estimators.splits import check_groups, fit_with_groups
from fewest._estimators.validation import check_data, make_dense
from fewest._types import FloatArray, IndexArray
from fewest._wording import listed, near, near_names, quoted
from fewest.panels._errors import Label, PanelError, describe_errors
from fewest.panels._folds import count_votes, draw_splits, predict_columns
from fewest.panels._names import name_columns
from fewest.panels._overlap import count_equal, find_shared, say_overlap

_MOST_COMPARED = 100  # columns, to find equal samples


@dataclass(frozen=True)
class MissingFeature:
    """A feature that the second data set does not have, and similar names there."""

    name: str
    near: list[str]


@dataclass(frozen=True)
class ClassShift:
    """How the values of one feature in one class differ in the second data set.

    `shift` is the difference of the means, second minus first, in standard deviations of the
    feature within the classes of the first data set. `scale` is the standard deviation in the
    second divided by that in the first, of this class. None where they are not defined.
    """

    label: Label
    shift: float | None
    scale: float | None


@dataclass(frozen=True)
class FeatureShift:
    """The shift of one feature, class by class.

    `overall` is the mean shift of the classes that both data sets have: what all of them share,
    such as another unit or another device.
    """

    name: str
    overall: float | None
    classes: list[ClassShift]


@dataclass(frozen=True)
class CarriedOver:
    """The panel on a second data set.

    Parameters
    ----------
    n_samples : int
        Samples of the second data set.
    n_groups : int or None
        Its groups, if it has any: intervals count these, and folds keep them whole.
    features : list of str
        The features of the panel that it has; the classifier was fitted to these.
    missing : list of MissingFeature
        The others.
    as_fitted : PanelError
        Errors of the classifier that was fitted to all samples of the first data set, as it is.
    rescaled : PanelError
        The same with every feature standardised separately in each data set. If this error is
        much smaller, the data sets differ in units or devices rather than in what the features say
        about the classes.
    retrained : PanelError or None
        Errors of a classifier that is trained and judged in folds of the second data set; None
        if a class is too small for that.
    shifts : list of FeatureShift
        What differs in the values themselves.
    n_equal : int
        Samples that are also in the first data set, up to rounding; 0 if chance may explain it.
    shared_groups : list of str
        Groups whose names are in both. With either, all errors have a `caveat`.
    notes : list of str
        Warnings, for instance about classes without samples.
    """

    n_samples: int
    n_groups: int | None
    features: list[str]
    missing: list[MissingFeature]
    as_fitted: PanelError
    rescaled: PanelError
    retrained: PanelError | None
    shifts: list[FeatureShift]
    n_equal: int
    shared_groups: list[str]
    notes: list[str]


@dataclass(frozen=True, eq=False)
class First:
    """What is needed of the first data set: columns (also the panel's alone), classes and names."""

    X: Any
    values: FloatArray
    y: NDArray[Any]
    classes: NDArray[Any]
    panel_names: list[str]
    names: list[str]
    groups: NDArray[Any] | None


def carry_over(
    model: Any,
    first: First,
    against: Any,
    *,
    panel: IndexArray,
    groups: ArrayLike | None,
    cv: Any,
    n_repeats: int,
    confidence: float,
    rng: np.random.RandomState,
) -> CarriedOver:
    """Errors and shifts on a second data set, `against`: (X, y) or (X, y, names), and its groups.

    A fourth entry has names of columns that were not read, among which near names are looked for.
    """
    X, y, names = _check_second(against, first.names)
    others = list(against[3]) if len(against) > 3 else []
    first, y = _match_classes(first, y)
    codes = np.searchsorted(first.classes, y)
    places, columns, missing = _match_names(first, panel, names, others)
    kept = replace(
        first,
        values=first.values[:, places],
        panel_names=[first.panel_names[place] for place in places],
    )
    values = np.asarray(make_dense(X[:, columns]), dtype=np.float64)
    labels = first.classes.tolist()
    try:
        together = check_groups(groups, len(y))
    except ValueError as error:
        raise ValueError(f"against, the second data set: {error}") from error
    # A copy of a sample says nothing new.
    apart = join_copies(X, y, together)[1]
    units = np.arange(len(y)) if apart is None else np.unique(apart, return_inverse=True)[1]
    n_groups = None if together is None else len(np.unique(together))
    shared_groups = find_shared(first.groups, together)
    n_equal = count_equal(kept.values, values) or _count_equal_in_all(first, X, names)
    overlap = say_overlap(n_equal, len(y), shared_groups, n_groups)
    caveat = f"optimistic: {overlap}" if overlap else ""

    def judge(known: FloatArray, new: FloatArray) -> PanelError:
        fitted = fit_with_groups(clone(model), known, first.y, None)
        votes = np.eye(len(labels))[np.searchsorted(first.classes, fitted.predict(new))]
        return describe_errors(
            votes, codes, labels, units, confidence, refitted=False, caveat=caveat
        )

    absent = [label for place, label in enumerate(labels) if not np.any(codes == place)]
    notes = []
    if overlap:
        notes.append(f"{overlap[:1].upper()}{overlap[1:]}: these errors are not of new samples.")
    if absent:
        notes.append(
            f"The second data set has no sample of {listed(absent)}: the error there is that of "
            "the other classes."
        )
    settings = {"cv": cv, "n_repeats": n_repeats, "confidence": confidence, "rng": rng}
    retrained, problem = _retrain(model, values, y, apart, units, **settings)
    if retrained is not None:  # the panel was chosen on some of its samples
        retrained = replace(retrained, caveat=caveat)
    return CarriedOver(
        n_samples=len(y),
        n_groups=n_groups,
        features=kept.panel_names,
        missing=missing,
        as_fitted=judge(kept.values, values),
        rescaled=judge(_standardize(kept.values), _standardize(values)),
        retrained=retrained,
        shifts=_find_shifts(kept, values, codes),
        n_equal=n_equal,
        shared_groups=shared_groups,
        notes=[*notes, *([problem] if problem else [])],
    )


def _check_second(against: Any, names: list[str]) -> tuple[Any, NDArray[Any], list[str]]:
    if not isinstance(against, (tuple, list)) or len(against) not in (2, 3, 4):
        raise ValueError("against must be (X, y), or (X, y, names of the columns)")
    given, y = against[:2]
    try:
        X, y = check_data(BaseEstimator(), given, y)
    except ValueError as error:
        raise ValueError(f"against, the second data set: {error}") from error
    if len(against) == 2 and not hasattr(given, "columns"):
        if X.shape[1] != len(names):
            raise ValueError(
                f"the second data set has {X.shape[1]} columns without names, but X has "
                f"{len(names)}: give against=(X, y, names), or a table with names"
            )
        return X, np.asarray(y), names
    return (
        X,
        np.asarray(y),
        name_columns(given, against[2] if len(against) > 2 else None, X.shape[1]),
    )


def _match_classes(first: First, y: NDArray[Any]) -> tuple[First, NDArray[Any]]:
    """Both with labels of one kind; an error for a class that the first data set does not have."""
    if _is_text(first.classes) != _is_text(y):  # "1" in one file is 1 in another
        y = np.array([str(label) for label in y.tolist()])
        known = np.array([str(label) for label in first.y.tolist()])
        first = replace(first, y=known, classes=np.unique(known))
    known = first.classes.tolist()
    unknown = [label for label in np.unique(y).tolist() if label not in known]
    if unknown:
        raise ValueError(
            f"the second data set has samples of {quoted(unknown[0])}, a class that the first one "
            f"does not have. {near(str(unknown[0]), [str(label) for label in known], 'classe')} "
            "Spell the classes alike, or leave such samples out"
        )
    return first, y


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "USO"


def _match_names(
    first: First, panel: IndexArray, names: list[str], others: list[str]
) -> tuple[list[int], list[int], list[MissingFeature]]:
    """Places in the panel and columns of the second data set, and what is missing there."""
    if names is first.names:  # no names of its own: the columns are the same
        return list(range(len(panel))), panel.tolist(), []
    at: dict[str, int] = {}
    for place, name in enumerate(names):
        at.setdefault(name, place)
    wanted = list(enumerate(first.panel_names))
    found = [(place, at[name]) for place, name in wanted if name in at]
    missing = [
        MissingFeature(name, near_names(name, [*names, *others]))
        for _, name in wanted
        if name not in at
    ]
    if not found:
        raise ValueError(
            f"the second data set has none of the features of the panel: "
            f"{listed(first.panel_names)}. {near(first.panel_names[0], names)}"
        )
    return [place for place, _ in found], [column for _, column in found], missing


def _count_equal_in_all(first: First, X: Any, names: list[str]) -> int:
    """Samples that are equal in the panel and others: a panel of zeros and ones says too little."""
    at = {name: place for place, name in reversed(list(enumerate(names)))}
    known = [(place, at[name]) for place, name in enumerate(first.names) if name in at]
    if not known:
        return 0
    both = zip((first.X, X), zip(*known[:_MOST_COMPARED], strict=True), strict=True)
    return count_equal(*(np.asarray(make_dense(one[:, list(at)]), dtype=float) for one, at in both))


def _standardize(values: FloatArray) -> FloatArray:
    deviation = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)


def _retrain(
    model: Any,
    values: FloatArray,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    units: IndexArray,
    *,
    cv: Any,
    n_repeats: int,
    confidence: float,
    rng: np.random.RandomState,
) -> tuple[PanelError | None, str]:
    """Folds within the second data set; a splitter was made for the first one, and is not used."""
    classes, codes = np.unique(y, return_inverse=True)
    n_folds = cv if isinstance(cv, (int, np.integer)) else 5
    try:
        with warnings.catch_warnings(action="ignore"):  # of fewer folds
            if len(classes) < 2:
                raise ValueError("it has one class only")
            splits = draw_splits(n_folds, y, groups, n_repeats=n_repeats, rng=rng)
    except ValueError as error:
        return None, f"No classifier was trained on the second data set: {error}."
    folds = predict_columns(model, values, y, groups, np.arange(values.shape[1]), splits)
    votes = count_votes(folds, classes, len(y))
    return describe_errors(votes, codes, classes.tolist(), units, confidence), ""


def _find_shifts(first: First, values: FloatArray, codes: IndexArray) -> list[FeatureShift]:
    """Differences of the means in standard deviations within the classes of the first data."""
    of_first = np.searchsorted(first.classes, first.y)
    labels = first.classes.tolist()
    n_classes = len(labels)
    means = np.array([first.values[of_first == place].mean(axis=0) for place in range(n_classes)])
    within = np.sqrt(
        np.sum((first.values - means[of_first]) ** 2, axis=0) / max(1, len(first.y) - n_classes)
    )
    shifts = []
    for place, name in enumerate(first.panel_names):
        classes = []
        for code, label in enumerate(labels):
            old, new = first.values[of_first == code, place], values[codes == code, place]
            shift = scale = None
            if len(new) and within[place] > 0.0:
                shift = float((new.mean() - means[code, place]) / within[place])
            if len(new) > 1 and len(old) > 1 and old.std() > 0.0:
                scale = float(new.std(ddof=1) / old.std(ddof=1))
            classes.append(ClassShift(label, shift, scale))
        known = [one.shift for one in classes if one.shift is not None]
        shifts.append(FeatureShift(name, float(np.mean(known)) if known else None, classes))
    return shifts
