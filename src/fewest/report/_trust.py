"""Whether the answer can be trusted: held-out errors, chance, the smallest set, diagnostics."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, roc_auc_score

from fewest._estimators.held_out import HeldOut
from fewest._estimators.intervals import error_interval, explain_no_interval
from fewest._estimators.labellings import count_labellings
from fewest._estimators.many_samples import draw_subsample
from fewest._estimators.rules import read_rules, rules_of
from fewest._estimators.splits import count_independent, count_smaller
from fewest._run.budget import Budget
from fewest._types import FloatArray, IndexArray
from fewest.diagnostics import Diagnosis, diagnose
from fewest.report import _trust_content as content
from fewest.report._chance import describe_diagnosed
from fewest.report._confusion import describe_classes, find_confused
from fewest.report._data import Data, copy_fields, plain
from fewest.report._given import Subject
from fewest.report._plan import MOST_SECONDS
from fewest.significance import stability_index, subset_separability_bounds

if TYPE_CHECKING:
    from fewest.minimum import MinimumResult, NearOptimalSets

_MOST_LISTED = 10_000  # samples that are listed one by one
_MOST_BYTES = 1 << 30  # of a dense copy of X
_MOST_COUNTS = 30
_SHARE_OF_MINIMUM = 0.5  # of the time that is left, where the clock decides
_MOST_LOOKS = 3_000  # otherwise: about ten seconds of search, by its work
_LARGEST_SUBSET = 30


def describe_validation(held_out: HeldOut, data: Data) -> content.Validation:
    """All folds, and the predictions of the first repeat pooled: one for each sample."""
    pooled = held_out.first_repeat
    true, predicted = np.searchsorted(data.classes, [pooled.true, pooled.predicted])
    wrong = (true != predicted).astype(np.float64)
    groups, too_small = _find_units(pooled, data)
    no_interval = too_small or explain_no_interval(true, groups)
    confusion = confusion_matrix(true, predicted, labels=range(len(data.classes)))
    listed = draw_subsample(true, _MOST_LISTED)
    decisions = pooled.decisions
    return copy_fields(
        content.Validation,
        pooled,  # its error and its balanced error
        n_folds=len(pooled.folds),
        n_repeats=held_out.n_repeats,
        over_folds=content.FoldSpreads(
            spread(held_out.errors), spread(held_out.balanced_errors), spread(held_out.sizes)
        ),
        folds=_describe_folds(held_out, len(pooled.folds), data),
        n_errors=int(wrong.sum()),
        interval=None if no_interval else error_interval(wrong, np.zeros_like(true), groups),
        confusion=confusion.tolist(),
        balanced_interval=None if no_interval else error_interval(wrong, true, groups),
        no_interval=no_interval,
        labellings=count_labellings(true, groups),
        classes=describe_classes(
            confusion, data.labels, wrong, true, groups, with_intervals=not too_small
        ),
        confused=find_confused(confusion, data.labels),
        auc=None if decisions is None else _areas(true, decisions),
        n_judged=len(true),
        samples=pooled.tested[listed].tolist(),
        true=true[listed].tolist(),
        predicted=predicted[listed].tolist(),
        decisions=None if decisions is None else decisions[listed].tolist(),
    )


def _find_units(pooled: HeldOut, data: Data) -> tuple[NDArray[Any] | None, str]:
    """Groups (or blocks) of the samples judged, and why their errors say less than they seem to."""
    units, name = (data.blocks, "block") if pooled.groups is None else (pooled.groups, "group")
    if data.groups is not None:
        units, name = data.groups, "group"
    if units is None:
        return None, ""
    for fold in pooled.folds:
        if np.isin(units[fold.test], units[fold.train]).any():
            return units[pooled.tested], (
                f"samples of one {name} were both in training and left out, which makes errors too "
                "small"
            )
    return units[pooled.tested], ""


def _describe_folds(held_out: HeldOut, n_folds: int, data: Data) -> list[content.Fold]:
    errors = zip(held_out.errors.tolist(), held_out.balanced_errors.tolist(), strict=True)
    return [
        content.Fold(
            repeat=number // n_folds + 1,
            fold=number % n_folds + 1,
            n_train=len(fold.train),
            n_test=len(fold.test),
            error=error,
            balanced_error=balanced,
            n_features=int(fold.support.sum()),
            features=data.names(np.flatnonzero(fold.support)),
        )
        for number, (fold, (error, balanced)) in enumerate(zip(held_out.folds, errors, strict=True))
    ]


def spread(values: FloatArray | IndexArray) -> content.Spread:
    """Mean and standard deviation."""
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return content.Spread(float(np.mean(values)), sd)


def _areas(codes: IndexArray, scores: FloatArray) -> list[float]:
    positives = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    pairs = zip(positives, scores.T, strict=True)
    return [float(roc_auc_score(codes == positive, column)) for positive, column in pairs]


def describe_stability(held_out: HeldOut, data: Data) -> content.Stability:
    """Nogueira's index over the folds; a ValueError where it is not defined."""
    found = stability_index(held_out.selections)
    counts = held_out.selections.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[: min(_MOST_COUNTS, np.count_nonzero(counts))]
    return content.Stability(
        index=found.index,
        n_folds=len(held_out.folds),
        counts=[
            content.FoldCount(data.feature_names[column], column, int(counts[column]))
            for column in order.tolist()
        ],
    )


