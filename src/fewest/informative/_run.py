"""How many features carry information: repetitive selection in every fold, and probes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone

from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_choice, check_count
from fewest._run.progress import Progress, interrupts_ignored
from fewest._types import FloatArray
from fewest.informative._curve import AVERAGES, fractions_until, resampled
from fewest.informative._fold_run import FoldCurves, Plan, run_fold
from fewest.informative._folds import Fold, make_folds
from fewest.informative._input import two_classes
from fewest.informative._probe import COSTS
from fewest.informative._result import InformativeFeatures
from fewest.informative.chance import chance_band, random_labellings
from fewest.informative.purity import purified
from fewest.informative.sigmoid import fit_sigmoid
from fewest.repetition.selector import RepetitiveSelector

_CHANCE_PLACES = 10  # the band changes slowly, and each of its points costs many probes
_POINTS = 201


def informative_features(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    probe: str | None = "svm",
    every: int = 10,
    order: str = "size",
    average: str = "mean",
    n_permutations: int = 100,
    random_state: int | None = 0,
    checkpoint: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> InformativeFeatures:
    r"""Estimate the share of features that carry information about the class.

    In every fold, features are selected and set aside again and again, and after every tenth
    repetition a support vector machine on the features that remain is tested on the samples that
    were left out. Its error rises from that of all features to chance; a sigmoid

    .. math:: f(x) = \alpha_0 + \alpha_1 / (1 + e^{-(x - \alpha_2) / \alpha_3})

    is fitted to it, where x is the share of features removed. The line through the inflexion meets
    chance at the estimate (sec. 4.4 of the paper of 2013).

    Parameters
    ----------
    estimator : selecting classifier, RepetitiveSelector or None
        What selects features; None stands for the hard Support Feature Machine. A
        `RepetitiveSelector` brings its own limits.
    X : array or sparse matrix of shape (n_samples, n_features)
        Numbers; standardised on the training part of every fold.
    y : array of shape (n_samples,)
        Two class labels.
    groups : array of shape (n_samples,), optional
        Groups of samples that belong together, participants for instance, each with samples of both
        classes. One is left out at a time, in the inner folds too.
    cv : int, splitter or iterable, optional
        Other folds: a number of stratified ones (of whole groups), or a splitter. Without groups,
        5 by default.
    probe : {"svm"} or None
        "svm": its cost is chosen among 1e-8, 1e-7, ..., 1e8 (for samples of norm one) by inner
        folds. None leaves the probes out, and the estimate with them.
    every : int
        Repetitions from one probe to the next.
    order : {"size", "found"}
        In which order the subsets count as removed: by size, as in the papers, or as found.
    average : {"mean", "median"}
        How folds are combined.
    n_permutations : int
        Labellings for the band of chance, for each of which ten of the probes are repeated: labels
        are permuted within the groups; groups of one class each change places as a whole, within
        their fold. 0 leaves the band out.
    random_state : int or None
        Seed of the permutations.
    checkpoint : str or path-like, optional
        Folder in which every finished repetition of every fold is kept; a killed run goes on from
        there. It holds one folder a fold.
    n_jobs : int, optional
        Folds that are worked on at the same time (processes), in joblib's sense.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    InformativeFeatures

    Notes
    -----
    Ctrl-C ends the run. If at least two folds are finished, the result is that of these, with a
    warning.

    The papers' estimate is an upper limit: where the signal is weak, features without information
    are removed along with the others before the probe comes down to chance. `purity` corrects for
    that, `band` asks less of the shape of the curve, and `informative_share` of a `t_map` does
    without selection. `benchmarks/informative.py` prints all of them beside a known truth.

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), sec. 4.

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.informative import informative_features
    >>> maps = make_brain(6, 4, n_voxels=300, informative=0.3, strength=2.0, random_state=0)
    >>> found = informative_features(
    ...     None, maps.X, maps.y, groups=maps.groups, every=2, n_permutations=0
    ... )
    >>> print(f"the papers' rule {found.estimate:.2f}, corrected {found.purity.estimate:.2f}")
    the papers' rule 0.35, corrected 0.29
    """
    X, signs = two_classes(X, y)
    _check_parameters(probe, every, order, average, n_permutations)
    groups = check_groups(groups, len(signs))
    folds = make_folds(signs, groups, cv)
    rng = np.random.default_rng(random_state)
    plan = Plan(
        selector=_selector(estimator),
        every=every,
        by_size=order == "size",
        costs=None if probe is None else COSTS,
        labellings=random_labellings(
            signs, groups, [fold.test for fold in folds], n_permutations, rng
        ),
        n_chance_places=_CHANCE_PLACES,
    )
    found = _run_folds(X, signs, folds, plan, checkpoint, n_jobs, verbose)
    return _combined(found, X.shape[1], len(folds), average)


def _check_parameters(
    probe: str | None, every: int, order: str, average: str, n_permutations: int
) -> None:
    check_choice("probe", probe, ("svm", None))
    check_choice("order", order, ("size", "found"))
    check_choice("average", average, tuple(AVERAGES))
    check_count("every", every)
    if n_permutations != 0:
        check_count("n_permutations", n_permutations)


def _selector(estimator: Any) -> RepetitiveSelector:
    if isinstance(estimator, RepetitiveSelector):
        return clone(estimator)
    return RepetitiveSelector(None if estimator is None else clone(estimator))


def _run_folds(
    X: Any,
    y: FloatArray,
    folds: list[Fold],
    plan: Plan,
    checkpoint: Any,
    n_jobs: int | None,
    verbose: int,
) -> list[FoldCurves]:
    found: list[FoldCurves] = []
    with Progress(len(folds), what="informative features", unit="fold", show=verbose > 0) as bar:
        try:
            for curves in _parallel(X, y, folds, plan, checkpoint, n_jobs):
                found.append(curves)
                bar.advance(1)
        except KeyboardInterrupt:
            if len(found) < 2:
                raise
            warnings.warn(
                f"interrupted: the result is that of {len(found)} of {len(folds)} folds",
                stacklevel=3,
            )
    return found


def _parallel(
    X: Any, y: FloatArray, folds: list[Fold], plan: Plan, checkpoint: Any, n_jobs: int | None
) -> Iterator[FoldCurves]:
    plans = [_plan_of_fold(plan, checkpoint, number) for number in range(len(folds))]
    # Processes, because the selection is much Python; joblib maps a large X into their memory.
    with interrupts_ignored():
        return Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(run_fold)(X, y, fold, own) for fold, own in zip(folds, plans, strict=True)
        )


def _plan_of_fold(plan: Plan, checkpoint: Any, number: int) -> Plan:
    selector = clone(plan.selector)
    if checkpoint is not None:
        selector.set_params(checkpoint=Path(checkpoint) / f"fold-{number + 1:03d}")
    return Plan(**{**vars(plan), "selector": selector})


def _combined(
    found: list[FoldCurves], n_features: int, n_planned: int, average: str
) -> InformativeFeatures:
    fraction = fractions_until(min(fold.n_removed for fold in found) / n_features, _POINTS)
    combine = AVERAGES[average]

    def averaged(removed: str, values: str) -> FloatArray:
        curves = [
            resampled(getattr(fold, removed), getattr(fold, values), fraction, n_features)
            for fold in found
        ]
        return combine(curves, axis=0)

    agreement = averaged("removed", "agreements")
    probe_error = sigmoid = restricted = band = purity = None
    if len(found[0].probe_errors):
        probe_error = averaged("probe_removed", "probe_errors")
        sigmoid = fit_sigmoid(fraction, probe_error)
        restricted = fit_sigmoid(fraction, probe_error, restricted=True)
        purity = purified(fraction, agreement, sigmoid.estimate)
        if found[0].chance_errors.size:
            permuted = averaged("chance_removed", "chance_errors")
            band = chance_band(fraction, probe_error, permuted)
    return InformativeFeatures(
        fraction=fraction,
        sizes=averaged("removed", "sizes"),
        selection_error=averaged("removed", "test_errors"),
        probe_error=probe_error,
        agreement=agreement,
        sigmoid=sigmoid,
        restricted=restricted,
        band=band,
        purity=purity,
        folds=found,
        n_features=n_features,
        n_folds_planned=n_planned,
        average=average,
    )
