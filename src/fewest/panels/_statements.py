"""One statement per feature of a panel: how often it is chosen, and what it adds to the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.splits import fit_within
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_positive,
    check_share,
    encode_classes,
    make_dense,
    standardize_columns,
)
from fewest._run.budget import Budget
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.watch import Watch, watching
from fewest._types import BoolArray, FloatArray, IndexArray
from fewest._wording import aligned, counted, cut
from fewest.panels._given_others import measure_given_others
from fewest.panels._names import find_columns, name_columns
from fewest.panels._stand_ins import correlate_column
from fewest.significance._resampling import check_samples, select_in_resamples

_MOST_STAND_INS = 5  # that are named
_GRACE = 1.0  # seconds that the first resample has beyond the limit


@dataclass(frozen=True)
class ChosenStandIn:
    """A feature that correlates with one of the panel, and how often resamples choose it."""

    name: str
    column: int
    correlation: float
    chosen: float | None


@dataclass(frozen=True, repr=False)
class FeatureStatement(Shown):
    """What can be said about one feature of a panel.

    Parameters
    ----------
    name : str
        The feature.
    column : int
        Its column of X.
    p_value : float or None
        That of the feature given the others; None if there are too few samples for such a test, or
        no permutation was done in time.
    chosen : float or None
        Share of the resamples in which the feature is chosen; None without an estimator.
    chosen_or_stand_in : float or None
        Share of the resamples in which it, or at least one of its stand-ins, is chosen.
    n_stand_ins : int
        How many features outside the panel correlate with it.
    stand_ins : list of ChosenStandIn
        The ones chosen most often, at most five.
    """

    name: str
    column: int
    p_value: float | None
    chosen: float | None
    chosen_or_stand_in: float | None
    n_stand_ins: int
    stand_ins: list[ChosenStandIn]


@dataclass(frozen=True, repr=False)
class FeatureStatements(Shown):
    """A statement for every feature of a panel, and how they were made.

    Parameters
    ----------
    statements : list of FeatureStatement
        In the order of the panel.
    method : str or None
        What chose features in the resamples.
    n_resamples : int
        How many there were; 0 without an estimator.
    resample : str
        Their kind.
    n_permutations : int
        Those behind each p-value: fewer than asked for if time was up.
    min_correlation : float
        From this absolute correlation on, a feature is a stand-in.
    """

    statements: list[FeatureStatement]
    method: str | None
    n_resamples: int
    resample: str
    n_permutations: int
    min_correlation: float

    def __str__(self) -> str:
        """A line per feature, and what its columns mean; empty if nothing was done in time."""
        resampled, tested = self.n_resamples > 0, self.n_permutations > 0
        if not resampled and not tested:
            return ""
        header = ["chosen", "it or a stand-in", "stand-ins"] if resampled else []
        rows = [["", *header, *(["p"] if tested else [])]]
        for one in self.statements:
            cells = [cut(one.name)]
            if one.chosen is not None and one.chosen_or_stand_in is not None:
                shares = (one.chosen, one.chosen_or_stand_in)
                cells += [*(f"{100 * share:.0f} %" for share in shares), str(one.n_stand_ins)]
            if tested:
                cells.append("-" if one.p_value is None else f"{one.p_value:.2g}")
            rows.append(cells)
        lines = [aligned(rows)]
        if resampled:
            kind = "bootstrap samples" if self.resample == "bootstrap" else "halves of the samples"
            lines += [
                f"chosen: share of {self.n_resamples} {kind} in which the method chooses it "
                f"({self.method}).",
                "Stand-ins: features whose correlation with it is "
                f"{self.min_correlation:g} or more, whatever its sign.",
            ]
        if tested:
            lines += [
                f"p: given the others, by {counted(self.n_permutations, 'permutation')} of what "
                "these leave of it. If the panel was",
                "chosen on the same samples, p is too small.",
            ]
        return "\n".join(lines)


def feature_statements(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    features: Sequence[str] | ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 50,
    resample: str = "bootstrap",
    n_permutations: int = 999,
    min_correlation: float = 0.7,
    random_state: Any = None,
    max_seconds: float | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> FeatureStatements:
    r"""How often each feature of a small panel is chosen, and what it adds to the others.

    The choice is repeated on resamples of the data. A feature may be missing in many of them only
    because another one carries the same information; so the share of resamples with the feature or
    one of its stand-ins is counted too. Stand-ins are features outside the panel whose correlation
    with it, over all samples of all classes, is at least `min_correlation` in absolute value.

    The p-value is that of the feature given the others of the panel. With the feature x, the others
    Z and indicators D of the classes, the linear model

    .. math:: x = a + Z b + D c + e

    is tested for c = 0: the residual of x given Z is permuted (Freedman & Lane 1983), and the share
    of it that the classes explain is compared. The p-value is small for features whose mean, at
    equal values of the others, differs between classes, even if it does not differ otherwise. The
    test assumes that x depends on the others linearly, with exchangeable errors.

    The test does not know that the panel was chosen on the same samples. A choice among many
    features makes p-values too small, so they can show which features of the panel add little, but
    not prove that others add much. With a panel that was fixed beforehand, or chosen on other
    samples, they are valid.

    Parameters
    ----------
    estimator : selector or None
        What chooses features. None leaves out the resamples, and needs `features`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    y : array of shape (n_samples,)
        Their classes, two or more.
    features : sequence, optional
        The panel: names, numbers of columns, or one True or False for each column. By default, the
        features that the estimator chooses on all samples.
    feature_names : sequence of str, optional
        A name for every column; the default is that of the table X, or "feature 0" and so on.
    groups : array of shape (n_samples,), optional
        Samples that belong together: they are in a resample together or not at all. For the
        p-value, a group of one class counts as one sample, its mean; if groups contain several
        classes, values are permuted within groups.
    n_resamples : int
        Resamples in which features are chosen.
    resample : {"bootstrap", "half"}
        As many samples (or groups) as in the data, drawn with replacement; or half of them
        without.
    n_permutations : int
        Permutations for each p-value; the smallest one is 1 / (1 + n_permutations).
    min_correlation : float
        From this absolute correlation on, a feature is a stand-in; 0.7 means that half of the
        variance is shared. With few samples and very many
        features some reach it by chance; `n_stand_ins` is their number.
    random_state : int, RandomState instance or None
        Seed of resamples and permutations.
    max_seconds : float, optional
        Time limit of the choice on all samples and the resamples; `n_resamples` of the result is
        the number of these. The first one has a second more. One under way is given up; a fit of an
        estimator of another package is finished first.
    n_jobs : int, optional
        Processes for the resamples, as in joblib.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    FeatureStatements

    References
    ----------
    D. Freedman, D. Lane: A nonstochastic interpretation of reported significance levels. Journal
    of Business & Economic Statistics 1 (1983).

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.panels import feature_statements
    >>> X, y = make_gaussian(n=60, d=200, k=2, mu=1.0, random_state=0)  # 0 and 1 differ
    >>> found = feature_statements(SelectKBest(k=3), X, y, n_resamples=10, random_state=0)
    >>> for one in found.statements:
    ...     print(f"{one.name}: chosen in {one.chosen:.0%}, p = {one.p_value:.3f}")
    feature 0: chosen in 100%, p = 0.001
    feature 1: chosen in 100%, p = 0.001
    feature 151: chosen in 50%, p = 0.825
    """
    check_count("n_permutations", n_permutations)
    check_count("n_resamples", n_resamples)
    check_choice("resample", resample, ("bootstrap", "half"))
    check_share("min_correlation", min_correlation)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    given, (X, y, groups) = X, check_samples(X, y, groups)
    names = name_columns(given, feature_names, X.shape[1])
    _, codes = encode_classes("a statement per feature", y)
    rng = check_random_state(random_state)
    selections, budget = None, Budget(max_seconds)
    with watching(Watch(max_seconds, grace=_GRACE)):
        if features is not None:
            panel = find_columns(features, names)
        elif estimator is None:
            raise ValueError("without an estimator, features must name the panel")
        else:
            fitted = fit_within(clone(estimator), X, y, groups)
            panel = np.flatnonzero(selection_of(fitted).support)
            if not len(panel):
                raise ValueError(
                    f"{abilities_of(estimator).name} chose no feature on all samples: there is "
                    "nothing to say. Name features, or let it choose more"
                )
        if estimator is not None:
            selections = select_in_resamples(
                estimator,
                X,
                y,
                groups,
                rng,
                n_resamples=n_resamples,
                resample=resample,
                budget=budget,
                n_jobs=n_jobs,
                verbose=verbose,
            )
    values = np.asarray(make_dense(X[:, panel]), dtype=np.float64)
    settings: Any = {"n_permutations": n_permutations, "rng": rng, "budget": Budget(None)}
    return make_statements(
        panel,
        names,
        standardize_columns(X),
        measure_given_others(values, codes, groups, range(len(panel)), **settings),
        selections,
        method=None if estimator is None else abilities_of(estimator).name,
        resample=resample,
        min_correlation=min_correlation,
    )


def make_statements(
    panel: IndexArray,
    names: Sequence[str],
    columns: Columns,
    given_others: tuple[Sequence[float | None], int],
    selections: BoolArray | None,
    *,
    method: str | None,
    resample: str,
    min_correlation: float,
) -> FeatureStatements:
    """The statements; `selections` has a row per resample, and is None where there are none."""
    (p_values, n_permutations), statements = given_others, []
    for column, p_value in zip(panel.tolist(), p_values, strict=True):
        correlation = correlate_column(columns, column)
        correlation[panel] = 0.0
        near = np.flatnonzero(np.abs(correlation) >= max(min_correlation, 1e-12))
        statements.append(_state(names, column, p_value, correlation, near, selections))
    n_resamples = 0 if selections is None else len(selections)
    return FeatureStatements(
        statements, method, n_resamples, resample, n_permutations, min_correlation
    )


def _state(
    names: Sequence[str],
    column: int,
    p_value: float | None,
    correlation: FloatArray,
    near: IndexArray,
    selections: BoolArray | None,
) -> FeatureStatement:
    chosen = either = None
    shares = np.zeros(len(near))
    if selections is not None:
        chosen = float(selections[:, column].mean())
        either = float(selections[:, [column, *near]].any(axis=1).mean())
        shares = selections[:, near].mean(axis=0)
    order = np.lexsort((-np.abs(correlation[near]), -shares))[:_MOST_STAND_INS]
    stand_ins = [
        ChosenStandIn(
            names[near[place]],
            int(near[place]),
            float(correlation[near[place]]),
            None if selections is None else float(shares[place]),
        )
        for place in order
    ]
    return FeatureStatement(names[column], column, p_value, chosen, either, len(near), stand_ins)
