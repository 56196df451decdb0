"""From the frequencies of a feature profile to features: the threshold, and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from fewest._estimators.calibration import score_classes
from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.splits import balanced_error, find_smallest_class, make_splitter
from fewest._estimators.validation import is_number, make_dense
from fewest._types import FloatArray, IndexArray

# The thresholds that Pranckeviciene & Somorjai (2011) try.
_THRESHOLDS = tuple(percent / 100 for percent in range(10, 101, 5))


# Samples that choose a threshold, and that nearest neighbours are looked for among: more would not
# choose better, and take time like the square of their number.
MOST_KNOWN = 10_000


@dataclass(frozen=True, eq=False)
class ProfileRule:
    """From frequencies to features: a threshold, or "auto", and who judges it.

    The classifier is fitted to `most_known` samples at most.
    """

    threshold: float | str
    classifier: Any
    most_known: int | None
    seed: int

    def choose(
        self, frequency: FloatArray, X: Any, codes: IndexArray, groups: NDArray[Any] | None
    ) -> tuple[float, NDArray[np.bool_]]:
        """The threshold on these samples, and its features."""
        return choose_features(
            self.threshold, frequency, self.classifier, X, codes, groups, self.seed
        )


def choose_features(
    threshold: float | str,
    frequency: FloatArray,
    classifier: Any,
    X: Any,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    seed: int,
) -> tuple[float, NDArray[np.bool_]]:
    """The threshold, given or by cross-validation on (some of) these samples, and its features."""
    if not isinstance(threshold, str):
        return float(threshold), _keep_frequent(threshold, frequency)
    if len(codes) > MOST_KNOWN:
        rows = draw_subsample(codes, MOST_KNOWN, seed)
        X, codes, groups = X[rows], codes[rows], None if groups is None else groups[rows]
    # Thresholds between the same two frequencies mean the same features: keep the largest.
    supports = {_keep_frequent(one, frequency).tobytes(): one for one in _THRESHOLDS}
    candidates = sorted(supports.values(), reverse=True)  # fewest features first
    n_folds = min(5, find_smallest_class(codes, groups)[1])
    if len(candidates) == 1 or n_folds < 2:
        return candidates[0], _keep_frequent(candidates[0], frequency)
    # As indices: scikit-learn refuses groups beside its metadata routing, where that is enabled.
    splitter = make_splitter(n_folds, codes, groups, random_state=seed)
    folds = list(splitter.split(codes, codes, groups))
    wrong = np.array(
        [
            cross_val_predict(
                classifier, make_dense(X[:, _keep_frequent(one, frequency)]), codes, cv=folds
            )
            != codes
            for one in candidates
        ]
    )
    best = candidates[_find_first_good(wrong, codes)]
    return best, _keep_frequent(best, frequency)


def judge_profile(
    profile: ProfileRule,
    X: Any,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    frequency: FloatArray,
    development: IndexArray,
    validation: IndexArray,
) -> tuple[NDArray[np.bool_], float, FloatArray]:
    """Features that a fold's profile leads to, their error on its samples, and the scores."""
    support = np.zeros(len(frequency), dtype=bool)
    used = np.flatnonzero(frequency)  # no others are read
    if not len(used):
        return support, 0.5, np.zeros(len(validation))
    own_groups = None if groups is None else groups[development]
    samples, own = X[:, used], codes[development]
    _, chosen = profile.choose(frequency[used], samples[development], own, own_groups)
    rows = draw_subsample(own, profile.most_known)
    known = make_dense(samples[development][rows][:, chosen])
    machine = clone(profile.classifier).fit(known, own[rows])
    new = make_dense(samples[validation][:, chosen])
    error = balanced_error(codes[validation], machine.predict(new))
    support[used[chosen]] = True
    return support, error, score_classes(machine, new)


def measure_error(
    classifier: Any,
    support: NDArray[np.bool_],
    known: tuple[Any, IndexArray],
    new: tuple[Any, IndexArray],
) -> float:
    """Balanced error on new samples of a classifier that uses some columns; 0.5 without any."""
    if not support.any():
        return 0.5
    machine = clone(classifier).fit(make_dense(known[0][:, support]), known[1])
    return balanced_error(new[1], machine.predict(make_dense(new[0][:, support])))


def check_threshold(threshold: Any) -> None:
    if isinstance(threshold, str) and threshold == "auto":
        return
    if not is_number(threshold) or not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold must be 'auto', or above 0 and at most 1; got {threshold!r}")


def _find_first_good(wrong: NDArray[np.bool_], codes: IndexArray) -> int:
    """First row whose balanced error is at most one standard error above the smallest."""
    rates = np.array([wrong[:, codes == code].mean(axis=1) for code in (0, 1)])
    errors = rates.mean(axis=0)
    best = errors.argmin()
    sizes = np.bincount(codes, minlength=2)
    standard_error = np.sqrt(np.sum(rates[:, best] * (1.0 - rates[:, best]) / sizes)) / 2.0
    return int(np.flatnonzero(errors <= errors[best] + standard_error + 1e-12)[0])


def _keep_frequent(threshold: float, frequency: FloatArray) -> NDArray[np.bool_]:
    """Features of at least this frequency, or the most frequent ones if there is none."""
    # Frequencies are sums of fractions: 3 of 5 must reach a threshold of 0.6.
    return (frequency > 0.0) & (frequency >= min(threshold, frequency.max()) - 1e-9)
