"""How many features carry information: repetitive selection in every fold, and probes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from fewest._estimators.held_out import judge_in_parallel
from fewest._estimators.many_samples import MOST_COMPARED
from fewest._estimators.splits import check_groups, choose_exchange, permute_labels
from fewest._estimators.validation import check_choice, check_count
from fewest._interrupts import is_interrupt, settle_interrupt
from fewest._showing import Shown
from fewest._types import FloatArray
from fewest.informative._estimates import (
    ChanceBand,
    Purity,
    Sigmoid,
    chance_band,
    fit_sigmoid,
    purify,
)
from fewest.informative._fold_run import AVERAGES, FoldCurves, resample, run_fold
from fewest.informative._probe import chance_error, check_classes, make_folds
from fewest.repetition.selector import RepetitiveSelector

_POINTS = 201


@dataclass(frozen=True, eq=False, repr=False)
class InformativeFeatures(Shown):
    """How much information features carry, in the order in which they are selected.

    Figures are those of Klement, Anders & Martinetz (2013).

    Attributes
    ----------
    fraction : array of shape (n_points,)
        Shares of removed features at which the averages over the folds are given.
    sizes : array of shape (n_points,)
        Average number of features of the repetition that begins there (fig. 4a of Klement et al.
        2013).
    selection_error : array of shape (n_points,)
        Average error of the machine of that repetition on the left-out samples (fig. 4c there).
    probe_error : array of shape (n_points,), or None
        Average error of a support vector machine on the features that remain (fig. 4d there).
    agreement : array of shape (n_points,)
        Average share of the features removed there whose class difference has the same sign in the
        left-out samples: one half for features without information. With more than two classes,
        the mean over the differences of every two of them.
    sigmoid, restricted : Sigmoid or None
        Fits to `probe_error`: with four free parameters, and from 0 to chance.
    band : ChanceBand or None
        Errors of the probes for permuted labels, and where the curve reaches them.
    purity : Purity or None
        The estimate without the features that were removed by chance.
    folds : list of FoldCurves
        The same for every fold, as it was measured, and the subsets of features.
    n_features : int
        Number of features.
    n_folds_planned : int
        Number of folds; larger than ``len(folds)`` if the run was interrupted.
    average : str
        "mean" or "median": how folds were combined.
    chance : float
        The balanced error of guessing, 1 - 1 / K for K classes.
    """

    report_kind = "informative"  # as which `fewest.report` takes it
    fraction: FloatArray
    sizes: FloatArray
    selection_error: FloatArray
    probe_error: FloatArray | None
    agreement: FloatArray
    sigmoid: Sigmoid | None
    restricted: Sigmoid | None
    band: ChanceBand | None
    purity: Purity | None
    folds: list[FoldCurves]
    n_features: int
    n_folds_planned: int
    average: str
    chance: float = 0.5

    @property
    def estimate(self) -> float:
        """Share of features that carry information, by the rule of Klement et al. (2013).

        It is where the line through the inflexion of the free sigmoid reaches chance; NaN without
        a probe.
        """
        return float("nan") if self.sigmoid is None else self.sigmoid.estimate

    @property
    def n_trained(self) -> int:
        """Number of machines that the selection has trained in all folds."""
        return sum(len(fold.subsets) for fold in self.folds)

    @property
    def n_probed(self) -> int | None:
        """Samples that the probes of a fold used, at most; None without probes."""
        known = [fold.n_probed for fold in self.folds if fold.n_probed is not None]
        return max(known, default=None)

    @property
    def n_probes(self) -> int:
        """Number of probes in all folds, without those for permuted labels."""
        return sum(len(fold.probe_errors) for fold in self.folds)


def informative_features(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    probe: str | None = "svm",
    every: int = 10,
    order: str = "auto",
    average: str = "mean",
    n_permutations: int = 100,
    max_samples: int | None = MOST_COMPARED,
    random_state: Any = None,
    checkpoint: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> InformativeFeatures:
    r"""Estimate the share of features that carry information about the class.

    In every fold, features are selected and set aside again and again, and after every tenth
    repetition a support vector machine on the features that remain is tested on the samples that
    were left out. Its error rises from that of all features to chance; a sigmoid

    .. math:: f(x) = \alpha_0 + \alpha_1 / (1 + e^{-(x - \alpha_2) / \alpha_3})

    is fitted to it, where x is the share of features removed. The line through the inflexion
    reaches chance at the estimate (Klement, Anders & Martinetz 2013, sec. 4.4). All errors are
    balanced, so chance is an error of 1 - 1 / K for K classes. With more than two classes, there is
    one support vector machine for every two of them, and their votes decide.

    Parameters
    ----------
    estimator : selecting classifier, RepetitiveSelector or None
        What selects features; None stands for the hard Support Feature Machine. A
        `RepetitiveSelector` has its own limits. A soft machine continues until no feature is left,
        even if the classes overlap.
    X : array or sparse matrix of shape (n_samples, n_features)
        Numbers; standardised on the training part of every fold.
    y : array of shape (n_samples,)
        Class labels, two or more different ones.
    groups : array of shape (n_samples,), optional
        Groups of samples that belong together, such as participants, each with samples of all
        classes. One is left out at a time, in the inner folds too.
    cv : int, splitter or iterable, optional
        Other folds: a number of stratified ones (of whole groups), or a splitter. Without groups,
        5 by default.
    probe : {"svm"} or None
        "svm": its cost is chosen among 1e-8, 1e-7, ..., 1e8 (for samples of norm one) by inner
        folds. None leaves the probes out, and the estimate with them.
    every : int
        Number of repetitions from one probe to the next.
    order : {"auto", "size", "found"}
        The order in which the subsets count as removed: by size, as in Klement et al. 2013, or as
        found. "auto" is by size if no machine of the fold may leave a training error, or none
        did, otherwise as found: the size of a subset that allows errors says little about its
        information.
    average : {"mean", "median"}
        How folds are combined.
    n_permutations : int
        Labellings for the band of chance, for each of which ten of the probes are repeated: labels
        are permuted within the groups; if each group has one class, whole groups are permuted
        within their fold. 0 leaves the band out.
    max_samples : int or None
        Largest number of samples that the probes of a fold use. If there are more, that many are
        drawn at random (always the same ones, in proportion to the sizes of the classes), and
        `n_probed` of the result is their number. The selection uses all. None: the probes use all
        too, and need memory for a matrix of all pairs.
    random_state : int, RandomState instance or None
        Seed of the permutations; if `cv` is a number, also shuffles the folds.
    checkpoint : str or path-like, optional
        Folder in which every finished repetition of every fold is kept; a killed run continues
        from there. It contains one folder per fold.
    n_jobs : int, optional
        Number of folds processed at the same time (processes), as in joblib.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    InformativeFeatures

    Notes
    -----
    Ctrl-C ends the run. If at least two folds are finished, the result is based on these, with a
    warning.

    The estimate of Klement et al. (2013) is an upper limit: if the signal is weak, features
    without information are removed along with the others before the probe reaches chance.
    `purity` corrects for that, `band` assumes less about the shape of the curve, and
    `informative_share` of a `t_map` needs no selection. `benchmarks/informative.py` prints all of
    them beside a known truth.

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
    >>> print(f"by the sigmoid {found.estimate:.2f}, corrected {found.purity.estimate:.2f}")
    by the sigmoid 0.35, corrected 0.29
    """
    X, labels, codes = check_classes("informative_features", X, y)
    check_choice("probe", probe, ("svm", None))
    check_choice("order", order, ("auto", "size", "found"))
    check_choice("average", average, tuple(AVERAGES))
    check_count("every", every)
    check_count("max_samples", max_samples, or_none=True)
    if n_permutations != 0:
        check_count("n_permutations", n_permutations)
    groups = check_groups(groups, len(codes))
    folds = make_folds(labels, groups, cv, random_state)
    parts = np.full(len(codes), -1)
    for number, fold in enumerate(folds):
        parts[fold.test] = number
    labellings = permute_labels(
        codes,
        groups,
        n_permutations,
        check_random_state(random_state),
        exchange=choose_exchange(codes, groups),
        parts=parts,  # every part keeps all classes
    )
    if not isinstance(estimator, RepetitiveSelector):
        estimator = RepetitiveSelector(estimator)
    how = order, None if probe is None else every, labellings, max_samples
    jobs = []
    for number, fold in enumerate(folds, start=1):
        selector = clone(estimator)
        if checkpoint is not None:
            selector.set_params(checkpoint=Path(checkpoint) / f"fold-{number:03d}")
        jobs.append((X, codes, fold, selector, *how))
    found = _run_folds(jobs, n_jobs, verbose)
    return _combine(found, X.shape[1], len(folds), average, chance_error(codes))


def _run_folds(jobs: list[tuple[Any, ...]], n_jobs: int | None, verbose: int) -> list[FoldCurves]:
    found: list[FoldCurves] = []
    try:
        for curves in judge_in_parallel(
            jobs, judge=run_fold, n_jobs=n_jobs, verbose=verbose, what="informative features"
        ):
            found.append(curves)
    except BaseException as error:
        if len(found) < 2 or not is_interrupt(error):
            raise
        settle_interrupt()
        warnings.warn(
            f"interrupted: the result is that of {len(found)} of {len(jobs)} folds", stacklevel=3
        )
    return found


def _combine(
    found: list[FoldCurves], n_features: int, n_planned: int, average: str, chance: float
) -> InformativeFeatures:
    end = min(fold.n_removed for fold in found) / n_features  # of the shortest run
    fraction = np.linspace(0.0, end, _POINTS)

    def combine(removed: str, values: str) -> FloatArray:
        curves = [
            resample(getattr(fold, removed), getattr(fold, values), fraction, n_features)
            for fold in found
        ]
        return AVERAGES[average](curves, axis=0)

    agreement = combine("removed", "agreements")
    probe_error = sigmoid = restricted = band = purity = None
    if len(found[0].probe_errors):
        probe_error = combine("probe_removed", "probe_errors")
        sigmoid = fit_sigmoid(fraction, probe_error, chance=chance)
        restricted = fit_sigmoid(fraction, probe_error, restricted=True, chance=chance)
        purity = purify(fraction, agreement, sigmoid.estimate)
        if found[0].chance_errors.size:
            band = chance_band(fraction, probe_error, combine("chance_removed", "chance_errors"))
    return InformativeFeatures(
        fraction=fraction,
        sizes=combine("removed", "sizes"),
        selection_error=combine("removed", "test_errors"),
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
        chance=chance,
    )
