"""Liknon's path on a Training set, and the Monitoring set that chooses from it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.rules import Rules, check_room
from fewest._estimators.splits import Split, balanced_error, find_smallest_class, split_balanced
from fewest._estimators.tasks import BinaryTask
from fewest._estimators.validation import check_list, is_number, share_scale, take_part
from fewest._solvers.columns import Columns, scale_columns
from fewest._types import FloatArray, IndexArray
from fewest.machines._discriminants import (
    Discriminant,
    MonitoredPath,
    MonitoredSplit,
    find_best_place,
)
from fewest.machines._profile import measure_error
from fewest.machines.liknon_path import LiknonPath, follow_liknon
from fewest.machines.transvariation import LARGEST_C, find_costs, measure_differences

# On wide data the number of features goes up in about so many steps; small ones in single ones.
_STEPS = 40


def draw_splits(
    folds: list[Split],
    n_splits: int,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    rng: np.random.RandomState,
    training_size: Any = None,
) -> list[MonitoredSplit]:
    """All random splits, drawn before any work, so n_jobs cannot change them."""
    sizes = check_training_size(training_size)
    splits = []
    for fold, (development, _) in enumerate(folds):
        own_groups = None if groups is None else groups[development]
        _, least, unit = find_smallest_class(codes[development], own_groups)
        if least < 2:
            raise ValueError(
                f"a class has a single {unit} outside fold {fold + 1}, too few for a Training "
                "and a Monitoring set: at least 2 are needed. Lower cv, or add samples"
            )
        if sizes is not None and groups is None:
            _check_enough(sizes, np.bincount(codes[development], minlength=2), fold)
        for split in range(n_splits):
            rows = split_balanced(codes[development], own_groups, rng, sizes)
            splits.append(MonitoredSplit(fold, split, *(development[part] for part in rows)))
    return splits


@dataclass(frozen=True, eq=False)
class Monitor:
    """How a discriminant is chosen; the parameters of the same name of `LiknonCV`.

    `count` is its `n_Cs`. `classifier` is what monitors, None for the discriminants themselves;
    `most_known` is how many samples it is fitted to at most.
    """

    count: int
    Cs: Any
    prefilter: float | None
    standardize: bool
    classifier: Any
    most_known: int | None = None
    rules: Rules | None = None

    def follow(
        self, X: Any, y: NDArray[Any], codes: IndexArray, split: MonitoredSplit
    ) -> MonitoredPath:
        """The discriminants of a split along C, and the best of them."""
        columns = scale_columns(X[split.training])
        signs = np.where(codes[split.training] == 1, 1.0, -1.0)
        rules = self.rules
        if rules is not None:
            columns = rules.narrow(columns, signs)
        difference = measure_differences(columns, signs, standardize=self.standardize)
        kept = self._prefilter(np.abs(difference))
        if kept is not None:
            columns = columns.keep(kept)
            difference = difference[kept]
            rules = None if rules is None else rules.take(kept)
        path = self._find_path(columns, signs, difference, y[split.training], rules)
        forced = np.zeros(path.coefs.shape[1], dtype=bool) if rules is None else rules.included
        used = np.flatnonzero(path.coefs.any(axis=0) | forced)
        weights = path.coefs[:, used]
        supports = (weights != 0.0) | forced[used]
        features = used if kept is None else kept[used]
        seen = take_part(X, split.monitoring, features), codes[split.monitoring]
        if self.classifier is None:
            scores = seen[0] @ weights.T + path.intercepts
            errors = np.array([balanced_error(seen[1], row > 0) for row in scores.T])
        else:
            own = codes[split.training]
            rows = draw_subsample(own, self.most_known)
            known = take_part(columns.X, rows, used), own[rows]
            errors = self._measure_errors(supports, known, seen)
        counts = np.count_nonzero(supports, axis=1)
        prices = (
            counts if rules is None else [rules.relative_terms.total(used[row]) for row in supports]
        )
        chosen = find_best_place(errors, counts, np.asarray(prices))
        own = supports[chosen]
        return MonitoredPath(
            **vars(split),
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

    def _find_path(
        self,
        columns: Columns,
        signs: FloatArray,
        difference: FloatArray,
        y: NDArray[Any],
        rules: Rules | None,
    ) -> LiknonPath:
        n_samples, n_features = columns.n_samples, columns.n_features
        max_jump = None
        if self.Cs is not None and not callable(self.Cs):
            Cs = sort_costs(self.Cs)
        elif not difference.any():
            Cs = np.array([LARGEST_C])
        elif self.Cs is not None:
            allowed = columns.X if rules is None else columns.X[:, columns.inverse_scale > 0.0]
            Cs = sort_costs(self.Cs(allowed, y, standardize=self.standardize))
        else:
            Cs = find_costs(difference, n_samples, self.count).Cs
            # On wide data the first value of the rule has one feature, and the next one nearly as
            # many as samples: few at a time.
            max_jump = max(1, n_samples // _STEPS) if n_features > n_samples else None
        if not difference.any():  # the class means agree: w = 0 is optimal for every C
            zero = np.zeros(len(Cs))
            nan, nothing = zero * np.nan, np.zeros((len(Cs), n_features))
            return LiknonPath(Cs, nothing, zero, zero, zero, nan, nan, nan, zero)
        columns = columns if self.standardize else share_scale(columns)
        is_signed = rules is not None and rules.signs is not None
        task = BinaryTask(columns, signs, None, np.ones(n_samples), "", rules, is_signed)
        return follow_liknon(task, Cs, standardize=self.standardize, max_jump=max_jump)

    def _measure_errors(
        self,
        supports: NDArray[np.bool_],
        training: tuple[FloatArray, IndexArray],
        monitoring: tuple[FloatArray, IndexArray],
    ) -> FloatArray:
        """Monitoring error of the classifier on each set of columns; each set is tried once."""
        sets, places = np.unique(supports, axis=0, return_inverse=True)
        errors = [measure_error(self.classifier, one, training, monitoring) for one in sets]
        return np.array(errors)[places.ravel()]

    def _prefilter(self, size: FloatArray) -> IndexArray | None:
        """Columns of the largest class differences, in increasing order; None for all."""
        if self.prefilter is None:
            return None
        count = self.prefilter if self.prefilter >= 1 else max(1, round(self.prefilter * len(size)))
        if self.rules is not None:
            check_room(self.rules, int(count), "prefilter")
            size = np.where(self.rules.included, np.inf, size)
        return np.sort(np.argsort(-size, kind="stable")[:count])


def sort_costs(Cs: Any) -> FloatArray:
    """The given costs, increasing, each once; an error unless they are positive numbers."""
    return np.unique(check_list("Cs", Cs))


def check_training_size(size: Any) -> tuple[int, int] | None:
    """Samples of each class in the Training set; None for half of the smaller class."""
    if size is None:
        return None
    pair = (size, size) if is_number(size) else size
    is_pair = isinstance(pair, (tuple, list, np.ndarray)) and len(pair) == 2
    if not is_pair or not all(
        isinstance(one, (int, np.integer)) and not isinstance(one, bool) and one >= 1
        for one in pair
    ):
        raise ValueError(
            "training_size must be None, a whole number of samples per class of at least one, or "
            f"a pair of them, one for each class; got {size!r}"
        )
    return int(pair[0]), int(pair[1])


def _check_enough(sizes: tuple[int, int], counts: NDArray[np.intp], fold: int) -> None:
    """Raise unless both classes leave samples for the Monitoring set."""
    if np.any(np.asarray(sizes) >= counts):
        raise ValueError(
            f"training_size asks for {sizes[0]} + {sizes[1]} samples, but {counts[0]} + "
            f"{counts[1]} of the two classes are outside fold {fold + 1}, and the Monitoring set "
            "needs at least one of each: lower training_size"
        )


def check_prefilter(share: Any) -> None:
    """Raise unless it is None, a number of features, or a fraction of them."""
    valid = is_number(share) and share > 0 and (share < 1 or isinstance(share, Integral))
    if share is not None and not valid:
        raise ValueError(
            "prefilter must be None, a whole number of features of at least one, or a "
            f"fraction between 0 and 1; got {share!r}"
        )
