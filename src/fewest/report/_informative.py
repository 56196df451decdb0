"""How many features carry information, where that was estimated."""

from __future__ import annotations

import math

from fewest.informative import InformativeFeatures, informative_share, t_map
from fewest.informative._univariate import choose_kind
from fewest.report._data import Data
from fewest.report.content import Estimate, Informative


def informative(found: InformativeFeatures, data: Data) -> Informative:
    """Estimates by all rules, and the curves."""
    kind = choose_kind(data.y, data.groups)
    univariate = informative_share(t_map(data.X, data.y, groups=data.groups, kind=kind).p_value)
    shares = {
        "where the line through the sigmoid's inflexion meets chance (the papers' rule)": (
            found.estimate
        ),
        "the same, without the features that were removed by chance": (
            None if found.purity is None else found.purity.estimate
        ),
        "until the error is one of permuted labels": (
            None if found.band is None else found.band.estimate
        ),
        "from the p-values of t-tests, one feature at a time": univariate,
    }
    return Informative(
        estimates=[
            Estimate(rule, float(share), round(share * found.n_features))
            for rule, share in shares.items()
            if share is not None and math.isfinite(share)
        ],
        fraction=found.fraction.tolist(),
        sizes=found.sizes.tolist(),
        selection_error=found.selection_error.tolist(),
        probe_error=None if found.probe_error is None else found.probe_error.tolist(),
        n_folds=len(found.folds),
        n_folds_planned=found.n_folds_planned,
    )
