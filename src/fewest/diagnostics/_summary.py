"""All diagnostics of a data set in one readable summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from fewest._estimators.abilities import selection_of
from fewest._estimators.held_out import HeldOut
from fewest._estimators.splits import count_classes
from fewest._estimators.validation import check_count, check_data, check_share
from fewest.diagnostics._capacity import vc_dimension_bound
from fewest.diagnostics._geometry import (
    DistanceConcentration,
    Hubness,
    Sphericity,
    distance_concentration,
    hubness,
    relative_concentration,
    sphericity,
)
from fewest.diagnostics._leave_one_out import LooReliability, loo_reliability
from fewest.diagnostics._wording import conclude, list_evidence, list_geometry, summarize
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.significance import (
    PermutationTest,
    SeparabilityBounds,
    permutation_test,
    subset_separability_bounds,
)

_NORMS = (1.0, 2.0)
_NEIGHBOURS = 10
_SOFT_COST = 1.0


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What `diagnose` found; print it for the summary.

    `conclusive` says whether the classes differ by more than chance: the p-value of the
    permutation `test` (of its statistics together) is at most `alpha`. `separable` is whether some
    hyperplane separates the classes; if not, the test is of the soft machine with C = 1. `bounds`,
    `vc_dimension` and `leave_one_out` are None for more than two classes.
    """

    n_samples: int
    n_features: int
    class_sizes: dict[Any, int]
    alpha: float
    conclusive: bool
    separable: bool
    n_selected: int
    test: PermutationTest
    bounds: SeparabilityBounds | None
    vc_dimension: int | None
    sphericity: Sphericity
    norms: dict[float, float]
    distances: DistanceConcentration
    hubs: Hubness
    leave_one_out: LooReliability | None

    @property
    def headline(self) -> str:
        """The conclusion in one line."""
        return conclude(self)[0]

    @property
    def conclusion(self) -> str:
        """The conclusion in a few sentences."""
        return conclude(self)[1]

    @property
    def evidence(self) -> list[str]:
        """What the conclusion rests on."""
        return list_evidence(self)

    @property
    def geometry(self) -> list[str]:
        """What to know about the data, in sentences."""
        return list_geometry(self)

    @property
    def summary(self) -> str:
        """All of it, in plain words."""
        return summarize(self)

    def __str__(self) -> str:
        return self.summary


def diagnose(
    X: Any,
    y: ArrayLike,
    *,
    n_permutations: int = 99,
    cv: Any = 5,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    alpha: float = 0.05,
    max_seconds: float | None = None,
    held_out: HeldOut | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Diagnosis:
    """Say in plain words whether anything can be concluded from the data, and what to beware of.

    The conclusion rests on a permutation test of the number of features that the hard Support
    Feature Machine needs (where the classes overlap: of what the soft one pays) and of its
    cross-validated error. All other numbers explain it. They refer to standardised columns.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        At least five samples.
    y : array of shape (n_samples,)
        Their classes, each with at least two samples.
    n_permutations : int
        Permutations of the labels.
    cv : int, splitter or None
        Folds of the cross-validation; fewer where the smallest class is smaller. None leaves the
        error out, which takes most of the time.
    groups : array of shape (n_samples,), optional
        Samples that belong together, as for `permutation_test`.
    exchange : {"within", "whole"}
        How labels are permuted where there are groups.
    alpha : float
        Level of the test.
    max_seconds : float, optional
        Seconds for the permutations, as for `permutation_test`.
    held_out : HeldOut, optional
        A cross-validation with these folds, as for `permutation_test`; used if it is of the machine
        that is tested.
    random_state : int, RandomState instance or None
        Seed of the permutations; where `cv` is a number, also shuffles the folds.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.diagnostics import diagnose
    >>> X = np.random.default_rng(0).standard_normal((30, 1000))
    >>> found = diagnose(X, np.arange(30) % 2, cv=None, random_state=0)
    >>> found.conclusive
    False
    >>> print(str(found).splitlines()[0])
    Nothing can be concluded from these data.
    """
    check_count("n_permutations", n_permutations)
    check_share("alpha", alpha, strictly=True)
    X, y = check_data(BaseEstimator(), X, y)
    class_sizes, _ = count_classes(y, None)
    if len(class_sizes) < 2 or min(class_sizes.values()) < 2 or len(y) < 5:
        raise ValueError(
            "diagnose needs at least two classes with two samples each, and five samples in all; "
            f"got {class_sizes}"
        )
    machine = SupportFeatureMachine(C=np.inf)
    try:
        machine.fit(X, y)
    except NotSeparableError:
        machine = SupportFeatureMachine(C=_SOFT_COST).fit(X, y)
    n_selected = selection_of(machine).n_selected
    test = permutation_test(
        machine,
        X,
        y,
        statistics="features" if cv is None else ("features", "error"),
        n_permutations=n_permutations,
        cv=cv,
        groups=groups,
        exchange=exchange,
        max_seconds=max_seconds,
        held_out=held_out if held_out is not None and held_out.is_of(machine) else None,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    n, d = X.shape
    binary = len(class_sizes) == 2
    chosen = min(max(1, n_selected), d)
    return Diagnosis(
        n_samples=n,
        n_features=d,
        class_sizes=class_sizes,
        alpha=alpha,
        conclusive=bool(test.p_value <= alpha),
        separable=bool(np.isinf(machine.C)),
        n_selected=n_selected,
        test=test,
        bounds=subset_separability_bounds(n, d, chosen, intercept=True) if binary else None,
        vc_dimension=vc_dimension_bound(d, chosen, intercept=True) if binary else None,
        sphericity=sphericity(X),
        norms={p: relative_concentration(X, p) for p in _NORMS},
        distances=distance_concentration(X),
        hubs=hubness(X, y, k=min(_NEIGHBOURS, n - 1)),
        leave_one_out=loo_reliability(X, y, standardize=True) if binary else None,
    )
