"""One fold: repetitive selection on its training samples, and probes of what remains."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.splits import balanced_error
from fewest._estimators.validation import make_dense, standardize_columns
from fewest._solvers.columns import Columns, column_products
from fewest._types import FloatArray, IndexArray
from fewest.informative._curve import removed_before
from fewest.informative._folds import Fold
from fewest.informative._probe import Probes, probe
from fewest.informative.purity import same_sign
from fewest.repetition.selector import RepetitiveSelector


@dataclass(frozen=True, eq=False)
class FoldCurves:
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
        Part of their features whose class difference has the same sign in the left-out samples.
    removed : array of shape (n_subsets,)
        Features that were gone before each repetition.
    probe_removed, probe_errors, probe_costs : arrays of shape (n_probes,)
        Features that were gone before each probe, its error, and the cost its inner folds chose.
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
    chance_removed: NDArray[np.intp]
    chance_errors: FloatArray
    stop_reason: str

    @property
    def n_removed(self) -> int:
        """Features in any subset."""
        return int(self.sizes.sum())


@dataclass(frozen=True, eq=False)
class Plan:
    """How every fold is worked on."""

    selector: RepetitiveSelector
    every: int
    by_size: bool
    costs: FloatArray | None  # None: no probe
    labellings: FloatArray
    n_chance_places: int


def run_fold(X: Any, y: FloatArray, fold: Fold, plan: Plan) -> FoldCurves:
    """Select on the training samples; measure on the others."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "interrupted", UserWarning)  # it is raised again below
        selector = plan.selector.fit(X[fold.training], y[fold.training])
    if selector.stop_reason_ == "interrupted":
        raise KeyboardInterrupt
    order = selector.ranking_ if plan.by_size else np.arange(len(selector.subsets_))
    subsets = [selector.subsets_[place] for place in order]
    sizes = np.array([len(subset) for subset in subsets], dtype=np.intp)
    blocks, probes = _probes(X, y, fold, plan, subsets, selector.remaining_)
    probe_removed = removed_before([len(block) for block in blocks])[: len(probes.errors)]
    return FoldCurves(
        test=fold.test,
        subsets=subsets,
        sizes=sizes,
        test_errors=_test_errors(X, y, fold, selector, order),
        agreements=_agreements(X, y, fold, subsets),
        removed=removed_before(sizes),
        probe_removed=probe_removed,
        probe_errors=probes.errors,
        probe_costs=probes.costs,
        chance_removed=probe_removed[probes.chance_places],
        chance_errors=probes.chance,
        stop_reason=selector.stop_reason_,
    )


def _probes(
    X: Any,
    y: FloatArray,
    fold: Fold,
    plan: Plan,
    subsets: Sequence[IndexArray],
    rest: IndexArray,
) -> tuple[list[IndexArray], Probes]:
    """Blocks of features in the order of their removal, and a probe before each of them goes."""
    nothing = np.array([], dtype=np.intp)
    if plan.costs is None:
        return [], Probes(np.array([]), np.array([]), nothing, np.empty((0, 0)))
    trained = standardize_columns(X[fold.training], None, per_column=True)
    columns = Columns(X, trained.mean, trained.inverse_scale)
    blocks = [
        np.concatenate(subsets[start : start + plan.every])
        for start in range(0, len(subsets), plan.every)
    ]
    places = nothing
    if len(plan.labellings):
        n_places = min(plan.n_chance_places, len(blocks))
        places = np.unique(np.linspace(0, len(blocks) - 1, n_places).round().astype(np.intp))
    if np.any(columns.inverse_scale[rest]):
        blocks.append(rest)
    probes = probe(
        columns,
        blocks,
        y,
        fold,
        costs=plan.costs,
        labellings=plan.labellings,
        chance_places=places,
    )
    return blocks, probes


def _test_errors(
    X: Any, y: FloatArray, fold: Fold, selector: RepetitiveSelector, order: Sequence[int]
) -> FloatArray:
    seen = X[fold.test]
    errors = []
    for place in order:
        values = make_dense(seen[:, selector.subsets_[place]])
        scores = values @ selector.coefs_[place] + selector.intercepts_[place]
        errors.append(balanced_error(y[fold.test], np.where(scores > 0.0, 1.0, -1.0)))
    return np.array(errors)


def _agreements(X: Any, y: FloatArray, fold: Fold, subsets: Sequence[IndexArray]) -> FloatArray:
    same = same_sign(*(_class_differences(X, y, rows) for rows in (fold.training, fold.test)))
    return np.array([same[subset].mean() for subset in subsets])


def _class_differences(X: Any, y: FloatArray, rows: IndexArray) -> FloatArray:
    """Differences of the classes' means over some rows, for every feature."""
    contrast = np.zeros(len(y))
    for sign in (-1.0, 1.0):
        members = rows[y[rows] == sign]
        contrast[members] = sign / len(members)
    return column_products(X, contrast)
