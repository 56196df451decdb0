"""Liknon's path on a Training set, and the Monitoring set that chooses from it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.splits import balanced_error
from fewest._estimators.validation import check_positive, make_dense
from fewest._solvers.columns import standardized
from fewest._types import FloatArray, IndexArray
from fewest.machines._discriminants import Discriminant, MonitoredPath, best_place
from fewest.machines._nested_splits import MonitoredSplit
from fewest.machines._profile import error_on
from fewest.machines.liknon_path import liknon_path
from fewest.machines.transvariation import LARGEST_C, differences_of, transvariation_C

# On wide data the number of features goes up in about so many steps; small ones in single ones.
_STEPS = 40


@dataclass(frozen=True, eq=False)
class Monitor:
    """How a discriminant is chosen; the parameters of the same name of `LiknonCV`.

    `classifier` is what monitors, None for the discriminants themselves.
    """

    n_values: int
    Cs: Any
    prefilter: float | None
    standardize: bool
    classifier: Any

    def path(
        self, X: Any, y: NDArray[Any], codes: IndexArray, split: MonitoredSplit
    ) -> MonitoredPath:
        """The discriminants of a split along C, and the best of them."""
        X_training, y_training = X[split.training], y[split.training]
        signs = np.where(codes[split.training] == 1, 1.0, -1.0)
        difference = differences_of(standardized(X_training), signs, standardize=self.standardize)
        if not difference.any():
            return self._empty_path(split)
        kept = self._prefiltered(np.abs(difference))
        if kept is not None:
            X_training = X_training[:, kept]
        path = liknon_path(
            X_training,
            y_training,
            self._sequence(X_training, y_training),
            standardize=self.standardize,
            max_jump=self._max_jump(X_training),
        )
        used = np.flatnonzero(path.coefs.any(axis=0))
        weights = path.coefs[:, used]
        features = used if kept is None else kept[used]
        seen = make_dense(X[split.monitoring][:, features]), codes[split.monitoring]
        if self.classifier is None:
            scores = seen[0] @ weights.T + path.intercepts
            errors = np.array([balanced_error(seen[1], row > 0) for row in scores.T])
        else:
            known = make_dense(X_training[:, used]), codes[split.training]
            errors = self._classifier_errors(weights != 0.0, known, seen)
        counts = np.count_nonzero(weights, axis=1)
        chosen = best_place(errors, counts)
        own = weights[chosen] != 0.0
        return MonitoredPath(
            fold=split.fold,
            split=split.split,
            training=split.training,
            monitoring=split.monitoring,
            Cs=np.asarray(path.Cs),
            n_features=counts,
            ratios=np.asarray(path.ratios),
            monitoring_ber=errors,
            chosen=chosen,
            discriminant=Discriminant(
                features=features[own],
                weights=weights[chosen, own],
                intercept=float(path.intercepts[chosen]),
                C=float(path.Cs[chosen]),
                monitoring_ber=float(errors[chosen]),
            ),
        )

    def _sequence(self, X: Any, y: NDArray[Any]) -> FloatArray:
        """Costs for a Training set."""
        if callable(self.Cs):
            return increasing_costs(self.Cs(X, y, standardize=self.standardize))
        if self.Cs is not None:
            return increasing_costs(self.Cs)
        return transvariation_C(X, y, self.n_values, standardize=self.standardize)

    def _max_jump(self, X: Any) -> int | None:
        """Few features at a time for wide data, where noise crowds the values of the rule.

        On them the first value has one feature, and the next one nearly as many as samples.
        """
        n_samples, n_features = X.shape
        return max(1, n_samples // _STEPS) if self.Cs is None and n_features > n_samples else None

    def _classifier_errors(
        self,
        supports: NDArray[np.bool_],
        training: tuple[FloatArray, IndexArray],
        monitoring: tuple[FloatArray, IndexArray],
    ) -> FloatArray:
        """Monitoring error of the classifier on each set of columns; each set is tried once."""
        known: dict[bytes, float] = {}
        errors = np.empty(len(supports))
        for place, support in enumerate(supports):
            key = support.tobytes()
            if key not in known:
                known[key] = error_on(self.classifier, support, training, monitoring)
            errors[place] = known[key]
        return errors

    def _prefiltered(self, size: FloatArray) -> IndexArray | None:
        """Columns of the largest class differences, in increasing order; None for all."""
        if self.prefilter is None:
            return None
        count = self.prefilter if self.prefilter >= 1 else max(1, round(self.prefilter * len(size)))
        return np.sort(np.argsort(-size, kind="stable")[:count])

    def _empty_path(self, split: MonitoredSplit) -> MonitoredPath:
        """Where the class means of a Training set agree: w = 0 is optimal for every C."""
        fixed = self.Cs is not None and not callable(self.Cs)
        Cs = increasing_costs(self.Cs) if fixed else np.array([LARGEST_C])
        nothing = np.empty(0, dtype=np.intp)
        return MonitoredPath(
            fold=split.fold,
            split=split.split,
            training=split.training,
            monitoring=split.monitoring,
            Cs=Cs,
            n_features=np.zeros(len(Cs), dtype=np.intp),
            ratios=np.full(len(Cs), np.nan),
            monitoring_ber=np.full(len(Cs), 0.5),
            chosen=0,
            discriminant=Discriminant(nothing, np.empty(0), 0.0, float(Cs[0]), 0.5),
        )


def increasing_costs(Cs: Any) -> FloatArray:
    """The given costs, increasing; an error unless they are positive numbers."""
    Cs = np.asarray(Cs, dtype=np.float64)
    if Cs.ndim != 1 or not len(Cs):
        raise ValueError(f"Cs must be a list of at least one cost; got shape {Cs.shape}")
    for C in Cs.tolist():
        check_positive("every value of Cs", C)
    return np.unique(Cs)


def check_prefilter(share: Any) -> None:
    if share is None:
        return
    number = isinstance(share, Real) and not isinstance(share, bool)
    if not (number and share > 0 and (share < 1 or isinstance(share, Integral))):
        raise ValueError(
            "prefilter must be None, a whole number of features of at least one, or a "
            f"fraction between 0 and 1; got {share!r}"
        )
