"""Panels for a hierarchy of types: the broad ones first, then what tells their parts apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import (
    Abilities,
    Selection,
    Selector,
    abilities_of,
    selection_of,
)
from fewest._estimators.certificate import Certificate
from fewest._types import FloatArray
from fewest._wording import counted, quoted
from fewest.single_cell._machine import find_certificates, find_weights

Path = tuple[str, ...]  # the types that a type belongs to, the broadest first, and itself


class HierarchicalMachine(Selector, ClassifierMixin, BaseEstimator):
    """One machine for the broadest types, and one for the parts of each type that has several.

    Parameters
    ----------
    machines : sequence of selecting classifiers
        One per level, the broadest first; clones of them are fitted.
    paths : dict
        For every class, the types it belongs to at each level, the broadest first, itself at the
        end.

    Attributes
    ----------
    nodes_ : dict
        The fitted machine of every type that has several parts, by its path; that of the broadest
        types by the empty path.
    certificates_ : tuple of Certificate
        Proofs of their linear programs.
    support_ : array of shape (n_features,), bool
        Features that any of them selected.
    classes_ : array of shape (n_classes,)
        The finest types.
    """

    def __init__(self, machines: Sequence[Any], paths: Mapping[str, Path]) -> None:
        self.machines = machines
        self.paths = paths

    def _abilities(self) -> Abilities:
        return Abilities(
            "machine for a hierarchy of types",
            has_scores=False,
            predicts_from_support=all(
                abilities_of(machine).predicts_from_support for machine in self.machines
            ),
        )

    def _selection(self) -> Selection:
        supports = np.array([selection_of(node).support for node in self.nodes_.values()])
        return Selection(supports, cost=float(supports.any(axis=0).sum()))

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        return self.certificates_

    def fit(self, X: Any, y: ArrayLike) -> HierarchicalMachine:
        """Fit the machines of all types that have several parts."""
        X = X.tocsr() if hasattr(X, "tocsr") else X  # parts take rows
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        paths = [tuple(self.paths[name]) for name in self.classes_.tolist()]
        self.parts_: dict[Path, list[str]] = {}
        self.nodes_: dict[Path, Any] = {}
        self.certificates_: tuple[Certificate, ...] = ()
        for level, machine in enumerate(self.machines):
            for parent in dict.fromkeys(path[:level] for path in paths):
                inside = [place for place, path in enumerate(paths) if path[:level] == parent]
                names = [paths[place][level] for place in inside]
                self.parts_[parent] = list(dict.fromkeys(names))
                if len(self.parts_[parent]) > 1:
                    rows = np.isin(codes, inside)
                    of_class = np.empty(len(paths), dtype=object)
                    of_class[inside] = names
                    labels = of_class[codes[rows]].astype(str)
                    part = X if rows.all() else X[rows]
                    node = clone(machine).fit(part, labels)
                    self.nodes_[parent] = node
                    self.certificates_ += find_certificates(node, labels)
        self.n_features_in_ = X.shape[1]
        self.support_ = self._selection().support
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the broadest type, then its part, and so on."""
        check_is_fitted(self)
        X = X.tocsr() if hasattr(X, "tocsr") else X
        predicted = np.empty(X.shape[0], dtype=self.classes_.dtype)
        self._predict_parts(X, np.arange(X.shape[0]), (), predicted)
        return predicted

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class: the product of those of its types, level by level."""
        check_is_fitted(self)
        shares = np.ones((X.shape[0], len(self.classes_)))
        for parent, node in self.nodes_.items():
            found, names = node.predict_proba(X), node.classes_.tolist()
            for column, name in enumerate(self.classes_.tolist()):
                path = tuple(self.paths[name])
                if path[: len(parent)] == parent:
                    shares[:, column] *= found[:, names.index(path[len(parent)])]
        return shares

    def _predict_parts(
        self, X: Any, rows: NDArray[np.intp], parent: Path, predicted: NDArray[Any]
    ) -> None:
        """Fill in the classes of rows that were predicted to belong to a type."""
        if not len(rows):
            return
        if len(parent) == len(self.machines):
            predicted[rows] = parent[-1]
            return
        node = self.nodes_.get(parent)
        if node is None:
            self._predict_parts(X, rows, (*parent, self.parts_[parent][0]), predicted)
            return
        found = node.predict(X[rows])
        for name in self.parts_[parent]:
            self._predict_parts(X, rows[found == name], (*parent, name), predicted)

    def find_weights(self, scale: FloatArray) -> FloatArray:
        """Weights of all features, one row per class: the sums along its path, centred."""
        weights = np.zeros((len(self.classes_), len(scale)))
        for parent, node in self.nodes_.items():
            found = find_weights(node, scale)
            names = node.classes_.tolist()
            for row, name in enumerate(self.classes_.tolist()):
                path = tuple(self.paths[name])
                if path[: len(parent)] == parent:
                    weights[row] += found[names.index(path[len(parent)])]
        return weights - weights.mean(axis=0)


def find_paths(columns: Mapping[str, NDArray[Any]]) -> dict[str, Path]:
    """The types that every finest type belongs to; `columns` are labels, the broadest first."""
    names = list(columns)
    labels = list(columns.values())
    for broad, fine in pairwise(names):
        _check_nested(columns[broad], columns[fine], broad, fine)
    _, first = np.unique(labels[-1], return_index=True)
    return {
        str(labels[-1][place]): tuple(str(column[place]) for column in labels) for place in first
    }


def _check_nested(above: NDArray[Any], below: NDArray[Any], broad: str, fine: str) -> None:
    """Raise unless all cells of every fine type are of one broad type."""
    pairs, sizes = np.unique(np.array([below, above]), axis=1, return_counts=True)
    parts, n_parents = np.unique(pairs[0], return_counts=True)
    split = parts[n_parents > 1]
    if len(split):
        inside = pairs[0] == split[0]
        where = [
            f"{quoted(name)} ({counted(int(size), 'cell')})"
            for name, size in zip(pairs[1, inside], sizes[inside], strict=True)
        ]
        raise ValueError(
            f"adata.obs[{fine!r}] has {counted(len(split), 'type')} with cells of several types of "
            f"adata.obs[{broad!r}]: {quoted(split[0])} lies in {' and '.join(where)}. Name the "
            "columns from broad to fine, and correct such labels"
        )


def list_needs(machine: HierarchicalMachine, genes: Sequence[str], top: str) -> dict[str, Path]:
    """For every selected gene, the types whose parts it tells apart; `top` stands for all cells."""
    needs: dict[str, list[str]] = {}
    for parent, node in machine.nodes_.items():
        for place in np.flatnonzero(selection_of(node).support).tolist():
            needs.setdefault(genes[place], []).append(parent[-1] if parent else top)
    return {gene: tuple(names) for gene, names in needs.items()}


def spread_over_levels(value: Any, n_levels: int, name: str) -> Iterable[Any]:
    """One value per level: a sequence as it is, anything else for all of them."""
    if not isinstance(value, (list, tuple)):
        return [value] * n_levels
    if len(value) != n_levels:
        raise ValueError(
            f"{name} has {counted(len(value), 'value')}, but there are "
            f"{counted(n_levels, 'level')} of types: give one number, or one per level"
        )
    return value
