"""The result of `informative_features`."""

from __future__ import annotations

from dataclasses import dataclass

from fewest._types import FloatArray
from fewest.informative._chance import ChanceBand
from fewest.informative._fold_run import FoldCurves
from fewest.informative._purity import Purity
from fewest.informative._sigmoid import Sigmoid


@dataclass(frozen=True, eq=False)
class InformativeFeatures:
    """How much information is where, in the order in which features are selected.

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
        Average part of the features removed there whose class difference has the same sign in the
        left-out samples: one half for features without information.
    sigmoid, restricted : Sigmoid or None
        Fits to `probe_error`: with four free parameters, and from 0 to 0.5.
    band : ChanceBand or None
        Errors of the probes for permuted labels, and where the curve meets them.
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
    """

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

    @property
    def estimate(self) -> float:
        """Share of features that carry information, by the rule of Klement et al. (2013).

        It is where the line through the inflexion of the free sigmoid meets chance; NaN without
        a probe.
        """
        return float("nan") if self.sigmoid is None else self.sigmoid.estimate

    @property
    def n_trained(self) -> int:
        """Number of machines that the selection has trained in all folds."""
        return sum(len(fold.subsets) for fold in self.folds)

    @property
    def n_probes(self) -> int:
        """Number of probes in all folds, without those for permuted labels."""
        return sum(len(fold.probe_errors) for fold in self.folds)
