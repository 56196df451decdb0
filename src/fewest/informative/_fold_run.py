"""One fold: repetitive selection on its training samples, and probes of what remains."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.splits import balanced_error
from fewest._estimators.validation import make_dense
from fewest._gaps import fill_gaps, find_medians, has_gaps
from fewest._showing import Shown
from fewest._solvers.columns import column_products
from fewest._types import FloatArray, IndexArray
from fewest.informative._probe import Fold, pick_samples, probe, standardize_fold
from fewest.repetition.selector import RepetitiveSelector

AVERAGES: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}
_CHANCE_PLACES = 10  # the band changes slowly, and each of its points costs many probes


def resample(
    removed: ArrayLike, values: ArrayLike, fraction: FloatArray, n_features: int
) -> FloatArray:
    """Piecewise constant values at shares of removed features.

    Feature x = 1, ..., d gets the value of the last run that began when fewer than x features had
    been removed; `removed` are these numbers, in increasing order from zero. Values with more
    dimensions are resampled along the first one.
    """
    x = np.maximum(1, np.ceil(fraction * n_features - 1e-9))
    place = np.searchsorted(np.asarray(removed), x, side="left") - 1
    return np.asarray(values)[place]


def count_removed(sizes: ArrayLike) -> NDArray[np.intp]:
    """How many features are gone before each run."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)


@dataclass(frozen=True, eq=False, repr=False)
class FoldCurves(Shown):
    """What one fold has found.

    Attributes
    ----------
    test : array of int
        The samples that were left out.
    subsets : list of arrays of int
        Features of each repetition, in the order in which they count as removed.
    sizes, test_errors : arrays of shape (n_subsets,)
        Their numbers, and the error on the left-out samples of the machine that found them.
    agreements : array of shape (n_subsets,)
        Part of their features whose class difference has the same sign in the left-out samples (on
        average over each two classes).
    removed : array of shape (n_subsets,)
        Features that were gone before each repetition.
    probe_removed, probe_errors, probe_costs : arrays of shape (n_probes,)
        Features that were gone before each probe, its error, and the cost its inner folds chose.
    n_probed : int or None
        Samples that the probes were trained and tested on; None without probes.
    chance_removed : array of shape (n_places,)
        The same before each probe of permuted labels, whose errors are `chance_errors`.
    chance_errors : array of shape (n_places, n_permutations)
        Errors of probes for labels permuted within the groups.
    stop_reason : str
        Why the repetition ended.
    """

    test: IndexArray
    subsets: list[IndexArray]
    sizes: NDArray[np.intp]
    test_errors: FloatArray
    agreements: FloatArray
    removed: NDArray[np.intp]
    probe_removed: NDArray[np.intp]
    probe_errors: FloatArray
    probe_costs: FloatArray
    n_probed: int | None
    chance_removed: NDArray[np.intp]
    chance_errors: FloatArray
    stop_reason: str

    @property
    def n_removed(self) -> int:
        """Features in any subset."""
        return int(self.sizes.sum())


def _allows_no_error(selector: RepetitiveSelector) -> bool:
    """Whether no machine left an error; hard ones leave at most samples on the hyperplane."""
    is_hard = bool(np.isinf(getattr(selector.estimator, "C", np.inf)))
    return is_hard or not np.any(selector.training_errors_)


def run_fold(
    X: Any,
    y: FloatArray,
    fold: Fold,
    selector: RepetitiveSelector,
    order: str,
    every: int | None,
    labellings: FloatArray,
    max_samples: int | None,
) -> FoldCurves:
    """Select on the training samples; measure on the others, by probes too if `every` is given."""
    if has_gaps(X):
        X = fill_gaps(X, find_medians(X[fold.training]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "interrupted", UserWarning)  # it is raised again below
        selector.fit(X[fold.training], y[fold.training])
    if selector.stop_reason_ == "interrupted":
        raise KeyboardInterrupt
    by_size = order == "size" or (order == "auto" and _allows_no_error(selector))
    places_in_order = selector.ranking_ if by_size else range(len(selector.subsets_))
    subsets = [selector.subsets_[place] for place in places_in_order]
    sizes = np.array([len(subset) for subset in subsets], dtype=np.intp)
    left_out = X[fold.test], y[fold.test]
    blocks: list[IndexArray] = []
    places = np.array([], dtype=np.intp)
    errors, costs, chance = np.array([]), np.array([]), np.empty((0, 0))
    n_probed = None
    if every is not None:
        # Blocks of features in the order of their removal, and a probe before each of them goes.
        starts = range(0, len(subsets), every)
        blocks = [np.concatenate(subsets[start : start + every]) for start in starts]
        n_places = min(_CHANCE_PLACES, len(blocks)) if len(labellings) else 0
        places = np.unique(np.linspace(0, len(blocks) - 1, n_places).round().astype(np.intp))
        columns = standardize_fold(X, fold)
        if np.any(columns.inverse_scale[selector.remaining_]):
            blocks.append(selector.remaining_)
        picked, part, rows = pick_samples(columns, y, fold, max_samples)
        n_probed = len(rows)
        errors, costs, chance = probe(picked, blocks, y[rows], part, labellings[:, rows], places)
    probe_removed = count_removed([len(block) for block in blocks])[: len(blocks)]
    return FoldCurves(
        test=fold.test,
        subsets=subsets,
        sizes=sizes,
        test_errors=np.array(
            [_test_error(*left_out, selector, place) for place in places_in_order]
        ),
        agreements=_agreements(X, y, fold, subsets),
        removed=count_removed(sizes),
        probe_removed=probe_removed,
        probe_errors=errors,
        probe_costs=costs,
        n_probed=n_probed,
        chance_removed=probe_removed[places],
        chance_errors=chance,
        stop_reason=selector.stop_reason_,
    )


def _test_error(X: Any, y: FloatArray, selector: RepetitiveSelector, place: int) -> float:
    values = make_dense(X[:, selector.subsets_[place]])
    scores = values @ selector.coefs_[place].T + selector.intercepts_[place]
    codes = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return balanced_error(y, selector.classes_[codes])


def _agreements(X: Any, y: FloatArray, fold: Fold, subsets: Sequence[IndexArray]) -> FloatArray:
    """Share of each subset's features whose class difference has one sign, seen and left out.

    With more than two classes, the mean over the differences of each two of them.
    """
    seen, left_out = (_class_means(X, y, rows) for rows in (fold.training, fold.test))
    same = [
        (seen[second] - seen[first]) * (left_out[second] - left_out[first]) > 0.0
        for first, second in combinations(range(len(seen)), 2)
    ]
    share = np.mean(same, axis=0)
    return np.array([share[subset].mean() for subset in subsets])


def _class_means(X: Any, y: FloatArray, rows: IndexArray) -> FloatArray:
    """Means of the classes over some rows, for every feature."""
    means = []
    for label in np.unique(y):
        members = rows[y[rows] == label]
        shares = np.zeros(len(y))
        shares[members] = 1.0 / len(members)
        means.append(column_products(X, shares))
    return np.array(means)