def find_geometry(data: Data) -> Diagnosis:
    """What is to be known about the data themselves; the page has a test of its own."""
    return diagnose(data.X, data.y, n_permutations=0, groups=data.groups, blocks=data.blocks)


def describe_separability(n_selected: int, data: Data) -> content.Separability:
    """Bounds for random data of the same shape, over the number of features."""
    d = data.X.shape[1]
    n = count_independent(len(data.y), data.groups, data.blocks)
    largest = min(d, max(2 * n_selected, 10), max(n_selected, _LARGEST_SUBSET))
    n_smaller = count_smaller(data.y, data.groups, data.blocks)
    known: dict[str, Any] = {"intercept": True, "n_smaller": n_smaller}
    bounds = [subset_separability_bounds(n, d, k, **known) for k in range(1, largest + 1)]
    points = [
        content.SeparabilityPoint(k, one.log_lower / np.log(10.0), one.log_upper / np.log(10.0))
        for k, one in enumerate(bounds, start=1)
    ]
    return content.Separability(n, d, n_selected, points)


def describe_diagnosis(found: Diagnosis) -> content.Diagnostics:
    """The diagnosis in its own words, and its numbers."""
    of_hubs = ("k", "skewness", "hubs", "bad_hubs", "bad_share")
    return copy_fields(
        content.Diagnostics,
        found,
        test=describe_diagnosed(found, None),
        norm_variation={f"{p:g}": value for p, value in found.norms.items()},
        hubness={name: plain(getattr(found.hubs, name)) for name in of_hubs},
    )


def find_minimum(subject: Subject, data: Data, budget: Budget) -> content.Minimum:
    """The smallest set that separates each two classes under the machine's rules, or bounds."""
    from fewest.minimum._features import search_minimum  # heavy

    dense_bytes = 8 * data.X.shape[0] * data.X.shape[1]
    if dense_bytes > _MOST_BYTES:
        raise ValueError(
            "the search for the smallest set works on a dense copy of the data in float64, which "
            f"would take {dense_bytes / 1e9:.1f} GB here. Ask fewest.minimum_features about fewer "
            "samples or features"
        )
    part = budget.take(MOST_SECONDS["minimum"], _SHARE_OF_MINIMUM)
    result = search_minimum(
        data.X,
        data.y,
        max_seconds=max(1.0, part.left),
        most_looks=math.inf if budget.is_limited else _MOST_LOOKS,
        n_jobs=data.n_jobs,
        rules=read_rules(data.X.shape[1], data.feature_names, **rules_of(subject.estimator)),
        start=tuple(np.flatnonzero(subject.selection.supports.any(axis=0)).tolist()),
    )
    if not part.left:
        part.end("the search for the smallest set")
    return describe_minimum(result, data)


def describe_minimum(
    result: MinimumResult, data: Data, label: Any = None, *, with_proof: bool = False
) -> content.Minimum:
    """What was proven, of a class against the rest if one is given.

    The proof itself may be long, and takes time to check.
    """
    pairs = result.inseparable.tolist()
    if pairs and (data.is_binary or label is not None):
        # A machine that certifies has signs in place of labels.
        pairs = [data.labels] if data.is_binary else []
    return copy_fields(
        content.Minimum,
        result,
        positive_class=label,
        sets=[
            content.SeparatingSet(
                data.names(columns), columns.tolist(), float(margin), list(separation.wrong)
            )
            for columns, margin, separation in zip(
                result.subsets, result.margins, result.separations, strict=True
            )
        ],
        verified=bool(result.verify(data.X, data.y)) if with_proof else None,
        ruled_out=list(result.ruled_out) if with_proof else [],
        inseparable=pairs,
        **_describe_rules(result, data),
    )


def _describe_rules(result: MinimumResult, data: Data) -> dict[str, Any]:
    """What is always in, and prices where they differ."""
    from fewest.minimum import RuledMinimum  # heavy

    if not isinstance(result, RuledMinimum):
        return {"included": [], "price": None, "price_bound": None}
    has_prices = result.has_prices
    return {
        "included": data.names(np.flatnonzero(result.rules.included)),
        "price": result.price if has_prices else None,
        "price_bound": result.price_bound if has_prices else None,
    }


def describe_near_optimal(found: NearOptimalSets, data: Data) -> content.NearOptimal:
    """The sets near the smallest one, with the names of the data."""
    plain_values = replace(found, feature_names=tuple(data.feature_names)).to_dict()
    return content.NearOptimal(
        extra=found.extra,
        n_found=found.n_found,
        certified=found.minimum.certified,
        complete=found.complete,
        is_per_choice=found.is_per_choice,
        sets=[content.NearSet(**one) for one in plain_values["sets"]],
        in_all=plain_values["in_all"],
        features=[content.SetCount(**one) for one in plain_values["features"]],
        exchanges=[content.Exchange(**one) for one in plain_values["exchanges"]],
    )
