"""The correlation threshold epsilon from permuted labels, before any machine is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_X_y

from fewest._estimators.splits import permute_labels
from fewest._estimators.validation import (
    check_choice,
    check_count,
    check_share,
)
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest.psvm._relations import UNIT_LENGTH, check_scale, scale_relations
from fewest.psvm.path import TASKS, find_largest_moment, make_targets

__all__ = ["choose_epsilon"]


def choose_epsilon(
    X: Any,
    y: ArrayLike,
    *,
    level: float = 0.05,
    n_permutations: int = 200,
    task: str = "auto",
    scale: str = UNIT_LENGTH,
    groups: ArrayLike | None = None,
    exchange: str = "within",
    random_state: Any = None,
) -> float:
    r"""The smallest epsilon that features unrelated to y exceed with at most a given probability.

    The report recommends an epsilon above the correlations that noise alone causes, and says that
    it can be chosen a priori if the level of noise is known (sec. 2.4.6). Permuted labels show
    that level: for centred columns :math:`X_j`,

    .. math::

        \epsilon = \text{the smallest value that at least } (1 - level)(B + 1)
        \text{ of the } B + 1 \text{ values } \max_j |X_j^\top (y_\pi - \bar y)|
        \text{ do not exceed},

    over B permutations and y itself. At this epsilon a feature has a weight with probability at
    most `level` if no feature is related to y (the order of y is then as likely as any other). The
    largest inner product is taken over all tasks, too, if there are more than two classes.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples, or their relations with other objects.
    y : array of shape (n_samples,)
        Classes or numbers, see `task`.
    level : float, default=0.05
        Probability in (0, 1) that any feature has a weight although none is related to y.
    n_permutations : int, default=200
        How many permutations; at least 1 / level - 1, or no value is rare enough.
    task, scale
        As for :class:`~fewest.PotentialSelector`.
    groups : array of shape (n_samples,), optional
        Samples that belong together, such as those of one person.
    exchange : {"within", "whole"}, default="within"
        Permute labels within groups, or those of whole groups.
    random_state : int, RandomState or None, default=None
        Source of the permutations.

    Returns
    -------
    float
        The value for `epsilon`.

    References
    ----------
    S. Hochreiter, K. Obermayer: Classification, regression, and feature selection on matrix data.
    Technical report 2004/02, TU Berlin (2004), sec. 2.4.6.

    Examples
    --------
    Three of 2,000 features are informative:

    >>> from fewest import PotentialSelector
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.psvm import choose_epsilon
    >>> X, y = make_gaussian(n=100, d=2000, k=3, mu=1.0, random_state=0)
    >>> epsilon = choose_epsilon(X, y, random_state=0)
    >>> print(f"{epsilon:.2f}")
    4.01
    >>> PotentialSelector(epsilon=epsilon).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """
    check_share("level", level, strictly=True)
    check_count("n_permutations", n_permutations)
    check_choice("task", task, TASKS)
    check_scale(scale)
    check_choice("exchange", exchange, ("within", "whole"))
    if (n_permutations + 1) * level < 1.0:
        raise ValueError(
            f"n_permutations={n_permutations} cannot show what happens with probability {level}: "
            f"at least {int(np.ceil(1.0 / level)) - 1} are needed"
        )
    check_sparse(X, "X")
    X, y = check_X_y(X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric", ensure_min_samples=2)
    y = np.asarray(y)
    groups = None if groups is None else np.asarray(groups)
    check_consistent_length(y, groups)
    columns = scale_relations(X, scale)
    rng = check_random_state(random_state)
    permuted = permute_labels(y, groups, n_permutations, rng, exchange=exchange)
    largest = [find_largest_moment(columns, make_targets(row, task)) for row in (y, *permuted)]
    return float(np.quantile(largest, 1.0 - level, method="inverted_cdf"))
