"""A panel as a points score, compared with a classifier with real-valued weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_random_state

from fewest._estimators.held_out import HeldOut
from fewest._estimators.validation import check_count, check_flag, encode_classes, make_dense
from fewest._gaps import fill_all, fill_apart
from fewest._solvers.blas_threads import one_blas_thread
from fewest._types import FloatArray, IndexArray
from fewest._wording import listed, quoted
from fewest.panels._errors import PERHAPS_CHOSEN_HERE, Difference, average_classes, compare_errors
from fewest.panels._folds import choose_classifier, choose_on_all, draw_splits
from fewest.panels._names import find_columns, name_columns
from fewest.panels._points_fit import Part, PointsFit, fit_calibrated
from fewest.panels._points_result import HeldOutMeasures, PointsScore, RiskRow, ScoredFeature
from fewest.significance._resampling import check_samples

_MOST_FEATURES = 20
_CLASSIFIER = "logistic regression"
_LEAST_RISK = 1e-15  # the log loss of a certain and wrong prediction would be infinite


def points_score(
    X: Any,
    y: ArrayLike,
    features: Sequence[str] | ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    max_points: int = 5,
    positive: Any = None,
    groups: ArrayLike | None = None,
    cv: Any = 5,
    held_out: HeldOut | None = None,
    chosen_elsewhere: bool = False,
    random_state: Any = None,
    _is_choice: bool = False,
) -> PointsScore:
    r"""Turn a panel into points that can be added up by hand, with the risk of each total.

    Each feature has one cut. A value above it gives a small whole number of points p_j, and the
    total t of a sample gives its risk. Cuts c_j and weights w_j minimise

    .. math:: \sum_i \log(1 + e^{-y_i f(x_i)}) + \frac12 \sum_j w_j^2,
              \quad f(x) = b + \sum_j w_j [x_j > c_j]

    column by column over cuts between neighbouring values; each cut is the number with the fewest
    digits in the middle of its gap. The points are s w_j, rounded, for the scale s with the
    smallest logistic loss of a line from totals to the logit of the risk. That line is fitted to
    the targets of Platt (1999), and corrected on samples that had no part in the score.

    Everything is repeated in every fold, so the measures show how the score performs on new
    samples; but for the panel itself, which is the same in all folds. If it was chosen on these
    samples, the errors of both the score and the classifier it is compared with are too small. Pass
    the folds of the estimator that chose it (`held_out`), and each one has the features that were
    chosen in it; or say that it was `chosen_elsewhere`. Otherwise they are marked as optimistic.

    Parameters
    ----------
    X : array, sparse matrix or table of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes, two.
    features : sequence
        The panel, of at most 20 features: names, numbers of columns, or one True or False for each
        column.
    feature_names : sequence of str, optional
        A name for every column; the default is that of the table X, or "feature 0" and so on.
    max_points : int
        Largest absolute number of points of a feature. Features may have negative points, or none.
    positive : label, optional
        The class whose risk is shown; the second one in sorted order by default.
    groups : array of shape (n_samples,), optional
        Samples that belong together are in the same fold.
    cv : int or splitter
        Folds of the comparison. A number means stratified folds, of whole groups if there are
        groups. Not used with `held_out`, which has its folds.
    held_out : HeldOut, optional
        From ``run_held_out(estimator, X, y)``, with the estimator that chose the panel: fitted to
        all samples, it has to choose these very features again.
    chosen_elsewhere : bool
        The panel was chosen without these samples.
    random_state : int, RandomState instance or None
        Seed of all folds.

    Returns
    -------
    PointsScore
        ``print`` shows the card, ``to_html()`` is a page to print, and ``predict`` and
        ``predict_proba`` use it.

    See Also
    --------
    panel_report : Judge the panel itself.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.panels import points_score
    >>> X, y = make_gaussian(n=200, d=50, k=3, mu=0.9, random_state=0)  # 0, 1 and 2 differ
    >>> score = points_score(X, y, [0, 1, 2, 7], max_points=3, random_state=0)
    >>> for one in score.features:
    ...     print(f"{one.name} above {one.cut}: {one.points:+d}")
    feature 0 above 0.22: +3
    feature 1 above 0.245: +3
    feature 2 above 0.18: +3
    feature 7 above 0.56: +1
    >>> print(*(f"{one.total}: {one.risk:.2f}" for one in score.table), sep=", ")
    0: 0.02, 1: 0.04, 3: 0.23, 4: 0.44, 6: 0.85, 7: 0.94, 9: 0.99, 10: 1.00
    >>> score.limit
    6
    >>> print(f"{score.held_out.brier:.3f} and {score.held_out_of_classifier.brier:.3f}")
    0.061 and 0.040
    """
    check_count("max_points", max_points)
    check_flag("chosen_elsewhere", chosen_elsewhere)
    given, (X, y, groups) = X, check_samples(X, y, groups)
    classes, codes = _encode(y, positive)
    names = name_columns(given, feature_names, X.shape[1])
    panel = find_columns(features, names)
    values = _take_few(X, panel)
    rng = check_random_state(random_state)
    seed = int(rng.randint(2**31 - 1))
    if held_out is None:
        parts = [(*split, values) for split in draw_splits(cv, y, groups, n_repeats=1, rng=rng)]
    elif not np.array_equal(held_out.y, y):
        raise ValueError("held_out is a cross-validation of other samples: give the y of the fit")
    else:
        if not _is_choice:  # callers who fitted the estimator know
            _check_choice(held_out.estimator, X, y, groups, panel, names)
        folds = held_out.first_repeat.folds
        chosen = held_out.first_repeat.selections
        parts = [
            (fold.train, fold.test, _take_few(X, np.flatnonzero(support), " in a fold"))
            for fold, support in zip(folds, chosen, strict=True)
        ]
    filled = fill_all(values)
    with one_blas_thread():
        own = None if held_out is None else parts
        fitted = fit_calibrated(filled, codes, groups, max_points, seed, own)
        judged = _Judged(len(y)), _Judged(len(y))
        for part in parts:
            _judge_fold(judged, part, codes, groups, max_points, seed)
    is_known = chosen_elsewhere or held_out is not None
    measures = [one.measure(codes, "" if is_known else PERHAPS_CHOSEN_HERE) for one in judged]
    together = np.arange(len(y)) if groups is None else groups
    units = np.unique(together, return_inverse=True)[1]
    table = _list_totals(fitted, filled, codes)
    return PointsScore(
        features=[
            ScoredFeature(names[column], int(column), None if np.isnan(cut) else float(cut), points)
            for column, cut, points in zip(panel, fitted.cuts, fitted.points.tolist(), strict=True)
        ],
        positive=classes[1],
        classes=sorted(classes),
        limit=_find_limit(fitted, table),
        share=fitted.share,
        intercept=fitted.intercept,
        slope=fitted.slope,
        calibrated=fitted.calibrated,
        table=table,
        held_out=measures[0],
        classifier=_CLASSIFIER,
        held_out_of_classifier=measures[1],
        loss=_subtract(*measures),
        loss_of_balanced_error=_compare(judged, codes, units),
        n_samples=len(y),
        n_features=X.shape[1],
        chosen_elsewhere=chosen_elsewhere,
        chosen_in_folds=held_out is not None,
        n_folds=len(parts),
        n_groups=None if groups is None else len(np.unique(groups)),
        max_points=int(max_points),
        has_names=feature_names is not None or hasattr(given, "columns"),
    )


def _check_choice(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    groups: NDArray[Any] | None,
    panel: IndexArray,
    names: Sequence[str],
) -> None:
    """Refuse folds of an estimator that chooses another panel on all samples."""
    chosen = choose_on_all(estimator, fill_all(X), y, groups).tolist()
    if set(chosen) != set(np.asarray(panel).tolist()):
        raise ValueError(
            "held_out is of a method that chooses other features on these samples "
            f"({listed([names[column] for column in chosen], 8)}), so its errors are not those of "
            "this panel: leave held_out out, or give the features that it chooses"
        )


def _take_few(X: Any, columns: IndexArray, where: str = "") -> FloatArray:
    """Values of these features; a constant one where there is none, as it may be in a fold."""
    if len(columns) > _MOST_FEATURES:
        raise ValueError(
            f"{len(columns)} features{where} are too many to add up by hand: a points score takes "
            f"at most {_MOST_FEATURES}. Choose fewer"
        )
    if not len(columns):
        return np.zeros((X.shape[0], 1))
    return np.asarray(make_dense(X[:, columns]), dtype=np.float64)


def _encode(y: NDArray[Any], positive: Any) -> tuple[list[Any], IndexArray]:
    """The other class and the one in question, and 1 for samples of the latter."""
    classes, codes = encode_classes("a points score", y)
    labels = classes.tolist()
    if len(labels) > 2:
        raise ValueError(
            f"a points score tells two classes apart, but y has {len(labels)}: make one score for "
            "each class against the rest, with y == that class"
        )
    if positive is None or positive == labels[1]:
        return labels, codes
    if positive != labels[0]:
        known = " and ".join(map(quoted, labels))
        raise ValueError(f"positive is {quoted(positive)}, but the classes are {known}")
    return labels[::-1], 1 - codes


class _Judged:
    """Sums over the folds of what was predicted for every sample."""

    def __init__(self, n_samples: int) -> None:
        self.counts, self.wrong, self.squares, self.logs = np.zeros((4, n_samples))
        self.rows: list[IndexArray] = []
        self.risks: list[FloatArray] = []

    def add(
        self, rows: IndexArray, risk: FloatArray, predicted: NDArray[Any], codes: IndexArray
    ) -> None:
        """One fold."""
        of_truth = np.where(codes[rows] == 1, risk, 1.0 - risk)
        self.counts[rows] += 1.0
        self.wrong[rows] += predicted != codes[rows]
        self.squares[rows] += (1.0 - of_truth) ** 2
        self.logs[rows] -= np.log(np.maximum(of_truth, _LEAST_RISK))
        self.rows.append(rows)
        self.risks.append(risk)

    def average(self, sums: FloatArray) -> FloatArray:
        """Mean over the folds; NaN for a sample that was in none."""
        with np.errstate(invalid="ignore"):
            return sums / self.counts

    def measure(self, codes: IndexArray, caveat: str) -> HeldOutMeasures:
        """Every sample counts once; the area is that of all predictions together."""
        truth = codes[np.concatenate(self.rows)]
        if len(np.unique(truth)) < 2:
            raise ValueError(
                "cv leaves out samples of one class only, which says nothing about telling two "
                "apart: use another splitter"
            )
        return HeldOutMeasures(
            balanced_error=average_classes(self.average(self.wrong), codes),
            brier=float(np.nanmean(self.average(self.squares))),
            log_loss=float(np.nanmean(self.average(self.logs))),
            auc=float(roc_auc_score(truth, np.concatenate(self.risks))),
            caveat=caveat,
        )


def _judge_fold(
    judged: tuple[_Judged, _Judged],
    part: Part,
    codes: IndexArray,
    groups: NDArray[Any] | None,
    max_points: int,
    seed: int,
) -> None:
    """Score and classifier, both made of the training samples, predict the test samples."""
    train, test, values = part
    own_groups = None if groups is None else groups[train]
    known, new = fill_apart(values[train], values[test])
    fitted = fit_calibrated(known, codes[train], own_groups, max_points, seed)
    totals = fitted.add_up(new)
    table = _list_totals(fitted, known, codes[train])
    limit = _find_limit(fitted, table)
    predicted = np.full(len(test), fitted.share > 0.5) if limit is None else totals >= limit
    judged[0].add(test, fitted.risks_at(totals), predicted, codes)
    model = choose_classifier(None).fit(known, codes[train])
    risk = model.predict_proba(new)[:, 1]
    judged[1].add(test, risk, risk >= fitted.share, codes)


def _list_totals(fitted: PointsFit, values: FloatArray, codes: IndexArray) -> list[RiskRow]:
    """All sums of some of the points, with the samples that have this total."""
    sums = {0}
    for points in fitted.points.tolist():
        sums |= {one + points for one in sums}
    totals, of_samples = np.array(sorted(sums)), fitted.add_up(values)
    rows = []
    for total, risk in zip(totals.tolist(), fitted.risks_at(totals).tolist(), strict=True):
        here = codes[of_samples == total]
        rows.append(RiskRow(total, risk, len(here), float(here.mean()) if len(here) else None))
    return rows


def _find_limit(fitted: PointsFit, table: list[RiskRow]) -> int | None:
    """The smallest total whose risk is at least the share of the class, if points count at all."""
    if not fitted.decides:
        return None
    return next((row.total for row in table if row.risk >= fitted.share), None)


def _subtract(score: HeldOutMeasures, classifier: HeldOutMeasures) -> HeldOutMeasures:
    return HeldOutMeasures(
        balanced_error=score.balanced_error - classifier.balanced_error,
        brier=score.brier - classifier.brier,
        log_loss=score.log_loss - classifier.log_loss,
        auc=classifier.auc - score.auc,
        caveat=score.caveat,
    )


def _compare(
    judged: tuple[_Judged, _Judged], codes: IndexArray, units: NDArray[np.intp]
) -> Difference:
    first, second = (one.average(one.wrong) for one in judged)
    return compare_errors(first, second, codes, units)
