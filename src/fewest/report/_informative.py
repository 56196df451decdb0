"""How many features carry information, where that was estimated."""

from __future__ import annotations

import math

import numpy as np

from fewest.informative import InformativeFeatures, informative_share, overlap_table, t_map
from fewest.informative._estimates import Sigmoid
from fewest.informative._univariate import TMap, choose_kind
from fewest.report._data import Data, copy_fields
from fewest.report._informative_content import (
    Estimate,
    Informative,
    InformativeFold,
    SigmoidFit,
)

# First the one that takes chance away (`python -m benchmarks.informative`), upper limits last.
_RULES = {
    "purified": "without the features removed by chance",
    "univariate": "from the p-values of t-tests, one feature at a time",
    "chance": "until the error is one of permuted labels; an upper limit",
    "restricted": "sigmoid from 0 to {chance:.3g}, line through its inflexion; an upper limit",
    "sigmoid": "line through the sigmoid's inflexion (the papers' rule); an upper limit",
}


def describe_informative(found: InformativeFeatures, data: Data) -> Informative:
    """Estimates by all rules, the curves, and for two classes the overlap with a t-map."""
    univariate = find_t_map(data)
    shares = {
        "sigmoid": found.estimate,
        "restricted": None if found.restricted is None else found.restricted.estimate,
        "purified": None if found.purity is None else found.purity.estimate,
        "chance": None if found.band is None else found.band.estimate,
        "univariate": None if univariate is None else informative_share(univariate.p_value),
    }
    return copy_fields(
        Informative,
        found,  # its curves
        estimates=[
            Estimate(
                name,
                _RULES[name].format(chance=found.chance),
                float(share),
                round(share * found.n_features),
            )
            for name in _RULES
            for share in [shares[name]]
            if share is not None and math.isfinite(share)
        ],
        chance_lower=None if found.band is None else found.band.lower.tolist(),
        chance_level=None if found.band is None else found.band.level,
        chance_upper=None if found.band is None else found.band.upper.tolist(),
        sigmoid=_fit(found.sigmoid),
        restricted=_fit(found.restricted),
        overlap=[] if univariate is None else overlap_table(found, univariate),
        folds=[
            copy_fields(
                InformativeFold,
                fold,
                n_test=len(fold.test),
                n_subsets=len(fold.subsets),
                first_subset=data.names(fold.subsets[0]),
            )
            for fold in found.folds
        ],
    )


def find_t_map(data: Data) -> TMap | None:
    """The t-tests of all features, one at a time; None for more than two classes."""
    if not data.is_binary:
        return None
    kind = choose_kind(data.y, data.groups)
    return t_map(data.X, data.y, groups=data.groups, kind=kind)


def _fit(sigmoid: Sigmoid | None) -> SigmoidFit | None:
    if sigmoid is None:
        return None
    crossing = None if np.isnan(sigmoid.crossing) else sigmoid.crossing
    return copy_fields(SigmoidFit, sigmoid, crossing=crossing)
